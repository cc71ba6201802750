//! Servers that die and connections that break. MariaDB is the test's own here, if it is installed.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use live::private::Private;
use live::{Database, Outcome, number, plain, servers, with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_killed_and_started_again_under_load() -> Outcome {
    let Some(mut server) = Private::new("faults", "--local-infile=1").await else { return Ok(()) };
    let mut pool = live::pool(8);
    pool.wait = Duration::from_secs(5);
    let backend = Arc::new(MySqlBackend::connect(server.options().pool(pool)).await?);
    let create = "CREATE DATABASE load_; CREATE TABLE load_.t (n BIGINT PRIMARY KEY) ENGINE = InnoDB";
    backend.connect().await?.script(create).await?;
    let over = Arc::new(AtomicBool::new(false));
    let writers: Vec<_> = (0..16_i64)
        .map(|writer| {
            let (backend, over) = (Arc::clone(&backend), Arc::clone(&over));
            tokio::spawn(async move {
                let (mut acknowledged, mut failed, mut last) = (Vec::new(), Vec::new(), false);
                for n in 0.. {
                    if over.load(Ordering::Relaxed) {
                        break;
                    }
                    let id = writer * 1_000_000 + n;
                    let done = timeout(Duration::from_secs(20), async {
                        let mut connection = backend.connect().await?;
                        connection.execute(&with("INSERT INTO load_.t VALUES (?)", [id.into()])).await
                    });
                    let done = done.await.expect("no call waits for good");
                    last = done.is_ok();
                    match done {
                        Ok(count) => acknowledged.extend((count == 1).then_some(id)),
                        Err(error) => {
                            failed.push(error.kind());
                            sleep(Duration::from_millis(20)).await;
                        }
                    }
                }
                (acknowledged, failed, last)
            })
        })
        .collect();
    for _ in 0..2 {
        sleep(Duration::from_millis(700)).await;
        server.kill();
        sleep(Duration::from_millis(500)).await;
        assert!(server.start().await, "it starts again");
    }
    sleep(Duration::from_millis(1500)).await;
    over.store(true, Ordering::Relaxed);
    let (mut acknowledged, mut failures) = (Vec::new(), 0);
    for writer in writers {
        let (ids, failed, last) = writer.await?;
        assert!(last, "the pool has healed");
        let typed = |kind: &ErrorKind| {
            matches!(kind, ErrorKind::ConnectionLost | ErrorKind::Connect | ErrorKind::PoolExhausted)
        };
        assert!(failed.iter().all(typed), "{failed:?}");
        acknowledged.extend(ids);
        failures += failed.len();
    }
    let mut connection = backend.connect().await?;
    let there: Vec<(i64,)> = connection.fetch(&plain("SELECT n FROM load_.t")).await?;
    let there: std::collections::HashSet<i64> = there.into_iter().map(|row| row.0).collect();
    let lost: Vec<_> = acknowledged.iter().filter(|id| !there.contains(id)).collect();
    assert!(lost.is_empty(), "{} of {} are lost", lost.len(), acknowledged.len());
    assert!(failures > 0 && acknowledged.len() > 100, "{failures} failures, {} writes", acknowledged.len());
    println!("{} writes, {failures} failures", acknowledged.len());
    Ok(())
}

/// Passes on what a server sends, until it has passed so many bytes; then it cuts all connections.
async fn proxy(to: (String, u16), most: Arc<AtomicUsize>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (most, server) = (Arc::clone(&most), TcpStream::connect((to.0.as_str(), to.1)).await.unwrap());
            tokio::spawn(async move {
                let ((mut asks, mut hears), (mut answers, mut takes)) = (client.into_split(), server.into_split());
                let there = tokio::spawn(async move { tokio::io::copy(&mut asks, &mut takes).await });
                let mut buffer = vec![0; 4096];
                while let Ok(bytes @ 1..) = answers.read(&mut buffer).await {
                    let left = most.fetch_sub(bytes.min(most.load(Ordering::Relaxed)), Ordering::Relaxed);
                    if left <= bytes || hears.write_all(&buffer[..bytes]).await.is_err() {
                        break;
                    }
                }
                there.abort();
            });
        }
    });
    port
}

