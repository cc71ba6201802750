//! How PostgreSQL and CockroachDB spell tables.

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::dialect::Dialect as _;
use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::model::Column;
use isogloss_driver::Result;
use isogloss_driver::ddl::{
    Change, Impact, InTheWay, Number, SessionLock, Spelling, Statement, SyncLock, Wanted, asked, comment_on, digits,
    length, quoted, timed,
};
use isogloss_driver::introspect::{ColumnReport, Introspection};
use sea_query::PostgresQueryBuilder;

use crate::variants::COCKROACHDB_BASE;
use crate::{CockroachDb, Postgres, alter, introspect};

impl Spelling for Postgres {
    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        Ok(match column.ty.base {
            // An array's items have no length: `varchar[]` is not comparable with the `text[]` of a parameter.
            _ if column.ty.array => self.cast_type(column.ty)?.into(),
            T::Xml => "xml".into(),
            text if text.is_text() => {
                length(column).map_or("text".into(), |length| format!("varchar({length})").into())
            }
            decimal if decimal.is_decimal() => match digits(column) {
                Some((precision, scale)) => format!("numeric({precision}, {scale})").into(),
                None => self.cast_type(column.ty)?.into(),
            },
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

    fn comment_on(&self, table: &[&str], column: Option<&str>, from: Option<&str>, to: Option<&str>) -> Option<String> {
        comment_on(self, table, column, from, to)
    }

    fn questions(&self) -> Option<Introspection> {
        Some(introspect::QUESTIONS)
    }

    fn lock(&self) -> SyncLock {
        // No longer than a minute, and neither is what the transaction waits for behind it.
        let take = "SELECT pg_advisory_xact_lock(hashtext('isogloss.sync'))::text \
                    FROM (SELECT set_config('lock_timeout', '60s', true)) AS limited";
        SyncLock::InTransaction(asked(take, &[]))
    }

    /// Without waiting: a statement that waits holds a snapshot, and `CREATE INDEX CONCURRENTLY` waits for all of those.
    fn session_lock(&self) -> Option<SessionLock> {
        let key = "hashtext('isogloss.sync')";
        Some(SessionLock {
            take: asked(format!("SELECT CASE WHEN pg_try_advisory_lock({key}) THEN 1 ELSE 0 END::bigint"), &[]),
            free: asked(format!("SELECT CASE WHEN pg_advisory_unlock({key}) THEN 1 ELSE 0 END::bigint"), &[]),
        })
    }

    fn spell(&self, statement: &Statement) -> String {
        statement.build(PostgresQueryBuilder)
    }

    fn has_deferred_keys(&self) -> bool {
        true
    }

    fn made_key_name(&self, table: &str) -> Option<String> {
        alter::made_key_name(table)
    }

    fn reported_type(&self, ty: &str) -> String {
        alter::reported_type(ty)
    }

    fn alter_column(&self, table: &str, change: Change, from: &ColumnReport, to: &ColumnReport) -> Option<Vec<String>> {
        alter::alter(table, change, from, to)
    }

    fn sequence_type(&self, sequence: &str, ty: &str) -> Option<String> {
        let ty = alter::reported_type(ty);
        matches!(&*ty, "smallint" | "integer" | "bigint").then(|| format!("ALTER SEQUENCE {sequence} AS {ty}"))
    }

    /// A foreign key is made anew with a column, for which the types have to be comparable.
    fn in_the_way(&self, change: Change, from: &ColumnReport, to: &ColumnReport) -> InTheWay {
        let is_type = matches!(change, Change::Type { .. });
        let foreign_keys = is_type && !alter::are_comparable(&from.engine_type, &to.engine_type);
        InTheWay { computed: is_type, views: is_type, foreign_keys, ..InTheWay::default() }
    }

    fn impact(&self, change: Change, from: Option<&ColumnReport>, to: Option<&ColumnReport>) -> Impact {
        alter::impact(change, from, to)
    }
}

/// Numbers come from sequences, as they do in PostgreSQL: in their order, with gaps, and from one place for the whole cluster.
impl Spelling for CockroachDb {
    fn ddl_base(&self) -> Option<&dyn Spelling> {
        Some(&COCKROACHDB_BASE)
    }

    fn column_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        match column.ty.base {
            // `integer` has 64 bits, and XML it has not.
            T::Int32 | T::UInt16 | T::Xml => Ok(self.cast_type(column.ty)?.into()),
            _ if column.ty.array => Ok(self.cast_type(column.ty)?.into()),
            _ => COCKROACHDB_BASE.column_type(column),
        }
    }

    fn numbered_type(&self, column: &Column) -> Result<Cow<'static, str>> {
        if column.ty.base == T::Int32 { self.column_type(column) } else { COCKROACHDB_BASE.numbered_type(column) }
    }

