//! The driver: without Oracle's client library everywhere, and on the servers of `ISOGLOSS_ORACLE_URL`, with blanks between.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by them")]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, TimeDelta};
use isogloss_compiler::expr::{DbValueType as T, Decimal, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::render::{Output, Parameter};
use isogloss_compiler::{Compiled, Compiler};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Isolation, TransactionOptions, rows};
use isogloss_oracle::driver::{OracleBackend, OracleOptions};
use proptest::num;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use uuid::Uuid;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Where there is a client library, there is no server on that port.
#[tokio::test]
async fn without_a_client_library_the_error_says_what_to_install() -> Outcome {
    let mut options = OracleOptions::url("oracle://app:secret@127.0.0.1:1/none")?;
    options.pool.wait = Duration::from_secs(5);
    let begun = Instant::now();
    let error = OracleBackend::connect(options).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(!format!("{error:?}").contains("secret"));
    match error.code() {
        Some("DPI-1047") => {
            assert!(error.to_string().contains("install Oracle Instant Client"), "{error}");
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
        code => assert!(code.is_some_and(|code| code.starts_with("ORA-")), "{error}"),
    }
    Ok(())
}

/// Runs a test on each server; says so where there is none.
async fn each<F: AsyncFn(OracleBackend) -> Outcome>(name: &str, test: F) -> Outcome {
    let urls = std::env::var("ISOGLOSS_ORACLE_URL").unwrap_or_default();
    if urls.trim().is_empty() {
        eprintln!("{name}: skipped: no ISOGLOSS_ORACLE_URL");
    }
    for url in urls.split_whitespace() {
        test(OracleBackend::connect(OracleOptions::url(url)?).await?).await?;
    }
    Ok(())
}

fn plain(sql: impl Into<String>) -> Compiled<'static> {
    Compiled { sql: sql.into(), ..Compiled::default() }
}

fn with(sql: &str, values: Vec<(Value, T)>) -> Compiled<'static> {
    let param = |(value, ty): (Value, T)| Parameter { value: std::borrow::Cow::Owned(value), ty: Some(ty.into()) };
    Compiled { params: values.into_iter().map(param).collect(), ..plain(sql) }
}

/// Takes a table away if it is there.
async fn drop_table(connection: &mut AnyConnection, name: &str) -> isogloss_driver::Result<()> {
    match connection.script(&format!("DROP TABLE {name} PURGE")).await {
        Err(error) if error.code() == Some("ORA-00942") => Ok(()),
        done => done,
    }
}

