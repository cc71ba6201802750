//! Statements on PostgreSQL itself.

use futures_util::TryStreamExt;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, PoolOptions, TransactionOptions};

use crate::support::{Outcome, each, number, plain, pool, until};

#[tokio::test]
async fn the_dialect_is_of_the_servers_version() -> Outcome {
    each("version", async |db| {
        let mut connection = db.connect().await?;
        let (number,): (i64,) =
            connection.fetch_one(&plain("SELECT current_setting('server_version_num')::int")).await?;
        assert_eq!(i64::from(db.backend.dialect().version().0), number / 10_000);
        assert_eq!(db.backend.origin().system, "postgresql");
        assert_eq!(db.backend.origin().address.as_deref(), Some("127.0.0.1"));
        Ok(())
    })
    .await
}

/// What has a code of PostgreSQL's own.
#[tokio::test]
async fn errors_have_kinds() -> Outcome {
    each("errors", async |db| {
        db.script(r#"CREATE TABLE "Item" ("Id" bigint PRIMARY KEY, "Code" varchar(2))"#).await?;
        let mut connection = db.connect().await?;
        for (sql, kind, code) in [
            (r#"INSERT INTO "Item" VALUES (1, 'abc')"#, ErrorKind::BadValue, Some("22001")),
            ("SELECT 1/0", ErrorKind::BadValue, Some("22012")),
            ("SELECT 'x' ~ '('", ErrorKind::BadValue, Some("2201B")),
            ("SELECT $1::int", ErrorKind::BadValue, None),
            ("ROLLBACK TO nothing", ErrorKind::Other, Some("25P01")),
        ] {
            let error = connection.execute(&plain(sql)).await.unwrap_err();
            assert_eq!((error.kind(), error.code()), (kind, code), "{error}");
        }
        let user = format!("{}_user", db.schema);
        db.script(&format!("CREATE ROLE {user}")).await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain(format!("SET LOCAL ROLE {user}"))).await?;
        let error = connection.execute(&plain(format!("SELECT * FROM {}.\"Item\"", db.schema))).await.unwrap_err();
        connection.rollback().await?;
        db.script(&format!("DROP ROLE {user}")).await?;
        assert_eq!(error.kind(), ErrorKind::Permission, "{error}");
        // An error has ended the transaction, whichever it was.
        connection.begin(&TransactionOptions::default()).await?;
        let error = connection.execute(&plain("ROLLBACK TO nothing")).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::TransactionFailed, Some("3B001")), "{error}");
        connection.rollback().await?;
        // A wait for a lock that the server ends.
        let mut other = db.connect().await?;
        other.begin(&TransactionOptions::default()).await?;
        other.execute(&plain("LOCK TABLE \"Item\"")).await?;
        connection.script("SET lock_timeout = 50").await?;
        let error = connection.execute(&plain("SELECT * FROM \"Item\"")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        Ok(())
    })
    .await
}

fn one() -> PoolOptions {
    pool(1).cached(1)
}

#[tokio::test]
async fn a_stream_reads_no_further_than_it_is_asked() -> Outcome {
    each("streams", async |db| {
        let backend = db.pool(one()).await?;
        let mut connection = Backend::connect(&backend).await?;
        // The sequence tells how far the server has come, whatever becomes of the query.
        let many = plain("SELECT nextval('given'), repeat('x', 100) FROM (SELECT generate_series(1, 20000000)) x");
        let mut other = db.connect().await?;
        let pid = number(&mut *connection, "SELECT pg_backend_pid()::bigint").await?;
        let full =
            format!("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {pid} AND wait_event = 'ClientWrite')");
        for _ in 0..3 {
            db.script("DROP SEQUENCE IF EXISTS given; CREATE SEQUENCE given").await?;
            {
                let mut rows = std::pin::pin!(connection.stream::<(i64, String)>(&many));
                for n in 1..=10 {
                    assert_eq!(rows.try_next().await?.map(|row| row.0), Some(n));
                }
                // The server has filled what is between, and waits for who reads.
                until(&mut other, &full).await?;
                let (waits,): (i64,) = other.fetch_one(&plain("SELECT last_value FROM given")).await?;
                assert!(waits < 200_000, "{waits} rows are under way");
            }
            assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7::bigint")).await?, (7,));
            assert_eq!(connection.fetch_first::<(i64, String)>(&many).await?.map(|row| row.0 > 10), Some(true));
            assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 8::bigint")).await?, (8,));
            let (given,): (i64,) = other.fetch_one(&plain("SELECT last_value FROM given")).await?;
            assert!(given < 20_000_000, "the rest is not read");
        }
        Ok(())
    })
    .await
}

