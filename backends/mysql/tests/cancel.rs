//! What is given up on MySQL and MariaDB: streams that are read in part, and futures that are dropped.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt, TryStreamExt};
use isogloss_driver::{AnyConnection, Backend, Connection, ConnectionExt, ErrorKind, TransactionOptions};
use isogloss_mysql::driver::MySqlBackend;
use live::private::Private;
use live::{Database, Outcome, number, plain, servers, with};
use tokio::time::{sleep, timeout};

/// A table `k` of the numbers from 0 to 999, and an empty one.
async fn thousand(backend: &MySqlBackend) -> Result<AnyConnection, isogloss_driver::Error> {
    let mut connection = backend.connect().await?;
    connection
        .script(
            "CREATE TABLE k (n INT PRIMARY KEY) ENGINE = InnoDB; CREATE TABLE t (n INT PRIMARY KEY) ENGINE = InnoDB; \
             INSERT INTO k WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 999) SELECT n FROM s",
        )
        .await?;
    Ok(connection)
}

/// A million rows, that the server makes as they are read.
const MILLION: &str = "SELECT a.n, b.n, REPEAT('x', 50) FROM k a STRAIGHT_JOIN k b";

/// What never ends by itself.
const SLOW: &str = "SELECT SLEEP(100) FROM k";

#[tokio::test]
async fn a_stream_reads_as_far_as_it_is_asked() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = thousand(&backend).await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let begun = Instant::now();
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
        for _ in 0..3 {
            let million = plain(MILLION);
            let rows = connection.stream::<(i32, i32, String)>(&million);
            let some: Vec<_> = rows.take(10).try_collect().await?;
            assert_eq!(some.len(), 10);
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 1);
        }
        // The first row, of many.
        assert!(connection.fetch_first::<(i32, i32, String)>(&plain(MILLION)).await?.is_some());
        connection.commit().await?;
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "it is the same connection");

        // All of it, slowly at first: the server waits.
        let half = plain("SELECT a.n, b.n FROM k a STRAIGHT_JOIN k b WHERE a.n < 100");
        let mut rows = std::pin::pin!(connection.stream::<(i32, i32)>(&half));
        let (mut count, mut sum) = (0_i64, 0_i64);
        while let Some(row) = rows.next().await {
            let (a, b) = row?;
            (count, sum) = (count + 1, sum + i64::from(a) + i64::from(b));
            if count % 10_000 == 1 {
                sleep(Duration::from_millis(20)).await;
            }
        }
        assert_eq!((count, sum), (100_000, 1000 * 4950 + 100 * 499_500));
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_ends_with_the_error_of_its_row() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = thousand(&backend).await?;
        let odd = plain("SELECT IF(n = 500, 'x', n) FROM k ORDER BY n");
        let read = connection.stream::<(i64,)>(&odd).try_collect::<Vec<_>>().await;
        assert_eq!(read.unwrap_err().kind(), ErrorKind::Decode);
        let fetched = connection.fetch::<(i64,)>(&odd).await;
        assert_eq!(fetched.unwrap_err().kind(), ErrorKind::Decode);
        // One of the server's, behind rows that it has sent.
        let late = plain("SELECT a.n, (SELECT n FROM k WHERE n <= IF(a.n = 999, 5, 0)) FROM k a ORDER BY a.n + 0");
        let found = connection.stream::<(i64, i64)>(&late).try_collect::<Vec<_>>().await;
        assert_eq!(found.unwrap_err().code(), Some("1242"));
        assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
    }
    Ok(())
}

/// Whether the server works for what nobody waits for any more.
async fn runs_on(connection: &mut dyn Connection, database: &str) -> bool {
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{database}' AND INFO LIKE '%SLEEP(100)%' AND ID <> CONNECTION_ID()"
    );
    number(connection, &sql).await > 0
}

