//! Statements on SQLite itself.
#![cfg(feature = "driver")]

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _};
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, PoolOptions, TransactionOptions, rows};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn items() -> Result<(SqliteBackend, Arc<Target>), Box<dyn std::error::Error>> {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    let item = TableDef::new("Item")
        .column(ColumnDef::new("Id", DbValueType::Int64).primary_key())
        .column(ColumnDef::new("Name", DbValueType::String).nullable())
        .column(ColumnDef::new("At", DbValueType::DateTime2).nullable());
    let target = Compiler::new(Catalog::builder().table(item).build()?).target(backend.dialect());
    let mut connection = backend.connect().await?;
    connection
        .script(r#"CREATE TABLE "Item" ("Id" INTEGER PRIMARY KEY, "Name" TEXT UNIQUE, "At" TEXT) STRICT"#)
        .await?;
    drop(connection);
    Ok((backend, target))
}

fn insert(from: i64, to: i64) -> InsertExpr {
    let rows = (from..to).flat_map(|n| [Value::from(n), format!("item {n}").into(), Value::Null]);
    table("Item").insert(["Id", "Name", "At"], rows.collect::<Vec<_>>())
}

fn plain(sql: &str) -> Compiled<'static> {
    Compiled { sql: sql.to_owned(), ..Compiled::default() }
}

/// A value of the largest size goes in and comes back, with others beside it; what is put together of it has an end.
#[tokio::test]
async fn what_a_statement_builds_has_an_end() -> Outcome {
    let mut pool = PoolOptions::default();
    pool.value_bytes = 1 << 20;
    let backend = SqliteBackend::open(SqliteOptions::memory().pool(pool)).await?;
    let mut connection = backend.connect().await?;
    connection.script("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, note TEXT) STRICT").await?;
    let insert = "INSERT INTO t VALUES (1, 'a', hex(zeroblob(524288)))";
    assert_eq!(connection.execute(&plain(insert)).await?, 1);
    let twice = |most: &str| plain(&format!("SELECT length(note || {most}) FROM t"));
    let length: (i64,) = connection.fetch_one(&twice("note")).await?;
    assert_eq!(length, (2 << 20,));
    for sql in [twice("note || 'a'"), twice("replace(note, '0', 'long')")] {
        let error = connection.fetch_one::<(i64,)>(&sql).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn rows_are_written_and_read() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    let new = insert(0, 3_000);
    assert_eq!(connection.execute(&target.compile(&new)?).await?, 3_000);
    let some = from("Item").filter(prop("Id").lt(2)).order_by([prop("Id").asc()]).select([prop("Id"), prop("Name")]);
    let (some, all) = (SqlSegment::from(some), SqlSegment::from(from("Item").select([prop("Id")])));
    for _ in 0..3 {
        let rows: Vec<(i64, Option<String>)> = connection.fetch(&target.compile(&some)?).await?;
        assert_eq!(rows, [(0, Some("item 0".into())), (1, Some("item 1".into()))]);
        let ids: Vec<(i64,)> = connection.fetch(&target.compile(&all)?).await?;
        assert_eq!(ids.len(), 3_000);
    }
    let first: Option<(i64,)> = connection.fetch_first(&plain(r#"SELECT "Id" FROM "Item" ORDER BY 1 DESC"#)).await?;
    assert_eq!(first, Some((2_999,)));
    let error = connection.fetch_one::<(bool,)>(&plain("SELECT 'a' AS x")).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot decode: column 0 `x` holds text, not a truth value: 0 or 1");
    Ok(())
}

#[tokio::test]
async fn errors_have_kinds() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    connection.execute(&target.compile(&insert(1, 2))?).await?;
    let error = connection.execute(&target.compile(&insert(1, 2))?).await.unwrap_err();
    assert_eq!((error.kind(), error.constraint()), (ErrorKind::UniqueViolation, Some("Item.Id")));
    let error = connection.execute(&plain("SELECT nothing FROM nowhere")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax);
    let error = connection.execute(&plain("SELECT ?")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadValue);
    // The statement is all right, the values are not: SQLite has no code for that.
    for sql in [
        "SELECT SUM(i) FROM (SELECT 9223372036854775807 AS i UNION ALL SELECT 1)",
        "SELECT 'x' LIKE REPLACE(HEX(ZEROBLOB(30000)), '0', 'x')",
        "SELECT JSON_EXTRACT('{', '$.a')",
    ] {
        let error = connection.fetch_first::<(Option<i64>,)>(&plain(sql)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn transactions_nest_and_a_dropped_one_is_taken_back() -> Outcome {
    let (backend, target) = items().await?;
    let count = || plain(r#"SELECT COUNT(*) FROM "Item""#);
    let mut connection = backend.connect().await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&target.compile(&insert(0, 1))?).await?;
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&target.compile(&insert(1, 2))?).await?;
    connection.rollback().await?;
    connection.commit().await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&count()).await?, (1,));
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&target.compile(&insert(5, 9))?).await?;
    drop(connection);
    let mut connection = backend.connect().await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&count()).await?, (1,));
    connection.begin(&TransactionOptions::default().read_only()).await?;
    let error = connection.execute(&target.compile(&insert(5, 9))?).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Permission);
    connection.rollback().await?;
    assert_eq!(connection.execute(&target.compile(&insert(5, 9))?).await?, 4);
    Ok(())
}

