//! The binders that the guide shows. Those for PostgreSQL and SQLite run: every kind of value comes back as it went. That for
//! SQL Server compiles.

#[path = "../../../orm/src/guide/postgres.rs"]
#[allow(missing_docs, unreachable_pub, reason = "the text of a page")]
mod binder;
#[path = "../../../orm/src/guide/sqlite.rs"]
#[allow(missing_docs, unreachable_pub, reason = "the text of a page")]
mod sqlite_binder;
#[path = "../../../orm/src/guide/sqlserver.rs"]
#[allow(dead_code, missing_docs, unreachable_pub, reason = "the text of a page")]
mod sqlserver_binder;

use binder::Bind;
use isogloss::expr::{DbType, DbValueType, Expr, Value};
use isogloss::model::{ColumnDef, TableDef};
use isogloss::prelude::*;
use isogloss::{Compiler, POSTGRES, SQLITE};
use postgres::types::ToSql;
use postgres::{Client, NoTls};

/// A column of each kind, with a value of it.
fn kinds() -> Vec<(&'static str, DbType, &'static str, Value)> {
    let day = isogloss::chrono::NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let time = day.and_hms_micro_opt(23, 59, 58, 1_500).unwrap();
    vec![
        ("B", DbValueType::Boolean.into(), "boolean", true.into()),
        ("I", DbValueType::Int32.into(), "integer", (-5).into()),
        // A whole number for a decimal column.
        ("N", DbValueType::Decimal.into(), "numeric(18,2)", 100.into()),
        ("M", DbValueType::Decimal.into(), "numeric(18,2)", "10.50".into()),
        ("F", DbValueType::Double.into(), "double precision", 1e-7.into()),
        ("T", DbValueType::String.into(), "text", "it's \"a\" \\ {b}".into()),
        ("X", DbValueType::Binary.into(), "bytea", vec![0_u8, 255, 16].into()),
        ("D", DbValueType::Date.into(), "date", day.into()),
        ("S", DbValueType::DateTime2.into(), "timestamp", time.into()),
        ("Z", DbValueType::DateTimeOffset.into(), "timestamptz", time.and_utc().into()),
        ("C", DbValueType::Time.into(), "time", time.time().into()),
        ("U", DbValueType::Guid.into(), "uuid", isogloss::uuid::Uuid::from_u128(7).into()),
    ]
}

#[test]
fn every_kind_of_value_comes_back() {
    for url in isogloss_testkit::servers::postgres() {
        every_kind_of_value_comes_back_from(&url);
    }
}

#[test]
fn every_kind_of_value_comes_back_from_sqlite() {
    let client = rusqlite::Connection::open_in_memory().unwrap();
    let columns: Vec<String> = kinds().iter().map(|(name, ..)| format!("\"{name}\"")).collect();
    client.execute_batch(&format!("CREATE TABLE \"Kinds\" (\"Id\" INTEGER, {})", columns.join(", "))).unwrap();
    values_come_back(&mut |compiler, statement| {
        let compiled = compiler.compile(statement, &SQLITE).unwrap();
        let params: Vec<_> = compiled.params.iter().map(|param| sqlite_binder::bind(param).unwrap()).collect();
        let mut prepared = client.prepare(&compiled.sql).unwrap_or_else(|error| panic!("{compiled}: {error:?}"));
        let params = rusqlite::params_from_iter(params);
        match prepared.column_count() {
            0 => u64::try_from(prepared.execute(params).unwrap()).unwrap(),
            _ => prepared.query(params).unwrap().mapped(|_| Ok(())).count() as u64,
        }
    });
}

fn every_kind_of_value_comes_back_from(url: &str) {
    let mut client = Client::connect(url, NoTls).unwrap();
    let columns: Vec<String> = kinds().iter().map(|(name, _, ty, _)| format!("\"{name}\" {ty}")).collect();
    client.batch_execute(&format!("CREATE TEMP TABLE \"Kinds\" (\"Id\" int, {})", columns.join(", "))).unwrap();
    values_come_back(&mut |compiler, statement| run(&mut client, compiler, statement));
}

/// Inserts a row of each kind and a row of NULLs, and finds the values again.
fn values_come_back(run: &mut dyn FnMut(&Compiler, &Expr) -> u64) {
    let id = ColumnDef::new("Id", DbValueType::Int32).primary_key();
    let entity = kinds().into_iter().fold(TableDef::new("Kinds").column(id), |table, (name, ty, ..)| {
        table.column(ColumnDef::new(name, ty).nullable())
    });
    let compiler = Compiler::new(Catalog::builder().table(entity).build().unwrap());

    let names = || std::iter::once("Id").chain(kinds().into_iter().map(|(name, ..)| name));
    let values = |id: i32| std::iter::once(id.into()).chain(kinds().into_iter().map(|(.., value)| value));
    let nulls = std::iter::once(2.into()).chain(kinds().into_iter().map(|_| Value::Null));
    let insert = table("Kinds").insert(names(), values(1).chain(nulls).collect());
    assert_eq!(run(&compiler, &insert.into()), 2);

    for (name, _, _, value) in kinds() {
        let one = from("Kinds").filter(prop(name).eq(value.clone()));
        assert_eq!(run(&compiler, &one.into()), 1, "{name} = {value}");
        let list = from("Kinds").filter(prop(name).in_list(vec![value.clone(); 100]));
        assert_eq!(run(&compiler, &list.into()), 1, "{name} in {value}");
        let none = from("Kinds").filter(prop(name).is_null());
        assert_eq!(run(&compiler, &none.into()), 1, "{name} is NULL");
    }
}

fn run(client: &mut Client, compiler: &Compiler, statement: &Expr) -> u64 {
    let compiled = compiler.compile(statement, &POSTGRES).unwrap();
    let binds: Vec<Bind<'_>> = compiled.params.iter().map(Bind).collect();
    let params: Vec<&(dyn ToSql + Sync)> = binds.iter().map(|bind| bind as _).collect();
    client.execute(&compiled.sql, &params).unwrap_or_else(|error| panic!("{compiled}: {error:?}"))
}