#[tokio::test]
async fn a_dropped_future_ends_its_statement_and_its_transaction() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut watches = thousand(&backend).await?;
        for round in 0..20 {
            let mut connection = backend.connect().await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&with("INSERT INTO t VALUES (?)", [round.into()])).await?;
            let dropped = timeout(Duration::from_millis(5), connection.fetch::<(i64,)>(&plain(SLOW))).await;
            assert!(dropped.is_err());
            if round % 2 == 0 {
                drop(connection);
                continue;
            }
            // In hand, it says that the transaction is gone, until that is ended.
            let error = connection.execute(&plain("INSERT INTO t VALUES (100)")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionLost);
            connection.rollback().await?;
            assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
        }
        let ended = timeout(Duration::from_secs(10), async {
            while runs_on(&mut *watches, &database.name).await
                || number(&mut *watches, "SELECT COUNT(*) FROM t").await > 0
            {
                sleep(Duration::from_millis(20)).await;
            }
        });
        ended.await?;
        // Its locks are gone, too.
        watches.execute(&plain("INSERT INTO t SELECT n FROM k")).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_transaction_that_is_dropped_half_way_lets_go_at_once() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut other = thousand(&backend).await?;
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain("UPDATE k SET n = n + 5000")).await?;
        let waits = tokio::spawn(async move { other.execute(&plain("UPDATE k SET n = n + 7000")).await });
        sleep(Duration::from_millis(50)).await;
        drop(connection);
        assert_eq!(timeout(Duration::from_secs(5), waits).await???, 1000);
        // It was nothing to close the connection for.
        let mut again = backend.connect().await?;
        assert_eq!(number(&mut *again, "SELECT MIN(n) FROM k").await, 7000);
        assert_eq!(
            number(&mut *again, &format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}")).await,
            1
        );
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_futures_are_dropped_while_they_run() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = Arc::new(database.pool(16).await);
        drop(thousand(&backend).await?);
        let answered = Arc::new(AtomicU32::new(0));
        let mut tasks = Vec::new();
        for n in 0..1000_i64 {
            let (backend, answered) = (Arc::clone(&backend), Arc::clone(&answered));
            tasks.push(tokio::spawn(async move {
                let work = async {
                    let mut connection = backend.connect().await?;
                    // Each answer is to this question, not to one that somebody has given up.
                    let question = match n % 5 {
                        0 => with("SELECT ?", [n.into()]),
                        1 => plain(SLOW),
                        _ => with("SELECT ? FROM k a STRAIGHT_JOIN k b LIMIT 5000", [n.into()]),
                    };
                    let found = connection.fetch::<(i64,)>(&question).await?;
                    assert!(!found.is_empty() && found.iter().all(|row| row.0 == n));
                    answered.fetch_add(1, Ordering::Relaxed);
                    Ok::<_, isogloss_driver::Error>(())
                };
                let time = Duration::from_micros(u64::try_from(n).unwrap() * 9_770 % 2_000_000);
                if let Ok(Err(error)) = timeout(time, work).await {
                    panic!("{error}");
                }
            }));
        }
        for task in tasks {
            task.await?;
        }
        // Everybody gets a connection again, and an answer.
        let heals = timeout(Duration::from_secs(30), async {
            let mut held = Vec::new();
            for n in 0..16 {
                let mut connection = backend.connect().await.unwrap();
                assert_eq!(number(&mut *connection, &format!("SELECT {n}")).await, n);
                held.push(connection);
            }
            while runs_on(&mut *held[0], &database.name).await {
                sleep(Duration::from_millis(20)).await;
            }
        });
        heals.await?;
        assert!(backend.status().open <= 16);
        let answered = answered.load(Ordering::Relaxed);
        assert!((1..1000).contains(&answered), "{answered} of them were answered");
    }
    Ok(())
}

/// How many connections to the database there are, without the one that asks.
async fn connections(watches: &mut dyn Connection, database: &str) -> i64 {
    let sql = format!(
        "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE DB = '{database}' AND ID <> CONNECTION_ID()"
    );
    number(watches, &sql).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_dropped_futures_takes_no_more_connections_than_the_pool_has() -> Outcome {
    const POOL: u32 = 4;
    for url in servers() {
        let database = Database::new(&url).await;
        let mut watches = database.pool(1).await.connect().await?;
        // However slow the server is on a busy machine.
        let mut options = database.options();
        (options.pool.max, options.pool.grace) = (POOL, Duration::from_secs(20));
        let backend = Arc::new(MySqlBackend::connect(options).await?);
        let storm: Vec<_> = (0..25)
            .map(|_| {
                let backend = Arc::clone(&backend);
                tokio::spawn(async move {
                    for _ in 0..12 {
                        let mut connection = backend.connect().await.unwrap();
                        let slow = plain("SELECT SLEEP(100)");
                        let dropped = timeout(Duration::from_millis(3), connection.fetch::<(i64,)>(&slow)).await;
                        assert!(dropped.is_err());
                    }
                })
            })
            .collect();
        let mut most = 0;
        while !storm.iter().all(|task| task.is_finished()) {
            most = most.max(connections(&mut *watches, &database.name).await);
        }
        for task in storm {
            task.await?;
        }
        // One more is for the KILLs, and the server is a moment behind with one that it has just ended.
        assert!(most <= i64::from(POOL) + 2, "{most} connections");
        let held = backend.connect().await?;
        drop(held);
        sleep(Duration::from_millis(100)).await;
        assert!(connections(&mut *watches, &database.name).await <= i64::from(POOL) + 1);
    }
    Ok(())
}

#[tokio::test]
async fn a_stream_may_be_read_for_longer_than_a_statement_may_take() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut options = database.options();
        options.pool.statement_timeout = Some(Duration::from_secs(1));
        let backend = MySqlBackend::connect(options).await?;
        drop(thousand(&backend).await?);
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let begun = Instant::now();
        {
            let many = plain("SELECT a.n, b.n, REPEAT('x', 50) FROM k a STRAIGHT_JOIN k b WHERE a.n < 200");
            let mut rows = std::pin::pin!(connection.stream::<(i32, i32, String)>(&many));
            let mut count = 0;
            while let Some(row) = rows.next().await {
                row?;
                count += 1;
                if count % 20_000 == 1 {
                    sleep(Duration::from_millis(320)).await;
                }
            }
            assert_eq!(count, 200_000);
        }
        assert!(begun.elapsed() > Duration::from_secs(3));
        // The wait for rows that do not come has the limit, and so has each statement behind the stream.
        let begun = Instant::now();
        let slow = plain(SLOW);
        let waited = connection.stream::<(i64,)>(&slow).try_collect::<Vec<_>>().await;
        assert_eq!(waited.unwrap_err().kind(), ErrorKind::Timeout);
        let waited = connection.fetch::<(i64,)>(&slow).await;
        assert_eq!(waited.unwrap_err().kind(), ErrorKind::Timeout);
        assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
        assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "it is the same connection");
    }
    Ok(())
}

