//! The parts of DDL that differ between engines.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect, Quotes, Variant};
use isogloss_compiler::expr::{DbValueType as T, Family};
use isogloss_compiler::model::{Column, Entity, Identity, ReferenceAction};
use sea_query::TableCreateStatement;

use super::diff::{Change, InTheWay, declared, squeezed};
use super::difference::Impact;
use super::inspect::{ForeignKeysOff, SessionLock, SyncLock, Wanted};
use super::statement::{Statement, UniqueNulls};
use crate::introspect::{ColumnReport, Introspection, TableReport};
use crate::{Error, ErrorKind, Result};

/// Delegates a method to the base of the dialect, if it has one.
macro_rules! inherit {
    ($dialect:ident.$hook:ident($($argument:ident),*)) => {
        if let Some(base) = $dialect.ddl_base() {
            return base.$hook($($argument),*);
        }
    };
}

/// Whose column is spelled: that of a table which is made, or one that a table with rows gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnOf {
    /// A table that is created with the column.
    NewTable,
    /// A table that is there, to which the column is added.
    OldTable,
}

/// What happens to a row that others refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReferenceEvent {
    /// It is deleted.
    Delete,
    /// Its key changes.
    Update,
}

/// How an engine spells what [`Ddl`](super::Ddl) generates.
///
/// A variant of a dialect inherits from its [`ddl_base`](Self::ddl_base) what it does not define itself.
pub trait Spelling: Dialect {
    /// The [base](Dialect::base) of the dialect, if it has one.
    fn ddl_base(&self) -> Option<&dyn Spelling> {
        None
    }

    /// The SQL type of a column.
    ///
    /// # Errors
    /// The engine has no type that holds the column's values.
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>>;

