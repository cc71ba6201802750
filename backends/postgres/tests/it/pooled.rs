//! Behind PgBouncer, which gives each transaction a session of the server that others have had before.

use std::borrow::Cow;
use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::render::Parameter;
use isogloss_compiler::{Compiled, Compiler, Target};
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, TransactionOptions, rows};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use tokio::task::JoinSet;

use crate::support::pooler::{SESSIONS, pooled};
use crate::support::{HANG, Outcome, in_time, plain, pool, until};

/// A text with parameters of known types.
fn with<const N: usize>(sql: &str, params: [(Value, Option<DbType>); N]) -> Compiled<'static> {
    let params = params.map(|(value, ty)| Parameter { value: Cow::Owned(value), ty });
    Compiled { sql: sql.to_owned(), params: params.into(), ..Compiled::default() }
}

fn number(value: i32) -> (Value, Option<DbType>) {
    (value.into(), Some(T::Int32.into()))
}

fn word(value: &str) -> (Value, Option<DbType>) {
    (value.into(), Some(T::String.into()))
}

fn target(backend: &PostgresBackend, table: TableDef) -> Outcome<Arc<Target>> {
    Ok(Compiler::new(Catalog::builder().table(table).build()?).target(backend.dialect()))
}

/// Some hundred statements of a program, each of which knows its answer. How many answers were right, and how many wrong.
/// Errors are for who may have some.
async fn program(url: &str, name: &str) -> Outcome<(u32, u32)> {
    let backend = Arc::new(PostgresBackend::connect(PostgresOptions::url(url)?.pool(pool(100))).await?);
    let mut tasks = JoinSet::new();
    for task in 0..4 {
        let (backend, name) = (Arc::clone(&backend), name.to_owned());
        tasks.spawn(async move {
            let (mut right, mut wrong) = (0, 0);
            let mut judge = |is_right: bool| if is_right { right += 1 } else { wrong += 1 };
            for n in 0..100 {
                let mut connection = Backend::connect(&*backend).await?;
                let sql = format!("SELECT $1::int + {}, '{name}'::text, $2::text", n % 20);
                let ask = with(&sql, [number(task), word("it")]);
                if let Ok(rows) = connection.fetch::<(i32, String, String)>(&ask).await {
                    judge(rows == [(task + n % 20, name.clone(), "it".into())]);
                }
                if n % 5 == 0 && connection.begin(&TransactionOptions::default()).await.is_ok() {
                    if let Ok(rows) = connection.fetch::<(i32, String, String)>(&ask).await {
                        judge(rows == [(task + n % 20, name.clone(), "it".into())]);
                    }
                    let _ = connection.rollback().await;
                }
            }
            Ok::<_, isogloss_driver::Error>((right, wrong))
        });
    }
    let (mut right, mut wrong) = (0, 0);
    while let Some(task) = tasks.join_next().await {
        // A program that is not known to be behind a pooler may fail.
        if let Ok(done) = task? {
            (right, wrong) = (right + done.0, wrong + done.1);
        }
    }
    Ok((right, wrong))
}

/// Where another process is told to be a program.
const OTHER: &str = "ISOGLOSS_OTHER_PROGRAM";

