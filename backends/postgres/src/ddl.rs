//! How PostgreSQL spells tables.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::Dialect as _;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::Result;
use isogloss_driver::ddl::{Number, Spelling, Statement, SyncLock, Wanted, asked, digits, length, quoted, timed};
use sea_query::PostgresQueryBuilder;

use crate::Postgres;

impl Spelling for Postgres {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        Ok(match column.ty.base {
            // An array's items have no length: `varchar[]` is not comparable with the `text[]` of a parameter.
            _ if column.ty.array => self.cast_type(column.ty)?.into(),
            T::Xml => "xml".into(),
            text if text.is_text() => {
                length(column).map_or("text".into(), |length| format!("varchar({length})").into())
            }
            decimal if decimal.is_decimal() => {
                let (precision, scale) = digits(column);
                format!("numeric({precision}, {scale})").into()
            }
            T::UInt64 => "numeric(20)".into(),
            _ => timed(self.cast_type(column.ty)?, column),
        })
    }

    /// JSON and XML have no order.
    fn index_bytes(&self, column: &Column) -> Option<u32> {
        (!matches!(column.ty.base, T::Json | T::Xml)).then_some(0)
    }

    /// It numbers no decimals.
    fn numbered_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        let whole = column.ty.base == T::UInt64 || column.ty.base.is_decimal();
        if whole { Ok("bigint".into()) } else { self.column_type(column) }
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        Ok(number.default().unwrap_or_else(|| number.standard().into()))
    }

    fn computed(&self, _: &Column, ty: &str, text: &str) -> String {
        format!("{ty} GENERATED ALWAYS AS ({text}) STORED")
    }

    fn truth(&self, truth: bool) -> &'static str {
        if truth { "TRUE" } else { "FALSE" }
    }

    fn empty_array(&self) -> &'static str {
        "'{}'"
    }

    fn catalog(&self, parts: &[&str], _: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        // NULL where there is no such table.
        let table = quoted(self, parts.iter().copied());
        let columns = "SELECT attname::text FROM pg_attribute \
                       WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped";
        let indexes = "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
                       WHERE i.indrelid = to_regclass($1)";
        (asked(columns, &[&table]), asked(indexes, &[&table]))
    }

    fn lock(&self) -> SyncLock {
        // No longer than a minute, and neither is what the transaction waits for behind it.
        let take = "SELECT pg_advisory_xact_lock(hashtext('isogloss.sync'))::text \
                    FROM (SELECT set_config('lock_timeout', '60s', true)) AS limited";
        SyncLock::InTransaction(asked(take, &[]))
    }

    fn spell(&self, statement: &Statement) -> String {
        statement.build(PostgresQueryBuilder)
    }
}
