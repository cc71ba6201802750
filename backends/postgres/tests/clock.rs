//! How long things take: streams that last, sources that take their time, servers that say nothing.
#![cfg(feature = "driver")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, Error, ErrorKind, PoolOptions, TransactionOptions, rows};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use support::{Db, Outcome, each, plain};

const LIMIT: Duration = Duration::from_secs(1);

/// Reads a stream with pauses that take longer than a statement may, all together.
async fn read_slowly(connection: &mut AnyConnection) -> Outcome {
    let many = plain("SELECT n, repeat('x', 100) FROM generate_series(1, 200000) n");
    let begun = Instant::now();
    let mut rows = std::pin::pin!(connection.stream::<(i32, String)>(&many));
    for n in 1..=7_i32 {
        tokio::time::sleep(Duration::from_millis(400)).await;
        for m in 1..=1_000 {
            assert_eq!(rows.try_next().await?.map(|row| row.0), Some((n - 1) * 1_000 + m));
        }
    }
    assert_eq!(rows.try_collect::<Vec<_>>().await?.len(), 193_000);
    assert!(begun.elapsed() > LIMIT * 2);
    Ok(())
}

/// The server ends a statement that takes too long, and says so.
async fn is_limited(connection: &mut AnyConnection) -> Outcome {
    let begun = Instant::now();
    let Err(error) = connection.execute(&plain("SELECT pg_sleep(20)")).await else { return Err("it ended".into()) };
    assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, Some("57014")), "{error}");
    assert!(begun.elapsed() < LIMIT * 2, "{:?}", begun.elapsed());
    Ok(())
}