    /// The large object type to use for a column that does not fit into the row; `None` if the engine has no such
    /// limit.
    fn off_row(&self, entity: &Entity, column: &Column, of: ColumnOf) -> Option<&'static str> {
        inherit!(self.off_row(entity, column, of));
        None
    }

    /// The maximal size in bytes of a column in a key or an index; `None` if it cannot be indexed.
    fn index_bytes(&self, column: &Column) -> Option<u32> {
        inherit!(self.index_bytes(column));
        Some(0)
    }

    /// The maximal size in bytes of all columns of a key or an index.
    fn index_limit(&self) -> u32 {
        inherit!(self.index_limit());
        u32::MAX
    }

    /// The SQL type of an identity column.
    ///
    /// # Errors
    /// The engine has no type that holds the column's values.
    fn numbered_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        inherit!(self.numbered_type(column));
        self.column_type(column)
    }

    /// The clause that makes a column an identity column.
    ///
    /// # Errors
    /// The engine does not support this kind of numbering.
    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>>;

    /// The text that follows the name of a generated column: its type `ty`, computed by the expression `text`.
    fn computed(&self, column: &Column, ty: &str, text: &str) -> String;

    /// The default of a column without parentheses, where an engine that otherwise needs them does not accept them.
    fn bare_default(&self, ty: &str, text: &str) -> Option<String> {
        inherit!(self.bare_default(ty, text));
        None
    }

    /// Whether a column that is added to a table may only have a constant default.
    fn adds_constants_only(&self) -> bool {
        inherit!(self.adds_constants_only());
        false
    }

    /// The literal for true or false.
    fn truth(&self, truth: bool) -> &'static str {
        inherit!(self.truth(truth));
        if truth { "1" } else { "0" }
    }

    /// The literal for an empty array.
    fn empty_array(&self) -> &'static str {
        inherit!(self.empty_array());
        "'[]'"
    }

    /// The value that existing rows get in an added column that is never NULL and has no default.
    ///
    /// # Errors
    /// There is no such value for the column's type.
    fn filler(&self, column: &Column) -> Result<&'static str> {
        inherit!(self.filler(column));
        Ok(self.standard_filler(column))
    }

    /// The default implementation of [`filler`](Self::filler), which suits most engines.
    fn standard_filler(&self, column: &Column) -> &'static str {
        inherit!(self.standard_filler(column));
        match column.ty.base.family() {
            _ if column.ty.array => self.empty_array(),
            Family::Boolean => self.truth(false),
            Family::Integer | Family::Decimal | Family::Float => "0",
            Family::Date => "'1900-01-01'",
            Family::DateTime => "'1900-01-01 00:00:00'",
            Family::DateTimeOffset => "'1900-01-01 00:00:00+00:00'",
            Family::Time => "'00:00:00'",
            Family::Guid => "'00000000-0000-0000-0000-000000000000'",
            Family::Json => "'{}'",
            _ => "''",
        }
    }

    /// Adds what a table needs besides its columns and key.
    fn finish(&self, create: &mut TableCreateStatement, number: Option<&Number<'_>>) {
        inherit!(self.finish(create, number));
    }

    /// A statement to run before the table is made, for the column that the database numbers.
    fn before(&self, number: &Number<'_>) -> Option<String> {
        inherit!(self.before(number));
        None
    }

    /// A statement to run when the table is gone, for the column that the database numbered.
    fn behind(&self, number: &Number<'_>) -> Option<String> {
        inherit!(self.behind(number));
        None
    }

    /// A statement to run after the table was created, for its identity column.
    fn after(&self, parts: &[&str], number: &Number<'_>) -> Option<String> {
        inherit!(self.after(parts, number));
        None
    }

    /// Whether a line of a literal that ends in a backslash goes on in the next one, without the two characters between.
    fn joins_lines(&self) -> bool {
        inherit!(self.joins_lines());
        false
    }

    /// Whether a table may be reached on one way only by what cascades from another one, and not from itself.
    fn cascades_once(&self) -> bool {
        inherit!(self.cascades_once());
        false
    }

    /// What refuses a change of a column that it names.
    fn in_the_way(&self, change: Change, from: &ColumnReport, to: &ColumnReport) -> InTheWay {
        inherit!(self.in_the_way(change, from, to));
        InTheWay::default()
    }

    /// What a unique index makes of NULLs.
    fn unique_nulls(&self) -> UniqueNulls {
        inherit!(self.unique_nulls());
        UniqueNulls::Distinct
    }

    /// Whether an index may be over some of the rows.
    fn has_partial_indexes(&self) -> bool {
        inherit!(self.has_partial_indexes());
        true
    }

    /// Whether a foreign key says what becomes of the rows in that case.
    fn has_action(&self, action: ReferenceAction, of: ReferenceEvent) -> bool {
        inherit!(self.has_action(action, of));
        true
    }

    /// Whether a foreign key may be looked at when a transaction ends.
    fn has_deferred_keys(&self) -> bool {
        inherit!(self.has_deferred_keys());
        false
    }

    /// Whether a foreign key looks for a table without a schema in that of its own table, and not where statements look.
    fn refers_beside(&self) -> bool {
        inherit!(self.refers_beside());
        false
    }

    /// Returns whether the columns of a foreign key have to have the types and collations of those that they refer to.
    fn refers_by_type(&self) -> bool {
        inherit!(self.refers_by_type());
        false
    }

    /// The collation of the texts of a table that is made, if its statement says one.
    fn table_collation(&self) -> Option<&'static str> {
        inherit!(self.table_collation());
        None
    }

    /// Returns whether the column that the database numbers has an index from the start, in the statement that makes its table.
    fn indexes_numbers(&self) -> bool {
        inherit!(self.indexes_numbers());
        false
    }

    /// The statement that gives the sequence of a column the column's new type, where a sequence has one.
    fn sequence_type(&self, sequence: &str, ty: &str) -> Option<String> {
        inherit!(self.sequence_type(sequence, ty));
        let _ = (sequence, ty);
        None
    }

    /// The statement that makes another index of one, by its name and the statement that makes the new one, where a foreign key may
    /// need an index at each moment.
    fn replace_index(&self, parts: &[&str], name: &str, create: &str) -> Option<String> {
        inherit!(self.replace_index(parts, name, create));
        let _ = (parts, name, create);
        None
    }

    /// Whether a primary key has a name, by which it is dropped.
    fn names_keys(&self) -> bool {
        inherit!(self.names_keys());
        true
    }

    /// The name of the primary key of a table that is declared without one, if the engine always makes the same.
    fn made_key_name(&self, table: &str) -> Option<String> {
        inherit!(self.made_key_name(table));
        None
    }

    /// The statement that makes of the comment on a table, or on a column of it, another one; `None` where there is nothing to
    /// change, where the comment on a column is part of the column, and where the engine has no comments.
    fn comment_on(&self, table: &[&str], column: Option<&str>, from: Option<&str>, to: Option<&str>) -> Option<String> {
        inherit!(self.comment_on(table, column, from, to));
        None
    }

    /// Whether the statement that makes a table or a column has the comment on it.
    fn comments_within(&self) -> bool {
        inherit!(self.comments_within());
        false
    }

    /// How long a comment may be, on a table or on a column, in what the limit of names counts.
    fn comment_limit(&self, of_column: bool) -> usize {
        inherit!(self.comment_limit(of_column));
        usize::MAX
    }

    /// The maximal number of parts in a table's name.
    fn name_parts(&self) -> usize {
        inherit!(self.name_parts());
        2
    }

    /// Queries of the engine's catalog for the column names and index names of a table, whose name has one or more
    /// parts. If equality of names is decided by the database, they return a wanted name as it is written in `wanted`.
    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>);

    /// The queries that tell what a schema has, if its catalog is read.
    fn questions(&self) -> Option<Introspection> {
        inherit!(self.questions());
        None
    }

    /// Whether names of columns and indexes that differ only in case are equal.
    fn ignores_case(&self) -> bool {
        inherit!(self.ignores_case());
        false
    }

    /// How concurrent changes of tables are prevented.
    fn lock(&self) -> SyncLock;

    /// The lock of [`lock`](Self::lock) for a session, if the engine has it for one.
    fn session_lock(&self) -> Option<SessionLock> {
        inherit!(self.session_lock());
        None
    }

    /// How foreign keys are turned off while a table is replaced, on an engine whose `ALTER TABLE` changes little.
    fn foreign_keys_off(&self) -> Option<ForeignKeysOff> {
        inherit!(self.foreign_keys_off());
        None
    }

    /// The SQL text of a statement.
    fn spell(&self, statement: &Statement) -> String;

    /// A type as introspection says it, of one that is declared or reported, so that two spellings of one are equal.
    fn reported_type(&self, ty: &str) -> String {
        inherit!(self.reported_type(ty));
        squeezed(ty)
    }

    /// A default with the texts in it by their values, so that two spellings of one are equal.
    fn reported_default(&self, text: &str) -> String {
        inherit!(self.reported_default(text));
        text.to_owned()
    }

    /// What a column of that type makes of its values, on an engine that has many names for few types; `None` if types differ by
    /// [`reported_type`](Self::reported_type).
    fn affinity(&self, ty: &str) -> Option<&'static str> {
        inherit!(self.affinity(ty));
        None
    }

    /// Makes of a table as it is declared what introspection says of it, apart from types.
    fn reported(&self, table: &mut TableReport) {
        inherit!(self.reported(table));
    }

    /// The statements that change a column; `None` if the engine has none, so that the table is replaced.
    fn alter_column(&self, table: &str, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
        inherit!(self.alter_column(table, change, from, to));
        None
    }

    /// The definition of a column that was dropped and comes back, but for its name and comment; `None` where [`declared`] is.
    fn column_again(&self, column: &ColumnReport) -> Option<String> {
        inherit!(self.column_again(column));
        declared(column)
    }

    /// The statements that drop a column.
    fn drop_column(&self, table: &str, column: &str) -> Vec<String> {
        inherit!(self.drop_column(table, column));
        vec![format!("ALTER TABLE {table} DROP COLUMN {column}")]
    }

    /// The statement that drops a constraint of a table: a foreign key or a check.
    fn drop_constraint(&self, table: &str, name: &str, is_foreign: bool) -> String {
        inherit!(self.drop_constraint(table, name, is_foreign));
        format!("ALTER TABLE {table} DROP CONSTRAINT {}", self.sheet().quotes.quoted([name]))
    }

    /// The statement that drops an index of a table, or a unique key; `None` if the engine has none.
    fn drop_index(&self, parts: &[&str], name: &str, is_key: bool) -> Option<String> {
        inherit!(self.drop_index(parts, name, is_key));
        let quotes = self.sheet().quotes;
        let (_, schema) = parts.split_last()?;
        Some(if is_key {
            format!("ALTER TABLE {} DROP CONSTRAINT {}", quotes.quoted(parts.iter().copied()), quotes.quoted([name]))
        } else {
            format!("DROP INDEX {}", quotes.quoted(schema.iter().copied().chain([name])))
        })
    }

    /// What a change does to a table in use, in this version of the engine, apart from the data that it loses.
    fn impact(&self, change: Change, from: Option<&ColumnReport>, to: Option<&ColumnReport>) -> Impact {
        inherit!(self.impact(change, from, to));
        Impact::default()
    }
}

