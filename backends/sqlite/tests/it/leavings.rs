//! What a statement leaves in its session is not the next one's: of a database in memory that one connection has.

use futures_util::{FutureExt, TryStreamExt};
use isogloss_compiler::expr::Value;
use isogloss_driver::{Backend, ConnectionExt, rows};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::support::{File, Outcome, number, plain};

/// A database in memory that one connection has alone is copied, and loses nothing.
#[tokio::test]
async fn what_a_statement_leaves_is_not_the_next_one_s() -> Outcome {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    backend.connect().await?.execute(&plain("CREATE TABLE t (id INTEGER PRIMARY KEY)")).await?;
    for (count, (sql, left)) in (1..).zip([
        ("PRAGMA foreign_keys = OFF", "SELECT 1 - foreign_keys FROM pragma_foreign_keys"),
        ("CREATE TEMP TABLE u (a)", "SELECT COUNT(*) FROM sqlite_temp_schema"),
        ("ATTACH ':memory:' AS other", "SELECT COUNT(*) FROM pragma_database_list WHERE name = 'other'"),
        ("BEGIN", "SELECT 0"),
        ("SAVEPOINT one", "SELECT 0"),
    ]) {
        let mut connection = backend.connect().await?;
        match count % 2 {
            0 => connection.script(sql).await?,
            _ => drop(connection.execute(&plain(sql)).await?),
        }
        drop(connection);
        let mut connection = backend.connect().await?;
        assert_eq!(number(&mut *connection, left).await?, 0, "{sql}");
        assert_eq!(connection.execute(&plain("INSERT INTO t DEFAULT VALUES")).await?, 1, "{sql}");
        connection.close();
        drop(connection);
        assert_eq!(number(&mut *backend.connect().await?, "SELECT COUNT(*) FROM t").await?, count, "{sql}");
    }
    Ok(())
}

/// The usual statements cost no connection, which would forget what it has counted.
#[tokio::test]
async fn what_leaves_nothing_keeps_its_session() -> Outcome {
    let file = File::new()?;
    for options in [SqliteOptions::file(&file.0), SqliteOptions::memory()] {
        let backend = SqliteBackend::open(options).await?;
        backend.connect().await?.script("CREATE TABLE t (id INTEGER PRIMARY KEY)").await?;
        let mut changes = 0;
        for way in ["execute", "fetch", "stream", "many"] {
            for sql in
                ["INSERT INTO t DEFAULT VALUES", " with w AS (SELECT 1) SELECT * FROM w", "SELECT 1", "VALUES (1)"]
            {
                let (mut connection, statement) = (backend.connect().await?, plain(sql));
                match way {
                    "execute" => drop(connection.execute(&statement).await?),
                    "fetch" => drop(connection.fetch::<Vec<Value>>(&statement).await?),
                    "stream" => drop(Box::pin(connection.stream::<Vec<Value>>(&statement)).try_next().await?),
                    _ => drop(connection.execute_many(&statement, rows([[]])).await?),
                }
            }
            changes += 1;
            assert_eq!(number(&mut *backend.connect().await?, "SELECT total_changes()").await?, changes, "{way}");
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
    assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await?, 1000);
    assert_eq!(number(&mut *connection, "SELECT foreign_keys FROM pragma_foreign_keys").await?, 1);
    assert_eq!(number(&mut *connection, "SELECT user_version FROM pragma_user_version").await?, 7);
    Ok(())
}
