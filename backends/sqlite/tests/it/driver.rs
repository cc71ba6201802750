//! Statements on SQLite itself.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, Target};
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, PoolOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::support::{File, Outcome, plain};

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
    let twice = |most: &str| plain(format!("SELECT length(note || {most}) FROM t"));
    let length: (i64,) = connection.fetch_one(&twice("note")).await?;
    assert_eq!(length, (2 << 20,));
    for sql in [twice("note || 'a'"), twice("replace(note, '0', 'long')")] {
        let error = connection.fetch_one::<(i64,)>(&sql).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
    }
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

/// The statement is all right, the values are not: SQLite has no code for that.
#[tokio::test]
async fn a_value_that_cannot_be_computed_with_is_a_bad_value() -> Outcome {
    let (backend, _) = items().await?;
    let mut connection = backend.connect().await?;
    connection.script("CREATE TABLE c (p INTEGER) STRICT").await?;
    for sql in [
        "SELECT SUM(i) FROM (SELECT 9223372036854775807 AS i UNION ALL SELECT 1)",
        "SELECT 'x' LIKE REPLACE(HEX(ZEROBLOB(30000)), '0', 'x')",
        "SELECT JSON_EXTRACT('{', '$.a')",
        "INSERT INTO c VALUES ('x') RETURNING p",
    ] {
        let error = connection.fetch_first::<(Option<i64>,)>(&plain(sql)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");
    }
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
    let file = File::new()?;
    let options = |path: &Path| {
        let mut options = SqliteOptions::file(path);
        options.busy_timeout = Duration::from_secs(3600);
        options
    };
    let mut tasks = Vec::new();
    for task in 0..8 {
        let path = file.0.clone();
        tasks.push(tokio::spawn(async move {
            for turn in 0..25 {
                let backend = SqliteBackend::open(options(&path)).await?;
                let mut connection = backend.connect().await?;
                connection.execute(&plain("CREATE TABLE IF NOT EXISTS t (task INTEGER, turn INTEGER)")).await?;
                connection.execute(&plain(format!("INSERT INTO t VALUES ({task}, {turn})"))).await?;
            }
            Ok::<(), isogloss_driver::Error>(())
        }));
    }
    for task in tasks {
        task.await??;
    }
    let backend = SqliteBackend::open(SqliteOptions::file(&file.0)).await?;
    let (rows,): (i64,) = backend.connect().await?.fetch_one(&plain("SELECT count(*) FROM t")).await?;
    assert_eq!(rows, 200);
    Ok(())
}