#[tokio::test]
async fn a_stream_may_last_and_a_statement_may_not() -> Outcome {
    each("lasting", async |db: &Db| {
        let backend = db.pool(PoolOptions::default().max(1).statement_timeout(Some(LIMIT))).await?;
        let mut connection = Backend::connect(&backend).await?;
        read_slowly(&mut connection).await?;
        is_limited(&mut connection).await?;
        // In a transaction with a limit of its own, and behind a savepoint that was rolled back.
        connection.begin(&TransactionOptions::default()).await?;
        read_slowly(&mut connection).await?;
        connection.begin(&TransactionOptions::default()).await?;
        is_limited(&mut connection).await?;
        connection.rollback().await?;
        connection.begin(&TransactionOptions::default()).await?;
        is_limited(&mut connection).await?;
        connection.rollback().await?;
        read_slowly(&mut connection).await?;
        connection.commit().await?;
        is_limited(&mut connection).await?;
        let short = TransactionOptions::default().statement_timeout(Duration::from_millis(100));
        connection.begin(&short).await?;
        let shown = plain("SHOW statement_timeout");
        assert_eq!(connection.fetch_one::<(String,)>(&shown).await?.0, "100ms");
        read_slowly(&mut connection).await?;
        assert_eq!(connection.fetch_one::<(String,)>(&shown).await?.0, "100ms");
        connection.rollback().await?;
        assert_eq!(connection.fetch_one::<(String,)>(&shown).await?.0, "1s");
        // One that was dropped half way, or with the limit on its way; and the next task.
        let many = plain("SELECT generate_series(1, 10000000)");
        for _ in 0..3 {
            assert!(std::pin::pin!(connection.stream::<(i32,)>(&many)).try_next().await?.is_some());
            let _ = tokio::time::timeout(Duration::from_micros(50), connection.execute(&shown)).await;
        }
        assert_eq!(connection.fetch_one::<(String,)>(&shown).await?.0, "1s");
        assert!(std::pin::pin!(connection.stream::<(i32,)>(&many)).try_next().await?.is_some());
        drop(connection);
        let mut connection = Backend::connect(&backend).await?;
        is_limited(&mut connection).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_source_of_rows_may_take_its_time() -> Outcome {
    each("sources", async |db: &Db| {
        db.script("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int)").await?;
        let table = TableDef::new("t").column(ColumnDef::new("id", T::Int32).primary_key().identity(1, 1));
        let into = db.target([table.column(ColumnDef::new("n", T::Int32))])?.bulk_insert("t", &["n"], &[])?;
        let backend = db.pool(PoolOptions::default().max(1).statement_timeout(Some(LIMIT))).await?;
        let mut connection = Backend::connect(&backend).await?;
        let slow = || {
            rows((0..50).map(|n| -> [Value; 1] {
                std::thread::sleep(Duration::from_millis(40));
                [n.into()]
            }))
        };
        assert_eq!(connection.bulk_insert(&into, slow()).await?, 50);
        assert_eq!(connection.bulk_insert_keys(&into, slow()).await?.len(), 50);
        is_limited(&mut connection).await?;
        Ok(())
    })
    .await
}

/// What stands between, and passes nothing on while it is told to be silent.
async fn between(to: String, silent: Arc<AtomicBool>) -> Outcome<u16> {
    async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, silent: Arc<AtomicBool>) {
        let mut buffer = [0; 4096];
        while let Ok(len @ 1..) = from.read(&mut buffer).await {
            while silent.load(Ordering::Relaxed) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            if to.write_all(buffer.get(..len).unwrap_or_default()).await.is_err() {
                return;
            }
        }
    }
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    tokio::spawn(async move {
        while let Ok((here, _)) = listener.accept().await {
            let Ok(there) = TcpStream::connect(&to).await else { return };
            let ((asks, answers_to), (answers, asks_to)) = (here.into_split(), there.into_split());
            tokio::spawn(pass(asks, asks_to, Arc::clone(&silent)));
            tokio::spawn(pass(answers, answers_to, Arc::clone(&silent)));
        }
    });
    Ok(port)
}

#[tokio::test]
async fn a_server_that_falls_silent_holds_nobody() -> Outcome {
    each("silence", async |db: &Db| {
        db.script("CREATE TABLE t (n int)").await?;
        let silent = Arc::new(AtomicBool::new(false));
        let (host, port) = &db.options.hosts[0];
        let short = Duration::from_millis(300);
        let pool = PoolOptions::default().max(1).statement_timeout(Some(short)).grace(short);
        let mut options: PostgresOptions = db.options.clone().pool(pool.wait(Duration::from_secs(1)));
        options.hosts = vec![("127.0.0.1".into(), between(format!("{host}:{port}"), Arc::clone(&silent)).await?)];
        let backend = PostgresBackend::connect(options).await?;
        let insert = plain("INSERT INTO t VALUES (1)");
        let returning = plain("INSERT INTO t VALUES (1) RETURNING 1");
        for what in ["statement", "returning", "query", "stream", "rows", "begin", "commit", "rollback", "dropped"] {
            let mut connection = Backend::connect(&backend).await?;
            if matches!(what, "commit" | "rollback") {
                connection.begin(&TransactionOptions::default()).await?;
                connection.execute(&insert).await?;
            }
            silent.store(true, Ordering::Relaxed);
            let begun = Instant::now();
            let call = async {
                match what {
                    "statement" => connection.execute(&insert).await.map(drop),
                    "returning" => connection.fetch::<(i32,)>(&returning).await.map(drop),
                    "query" => connection.fetch::<(i32,)>(&plain("SELECT 1")).await.map(drop),
                    "stream" => {
                        std::pin::pin!(connection.stream::<(i32,)>(&plain("SELECT 2"))).try_next().await.map(drop)
                    }
                    "rows" => connection.execute_many(&insert, rows([[], []])).await.map(drop),
                    "begin" => connection.begin(&TransactionOptions::default()).await,
                    "commit" => connection.commit().await,
                    "rollback" => connection.rollback().await,
                    _ => {
                        let _ = tokio::time::timeout(Duration::from_millis(20), connection.execute(&insert)).await;
                        connection.ping().await
                    }
                }
            };
            let error: Error = call.await.unwrap_err();
            // What was given up before does not end: nothing else is sent.
            let kind = if what == "dropped" { ErrorKind::ConnectionLost } else { ErrorKind::Timeout };
            assert_eq!(error.kind(), kind, "{what}: {error}");
            // So is what commits by itself.
            let in_doubt = matches!(what, "commit" | "statement" | "returning" | "rows");
            assert_eq!(error.is_in_doubt(), in_doubt, "{what}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(1), "{what}: {:?}", begun.elapsed());
            // It was closed, and its place is free: the next one waits for the server, not for the place.
            let lost = connection.execute(&insert).await.unwrap_err();
            assert_eq!((lost.kind(), lost.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{what}: {lost}");
            drop(connection);
            let begun = Instant::now();
            let error = Backend::connect(&backend).await.map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Connect, "{what}: {error}");
            assert!(begun.elapsed() < Duration::from_secs(2));
            silent.store(false, Ordering::Relaxed);
            let mut connection = Backend::connect(&backend).await?;
            assert_eq!(connection.fetch_one::<(i32,)>(&plain("SELECT 3")).await?, (3,), "{what}");
        }
        Ok(())
    })
    .await
}

/// What the server answers tells what became of it; what was not sent is in no doubt, either.
#[tokio::test]
async fn only_what_has_no_answer_is_in_doubt() -> Outcome {
    each("doubt", async |db: &Db| {
        db.script("CREATE TABLE t (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)").await?;
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain("INSERT INTO t VALUES (1), (1)")).await?;
        let error = connection.commit().await.unwrap_err();
        assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::UniqueViolation, false));
        connection.rollback().await?;
        assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?, (0,));

        let mut other = db.connect().await?;
        let ended = plain(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
                           AND application_name = current_setting('application_name')",
        );
        for suspect in [true, false] {
            let mut connection = db.connect().await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&plain("SELECT 1")).await?;
            if suspect {
                connection.execute(&plain("SELECT 1/0")).await.unwrap_err();
            }
            other.execute(&ended).await?;
            let error = connection.commit().await.unwrap_err();
            assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, !suspect), "{error}");
        }

        // What commits by itself, unless it only reads; not in a transaction, which is taken back.
        let sleeps = "SELECT pg_sleep(10)";
        for (what, sql, in_transaction, doubt) in [
            ("execute", "INSERT INTO t SELECT 2 FROM pg_sleep(10)", false, true),
            ("execute", "INSERT INTO t SELECT 2 FROM pg_sleep(10)", true, false),
            ("query", "INSERT INTO t SELECT 2 FROM pg_sleep(10) RETURNING n", false, true),
            ("query", "SELECT COUNT(*)::int FROM generate_series(1, 1000000000::bigint)", false, false),
            ("stream", "INSERT INTO t SELECT 2 FROM pg_sleep(10) RETURNING n", false, true),
            ("script", "INSERT INTO t SELECT 2; SELECT pg_sleep(10)", false, true),
            ("script", "INSERT INTO t SELECT 2; SELECT pg_sleep(10)", true, false),
            ("many", "INSERT INTO t SELECT 2 FROM pg_sleep(10)", false, true),
            ("execute", sleeps, false, true),
        ] {
            let mut connection = db.connect().await?;
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            let statement = plain(sql);
            let call = async {
                match what {
                    "execute" => connection.execute(&statement).await.map(drop),
                    "query" => connection.fetch::<(i32,)>(&statement).await.map(drop),
                    "stream" => std::pin::pin!(connection.stream::<(i32,)>(&statement)).try_next().await.map(drop),
                    "script" => connection.script(sql).await,
                    _ => connection.execute_many(&statement, rows([[], []])).await.map(drop),
                }
            };
            let end = async {
                tokio::time::sleep(Duration::from_millis(200)).await;
                other.execute(&ended).await
            };
            let (done, told) = futures_util::future::join(call, end).await;
            told?;
            let error = done.unwrap_err();
            assert_eq!(
                (error.kind(), error.is_in_doubt()),
                (ErrorKind::ConnectionLost, doubt),
                "{what} {sql}: {error}"
            );
            // What was never sent is in no doubt.
            if !in_transaction {
                let error = connection.execute(&statement).await.unwrap_err();
                assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{error}");
            }
        }
        Ok(())
    })
    .await
}

