//! Transactions on MySQL and MariaDB that were ended by others than who began them.
#![allow(clippy::unwrap_used, reason = "a test")]

use futures_util::TryStreamExt;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, Isolation, Result, TransactionOptions};

use crate::live::{Database, Outcome, number, plain, servers, until, until_gone, until_locked_out};

const SCHEMA: &str = "CREATE TABLE t (id INT PRIMARY KEY, n INT) ENGINE = InnoDB; \
                      INSERT INTO t VALUES (1, 0), (2, 0); CREATE TABLE w (id INT PRIMARY KEY) ENGINE = InnoDB";

/// How the locks of a victim are asked for.
#[derive(Debug, Clone, Copy)]
enum Way {
    First,
    Stream,
    Rest,
}

async fn locks(connection: &mut AnyConnection, way: Way) -> Result<()> {
    // The first row has its lock already.
    let both = plain("SELECT id FROM t ORDER BY id FOR UPDATE");
    match way {
        Way::First => connection.fetch_first::<(i64,)>(&both).await.map(drop),
        Way::Stream => connection.stream::<(i64,)>(&both).try_collect::<Vec<_>>().await.map(drop),
        Way::Rest => {
            let mut rows = Box::pin(connection.stream::<(i64,)>(&both));
            rows.try_next().await.map(drop)
        }
    }
}

/// The error comes with one of the rows, or with the rest that nobody reads.
#[tokio::test]
async fn a_deadlock_among_the_rows_ends_the_transaction() -> Outcome {
    for url in servers() {
        for way in [Way::First, Way::Stream, Way::Rest] {
            let database = Database::new(&url).await;
            let backend = database.backend().await;
            let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
            one.script(SCHEMA).await?;
            let (mut watches, id) = (backend.connect().await?, number(&mut *one, "SELECT CONNECTION_ID()").await);
            let plainly = TransactionOptions::default();
            one.begin(&plainly).await?;
            one.execute(&plain("INSERT INTO w VALUES (1)")).await?;
            one.execute(&plain("UPDATE t SET n = 1 WHERE id = 1")).await?;
            other.begin(&plainly).await?;
            // The one that has written less is the victim.
            other.execute(&plain("INSERT INTO w VALUES (101), (102), (103), (104), (105), (106), (107)")).await?;
            other.execute(&plain("UPDATE t SET n = 2 WHERE id = 2")).await?;
            let waits = tokio::spawn(async move {
                until_locked_out(&mut watches, id).await;
                let done = other.execute(&plain("UPDATE t SET n = 2 WHERE id = 1")).await;
                (other, done)
            });
            let locked = locks(&mut one, way).await;
            let (mut other, done) = waits.await?;
            done?;
            let next = one.execute(&plain("INSERT INTO w VALUES (2)")).await;
            assert!(
                next.as_ref().is_err_and(|error| error.kind() == ErrorKind::Deadlock),
                "{way:?} {locked:?} {next:?}"
            );
            assert_eq!(one.commit().await.unwrap_err().kind(), ErrorKind::Deadlock);
            other.commit().await?;
            assert_eq!(number(&mut *one, "SELECT COUNT(*) FROM w WHERE id < 100").await, 0, "{way:?}");
        }
    }
    Ok(())
}

/// It has committed before it found out.
#[tokio::test]
async fn a_statement_that_commits_may_fail() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut connection = database.backend().await.connect().await?;
        connection.script(SCHEMA).await?;
        for n in 0..3 {
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&plain(format!("INSERT INTO w VALUES ({n})"))).await?;
            assert!(connection.execute(&plain("CREATE TABLE t (a INT)")).await.is_err());
            let ended = match n {
                0 => connection.commit().await,
                1 => connection.rollback().await,
                _ => connection.execute(&plain("INSERT INTO w VALUES (99)")).await.map(drop),
            };
            assert_eq!(ended.unwrap_err().kind(), ErrorKind::TransactionFailed, "{n}");
        }
        assert_eq!(connection.rollback().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM w").await, 3);
    }
    Ok(())
}

/// Also one that has run nothing yet, or only reads.
#[tokio::test]
async fn a_transaction_that_nobody_has_ended_goes_on() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        connection.script(SCHEMA).await?;
        let plainly = TransactionOptions::default();
        let reads = [plainly.read_only(), plainly.isolation(Isolation::Serializable).read_only()];
        for options in reads {
            connection.begin(&options).await?;
            connection.begin(&plainly).await?;
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 2);
            connection.rollback().await?;
            assert_eq!(connection.stream::<(i64,)>(&plain("SELECT id FROM t")).try_collect::<Vec<_>>().await?.len(), 2);
            connection.commit().await?;
        }
        for options in [plainly, plainly.isolation(Isolation::ReadCommitted)] {
            connection.begin(&options).await?;
            connection.begin(&plainly).await?;
            connection.execute(&plain("CREATE TEMPORARY TABLE IF NOT EXISTS temp (a INT)")).await?;
            connection.execute(&plain("INSERT INTO t VALUES (3, 3)")).await?;
            assert!(connection.execute(&plain("INSERT INTO t VALUES (3, 3)")).await.is_err());
            connection.execute(&plain("SET @a = 1")).await?;
            connection.commit().await?;
            connection.rollback().await?;
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 2);
        }
    }
    Ok(())
}

/// Each write that is lost with its connection is in doubt, also on the connection that was opened in place of one.
#[tokio::test]
async fn each_write_that_is_lost_is_in_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut other = backend.connect().await?;
        other.script(SCHEMA).await?;
        let (mut one, mut other) = (backend.connect().await?, backend.connect().await?);
        let write = "INSERT INTO w SELECT 1 FROM t WHERE SLEEP(1000) = 0";
        for round in 0..4 {
            let statement = plain(write);
            let ends = async {
                let running = format!(
                    "SELECT COALESCE(MAX(ID), 0) FROM information_schema.PROCESSLIST \
                     WHERE INFO = '{write}' AND DB = '{}' AND STATE = 'User sleep'",
                    database.name
                );
                let id = until(&mut *other, &running, |id| id > 0).await;
                other.execute(&plain(format!("KILL {id}"))).await?;
                until_gone(&mut *other, id).await;
                Ok::<_, isogloss_driver::Error>(())
            };
            let (done, ended) = tokio::join!(one.execute(&statement), ends);
            ended?;
            let lost = done.unwrap_err();
            assert_eq!((lost.kind(), lost.is_in_doubt()), (ErrorKind::ConnectionLost, true), "{round}: {lost}");
            // Another connection answers, by an error or by rows; or what is next is the first that it hears of.
            match round {
                0 => {
                    let answered = one.execute(&plain("INSERT INTO nowhere VALUES (1)")).await.unwrap_err();
                    assert!(answered.code().is_some() && !answered.is_in_doubt(), "{answered}");
                }
                1 => drop(one.open(&plain("SELECT 1")).await?),
                _ => {}
            }
        }
    }
    Ok(())
}