/// A write that never ends by itself.
fn endless_insert() -> Compiled<'static> {
    let numbers = "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    plain(&format!(r#"INSERT INTO "Item" ("Id") {numbers}"#))
}

/// SQLite takes a whole transaction back when a write in it is interrupted, its savepoints too.
#[tokio::test]
async fn a_transaction_that_sqlite_took_back_takes_nothing_but_a_rollback() -> Outcome {
    let (backend, target) = items().await?;
    let count = plain(r#"SELECT COUNT(*) FROM "Item""#);
    let into = target.bulk_insert("Item", &["Id", "Name"], &[])?;
    let one = insert(0, 1);
    let one = target.compile(&one)?;
    let options = TransactionOptions::default();
    for (timeout, depth) in [(true, 1), (true, 3), (false, 1), (false, 2)] {
        let mut connection = backend.connect().await?;
        for level in 0..depth {
            connection.begin(&options).await?;
            connection.execute(&target.compile(&insert(10 + level, 11 + level))?).await?;
        }
        if timeout {
            connection.set_statement_timeout(Some(Duration::from_millis(20))).await?;
            let error = connection.execute(&endless_insert()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout);
            connection.set_statement_timeout(None).await?;
        } else {
            let wait = Duration::from_millis(20);
            assert!(tokio::time::timeout(wait, connection.execute(&endless_insert())).await.is_err());
        }
        let refused = |done: isogloss_driver::Result<()>| {
            assert_eq!(done.unwrap_err().kind(), ErrorKind::TransactionFailed);
        };
        refused(connection.execute(&one).await.map(drop));
        refused(connection.fetch::<(i64,)>(&count).await.map(drop));
        refused(connection.stream::<(i64,)>(&count).try_collect::<Vec<_>>().await.map(drop));
        refused(connection.execute_many(&one, rows([[const { Value::Null }; 3]])).await.map(drop));
        refused(connection.bulk_insert(&into, rows([[1.into(), Value::Null]])).await.map(drop));
        refused(connection.script(r#"DELETE FROM "Item""#).await);
        refused(connection.begin(&options).await);
        refused(connection.commit().await);
        for _ in 0..depth {
            refused(connection.execute(&one).await.map(drop));
            connection.rollback().await?;
        }
        assert_eq!((connection.depth(), connection.fetch_one::<(i64,)>(&count).await?), (0, (0,)));
        // The next one is as any other.
        connection.begin(&options).await?;
        assert_eq!(connection.execute(&one).await?, 1);
        connection.rollback().await?;
    }
    // A rollback comes while the other thread has not yet seen that its write was given up.
    let mut connection = backend.connect().await?;
    for _ in 0..20 {
        connection.begin(&options).await?;
        let wait = Duration::from_millis(1);
        assert!(tokio::time::timeout(wait, connection.execute(&endless_insert())).await.is_err());
        connection.rollback().await?;
    }
    assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (0,));
    Ok(())
}

#[tokio::test]
async fn a_shift_by_more_bits_than_there_are_leaves_none() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    connection.execute(&target.compile(&insert(5, 6))?).await?;
    for (distance, up, down) in [(2, 20, 1), (64, 0, 0), (-1, 0, 0), (-64, 0, 0)] {
        let shift = |name| func(name, [prop("Id").into(), ValueTypeExpr::from(value(distance))]);
        let query = Expr::from(from("Item").select([shift("ShiftLeft").alias("U"), shift("ShiftRight").alias("D")]));
        assert_eq!(connection.fetch_one::<(i64, i64)>(&target.compile(&query)?).await?, (up, down), "{distance}");
    }
    Ok(())
}

/// A statement that never ends by itself.
fn endless() -> Compiled<'static> {
    plain("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n")
}

