//! What is left of an answer that nobody wants, on MySQL and MariaDB.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::Value;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, TransactionOptions, rows};
use isogloss_mysql::driver::MySqlBackend;
use isogloss_testkit::events::{Events, capture};
use tracing::Level;

use crate::live::clock::{advance, frozen, in_time, real_pause};
use crate::live::{
    Database, Outcome, given_up, is_mariadb, number, plain, pool, servers, until, until_gone, until_running,
};

/// So many rows that nobody waits for their end: each takes half a second.
const ENDLESS: u32 = 10_000;

/// Rows of which the first 300 come at once, and then so many after a condition on each. A stream takes 32 at first, and the
/// server keeps no row that is so long.
fn rest(rows: u32, condition: &str) -> String {
    let all = 300 + rows;
    format!(
        "WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {all}) \
         SELECT n FROM s WHERE n <= 300 OR {condition}"
    )
}

/// The rest comes in half a second a row.
fn slow(rows: u32) -> String {
    rest(rows, "SLEEP(0.5) = 0")
}

fn write(table: &str, rows: u32) -> String {
    format!("INSERT INTO {table} {} RETURNING id, REPEAT('x', 20000)", slow(rows))
}

/// A write whose rest comes when the gate is opened.
fn gated_write(table: &str, gate: &Gate) -> String {
    format!("INSERT INTO {table} {} RETURNING id, REPEAT('x', 20000)", rest(16, &gate.passed()))
}

/// A lock that a statement waits for until the test releases it.
struct Gate(String);

impl Gate {
    /// What a function locks is not seen by the driver, to which GET_LOCK would be a change of the session.
    const FUNCTION: &str = "CREATE FUNCTION gate(name VARCHAR(64)) RETURNS INT RETURN GET_LOCK(name, 100000)";

    /// A gate that this connection keeps closed.
    async fn closed(database: &Database, name: &str, keeper: &mut AnyConnection) -> Self {
        let gate = Self(format!("{}_{name}", database.name));
        assert_eq!(number(&mut **keeper, &format!("SELECT GET_LOCK('{}', 0)", gate.0)).await, 1);
        gate
    }

    fn passed(&self) -> String {
        format!("gate('{}') = 1", self.0)
    }

    async fn open(&self, keeper: &mut AnyConnection) {
        assert_eq!(number(&mut **keeper, &format!("SELECT RELEASE_LOCK('{}')", self.0)).await, 1);
    }
}

/// Waits for so many warnings, and gives all that there are.
async fn warned(events: &Events, count: usize) -> Vec<String> {
    let mut messages = Vec::new();
    in_time(async {
        while messages.len() < count {
            real_pause().await;
            messages.extend(events.take_messages());
        }
    })
    .await;
    messages
}

/// Captures what the driver warns of.
fn warnings() -> (Events, impl Sized) {
    capture("isogloss", Level::WARN)
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
        if is_mariadb(&backend) {
            found.push((database, backend));
        }
    }
    found
}

/// As long as a statement may take: it commits by itself, and its caller has rows of it. What only reads has five seconds to
/// be tidied up, which is not the limit of a write.
#[tokio::test]
async fn a_long_write_is_not_ended_behind_the_back_of_who_took_its_first_row() -> Outcome {
    const LIMIT: Duration = Duration::from_secs(600);
    for (database, backend) in writers().await {
        let (events, _captures) = warnings();
        let mut watches = backend.connect().await?;
        watches.script(Gate::FUNCTION).await?;
        // What was asked to end a moment ago may still end; what does not end in time is closed.
        let over = LIMIT + Duration::from_secs(1);
        let tries = [
            (None, LIMIT * 100, 316),
            (Some(LIMIT), LIMIT / 2, 316),
            (Some(LIMIT), over, 0),
            (Some(LIMIT), LIMIT * 2, 0),
        ];
        for (n, (limit, passes, count)) in tries.into_iter().enumerate() {
            watches.script(&format!("CREATE TABLE w{n} (id INT PRIMARY KEY) ENGINE = InnoDB")).await?;
            let gate = Gate::closed(&database, &n.to_string(), &mut watches).await;
            let mut connection = backend.connect().await?;
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            connection.set_statement_timeout(limit).await?;
            let clock = frozen();
            first(&mut connection, &gated_write(&format!("w{n}"), &gate)).await?;
            drop(connection);
            // Meanwhile the rest is waited for, and then asked to end if its time is over.
            until_running(&mut *watches, id, "gate").await;
            advance(passes);
            let ended =
                format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id} AND COMMAND <> 'Sleep'");
            if count > 0 {
                for _ in 0..10 {
                    real_pause().await;
                    assert_eq!(number(&mut *watches, &ended).await, 1, "{limit:?}");
                }
                gate.open(&mut watches).await;
            }
            until(&mut *watches, &ended, |count| count == 0).await;
            drop(clock);
            let found = number(&mut *watches, &format!("SELECT COUNT(*) FROM w{n}")).await;
            assert_eq!(found, count, "{limit:?}");
        }
        let said = warned(&events, 2).await;
        assert!(said.len() == 2 && said.iter().all(|text| text.contains("a write was ended")), "{said:?}");
    }
    Ok(())
}

