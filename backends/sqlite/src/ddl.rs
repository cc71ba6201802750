//! How SQLite spells tables.
//!
//! Its types say how a value is stored, and limit nothing. A decimal is a double: as `NUMERIC` a whole one would become a
//! whole number, and the quotient of two of those is cut.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::Quotes;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::ddl::{
    Change, ForeignKeysOff, Impact, IndexSchema, Lock, Number, Spelling, Statement, Style, SyncLock, Wanted, asked,
    quoted,
};
use isogloss_driver::introspect::{ColumnReport, Filled, Introspection, TableReport};
use isogloss_driver::{Error, ErrorKind, Result};
use sea_query::SqliteQueryBuilder;

use crate::{Sqlite, introspect};

/// For indexes, which sea-query's builder makes on tables without a schema only.
const STYLE: Style = Style { quotes: Quotes('"', '"'), add: (" ADD COLUMN ", ""), index_schema: IndexSchema::OfIndex };

impl Spelling for Sqlite {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        Ok(Cow::Borrowed(match column.ty.base {
            _ if column.ty.array => "TEXT",
            // A key that is called INTEGER is the number of its row, and has no default.
            number if number.is_integer() || number == T::Boolean => {
                if column.primary_key && column.default.is_some() {
                    "INT"
                } else {
                    "INTEGER"
                }
            }
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
        number.by_itself()?;
        number.by_one()?;
        number.from_one()?;
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
        let table = Quotes::LITERAL.quoted([*table]);
        Some(format!("INSERT INTO {sequence} (name, seq) VALUES ({table}, {before})"))
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

    fn has_deferred_keys(&self) -> bool {
        true
    }

    /// The name that it takes names nothing.
    fn names_keys(&self) -> bool {
        false
    }

    fn questions(&self) -> Option<Introspection> {
        Some(introspect::QUESTIONS)
    }

    fn lock(&self) -> SyncLock {
        SyncLock::Transaction
    }

    /// `DROP TABLE` deletes the rows first, which would cascade, and what is set in a transaction has no effect.
    fn foreign_keys_off(&self) -> Option<ForeignKeysOff> {
        Some(ForeignKeysOff {
            off: "PRAGMA foreign_keys = OFF",
            check: "SELECT \"table\" FROM pragma_foreign_key_check",
            // The other one is still on where the transaction has ended within a replacement.
            on: "PRAGMA foreign_keys = ON; PRAGMA legacy_alter_table = OFF",
        })
    }

    fn spell(&self, statement: &Statement) -> String {
        match statement {
            Statement::Index { .. } => statement.build_styled(&STYLE),
            other => other.build(SqliteQueryBuilder),
        }
    }

    /// The declared text, in any case.
    fn reported_type(&self, ty: &str) -> String {
        ty.trim().to_ascii_uppercase()
    }

    /// By SQLite's own rules in their order, with one word for `INTEGER` and `NUMERIC`, which differ in casts alone.
    fn affinity(&self, ty: &str) -> Option<&'static str> {
        let ty = ty.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| ty.contains(word));
        Some(match () {
            () if has(&["INT"]) => "NUMERIC",
            () if has(&["CHAR", "CLOB", "TEXT"]) => "TEXT",
            () if has(&["BLOB"]) || ty.trim().is_empty() => "BLOB",
            () if has(&["REAL", "FLOA", "DOUB"]) => "REAL",
            () => "NUMERIC",
        })
    }

    /// A key that is a whole number is the row's number, where rows have one.
    fn reported(&self, table: &mut TableReport) {
        let [key] = table.primary_key.as_slice() else { return };
        if table.options.iter().any(|option| option.eq_ignore_ascii_case("WITHOUT ROWID")) {
            return;
        }
        if let Some(column) = table.columns.iter_mut().find(|column| column.name == *key)
            && column.engine_type.eq_ignore_ascii_case("INTEGER")
        {
            column.filled = Filled::Identity { start: 1, increment: 1 };
        }
    }

    /// A unique key stands in the text of the table.
    fn drop_index(&self, parts: &[&str], name: &str, is_key: bool) -> Option<String> {
        let (_, schema) = parts.split_last().filter(|_| !is_key)?;
        Some(format!("DROP INDEX {}", quoted(self, schema.iter().copied().chain([name]))))
    }

    /// It has one writer at a time, and readers go on.
    fn impact(&self, change: Change, _: Option<&ColumnReport>, _: Option<&ColumnReport>) -> Impact {
        match change {
            Change::Replace => Impact::rewriting(Lock::Writes),
            Change::DropColumn => {
                Impact::rewriting(Lock::Writes).note("it fails while a CHECK or a trigger names the column")
            }
            Change::CreateIndex => Impact::locking(Lock::Writes),
            _ => Impact::default(),
        }
    }
}