#[tokio::test(flavor = "current_thread")]
async fn a_long_statement_blocks_no_one_and_ends_in_time() -> Outcome {
    let (backend, _) = items().await?;
    let mut connection = backend.connect().await?;
    connection.set_statement_timeout(Some(Duration::from_millis(300))).await?;
    let ticks = tokio::spawn(async {
        let mut ticks = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(10)).await;
            ticks += 1;
            if ticks == 10 {
                return Instant::now();
            }
        }
    });
    let error = connection.fetch_one::<(i64,)>(&endless()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(ticks.await? < Instant::now(), "others went on meanwhile");
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7")).await?, (7,));
    Ok(())
}

#[tokio::test]
async fn a_dropped_future_leaves_a_usable_connection() -> Outcome {
    let (backend, target) = items().await?;
    for round in 0..20 {
        let mut connection = backend.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(round, round + 1))?).await?;
        let dropped = tokio::time::timeout(Duration::from_millis(5), connection.fetch_one::<(i64,)>(&endless())).await;
        assert!(dropped.is_err());
        drop(connection);
    }
    let mut connection = backend.connect().await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Item""#)).await?, (0,));
    Ok(())
}

#[tokio::test]
async fn a_pool_has_an_end() -> Outcome {
    let mut pool = PoolOptions::default();
    (pool.max, pool.wait) = (1, Duration::from_millis(50));
    let backend = SqliteBackend::open(SqliteOptions::memory().pool(pool)).await?;
    let held = backend.connect().await?;
    assert_eq!(backend.connect().await.unwrap_err().kind(), ErrorKind::PoolExhausted);
    drop(held);
    backend.connect().await?.ping().await?;
    Ok(())
}

/// A query of so many rows.
fn numbers(count: u32) -> Compiled<'static> {
    plain(&format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {count}) SELECT i FROM n"))
}

