//! Streams in transactions that their readers give up.

use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_driver::{AnyConnection, ConnectionExt, ErrorKind, Isolation, TransactionOptions};

use crate::support::{Db, Outcome, each, number, plain};

/// Reads ten rows of many, and gives up the rest.
async fn ten_of(connection: &mut AnyConnection, sql: &str) -> Outcome {
    let many = plain(sql);
    let mut rows = std::pin::pin!(connection.stream::<(i64,)>(&many));
    for n in 1..=10 {
        assert_eq!(rows.try_next().await?, Some((n,)), "{sql}");
    }
    Ok(())
}

const BILLION: &str = "SELECT generate_series(1, 1000000000::bigint)";

#[tokio::test]
async fn a_stream_that_has_ended_leaves_no_savepoint() -> Outcome {
    each("ended_streams", async |db: &Db| {
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        for few in [false, true] {
            // To its end, and with a short rest.
            let all = plain("SELECT n FROM generate_series(1, 1000::bigint) n");
            assert_eq!(connection.stream::<(i64,)>(&all).try_collect::<Vec<_>>().await?.len(), 1_000);
            if few {
                ten_of(&mut connection, &all.sql).await?;
            }
            for number in 1..=5 {
                connection.begin(&TransactionOptions::default()).await?;
                let released = plain(format!("RELEASE isogloss_stream_{number}"));
                let none = connection.execute(&released).await.unwrap_err();
                assert_eq!(none.code(), Some("3B001"), "{none}");
                connection.rollback().await?;
            }
        }
        connection.commit().await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_a_stream_does_is_not_lost_with_its_rest() -> Outcome {
    each("kept_streams", async |db: &Db| {
        db.script(
            "CREATE TABLE t (n bigint); INSERT INTO t SELECT generate_series(1, 100000); CREATE TABLE seen (n bigint); \
             CREATE FUNCTION see(n bigint) RETURNS bigint LANGUAGE sql AS 'INSERT INTO seen VALUES (n) RETURNING n'",
        )
        .await?;
        let (mut connection, mut other) = (db.connect().await?, db.connect().await?);
        connection.begin(&TransactionOptions::default()).await?;
        // Rows that were locked stay so, and what was written stays written.
        ten_of(&mut connection, "SELECT n FROM t ORDER BY n FOR SHARE").await?;
        ten_of(&mut connection, "INSERT INTO seen SELECT generate_series(1, 100000) RETURNING n").await?;
        ten_of(&mut connection, "SELECT see(n) FROM generate_series(1, 12::bigint) n").await?;
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM seen").await?, 100_012);
        let locked = plain("SELECT n FROM t WHERE n = 1 FOR UPDATE NOWAIT");
        let error = other.fetch::<(i64,)>(&locked).await.unwrap_err();
        assert_eq!(error.code(), Some("55P03"), "{error}");
        connection.commit().await?;
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM seen").await?, 100_012);

        // A row that fails behind what anybody reads ends nothing, be it found or not; one that is read does.
        let fails = |row: i64| format!("SELECT n + 0 / ({row} - n) FROM generate_series(1, 10000000::bigint) n");
        for row in [5_000, 9_000_000] {
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&plain("INSERT INTO seen VALUES (1)")).await?;
            ten_of(&mut connection, &fails(row)).await?;
            connection.commit().await?;
        }
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM seen").await?, 100_014);
        connection.begin(&TransactionOptions::default()).await?;
        let read = plain(fails(5_000));
        assert!(connection.stream::<(i64,)>(&read).try_collect::<Vec<_>>().await.is_err());
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        connection.rollback().await?;
        Ok(())
    })
    .await
}

/// A function that the driver does not know may do anything: lock, set, write.
#[tokio::test]
async fn what_functions_do_is_not_lost_with_the_rest_of_a_stream() -> Outcome {
    each("called_streams", async |db: &Db| {
        db.script(
            "CREATE TABLE seen (n bigint); \
             CREATE FUNCTION see(n bigint) RETURNS bigint LANGUAGE sql AS 'INSERT INTO seen VALUES (n) RETURNING n'",
        )
        .await?;
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        for called in [
            "pg_try_advisory_xact_lock(7)",
            "pg_catalog . set_config('isogloss.own', 'kept', true) = 'kept'",
            "\"see\" /* it */ (n) = n",
        ] {
            let many = format!("SELECT n FROM generate_series(1, 3000000::bigint) n WHERE n > 10 OR {called}");
            ten_of(&mut connection, &many).await?;
        }
        let own = plain("SELECT current_setting('isogloss.own')");
        assert_eq!(connection.fetch_one::<(String,)>(&own).await?.0, "kept");
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM seen").await?, 10);
        let mut other = db.connect().await?;
        let free = plain("SELECT pg_try_advisory_xact_lock(7)");
        assert_eq!(other.fetch_one::<(bool,)>(&free).await?, (false,));
        connection.commit().await?;
        assert_eq!(number(&mut *other, "SELECT COUNT(*) FROM seen").await?, 10);
        // A snapshot is exported in no savepoint.
        let snapshot = TransactionOptions::default().isolation(Isolation::RepeatableRead);
        connection.begin(&snapshot).await?;
        let export = plain("SELECT pg_export_snapshot()");
        assert_eq!(connection.stream::<(String,)>(&export).try_collect::<Vec<_>>().await?.len(), 1);
        connection.rollback().await?;
        Ok(())
    })
    .await
}

/// An error that was read has ended the transaction, and no stream that is given up behind it finds a savepoint to go
/// back to.
#[tokio::test]
async fn a_stream_never_wakes_a_transaction_that_has_failed() -> Outcome {
    each("woken_streams", async |db: &Db| {
        db.script("CREATE TABLE t (n bigint)").await?;
        let (insert, many) = (plain("INSERT INTO t VALUES (1)"), plain(BILLION));
        let fails = plain("SELECT n / (2 - n) FROM generate_series(1, 3::bigint) n");
        for wait in (0..20).map(|n| Duration::from_micros(n * 50)) {
            let mut connection = db.connect().await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&insert).await?;
            assert!(connection.stream::<(i64,)>(&fails).try_collect::<Vec<_>>().await.is_err());
            assert_eq!(connection.execute(&insert).await.unwrap_err().code(), Some("25P02"));
            let read = async { std::pin::pin!(connection.stream::<(i64,)>(&many)).try_next().await };
            let _ = tokio::time::timeout(wait, read).await;
            assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
            connection.rollback().await?;
        }
        // What the driver itself refuses leaves no savepoint.
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        for number in 1..=3 {
            let given = plain("SELECT n FROM t WHERE n = $1");
            let refused = connection.stream::<(i64,)>(&given).try_collect::<Vec<_>>().await.unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::BadValue, "{refused}");
            connection.begin(&TransactionOptions::default()).await?;
            let released = plain(format!("RELEASE isogloss_stream_{number}"));
            let none = connection.execute(&released).await.unwrap_err();
            assert_eq!(none.code(), Some("3B001"), "{none}");
            connection.rollback().await?;
        }
        connection.commit().await?;
        Ok(())
    })
    .await
}
