//! The driver on databases in memory.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "../../../driver/testing/statements.rs"]
mod statements;

use chrono::{DateTime, NaiveDate, NaiveTime};
use isogloss_compiler::expr::Value;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, Result, TransactionOptions, rows};
use isogloss_duckdb::driver::{DuckDbBackend, DuckDbOptions};
use statements::{number, plain as text, with};
use uuid::Uuid;

async fn memory() -> Result<DuckDbBackend> {
    DuckDbBackend::open(DuckDbOptions::memory().threads(2)).await
}

#[tokio::test]
async fn values_come_back_as_they_were_sent() -> Result<()> {
    let backend = memory().await?;
    let mut connection = backend.connect().await?;
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let time = NaiveTime::from_hms_micro_opt(23, 59, 58, 7).unwrap();
    let there = DateTime::parse_from_rfc3339("2024-02-29T23:59:58.5-03:30").unwrap();
    for (ty, value) in [
        ("BOOLEAN", Value::from(true)),
        ("INTEGER", (-7).into()),
        ("BIGINT", i64::MIN.into()),
        ("UBIGINT", u64::MAX.into()),
        ("HUGEINT", u64::MAX.into()),
        ("DOUBLE", 1e300.into()),
        ("DECIMAL(38, 10)", "-0.0000000001".parse::<isogloss_compiler::expr::Decimal>().unwrap().into()),
        ("VARCHAR", "h\u{e9}, \0 and 'quotes'".into()),
        ("BLOB", Value::Bytes([0, 255, 7].into())),
        ("DATE", day.into()),
        ("TIME", time.into()),
        ("TIMESTAMP", day.and_time(time).into()),
        ("UUID", Uuid::from_u128(7).into()),
        ("VARCHAR", Value::Null),
    ] {
        let row =
            connection.fetch_one::<Vec<Value>>(&with(&format!("SELECT CAST($1 AS {ty})"), [value.clone()])).await?;
        assert_eq!(row, [value], "{ty}");
    }
    // An instant, at UTC.
    let back = connection.fetch_one::<Vec<Value>>(&with("SELECT CAST($1 AS TIMESTAMPTZ)", [there.into()])).await?;
    assert_eq!(back, [Value::from(there.to_utc().fixed_offset())]);
    let lists = connection.fetch_one::<Vec<Value>>(&text("SELECT [1, NULL], 'x' WHERE TRUE")).await?;
    assert_eq!(lists, [Value::List([1.into(), Value::Null].into_iter().collect()), "x".into()]);
    let error = connection.fetch::<bool>(&text("SELECT 1")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Decode);
    Ok(())
}

/// DuckDB's own prepared statements keep their plans, and give 258 here.
#[tokio::test]
async fn no_plan_outlives_the_rows_that_it_was_made_for() -> Result<()> {
    let backend = memory().await?;
    let mut connection = backend.connect().await?;
    connection
        .script("CREATE TABLE s (id INTEGER PRIMARY KEY, q INTEGER); INSERT INTO s VALUES (1, 10), (2, 20)")
        .await?;
    let (ordered, few) = (text("SELECT q FROM s ORDER BY id"), text("SELECT q FROM s WHERE q < 5"));
    assert_eq!(connection.fetch::<i64>(&ordered).await?, [10, 20]);
    assert_eq!(connection.fetch::<i64>(&few).await?, [] as [i64; 0]);
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&text("UPDATE s SET q = 2 WHERE id = 1")).await?;
    assert_eq!(connection.fetch::<i64>(&ordered).await?, [2, 20]);
    assert_eq!(connection.fetch::<i64>(&few).await?, [2]);
    connection.commit().await?;
    let raise = with("UPDATE s SET q = q + $1 WHERE q < 5", [1.into()]);
    let changed = connection.execute_many(&raise, rows([[Value::from(1)], [1.into()], [1.into()], [1.into()]])).await?;
    assert_eq!((changed, connection.fetch::<i64>(&ordered).await?), (3, vec![5, 20]));
    Ok(())
}

#[tokio::test]
async fn a_file_is_opened_as_it_is_asked() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.duckdb");
    let missing = DuckDbBackend::open(DuckDbOptions::file(&path).create(false)).await.unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Connect);
    let backend = DuckDbBackend::open(DuckDbOptions::file(&path)).await?;
    assert!(backend.dialect().label().starts_with("duckdb "));
    backend.connect().await?.script("CREATE TABLE t (id INTEGER); INSERT INTO t VALUES (7)").await?;
    drop(backend);
    let url = format!("duckdb:{}?mode=ro&external_access=false", path.display());
    let backend = DuckDbBackend::open(DuckDbOptions::url(&url)?).await?;
    let mut connection = backend.connect().await?;
    assert_eq!(number(&mut *connection, "SELECT id FROM t").await?, 7);
    let error = connection.execute(&text("INSERT INTO t VALUES (8)")).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Permission | ErrorKind::BadValue), "{error}");
    let error = connection.fetch::<i64>(&text("SELECT * FROM read_csv('/etc/passwd')")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission, "{error}");
    Ok(())
}
