//! How SQLite spells tables.
//!
//! Its types say how a value is stored, and limit nothing. A decimal is a double: as `NUMERIC` a whole one would become a
//! whole number, and the quotient of two of those is cut.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::ddl::{Number, Spelling, Statement, Style, SyncLock, Wanted, asked, quoted};
use isogloss_driver::{Error, ErrorKind, Result};
use sea_query::SqliteQueryBuilder;

use crate::Sqlite;

/// For indexes, which sea-query's builder makes on tables without a schema only.
const STYLE: Style = Style { quotes: Quotes('"', '"'), add: (" ADD COLUMN ", ""), index_in_schema: true };

impl Spelling for Sqlite {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        Ok(Cow::Borrowed(match column.ty.base {
            _ if column.ty.array => "TEXT",
            number if number.is_integer() || number == T::Boolean => "INTEGER",
            number if number.is_number() => "REAL",
            T::Binary => "BLOB",
            _ => "TEXT",
        }))
    }

    /// A whole number is the only one that it numbers.
    fn numbered_type(&self, _: &Column) -> Result<Cow<'static, str>> {
        Ok("INTEGER".into())
    }

    /// Only the key is numbered, and only by 1.
    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        number.by_itself(self)?;
        number.by_one(self)?;
        number.from_one(self)?;
        if number.is_key {
            return Ok("AUTOINCREMENT".into());
        }
        let why = format!("SQLite numbers nothing but a primary key of one column: make `{}` that", number.column.name);
        Err(Error::new(ErrorKind::Compile, why))
    }

    fn computed(&self, _: &Column, ty: &str, text: &str) -> String {
        // A stored one cannot be added to a table.
        format!("{ty} GENERATED ALWAYS AS ({text}) VIRTUAL")
    }

    fn after(&self, parts: &[&str], number: &Number<'_>) -> Option<String> {
        let (table, schema) = parts.split_last().filter(|_| number.identity.start != 1)?;
        let sequence = quoted(self, schema.iter().copied().chain(["sqlite_sequence"]));
        let before = number.identity.start.saturating_sub(1);
        Some(format!("INSERT INTO {sequence} (name, seq) VALUES ('{}', {before})", table.replace('\'', "''")))
    }

    fn adds_constants_only(&self) -> bool {
        true
    }

    fn filler(&self, column: &Column) -> Result<&'static str> {
        Ok(if column.ty.base == T::Binary { "X''" } else { self.standard_filler(column) })
    }

    fn catalog(&self, parts: &[&str], _: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        let (schema, table) = match parts {
            [schema, table] => (*schema, *table),
            parts => ("", parts.last().copied().unwrap_or_default()),
        };
        // The longer list has generated columns, too.
        let columns = "SELECT name FROM pragma_table_xinfo(?2, ?1)";
        let indexes = "SELECT name FROM pragma_index_list(?2, ?1)";
        (asked(columns, &[schema, table]), asked(indexes, &[schema, table]))
    }

    fn ignores_case(&self) -> bool {
        true
    }

    fn lock(&self) -> SyncLock {
        SyncLock::Transaction
    }

    fn spell(&self, statement: &Statement) -> String {
        match statement {
            Statement::Index { .. } => statement.build_styled(&STYLE),
            other => other.build(SqliteQueryBuilder),
        }
    }
}
