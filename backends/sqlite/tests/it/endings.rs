//! How a transaction ends: one of many rows on another thread. A COMMIT whose future is dropped before it is heard of: what is told of it afterwards is so.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::pin::pin;
use std::sync::mpsc;
use std::time::Duration;

use isogloss_driver::{AnyConnection, Backend, ErrorKind, Result, TransactionOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::support::{Outcome, begin_blocking, number, plain, with_one_blocking_thread};

/// So many rows that the end of their transaction goes to another thread.
const MANY: i64 = 20_000;

async fn tables() -> Result<(SqliteBackend, AnyConnection)> {
    let backend = SqliteBackend::open(SqliteOptions::memory()).await?;
    let mut connection = backend.connect().await?;
    let tables = "CREATE TABLE t (id INTEGER PRIMARY KEY);
                  CREATE TABLE child (t INTEGER REFERENCES t (id) DEFERRABLE INITIALLY DEFERRED)";
    connection.script(tables).await?;
    Ok((backend, connection))
}

/// A transaction with many rows.
async fn begun(connection: &mut AnyConnection) -> Result<()> {
    connection.begin(&TransactionOptions::default()).await?;
    let sql = format!(
        "INSERT INTO t (id) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {MANY}) SELECT NULL FROM n"
    );
    connection.execute(&plain(&sql)).await.map(drop)
}

/// Begins a COMMIT and frees the blocking thread for it, then drops its future.
fn drop_commit(connection: &mut AnyConnection, moment: Moment) {
    let mut commit = pin!(connection.commit());
    drop(begin_blocking(commit.as_mut()));
    moment.wait();
}

/// When the future of a COMMIT is dropped.
enum Moment {
    /// After it has ended on the blocking thread.
    Ended,
    /// This long after it could begin there, however far it is.
    After(Duration),
}

impl Moment {
    fn wait(self) {
        match self {
            Self::Ended => {
                // The blocking thread takes one job after the other.
                let (ends, ended) = mpsc::channel();
                tokio::task::spawn_blocking(move || ends.send(()));
                ended.recv().unwrap();
            }
            Self::After(time) => std::thread::sleep(time),
        }
    }
}

async fn rows(connection: &mut AnyConnection) -> Result<i64> {
    number(&mut **connection, "SELECT COUNT(*) FROM t").await
}

#[test]
fn what_was_committed_is_not_told_as_taken_back() -> Outcome {
    with_one_blocking_thread(async {
        let (_backend, mut connection) = tables().await?;
        begun(&mut connection).await?;
        drop_commit(&mut connection, Moment::Ended);
        for _ in 0..2 {
            let refused = connection.execute(&plain("INSERT INTO t DEFAULT VALUES")).await.unwrap_err();
            assert!(refused.message().contains("was committed"), "{refused}");
        }
        connection.commit().await?;
        assert_eq!((connection.depth(), rows(&mut connection).await?), (0, MANY));

        begun(&mut connection).await?;
        drop_commit(&mut connection, Moment::Ended);
        let error = connection.rollback().await.unwrap_err();
        assert!(error.kind() == ErrorKind::TransactionFailed && error.message().contains("was committed"), "{error}");
        assert_eq!((connection.depth(), rows(&mut connection).await?), (0, 2 * MANY));
        connection.begin(&TransactionOptions::default()).await?;
        Ok(connection.rollback().await?)
    })
}

#[test]
fn what_was_not_committed_can_be_taken_back() -> Outcome {
    with_one_blocking_thread(async {
        let (_backend, mut connection) = tables().await?;
        begun(&mut connection).await?;
        connection.execute(&plain("INSERT INTO child VALUES (-1)")).await?;
        drop_commit(&mut connection, Moment::Ended);
        let refused = connection.commit().await.unwrap_err();
        assert!(refused.kind() == ErrorKind::ForeignKeyViolation && connection.depth() == 1, "{refused}");
        drop_commit(&mut connection, Moment::Ended);
        connection.rollback().await?;
        assert_eq!((connection.depth(), rows(&mut connection).await?), (0, 0));
        Ok(())
    })
}

/// However far it came.
#[test]
fn a_commit_that_is_given_up_is_told_truly() -> Outcome {
    with_one_blocking_thread(async {
        let (_backend, mut connection) = tables().await?;
        let mut expected = 0;
        for n in 0..40_u32 {
            begun(&mut connection).await?;
            drop_commit(&mut connection, Moment::After(Duration::from_micros(u64::from(n % 8) * 20)));
            let again = n % 2 == 0;
            let told = if again { connection.commit().await } else { connection.rollback().await };
            expected += if told.is_ok() == again { MANY } else { 0 };
            assert_eq!((connection.depth(), rows(&mut connection).await?), (0, expected), "{n}: {told:?}");
        }
        Ok(())
    })
}

#[test]
fn a_transaction_of_many_rows_is_taken_back_elsewhere() -> Outcome {
    with_one_blocking_thread(async {
        let (backend, mut connection) = tables().await?;
        connection.begin(&TransactionOptions::default()).await?;
        let insert = plain("INSERT INTO t DEFAULT VALUES");
        for _ in 0..2 * MANY / 10 {
            connection.execute(&insert).await?;
        }
        let mut rollback = Box::pin(connection.rollback());
        drop(begin_blocking(rollback.as_mut()));
        rollback.await?;
        assert_eq!(rows(&mut connection).await?, 0);

        begun(&mut connection).await?;
        let mut next = Box::pin(async {
            drop(connection);
            backend.connect().await
        });
        drop(begin_blocking(next.as_mut()));
        assert_eq!(rows(&mut next.await?).await?, 0);
        Ok(())
    })
}
