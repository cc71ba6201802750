//! Servers that say nothing any more, and names that lead to another server.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use std::time::{Duration, Instant};

use isogloss_driver::{Backend, ConnectionExt, ErrorKind};
use isogloss_mysql::driver::MySqlBackend;
use live::private::Private;
use live::proxy::Proxy;
use live::{Database, Outcome, number, plain, servers};
use tokio::time::{sleep, timeout};

const SHORT: Duration = Duration::from_millis(300);

/// A pool of one connection through a proxy, with short times.
async fn proxied(database: &Database) -> (MySqlBackend, Proxy) {
    let mut options = database.options();
    let proxy = Proxy::new(&options.host, options.port).await;
    (options.host, options.port) = ("127.0.0.1".into(), proxy.port);
    (options.pool.max, options.pool.grace, options.pool.statement_timeout) = (1, SHORT, Some(SHORT));
    (MySqlBackend::connect(options).await.unwrap(), proxy)
}

/// Whether the pool gives a connection in time that works.
async fn works(backend: &MySqlBackend) -> bool {
    let found = timeout(Duration::from_secs(2), async {
        let mut connection = backend.connect().await?;
        connection.fetch_one::<(i64,)>(&plain("SELECT 7")).await
    });
    matches!(found.await, Ok(Ok((7,))))
}

#[tokio::test]
async fn a_server_that_falls_silent_is_left_in_time() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, proxy) = proxied(&database).await;
        for streamed in [false, true] {
            let mut connection = backend.connect().await?;
            assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
            proxy.silence(true);
            let begun = Instant::now();
            let error = if streamed {
                connection.open(&plain("SELECT 8")).await.map(drop).unwrap_err()
            } else {
                connection.execute(&plain("SELECT 8")).await.unwrap_err()
            };
            assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
            assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
            // It is closed for good, and that is known without a word to the server.
            let error = connection.execute(&plain("SELECT 8")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
            assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
            drop(connection);
            // The KILL that nobody hears holds its place for the grace and no longer.
            sleep(SHORT * 2).await;
            proxy.silence(false);
            assert!(works(&backend).await);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_commit_that_is_not_answered_is_in_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, proxy) = proxied(&database).await;
        let mut connection = backend.connect().await?;
        connection.execute(&plain("CREATE TABLE t (n INT PRIMARY KEY) ENGINE = InnoDB")).await?;
        connection.begin(&Default::default()).await?;
        connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
        proxy.silence(true);
        let begun = Instant::now();
        let error = connection.commit().await.unwrap_err();
        assert!(error.kind() == ErrorKind::Timeout && error.is_in_doubt(), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        connection.rollback().await?;
        assert_eq!(connection.depth(), 0);
        drop(connection);
        proxy.silence(false);
        assert!(works(&backend).await);

        // A statement that was not answered leaves no doubt about its transaction.
        let mut connection = backend.connect().await?;
        connection.begin(&Default::default()).await?;
        proxy.silence(true);
        assert!(!connection.execute(&plain("INSERT INTO t VALUES (2)")).await.unwrap_err().is_in_doubt());
        let error = connection.commit().await.unwrap_err();
        assert!(error.kind() == ErrorKind::ConnectionLost && !error.is_in_doubt(), "{error}");
        assert_eq!(connection.depth(), 0);
        proxy.silence(false);
    }
    Ok(())
}

#[tokio::test]
async fn a_connection_that_ends_at_its_commit_leaves_that_in_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (mut kills, backend) = (database.backend().await.connect().await?, database.pool(1).await);
        let mut connection = backend.connect().await?;
        connection.begin(&Default::default()).await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        kills.script(&format!("KILL {id}")).await?;
        let error = connection.commit().await.unwrap_err();
        assert!(error.kind() == ErrorKind::ConnectionLost && error.is_in_doubt(), "{error}");
        assert_eq!(connection.depth(), 0);
    }
    Ok(())
}

/// Behind a name that leads to another server by then, the number of a connection is that of a stranger.
#[tokio::test]
async fn a_stranger_on_another_server_is_not_killed() -> Outcome {
    let Some(one) = Private::new("one", "--local-infile=1").await else { return Ok(()) };
    let Some(two) = Private::new("two", "--local-infile=1").await else { return Ok(()) };
    let theirs = MySqlBackend::connect(two.options().pool(live::pool(30))).await?;
    let mut strangers = Vec::new();
    for _ in 0..30 {
        let mut stranger = theirs.connect().await?;
        let id = number(&mut *stranger, "SELECT CONNECTION_ID()").await;
        strangers.push((stranger, id));
    }
    let mut options = one.options().pool(live::pool(1));
    let proxy = Proxy::new("127.0.0.1", options.port).await;
    options.port = proxy.port;
    let backend = MySqlBackend::connect(options).await?;
    let mut connection = backend.connect().await?;
    let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
    assert!(strangers.iter().any(|(_, stranger)| *stranger == id), "the number {id} is given twice");
    proxy.leads_to("127.0.0.1", two.options().port);
    assert!(timeout(Duration::from_millis(20), connection.execute(&plain("SELECT SLEEP(100)"))).await.is_err());
    drop(connection);
    // It is closed, and the next one is at the other server.
    let mut connection = backend.connect().await?;
    assert_eq!(number(&mut *connection, "SELECT @@port").await, i64::from(two.options().port));
    sleep(SHORT).await;
    for (stranger, id) in &mut strangers {
        assert_eq!(number(&mut **stranger, "SELECT CONNECTION_ID()").await, *id);
    }
    // There it is ended as ever.
    let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
    assert!(timeout(Duration::from_millis(20), connection.execute(&plain("SELECT SLEEP(100)"))).await.is_err());
    drop(connection);
    let gone = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID = {id}");
    drop(backend.connect().await?);
    assert_eq!(number(&mut *strangers[0].0, &gone).await, 0);
    Ok(())
}
