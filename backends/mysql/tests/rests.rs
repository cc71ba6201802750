//! What is left of an answer that nobody wants, on MySQL and MariaDB.
#![cfg(feature = "driver")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

mod live;

use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use futures_util::future::try_join_all;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, TransactionOptions, rows};
use isogloss_mysql::driver::MySqlBackend;
use live::heard::Heard;
use live::{Database, Outcome, number, plain, servers};

/// What a call may take that has to wait for nothing, on a machine with much to do. What is given up takes far longer.
const SOON: Duration = Duration::from_secs(30);

/// Rows of which the first 300 come at once, and then so many in half a second each. A stream takes 32 at first, and the
/// server keeps no row that is so long.
fn slow(rows: u32) -> String {
    let all = 300 + rows;
    format!(
        "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {all}) \
         SELECT n FROM s WHERE n <= 300 OR SLEEP(0.5) = 0"
    )
}

fn write(table: &str, rows: u32) -> String {
    format!("INSERT INTO {table} {} RETURNING id, REPEAT('x', 20000)", slow(rows))
}

/// Takes the first row of a stream.
async fn first(connection: &mut AnyConnection, sql: &str) -> isogloss_driver::Result<()> {
    let statement = plain(sql);
    let mut rows = Box::pin(connection.stream::<Vec<Value>>(&statement));
    assert!(rows.try_next().await?.is_some(), "{sql}");
    Ok(())
}

/// MariaDB's servers: MySQL has no write that gives rows.
async fn writers() -> Vec<(Database, MySqlBackend)> {
    let mut found = Vec::new();
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        if live::is_mariadb(&backend) {
            found.push((database, backend));
        }
    }
    found
}

/// As long as a statement may take: it commits by itself, and its caller has rows of it.
///
/// The write takes 8 s. That is 3 s more than what only reads has to be tidied up, which is not its limit, and 7 s more than
/// the limit that ends it.
#[tokio::test]
async fn a_long_write_is_not_ended_behind_the_back_of_who_took_its_first_row() -> Outcome {
    for (_database, backend) in writers().await {
        let (heard, _listens) = Heard::listen();
        let tries = [(None, 316), (Some(Duration::from_secs(60)), 316), (Some(Duration::from_secs(1)), 0)];
        let tried = tries.into_iter().enumerate().map(|(n, (limit, count))| {
            let backend = &backend;
            async move {
                let mut watches = backend.connect().await?;
                watches.script(&format!("CREATE TABLE w{n} (id INT PRIMARY KEY) ENGINE = InnoDB")).await?;
                let mut connection = backend.connect().await?;
                let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
                connection.set_statement_timeout(limit).await?;
                first(&mut connection, &write(&format!("w{n}"), 16)).await?;
                drop(connection);
                let runs = format!(
                    "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id} AND COMMAND <> 'Sleep'"
                );
                let ended = async {
                    while number(&mut *watches, &runs).await > 0 {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                    }
                };
                tokio::time::timeout(SOON, ended).await.unwrap();
                let found = number(&mut *watches, &format!("SELECT COUNT(*) FROM w{n}")).await;
                assert_eq!(found, count, "{limit:?}");
                Ok::<_, isogloss_driver::Error>(())
            }
        });
        try_join_all(tried).await?;
        let warned = async {
            while heard.said().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(SOON, warned).await?;
        let said = heard.said();
        assert!(said.len() == 1 && said.iter().all(|text| text.contains("a write was ended")), "{said:?}");
    }
    Ok(())
}

/// The next statement hears of the write; nobody takes that for what became of the statement.
#[tokio::test]
async fn a_statement_that_was_not_sent_is_not_in_doubt() -> Outcome {
    for (_database, backend) in writers().await {
        let (heard, _listens) = Heard::listen();
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE w (id INT PRIMARY KEY); CREATE TABLE t (id INT PRIMARY KEY)").await?;
        let mut connection = backend.connect().await?;
        connection.set_statement_timeout(Some(Duration::from_secs(1))).await?;
        first(&mut connection, &write("w", 200)).await?;
        let insert = plain("INSERT INTO t VALUES (1)");
        let error = connection.execute(&insert).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, Some("1317")), "{error}");
        assert!(!error.is_in_doubt() && error.message().contains("this one was not sent"), "{error}");
        assert_eq!(heard.said().len(), 1);
        assert_eq!(number(&mut *connection, "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM w)").await, 0);
        assert_eq!(connection.execute(&insert).await?, 1);
    }
    Ok(())
}

