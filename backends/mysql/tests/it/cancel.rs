//! How long MySQL and MariaDB wait for who reads a stream, and a COMMIT that was given up.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use futures_util::{FutureExt, StreamExt, TryStreamExt};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, TransactionOptions};
use isogloss_mysql::driver::MySqlBackend;
use tokio::time::sleep;

use crate::live::private::Private;
use crate::live::{Database, Outcome, number, plain, servers};

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

#[tokio::test]
async fn a_caller_may_pause_for_longer_than_the_server_waits_to_write() -> Outcome {
    let Some(server) = Private::impatient() else { return Ok(()) };
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
        let mut pool = crate::live::pool(1);
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