#[tokio::test]
async fn a_stream_reads_as_it_is_asked() -> Outcome {
    let (backend, _) = items().await?;
    let mut connection = backend.connect().await?;
    let thousand = numbers(1_000);
    let all: Vec<_> = connection.stream::<(i64,)>(&thousand).try_collect().await?;
    assert_eq!((all.len(), all.last()), (1_000, Some(&(1_000,))));
    // Endless, but for who reads it.
    let endless = numbers(u32::MAX);
    let begun = Instant::now();
    for _ in 0..3 {
        let some: Vec<_> = connection.stream::<(i64,)>(&endless).take(300).try_collect().await?;
        assert_eq!(some.len(), 300);
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7")).await?, (7,));
    let failing = plain("SELECT nothing");
    let error = connection.stream::<(i64,)>(&failing).try_collect::<Vec<_>>().await.unwrap_err();
    assert_eq!((error.kind(), error.sql()), (ErrorKind::Syntax, Some("SELECT nothing")));
    // The time between two rows is the reader's, the time for a row is limited.
    connection.set_statement_timeout(Some(Duration::from_millis(100))).await?;
    let thousand = numbers(1_000);
    let mut slow = pin!(connection.stream::<(i64,)>(&thousand));
    slow.try_next().await?;
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(slow.try_collect::<Vec<_>>().await?.len(), 999);
    Ok(())
}

#[tokio::test]
async fn many_rows_at_once_are_all_or_none() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    let into = target.bulk_insert("Item", &["Id", "Name"], &[])?;
    let row = |id: i64| [Value::from(id), format!("item {id}").into()];
    assert_eq!(connection.bulk_insert(&into, rows((0..5_000).map(row))).await?, 5_000);
    // The last row is there already.
    let error = connection.bulk_insert(&into, rows((5_000..6_000).chain([1]).map(row))).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UniqueViolation);
    let error = connection.bulk_insert(&into, rows([[Value::from("x"), Value::Null]])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    let count = plain(r#"SELECT COUNT(*) FROM "Item""#);
    assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (5_000,));

    // In a transaction, it is a part of it.
    connection.begin(&TransactionOptions::default()).await?;
    connection.execute(&target.compile(&insert(7_000, 7_001))?).await?;
    assert!(connection.bulk_insert(&into, rows([row(8_000), row(1)])).await.is_err());
    connection.commit().await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (5_001,));

    let rename = Expr::from(table("Item").update([("Name", "x")]).filter(prop("Id").eq(1)));
    let rename = target.compile(&rename)?;
    let names = (0..100).map(|id| [format!("new {id}").into(), Value::from(id)]);
    assert_eq!(connection.execute_many(&rename, rows(names)).await?, 100);
    let first = plain(r#"SELECT "Name" FROM "Item" WHERE "Id" = 42"#);
    assert_eq!(connection.fetch_one::<(String,)>(&first).await?, ("new 42".into(),));
    let error = connection.execute_many(&rename, rows([[Value::Null]])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadValue);
    Ok(())
}