    fn identity(&self, number: &Number<'_>) -> Result<Cow<'static, str>> {
        COCKROACHDB_BASE.identity(number)
    }

    fn computed(&self, column: &Column, ty: &str, text: &str) -> String {
        COCKROACHDB_BASE.computed(column, ty, text)
    }

    fn catalog(&self, parts: &[&str], wanted: &[Wanted]) -> (Compiled<'static>, Compiled<'static>) {
        COCKROACHDB_BASE.catalog(parts, wanted)
    }

    /// Not run there.
    fn questions(&self) -> Option<Introspection> {
        None
    }

    /// Advisory locks of transactions come with 26.3, and a statement that changes a table commits the transaction that holds one.
    fn lock(&self) -> SyncLock {
        SyncLock::None
    }

    fn session_lock(&self) -> Option<SessionLock> {
        None
    }

    fn spell(&self, statement: &Statement) -> String {
        COCKROACHDB_BASE.spell(statement)
    }
}

#[cfg(test)]
mod tests {
    use isogloss_compiler::expr::DbValueType as T;
    use isogloss_compiler::model::{Catalog, ColumnDef, TableDef, sample};
    use isogloss_driver::ddl::Ddl;

    use super::*;
    use crate::{citus, yugabytedb};

    fn tables(catalog: &Catalog, ddl: &dyn Ddl) -> String {
        let (customer, _) = catalog.entity("Customer").unwrap();
        ddl.create_table(catalog, customer, &[]).unwrap().join("\n")
    }

    #[test]
    fn numbers_of_cockroachdb_have_their_bits() {
        let catalog = sample::catalog();
        let (plain, cockroach) = (tables(&catalog, &Postgres::V15), tables(&catalog, &CockroachDb::V24_1));
        assert!(plain.contains(" integer"), "{plain}");
        assert_eq!(plain.replace(" integer", " int4"), cockroach);
        assert!(matches!(CockroachDb::new(26, 3).sync_lock(), SyncLock::None));
    }

    #[test]
    fn citus_distributes_a_table_by_its_key() {
        let item = TableDef::new("Item")
            .table("shop.it\"em's")
            .column(ColumnDef::new("Tenant", T::Int64).column("ten'ant").primary_key().distribution_key())
            .column(ColumnDef::new("Id", T::Int64).primary_key());
        let catalog = Catalog::builder().table(item.clone()).build().unwrap();
        let (id, _) = catalog.entity("Item").unwrap();
        let citus = citus(13, 0, Postgres::V15);
        let made = citus.create_table(&catalog, id, &[]).unwrap();
        let plain = Postgres::V15.create_table(&catalog, id, &[]).unwrap();
        let [create, distribute] = &made[..] else { panic!("{made:?}") };
        assert_eq!(std::slice::from_ref(create), plain);
        assert_eq!(distribute, r#"SELECT create_distributed_table('"shop"."it""em''s"', 'ten''ant')"#);

        let item = item.column(ColumnDef::new("Code", T::Int32).unique());
        let catalog = Catalog::builder().table(item).build().unwrap();
        let refused = citus.create_table(&catalog, id, &[]).unwrap_err().to_string();
        assert!(refused.contains("`Code` of `Item` is unique by itself"), "{refused}");
        assert!(Postgres::V15.create_table(&catalog, id, &[]).is_ok());
    }

    #[test]
    fn variants_spell_tables_as_postgresql_does() {
        let catalog = sample::catalog();
        let plain = tables(&catalog, &Postgres::V15);
        assert_eq!(tables(&catalog, &yugabytedb(2025, 1)), plain);
        assert_eq!(tables(&catalog, &citus(13, 0, Postgres::V15)), plain);
        assert!(matches!(yugabytedb(2025, 1).sync_lock(), SyncLock::InTransaction(_)));
    }
}
