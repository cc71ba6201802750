//! What may be said behind PgBouncer, and what a session would keep.

use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, ErrorKind, TransactionOptions, rows};

use isogloss_postgres::driver::PostgresBackend;
use tokio::task::JoinSet;

use crate::support::pooler::{SESSIONS, pooled, pooled_by};
use crate::support::{Outcome, plain};

/// What stays in a session of the server.
const KEPT: &[&str] = &[
    "SET TimeZone = 'Asia/Tokyo'",
    "set session role x",
    "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "/* a /* b */ ; */ SET extra_float_digits = 0",
    "-- it's\nRESET ALL",
    "DISCARD ALL",
    "BEGIN",
    "start transaction",
    "COMMIT",
    "SAVEPOINT x",
    "CREATE TEMP TABLE own (n int)",
    "create local temporary table own (n int) on commit delete rows",
    "CREATE OR REPLACE TEMP VIEW own AS SELECT 1 AS n",
    "CREATE TEMP TABLE own AS SELECT 1 AS \"drop\"",
    "CREATE TABLE pg_temp.own (n int)",
    "CREATE TABLE \"pg_temp\".own (n int)",
    "EXPLAIN ANALYZE CREATE TEMP TABLE own AS SELECT 1 AS n",
    "SELECT 1 AS n INTO TEMP own",
    "select 1 as n into local temporary table own",
    "(SELECT 1 AS n INTO TEMP own)",
    "WITH x AS (SELECT 1 AS n) SELECT n INTO pg_temp.own FROM x",
    "LISTEN news",
    "PREPARE own AS SELECT 1",
    "EXECUTE own",
    "LOAD 'plpgsql'",
    "DECLARE own CURSOR WITH HOLD FOR SELECT 1",
    "SELECT pg_advisory_lock(7)",
    "SELECT PG_ADVISORY_LOCK (7)",
    "SELECT pg_catalog.pg_try_advisory_lock(7)",
    "SELECT \"pg_advisory_lock_shared\"(7)",
    "SELECT pg_catalog.\"pg_try_advisory_lock_shared\"(1, 2)",
    "WITH x AS (SELECT pg_advisory_lock(7)) SELECT 1 FROM x",
    "SELECT set_config('TimeZone', 'Asia/Tokyo', false)",
    "SELECT SET_CONFIG('TimeZone', concat('Asia', '/', 'Tokyo'), NOT true)",
];

/// What is gone with its transaction, or is no such thing.
const PLAIN: &[&str] = &[
    "CREATE TABLE \"set\" (\"temp\" int, set_config int)",
    "CREATE TABLE temp (n int)",
    "CREATE INDEX temporary ON temp (n)",
    "INSERT INTO temp VALUES (1)",
    "WITH x AS (INSERT INTO temp VALUES (2) RETURNING n) SELECT n FROM x",
    "SELECT set_config FROM \"set\"",
    "SELECT n AS pg_advisory_lock FROM temp",
    "SELECT ';SET x = 1', 'it''s; pg_advisory_lock(1)'",
    "SELECT n INTO kept FROM temp",
    "SET LOCAL TimeZone = 'Asia/Tokyo'",
    "SELECT set_config('TimeZone', concat('Asia', '/', 'Tokyo'), true)",
    "SELECT pg_advisory_xact_lock(7)",
    "CREATE TEMP TABLE own ON COMMIT DROP AS SELECT 1 AS n",
    "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $f$ BEGIN RETURN 1; SET x = 1; END; $f$",
    "CREATE FUNCTION g(n int) RETURNS int BEGIN ATOMIC INSERT INTO temp VALUES (n); \
     SELECT CASE WHEN n > 1 THEN 2 ELSE 3 END; END",
    "SELECT g(1)",
    "EXPLAIN SELECT n FROM temp",
    "NOTIFY news",
    "COMMENT ON TABLE temp IS 'SET x = 1'",
    "DO $$ BEGIN PERFORM 1; END $$",
    "DROP FUNCTION f, g",
    "DROP TABLE kept, \"set\", temp",
    "",
];

async fn is_refused(connection: &mut AnyConnection, sql: &str) {
    let statement = plain(sql);
    let refused = [
        connection.script(sql).await,
        connection.script(&format!("SELECT 1; {sql}; SELECT 2")).await,
        connection.execute(&statement).await.map(drop),
        connection.fetch::<(String,)>(&statement).await.map(drop),
        connection.execute_many(&statement, rows([[], []])).await.map(drop),
    ];
    for refused in refused {
        assert_eq!(
            refused.as_ref().err().map(|error| error.kind()),
            Some(ErrorKind::Configuration),
            "{sql}: {refused:?}"
        );
    }
}