/// SQLite's own functions take a number for a day since 4714 BC, let the 30th of February run over, and cut to milliseconds.
#[tokio::test]
async fn a_text_that_is_no_time_is_null() -> Outcome {
    type Text = Option<&'static str>;
    const CASES: [(&str, Text, Text, Text); 20] = [
        ("2024-01-31", Some("2024-01-31"), Some("2024-01-31 00:00:00"), Some("00:00:00")),
        ("2024-02-29 10:20", Some("2024-02-29"), Some("2024-02-29 10:20:00"), Some("10:20:00")),
        ("2024-01-31T10:20:30Z", Some("2024-01-31"), Some("2024-01-31 10:20:30"), Some("10:20:30")),
        ("2024-01-31 10:20:30.123456", Some("2024-01-31"), Some("2024-01-31 10:20:30.123456"), Some("10:20:30.123456")),
        (
            "2024-01-31 10:20:30.9999999",
            Some("2024-01-31"),
            Some("2024-01-31 10:20:30.999999"),
            Some("10:20:30.999999"),
        ),
        ("2024-01-31 10:20:30.5", Some("2024-01-31"), Some("2024-01-31 10:20:30.500"), Some("10:20:30.500")),
        ("10:20:30.25", None, None, Some("10:20:30.250")),
        ("10:20", None, None, Some("10:20:00")),
        ("2024-02-30", None, None, None),
        ("2023-02-29 10:20:30", None, None, None),
        ("2024-01-31 24:00:00", Some("2024-01-31"), None, None),
        ("25:00:00", None, None, None),
        ("10:61:00", None, None, None),
        ("12", None, None, None),
        ("1e3", None, None, None),
        ("now", None, None, None),
        ("20240131", None, None, None),
        ("2024-01-31 or so", None, None, None),
        ("", None, None, None),
        ("Ada", None, None, None),
    ];
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    let name = || prop("Name");
    let cast = |to: DbValueType| name().cast(to);
    let read = from("Item").select([cast(DbValueType::Date), cast(DbValueType::DateTime), cast(DbValueType::Time)]);
    let read = target.compile(&Expr::from(read))?.into_owned();
    for (text, date, moment, time) in CASES {
        connection.execute(&plain(r#"DELETE FROM "Item""#)).await?;
        let row = table("Item").insert(["Id", "Name"], vec![1.into(), text.into()]);
        connection.execute(&target.compile(&Expr::from(row))?).await?;
        let found: (Option<String>, Option<String>, Option<String>) = connection.fetch_one(&read).await?;
        let due = [date, moment, time].map(|text| text.map(str::to_owned));
        assert_eq!([found.0, found.1, found.2], due, "{text:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_row_of_many_has_the_types_of_its_statement() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    let (one, select) = (Expr::from(insert(0, 1)), plain(r#"SELECT "Name", "At" FROM "Item""#));
    let one = target.compile(&one)?;
    let row = |name: Value, at: &str| rows([[Value::from(1), name, at.into()]]);
    for (row, message) in [
        (row(Value::Null, "soon"), "row 1: value 3: "),
        (rows([[Value::Null]]), "row 1: it has 1 values, the statement 3 parameters"),
    ] {
        let error = connection.execute_many(&one, row).await.unwrap_err();
        assert!(error.kind() == ErrorKind::BadValue && error.message().starts_with(message), "{error}");
    }
    assert_eq!(connection.execute_many(&one, row("a".into(), "2024-01-31T10:00:00")).await?, 1);
    let found: (String, String) = connection.fetch_one(&select).await?;
    assert_eq!(found, ("a".into(), "2024-01-31 10:00:00".into()));
    Ok(())
}

#[tokio::test]
async fn a_transaction_ends_with_what_runs_in_it() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    let (options, count) = (TransactionOptions::default(), plain(r#"SELECT COUNT(*) FROM "Item""#));
    let (first, second) = (insert(0, 1), insert(1, 2));
    let (first, second) = (target.compile(&first)?, target.compile(&second)?);
    let done = connection
        .transaction(&options, async |connection| {
            connection.execute(&first).await?;
            let inner = connection.transaction(&options, async |connection| {
                connection.execute(&second).await?;
                connection.execute(&first).await
            });
            assert_eq!(inner.await.unwrap_err().kind(), ErrorKind::UniqueViolation);
            Ok::<_, isogloss_driver::Error>("kept")
        })
        .await?;
    assert_eq!((done, connection.depth()), ("kept", 0));
    assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (1,));
    let failed: Result<(), Box<dyn std::error::Error>> = connection
        .transaction(&options, async |connection| {
            connection.execute(&second).await?;
            Err("enough".into())
        })
        .await;
    assert_eq!((failed.unwrap_err().to_string(), connection.depth()), ("enough".to_owned(), 0));
    assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (1,));

    connection.begin(&options).await?;
    let error = connection.begin(&TransactionOptions::default().read_only()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Configuration);
    Ok(connection.rollback().await?)
}

#[tokio::test]
async fn a_transaction_runs_in_a_task_and_borrows_what_is_around_it() -> Outcome {
    let (backend, target) = items().await?;
    let mut connection = backend.connect().await?;
    let task = tokio::spawn(async move {
        let (options, mut done) = (TransactionOptions::default(), Vec::new());
        let (first, second) = (insert(0, 1), insert(1, 2));
        let all = async |connection: &mut AnyConnection| {
            done.push(connection.execute(&target.compile(&first)?).await?);
            connection
                .transaction(&options, async |connection| Ok(connection.execute(&target.compile(&second)?).await?))
                .await
        };
        let inner: Result<u64, Box<dyn std::error::Error + Send + Sync>> = connection.transaction(&options, all).await;
        done.push(inner?);
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(done)
    });
    assert_eq!(task.await?.map_err(|error| error.to_string())?, [1, 1]);
    Ok(())
}

/// Panics in its middle.
struct Panicking(i64);

impl isogloss_driver::RowSource for Panicking {
    fn next(&mut self, row: &mut Vec<Value>) -> isogloss_driver::Result<bool> {
        self.0 += 1;
        assert!(self.0 < 50, "no more of that");
        row.extend([Value::from(self.0), Value::Null]);
        Ok(true)
    }
}

#[tokio::test]
async fn rows_that_panic_leave_nothing_behind() -> Outcome {
    let (backend, target) = items().await?;
    let into = target.bulk_insert("Item", &["Id", "Name"], &[])?;
    let backend = Arc::new(backend);
    let other = Arc::clone(&backend);
    let panicked = tokio::spawn(async move {
        let mut connection = other.connect().await.unwrap();
        let _ = connection.bulk_insert(&into, Box::new(Panicking(0))).await;
    });
    assert!(panicked.await.unwrap_err().is_panic());
    let mut connection = backend.connect().await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Item""#)).await?, (0,));
    connection.begin(&TransactionOptions::default()).await?;
    Ok(connection.commit().await?)
}

#[tokio::test]
async fn what_a_script_has_set_is_not_the_next_one_s() -> Outcome {
    let file = std::env::temp_dir().join(format!("isogloss-script-{}.db", std::process::id()));
    let backend = SqliteBackend::open(SqliteOptions::file(&file)).await?;
    let script = "CREATE TABLE t (a); PRAGMA query_only = 1; CREATE TEMP TABLE u (a); PRAGMA foreign_keys = 0; BEGIN";
    let mut connection = backend.connect().await?;
    // A temporary table is no longer to be made once only reads are allowed.
    assert!(connection.script(script).await.is_err());
    drop(connection);
    let mut connection = backend.connect().await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("PRAGMA query_only")).await?, (0,));
    assert_eq!(connection.execute(&plain("INSERT INTO t VALUES (1)")).await?, 1);
    drop((connection, backend));
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
    }
    Ok(())
}

