//! What the runner refuses, says beforehand, and does with files.

use std::fs;
use std::time::Duration;

use isogloss_driver::{Backend, ConnectionExt as _, ErrorKind, ddl::asked};
use isogloss_migrate::{Direction, MigrateError, Migration, Migrations, Migrator, Ran, State};
use isogloss_mysql::MariaDb;
use isogloss_oracle::Oracle;
use isogloss_postgres::Postgres;
use isogloss_sqlite::Sqlite;

use crate::support::{Engines, Outcome, on_engines, open};

async fn memory() -> Box<dyn Backend> {
    open(":memory:").await.unwrap()
}

fn migrations(all: &[(u64, &str, &str)]) -> Migrations {
    let one =
        |(version, up, down): &(u64, &str, &str)| Migration::new(*version, format!("m{version}"), *up).down(*down);
    Migrations::new(all.iter().map(one)).unwrap()
}

const A: (u64, &str, &str) = (1, "CREATE TABLE a (x integer)", "DROP TABLE a");
const B: (u64, &str, &str) = (2, "CREATE TABLE b (x integer)", "DROP TABLE b");
const C: (u64, &str, &str) = (3, "CREATE TABLE c (x integer)", "DROP TABLE c");

async fn count(backend: &dyn Backend, table: &str) -> isogloss_driver::Result<i64> {
    let (count,) = backend.connect().await?.fetch_one(&asked(format!("SELECT COUNT(*) FROM {table}"), &[])).await?;
    Ok(count)
}

#[tokio::test]
async fn up_and_down_to_a_version() -> Outcome {
    let (backend, all) = (memory().await, migrations(&[C, A, B]));
    let migrator = Migrator::new(&*backend, &all);
    let versions = |done: &[isogloss_migrate::Done]| done.iter().map(|done| done.version).collect::<Vec<_>>();
    assert_eq!(versions(&migrator.run(Some(2)).await?), [1, 2]);
    assert!(count(&*backend, "c").await.is_err());
    assert_eq!(versions(&migrator.run(None).await?), [3]);
    let plan = migrator.plan_down(1).await?;
    assert_eq!(
        plan.iter().map(ToString::to_string).collect::<String>(),
        "-- 0003_m3 down, in a transaction\nDROP TABLE c;\n-- 0002_m2 down, in a transaction\nDROP TABLE b;\n"
    );
    assert_eq!(versions(&migrator.down(1).await?), [3, 2]);
    let states: Vec<State> = migrator.status().await?.into_iter().map(|status| status.state).collect();
    assert_eq!(states, [State::Applied, State::Pending, State::Pending]);
    let error = migrator.run(Some(7)).await.unwrap_err();
    assert_eq!(error.to_string(), "there is no migration 7: the last one is 0003_m3");
    Ok(())
}

