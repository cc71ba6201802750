//! What each engine says for itself.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, Entity, Identity};
use sea_query::{
    ColumnDef, DatabaseName, Index, SchemaBuilder, SchemaName, Table, TableCreateStatement, TableName, TableRef,
};

use super::inspect::{SyncLock, Wanted};
use crate::{Error, ErrorKind, Result};

/// How an engine spells what a [`Ddl`](super::Ddl) makes: a data sheet beside that of its dialect.
pub trait Spelling: Dialect {
    /// The type of a column.
    ///
    /// # Errors
    /// The engine has none that holds its values.
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>>;

    /// The type of a column that the row has no room for, as a large object. One that is added comes to a row that is
    /// there as it is.
    fn off_row(&self, entity: &Entity, column: &Column, added: bool) -> Option<&'static str> {
        let _ = (entity, column, added);
        None
    }

    /// The most bytes of a column in a key or an index, or `None` where it cannot have one.
    fn index_bytes(&self, column: &Column) -> Option<u32> {
        let _ = column;
        Some(0)
    }

    /// The most bytes of all columns of a key or an index.
    fn index_limit(&self) -> u32 {
        u32::MAX
    }

    /// The type of a column that the database numbers.
    ///
    /// # Errors
    /// The engine has none that holds its values.
    fn numbered_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        self.column_type(column)
    }

    /// How the database numbers a column.
    ///
    /// # Errors
    /// It cannot number it so.
    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>>;

    /// The text behind the name of a generated column of that type, computed from that text.
    fn computed(&self, column: &Column, ty: &str, text: &str) -> String;

    /// The default of a column of that type where it stands without parentheses, on an engine whose defaults have them.
    fn bare_default(&self, ty: &str, text: &str) -> Option<String> {
        let _ = (ty, text);
        None
    }

    /// Whether a column that is added to a table has a constant default or none.
    fn adds_constants_only(&self) -> bool {
        false
    }

    /// How it says true and false.
    fn truth(&self, truth: bool) -> &'static str {
        if truth { "1" } else { "0" }
    }

    /// What an array without items is.
    fn empty_array(&self) -> &'static str {
        "'[]'"
    }

    /// What rows that are there already get in a column that is never NULL and has no default.
    ///
    /// # Errors
    /// There is nothing to give them.
    fn filler(&self, column: &Column) -> Result<&'static str> {
        Ok(self.standard_filler(column))
    }

    /// What most engines take for that.
    fn standard_filler(&self, column: &Column) -> &'static str {
        match column.ty.base {
            _ if column.ty.array => self.empty_array(),
            T::Boolean => self.truth(false),
            number if number.is_number() => "0",
            T::Date => "'1900-01-01'",
            T::DateTime | T::DateTime2 => "'1900-01-01 00:00:00'",
            T::DateTimeOffset => "'1900-01-01 00:00:00+00:00'",
            T::Time => "'00:00:00'",
            T::Guid => "'00000000-0000-0000-0000-000000000000'",
            T::Json | T::Jsonb => "'{}'",
            _ => "''",
        }
    }

    /// Adds what a table needs besides columns and key.
    fn finish(&self, create: &mut TableCreateStatement, number: Option<&Number<'_>>) {
        let _ = (create, number);
    }

    /// A statement to run when the table is there, for the column that the database numbers.
    fn after(&self, parts: &[&str], number: &Number<'_>) -> Option<String> {
        let _ = (parts, number);
        None
    }

    /// Whether a unique index takes only one NULL, so that it has to leave them out.
    fn null_is_unique(&self) -> bool {
        false
    }

    /// The most parts of a table's name.
    fn name_parts(&self) -> usize {
        2
    }

    /// Queries of the engine's catalog for a table of that name, of one part or more: the names of its columns, and of its
    /// indexes. Where it is the database that says which names are one, they give a wanted one as it is wanted.
    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>);

    /// Whether names of columns and indexes that differ in their case are one.
    fn ignores_case(&self) -> bool {
        false
    }

    /// What keeps others from changing tables meanwhile.
    fn lock(&self) -> SyncLock;

    /// The text of a statement.
    fn spell(&self, statement: &Statement) -> String;
}

