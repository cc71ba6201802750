//! What goes wrong between a program and its PostgreSQL.
#![cfg(feature = "driver")]

#[path = "support/server.rs"]
mod server;
mod support;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use isogloss_driver::{Backend, ConnectionExt, Error, ErrorKind, PoolOptions, TransactionOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use server::Server;
use support::{Db, Outcome, each, plain};

fn of(max: u32, wait: Duration) -> PoolOptions {
    let mut pool = PoolOptions::default();
    (pool.cached, pool.max, pool.wait) = (max, max, wait);
    pool
}

/// Asks until it is so; the pool's own work goes on meanwhile.
async fn soon(db: &Db, sql: &str) -> Outcome {
    let mut connection = db.connect().await?;
    let begun = Instant::now();
    while !connection.fetch_one::<(bool,)>(&plain(sql)).await?.0 {
        if begun.elapsed() > Duration::from_secs(10) {
            return Err(format!("still not: {sql}").into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_loses_nothing_that_it_has_confirmed() -> Outcome {
    let Some(mut server) = Server::start("killed")? else { return Ok(()) };
    let options = PostgresOptions::url(&server.url())?.pool(of(8, Duration::from_secs(5)));
    let backend = Arc::new(PostgresBackend::connect(options).await?);
    Backend::connect(&*backend).await?.script("CREATE TABLE t (n bigint PRIMARY KEY)").await?;

    let (next, ended) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicBool::new(false)));
    let mut tasks = JoinSet::new();
    for _ in 0..12 {
        let (backend, next, ended) = (Arc::clone(&backend), Arc::clone(&next), Arc::clone(&ended));
        tasks.spawn(async move {
            let (mut confirmed, mut failed) = (Vec::new(), BTreeMap::<&str, usize>::new());
            while !ended.load(Ordering::Relaxed) {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let insert = plain(&format!("INSERT INTO t VALUES ({n})"));
                let call = async {
                    let mut connection = Backend::connect(&*backend).await?;
                    if n % 3 != 0 {
                        return connection.execute(&insert).await;
                    }
                    connection.begin(&TransactionOptions::default()).await?;
                    let done = connection.execute(&insert).await?;
                    connection.commit().await?;
                    Ok::<_, Error>(done)
                };
                match tokio::time::timeout(Duration::from_secs(60), call).await {
                    Ok(Ok(_)) => confirmed.push(n),
                    Ok(Err(error)) => {
                        *failed.entry(error.kind().title()).or_default() += 1;
                        // Nobody hammers a server that is away.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                    Err(_) => return Err(format!("the call for {n} does not end")),
                }
            }
            Ok((confirmed, failed))
        });
    }
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(700)).await;
        server.kill()?;
        tokio::time::sleep(Duration::from_millis(300)).await;
        tokio::task::block_in_place(|| server.restart())?;
    }
    // The pool heals by itself: whoever asks now is served.
    tokio::time::sleep(Duration::from_millis(200)).await;
    Backend::connect(&*backend).await?.ping().await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    ended.store(true, Ordering::Relaxed);

    let (mut confirmed, mut failed) = (Vec::new(), BTreeMap::new());
    while let Some(task) = tasks.join_next().await {
        let (some, kinds) = task??;
        confirmed.extend(some);
        for (kind, count) in kinds {
            *failed.entry(kind).or_insert(0) += count;
        }
    }
    let mut connection = Backend::connect(&*backend).await?;
    let there: HashSet<i64> =
        connection.fetch::<(i64,)>(&plain("SELECT n FROM t")).await?.into_iter().map(|row| row.0).collect();
    let lost: Vec<i64> = confirmed.iter().copied().filter(|n| !there.contains(n)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    assert!(confirmed.len() > 100, "{} confirmed", confirmed.len());
    let known = [ErrorKind::ConnectionLost, ErrorKind::Connect, ErrorKind::PoolExhausted].map(ErrorKind::title);
    assert!(!failed.is_empty() && failed.keys().all(|kind| known.contains(kind)), "{failed:?}");
    Ok(())
}

/// What stands between, and passes on so many bytes of answers a connection.
async fn between(to: String, most: Arc<AtomicUsize>) -> Outcome<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((here, _)) = listener.accept().await {
            let (to, most) = (to.clone(), Arc::clone(&most));
            tokio::spawn(async move {
                let there = TcpStream::connect(to).await?;
                let (mut asks, mut answers_to) = here.into_split();
                let (mut answers, mut asks_to) = there.into_split();
                let asking = tokio::spawn(async move { tokio::io::copy(&mut asks, &mut asks_to).await });
                let (mut passed, mut buffer) = (0, [0; 4096]);
                loop {
                    let len = answers.read(&mut buffer).await?;
                    if len == 0 || passed > most.load(Ordering::Relaxed) {
                        asking.abort();
                        return std::io::Result::Ok(());
                    }
                    answers_to.write_all(buffer.get(..len).unwrap_or_default()).await?;
                    passed += len;
                }
            });
        }
    });
    Ok(port)
}

