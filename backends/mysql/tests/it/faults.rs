//! Connections that are ended while nobody uses them.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use isogloss_driver::{Backend, ConnectionExt, ErrorKind};

use crate::live::clock::{advance, frozen};
use crate::live::{Database, Outcome, given_up, number, plain, servers, until_gone};

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
            until_gone(&mut *kills, id).await;
            let clock = frozen();
            advance(unused);
            let mut connection = backend.connect().await?;
            drop(clock);
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
        for (scripted, dropped) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut connection = backend.connect().await?;
            if scripted {
                connection.script("SET @tenant = 7; CREATE TEMPORARY TABLE mine (n INT)").await?;
            }
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            if dropped {
                given_up(&mut connection, id, &mut kills, "SELECT SLEEP(1000)").await;
            } else {
                kills.execute(&plain(format!("KILL {id}"))).await?;
                until_gone(&mut *kills, id).await;
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

/// What a statement has set is not lost unheard, as what a script has set is not.
#[tokio::test]
async fn another_session_takes_no_place_where_something_was_set() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        let mut kills = database.backend().await.connect().await?;
        let mut connection = backend.connect().await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        connection.execute(&plain("SET @tenant = 1")).await?;
        kills.script(&format!("KILL {id}")).await?;
        until_gone(&mut *kills, id).await;
        for _ in 0..2 {
            let error = connection.execute(&plain("SELECT 1")).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
        }
    }
    Ok(())
}