#[tokio::test]
async fn a_caller_may_pause_for_longer_than_the_server_waits_to_write() -> Outcome {
    let Some(server) = Private::new("pause", "--net-write-timeout=1").await else { return Ok(()) };
    let backend = MySqlBackend::connect(server.options()).await?;
    let mut connection = backend.connect().await?;
    connection.script("CREATE DATABASE pause; USE pause").await?;
    drop(connection);
    let mut options = server.options();
    options.database = Some("pause".into());
    let backend = MySqlBackend::connect(options).await?;
    drop(thousand(&backend).await?);
    let mut connection = backend.connect().await?;
    let many = plain("SELECT a.n, b.n, REPEAT('x', 500) FROM k a STRAIGHT_JOIN k b WHERE a.n < 100");
    let mut rows = std::pin::pin!(connection.stream::<(i32, i32, String)>(&many));
    let mut count = 0;
    while let Some(row) = rows.next().await {
        row?;
        count += 1;
        if count == 10 {
            sleep(Duration::from_secs(4)).await;
        }
    }
    assert_eq!(count, 100_000);
    Ok(())
}

/// The patience is for who reads a stream: it is not what comes behind it that has it, and the server's own is nobody else's.
#[tokio::test]
async fn the_server_s_patience_is_for_streams_alone() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut pool = live::pool(1);
        pool.statement_timeout = None;
        let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
        let waits = "SELECT @@net_write_timeout";
        let usual = number(&mut *backend.connect().await?, "SELECT @@GLOBAL.net_write_timeout").await;
        let read_in_part =
            plain("SELECT a.seq FROM (SELECT 1 AS seq UNION ALL SELECT 2) a JOIN (SELECT 1 UNION ALL SELECT 2) b");
        let failing = plain("SELECT EXP(seq) FROM (SELECT 1 AS seq UNION ALL SELECT 10000) a");
        let mut connection = backend.connect().await?;
        let streamed = connection.stream::<(i64,)>(&plain(waits)).try_collect::<Vec<_>>().await?;
        assert!(streamed == [(86_400,)] && usual < 86_400, "{streamed:?} {usual}");
        assert_eq!(number(&mut *connection, waits).await, usual);
        assert!(Box::pin(connection.stream::<(i64,)>(&read_in_part)).try_next().await?.is_some());
        assert_eq!(number(&mut *connection, waits).await, usual, "given up");
        assert!(connection.stream::<(f64,)>(&failing).try_collect::<Vec<_>>().await.is_err());
        assert_eq!(number(&mut *connection, waits).await, usual, "failed");
        assert!(Box::pin(connection.stream::<(i64,)>(&read_in_part)).try_next().await?.is_some());
        drop(connection);
        let mut connection = backend.connect().await?;
        assert_eq!(number(&mut *connection, waits).await, usual, "the next one's");
    }
    Ok(())
}

/// It may have taken effect.
#[tokio::test]
async fn a_commit_whose_future_was_dropped_is_in_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        drop(thousand(&backend).await?);
        let insert = plain("INSERT INTO t VALUES (1)");
        for (committed, again) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut connection = backend.connect().await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&insert).await?;
            let ended = async {
                if committed { connection.commit().await } else { connection.execute(&insert).await.map(drop) }
            };
            assert!(ended.now_or_never().is_none(), "nobody has heard of its end");
            if committed {
                assert!(connection.execute(&insert).await.unwrap_err().is_in_doubt());
            }
            let told = if again { connection.commit().await } else { connection.rollback().await };
            let doubted = told.as_ref().is_err_and(|error| error.is_in_doubt());
            assert_eq!((doubted, told.is_ok(), connection.depth()), (committed, !committed && !again, 0), "{told:?}");
            drop(connection);
            backend.connect().await?.execute(&plain("DELETE FROM t")).await?;
        }
    }
    Ok(())
}
