//! The driver on servers: those of `ISOGLOSS_SQLSERVER_URL`, with blanks between.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by them")]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, TimeDelta};
use isogloss_compiler::expr::{DbValueType as T, Decimal, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::render::Parameter;
use isogloss_compiler::{Compiled, Compiler};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Isolation, TransactionOptions, rows};
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};
use proptest::num;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use uuid::Uuid;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Runs a test on each server; says so where there is none.
async fn each<F: AsyncFn(SqlServerBackend) -> Outcome>(name: &str, test: F) -> Outcome {
    let urls = std::env::var("ISOGLOSS_SQLSERVER_URL").unwrap_or_default();
    if urls.trim().is_empty() {
        eprintln!("{name}: skipped: no ISOGLOSS_SQLSERVER_URL");
    }
    for url in urls.split_whitespace() {
        test(SqlServerBackend::connect(SqlServerOptions::url(url)?).await?).await?;
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

/// A column of each type, and values that it gives back as they were.
fn columns() -> Vec<(&'static str, T, BoxedStrategy<Value>)> {
    let day = || (0..3_652_058_i32).prop_filter_map("a day", |n| NaiveDate::from_num_days_from_ce_opt(n + 1));
    let time = || {
        (0..86_400_u32, 0..10_000_000_u32)
            .prop_filter_map("a time", |(s, t)| NaiveTime::from_num_seconds_from_midnight_opt(s, t * 100))
    };
    // A day on either side, for the offset.
    let inner = || (2..3_652_057_i32).prop_filter_map("a day", NaiveDate::from_num_days_from_ce_opt);
    let zoned = (inner(), time(), -840..=840_i32).prop_filter_map("a moment", |(day, time, minutes)| {
        let offset = FixedOffset::east_opt(minutes * 60)?;
        Some(Value::from(DateTime::<FixedOffset>::from_naive_utc_and_offset(day.and_time(time), offset)))
    });
    let decimal = (-(10_i128.pow(38) - 1)..10_i128.pow(38)).prop_map(|n| Decimal::new(n, 10).unwrap().into());
    vec![
        ("bit", T::Boolean, any::<bool>().prop_map(Value::from).boxed()),
        ("tinyint", T::Byte, any::<u8>().prop_map(|n| i64::from(n).into()).boxed()),
        ("smallint", T::Int16, any::<i16>().prop_map(|n| i64::from(n).into()).boxed()),
        ("int", T::Int32, any::<i32>().prop_map(|n| i64::from(n).into()).boxed()),
        ("bigint", T::Int64, any::<i64>().prop_map(Value::from).boxed()),
        ("decimal(20, 0)", T::UInt64, any::<u64>().prop_map(Value::from).boxed()),
        ("real", T::Single, num::f32::NORMAL.prop_map(|n| f64::from(n).into()).boxed()),
        ("float", T::Double, num::f64::NORMAL.prop_map(Value::from).boxed()),
        ("decimal(38, 10)", T::Decimal, decimal.boxed()),
        ("nvarchar(max)", T::String, "\\PC{0,40}".prop_map(Value::from).boxed()),
        ("varchar(100)", T::AnsiString, "[ -~]{0,100}".prop_map(Value::from).boxed()),
        ("varbinary(max)", T::Binary, prop::collection::vec(any::<u8>(), 0..9_000).prop_map(|b| b.into()).boxed()),
        ("date", T::Date, day().prop_map(Value::from).boxed()),
        ("time(7)", T::Time, time().prop_map(Value::from).boxed()),
        ("datetime2(7)", T::DateTime2, (day(), time()).prop_map(|(d, t)| d.and_time(t).into()).boxed()),
        ("datetimeoffset(7)", T::DateTimeOffset, zoned.boxed()),
        ("uniqueidentifier", T::Guid, any::<[u8; 16]>().prop_map(|b| Uuid::from_bytes(b).into()).boxed()),
        ("nvarchar(max)", T::Json, Just(Value::Json(r#"{"a": [1, "é"]}"#.into())).boxed()),
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
        let list: Vec<_> = columns.iter().enumerate().map(|(n, (ty, ..))| format!("c{n} {ty} NULL")).collect();
        connection
            .script(&format!("DROP TABLE IF EXISTS isogloss_types; CREATE TABLE isogloss_types ({})", list.join(", ")))
            .await?;
        let holes: Vec<_> = (1..=columns.len()).map(|n| format!("@P{n}")).collect();
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
        connection.script("DROP TABLE isogloss_types").await?;
        Ok(())
    })
    .await
}

fn items() -> TableDef {
    TableDef::new("isogloss_item")
        .column(ColumnDef::new("Id", T::Int32).primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", T::String).nullable())
        .column(ColumnDef::new("Price", T::Decimal).nullable())
        .column(ColumnDef::new("At", T::DateTime2).nullable())
}

/// Makes the table, and what it needs.
async fn make(connection: &mut AnyConnection) -> isogloss_driver::Result<()> {
    connection
        .script(
            "DROP TABLE IF EXISTS isogloss_child; DROP TABLE IF EXISTS isogloss_item; \
             CREATE TABLE isogloss_item (Id int IDENTITY PRIMARY KEY, Name nvarchar(max) NOT NULL, \
                 Price decimal(18, 4) NULL CONSTRAINT isogloss_dear CHECK (Price < 1000000), At datetime2(3) NULL); \
             CREATE TABLE isogloss_child (Id int CONSTRAINT isogloss_child_key UNIQUE, \
                 Item int CONSTRAINT isogloss_parent REFERENCES isogloss_item)",
        )
        .await
}

async fn count(connection: &mut AnyConnection) -> isogloss_driver::Result<i64> {
    Ok(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT_BIG(*) FROM isogloss_item")).await?.0)
}

/// One test for all that shares the table.
#[tokio::test]
async fn statements_transactions_and_bulk_inserts() -> Outcome {
    each("statements", async |backend| {
        let mut connection = backend.connect().await?;
        make(&mut connection).await?;
        bulk(&backend, &mut connection).await?;
        errors(&mut connection).await?;
        transactions(&backend, &mut connection).await?;
        conflicts(&backend).await?;
        given_up(&backend).await?;
        connection.script("DROP TABLE isogloss_child; DROP TABLE isogloss_item").await?;
        Ok(())
    })
    .await
}

async fn bulk(backend: &SqlServerBackend, connection: &mut AnyConnection) -> Outcome {
    let target = Compiler::new(Catalog::builder().table(items()).build()?).target(backend.dialect());
    let into = target.bulk_insert("isogloss_item", &["Name", "Price", "At"], &[])?;
    let start = NaiveDate::from_ymd_opt(2024, 1, 31).unwrap().and_time(NaiveTime::MIN);
    let row = move |n: i64| {
        let price = Value::from(Decimal::new(n.into(), 2).unwrap());
        [
            format!("item {n}").into(),
            if n % 5 == 0 { Value::Null } else { price },
            (start + TimeDelta::seconds(n)).into(),
        ]
    };
    assert_eq!(connection.bulk_insert(&into, rows((0..100_000).map(row))).await?, 100_000);
    let sum: (Decimal,) = connection.fetch_one(&plain("SELECT SUM(Price) FROM isogloss_item")).await?;
    assert_eq!(sum.0, "39999500.00".parse()?);
    // A text that the load cannot carry goes by INSERT, and so does what follows.
    let long = (0..50).map(move |n| {
        let mut row = row(n);
        if n == 20 {
            row[0] = "ł".repeat(200_000).into();
        }
        row
    });
    assert_eq!(connection.bulk_insert(&into, rows(long)).await?, 50);
    // All or none.
    let bad = (0..50).map(move |n| if n == 30 { [Value::Null, Value::Null, Value::Null] } else { row(n) });
    let mut name_null = into.clone();
    name_null.columns[0].column.nullable = true;
    let error = connection.bulk_insert(&name_null, rows(bad)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotNullViolation, "{error:?}");
    let dear = (0..3).map(|n| ["dear".into(), (n * 1_000_000).into(), Value::Null]);
    assert_eq!(connection.bulk_insert(&into, rows(dear)).await.unwrap_err().kind(), ErrorKind::CheckViolation);
    assert_eq!((count(connection).await?, connection.depth()), (100_050, 0));
    // Keys, each of its row.
    let keys = connection.bulk_insert_keys(&into, rows((0..1_234).map(row))).await?;
    let found: Vec<(i64, String)> =
        connection.fetch(&plain("SELECT CAST(Id AS bigint), Name FROM isogloss_item WHERE Id > 100050")).await?;
    let found: HashMap<i64, String> = found.into_iter().collect();
    assert_eq!(keys.len(), 1_234);
    for (n, key) in keys.iter().enumerate() {
        let Value::Int(key) = key else { panic!("{key:?}") };
        assert_eq!(found[key], format!("item {n}"));
    }
    let insert = with("INSERT INTO isogloss_child (Id) VALUES (@P1)", vec![(Value::Null, T::Int32)]);
    assert_eq!(connection.execute_many(&insert, rows((0..10).map(|n| [Value::from(n)]))).await?, 10);
    // In batches, of which a row that fails is the last.
    let sql = "UPDATE isogloss_child SET Item = NULL WHERE Id < @P1 AND '@P1' <> ''";
    let update = with(sql, vec![(Value::Null, T::Int32)]);
    assert_eq!(connection.execute_many(&update, rows((0..600).map(|n| [Value::from(n % 3)]))).await?, 600);
    let twice = (100..110).map(|n| [Value::from(if n == 105 { 0 } else { n })]);
    let error = connection.execute_many(&insert, rows(twice)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    assert_eq!(connection.execute(&plain("DELETE FROM isogloss_child WHERE Id >= 100")).await?, 5);
    Ok(())
}

async fn errors(connection: &mut AnyConnection) -> Outcome {
    let all = [
        ("INSERT INTO isogloss_child (Id) VALUES (1)", ErrorKind::UniqueViolation, Some("isogloss_child_key")),
        ("INSERT INTO isogloss_child VALUES (11, -1)", ErrorKind::ForeignKeyViolation, Some("isogloss_parent")),
        ("INSERT INTO isogloss_item (Price) VALUES (1)", ErrorKind::NotNullViolation, Some("Name")),
        (
            "INSERT INTO isogloss_item (Name, Price) VALUES ('x', 9999999)",
            ErrorKind::CheckViolation,
            Some("isogloss_dear"),
        ),
        ("SELECT nothing FROM isogloss_item", ErrorKind::Syntax, None),
        ("SELECT 1 FROM isogloss_nowhere", ErrorKind::Syntax, None),
        ("SELECT FROM WHERE", ErrorKind::Syntax, None),
        ("SELECT CAST(1e10 AS int)", ErrorKind::BadValue, None),
    ];
    for (sql, kind, constraint) in all {
        let error = connection.execute(&plain(sql)).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (kind, constraint), "{error:?}");
    }
    Ok(())
}

async fn transactions(backend: &SqlServerBackend, connection: &mut AnyConnection) -> Outcome {
    let before = count(connection).await?;
    let insert = plain("INSERT INTO isogloss_item (Name) VALUES ('x')");
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
    dropped.execute(&insert).await?;
    drop(dropped);
    assert_eq!(count(connection).await?, before + 1);
    Ok(())
}

/// Two that wait for each other: one of them is chosen, and its transaction is over.
async fn conflicts(backend: &SqlServerBackend) -> Outcome {
    let update = |n: i32| plain(format!("UPDATE isogloss_child SET Item = NULL WHERE Id = {n}"));
    let (mut first, mut second) = (backend.connect().await?, backend.connect().await?);
    first.begin(&TransactionOptions::default()).await?;
    second.begin(&TransactionOptions::default()).await?;
    first.execute(&update(1)).await?;
    second.execute(&update(2)).await?;
    let (two, one) = (update(2), update(1));
    let (a, b) = tokio::join!(
        async {
            let done = first.execute(&two).await;
            let again = first.execute(&plain("SELECT 1")).await;
            first.rollback().await.map(|()| (done, again))
        },
        async {
            let done = second.execute(&one).await;
            let again = second.execute(&plain("SELECT 1")).await;
            second.rollback().await.map(|()| (done, again))
        },
    );
    let (a, b) = (a?, b?);
    let (victim, refused) = if a.0.is_err() { a } else { b };
    assert_eq!(victim.unwrap_err().kind(), ErrorKind::Deadlock);
    assert!(refused.is_err(), "its transaction is over");
    Ok(())
}

async fn given_up(backend: &SqlServerBackend) -> Outcome {
    let mut connection = backend.connect().await?;
    connection.set_statement_timeout(Some(Duration::from_millis(300))).await?;
    let begun = Instant::now();
    let error = connection.execute(&plain("WAITFOR DELAY '00:01:00'")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    connection.set_statement_timeout(None).await?;
    assert_eq!(connection.fetch_one::<(i32,)>(&plain("SELECT 7")).await?, (7,));
    for _ in 0..50 {
        let waits = plain("WAITFOR DELAY '00:01:00'");
        let dropped = tokio::time::timeout(Duration::from_millis(5), connection.execute(&waits)).await;
        assert!(dropped.is_err());
    }
    assert_eq!(connection.fetch_one::<(i32,)>(&plain("SELECT 7")).await?, (7,));
    // Ten rows of very many.
    let many = plain("SELECT a.object_id FROM sys.all_objects a CROSS JOIN sys.all_objects b");
    let mut rows = Box::pin(connection.stream::<(i64,)>(&many));
    for _ in 0..10 {
        assert!(futures_util::StreamExt::next(&mut rows).await.is_some());
    }
    drop(rows);
    drop(connection);
    let mut connection = backend.connect().await?;
    // In a transaction, which goes on.
    let (before, insert) = (count(&mut connection).await?, plain("INSERT INTO isogloss_item (Name) VALUES ('x')"));
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&insert).await?;
    let mut rows = Box::pin(connection.stream::<(i64,)>(&many));
    assert!(futures_util::StreamExt::next(&mut rows).await.is_some());
    drop(rows);
    connection.execute(&insert).await?;
    connection.commit().await?;
    assert_eq!(count(&mut connection).await?, before + 2);
    assert_eq!(connection.fetch_one::<(i32,)>(&plain("SELECT 7")).await?, (7,));
    assert!(begun.elapsed() < Duration::from_secs(20));
    Ok(())
}