/// What `information_schema` says of keys opens every table of a server.
#[tokio::test]
async fn few_statements_run_around_one_of_mysql_whatever_the_number_of_tables() -> Outcome {
    on_engines(Engines::MySql, async |engine, place| {
        let backend = open(&place.url).await?;
        let is_mariadb = backend.dialect().sheet().name == "mariadb";
        let status = if is_mariadb { "information_schema.SESSION_STATUS" } else { "performance_schema.session_status" };
        // The session's own count of what it has run.
        let count = format!("INSERT INTO counts SELECT VARIABLE_VALUE FROM {status} WHERE VARIABLE_NAME = 'QUESTIONS'");
        let tables: String = (0..20).map(|at| format!("CREATE TABLE t{at} (id INTEGER PRIMARY KEY);\n")).collect();
        let text = format!("CREATE TABLE counts (n BIGINT);\n{count};\n{tables}{count};\n");
        let all = Migrations::new([Migration::new(1, "many", text)])?;
        Migrator::new(&*backend, &all).run(None).await?;
        let asked = asked("SELECT CAST(MAX(n) - MIN(n) AS SIGNED) FROM counts", &[]);
        let (statements,) = backend.connect().await?.fetch_one::<(i64,)>(&asked).await?;
        assert!(statements <= 20 * 6, "{engine}: {statements} statements for 20");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_dry_run_writes_nothing() -> Outcome {
    let (backend, all) = (memory().await, migrations(&[A]));
    let migrator = Migrator::new(&*backend, &all).table("own_history");
    assert_eq!(migrator.plan(None).await?[0].statements, ["CREATE TABLE a (x integer)"]);
    assert_eq!(migrator.status().await?[0].state, State::Pending);
    assert!(count(&*backend, "own_history").await.is_err());
    migrator.run(None).await?;
    assert_eq!(count(&*backend, "own_history").await?, 1);
    Ok(())
}

#[tokio::test]
async fn what_was_applied_stays_as_it_was() -> Outcome {
    let backend = memory().await;
    Migrator::new(&*backend, &migrations(&[A, C])).run(None).await?;
    let error = async |all: &[(u64, &str, &str)]| {
        let all = migrations(all);
        let migrator = Migrator::new(&*backend, &all);
        let run = migrator.run(None).await.unwrap_err();
        // A dry run says so, too.
        assert_eq!(migrator.plan(None).await.unwrap_err().to_string(), run.to_string());
        run
    };
    let changed = error(&[(1, "CREATE TABLE a (x text)", ""), C]).await;
    assert!(matches!(&changed, MigrateError::Changed { unfinished: false, .. }), "{changed}");
    let missing = error(&[A]).await;
    assert!(matches!(&missing, MigrateError::Missing { version: 3, .. }), "{missing}");
    let late = error(&[A, B, C]).await;
    assert!(matches!(&late, MigrateError::OutOfOrder { applied: 3, .. }), "{late}");
    // What reverts it may be corrected.
    let all = migrations(&[A, (3, C.1, "DROP TABLE c; CREATE TABLE d (x integer)")]);
    assert_eq!(Migrator::new(&*backend, &all).down(1).await?.len(), 1);
    assert_eq!(count(&*backend, "d").await?, 0);
    Ok(())
}

#[tokio::test]
async fn a_failure_undoes_the_migration_and_keeps_those_before_it() -> Outcome {
    let (backend, all) =
        (memory().await, migrations(&[A, (2, "INSERT INTO a VALUES (1);\nINSERT INTO nowhere VALUES (1)", "")]));
    let error = Migrator::new(&*backend, &all).run(None).await.unwrap_err();
    let MigrateError::Statement { statement: 2, undone: true, source, .. } = &error else { panic!("{error}") };
    assert_eq!(source.kind(), ErrorKind::Syntax);
    assert_eq!(count(&*backend, "a").await?, 0);
    let no_down = Migrations::new([Migration::new(1, "m1", A.1), Migration::new(2, "m2", "")])?;
    let error = Migrator::new(&*backend, &no_down).down(0).await.unwrap_err();
    assert!(matches!(error, MigrateError::NoDown { .. }), "{error}");
    Ok(())
}

#[tokio::test]
async fn statements_that_have_not_run_may_be_corrected() -> Outcome {
    on_engines(Engines::All, async |engine, place| {
        let backend = open(&place.url).await?;
        let is_sqlite = engine == "sqlite";
        let mark = "-- isogloss: no-transaction\n";
        let wrong = format!(
            "{mark}CREATE TABLE a (x integer); INSERT INTO a VALUES (1); ALTER TABLE nowhere ADD COLUMN y integer"
        );
        let all = migrations(&[(1, &wrong, "DROP TABLE a")]);
        let error = Migrator::new(&*backend, &all).run(None).await.unwrap_err();
        assert!(matches!(&error, MigrateError::Statement { statement: 3, undone: false, .. }), "{engine}: {error}");
        let all = migrations(&[(1, &wrong.replace("nowhere", "a"), "DROP TABLE a")]);
        let status = Migrator::new(&*backend, &all).status().await?;
        assert_eq!(
            status[0].state,
            State::Unfinished { direction: Direction::Up, done: 2, in_doubt: false },
            "{engine}"
        );
        let other = migrations(&[(1, &wrong.replace("(1)", "(2)"), "DROP TABLE a")]);
        let error = Migrator::new(&*backend, &other).resume(is_sqlite).run(None).await.unwrap_err();
        assert!(matches!(&error, MigrateError::Changed { unfinished: true, .. }), "{engine}: {error}");
        let error = Migrator::new(&*backend, &all).down(0).await.unwrap_err();
        assert!(matches!(&error, MigrateError::Unfinished { direction: Direction::Up, .. }), "{engine}: {error}");
        if is_sqlite {
            let error = Migrator::new(&*backend, &all).run(None).await.unwrap_err();
            assert!(matches!(&error, MigrateError::InProgress { .. }), "{error}");
        }
        let done = Migrator::new(&*backend, &all).resume(is_sqlite).run(None).await?;
        assert_eq!(done[0].statements, 1, "{engine}");
        assert_eq!(count(&*backend, "a").await?, 1, "{engine}");
        Ok(())
    })
    .await
}

/// Leaves a migration as a process does that is killed at that step.
async fn broken_off(backend: &dyn Backend, all: &Migrations, step: &str) {
    assert!(is_broken_off(backend, all, step).await);
}

/// Runs until that step, if there is one.
async fn is_broken_off(backend: &dyn Backend, all: &Migrations, step: &str) -> bool {
    let killed = std::panic::AssertUnwindSafe(async {
        Migrator::new(backend, all).on_progress(|at| assert_ne!(at.to_string(), step)).run(None).await
    });
    futures_util::FutureExt::catch_unwind(killed).await.is_err()
}

/// What is run by a name is not seen in the tables, and is not run twice. What others do to other tables says nothing.
#[tokio::test]
async fn a_statement_is_not_run_twice_nor_taken_for_run() -> Outcome {
    on_engines(Engines::Servers, async |engine, place| {
        let is_mysql = engine.starts_with("mysql");
        let procedure = if is_mysql {
            "CREATE PROCEDURE p() INSERT INTO a VALUES (1)"
        } else {
            "CREATE PROCEDURE p() LANGUAGE sql AS 'INSERT INTO a VALUES (1)'"
        };
        let text = format!("-- isogloss: no-transaction\nCREATE TABLE a (x integer); {procedure}; CALL p()");
        let all = migrations(&[(1, &text, "")]);
        let backend = open(&place.url).await?;
        broken_off(&*backend, &all, "statement 3 has run").await;
        drop(backend);
        let backend = open(&place.url).await?;
        let migrator = Migrator::new(&*backend, &all);
        let error = migrator.run(None).await.unwrap_err();
        assert!(matches!(&error, MigrateError::InDoubt { statement: 3, source: None, .. }), "{engine}: {error}");
        migrator.resolve(1, Ran::Yes).await?;
        migrator.run(None).await?;
        assert_eq!(count(&*backend, "a").await?, 1, "{engine}");

        let alter = "-- isogloss: no-transaction\nALTER TABLE a ADD COLUMN y integer DEFAULT 0";
        let more = migrations(&[(1, &text, ""), (2, alter, "")]);
        broken_off(&*backend, &more, "statement 1").await;
        drop(migrator);
        drop(backend);
        let backend = open(&place.url).await?;
        backend.connect().await?.script("CREATE TABLE stranger (x integer)").await?;
        let other = migrations(&[(1, &text, ""), (2, &alter.replace("y", "z"), "")]);
        let error = Migrator::new(&*backend, &other).run(None).await.unwrap_err();
        assert!(matches!(&error, MigrateError::InDoubt { statement: 1, .. }), "{engine}: {error}");
        Migrator::new(&*backend, &more).run(None).await?;
        let (y,): (i64,) = backend.connect().await?.fetch_one(&asked("SELECT y FROM a", &[])).await?;
        assert_eq!(y, 0, "{engine}");

        let set = if is_mysql { "SET @n = 7" } else { "SET lock_timeout = 7" };
        let used = if is_mysql { "@n" } else { "CAST(replace(current_setting('lock_timeout'), 'ms', '') AS integer)" };
        let text3 =
            format!("-- isogloss: no-transaction\n{set}; CREATE TABLE s (x integer); INSERT INTO s VALUES ({used})");
        let more = migrations(&[(1, &text, ""), (2, alter, ""), (3, &text3, "")]);
        broken_off(&*backend, &more, "statement 2 is recorded").await;
        drop(backend);
        let backend = open(&place.url).await?;
        Migrator::new(&*backend, &more).run(None).await?;
        let (set,): (i64,) = backend.connect().await?.fetch_one(&asked("SELECT x FROM s", &[])).await?;
        assert_eq!(set, 7, "{engine}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_the_runner_does_itself_or_a_session_forgets_is_refused() -> Outcome {
    let backend = memory().await;
    let error = async |up: &str| {
        let all = migrations(&[A, (2, up, "")]);
        Migrator::new(&*backend, &all).run(None).await.unwrap_err()
    };
    let transaction = error("BEGIN; CREATE TABLE b (x integer); COMMIT;").await;
    assert!(matches!(&transaction, MigrateError::Text { line: 1, .. }), "{transaction}");
    let temporary = error("-- isogloss: no-transaction\nCREATE TEMPORARY TABLE b (x integer)").await;
    assert!(matches!(&temporary, MigrateError::Unsupported { .. }), "{temporary}");
    assert!(count(&*backend, "a").await.is_err(), "nothing is run if the text of one cannot be");
    Ok(())
}

/// On each engine, the statement was begun and the process ended: what introspection sees decides, and what it does not is asked.
#[tokio::test]
async fn a_statement_in_doubt_is_decided_or_asked() -> Outcome {
    on_engines(Engines::Servers, async |engine, place| {
        let backend = open(&place.url).await?;
        // What introspection does not see: a table's trigger or function.
        let hidden = if engine.starts_with("mysql") {
            "CREATE PROCEDURE p() SELECT 1"
        } else {
            "CREATE FUNCTION p() RETURNS int LANGUAGE sql AS 'SELECT 1'"
        };
        let text =
            format!("-- isogloss: no-transaction\nCREATE TABLE a (x integer); {hidden}; INSERT INTO a VALUES (1)");
        let all = migrations(&[(1, &text, "")]);
        broken_off(&*backend, &all, "statement 2 has run").await;
        drop(backend);
        let backend = open(&place.url).await?;
        let migrator = Migrator::new(&*backend, &all);
        let status = migrator.status().await?;
        assert_eq!(
            status[0].state,
            State::Unfinished { direction: Direction::Up, done: 1, in_doubt: true },
            "{engine}"
        );
        for _ in 0..2 {
            let error = migrator.run(None).await.unwrap_err();
            assert!(matches!(&error, MigrateError::InDoubt { statement: 2, source: Some(_), .. }), "{engine}: {error}");
        }
        migrator.resolve(1, Ran::Yes).await?;
        assert!(matches!(migrator.resolve(1, Ran::Yes).await.unwrap_err(), MigrateError::Settled { .. }));
        migrator.run(None).await?;
        drop(migrator);
        assert_eq!(count(&*backend, "a").await?, 1, "{engine}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_index_is_made_concurrently_while_others_wait() -> Outcome {
    on_engines(Engines::Postgres, async |_, place| {
        let backend = open(&place.url).await?;
        let text = "-- isogloss: no-transaction\nCREATE INDEX CONCURRENTLY by_x ON a (x); CREATE INDEX CONCURRENTLY by_y ON a (x)";
        let all = migrations(&[A, (2, text, "DROP INDEX by_x; DROP INDEX by_y")]);
        let migrator = || Migrator::new(&*backend, &all);
        let (first, second, third) = (migrator(), migrator(), migrator());
        let done = tokio::try_join!(first.run(None), second.run(None), third.run(None))?;
        assert_eq!(done.0.len() + done.1.len() + done.2.len(), 2);
        // A lock that somebody else has is waited for, and not forever.
        let lock = backend.ddl().session_lock().unwrap();
        let mut other = backend.connect().await?;
        let _: (Option<i64>,) = other.fetch_one(&lock.take).await?;
        let error = migrator().lock_wait(Duration::from_millis(60)).down(0).await.unwrap_err();
        assert!(matches!(error, MigrateError::Locked { .. }), "{error}");
        drop(other);
        drop((first, second, third));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_table_of_sqlite_is_replaced_without_foreign_keys() -> Outcome {
    let backend = memory().await;
    let first = "CREATE TABLE p (id integer PRIMARY KEY, n text); \
                 CREATE TABLE c (p integer REFERENCES p (id) ON DELETE CASCADE); \
                 INSERT INTO p VALUES (1, 'x'), (2, 'y'); INSERT INTO c VALUES (1), (2)";
    let replace = |rows: &str| {
        format!(
            "-- isogloss: foreign-keys-off\nCREATE TABLE new_p (id integer PRIMARY KEY, n text NOT NULL); \
                 INSERT INTO new_p SELECT id, n FROM p{rows}; DROP TABLE p; ALTER TABLE new_p RENAME TO p"
        )
    };
    let dangling = migrations(&[(1, first, ""), (2, &replace(" WHERE id = 1"), "")]);
    let error = Migrator::new(&*backend, &dangling).run(None).await.unwrap_err();
    assert!(matches!(&error, MigrateError::Dangling { table, .. } if table == "c"), "{error}");
    assert_eq!((count(&*backend, "p").await?, count(&*backend, "c").await?), (2, 2));
    let whole = migrations(&[(1, first, ""), (2, &replace(""), "")]);
    Migrator::new(&*backend, &whole).run(None).await?;
    assert_eq!((count(&*backend, "p").await?, count(&*backend, "c").await?), (2, 2));
    // They are on again.
    assert!(backend.connect().await?.script("INSERT INTO c VALUES (7)").await.is_err());
    Ok(())
}

/// Wherever it stops: at an error, or given up at any step.
#[tokio::test]
async fn foreign_keys_hold_again_however_a_migration_without_them_ends() -> Outcome {
    let tables = "CREATE TABLE p (id integer PRIMARY KEY); CREATE TABLE c (p integer REFERENCES p (id))";
    let more = "-- isogloss: foreign-keys-off\nCREATE TABLE d (x integer); DROP TABLE d; CREATE TABLE e (x integer)";
    let are_held = async |backend: &dyn Backend| {
        let done = backend.connect().await?.script("INSERT INTO c VALUES (7)").await;
        Ok::<_, isogloss_driver::Error>(done.is_err_and(|error| error.kind() == ErrorKind::ForeignKeyViolation))
    };
    let backend = memory().await;
    let wrong = migrations(&[(1, tables, ""), (2, &more.replace("DROP TABLE d", "DROP TABLE nowhere"), "")]);
    assert!(Migrator::new(&*backend, &wrong).run(None).await.is_err() && are_held(&*backend).await?);

    let all = migrations(&[(1, tables, ""), (2, more, "")]);
    let steps = std::sync::Mutex::new(Vec::new());
    let backend = memory().await;
    Migrator::new(&*backend, &all).on_progress(|at| steps.lock().unwrap().push(at.to_string())).run(None).await?;
    assert!(are_held(&*backend).await?);
    let steps: std::collections::BTreeSet<String> = steps.into_inner()?.into_iter().collect();
    assert!(steps.len() > 3, "{steps:?}");
    let mut broken_off = 0;
    for step in &steps {
        // The next caller gets the connection of the one that was broken off, or a new one: either holds the keys.
        let backend = memory().await;
        Migrator::new(&*backend, &all).run(Some(1)).await?;
        // Some steps are those of the first migration.
        broken_off += usize::from(is_broken_off(&*backend, &all, step).await);
        assert!(are_held(&*backend).await?, "{step}");
    }
    assert!(broken_off > 4, "{broken_off} of {steps:?}");
    Ok(())
}

#[test]
fn a_file_is_found_for_each_engine() -> Outcome {
    let parent = tempfile::tempdir()?;
    let folder = parent.path().join("migrations");
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("README.md", "what is here");
    write("0002_second/up.sql", "all");
    write("0001_first/mysql.up.sql", "mysql");
    write("0001_first/up.sql", "all");
    write("0001_first/sqlite.up.sql", "sqlite");
    write("0001_first/down.sql", "back");
    let first = |dialect| Migrations::read(&folder, dialect).unwrap().iter().next().unwrap().clone();
    assert_eq!(first(&Sqlite::V3_45).up(), "sqlite");
    assert_eq!(first(&MariaDb::V10_11).up(), "mysql");
    assert_eq!(first(&Postgres::V15), Migration::new(1, "first", "all").down("back"));
    // What reverts the file of all engines does not revert that of one.
    assert_eq!(first(&Sqlite::V3_45).down_text(), None);
    write("0001_first/sqlite.down.sql", "\u{feff}sqlite back");
    assert_eq!(first(&Sqlite::V3_45).down_text(), Some("sqlite back"));
    write("0003_third/oracle.up.sql", "");
    assert_eq!(Migrations::read(&folder, &Oracle::V19)?.iter().count(), 3);
    let error = |dialect| Migrations::read(&folder, dialect).unwrap_err().to_string();
    assert_eq!(
        error(&Postgres::V15),
        "migration 0003_third has no `postgres.up.sql` for postgres 15: write one, which may be empty if there is nothing to do"
    );
    write("0003_other/up.sql", "");
    assert!(error(&Oracle::V19).starts_with("version 3 is both `other` and `third`"));
    write("0004_odd/postgres.sql", "");
    assert!(error(&Oracle::V19).contains("ends in `up.sql` or `down.sql`"));
    fs::remove_dir_all(folder.join("0004_odd"))?;
    write("next/up.sql", "");
    assert!(error(&Oracle::V19).contains("a number above 0 and a name"));
    Ok(())
}
