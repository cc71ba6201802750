//! What befalls the connections of a pool: closed while they were idle, opened in a runtime that has ended, and at the limit of
//! what a server keeps for all of its clients.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use futures_util::future::poll_immediate;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, TransactionOptions, rows};
use isogloss_mysql::driver::MySqlBackend;

use crate::live::clock::{advance, frozen, in_time, real_pause};
use crate::live::private::Private;
use crate::live::proxy::Proxy;
use crate::live::{Database, HANG, Outcome, number, plain, pool, servers, until_gone, until_running};

const CALLS: [&str; 7] = ["fetch", "stream", "transaction", "write", "script", "many", "text"];

async fn called(connection: &mut AnyConnection, what: &str) -> isogloss_driver::Result<()> {
    use futures_util::TryStreamExt as _;
    let (read, write) = (plain("SELECT COUNT(*) FROM t"), plain("INSERT INTO t VALUES (1)"));
    match what {
        "fetch" => connection.fetch::<(i64,)>(&read).await.map(drop),
        "stream" => connection.stream::<(i64,)>(&read).try_collect::<Vec<_>>().await.map(drop),
        "transaction" => {
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&write).await?;
            connection.commit().await
        }
        "write" => connection.execute(&write).await.map(drop),
        "script" => connection.script("INSERT INTO t VALUES (1)").await,
        "many" => connection.execute_many(&write, rows([[]])).await.map(drop),
        _ => connection.execute(&plain("DO 1")).await.map(drop),
    }
}

/// A server closes what is idle for too long, or ends: the pool has not asked about a connection that was used just now.
#[tokio::test]
async fn an_idle_connection_that_the_server_has_closed_is_replaced() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut other = database.backend().await.connect().await?;
        other.script("CREATE TABLE t (n INT NOT NULL)").await?;
        let backend = database.pool(1).await;
        let mut written = 0;
        for what in CALLS {
            // For the pool, no time passes.
            let clock = frozen();
            let mut connection = backend.connect().await?;
            // All is prepared.
            called(&mut connection, what).await?;
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            drop(connection);
            let mut connection = backend.connect().await?;
            let same = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            drop(connection);
            other.execute(&plain(format!("KILL {same}"))).await?;
            until_gone(&mut *other, same).await;
            real_pause().await;
            let mut connection = backend.connect().await?;
            called(&mut connection, what).await?;
            let next = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            assert!(next != same && (id == same || what == "script"), "{what}");
            drop((connection, clock));
            written += if matches!(what, "fetch" | "stream" | "text") { 0 } else { 2 };
            assert_eq!(number(&mut *other, "SELECT COUNT(*) FROM t").await, written, "{what}");
        }
    }
    Ok(())
}

/// As tests of a program that share a context do, each in a runtime of its own.
#[test]
fn a_pool_serves_one_runtime_after_the_other() -> Outcome {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build();
    for url in servers() {
        let (database, backend) = runtime()?.block_on(async {
            let database = Database::new(&url).await;
            let backend = database.pool(2).await;
            (database, backend)
        });
        for _ in 0..3 {
            runtime()?.block_on(async {
                let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
                one.script("CREATE TABLE IF NOT EXISTS t (n INT NOT NULL)").await?;
                called(&mut other, "write").await?;
                // What runs for too long is ended over a connection that is kept for that.
                other.set_statement_timeout(Some(Duration::from_millis(50))).await?;
                let names = "information_schema.COLLATIONS";
                let endless = format!("SELECT COUNT(*) FROM {names} a, {names} b, {names} c, {names} d");
                let late = other.fetch::<(i64,)>(&plain(endless)).await.unwrap_err();
                assert_eq!(late.kind(), ErrorKind::Timeout, "{late}");
                Ok::<_, isogloss_driver::Error>(())
            })?;
        }
        drop(database);
    }
    Ok(())
}

/// How many statements a connection has prepared, the question included.
async fn prepared(connection: &mut AnyConnection) -> i64 {
    let counts = "SHOW SESSION STATUS WHERE Variable_name IN ('Com_stmt_prepare', 'Com_stmt_close')";
    let counts = connection.fetch::<(String, String)>(&plain(counts)).await.unwrap();
    let of = |name: &str| counts.iter().find(|count| count.0 == name).unwrap().1.parse::<i64>().unwrap();
    of("Com_stmt_prepare") - of("Com_stmt_close")
}

#[tokio::test]
async fn a_pool_prepares_no_more_than_its_budget() -> Outcome {
    const BUDGET: i64 = 5;
    for url in servers() {
        let database = Database::new(&url).await;
        let mut options = database.options();
        options.prepared_budget = usize::try_from(BUDGET)?;
        let backend = MySqlBackend::connect(options).await?;
        let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
        for n in 0..20 {
            for connection in [&mut one, &mut other] {
                assert_eq!(number(&mut **connection, &format!("SELECT {n}")).await, n);
            }
        }
        // Each keeps its share, of two, and has one beside them at most.
        let there = prepared(&mut one).await + prepared(&mut other).await;
        assert!((BUDGET - 1..=BUDGET + 1).contains(&there), "{there}");
    }
    Ok(())
}