impl<B: Spelling + Clone + Eq> Spelling for Variant<B> {
    fn ddl_base(&self) -> Option<&dyn Spelling> {
        Some(self.inherited())
    }

    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        self.inherited().column_type(column)
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        self.inherited().identity(number)
    }

    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        self.inherited().computed(column, ty, text)
    }

    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        self.inherited().catalog(parts, wanted)
    }

    fn lock(&self) -> SyncLock {
        Spelling::lock(self.inherited())
    }

    fn spell(&self, statement: &Statement) -> String {
        self.inherited().spell(statement)
    }
}

/// An identity column: one that the database numbers.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Number<'a> {
    /// The dialect that errors name.
    pub dialect: &'a dyn Dialect,
    /// The parts of the table's name.
    pub table: &'a [String],
    /// The column.
    pub column: &'a Column,
    /// How it is numbered.
    pub identity: &'a Identity,
    /// Whether it is the only column of the primary key.
    pub is_key: bool,
    /// Whether an index begins with it: the key's, or its own.
    pub is_indexed: bool,
}

impl Number<'_> {
    /// The clause of the SQL standard: `GENERATED .. AS IDENTITY`.
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

    /// The program's own expression, such as the next value of a sequence, as the column's default.
    #[must_use]
    pub fn default(&self) -> Option<Cow<'static, str>> {
        self.identity.expression.as_ref().map(|expression| format!("DEFAULT {expression}").into())
    }

    /// Refuses an identity expression, for an engine that does not support one.
    ///
    /// # Errors
    /// The column has such an expression.
    pub fn by_itself(&self) -> Result<()> {
        if self.identity.expression.is_none() {
            return Ok(());
        }
        Err(refused(format!(
            "{} numbers rows by itself: leave the identity expression of `{}` out",
            self.dialect.label(),
            self.column.name
        )))
    }

    /// Refuses an increment, for an engine that counts by one only.
    ///
    /// # Errors
    /// The increment is not one.
    pub fn by_one(&self) -> Result<()> {
        if self.identity.increment == 1 {
            return Ok(());
        }
        let (name, increment) = (&self.column.name, self.identity.increment);
        Err(refused(format!(
            "{} numbers by 1 and not by {increment}: give `{name}` the increment 1",
            self.dialect.label()
        )))
    }

    /// Refuses a start below one, for an engine whose numbers begin at 1.
    ///
    /// # Errors
    /// The start is below 1.
    pub fn from_one(&self) -> Result<()> {
        if self.identity.start >= 1 {
            return Ok(());
        }
        let (name, start) = (&self.column.name, self.identity.start);
        Err(refused(format!(
            "{} numbers from 1 on and not from {start}: give `{name}` a start above 0",
            self.dialect.label()
        )))
    }
}