#[tokio::test]
async fn keys_come_back_in_the_order_of_their_rows() -> Outcome {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    let note = TableDef::new("Note")
        .column(ColumnDef::new("Id", DbValueType::Int64).primary_key().identity(1, 1))
        .column(ColumnDef::new("Text", DbValueType::String));
    let target = Compiler::new(Catalog::builder().table(note).build()?).target(backend.dialect());
    let mut connection = backend.connect().await?;
    connection.script(r#"CREATE TABLE "Note" ("Id" INTEGER PRIMARY KEY AUTOINCREMENT, "Text" TEXT NOT NULL)"#).await?;
    let into = target.bulk_insert("Note", &["Text"], &[])?;
    let keys = connection.bulk_insert_keys(&into, rows(["a", "b", "c"].map(|text| [Value::from(text)]))).await?;
    assert_eq!(keys, [1.into(), 2.into(), 3.into()]);
    let error = connection.bulk_insert_keys(&into, rows([[Value::Null]])).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Compile);
    let keys = connection.bulk_insert_keys(&into, rows([[Value::from("d")]])).await?;
    let found = connection.fetch_one::<(i64,)>(&plain(r#"SELECT "Id" FROM "Note" WHERE "Text" = 'd'"#)).await?;
    assert_eq!(keys, [Value::from(found.0)]);
    Ok(())
}

#[tokio::test]
async fn a_name_that_is_no_column_is_no_text() -> Outcome {
    let (backend, _) = items().await?;
    let mut connection = backend.connect().await?;
    let error = connection.execute(&plain(r#"SELECT 1 FROM "Item" WHERE "Nmae" = 'a'"#)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Syntax, "{error}");
    Ok(())
}

/// Each is the first or the last to have the file open at some time, so that the log is made, recovered and removed while
/// others come.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn many_open_and_close_a_file_at_once() -> Outcome {
    let path = std::env::temp_dir().join(format!("isogloss-busy-{}.db", std::process::id()));
    let mut tasks = Vec::new();
    for task in 0..8 {
        let path = path.clone();
        tasks.push(tokio::spawn(async move {
            for turn in 0..25 {
                let backend = SqliteBackend::open(SqliteOptions::file(&path)).await?;
                let mut connection = backend.connect().await?;
                connection.execute(&plain("CREATE TABLE IF NOT EXISTS t (task INTEGER, turn INTEGER)")).await?;
                connection.execute(&plain(&format!("INSERT INTO t VALUES ({task}, {turn})"))).await?;
            }
            Ok::<(), isogloss_driver::Error>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    let backend = SqliteBackend::open(SqliteOptions::file(&path)).await?;
    let (rows,): (i64,) = backend.connect().await?.fetch_one(&plain("SELECT count(*) FROM t")).await?;
    assert_eq!(rows, 200);
    drop(backend);
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{suffix}", path.display()));
    }
    Ok(())
}
