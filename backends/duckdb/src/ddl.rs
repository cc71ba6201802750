//! How DuckDB spells tables.
//!
//! There are no identity columns: a number that the database gives is the next one of a sequence, which comes and goes with its
//! table. A text has no greatest length, and a time all of its digits.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, ReferenceAction};
use isogloss_driver::Result;
use isogloss_driver::ddl::{
    IndexSchema, Number, ReferenceEvent, Spelling, Statement, Style, SyncLock, Wanted, asked, comment_on, digits,
    quoted,
};

use crate::DuckDb;

const STYLE: Style = Style { quotes: Quotes('"', '"'), add: (" ADD COLUMN ", ""), index_schema: IndexSchema::OfTable };

/// What keeps NULL out of a column.
const NOT_NULL: &str = " NOT NULL";

/// The sequence of a column that the database numbers.
fn sequence(number: &Number<'_>) -> String {
    let (table, schema) = match number.table.split_last() {
        Some((table, schema)) => (table.as_str(), schema),
        None => ("", number.table),
    };
    let name = format!("{table}_{}_seq", number.column.column);
    quoted(&DuckDb::default(), schema.iter().map(String::as_str).chain([name.as_str()]))
}

impl Spelling for DuckDb {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        Ok(match column.ty.base {
            _ if column.ty.array => "JSON".into(),
            T::Xml => "VARCHAR".into(),
            T::UInt64 => "UBIGINT".into(),
            decimal if decimal.is_decimal() => match digits(column) {
                Some((precision, scale)) => format!("DECIMAL({precision}, {scale})").into(),
                None => self.cast_type(column.ty)?.into(),
            },
            _ => self.cast_type(column.ty)?.into(),
        })
    }

    fn numbered_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        let whole = column.ty.base == T::UInt64 || column.ty.base.is_decimal();
        if whole { Ok("BIGINT".into()) } else { self.column_type(column) }
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        let next = || format!("DEFAULT NEXTVAL('{}')", sequence(number).replace('\'', "''")).into();
        Ok(number.default().unwrap_or_else(next))
    }

    fn before(&self, number: &Number<'_>) -> Option<String> {
        number.default().is_none().then(|| {
            let (start, by) = (number.identity.start, number.identity.increment);
            // Unless told otherwise, the numbers going up begin at 1, and those going down at -1.
            let bound = match by {
                1.. if start < 1 => format!(" MINVALUE {start}"),
                ..=-1 if start > -1 => format!(" MAXVALUE {start}"),
                _ => String::new(),
            };
            format!("CREATE SEQUENCE IF NOT EXISTS {} INCREMENT BY {by}{bound} START WITH {start}", sequence(number))
        })
    }

    fn behind(&self, number: &Number<'_>) -> Option<String> {
        number.default().is_none().then(|| format!("DROP SEQUENCE IF EXISTS {}", sequence(number)))
    }

    /// None is stored.
    fn computed(&self, _: &Column, ty: &str, text: &str) -> String {
        format!("{ty} GENERATED ALWAYS AS ({text}) VIRTUAL")
    }

    fn truth(&self, truth: bool) -> &'static str {
        if truth { "TRUE" } else { "FALSE" }
    }

    fn name_parts(&self) -> usize {
        3
    }

    fn catalog(&self, parts: &[&str], _: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        let (database, schema, table) = match parts {
            [database, schema, table] => (*database, *schema, *table),
            [schema, table] => ("", *schema, *table),
            parts => ("", "", parts.last().copied().unwrap_or_default()),
        };
        let of = "LOWER(table_name) = LOWER($1) AND LOWER(schema_name) = LOWER(COALESCE($2, CURRENT_SCHEMA())) \
                  AND LOWER(database_name) = LOWER(COALESCE($3, CURRENT_DATABASE()))";
        let names = |name: &str, from: &str| {
            asked(format!("SELECT {name} FROM {from}() WHERE {of}"), &[table, schema, database])
        };
        (names("column_name", "DUCKDB_COLUMNS"), names("index_name", "DUCKDB_INDEXES"))
    }

    fn ignores_case(&self) -> bool {
        true
    }

    /// Of two transactions that change the same the second fails at once.
    fn lock(&self) -> SyncLock {
        SyncLock::None
    }

    fn has_partial_indexes(&self) -> bool {
        false
    }

    /// It drops none.
    fn names_keys(&self) -> bool {
        false
    }

    /// It adds no foreign key to a table that is there.
    fn has_action(&self, _: ReferenceAction, _: ReferenceEvent) -> bool {
        false
    }

    /// A column is added without a constraint, and gets it when the rows have their value.
    fn comment_on(&self, table: &[&str], column: Option<&str>, from: Option<&str>, to: Option<&str>) -> Option<String> {
        comment_on(self, table, column, from, to)
    }

    fn spell(&self, statement: &Statement) -> String {
        let text = statement.build_styled(&STYLE);
        match (statement, text.strip_suffix(NOT_NULL), text.split_once(" ADD COLUMN ")) {
            (Statement::AddColumn { column, .. }, Some(bare), Some((alter, _))) => {
                let name = quoted(self, [column.get_column_name().as_str()]);
                format!("{bare}; {alter} ALTER COLUMN {name} SET NOT NULL")
            }
            _ => text,
        }
    }
}
