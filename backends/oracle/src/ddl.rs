//! How Oracle spells tables.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::{Dialect as _, Quotes};
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::{Column, ReferenceAction};
use isogloss_driver::ddl::{
    Change, Impact, InTheWay, IndexSchema, Lock, Number, ReferenceEvent, Spelling, Statement, Style, SyncLock,
    UniqueNulls, Wanted, asked, comment_on, digits, length, squeezed,
};
use isogloss_driver::introspect::{ColumnReport, Filled, Introspection};
use isogloss_driver::{Error, ErrorKind, Result};

use crate::{Oracle, introspect};

const STYLE: Style = Style { quotes: Quotes('"', '"'), add: (" ADD (", ")"), index_schema: IndexSchema::OfBoth };

/// The most bytes of a RAW.
const RAW: u32 = 2_000;

/// The most bytes of a key or an index, in a tablespace with blocks of 8 KiB.
const INDEX: u32 = 6_398;

impl Spelling for Oracle {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        let seconds = column.seconds().unwrap_or(6);
        Ok(match column.ty.base {
            _ if column.ty.array => "CLOB".into(),
            T::Object => "CLOB".into(),
            T::Xml => "XMLTYPE".into(),
            T::Binary => match length(column).filter(|length| *length <= RAW) {
                Some(length) => format!("RAW({length})").into(),
                None => "BLOB".into(),
            },
            // CHAR: a length in characters, whatever the session says.
            text if text.is_text() => {
                length(column).map_or("CLOB".into(), |length| format!("VARCHAR2({length} CHAR)").into())
            }
            decimal if decimal.is_decimal() => match digits(column) {
                Some((precision, scale)) => format!("NUMBER({precision}, {scale})").into(),
                None => self.cast_type(column.ty)?.into(),
            },
            T::DateTime | T::DateTime2 => format!("TIMESTAMP({seconds})").into(),
            T::DateTimeOffset => format!("TIMESTAMP({seconds}) WITH TIME ZONE").into(),
            T::Time => format!("INTERVAL DAY(0) TO SECOND({seconds})").into(),
            T::Json | T::Jsonb if self.version() < Self::V21.version() => "CLOB".into(),
            T::Json | T::Jsonb => "JSON".into(),
            _ => self.cast_type(column.ty)?.into(),
        })
    }

    fn index_bytes(&self, column: &Column) -> Option<u32> {
        let ty = self.column_type(column).ok()?;
        let large = matches!(&*ty, "CLOB" | "BLOB" | "JSON" | "XMLTYPE");
        // ORA-02329
        if column.ty.base == T::DateTimeOffset && (column.primary_key || column.is_unique) {
            return None;
        }
        let bytes = match column.ty.base {
            text if text.is_text() => length(column)?.saturating_mul(4).min(4_000),
            T::Binary => length(column)?,
            // A number has the most.
            _ => 22,
        };
        (!large).then_some(bytes)
    }

    fn index_limit(&self) -> u32 {
        INDEX
    }

    /// A sequence of the program's own is the column's default.
    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        Ok(number.default().unwrap_or_else(|| number.standard().into()))
    }

    /// A text has the length of its expression, which the column's own may not be under.
    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        let ty = if column.ty.base.is_text() { "" } else { ty };
        format!("{ty} GENERATED ALWAYS AS ({text}) VIRTUAL").trim_start().to_owned()
    }

    fn truth(&self, truth: bool) -> &'static str {
        match (self.has_booleans(), truth) {
            (true, true) => "TRUE",
            (true, false) => "FALSE",
            (false, true) => "1",
            (false, false) => "0",
        }
    }

    /// The empty text is NULL there, unless it is a large object.
    fn filler(&self, column: &Column) -> Result<&'static str> {
        let ty = self.column_type(column)?;
        let text = column.ty.base.is_text() || matches!(column.ty.base, T::Binary | T::Object);
        Ok(match column.ty.base {
            _ if text && !column.ty.array && ty == "CLOB" => "EMPTY_CLOB()",
            _ if text && !column.ty.array && ty == "BLOB" => "EMPTY_BLOB()",
            _ if text && !column.ty.array => {
                let why = "is never NULL, and Oracle has no empty text for the rows that are there";
                let what = "give it a default, or make it nullable";
                return Err(Error::new(ErrorKind::Compile, format!("`{}` {why}: {what}", column.name)));
            }
            T::Date => "DATE '1900-01-01'",
            T::DateTime | T::DateTime2 => "TIMESTAMP '1900-01-01 00:00:00'",
            T::DateTimeOffset => "TIMESTAMP '1900-01-01 00:00:00 +00:00'",
            T::Time => "INTERVAL '0' SECOND",
            T::Guid => "HEXTORAW('00000000000000000000000000000000')",
            _ => self.standard_filler(column),
        })
    }

    fn catalog(&self, parts: &[&str], _: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        let (schema, table) = match parts {
            [schema, table] => (*schema, *table),
            parts => ("", parts.last().copied().unwrap_or_default()),
        };
        let owner = "COALESCE(:1, SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'))";
        let columns = format!("SELECT column_name FROM all_tab_columns WHERE owner = {owner} AND table_name = :2");
        let indexes = format!("SELECT index_name FROM all_indexes WHERE table_owner = {owner} AND table_name = :2");
        (asked(columns, &[schema, table]), asked(indexes, &[schema, table]))
    }

    fn comment_limit(&self, _: bool) -> usize {
        4_000
    }

    fn comment_on(&self, table: &[&str], column: Option<&str>, from: Option<&str>, to: Option<&str>) -> Option<String> {
        comment_on(self, table, column, from, to)
    }

    fn questions(&self) -> Option<Introspection> {
        Some(introspect::QUESTIONS)
    }

    /// DBMS_LOCK has to be granted.
    fn lock(&self) -> SyncLock {
        SyncLock::None
    }

    fn spell(&self, statement: &Statement) -> String {
        statement.build_styled(&STYLE)
    }

    fn has_partial_indexes(&self) -> bool {
        false
    }

    fn unique_nulls(&self) -> UniqueNulls {
        UniqueNulls::EqualBesideOthers
    }

    fn has_deferred_keys(&self) -> bool {
        true
    }

    /// It knows ON DELETE CASCADE and SET NULL.
    fn has_action(&self, action: ReferenceAction, of: ReferenceEvent) -> bool {
        match action {
            ReferenceAction::NoAction => true,
            ReferenceAction::Restrict => false,
            ReferenceAction::Cascade | ReferenceAction::SetNull => of == ReferenceEvent::Delete,
        }
    }

    /// ORA-30556.
    fn in_the_way(&self, change: Change, _: &ColumnReport, _: &ColumnReport) -> InTheWay {
        let expressions = matches!(change, Change::Type { .. } | Change::Nullable);
        InTheWay { expressions, ..InTheWay::default() }
    }

    /// Only what changes is said: a column that is NOT NULL is not made so again.
    fn alter_column(&self, table: &str, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
        let name = STYLE.quotes.quoted([to.name.as_str()]);
        let text = match (change, &to.filled) {
            // ORA-22858, also in an empty table.
            (Change::Type { .. }, _) if is_large(from) || is_large(to) => return None,
            (Change::Type { .. }, _) => to.engine_type.clone(),
            (Change::Nullable, _) => if to.nullable { "NULL" } else { "NOT NULL" }.to_owned(),
            (Change::Default, Filled::Default(text)) => format!("DEFAULT {text}"),
            (Change::Default, _) => "DEFAULT NULL".to_owned(),
            _ => return None,
        };
        Some(vec![format!("ALTER TABLE {table} MODIFY ({name} {text})")])
    }

    fn impact(&self, change: Change, _: Option<&ColumnReport>, to: Option<&ColumnReport>) -> Impact {
        match change {
            Change::Type { widens: false } => Impact::locking(Lock::ReadsAndWrites).note(
                "most types change only while the column is empty: add a second one, fill it, and exchange the names",
            ),
            Change::DropColumn => {
                Impact::rewriting(Lock::ReadsAndWrites).note("online: SET UNUSED at once, DROP UNUSED COLUMNS later")
            }
            Change::Nullable if to.is_some_and(|column| !column.nullable) => {
                Impact::locking(Lock::Writes).note("it reads all rows; online: ENABLE NOVALIDATE, then ENABLE VALIDATE")
            }
            Change::AddConstraint | Change::AddCheck => {
                Impact::locking(Lock::Writes).note("it reads all rows; online: ENABLE NOVALIDATE, then ENABLE VALIDATE")
            }
            Change::CreateIndex => {
                Impact::locking(Lock::Writes).note("online: CREATE INDEX .. ONLINE, in Enterprise Edition")
            }
            _ => Impact::default(),
        }
    }
}

/// Whether the values of a column lie beside the rows.
fn is_large(column: &ColumnReport) -> bool {
    let ty = squeezed(&column.engine_type);
    ["clob", "nclob", "blob", "bfile", "json", "xmltype"].contains(&ty.as_str()) || ty.starts_with("long")
}