/// Does nothing by itself: another test runs it in a process of its own.
#[tokio::test]
async fn the_other_program() -> Outcome {
    let Ok(url) = std::env::var(OTHER) else { return Ok(()) };
    let (right, wrong) = program(&url, "other").await?;
    println!("right={right} wrong={wrong}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_programs_read_their_own_rows() -> Outcome {
    pooled("programs", async |db| {
        for known in [true, false] {
            let url = db.pooler.url(known);
            let mut other = Command::new(std::env::current_exe()?);
            other.args(["pooled::the_other_program", "--exact", "--nocapture"]).env(OTHER, &url).stdout(Stdio::piped());
            let other = other.spawn()?;
            let (right, wrong) = program(&url, "one").await?;
            let told = String::from_utf8(tokio::task::block_in_place(|| other.wait_with_output())?.stdout)?;
            // Who does not say what he is behind gets errors, perhaps, but no rows of others.
            assert!(wrong == 0 && told.contains("wrong=0"), "known: {known}; {right} right, {wrong} wrong; {told}");
            if known {
                assert!(right == 480 && told.contains("right=480"), "{right} right; {told}");
            }
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn settings_are_as_the_texts_reckon() -> Outcome {
    pooled("settings", async |db| {
        let backend = db.pool().await?;
        // Somebody else is there, who has settings of his own.
        let mut others = Vec::new();
        for _ in 0..SESSIONS {
            let other = PostgresBackend::connect(PostgresOptions::url(&db.pooler.url(false))?).await?;
            let mut other = Backend::connect(&other).await?;
            other.begin(&TransactionOptions::default()).await?;
            other.execute(&plain("SET TimeZone = 'America/Lima'")).await?;
            other.execute(&plain("SET DateStyle = 'German'")).await?;
            others.push(other);
        }
        for mut other in others {
            other.commit().await?;
        }
        let shown =
            plain("SELECT TIMESTAMPTZ '2026-01-31 12:00+00'::text, INTERVAL '1 day 2 hours'::text, 0.1::float8::text");
        let mut connection = Backend::connect(&backend).await?;
        for round in 0..20 {
            if round % 2 == 1 {
                connection.begin(&TransactionOptions::default()).await?;
            }
            let row: (String, String, String) = connection.fetch_one(&shown).await?;
            assert_eq!(row, ("2026-01-31 12:00:00+00".into(), "1 day 02:00:00".into(), "0.1".into()));
            if round % 2 == 1 {
                connection.commit().await?;
            }
        }
        // What nobody sees to is found out, not taken for what it is not.
        let mut options = PostgresOptions::url(&db.pooler.url(true))?;
        options.settings = Some("-c search_path=app".into());
        let error = PostgresBackend::connect(options).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains("ALTER ROLE"), "{error}");
        let mut direct = db.direct.clone();
        direct.pooled = true;
        let mut admin = db.direct().await?;
        let database = direct.database.clone().unwrap_or_default();
        admin.script(&format!("ALTER DATABASE {database} SET IntervalStyle = 'iso_8601'")).await?;
        let error = PostgresBackend::connect(direct).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
        assert!(error.to_string().contains("IntervalStyle"), "{error}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn limits_hold_and_end_nobody_elses_statements() -> Outcome {
    pooled("limits", async |db| {
        // What was asked to end has all the time that it needs for that.
        let backend = db.pool_with(pool(100).grace(Duration::from_secs(3600))).await?;
        let mut connection = Backend::connect(&backend).await?;
        let (short, sleep) = (Some(Duration::from_millis(100)), plain("SELECT 1 FROM pg_sleep(100000)"));
        connection.set_statement_timeout(short).await?;
        for _ in 0..2 {
            let error = in_time(connection.execute(&sleep)).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
            let error = in_time(connection.fetch::<(i32,)>(&sleep)).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
            let error = in_time(connection.script(&sleep.sql)).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        }
        // The statements of others have their own.
        let mut tasks = JoinSet::new();
        for _ in 0..SESSIONS * 2 {
            let mut other = Backend::connect(&backend).await?;
            tasks.spawn(async move { other.execute(&plain("SELECT pg_sleep(0.4)")).await });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        // In a transaction the server has it: the usual, and one of its own.
        connection.begin(&TransactionOptions::default()).await?;
        let error = connection.execute(&sleep).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Timeout, Some("57014")));
        connection.rollback().await?;
        connection.set_statement_timeout(None).await?;
        let own = TransactionOptions::default().statement_timeout(Duration::from_millis(100));
        connection.begin(&own).await?;
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.execute(&sleep).await.unwrap_err().code(), Some("57014"));
        connection.rollback().await?;
        assert_eq!(connection.execute(&sleep).await.unwrap_err().code(), Some("57014"));
        connection.rollback().await?;
        connection.execute(&plain("SELECT pg_sleep(0.2)")).await?;
        // Of many rows, the clock closes the connection, and ends what it runs.
        drop(connection);
        let backend = db.pool_with(pool(100).grace(Duration::from_millis(100))).await?;
        let mut connection = Backend::connect(&backend).await?;
        connection.set_statement_timeout(short).await?;
        let error = in_time(connection.execute_many(&sleep, rows([[], []]))).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        drop(connection);
        let ended = "SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() \
                     AND query LIKE '%pg_sleep(100000)%' AND state = 'active' AND pid <> pg_backend_pid())";
        until(&mut db.direct().await?, ended).await
    })
    .await
}

#[tokio::test]
async fn what_is_dropped_is_cancelled_and_nothing_else() -> Outcome {
    pooled("dropped", async |db| {
        let options = PostgresOptions::url(&db.pooler.url(true))?;
        let pool = pool(2 * SESSIONS).wait(10 * HANG);
        let backend = Arc::new(PostgresBackend::connect(options.pool(pool)).await?);
        Backend::connect(&*backend).await?.script("CREATE TABLE t (n int)").await?;
        let mut tasks = JoinSet::new();
        for n in 0..120_u64 {
            let backend = Arc::clone(&backend);
            tasks.spawn(async move {
                let mut connection = Backend::connect(&*backend).await?;
                let (insert, sleep) = (plain("INSERT INTO t VALUES (1)"), plain("SELECT pg_sleep(3600)"));
                match n % 3 {
                    // Its statements are not those that the others have given up.
                    0 => return connection.execute(&plain("SELECT pg_sleep(0.02)")).await.map(drop),
                    1 => {
                        let _ = tokio::time::timeout(Duration::from_millis(n % 30), connection.execute(&sleep)).await;
                    }
                    _ => {
                        let run = async {
                            connection.begin(&TransactionOptions::default()).await?;
                            connection.execute(&insert).await?;
                            connection.execute(&sleep).await
                        };
                        let _ = tokio::time::timeout(Duration::from_millis(n % 50), run).await;
                        return Ok(());
                    }
                }
                // The one that gave up goes on, too.
                let one: (i32,) = connection.fetch_one(&plain("SELECT 1")).await?;
                assert_eq!(one, (1,));
                Ok::<_, isogloss_driver::Error>(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let mut connection = Backend::connect(&*backend).await?;
        assert_eq!(connection.fetch_one::<(i64,)>(&plain("SELECT COUNT(*) FROM t")).await?, (0,));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn transactions_savepoints_and_streams_are_whole() -> Outcome {
    pooled("whole", async |db| {
        let backend = db.pool().await?;
        let mut connection = Backend::connect(&backend).await?;
        connection.script("CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t VALUES (1)").await?;
        let insert = |n: i32| with("INSERT INTO t VALUES ($1)", [number(n)]);
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&insert(2)).await?;
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.execute(&insert(2)).await.unwrap_err().kind(), ErrorKind::UniqueViolation);
        connection.rollback().await?;
        connection.begin(&TransactionOptions::default()).await?;
        connection.execute(&insert(3)).await?;
        connection.commit().await?;
        connection.commit().await?;
        let all = plain("SELECT n FROM t ORDER BY n");
        assert_eq!(connection.fetch::<(i32,)>(&all).await?, [(1,), (2,), (3,)]);
        drop(connection);
        // Streams in and out of transactions, read to the end or not, more than there are sessions.
        let mut connections = Vec::new();
        for _ in 0..SESSIONS {
            connections.push(Backend::connect(&backend).await?);
        }
        let many = with("SELECT n, $1::text FROM generate_series(1, 30000) n", [word("x")]);
        for round in 0..3 {
            for connection in &mut connections {
                if round == 1 {
                    connection.begin(&TransactionOptions::default()).await?;
                }
                {
                    let mut rows = std::pin::pin!(connection.stream::<(i32, String)>(&many));
                    assert_eq!(rows.try_next().await?, Some((1, "x".into())));
                    if round == 2 {
                        assert_eq!(rows.try_collect::<Vec<_>>().await?.len(), 29_999);
                    }
                }
                assert_eq!(connection.fetch_first::<(i32, String)>(&many).await?, Some((1, "x".into())));
                if round == 1 {
                    connection.commit().await?;
                }
            }
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_query_of_all_columns_has_new_ones() -> Outcome {
    pooled("columns", async |db| {
        let backend = db.pool().await?;
        let mut connection = Backend::connect(&backend).await?;
        connection.script("CREATE TABLE t (a int); INSERT INTO t VALUES (1)").await?;
        let all = plain("SELECT * FROM t");
        for _ in 0..5 {
            assert_eq!(connection.fetch_one::<(i32,)>(&all).await?, (1,));
        }
        db.direct().await?.script("ALTER TABLE t ADD b text DEFAULT 'x'").await?;
        for _ in 0..5 {
            assert_eq!(connection.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        }
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.fetch_one::<(i32, String)>(&all).await?, (1, "x".into()));
        db.direct().await?.execute(&plain("SELECT 1")).await?;
        connection.commit().await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn types_that_are_not_the_servers_own_are_read_and_written() -> Outcome {
    pooled("types", async |db| {
        let backend = db.pool().await?;
        let mut connection = Backend::connect(&backend).await?;
        connection
            .script(
                "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE DOMAIN age AS int CHECK (VALUE > 0); \
             CREATE TYPE pair AS (a int, b int); \
             CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, m mood, ms mood[], a age, ages age[], p pair)",
            )
            .await?;
        let insert = with(
            "INSERT INTO t (m, ms, a, ages) VALUES ($1, $2, $3, ARRAY[$3]::age[])",
            [
                word("glad"),
                (Value::from(vec![Value::from("sad"), Value::Null]), Some(DbType::array_of(T::String))),
                number(7),
            ],
        );
        for _ in 0..300 {
            assert_eq!(connection.execute(&insert).await?, 1);
        }
        // More rows than are on their way at once, of a type that nobody has heard of; in a transaction, too.
        let many = plain("SELECT m, ms, a, ages, n FROM t, generate_series(1, 100) n");
        for in_transaction in [false, true] {
            let other = db.pool().await?;
            let mut connection = Backend::connect(&other).await?;
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            let found: Vec<(Value, Value, i32, Value, i32)> = connection.fetch(&many).await?;
            assert_eq!(found.len(), 30_000);
            let sad = Value::from(vec![Value::from("sad"), Value::Null]);
            assert!(
                found.iter().all(|row| (&row.0, &row.1, row.2, &row.3)
                    == (&"glad".into(), &sad, 7, &Value::from(vec![Value::from(7_i64)]))),
                "{:?}",
                found.first()
            );
            let rows: Vec<(String,)> = connection.stream::<(String,)>(&plain("SELECT m FROM t")).try_collect().await?;
            assert!(rows.len() == 300 && rows.iter().all(|row| row.0 == "glad"));
            let picked = with("SELECT COUNT(*) FROM t WHERE m = $1", [word("glad")]);
            assert_eq!(connection.fetch_one::<(i64,)>(&picked).await?, (300,));
            let none = with("SELECT p FROM t LIMIT 1", []);
            assert_eq!(connection.fetch_one::<(Option<String>,)>(&none).await?, (None,));
        }
        // What the server finds out the type of.
        let span = chrono::TimeDelta::microseconds(-90_061_000_001);
        let open = with(
            "SELECT $1::interval, $2::text[], $3::numeric, $4::date",
            [
                (span.into(), None),
                (Value::from(vec![r#"a "b", \c{}"#.into(), Value::Null, "NULL".into(), "".into()]), None),
                (Value::from(7_i64), None),
                (Value::Date(chrono::NaiveDate::from_ymd_opt(2026, 2, 3).unwrap()), None),
            ],
        );
        let open: (Value, Value, i64, chrono::NaiveDate) = connection.fetch_one(&open).await?;
        let texts = Value::from(vec![r#"a "b", \c{}"#.into(), Value::Null, "NULL".into(), "".into()]);
        assert_eq!((open.0, open.1, open.2), (span.into(), texts, 7));
        // By COPY, and where there is no binary form by INSERTs.
        let table = TableDef::new("t").column(ColumnDef::new("id", T::Int32).primary_key().identity(1, 1));
        let table = table.column(ColumnDef::new("m", T::String)).column(ColumnDef::new("a", T::Int32));
        let into = target(&backend, table)?.bulk_insert("t", &["m", "a"], &[])?;
        assert_eq!(connection.bulk_insert(&into, rows((1..=500).map(|n| ["sad".into(), n.into()]))).await?, 500);
        let keys = connection.bulk_insert_keys(&into, rows((1..=500).map(|n| ["sad".into(), n.into()]))).await?;
        assert_eq!(keys.len(), 500);
        let count = plain("SELECT COUNT(*) FROM t WHERE m = 'sad'");
        assert_eq!(connection.fetch_one::<(i64,)>(&count).await?, (1_000,));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn many_rows_go_at_once() -> Outcome {
    pooled("bulk", async |db| {
        let backend = Arc::new(db.pool().await?);
        let user = || {
            TableDef::new("User")
                .column(ColumnDef::new("Id", T::Int64).primary_key().identity(1, 1))
                .column(ColumnDef::new("Name", T::String))
                .column(ColumnDef::new("Who", T::Int32))
        };
        let users = r#"CREATE TABLE "User" ("Id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "Name" text UNIQUE, "Who" int)"#;
        Backend::connect(&*backend).await?.script(users).await?;
        let mut tasks = JoinSet::new();
        for who in 0..6_i32 {
            let into = target(&backend, user())?.bulk_insert("User", &["Name", "Who"], &[])?;
            let backend = Arc::clone(&backend);
            tasks.spawn(async move {
                let mut connection = Backend::connect(&*backend).await?;
                let some = |kind: &str, count: i32| {
                    let kind = kind.to_owned();
                    rows((0..count).map(move |n| [format!("{kind} {who} {n}").into(), who.into()]).collect::<Vec<[Value; 2]>>())
                };
                for in_transaction in [false, true] {
                    let tag = |kind: &str| format!("{kind}{in_transaction}");
                    if in_transaction {
                        connection.begin(&TransactionOptions::default()).await?;
                    }
                    assert_eq!(connection.bulk_insert(&into, some(&tag("copied"), 1_000)).await?, 1_000);
                    // Few by statements, many by COPY, and more than are held at once.
                    for count in [5, 1_000, 33_000] {
                        let keys = connection.bulk_insert_keys(&into, some(&tag(&format!("keys{count}")), count)).await?;
                        let last = with(
                            r#"SELECT "Id" FROM "User" WHERE "Name" = $1"#,
                            [word(&format!("{} {who} {}", tag(&format!("keys{count}")), count - 1))],
                        );
                        let last: (i64,) = connection.fetch_one(&last).await?;
                        assert_eq!((keys.len(), keys.last()), (usize::try_from(count).unwrap(), Some(&last.0.into())));
                    }
                    let insert = with(r#"INSERT INTO "User" ("Name", "Who") VALUES ($1, $2)"#, [word("x"), number(1)]);
                    assert_eq!(connection.execute_many(&insert, some(&tag("many"), 700)).await?, 700);
                    let twice = connection.bulk_insert(&into, some(&tag("copied"), 10)).await;
                    assert_eq!(twice.unwrap_err().kind(), ErrorKind::UniqueViolation);
                    if in_transaction {
                        connection.rollback().await?;
                    }
                }
                Ok::<_, isogloss_driver::Error>(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let counts = plain(r#"SELECT "Who", COUNT(*) FROM "User" GROUP BY 1"#);
        let counts: Vec<(i32, i64)> = Backend::connect(&*backend).await?.fetch(&counts).await?;
        let counts: HashMap<i32, i64> = counts.into_iter().collect();
        assert!(counts.len() == 6 && counts.values().all(|count| *count == 35_705), "{counts:?}");
        Ok(())
    })
    .await
}

/// The types of its columns are learned before, not behind the last of its rows.
#[tokio::test]
async fn a_stream_of_an_unknown_type_begins_at_once() -> Outcome {
    pooled("first", async |db| {
        db.direct().await?.script("CREATE TYPE mood AS ENUM ('good', 'bad')").await?;
        // Nobody waits for its end.
        let endless = plain("SELECT 'good'::mood FROM (SELECT generate_series(1, 1000000000)) n");
        for in_transaction in [false, true] {
            let backend = db.pool().await?;
            let mut connection = Backend::connect(&backend).await?;
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            drop(in_time(connection.open(&endless)).await?);
            let short = plain("SELECT 'bad'::mood");
            assert_eq!(connection.stream::<(String,)>(&short).try_collect::<Vec<_>>().await?[0].0, "bad");
        }
        Ok(())
    })
    .await
}
