//! What a statement leaves in its session is not the next one's.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, reason = "a test")]

mod live;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Result, TransactionOptions, rows};
use live::{Database, Outcome, number, plain, servers};

const SCHEMA: &str = "CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB; \
                      CREATE PROCEDURE spoil() SET @x = 5, sql_mode = ''";

/// Statements, and what gives 0 where nothing is left of them.
const LEAVINGS: [(&str, &str); 14] = [
    ("SET autocommit = 0", "SELECT 1 - @@autocommit"),
    ("/* so */ set autocommit = 0", "SELECT 1 - @@autocommit"),
    ("SELECT /*! 1, */ 1", "SELECT 0"),
    ("SET @x = 5", "SELECT @x IS NOT NULL"),
    ("SELECT @x := 5", "SELECT @x IS NOT NULL"),
    ("SELECT '''\\'', 5 INTO @y, @x", "SELECT @x IS NOT NULL"),
    ("WITH w AS (SELECT 5 AS a) SELECT a FROM w -- it's\nINTO @x", "SELECT @x IS NOT NULL"),
    ("USE mysql", "SELECT DATABASE() = 'mysql'"),
    ("SET sql_mode = ''", "SELECT @@sql_mode = ''"),
    ("CALL spoil()", "SELECT @@sql_mode = '' OR @x IS NOT NULL"),
    ("(SELECT get_lock('isogloss', 0))", "SELECT COALESCE(IS_USED_LOCK('isogloss') = CONNECTION_ID(), 0)"),
    ("DO GET_LOCK('isogloss', 0)", "SELECT COALESCE(IS_USED_LOCK('isogloss') = CONNECTION_ID(), 0)"),
    ("START TRANSACTION", "SELECT 0"),
    ("LOCK TABLES t WRITE", "SELECT 0"),
];

#[derive(Debug, Clone, Copy)]
enum Way {
    Execute,
    Query,
    Stream,
    Many,
}

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
    }
}

#[tokio::test]
async fn what_a_statement_leaves_is_not_the_next_one_s() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        backend.connect().await?.script(SCHEMA).await?;
        for way in [Way::Execute, Way::Query, Way::Stream, Way::Many] {
            for (sql, left) in LEAVINGS {
                let mut connection = backend.connect().await?;
                let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
                // Some run as text alone, which only `execute` does.
                let done = run(&mut connection, way, sql).await;
                assert!(done.is_ok() || !matches!(way, Way::Execute), "{way:?} {sql}: {done:?}");
                drop(connection);
                let mut connection = backend.connect().await?;
                assert_ne!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "{way:?} {sql}");
                assert_eq!(number(&mut *connection, left).await, 0, "{way:?} {sql}");
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_the_next_one_writes_is_kept() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        backend.connect().await?.script(SCHEMA).await?;
        for (id, sql) in [(1, "SET autocommit = 0"), (2, "START TRANSACTION"), (3, "CREATE TEMPORARY TABLE t (id INT)")]
        {
            backend.connect().await?.execute(&plain(sql)).await?;
            let write = plain(&format!("INSERT INTO t VALUES ({id})"));
            assert_eq!(backend.connect().await?.execute(&write).await?, 1);
            let other = database.pool(1).await;
            let found = number(&mut *other.connect().await?, &format!("SELECT COUNT(*) FROM t WHERE id = {id}")).await;
            assert_eq!(found, 1, "{sql}");
        }
    }
    Ok(())
}

/// The usual statements cost no connection.
#[tokio::test]
async fn what_leaves_nothing_keeps_its_session() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        backend.connect().await?.script(SCHEMA).await?;
        let id = number(&mut *backend.connect().await?, "SELECT CONNECTION_ID()").await;
        for sql in [
            "INSERT INTO t VALUES (1)",
            "UPDATE t SET id = 2 WHERE 'me@here' <> \"@x := 5\" # @x\n",
            "( SELECT @@autocommit, `id` FROM t /* @x */ )",
            "WITH w AS (SELECT 1 AS a) SELECT a FROM w",
            "REPLACE INTO t VALUES (2)",
            "DELETE FROM t",
            "SHOW TABLES",
        ] {
            for way in [Way::Execute, Way::Query, Way::Stream, Way::Many] {
                let mut connection = backend.connect().await?;
                // What is done twice may fail, which leaves nothing either.
                let _ = run(&mut connection, way, sql).await;
                drop(connection);
                let mut connection = backend.connect().await?;
                assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "{way:?} {sql}");
            }
        }
        let mut connection = backend.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain("INSERT INTO t VALUES (7)")).await?;
        drop(connection);
        let mut connection = backend.connect().await?;
        assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID() - 7 * COUNT(*) FROM t").await, id);
    }
    Ok(())
}

/// What a statement has set is not lost unheard, as what a script has set is not.
#[tokio::test]
async fn another_session_takes_no_place_where_something_was_set() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        let killer = database.pool(1).await;
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        connection.execute(&plain("SET @tenant = 1")).await?;
        killer.connect().await?.script(&format!("KILL {id}")).await?;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        for _ in 0..2 {
            let error = connection.execute(&plain("SELECT 1")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
        }
    }
    Ok(())
}