/// Other programs may have all that a server keeps.
#[tokio::test]
async fn a_server_that_keeps_no_more_statements_has_one_of_ours_closed() -> Outcome {
    let Some(server) = Private::forgetful() else { return Ok(()) };
    let backend = || MySqlBackend::connect(server.options().pool(pool(1)));
    let backends = (backend().await?, backend().await?);
    let (mut ours, mut theirs) = (backends.0.connect().await?, backends.1.connect().await?);
    for n in 0..2 * Private::STATEMENTS {
        assert_eq!(number(&mut *ours, &format!("SELECT {n}")).await, n);
    }
    // What has none to give up is told so.
    let error = theirs.fetch::<(i64,)>(&plain("SELECT 1")).await.unwrap_err();
    assert_eq!((error.kind(), error.code(), error.is_in_doubt()), (ErrorKind::Busy, Some("1461"), false), "{error}");
    // Connections of one pool help each other.
    let pool = MySqlBackend::connect(server.options().pool(pool(2))).await?;
    drop((ours, theirs, backends));
    let (mut one, mut other) = (pool.connect().await?, pool.connect().await?);
    for n in 0..Private::STATEMENTS {
        // The other program's are closed with its connections, sooner or later.
        while one.fetch_one::<(i64,)>(&plain(format!("SELECT {n}"))).await.is_err() {
            real_pause().await;
        }
    }
    assert_eq!(other.fetch::<(i64,)>(&plain("SELECT 1")).await.unwrap_err().kind(), ErrorKind::Busy);
    assert_eq!(number(&mut *one, "SELECT 0").await, 0);
    assert_eq!(number(&mut *other, "SELECT 1").await, 1);
    Ok(())
}

/// Whichever clock is first: that of the driver, which cannot end the statement, or the one around it. Nothing is sent on another
/// connection in its place.
#[tokio::test]
async fn a_connection_that_could_not_be_ended_is_closed_for_good() -> Outcome {
    const LIMIT: Duration = Duration::from_secs(60);
    for url in servers() {
        let database = Database::new(&url).await;
        let mut options = database.options();
        let proxy = Proxy::new(&options.host, options.port).await;
        (options.host, options.port) = ("127.0.0.1".into(), proxy.port);
        let backend = MySqlBackend::connect(options).await?;
        let (mut watches, mut connection) = (database.backend().await.connect().await?, backend.connect().await?);
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        connection.set_statement_timeout(Some(LIMIT)).await?;
        // It takes connections, and says nothing.
        let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let clock = frozen();
        let statement = plain("DO SLEEP(1000)");
        let passes = async {
            until_running(&mut *watches, id, "SLEEP").await;
            proxy.leads_to("127.0.0.1", silent.local_addr().unwrap().port());
            // The statement's time is over, and then that of the server to end it.
            for time in [LIMIT * 2, HANG * 2] {
                advance(time);
                real_pause().await;
            }
        };
        let (done, ()) = tokio::join!(connection.execute(&statement), passes);
        assert_eq!(done.unwrap_err().kind(), ErrorKind::Timeout);
        let next = in_time(connection.execute(&plain("DO 1"))).await.unwrap_err();
        assert_eq!((next.kind(), next.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{next}");
        drop(clock);
    }
    Ok(())
}

/// A connection out of the pool on which a future was dropped is not asked whether it is there: the answer would be that to what the
/// future has sent.
#[tokio::test]
async fn an_answer_that_nobody_took_is_not_taken_for_another() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut other = database.backend().await.connect().await?;
        other.script("CREATE TABLE t (n INT NOT NULL)").await?;
        let backend = database.pool(1).await;
        let (read, write) = (plain("SELECT COUNT(*) FROM t"), plain("INSERT INTO t VALUES (1)"));
        for (written, what) in (1..).zip(["none", "begin", "stream"]) {
            // For the pool, no time passes.
            let clock = frozen();
            let mut connection = backend.connect().await?;
            drop(clock);
            let is_done = match what {
                "begin" => poll_immediate(connection.begin(&TransactionOptions::default())).await.is_some(),
                "stream" => poll_immediate(connection.open(&read)).await.is_some(),
                _ => false,
            };
            assert!(!is_done, "{what}");
            assert_eq!(connection.execute(&write).await?, 1, "{what}");
            drop(connection);
            assert_eq!(number(&mut *other, &read.sql).await, written, "{what}");
            assert_eq!(number(&mut *backend.connect().await?, &read.sql).await, written, "{what}");
        }
    }
    Ok(())
}