/// A column of each type, and values that it gives back as they were.
fn columns() -> Vec<(&'static str, T, BoxedStrategy<Value>)> {
    let day = || (1_000_000..3_000_000_i32).prop_filter_map("a day", NaiveDate::from_num_days_from_ce_opt);
    let time = || {
        (0..86_400_u32, 0..1_000_000_u32)
            .prop_filter_map("a time", |(s, t)| NaiveTime::from_num_seconds_from_midnight_opt(s, t * 1_000))
    };
    let zoned = (day(), time(), -720..=720_i32).prop_filter_map("a moment", |(day, time, minutes)| {
        let offset = FixedOffset::east_opt(minutes * 60)?;
        Some(Value::from(DateTime::<FixedOffset>::from_naive_utc_and_offset(day.and_time(time), offset)))
    });
    let decimal = (-(10_i128.pow(38) - 1)..10_i128.pow(38)).prop_map(|n| Decimal::new(n, 10).unwrap().into());
    vec![
        ("NUMBER(1)", T::Boolean, any::<bool>().prop_map(Value::from).boxed()),
        ("NUMBER(10)", T::Int32, any::<i32>().prop_map(|n| i64::from(n).into()).boxed()),
        ("NUMBER(19)", T::Int64, any::<i64>().prop_map(Value::from).boxed()),
        ("NUMBER(20)", T::UInt64, any::<u64>().prop_map(Value::from).boxed()),
        ("BINARY_FLOAT", T::Single, num::f32::NORMAL.prop_map(|n| f64::from(n).into()).boxed()),
        ("BINARY_DOUBLE", T::Double, num::f64::NORMAL.prop_map(Value::from).boxed()),
        ("NUMBER(38, 10)", T::Decimal, decimal.boxed()),
        ("VARCHAR2(400)", T::String, "\\PC{1,40}".prop_map(Value::from).boxed()),
        ("CLOB", T::String, "[a-z]{1,9000}".prop_map(Value::from).boxed()),
        ("BLOB", T::Binary, prop::collection::vec(any::<u8>(), 1..9_000).prop_map(|b| b.into()).boxed()),
        ("DATE", T::Date, day().prop_map(Value::from).boxed()),
        ("INTERVAL DAY TO SECOND", T::Time, time().prop_map(Value::from).boxed()),
        ("TIMESTAMP", T::DateTime2, (day(), time()).prop_map(|(d, t)| d.and_time(t).into()).boxed()),
        ("TIMESTAMP WITH TIME ZONE", T::DateTimeOffset, zoned.boxed()),
        ("RAW(16)", T::Guid, any::<[u8; 16]>().prop_map(|b| Uuid::from_bytes(b).into()).boxed()),
        ("CLOB", T::Json, Just(Value::Json(r#"{"a": [1, "é"]}"#.into())).boxed()),
    ]
}

/// Reads a row of values by the types of [`columns`].
struct Typed(Vec<Value>);

impl isogloss_driver::FromRow for Typed {
    fn from_row(row: &dyn isogloss_driver::Row) -> isogloss_driver::Result<Self> {
        let types = columns();
        (0..row.len()).map(|index| row.value(index, Some(types[index].1.into()))).collect::<Result<_, _>>().map(Self)
    }
}

#[tokio::test]
async fn every_type_comes_back_as_it_was_sent() -> Outcome {
    each("types", async |backend| {
        let columns = columns();
        let mut connection = backend.connect().await?;
        drop_table(&mut connection, "isogloss_types").await?;
        let list: Vec<_> = columns.iter().enumerate().map(|(n, (ty, ..))| format!("c{n} {ty}")).collect();
        connection.script(&format!("CREATE TABLE isogloss_types ({})", list.join(", "))).await?;
        let holes: Vec<_> = (1..=columns.len()).map(|n| format!(":{n}")).collect();
        let sql = format!("INSERT INTO isogloss_types VALUES ({})", holes.join(", "));
        let mut runner = TestRunner::deterministic();
        for round in 0..100 {
            let mut sent = Vec::new();
            for (index, (_, ty, values)) in columns.iter().enumerate() {
                let null = round == 0 || (round + index) % 7 == 0;
                sent.push((if null { Value::Null } else { values.new_tree(&mut runner).unwrap().current() }, *ty));
            }
            connection.execute(&plain("DELETE FROM isogloss_types")).await?;
            assert_eq!(connection.execute(&with(&sql, sent.clone())).await?, 1);
            let back: Typed = connection.fetch_one(&plain("SELECT * FROM isogloss_types")).await?;
            for ((sent, ty), back) in sent.iter().zip(&back.0) {
                assert_eq!(sent, back, "{ty:?}");
            }
        }
        drop_table(&mut connection, "isogloss_types").await?;
        Ok(())
    })
    .await
}

fn items() -> TableDef {
    TableDef::new("Item")
        .table("ISOGLOSS_ITEM")
        .column(ColumnDef::new("ID", T::Int32).primary_key().identity(1, 1))
        .column(ColumnDef::new("NAME", T::String))
        .column(ColumnDef::new("PRICE", T::Decimal).nullable())
        .column(ColumnDef::new("AT", T::DateTime2).nullable())
}

async fn count(connection: &mut AnyConnection) -> isogloss_driver::Result<i64> {
    Ok(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM isogloss_item")).await?.0)
}

/// One test for all that shares the tables.
#[tokio::test]
async fn statements_transactions_and_bulk_inserts() -> Outcome {
    each("statements", async |backend| {
        let mut connection = backend.connect().await?;
        drop_table(&mut connection, "isogloss_child").await?;
        drop_table(&mut connection, "isogloss_item").await?;
        connection
            .script(
                "CREATE TABLE isogloss_item (id NUMBER(10) GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, \
                 name CLOB NOT NULL, price NUMBER(18, 4) CONSTRAINT isogloss_dear CHECK (price < 1000000), at TIMESTAMP)",
            )
            .await?;
        connection
            .script(
                "CREATE TABLE isogloss_child (id NUMBER(10) CONSTRAINT isogloss_child_key UNIQUE, \
                 item NUMBER(10) CONSTRAINT isogloss_parent REFERENCES isogloss_item)",
            )
            .await?;
        bulk(&backend, &mut connection).await?;
        returning(&mut connection).await?;
        errors(&mut connection).await?;
        transactions(&backend, &mut connection).await?;
        given_up(&backend).await?;
        drop_table(&mut connection, "isogloss_child").await?;
        drop_table(&mut connection, "isogloss_item").await?;
        Ok(())
    })
    .await
}

async fn bulk(backend: &OracleBackend, connection: &mut AnyConnection) -> Outcome {
    let target = Compiler::new(Catalog::builder().table(items()).build()?).target(backend.dialect());
    let into = target.bulk_insert("Item", &["NAME", "PRICE", "AT"], &[])?;
    let start = NaiveDate::from_ymd_opt(2024, 1, 31).unwrap().and_time(NaiveTime::MIN);
    let row = move |n: i64| {
        let price = if n % 5 == 0 { Value::Null } else { Decimal::new(n.into(), 2).unwrap().into() };
        [format!("item {n}").into(), price, (start + TimeDelta::seconds(n)).into()]
    };
    assert_eq!(connection.bulk_insert(&into, rows((0..100_000).map(row))).await?, 100_000);
    let sum: (Decimal,) = connection.fetch_one(&plain("SELECT SUM(price) FROM isogloss_item")).await?;
    assert_eq!(sum.0, "40000000.00".parse::<Decimal>()?);
    // Large objects among the rows.
    let long = (0..50).map(move |n| {
        let mut row = row(n);
        if n % 20 == 7 {
            row[0] = "ł".repeat(50_000).into();
        }
        row
    });
    assert_eq!(connection.bulk_insert(&into, rows(long)).await?, 50);
    // All or none.
    let dear = (0..1_500).map(|n| ["dear".into(), (n * 1_000).into(), Value::Null]);
    assert_eq!(connection.bulk_insert(&into, rows(dear)).await.unwrap_err().kind(), ErrorKind::CheckViolation);
    assert_eq!((count(connection).await?, connection.depth()), (100_050, 0));
    // Keys, each of its row.
    let keys = connection.bulk_insert_keys(&into, rows((0..123).map(row))).await?;
    let last = with("SELECT id, name FROM isogloss_item WHERE id >= :1", vec![(keys[0].clone(), T::Int32)]);
    let found: HashMap<i64, String> = connection.fetch::<(i64, String)>(&last).await?.into_iter().collect();
    assert_eq!(keys.len(), 123);
    for (n, key) in keys.iter().enumerate() {
        let Value::Int(key) = key else { panic!("{key:?}") };
        assert_eq!(found[key], format!("item {n}"));
    }
    let insert = with("INSERT INTO isogloss_child (id) VALUES (:1)", vec![(Value::Null, T::Int32)]);
    assert_eq!(connection.execute_many(&insert, rows((0..10).map(|n| [Value::from(n)]))).await?, 10);
    Ok(())
}

/// What is written comes back as rows.
async fn returning(connection: &mut AnyConnection) -> Outcome {
    let sql = "UPDATE isogloss_child SET item = NULL WHERE id < :1 RETURNING id, item INTO :2, :3";
    let output = |name: &str| Output { name: name.into(), ty: Some(T::Int32.into()) };
    let update = Compiled { outputs: vec![output("id"), output("item")], ..with(sql, vec![(3.into(), T::Int32)]) };
    let mut found: Vec<(i64, Option<i64>)> = connection.fetch(&update).await?;
    found.sort_unstable();
    assert_eq!(found, [(0, None), (1, None), (2, None)]);
    Ok(())
}

async fn errors(connection: &mut AnyConnection) -> Outcome {
    let all = [
        ("INSERT INTO isogloss_child (id) VALUES (1)", ErrorKind::UniqueViolation, Some("ISOGLOSS_CHILD_KEY")),
        ("INSERT INTO isogloss_child VALUES (11, -1)", ErrorKind::ForeignKeyViolation, Some("ISOGLOSS_PARENT")),
        ("INSERT INTO isogloss_item (price) VALUES (1)", ErrorKind::NotNullViolation, Some("NAME")),
        (
            "INSERT INTO isogloss_item (name, price) VALUES ('x', 9999999)",
            ErrorKind::CheckViolation,
            Some("ISOGLOSS_DEAR"),
        ),
        ("SELECT nothing FROM isogloss_item", ErrorKind::Syntax, None),
        ("SELECT 1 FROM isogloss_nowhere", ErrorKind::Syntax, None),
        ("SELECT FROM WHERE", ErrorKind::Syntax, None),
    ];
    for (sql, kind, constraint) in all {
        let error = connection.execute(&plain(sql)).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (kind, constraint), "{error:?}");
    }
    Ok(())
}

async fn transactions(backend: &OracleBackend, connection: &mut AnyConnection) -> Outcome {
    let before = count(connection).await?;
    let insert = plain("INSERT INTO isogloss_item (name) VALUES ('x')");
    connection.begin(&TransactionOptions::default().isolation(Isolation::Serializable)).await?;
    connection.execute(&insert).await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&insert).await?;
    connection.rollback().await?;
    connection.commit().await?;
    assert_eq!(count(connection).await?, before + 1);
    connection.begin(&TransactionOptions::default().read_only()).await?;
    assert_eq!(connection.execute(&insert).await.unwrap_err().kind(), ErrorKind::Permission);
    connection.commit().await?;
    let mut dropped = backend.connect().await?;
    dropped.begin(&TransactionOptions::default()).await?;
    dropped.execute(&plain("UPDATE isogloss_child SET item = NULL")).await?;
    drop(dropped);
    // Its locks are gone soon, without anybody taking the connection.
    connection.set_statement_timeout(Some(Duration::from_secs(5))).await?;
    connection.execute(&plain("UPDATE isogloss_child SET item = NULL")).await?;
    connection.set_statement_timeout(None).await?;
    Ok(())
}

async fn given_up(backend: &OracleBackend) -> Outcome {
    let endless = plain("SELECT COUNT(*) FROM all_objects, all_objects, all_objects, all_objects");
    let mut connection = backend.connect().await?;
    connection.set_statement_timeout(Some(Duration::from_millis(500))).await?;
    let begun = Instant::now();
    assert_eq!(connection.execute(&endless).await.unwrap_err().kind(), ErrorKind::Timeout);
    connection.set_statement_timeout(None).await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7 FROM dual")).await?, (7,));
    for _ in 0..20 {
        let dropped = tokio::time::timeout(Duration::from_millis(50), connection.execute(&endless)).await;
        assert!(dropped.is_err());
    }
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7 FROM dual")).await?, (7,));
    // Ten rows of very many.
    let many = plain("SELECT a.object_id FROM all_objects a, all_objects b");
    let mut stream = Box::pin(connection.stream::<(Option<i64>,)>(&many));
    for _ in 0..10 {
        assert!(futures_util::StreamExt::next(&mut stream).await.is_some());
    }
    drop(stream);
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7 FROM dual")).await?, (7,));
    assert!(begun.elapsed() < Duration::from_secs(60));
    Ok(())
}