/// On a connection that the server has ended while nobody used it, nothing is sent.
#[tokio::test]
async fn a_write_on_a_connection_that_was_ended_before_is_in_no_doubt() -> Outcome {
    each("ended", async |db: &Db| {
        db.script("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n int)").await?;
        let table = TableDef::new("t").column(ColumnDef::new("id", T::Int32).primary_key().identity(1, 1));
        let into = db.target([table.column(ColumnDef::new("n", T::Int32))])?.bulk_insert("t", &["n"], &[])?;
        let mut other = db.connect().await?;
        let insert = plain("INSERT INTO t (n) VALUES (1)");
        for what in ["execute", "script", "many", "bulk"] {
            let mut connection = db.connect().await?;
            let (pid,) = connection.fetch_one::<(i32,)>(&plain("SELECT pg_backend_pid()")).await?;
            other.execute(&plain(&format!("SELECT pg_terminate_backend({pid})"))).await?;
            let there = plain(&format!("SELECT COUNT(*) FROM pg_stat_activity WHERE pid = {pid}"));
            while other.fetch_one::<(i64,)>(&there).await?.0 > 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            // That it is gone has to be read.
            tokio::time::sleep(Duration::from_secs(1)).await;
            let row = || rows([[Value::from(1)]]);
            let lost = match what {
                "execute" => connection.execute(&insert).await.map(drop),
                "script" => connection.script("INSERT INTO t (n) VALUES (1)").await,
                "many" => connection.execute_many(&insert, rows([[], []])).await.map(drop),
                _ => connection.bulk_insert(&into, row()).await.map(drop),
            };
            let lost = lost.unwrap_err();
            assert_eq!((lost.kind(), lost.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{what}: {lost}");
        }
        assert_eq!(other.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?, (0,));
        Ok(())
    })
    .await
}