#[tokio::test]
async fn what_a_session_would_keep_is_refused() -> Outcome {
    pooled("kept", async |db| {
        let backend = db.pool().await?;
        let mut connection = Backend::connect(&backend).await?;
        for in_transaction in [false, true] {
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            for sql in KEPT {
                is_refused(&mut connection, sql).await;
            }
        }
        connection.commit().await?;
        // As statements, and as scripts.
        for in_transaction in [false, true] {
            for as_script in [false, true] {
                if in_transaction {
                    connection.begin(&TransactionOptions::default()).await?;
                }
                for sql in PLAIN {
                    let done = if as_script {
                        connection.script(sql).await
                    } else {
                        connection.execute(&plain(*sql)).await.map(drop)
                    };
                    done.map_err(|error| format!("{sql}: {error}"))?;
                }
                if in_transaction {
                    let shown = connection.fetch_one::<(String,)>(&plain("SHOW TimeZone")).await?.0;
                    assert_eq!(shown, "Asia/Tokyo");
                    connection.commit().await?;
                }
            }
        }
        // Nothing is left, in any session.
        let mut others = Vec::new();
        for _ in 0..SESSIONS {
            let mut other = Backend::connect(&backend).await?;
            other.begin(&TransactionOptions::default()).await?;
            let left = "SELECT to_regclass('own') IS NULL AND NOT EXISTS (SELECT FROM pg_prepared_statements) \
                        AND NOT EXISTS (SELECT FROM pg_cursors WHERE is_holdable) \
                        AND NOT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = database \
                            WHERE locktype = 'advisory' AND datname = current_database()) \
                        AND current_setting('TimeZone') = 'UTC'";
            assert_eq!(other.fetch_one::<(bool,)>(&plain(left)).await?, (true,));
            others.push(other);
        }
        Ok(())
    })
    .await
}

/// What a session has that whoever gets it should not find.
const CLEAN: &str = "SELECT concat_ws(' ', current_setting('TimeZone'), current_setting('statement_timeout'), \
                     current_setting('IntervalStyle'), to_regclass('own'), \
                     (SELECT COUNT(*) FROM pg_prepared_statements) + (SELECT COUNT(*) FROM pg_cursors WHERE name <> ''))";

/// A program that leaves all that it can: settings, tables of its own, statements that were ended and given up.
async fn careless(backend: Arc<PostgresBackend>, who: i32) -> Result<(), isogloss_driver::Error> {
    let begin =
        TransactionOptions::default().statement_timeout(Duration::from_millis(50_000 + who.unsigned_abs() as u64));
    let (sleep, zone) = (plain("SELECT pg_sleep(600)"), format!("Etc/GMT+{who}"));
    for round in 0..40_u64 {
        let mut connection = Backend::connect(&*backend).await?;
        let clean = plain(CLEAN);
        // Outside of transactions, too: the session is that of whoever was there before.
        let found: (String,) = connection.fetch_one(&clean).await?;
        assert_eq!(found.0, "UTC 0 postgres 0", "{who} {round}");
        // The same text for each program, and another answer.
        let mine = plain(format!("SELECT {who} AS n"));
        assert_eq!(connection.fetch_one::<(i32,)>(&mine).await?, (who,));
        match round % 4 {
            0 => {
                connection.begin(&begin).await?;
                let found: (String,) = connection.fetch_one(&clean).await?;
                assert_eq!(found.0, format!("UTC {}ms postgres 0", 50_000 + who), "{who} {round}");
                let own = format!(
                    "SET LOCAL TimeZone = '{zone}'; SET LOCAL IntervalStyle = 'iso_8601'; \
                     CREATE TEMP TABLE own ON COMMIT DROP AS SELECT {who} AS n; DECLARE c CURSOR FOR SELECT n FROM own"
                );
                connection.script(&own).await?;
                let found: (String, i32) =
                    connection.fetch_one(&plain("SELECT current_setting('TimeZone'), n FROM own")).await?;
                assert_eq!(found, (zone.clone(), who));
                // Committed, taken back, or left.
                match round % 3 {
                    0 => connection.commit().await?,
                    1 => connection.rollback().await?,
                    _ => {}
                }
            }
            1 => {
                connection.set_statement_timeout(Some(Duration::from_millis(10))).await?;
                let ended = connection.execute(&sleep).await.map_err(|error| error.kind());
                assert_eq!(ended, Err(ErrorKind::Timeout));
            }
            2 => {
                let given_up =
                    tokio::time::timeout(Duration::from_millis(round % 16), connection.execute(&sleep)).await;
                assert!(given_up.is_err());
            }
            _ => {
                connection.begin(&begin).await?;
                let many = plain("SELECT generate_series(1, 100000000)");
                assert!(std::pin::pin!(connection.stream::<(i32,)>(&many)).try_next().await?.is_some());
                assert_eq!(connection.fetch_one::<(i32,)>(&mine).await?, (who,));
                connection.commit().await?;
            }
        }
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_share_a_session_and_nothing_in_it() -> Outcome {
    pooled_by(1, "careless", async |db| {
        let mut tasks = JoinSet::new();
        for program in 0..2 {
            let backend = Arc::new(db.pool().await?);
            for task in 1..=2 {
                tasks.spawn(careless(Arc::clone(&backend), program * 2 + task));
            }
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let mut direct = db.direct().await?;
        let sessions = plain(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
        assert_eq!(direct.fetch_one::<(i64,)>(&sessions).await?, (1,));
        Ok(())
    })
    .await
}