/// Ends a connection, and waits until it is gone.
async fn end(id: i64, watches: &mut AnyConnection) -> Outcome {
    watches.execute(&plain(format!("KILL {id}"))).await?;
    let there = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    while number(&mut **watches, &there).await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_statement_behind_a_write_that_is_lost_was_not_sent() -> Outcome {
    for (_database, backend) in writers().await {
        let mut watches = backend.connect().await?;
        watches.script("CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB; CREATE TABLE t (id INT)").await?;
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        first(&mut connection, &write("w", 200)).await?;
        end(id, &mut watches).await?;
        let error = connection.execute(&plain("INSERT INTO t VALUES (1)")).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{error}");
        assert!(error.message().contains("this one was not sent"), "{error}");
        assert_eq!(number(&mut *watches, "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM w)").await, 0);
    }
    Ok(())
}

/// A connection with a script behind it is not opened again.
#[tokio::test]
async fn a_statement_behind_a_script_that_is_lost_was_not_sent() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut connection = database.backend().await.connect().await?;
        connection.script("CREATE TABLE t (id INT)").await?;
        let slow = plain("SELECT SLEEP(20)");
        assert!(tokio::time::timeout(Duration::from_millis(100), connection.execute(&slow)).await.is_err());
        let error = connection.execute(&plain("INSERT INTO t VALUES (1)")).await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{error}");
    }
    Ok(())
}

/// A statement is prepared before it is sent, and a server is told of its limit before that.
#[tokio::test]
async fn a_statement_that_is_lost_before_it_is_sent_is_in_no_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut watches = backend.connect().await?;
        watches.script("CREATE TABLE t (id INT)").await?;
        let insert = plain("INSERT INTO t VALUES (1)");
        for (many, kept, told) in [(false, false, true), (true, false, true), (false, true, false), (false, true, true)]
        {
            let what = format!("many {many}, kept {kept}, told {told}");
            let mut connection = backend.connect().await?;
            if kept {
                connection.execute(&insert).await?;
            }
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            if !told {
                connection.set_statement_timeout(Some(Duration::from_secs(77))).await?;
            }
            end(id, &mut watches).await?;
            let done = match many {
                true => connection.execute_many(&insert, rows([[], []])).await,
                false => connection.execute(&insert).await,
            };
            let error = done.unwrap_err();
            let found = (error.kind(), error.is_in_doubt());
            assert_eq!(found, (ErrorKind::ConnectionLost, kept && told), "{what}: {error}");
        }
        assert_eq!(number(&mut *watches, "SELECT COUNT(*) FROM t").await, 2);
    }
    Ok(())
}

/// What is left of a write has its own time.
#[tokio::test]
async fn the_rest_of_a_write_takes_nothing_of_the_next_statements_time() -> Outcome {
    for (database, _) in writers().await {
        let mut pool = live::pool(1);
        (pool.grace, pool.statement_timeout) = (Duration::from_millis(100), Some(Duration::from_secs(10)));
        let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
        let mut connection = backend.connect().await?;
        connection.execute(&plain("CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB")).await?;
        first(&mut connection, &write("w", 12)).await?;
        let slow = "SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2) AS s WHERE SLEEP(3) = 0";
        assert_eq!(number(&mut *connection, slow).await, 2);
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM w").await, 312);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_write_fails_with_whose_rows_were_given_up_is_told_or_warned_of() -> Outcome {
    for (_database, backend) in writers().await {
        let (heard, _listens) = Heard::listen();
        backend.connect().await?.script("CREATE TABLE w (id INT PRIMARY KEY); INSERT INTO w VALUES (301)").await?;
        let insert = plain("INSERT INTO w VALUES (-1)");
        let mut connection = backend.connect().await?;
        first(&mut connection, &write("w", 1)).await?;
        let error = connection.execute(&insert).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::UniqueViolation, Some("1062")), "{error}");
        assert!(error.message().contains("this one was not sent"), "{error}");
        // It is told once.
        assert_eq!(connection.execute(&insert).await?, 1);
        first(&mut connection, &write("w", 1)).await?;
        drop(connection);
        let warned = async {
            while heard.said().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(SOON, warned).await?;
        let said = heard.said();
        assert!(said.len() == 1 && said.iter().all(|text| text.contains("a write has failed")), "{said:?}");
    }
    Ok(())
}

