//! What a statement leaves in its session is not the next one's: of a file, of a shared database in memory, and of one alone.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::PathBuf;

use futures_util::{FutureExt, TryStreamExt};
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, PoolOptions, Result, rows};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn plain(sql: &str) -> Compiled<'static> {
    Compiled { sql: sql.to_owned(), ..Compiled::default() }
}

struct File(PathBuf);

impl Drop for File {
    fn drop(&mut self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

/// Statements, and what gives 0 where nothing is left of them.
const LEAVINGS: [(&str, &str); 9] = [
    ("PRAGMA foreign_keys = OFF", "SELECT 1 - foreign_keys FROM pragma_foreign_keys"),
    ("/* so */ pragma query_only = ON", "SELECT query_only FROM pragma_query_only"),
    ("PRAGMA recursive_triggers = ON", "SELECT recursive_triggers FROM pragma_recursive_triggers"),
    ("PRAGMA case_sensitive_like = ON", "SELECT 'a' NOT LIKE 'A'"),
    ("CREATE TEMP TABLE u (a)", "SELECT COUNT(*) FROM sqlite_temp_schema"),
    ("ATTACH ':memory:' AS other", "SELECT COUNT(*) FROM pragma_database_list WHERE name = 'other'"),
    ("BEGIN", "SELECT 0"),
    ("SAVEPOINT one", "SELECT 0"),
    ("PRAGMA foreign_keys(0)", "SELECT 1 - foreign_keys FROM pragma_foreign_keys"),
];

#[derive(Debug, Clone, Copy)]
enum Way {
    Execute,
    Query,
    Stream,
    Many,
    Script,
}

const WAYS: [Way; 5] = [Way::Execute, Way::Query, Way::Stream, Way::Many, Way::Script];

async fn run(connection: &mut AnyConnection, way: Way, sql: &str) -> Result<()> {
    let statement = plain(sql);
    match way {
        Way::Execute => connection.execute(&statement).await.map(drop),
        Way::Query => connection.fetch::<Vec<Value>>(&statement).await.map(drop),
        Way::Stream => {
            let mut rows = Box::pin(connection.stream::<Vec<Value>>(&statement));
            rows.try_next().await.map(drop)
        }
        Way::Many => connection.execute_many(&statement, rows([[]])).await.map(drop),
        Way::Script => connection.script(sql).await,
    }
}

async fn number(connection: &mut AnyConnection, sql: &str) -> Result<i64> {
    Ok(connection.fetch_one::<(i64,)>(&plain(sql)).await?.0)
}

#[tokio::test]
async fn what_a_statement_leaves_is_not_the_next_one_s() -> Outcome {
    let file = File(std::env::temp_dir().join(format!("isogloss-leavings-{}.db", std::process::id())));
    let mut shared = SqliteOptions::file("isogloss-leavings");
    shared.shared_memory = true;
    for options in [SqliteOptions::file(&file.0), shared, SqliteOptions::memory()] {
        let mut pool = PoolOptions::default();
        pool.max = 1;
        let backend = SqliteBackend::open(options.pool(pool)).await?;
        backend.connect().await?.execute(&plain("CREATE TABLE t (id INTEGER PRIMARY KEY)")).await?;
        let mut count = 0;
        for way in WAYS {
            for (sql, left) in LEAVINGS {
                let mut connection = backend.connect().await?;
                run(&mut connection, way, sql).await?;
                drop(connection);
                let mut connection = backend.connect().await?;
                assert_eq!(number(&mut connection, left).await?, 0, "{way:?} {sql}");
                // What is written next is kept, and all of before is there.
                assert_eq!(connection.execute(&plain("INSERT INTO t DEFAULT VALUES")).await?, 1, "{way:?} {sql}");
                count += 1;
                drop(connection);
                assert_eq!(number(&mut backend.connect().await?, "SELECT COUNT(*) FROM t").await?, count, "{sql}");
            }
        }
    }
    Ok(())
}

/// The usual statements cost no connection, which would forget what it has counted.
#[tokio::test]
async fn what_leaves_nothing_keeps_its_session() -> Outcome {
    let file = File(std::env::temp_dir().join(format!("isogloss-kept-{}.db", std::process::id())));
    for options in [SqliteOptions::file(&file.0), SqliteOptions::memory()] {
        let backend = SqliteBackend::open(options).await?;
        backend.connect().await?.script("CREATE TABLE t (id INTEGER PRIMARY KEY)").await?;
        let mut changes = 0;
        for way in [Way::Execute, Way::Query, Way::Stream, Way::Many] {
            for sql in
                ["INSERT INTO t DEFAULT VALUES", " with w AS (SELECT 1) SELECT * FROM w", "SELECT 1", "VALUES (1)"]
            {
                run(&mut backend.connect().await?, way, sql).await?;
            }
            changes += 1;
            assert_eq!(number(&mut backend.connect().await?, "SELECT total_changes()").await?, changes, "{way:?}");
        }
    }
    Ok(())
}

/// A database in memory outlives a caller who gives up while it is copied, and it comes with all that it has.
#[tokio::test]
async fn a_copy_that_nobody_waits_for_loses_nothing() -> Outcome {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    let script = "PRAGMA page_size = 8192; PRAGMA encoding = 'UTF-16'; VACUUM; PRAGMA user_version = 7; \
                  CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT); INSERT INTO t \
                  WITH RECURSIVE g (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM g LIMIT 1000) SELECT n, hex(randomblob(1000)) FROM g";
    backend.connect().await?.script(script).await?;
    let mut given_up = 0;
    for _ in 0..20 {
        backend.connect().await?.execute(&plain("PRAGMA foreign_keys = OFF")).await?;
        given_up += u32::from(backend.connect().now_or_never().is_none());
    }
    assert!(given_up > 0, "each copy was there at once");
    let mut connection = backend.connect().await?;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM t").await?, 1000);
    assert_eq!(number(&mut connection, "SELECT foreign_keys FROM pragma_foreign_keys").await?, 1);
    assert_eq!(number(&mut connection, "SELECT user_version FROM pragma_user_version").await?, 7);
    Ok(())
}