/// A column that the database numbers.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Number<'a> {
    /// The column.
    pub column: &'a Column,
    /// How it is numbered.
    pub identity: &'a Identity,
    /// Whether it alone is the primary key.
    pub is_key: bool,
    /// Whether an index begins with it: that of the key, or its own.
    pub is_indexed: bool,
}

impl Number<'_> {
    /// The clause of the standard.
    #[must_use]
    pub fn standard(&self) -> String {
        let Identity { start, increment, .. } = self.identity;
        // Unless told otherwise, the numbers going up end at 1 below, and those going down at -1 above.
        let bound = match *increment {
            1.. if *start < 1 => format!(" MINVALUE {start}"),
            ..=-1 if *start > -1 => format!(" MAXVALUE {start}"),
            _ => String::new(),
        };
        format!("GENERATED BY DEFAULT AS IDENTITY (START WITH {start} INCREMENT BY {increment}{bound})")
    }

    /// The program's own expression, such as the next value of a sequence, as the default of the column.
    #[must_use]
    pub fn default(&self) -> Option<Cow<'static, str>> {
        self.identity.expression.as_ref().map(|expression| format!("DEFAULT {expression}").into())
    }

    /// The error of an engine that has no such expression.
    ///
    /// # Errors
    /// There is one.
    pub fn by_itself(&self, dialect: &dyn Dialect) -> Result<()> {
        if self.identity.expression.is_none() {
            return Ok(());
        }
        Err(refused(format!(
            "{} numbers rows by itself: leave the identity expression of `{}` out",
            dialect.label(),
            self.column.name
        )))
    }

    /// The error of an engine that counts by one only.
    ///
    /// # Errors
    /// The increment is another one.
    pub fn by_one(&self, dialect: &dyn Dialect) -> Result<()> {
        if self.identity.increment == 1 {
            return Ok(());
        }
        let (name, increment) = (&self.column.name, self.identity.increment);
        Err(refused(format!("{} numbers by 1 and not by {increment}: give `{name}` the increment 1", dialect.label())))
    }

    /// The error of an engine whose numbers begin at 1 or above.
    ///
    /// # Errors
    /// The start is below that.
    pub fn from_one(&self, dialect: &dyn Dialect) -> Result<()> {
        if self.identity.start >= 1 {
            return Ok(());
        }
        let (name, start) = (&self.column.name, self.identity.start);
        Err(refused(format!(
            "{} numbers from 1 on and not from {start}: give `{name}` a start above 0",
            dialect.label()
        )))
    }
}

/// A statement of DDL.
#[derive(Debug)]
#[non_exhaustive]
pub enum Statement {
    /// `CREATE TABLE`.
    Create(Box<TableCreateStatement>),
    /// `ALTER TABLE .. ADD COLUMN`.
    AddColumn {
        /// The table.
        table: TableRef,
        /// The column.
        column: Box<ColumnDef>,
    },
    /// `CREATE INDEX` on one column.
    Index {
        /// The parts of the table's name.
        parts: Vec<String>,
        /// The index's name, without quotes.
        name: String,
        /// The column's name.
        column: String,
        /// Whether it is unique.
        unique: bool,
        /// Whether it leaves NULLs out.
        not_null: bool,
    },
    /// `DROP TABLE`.
    Drop(TableRef),
}