#[tokio::test]
async fn a_connection_that_is_cut_is_an_error_and_nobody_gets_it_again() -> Outcome {
    each("cut", async |db| {
        let most = Arc::new(AtomicUsize::new(usize::MAX));
        let (host, port) = &db.options.hosts[0];
        let mut options = db.options.clone().pool(of(2, Duration::from_secs(5)));
        options.hosts = vec![("127.0.0.1".into(), between(format!("{host}:{port}"), Arc::clone(&most)).await?)];
        let backend = PostgresBackend::connect(options).await?;
        let long = plain("SELECT generate_series(1, 1000000)");
        for round in 0..3 {
            most.store(1 << 20, Ordering::Relaxed);
            let mut connection = Backend::connect(&backend).await?;
            let error = connection.fetch::<(i32,)>(&long).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
            assert_eq!(error.sql(), Some(long.sql.as_str()));
            let error = connection.execute(&plain("SELECT 1")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
            drop(connection);
            most.store(usize::MAX, Ordering::Relaxed);
            let mut connection = Backend::connect(&backend).await?;
            assert_eq!(connection.fetch_one::<(i32,)>(&plain(&format!("SELECT {round}"))).await?, (round,));
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_transaction_that_is_dropped_is_taken_back_at_once() -> Outcome {
    each("half_way", async |db| {
        db.script("CREATE TABLE t (n int)").await?;
        let backend = db.pool(of(1, Duration::from_secs(5))).await?;
        for dropped_while_it_runs in [false, true] {
            let mut connection = Backend::connect(&backend).await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
            connection.execute(&plain("LOCK TABLE t")).await?;
            if dropped_while_it_runs {
                let sleep = plain("SELECT pg_sleep(3600)");
                let _ = tokio::time::timeout(Duration::from_millis(20), connection.execute(&sleep)).await;
            }
            drop(connection);
            // Nobody asks that pool for anything.
            soon(db, "SELECT NOT EXISTS (SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 't'::regclass)").await?;
            soon(db, "SELECT NOT EXISTS (SELECT 1 FROM t)").await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_exhausted_pool_makes_nobody_wait_for_long() -> Outcome {
    each("exhausted", async |db| {
        let backend = Arc::new(db.pool(of(2, Duration::from_secs(1))).await?);
        let held = [Backend::connect(&*backend).await?, Backend::connect(&*backend).await?];
        let begun = Instant::now();
        let mut tasks = JoinSet::new();
        for _ in 0..50 {
            let backend = Arc::clone(&backend);
            tasks.spawn(async move { Backend::connect(&*backend).await.map(drop).map_err(|error| error.kind()) });
        }
        while let Some(task) = tasks.join_next().await {
            assert_eq!(task?, Err(ErrorKind::PoolExhausted));
        }
        assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
        drop(held);
        Backend::connect(&*backend).await?.ping().await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn of_two_that_wait_for_each_other_one_ends() -> Outcome {
    each("deadlock", async |db| {
        db.script("CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)").await?;
        let mut ends = Vec::new();
        let barrier = tokio::sync::Barrier::new(2);
        let task = async |first: i32, second: i32| {
            let mut connection = db.connect().await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&plain(&format!("UPDATE t SET n = n + 1 WHERE id = {first}"))).await?;
            barrier.wait().await;
            let done = connection.execute(&plain(&format!("UPDATE t SET n = n + 1 WHERE id = {second}"))).await;
            match done {
                Ok(_) => connection.commit().await?,
                Err(error) => {
                    connection.rollback().await?;
                    return Outcome::Ok(Err(error.kind()));
                }
            }
            Outcome::Ok(Ok(()))
        };
        let (one, other) = tokio::join!(task(1, 2), task(2, 1));
        ends.extend([one?, other?]);
        assert!(ends.contains(&Ok(())) && ends.contains(&Err(ErrorKind::Deadlock)), "{ends:?}");
        Ok(())
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_futures_are_dropped_while_they_run() -> Outcome {
    each("thousand", async |db| {
        db.script("CREATE TABLE t (n int)").await?;
        let backend = Arc::new(db.pool(of(16, Duration::from_secs(300))).await?);
        let mut tasks = JoinSet::new();
        for n in 0..1_000_u64 {
            let backend = Arc::clone(&backend);
            tasks.spawn(async move {
                let mut connection = Backend::connect(&*backend).await?;
                let wait = Duration::from_micros(n * 7_919 % 5_000);
                let (insert, sleep) = (plain("INSERT INTO t VALUES (1)"), plain("SELECT pg_sleep(3600)"));
                let long = plain("SELECT generate_series(1, 100000000)");
                let run = async {
                    if n % 4 == 3 {
                        return connection.fetch::<(i32,)>(&long).await.map(drop);
                    }
                    connection.begin(&TransactionOptions::default()).await?;
                    connection.execute(&insert).await?;
                    connection.execute(&sleep).await?;
                    Ok::<_, Error>(())
                };
                match tokio::time::timeout(wait, run).await {
                    Err(_) => Ok(()),
                    Ok(done) => done,
                }
            });
        }
        while let Some(task) = tasks.join_next().await {
            task??;
        }
        for _ in 0..32 {
            let mut connection = Backend::connect(&*backend).await?;
            assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?, (0,));
        }
        assert!(backend.status().open <= 16);
        soon(
            db,
            "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()
             AND application_name = current_setting('application_name'))",
        )
        .await
    })
    .await
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_waited_for() -> Outcome {
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    let place = silent.local_addr()?;
    let (short, long) = (Duration::from_millis(200), Duration::from_secs(20));
    // Whichever time is over first.
    for (connect_timeout, wait) in [(short, long), (long, short)] {
        let mut options = PostgresOptions::url(&format!("postgres://nobody@{place}/nothing"))?;
        (options.pool.connect_timeout, options.pool.wait) = (connect_timeout, wait);
        let begun = Instant::now();
        let error = PostgresBackend::connect(options).await.map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
        assert!(error.message().starts_with(&format!("{place}: the server did not answer")), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    Ok(())
}

/// A rollback of nothing is a warning in the server's log.
#[tokio::test]
async fn what_is_not_open_is_not_rolled_back() -> Outcome {
    let Some(server) = Server::start("warnings")? else { return Ok(()) };
    let backend =
        PostgresBackend::connect(PostgresOptions::url(&server.url())?.pool(of(1, Duration::from_secs(5)))).await?;
    let mut connection = Backend::connect(&backend).await?;
    connection
        .script("CREATE TABLE t (n int UNIQUE DEFERRABLE INITIALLY DEFERRED); SET TimeZone = 'Asia/Tokyo'")
        .await?;
    drop(connection);
    let mut connection = Backend::connect(&backend).await?;
    assert_eq!(connection.fetch_one::<(String,)>(&plain("SHOW TimeZone")).await?.0, "UTC");
    let twice = plain("INSERT INTO t VALUES (1), (1)");
    for rolled_back in [true, false] {
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&twice).await?;
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        if rolled_back {
            connection.rollback().await?;
        }
    }
    drop(connection);
    let mut connection = Backend::connect(&backend).await?;
    assert_eq!(
        (connection.depth(), connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?),
        (0, (0,))
    );
    let log = server.log()?;
    assert!(log.contains("duplicate key") && !log.contains("no transaction in progress"), "{log}");
    // One that a script has begun is.
    connection.script("BEGIN; INSERT INTO t VALUES (1)").await?;
    drop(connection);
    let mut connection = Backend::connect(&backend).await?;
    assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?, (0,));
    Ok(())
}