/// Of the connections that have prepared a statement, the first that runs it in a transaction meets the change.
#[tokio::test]
async fn a_table_that_another_program_changes_is_one_conflict() -> Outcome {
    each("changes", async |db| {
        let other = db.pool(one()).await?;
        let other = async |sql: &str| Backend::connect(&other).await?.script(sql).await;
        other("CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, 'x')").await?;
        let all = plain("SELECT * FROM t");
        let mut connections = Vec::new();
        for _ in 0..3 {
            connections.push(db.connect().await?);
        }
        for connection in &mut connections {
            assert_eq!(connection.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        }
        other("ALTER TABLE t DROP b").await?;
        for (place, connection) in connections.iter_mut().enumerate() {
            connection.begin(&TransactionOptions::default()).await?;
            if place == 0 {
                let error = connection.fetch_one::<(i32,)>(&all).await.unwrap_err();
                assert_eq!((error.kind(), error.code()), (ErrorKind::SerializationFailure, Some("0A000")));
                assert!(error.to_string().contains("run the transaction again"), "{error}");
                connection.rollback().await?;
                connection.begin(&TransactionOptions::default()).await?;
            }
            assert_eq!(connection.fetch_one::<(i32,)>(&all).await?, (1,));
            connection.commit().await?;
        }
        Ok(())
    })
    .await
}

/// A change by the program itself is known to all of its pool, and to the transaction that makes it.
#[tokio::test]
async fn a_table_that_the_program_changes_is_no_error() -> Outcome {
    each("changed", async |db| {
        let (mut one, mut two) = (db.connect().await?, db.connect().await?);
        one.script("CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, 'x')").await?;
        let all = plain("SELECT * FROM t");
        one.begin(&TransactionOptions::default()).await?;
        assert_eq!(one.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        one.script("ALTER TABLE t DROP b").await?;
        assert_eq!(one.fetch_one::<(i32,)>(&all).await?, (1,));
        one.commit().await?;
        assert_eq!(two.fetch_one::<(i32,)>(&all).await?, (1,));
        one.script("ALTER TABLE t ADD c int").await?;
        two.begin(&TransactionOptions::default()).await?;
        assert_eq!(two.fetch_one::<(i32, Option<i32>)>(&all).await?, (1, None));
        two.commit().await?;
        // So are statements that were thrown away.
        two.execute(&plain("DEALLOCATE ALL")).await?;
        assert_eq!(two.fetch_one::<(i32, Option<i32>)>(&all).await?, (1, None));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn sequences_and_prepared_statements_are_forgotten() -> Outcome {
    each("left", async |db| {
        db.script("CREATE SEQUENCE s").await?;
        let backend = db.pool(one()).await?;
        let mut connection = Backend::connect(&backend).await?;
        connection.script("SELECT nextval('s'); PREPARE own AS SELECT 1").await?;
        drop(connection);
        let mut next = Backend::connect(&backend).await?;
        assert_eq!(next.execute(&plain("SELECT lastval()")).await.unwrap_err().code(), Some("55000"));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_only_might_have_ended_a_transaction_has_not() -> Outcome {
    each("ended", async |db| {
        db.script("CREATE TABLE t (n int)").await?;
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.script("SAVEPOINT own; INSERT INTO t VALUES (2); ROLLBACK TO own; PREPARE own AS SELECT 1").await?;
        connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
        connection.commit().await?;
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await?, 1);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn as_many_statements_are_kept_as_said() -> Outcome {
    each("prepared", async |db| {
        for most in [0, 1, 3] {
            let mut pool = one();
            pool.prepared = most;
            let backend = db.pool(pool).await?;
            let mut connection = Backend::connect(&backend).await?;
            for n in 0..10 {
                assert_eq!(connection.fetch_one::<(i32,)>(&plain(format!("SELECT {n}"))).await?, (n,));
            }
            // Itself included, if it is kept.
            let kept = "SELECT COUNT(*) FROM pg_prepared_statements";
            connection.execute(&plain(kept)).await?;
            let (kept,): (i64,) = connection.fetch_one(&plain(kept)).await?;
            assert_eq!(kept, i64::try_from(most.max(1))?);
        }
        Ok(())
    })
    .await
}