impl Statement {
    /// The text, by a builder of sea-query's.
    pub fn build<B: SchemaBuilder>(&self, builder: B) -> String {
        match self {
            Self::Create(create) => create.build(builder),
            Self::AddColumn { table, column } => {
                Table::alter().table(table.clone()).add_column((**column).clone()).build(builder)
            }
            Self::Index { parts, name, column, unique, .. } => {
                let mut index = Index::create();
                // sea-query writes the name of an index between quotes as it is.
                index.name(doubled(name, builder.quote().right())).col(column.clone());
                if let Some(table) = table_ref(parts) {
                    index.table(table);
                }
                if *unique {
                    index.unique();
                }
                index.build(builder)
            }
            Self::Drop(table) => Table::drop().table(table.clone()).build(builder),
        }
    }
}

/// A table's name for sea-query, which knows three parts.
pub(super) fn table_ref(parts: &[String]) -> Option<TableRef> {
    let name = |part: &String| part.clone().into();
    let (schema, table) = match parts {
        [table] => (None, table),
        [schema, table] => (Some(SchemaName(None, name(schema))), table),
        [database, schema, table] => (Some(SchemaName(Some(DatabaseName(name(database))), name(schema))), table),
        _ => return None,
    };
    Some(TableRef::Table(TableName(schema, name(table)), None))
}

/// A name in the quotes of a dialect, or a table's name of several parts.
#[must_use]
pub fn quoted<'n>(dialect: &dyn Dialect, parts: impl IntoIterator<Item = &'n str>) -> String {
    let Quotes(open, close) = dialect.sheet().quotes;
    let mut text = String::new();
    for part in parts {
        if !text.is_empty() {
            text.push('.');
        }
        text.push(open);
        text.push_str(&doubled(part, close));
        text.push(close);
    }
    text
}

/// A name whose closing quotes are doubled.
pub(super) fn doubled(name: &str, close: char) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        text.push(c);
        if c == close {
            text.push(c);
        }
    }
    text
}

/// The error of what the engine cannot have.
pub(super) fn refused(why: String) -> Error {
    Error::new(ErrorKind::Compile, why)
}

/// How many characters or bytes the column holds; `None` if it is over 4,000, which takes a large object.
#[must_use]
pub fn length(column: &Column) -> Option<u32> {
    Some(column.length.unwrap_or(255)).filter(|length| *length <= 4_000)
}

/// Whether the text of a default is a literal, or NULL: the same for each row, without a look at anything.
#[must_use]
pub fn is_literal(text: &str) -> bool {
    let text = text.trim();
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    if number.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
        return number.parse::<f64>().is_ok();
    }
    let quoted = text.strip_prefix(['x', 'X']).unwrap_or(text);
    match quoted.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        Some(inside) => !inside.replace("''", "").contains('\''),
        None => ["NULL", "TRUE", "FALSE"].iter().any(|word| text.eq_ignore_ascii_case(word)),
    }
}

/// The digits of a decimal, and how many of them stand after the point.
#[must_use]
pub fn digits(column: &Column) -> (u8, u8) {
    match (column.precision, column.ty.base) {
        (Some(precision), _) => (precision, column.scale.unwrap_or(0)),
        // A number that is counted is a whole one.
        (None, _) if column.identity.is_some() => (18, 0),
        (None, T::Currency) => (19, 4),
        (None, _) => (18, 2),
    }
}

/// The type of a column, with the digits behind the seconds of a time if the definition says how many: `timestamp(0)`.
#[must_use]
pub fn timed(ty: &'static str, column: &Column) -> Cow<'static, str> {
    column.seconds().map_or(ty.into(), |digits| format!("{ty}({digits})").into())
}

#[cfg(test)]
mod tests {
    use super::is_literal;

    #[test]
    fn literals() {
        for text in ["0", " -1.5 ", "1e3", ".5", "''", "'it''s'", "X'00ff'", "null", "TRUE"] {
            assert!(is_literal(text), "{text}");
        }
        for text in ["1 + 1", "'a' || 'b'", "'", "'''", "-", "CURRENT_TIMESTAMP", "('a')", "f('a')", "1e", "", "inf"] {
            assert!(!is_literal(text), "{text}");
        }
    }
}