#[tokio::test]
async fn a_connection_is_cut_within_an_answer() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut direct = database.backend().await.connect().await?;
        direct.script("CREATE TABLE k (n INT PRIMARY KEY); CREATE TABLE t (n INT PRIMARY KEY)").await?;
        direct
            .script("INSERT INTO k WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < 999) SELECT n FROM s")
            .await?;
        let most = Arc::new(AtomicUsize::new(usize::MAX));
        let mut options = database.options();
        options.port = proxy((options.host.clone(), options.port), Arc::clone(&most)).await;
        options.host = "127.0.0.1".into();
        let backend = MySqlBackend::connect(options).await?;
        let long = plain("SELECT a.n, b.n FROM k a STRAIGHT_JOIN k b");

        let mut connection = backend.connect().await?;
        most.store(300_000, Ordering::Relaxed);
        let error = connection.fetch::<(i64, i64)>(&long).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
        most.store(usize::MAX, Ordering::Relaxed);
        // Outside of a transaction another connection takes its place.
        assert_eq!(number(&mut *connection, "SELECT 7").await, 7);

        most.store(300_000, Ordering::Relaxed);
        let rows = connection.stream::<(i64, i64)>(&long).collect::<Vec<_>>().await;
        assert!(rows.len() > 100 && rows.last().is_some_and(Result::is_err));
        most.store(usize::MAX, Ordering::Relaxed);

        connection.begin(&Default::default()).await?;
        connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
        most.store(0, Ordering::Relaxed);
        let error = connection.execute(&plain("INSERT INTO t VALUES (2)")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionLost);
        most.store(usize::MAX, Ordering::Relaxed);
        let error = connection.commit().await.unwrap_err();
        assert_eq!((error.kind(), connection.depth()), (ErrorKind::ConnectionLost, 0));
        drop(connection);
        let mut connection = backend.connect().await?;
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 0);
    }
    Ok(())
}

#[tokio::test]
async fn a_connection_is_killed_while_nobody_uses_it() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut kills = database.backend().await.connect().await?;
        let backend = database.pool(1).await;
        for unused in [Duration::ZERO, Duration::from_millis(1200)] {
            let mut connection = backend.connect().await?;
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            drop(connection);
            kills.script(&format!("KILL {id}")).await?;
            sleep(unused + Duration::from_millis(50)).await;
            let mut connection = backend.connect().await?;
            let first = connection.fetch_one::<(i64,)>(&plain("SELECT 7")).await;
            match first {
                Ok(row) => assert_eq!(row, (7,)),
                // Just given back, it is not asked for a sign of life.
                Err(error) => assert!(unused.is_zero() && error.kind() == ErrorKind::ConnectionLost, "{error}"),
            }
            assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
        }
    }
    Ok(())
}

#[tokio::test]
async fn another_session_takes_no_place_where_a_script_has_run() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut kills = database.backend().await.connect().await?;
        let backend = database.pool(1).await;
        let slow = plain("SELECT SLEEP(5)");
        for (scripted, dropped) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut connection = backend.connect().await?;
            if scripted {
                connection.script("SET @tenant = 7; CREATE TEMPORARY TABLE mine (n INT)").await?;
            }
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            if dropped {
                assert!(timeout(Duration::from_millis(100), connection.execute(&slow)).await.is_err());
            } else {
                kills.execute(&plain(&format!("KILL {id}"))).await?;
                let lost = connection.execute(&plain("DO 1")).await.unwrap_err();
                assert_eq!(lost.kind(), ErrorKind::ConnectionLost, "{lost}");
            }
            for _ in 0..2 {
                match connection.fetch_one::<(i64, Option<i64>)>(&plain("SELECT CONNECTION_ID(), @tenant")).await {
                    Ok((other, tenant)) => assert!(!scripted && other != id && tenant.is_none(), "{other} {tenant:?}"),
                    Err(error) => {
                        assert!(scripted && error.kind() == ErrorKind::ConnectionLost, "{error}");
                        assert!(error.message().contains("script"), "{error}");
                    }
                }
            }
            let begun = connection.begin(&Default::default()).await;
            assert_eq!(begun.is_err(), scripted, "{begun:?}");
            drop(connection);
            let mut next = backend.connect().await?;
            assert_eq!(number(&mut *next, "SELECT @tenant IS NULL").await, 1);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() -> Outcome {
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    let place = silent.local_addr()?.to_string();
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(20));
    // Whichever time is over first.
    for (connect_timeout, wait) in [(short, long), (long, short)] {
        let mut options = MySqlOptions::new("127.0.0.1");
        (options.port, options.pool.connect_timeout, options.pool.wait) =
            (silent.local_addr()?.port(), connect_timeout, wait);
        let begun = Instant::now();
        let error = MySqlBackend::connect(options).await.unwrap_err();
        assert_eq!(error.to_string(), format!("cannot connect: {place}: the server did not answer within 200ms"));
        assert!(error.kind() == ErrorKind::Connect && begun.elapsed() < Duration::from_secs(10), "{error}");
    }
    Ok(())
}
