//! Statements on PostgreSQL itself.
#![cfg(feature = "driver")]

mod support;

use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{ColumnDef, TableDef};
use isogloss_driver::{
    Backend, Connection, ConnectionExt, ErrorKind, Isolation, PoolOptions, TransactionOptions, rows,
};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};

use support::{Db, Outcome, each, plain, urls};

fn item() -> TableDef {
    TableDef::new("Item")
        .column(ColumnDef::new("Id", DbValueType::Int64).primary_key())
        .column(ColumnDef::new("Name", DbValueType::String).nullable())
        .column(ColumnDef::new("At", DbValueType::DateTime2).nullable())
}

const ITEM: &str = r#"CREATE TABLE "Item" ("Id" bigint PRIMARY KEY, "Name" text UNIQUE, "At" timestamp)"#;

fn insert(from: i64, to: i64) -> InsertExpr {
    let rows = (from..to).flat_map(|n| [Value::from(n), format!("item {n}").into(), Value::Null]);
    table("Item").insert(["Id", "Name", "At"], rows.collect::<Vec<_>>())
}

async fn count(connection: &mut dyn Connection) -> Outcome<i64> {
    Ok(connection.fetch_one::<(i64,)>(&plain(r#"SELECT COUNT(*) FROM "Item""#)).await?.0)
}

#[tokio::test]
async fn rows_are_written_and_read() -> Outcome {
    each("rows", async |db| {
        db.script(ITEM).await?;
        let target = db.target([item()])?;
        let mut connection = db.connect().await?;
        let new = insert(0, 3_000);
        assert_eq!(connection.execute(&target.compile(&new)?).await?, 3_000);
        let some =
            from("Item").filter(prop("Id").lt(2)).order_by([prop("Id").asc()]).select([prop("Id"), prop("Name")]);
        let (some, all) = (SqlSegment::from(some), SqlSegment::from(from("Item").select([prop("Id")])));
        for _ in 0..3 {
            let rows: Vec<(i64, Option<String>)> = connection.fetch(&target.compile(&some)?).await?;
            assert_eq!(rows, [(0, Some("item 0".into())), (1, Some("item 1".into()))]);
            let ids: Vec<(i64,)> = connection.fetch(&target.compile(&all)?).await?;
            assert_eq!(ids.len(), 3_000);
        }
        let first: Option<(i64,)> =
            connection.fetch_first(&plain(r#"SELECT "Id" FROM "Item" ORDER BY 1 DESC"#)).await?;
        assert_eq!(first, Some((2_999,)));
        let error = connection.fetch_one::<(bool,)>(&plain("SELECT 'a' AS x")).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot decode: column 0 `x` holds text, not a truth value");
        Ok(())
    })
    .await
}

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

#[tokio::test]
async fn errors_have_kinds() -> Outcome {
    each("errors", async |db| {
        db.script(ITEM).await?;
        db.script(
            r#"CREATE TABLE "Child" ("Id" int NOT NULL, "Item" bigint REFERENCES "Item" ON DELETE RESTRICT,
               "Size" int CONSTRAINT positive CHECK ("Size" > 0), "Code" varchar(2));
               INSERT INTO "Item" VALUES (1, 'a'); INSERT INTO "Child" VALUES (1, 1, 1)"#,
        )
        .await?;
        let mut connection = db.connect().await?;
        let child = |sql: &str| plain(&format!(r#"INSERT INTO "Child" VALUES {sql}"#));
        for (statement, kind, code, constraint) in [
            (plain(r#"INSERT INTO "Item" VALUES (1)"#), ErrorKind::UniqueViolation, "23505", Some("Item_pkey")),
            (child("(2, 7)"), ErrorKind::ForeignKeyViolation, "23503", Some("Child_Item_fkey")),
            (child("(NULL)"), ErrorKind::NotNullViolation, "23502", Some("Child.Id")),
            (child("(2, 1, 0)"), ErrorKind::CheckViolation, "23514", Some("positive")),
            (child("(2, 1, 1, 'abc')"), ErrorKind::BadValue, "22001", None),
            (plain("SELECT nothing FROM nowhere"), ErrorKind::Syntax, "42P01", None),
            (plain("SELEC"), ErrorKind::Syntax, "42601", None),
            (plain("SELECT 1/0"), ErrorKind::BadValue, "22012", None),
            (plain("SELECT 'x' ~ '('"), ErrorKind::BadValue, "2201B", None),
            (plain("ROLLBACK TO nothing"), ErrorKind::Other, "25P01", None),
        ] {
            let error = connection.execute(&statement).await.unwrap_err();
            assert_eq!((error.kind(), error.code(), error.constraint()), (kind, Some(code), constraint), "{error}");
            assert_eq!(error.sql(), Some(statement.sql.as_str()));
        }
        // Version 18 has another code for a row that is still referred to.
        let error = connection.execute(&plain(r#"DELETE FROM "Item""#)).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (ErrorKind::ForeignKeyViolation, Some("Child_Item_fkey")));
        let error = connection.execute(&plain("SELECT $1::int")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue, "{error}");

        let user = format!("{}_user", db.schema);
        db.script(&format!("CREATE ROLE {user}")).await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&plain(&format!("SET LOCAL ROLE {user}"))).await?;
        let error = connection.execute(&plain(&format!("SELECT * FROM {}.\"Item\"", db.schema))).await.unwrap_err();
        connection.rollback().await?;
        db.script(&format!("DROP ROLE {user}")).await?;
        assert_eq!(error.kind(), ErrorKind::Permission, "{error}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn nobody_gets_in_without_a_server_or_a_name() -> Outcome {
    let nobody =
        PostgresBackend::connect(PostgresOptions::url("postgres://a:secret@127.0.0.1:1/b")?).await.unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::Connect, "{nobody}");
    assert!(nobody.to_string().contains("127.0.0.1:1"), "{nobody}");
    for url in urls() {
        let mut options = PostgresOptions::url(&url)?;
        options.database = Some("isogloss_is_not_there".into());
        let error = PostgresBackend::connect(options.clone()).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect);
        assert!(error.to_string().contains("isogloss_is_not_there"), "{error}");
        options = PostgresOptions::url(&url)?;
        options.user = "isogloss_is_nobody".into();
        let error = PostgresBackend::connect(options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Connect);
        assert!(error.to_string().contains("isogloss_is_nobody"), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn transactions_nest_and_a_dropped_one_is_taken_back() -> Outcome {
    each("transactions", async |db| {
        db.script(ITEM).await?;
        let target = db.target([item()])?;
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await?;
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.depth(), 2);
        connection.execute(&target.compile(&insert(1, 2))?).await?;
        connection.rollback().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(2, 3))?).await?;
        connection.commit().await?;
        connection.commit().await?;
        assert_eq!(count(&mut *connection).await?, 2);
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(5, 9))?).await?;
        drop(connection);
        let mut connection = db.connect().await?;
        assert_eq!(count(&mut *connection).await?, 2);
        connection.begin(&TransactionOptions::default().read_only()).await?;
        let error = connection.execute(&target.compile(&insert(5, 9))?).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Permission);
        connection.rollback().await?;
        assert_eq!(connection.execute(&target.compile(&insert(5, 9))?).await?, 4);
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::Other);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_transaction_that_an_error_has_ended_is_not_committed() -> Outcome {
    each("ended", async |db| {
        db.script(ITEM).await?;
        let target = db.target([item()])?;
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await?;
        connection.execute(&plain("SELECT 1/0")).await.unwrap_err();
        let error = connection.commit().await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::TransactionFailed, Some("25P02")), "{error}");
        connection.rollback().await?;
        assert_eq!(count(&mut *connection).await?, 0);
        connection.begin(&TransactionOptions::default()).await?;
        let error = connection.execute(&plain("ROLLBACK TO nothing")).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::TransactionFailed, Some("3B001")), "{error}");
        connection.rollback().await?;
        // A savepoint brings it back to life.
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await.unwrap_err();
        connection.rollback().await?;
        connection.commit().await?;
        assert_eq!(count(&mut *connection).await?, 1);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn isolation_is_as_asked() -> Outcome {
    each("isolation", async |db| {
        let mut connection = db.connect().await?;
        for (isolation, name) in [
            (Isolation::ReadCommitted, "read committed"),
            (Isolation::RepeatableRead, "repeatable read"),
            (Isolation::Snapshot, "repeatable read"),
            (Isolation::Serializable, "serializable"),
        ] {
            connection.begin(&TransactionOptions::default().isolation(isolation)).await?;
            let shown: (String,) = connection.fetch_one(&plain("SHOW transaction_isolation")).await?;
            assert_eq!(shown.0, name);
            connection.commit().await?;
        }
        db.script("CREATE TABLE t (n int); INSERT INTO t VALUES (1)").await?;
        let mut other = db.connect().await?;
        let serializable = TransactionOptions::default().isolation(Isolation::Serializable);
        for connection in [&mut connection, &mut other] {
            connection.begin(&serializable).await?;
            connection.fetch::<(i32,)>(&plain("SELECT n FROM t")).await?;
        }
        connection.execute(&plain("UPDATE t SET n = n + 1")).await?;
        connection.commit().await?;
        let error = other.execute(&plain("UPDATE t SET n = n + 1")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SerializationFailure);
        assert!(error.kind().is_transient());
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_statement_has_its_time() -> Outcome {
    each("timeouts", async |db| {
        let backend = db.pool(one()).await?;
        let mut connection = Backend::connect(&backend).await?;
        connection.set_statement_timeout(Some(Duration::from_millis(50))).await?;
        let error = connection.execute(&plain("SELECT pg_sleep(10)")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        connection.set_statement_timeout(None).await?;
        connection.execute(&plain("SELECT pg_sleep(0.1)")).await?;
        let short = TransactionOptions::default().statement_timeout(Duration::from_millis(50));
        connection.begin(&short).await?;
        let error = connection.execute(&plain("SELECT pg_sleep(10)")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        connection.rollback().await?;
        connection.execute(&plain("SELECT pg_sleep(0.1)")).await?;

        // The next task finds none.
        connection.set_statement_timeout(Some(Duration::from_millis(50))).await?;
        drop(connection);
        let mut connection = Backend::connect(&backend).await?;
        assert_eq!(connection.fetch_one::<(String,)>(&plain("SHOW statement_timeout")).await?.0, "30s");

        // Nor what a script has set, or begun.
        connection.script("SET TimeZone = 'Asia/Tokyo'; SET ROLE pg_monitor; CREATE TEMP TABLE own (n int)").await?;
        connection.script("RESET ROLE; BEGIN; CREATE TABLE left_open (n int); SET ROLE pg_monitor").await?;
        drop(connection);
        let mut connection = Backend::connect(&backend).await?;
        assert_eq!(connection.fetch_one::<(String,)>(&plain("SHOW TimeZone")).await?.0, "UTC");
        let gone =
            "SELECT to_regclass('left_open') IS NULL AND to_regclass('own') IS NULL AND current_user = session_user";
        assert_eq!(connection.fetch_one::<(bool,)>(&plain(gone)).await?, (true,));

        let error = async {
            let mut other = db.connect().await?;
            db.script("CREATE TABLE held (n int)").await?;
            other.begin(&TransactionOptions::default()).await?;
            other.execute(&plain("LOCK TABLE held")).await?;
            connection.script("SET lock_timeout = 50").await?;
            Outcome::Ok(connection.execute(&plain("SELECT * FROM held")).await.unwrap_err())
        };
        assert_eq!(error.await?.kind(), ErrorKind::Timeout);
        Ok(())
    })
    .await
}

fn one() -> PoolOptions {
    let mut pool = PoolOptions::default();
    (pool.cached, pool.max, pool.wait) = (1, 1, Duration::from_millis(2_000));
    pool
}

#[tokio::test]
async fn a_dropped_future_leaves_a_usable_connection() -> Outcome {
    each("dropped", async |db| {
        db.script(ITEM).await?;
        let target = db.target([item()])?;
        let backend = db.pool(one()).await?;
        let endless = plain("SELECT pg_sleep(3600)");
        for round in 0..20 {
            let mut connection = Backend::connect(&backend).await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.execute(&target.compile(&insert(round, round + 1))?).await?;
            let wait = Duration::from_micros(u64::try_from(round)? * 300);
            let dropped = tokio::time::timeout(wait, connection.execute(&endless)).await;
            assert!(dropped.is_err());
        }
        let mut connection = Backend::connect(&backend).await?;
        assert_eq!(count(&mut *connection).await?, 0);
        // The one that gave up may go on himself, too.
        for _ in 0..20 {
            let dropped = tokio::time::timeout(Duration::from_millis(3), connection.execute(&endless)).await;
            assert!(dropped.is_err());
            assert_eq!(count(&mut *connection).await?, 0);
        }
        let running =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(3600)%' AND state = 'active'
                       AND application_name = current_setting('application_name')";
        assert_eq!(connection.fetch_one::<(i64,)>(&plain(running)).await?, (0,));
        Ok(())
    })
    .await
}

/// A COMMIT of a transaction that was ended by what was given up in it would roll it back, and say nothing.
#[tokio::test]
async fn a_commit_tells_what_was_given_up() -> Outcome {
    each("given_up", async |db| {
        db.script(ITEM).await?;
        let target = db.target([item()])?;
        let mut connection = db.connect().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await?;
        let endless = plain("SELECT pg_sleep(3600)");
        assert!(tokio::time::timeout(Duration::from_millis(50), connection.execute(&endless)).await.is_err());
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        connection.rollback().await?;

        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await?;
        let fails = plain("SELECT 1 / (90000 - n) FROM generate_series(1, 100000) n");
        assert_eq!(connection.fetch_first::<(i32,)>(&fails).await.unwrap_err().code(), Some("22012"));
        assert_eq!(connection.commit().await.unwrap_err().kind(), ErrorKind::TransactionFailed);
        connection.rollback().await?;

        // One whose rest is all right takes nothing with it.
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&target.compile(&insert(0, 1))?).await?;
        let many = plain("SELECT n FROM generate_series(1, 1000) n");
        assert!(std::pin::pin!(connection.stream::<(i32,)>(&many)).try_next().await?.is_some());
        connection.commit().await?;
        assert_eq!(count(&mut *connection).await?, 1);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_stream_reads_no_further_than_it_is_asked() -> Outcome {
    each("streams", async |db| {
        let backend = db.pool(one()).await?;
        let mut connection = Backend::connect(&backend).await?;
        // The sequence tells how far the server has come, whatever becomes of the query.
        let many = plain("SELECT nextval('given'), repeat('x', 100) FROM (SELECT generate_series(1, 20000000)) x");
        let mut other = db.connect().await?;
        for _ in 0..3 {
            db.script("DROP SEQUENCE IF EXISTS given; CREATE SEQUENCE given").await?;
            {
                let mut rows = std::pin::pin!(connection.stream::<(i64, String)>(&many));
                for n in 1..=10 {
                    assert_eq!(rows.try_next().await?.map(|row| row.0), Some(n));
                }
                tokio::time::sleep(Duration::from_millis(300)).await;
                let (waits,): (i64,) = other.fetch_one(&plain("SELECT last_value FROM given")).await?;
                assert!(waits < 200_000, "{waits} rows are under way");
            }
            assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 7::bigint")).await?, (7,));
            assert_eq!(connection.fetch_first::<(i64, String)>(&many).await?.map(|row| row.0 > 10), Some(true));
            assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 8::bigint")).await?, (8,));
            let (given,): (i64,) = other.fetch_one(&plain("SELECT last_value FROM given")).await?;
            assert!(given < 20_000_000, "the rest is not read");
        }
        let all = plain("SELECT n FROM generate_series(1, 100000) n");
        let rows: Vec<(i64,)> = connection.stream::<(i64,)>(&all).try_collect().await?;
        assert!(rows.into_iter().map(|row| row.0).eq(1..=100_000));

        // In a transaction, which goes on.
        let fewer = plain("SELECT n, repeat('x', 100) FROM generate_series(1, 200000) n");
        connection.begin(&TransactionOptions::default()).await?;
        {
            let mut rows = std::pin::pin!(connection.stream::<(i64, String)>(&fewer));
            assert_eq!(rows.try_next().await?.map(|row| row.0), Some(1));
        }
        assert_eq!(connection.fetch_first::<(i64, String)>(&fewer).await?.map(|row| row.0), Some(1));
        assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT 9::bigint")).await?, (9,));
        connection.commit().await?;

        // What writes is done when its first row is all that is wanted.
        db.script("CREATE TABLE written (n int)").await?;
        let write = plain("INSERT INTO written SELECT n FROM generate_series(1, 300000) n RETURNING n");
        assert_eq!(connection.fetch_first::<(i32,)>(&write).await?, Some((1,)));
        let (written,): (i64,) = connection.fetch_one(&plain("SELECT COUNT(*) FROM written")).await?;
        assert_eq!(written, 300_000);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_table_that_changes_is_no_error() -> Outcome {
    each("changes", async |db| {
        db.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)").await?;
        let mut connection = db.connect().await?;
        let all = plain("SELECT * FROM t");
        assert_eq!(connection.fetch_one::<(i32,)>(&all).await?, (1,));
        db.script("ALTER TABLE t ADD b text DEFAULT 'x'").await?;
        assert_eq!(connection.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        connection.execute(&plain("DEALLOCATE ALL")).await?;
        assert_eq!(connection.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        db.script("ALTER TABLE t DROP b").await?;
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.fetch_one::<(i32,)>(&all).await.unwrap_err().code(), Some("0A000"));
        connection.rollback().await?;
        assert_eq!(connection.fetch_one::<(i32,)>(&all).await?, (1,));
        Ok(())
    })
    .await
}

/// What a statement leaves is not found by whoever gets the session next, be the statement new or kept.
#[tokio::test]
async fn what_a_statement_leaves_is_taken_back() -> Outcome {
    each("left", async |db| {
        db.script("CREATE TABLE t (n int); CREATE SEQUENCE s").await?;
        let backend = db.pool(one()).await?;
        let state = "SELECT concat_ws(' ', current_setting('TimeZone'), to_regclass('pg_temp.own'), \
                     (SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()), \
                     (SELECT COUNT(*) FROM pg_prepared_statements WHERE from_sql), \
                     (SELECT COUNT(*) FROM pg_cursors WHERE is_holdable), (SELECT COUNT(*) FROM t))";
        let mut pids = Vec::new();
        for left in [
            "SET TimeZone = 'Asia/Tokyo'",
            "SELECT set_config('TimeZone', 'Asia/Tokyo', false)",
            "SELECT pg_advisory_lock(1)",
            "PREPARE \"Own\" AS SELECT 1",
            "CREATE TEMP TABLE own (n int)",
            "DECLARE own CURSOR WITH HOLD FOR SELECT 1",
            "BEGIN",
        ] {
            for how in 0..8 {
                let mut connection = Backend::connect(&backend).await?;
                let statement = plain(left);
                match how % 4 {
                    0 => drop(connection.execute(&statement).await?),
                    1 => drop(connection.fetch::<(Option<String>,)>(&statement).await),
                    2 => drop(std::pin::pin!(connection.stream::<(Option<String>,)>(&statement)).try_next().await),
                    _ => drop(connection.execute_many(&statement, rows([[]])).await?),
                }
                if left == "BEGIN" {
                    connection.execute(&plain("INSERT INTO t VALUES (1)")).await?;
                }
                drop(connection);
                let mut next = Backend::connect(&backend).await?;
                assert_eq!(next.fetch_one::<(String,)>(&plain(state)).await?.0, "UTC 0 0 0 0", "{left} {how}");
                let pid = plain("SELECT pg_backend_pid()");
                pids.push(next.fetch_one::<(i32,)>(&pid).await?.0);
            }
        }
        // The session was cleaned, not closed.
        pids.dedup();
        assert_eq!(pids.len(), 1);
        // With the numbers of sequences.
        let mut connection = Backend::connect(&backend).await?;
        connection.script("SELECT nextval('s'); PREPARE own AS SELECT 1").await?;
        drop(connection);
        let mut next = Backend::connect(&backend).await?;
        assert_eq!(next.execute(&plain("SELECT lastval()")).await.unwrap_err().code(), Some("55000"));
        Ok(())
    })
    .await
}

/// What comes behind it would commit by itself.
#[tokio::test]
async fn a_text_that_ends_the_transaction_is_told() -> Outcome {
    each("ended", async |db| {
        db.script("CREATE TABLE t (n int)").await?;
        let backend = db.pool(one()).await?;
        let insert = plain("INSERT INTO t VALUES (1)");
        for ends in ["COMMIT", "SELECT 1; END; SELECT 2", "rollback", "ABORT", "COMMIT; BEGIN", "COMMIT AND CHAIN"] {
            for (as_script, depth) in [(true, 1), (true, 2), (false, 1)] {
                if !as_script && ends.contains(' ') {
                    continue;
                }
                let mut connection = Backend::connect(&backend).await?;
                for _ in 0..depth {
                    connection.begin(&TransactionOptions::default()).await?;
                }
                let done = if as_script {
                    connection.script(ends).await
                } else {
                    connection.execute(&plain(ends)).await.map(drop)
                };
                let refused = [done, connection.execute(&insert).await.map(drop), connection.commit().await];
                for refused in refused {
                    assert_eq!(refused.map_err(|error| error.kind()), Err(ErrorKind::TransactionFailed), "{ends}");
                }
                for _ in 0..depth {
                    connection.rollback().await?;
                }
                assert_eq!(connection.depth(), 0);
                // The next transaction is one.
                connection.begin(&TransactionOptions::default()).await?;
                connection.execute(&insert).await?;
                connection.rollback().await?;
                let count: (i64,) = connection.fetch_one(&plain("SELECT COUNT(*) FROM t")).await?;
                assert_eq!(count.0, 0, "{ends}");
            }
        }
        // What only might have ended it has not.
        let mut connection = Backend::connect(&backend).await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.script("SAVEPOINT own; INSERT INTO t VALUES (2); ROLLBACK TO own; PREPARE own AS SELECT 1").await?;
        connection.execute(&insert).await?;
        connection.commit().await?;
        assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?.0, 1);
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
                assert_eq!(connection.fetch_one::<(i32,)>(&plain(&format!("SELECT {n}"))).await?, (n,));
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

#[tokio::test]
async fn a_pool_has_an_end() -> Outcome {
    each("pools", async |db: &Db| {
        let mut pool = one();
        pool.wait = Duration::from_millis(500);
        let backend = db.pool(pool).await?;
        let held = Backend::connect(&backend).await?;
        assert_eq!(Backend::connect(&backend).await.unwrap_err().kind(), ErrorKind::PoolExhausted);
        drop(held);
        Backend::connect(&backend).await?.ping().await?;
        Ok(())
    })
    .await
}