#[tokio::test]
async fn what_is_taken_back_is_not_waited_for() -> Outcome {
    for (_database, backend) in writers().await {
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB").await?;
        let plainly = TransactionOptions::default();
        for within in [false, true] {
            let begun = Instant::now();
            let mut connection = backend.connect().await?;
            connection.begin(&plainly).await?;
            connection.execute(&plain("INSERT INTO w VALUES (-1)")).await?;
            if within {
                connection.begin(&plainly).await?;
            }
            first(&mut connection, &write("w", 200)).await?;
            connection.rollback().await?;
            if within {
                connection.commit().await?;
            }
            let there = number(&mut *connection, "SELECT COUNT(*) FROM w").await;
            assert_eq!((connection.depth(), there), (0, i64::from(within)));
            assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
        }
    }
    Ok(())
}

/// Whatever its columns are called.
#[tokio::test]
async fn a_query_that_is_given_up_is_not_waited_for() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut connection = database.backend().await.connect().await?;
        connection.set_statement_timeout(None).await?;
        let begun = Instant::now();
        let query = slow(200).replace("SELECT n FROM", "SELECT n AS updated_at, REPEAT('x', 20000) FROM");
        first(&mut connection, &query).await?;
        assert_eq!(number(&mut *connection, "SELECT 5").await, 5);
        assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    }
    Ok(())
}

/// What a procedure does behind its first rows has the time of a statement, and not the grace behind that.
#[tokio::test]
async fn the_rest_of_a_procedure_is_ended_in_time() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut pool = live::pool(1);
        pool.grace = Duration::from_secs(600);
        let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
        // A sleep that is no part of a query ends without an error.
        let slow = "CREATE PROCEDURE slow() BEGIN SELECT 1; \
                    SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2) AS s WHERE SLEEP(40) = 0; END";
        backend.connect().await?.script(slow).await?;
        let mut connection = backend.connect().await?;
        connection.set_statement_timeout(Some(Duration::from_secs(1))).await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let call = plain("CALL slow()");
        for way in ["execute", "fetch", "first", "stream"] {
            let begun = Instant::now();
            let done = match way {
                "execute" => connection.execute(&call).await.map(drop),
                "fetch" => connection.fetch::<Vec<Value>>(&call).await.map(drop),
                "first" => connection.fetch_first::<Vec<Value>>(&call).await.map(drop),
                _ => connection.stream::<Vec<Value>>(&call).try_collect::<Vec<_>>().await.map(drop),
            };
            let error = done.expect_err(way);
            assert_eq!(error.kind(), ErrorKind::Timeout, "{way}: {error}");
            assert!(begun.elapsed() < SOON, "{way}: {:?}", begun.elapsed());
            assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "{way}");
        }
    }
    Ok(())
}

/// A statement has its time once, until its first row and behind that.
#[tokio::test]
async fn a_statement_has_its_time_once() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let slow = "CREATE PROCEDURE slow() BEGIN \
                    SELECT REPEAT('x', 20000) FROM (SELECT 1 UNION SELECT 2) AS s WHERE SLEEP(0.75) = 0; \
                    SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2) AS s WHERE SLEEP(0.5) = 0; END";
        backend.connect().await?.script(slow).await?;
        let mut connection = backend.connect().await?;
        connection.set_statement_timeout(Some(Duration::from_secs(2))).await?;
        let call = plain("CALL slow()");
        for fetched in [false, true] {
            let done = match fetched {
                true => connection.fetch::<Vec<Value>>(&call).await.map(drop),
                false => connection.execute(&call).await.map(drop),
            };
            assert_eq!(done.map_err(|error| error.kind()), Err(ErrorKind::Timeout), "{url} fetched {fetched}");
        }
    }
    Ok(())
}