/// Quotes a name in a dialect, or a table's name of several parts.
#[must_use]
pub fn quoted<'n>(dialect: &dyn Dialect, parts: impl IntoIterator<Item = &'n str>) -> String {
    dialect.sheet().quotes.quoted(parts)
}

/// `COMMENT ON`, as several engines have it; an empty text takes the comment away.
#[must_use]
pub fn comment_on(
    dialect: &dyn Dialect,
    table: &[&str],
    column: Option<&str>,
    from: Option<&str>,
    to: Option<&str>,
) -> Option<String> {
    let text = to.or(from.map(|_| ""))?;
    let kind = if column.is_some() { "COLUMN" } else { "TABLE" };
    let name = quoted(dialect, table.iter().copied().chain(column));
    Some(format!("COMMENT ON {kind} {name} IS '{}'", Quotes::LITERAL.doubled(text)))
}

/// The error of what the engine cannot have.
pub(super) fn refused(why: String) -> Error {
    Error::new(ErrorKind::Compile, why)
}

/// The length of a column in characters or bytes; `None` if it is over 4,000 and the column is a large object.
#[must_use]
pub fn length(column: &Column) -> Option<u32> {
    Some(column.length.unwrap_or(255)).filter(|length| *length <= 4_000)
}

/// Whether the text of a default is a literal or NULL, and so the same for each row.
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

/// The precision and scale of a decimal column; `None` for a `VarNumeric` without digits, whose type is the widest decimal of the
/// engine.
#[must_use]
pub fn digits(column: &Column) -> Option<(u8, u8)> {
    match (column.precision, column.ty.base) {
        (Some(precision), _) => Some((precision, column.scale.unwrap_or(0))),
        // A number that is counted is a whole one.
        (None, _) if column.identity.is_some() => Some((18, 0)),
        (None, T::Currency) => Some((19, 4)),
        (None, T::VarNumeric) => None,
        (None, _) => Some((18, 2)),
    }
}

/// The type of a time column with its fractional digits, if the definition gives a precision: `timestamp(0)`.
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