/// The next statement hears of the write; nobody takes that for what became of the statement.
#[tokio::test]
async fn a_statement_that_was_not_sent_is_not_in_doubt() -> Outcome {
    const LIMIT: Duration = Duration::from_secs(600);
    for (_database, backend) in writers().await {
        let (events, _captures) = warnings();
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE w (id INT PRIMARY KEY); CREATE TABLE t (id INT PRIMARY KEY)").await?;
        let mut connection = backend.connect().await?;
        connection.set_statement_timeout(Some(LIMIT)).await?;
        let clock = frozen();
        first(&mut connection, &write("w", ENDLESS)).await?;
        let insert = plain("INSERT INTO t VALUES (1)");
        let time_passes = async {
            real_pause().await;
            advance(LIMIT + Duration::from_secs(1));
        };
        let (done, ()) = tokio::join!(connection.execute(&insert), time_passes);
        drop(clock);
        let error = done.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, Some("1317")), "{error}");
        assert!(!error.is_in_doubt() && error.message().contains("this one was not sent"), "{error}");
        assert_eq!(events.take().len(), 1);
        assert_eq!(number(&mut *connection, "SELECT (SELECT COUNT(*) FROM t) + (SELECT COUNT(*) FROM w)").await, 0);
        assert_eq!(connection.execute(&insert).await?, 1);
    }
    Ok(())
}

/// Ends a connection, and waits until it is gone.
async fn end(id: i64, watches: &mut AnyConnection) -> Outcome {
    watches.execute(&plain(format!("KILL {id}"))).await?;
    until_gone(&mut **watches, id).await;
    Ok(())
}

#[tokio::test]
async fn a_statement_behind_a_write_that_is_lost_was_not_sent() -> Outcome {
    for (_database, backend) in writers().await {
        let mut watches = backend.connect().await?;
        watches.script("CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB; CREATE TABLE t (id INT)").await?;
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        first(&mut connection, &write("w", ENDLESS)).await?;
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
        let backend = database.backend().await;
        let (mut connection, mut watches) = (backend.connect().await?, backend.connect().await?);
        connection.script("CREATE TABLE t (id INT)").await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        given_up(&mut connection, id, &mut watches, "SELECT SLEEP(1000)").await;
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
    const LIMIT: Duration = Duration::from_secs(600);
    for (database, backend) in writers().await {
        let mut watches = backend.connect().await?;
        watches.script(Gate::FUNCTION).await?;
        let mut pool = pool(1);
        (pool.grace, pool.statement_timeout) = (Duration::from_millis(100), Some(LIMIT));
        let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
        let mut connection = backend.connect().await?;
        connection.execute(&plain("CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB")).await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let (one, other) =
            (Gate::closed(&database, "one", &mut watches).await, Gate::closed(&database, "other", &mut watches).await);
        let clock = frozen();
        first(&mut connection, &gated_write("w", &one)).await?;
        let next = format!("SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2) AS next WHERE {}", other.passed());
        // Both take more than half of the limit.
        let time_passes = async {
            real_pause().await;
            advance(LIMIT / 3 * 2);
            one.open(&mut watches).await;
            until_running(&mut *watches, id, "AS next").await;
            advance(LIMIT / 3 * 2);
            real_pause().await;
            other.open(&mut watches).await;
        };
        let (found, ()) = tokio::join!(number(&mut *connection, &next), time_passes);
        drop(clock);
        assert_eq!(found, 2);
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM w").await, 316);
    }
    Ok(())
}

#[tokio::test]
async fn what_a_write_fails_with_whose_rows_were_given_up_is_told_or_warned_of() -> Outcome {
    for (_database, backend) in writers().await {
        let (events, _captures) = warnings();
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
        let said = warned(&events, 1).await;
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
            let mut connection = backend.connect().await?;
            connection.set_statement_timeout(None).await?;
            connection.begin(&plainly).await?;
            connection.execute(&plain("INSERT INTO w VALUES (-1)")).await?;
            if within {
                connection.begin(&plainly).await?;
            }
            first(&mut connection, &write("w", ENDLESS)).await?;
            in_time(connection.rollback()).await?;
            if within {
                connection.commit().await?;
            }
            let there = number(&mut *connection, "SELECT COUNT(*) FROM w").await;
            assert_eq!((connection.depth(), there), (0, i64::from(within)));
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
        let query = slow(ENDLESS).replace("SELECT n FROM", "SELECT n AS updated_at, REPEAT('x', 20000) FROM");
        first(&mut connection, &query).await?;
        assert_eq!(in_time(number(&mut *connection, "SELECT 5")).await, 5);
    }
    Ok(())
}

/// What a procedure does behind its first rows has the time of a statement, and not the grace behind that.
#[tokio::test]
async fn the_rest_of_a_procedure_is_ended_in_time() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut pool = pool(1);
        pool.grace = Duration::from_secs(3600);
        let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
        // A sleep that is no part of a query ends without an error.
        let slow = "CREATE PROCEDURE slow() BEGIN SELECT 1; \
                    SELECT COUNT(*) FROM (SELECT 1 UNION SELECT 2) AS s WHERE SLEEP(10000) = 0; END";
        backend.connect().await?.script(slow).await?;
        let mut connection = backend.connect().await?;
        connection.set_statement_timeout(None).await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let call = plain("CALL slow()");
        for way in ["execute", "fetch", "first", "stream"] {
            connection.set_statement_timeout(Some(Duration::from_secs(1))).await?;
            let called = async {
                match way {
                    "execute" => connection.execute(&call).await.map(drop),
                    "fetch" => connection.fetch::<Vec<Value>>(&call).await.map(drop),
                    "first" => connection.fetch_first::<Vec<Value>>(&call).await.map(drop),
                    _ => connection.stream::<Vec<Value>>(&call).try_collect::<Vec<_>>().await.map(drop),
                }
            };
            let error = in_time(called).await.expect_err(way);
            assert_eq!(error.kind(), ErrorKind::Timeout, "{way}: {error}");
            connection.set_statement_timeout(None).await?;
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
