//! Many rows at once on MySQL and MariaDB, all or none.
#![allow(clippy::unwrap_used, reason = "a test")]

use std::time::Duration;

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, TransactionOptions, rows};
use isogloss_mysql::driver::{MySqlBackend, TlsMode};

use crate::live::clock::{advance, frozen, real_pause};
use crate::live::private::Private;
use crate::live::proxy::Proxy;
use crate::live::{Database, Outcome, is_locked_out, number, plain, servers, until_gone};

/// All or none, also without LOAD DATA.
#[tokio::test]
async fn a_server_without_local_files_gets_statements() -> Outcome {
    let Some(server) = Private::without_local_files() else { return Ok(()) };
    let backend = MySqlBackend::connect(server.options()).await?;
    let table = TableDef::new("t").column(ColumnDef::new("id", T::Int32).primary_key());
    let catalog = Catalog::builder().table(table.column(ColumnDef::new("name", T::String))).build()?;
    let into = Compiler::new(catalog).target(backend.dialect()).bulk_insert("t", &["id", "name"], &[])?;
    let mut connection = backend.connect().await?;
    connection.script("CREATE DATABASE own; USE own; CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9))").await?;
    assert_eq!(number(&mut *connection, "SELECT @@local_infile").await, 0);
    let row = |id: i64| [id.into(), Value::from(format!("\\N{id}"))];
    assert_eq!(connection.bulk_insert(&into, rows((0..5_000).map(row))).await?, 5_000);
    let error = connection.bulk_insert(&into, rows((5_000..9_000).chain([7]).map(row))).await.unwrap_err();
    assert_eq!((error.kind(), error.constraint()), (ErrorKind::UniqueViolation, Some("PRIMARY")));
    let read = "SELECT COUNT(*) FROM t WHERE name = CONCAT('\\\\N', id)";
    assert_eq!(number(&mut *connection, read).await, 5_000);
    Ok(())
}

/// A whole number is no text to a BIT, of which it would be the bytes, nor to an ENUM, of which it would be the name.
#[tokio::test]
async fn whole_numbers_are_loaded_as_numbers() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let column = |name, ty| ColumnDef::new(name, ty).nullable();
        let table = TableDef::new("t").column(ColumnDef::new("id", T::Int64).primary_key());
        let table = table.column(column("b", T::Int32)).column(column("w", T::UInt64)).column(column("u", T::UInt64));
        let table = table.column(column("e", T::Byte)).column(column("f", T::Boolean));
        let names = ["id", "b", "w", "u", "e", "f"];
        let catalog = Catalog::builder().table(table).build()?;
        let into = Compiler::new(catalog).target(backend.dialect()).bulk_insert("t", &names, &[])?;
        let mut connection = backend.connect().await?;
        connection
            .script(
                "CREATE TABLE t (id BIGINT PRIMARY KEY, b BIT(32), w BIT(64), u BIGINT UNSIGNED, e ENUM('2', '1'), f BIT(1))",
            )
            .await?;
        let most = || Value::from(u64::MAX);
        let given = vec![
            vec![i64::MIN.into(), 5.into(), 53_u64.into(), most(), 1.into(), true.into()],
            vec![i64::MAX.into(), i32::MAX.into(), most(), 0_u64.into(), 2.into(), false.into()],
            vec![0.into(), Value::Null, Value::Null, Value::Null, Value::Null, Value::Null],
        ];
        assert_eq!(connection.bulk_insert(&into, rows(given)).await?, 3);
        let read = "SELECT CONCAT_WS(' ', id, b + 0, w + 0, u, e, f + 0) FROM t ORDER BY id";
        let found: Vec<(String,)> = connection.fetch(&plain(read)).await?;
        let found: Vec<String> = found.into_iter().map(|row| row.0).collect();
        let expected = [
            "-9223372036854775808 5 53 18446744073709551615 2 1",
            "0",
            "9223372036854775807 2147483647 18446744073709551615 0 1 0",
        ];
        assert_eq!(found, expected);
        // A number that the column has no room for is an error.
        let wide = vec![vec![1.into(), (-1).into(), 0_u64.into(), 0_u64.into(), 1.into(), true.into()]];
        assert!(connection.bulk_insert(&into, rows(wide)).await.is_err());
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 3);
    }
    Ok(())
}

/// Of a table with numbers of the engine's own, of one whose trigger gives falling ones, and of one with negative ones.
const NUMBERED: [(&str, &str); 3] =
    [("plain", ""), ("falling", "SET NEW.id = 1000 - NEW.n"), ("negative", "SET NEW.id = NEW.n - 500")];

/// By users who may insert and no more, who may read and see no triggers, and who may do all.
#[tokio::test]
async fn a_batch_knows_its_numbers_or_inserts_nothing() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mariadb = crate::live::is_mariadb(&backend);
        let mut connection = backend.connect().await?;
        let mut all = vec![("root".to_owned(), database.options())];
        let mut made = Vec::new();
        for (name, grants) in [("insert", "INSERT"), ("read", "INSERT, SELECT")] {
            let user = format!("u_{name}_{}", std::process::id());
            for host in ["localhost", "127.0.0.1"] {
                let account = format!("{user}@'{host}'");
                let sql = format!(
                    "DROP USER IF EXISTS {account}; CREATE USER {account} IDENTIFIED BY 'word'; \
                     GRANT {grants} ON {}.* TO {account}",
                    database.name
                );
                connection.script(&sql).await?;
                made.push(account);
            }
            let mut options = database.options();
            (options.user, options.password) = (Some(user), Some("word".into()));
            all.push((name.to_owned(), options));
        }
        for (who, options) in all {
            let theirs = MySqlBackend::connect(options).await?;
            let mut their = theirs.connect().await?;
            for (table, trigger) in NUMBERED {
                let what = format!("{who}, {table}, {}", backend.dialect().label());
                let create = format!(
                    "CREATE OR REPLACE TABLE {table} (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT) ENGINE = InnoDB"
                );
                let create = if mariadb { create } else { create.replace("OR REPLACE ", "") };
                connection.script(&format!("DROP TABLE IF EXISTS {table}; {create}")).await?;
                if !trigger.is_empty() {
                    connection
                        .script(&format!("CREATE TRIGGER t_{table} BEFORE INSERT ON {table} FOR EACH ROW {trigger}"))
                        .await?;
                }
                let definition = TableDef::new(table)
                    .column(ColumnDef::new("id", T::Int64).primary_key().identity(1, 1))
                    .column(ColumnDef::new("n", T::Int32));
                let catalog = Catalog::builder().table(definition).build()?;
                let into = Compiler::new(catalog).target(theirs.dialect()).bulk_insert(table, &["n"], &[])?;
                let given = rows((0..300_i64).map(|n| [n.into()]));
                let done = their.bulk_insert_keys(&into, given).await;
                let found: Vec<(i64,)> = connection.fetch(&plain(format!("SELECT id FROM {table} ORDER BY n"))).await?;
                let found: Vec<Value> = found.into_iter().map(|row| row.0.into()).collect();
                match done {
                    Ok(keys) => {
                        assert!(keys.len() == 300 && keys == found, "{what}: {:?} {:?}", keys.first(), found.first())
                    }
                    Err(error) => {
                        // MySQL says no number of a row but one that it has made itself.
                        let given_by_trigger = table != "plain" && (!mariadb || who == "insert");
                        assert!(given_by_trigger && found.is_empty(), "{what}: {error}");
                    }
                }
            }
        }
        connection.script(&format!("DROP USER {}", made.join(", "))).await?;
    }
    Ok(())
}

/// Longer than a statement may, as long as rows come. The limit is for what stands still: a LOAD that waits for somebody else's
/// row. The test moves the driver's clock, which alone looks at a LOAD.
#[tokio::test]
async fn a_load_has_the_time_of_its_rows_and_none_to_stand_still() -> Outcome {
    const LIMIT: Duration = Duration::from_secs(60);
    for url in servers() {
        let database = Database::new(&url).await;
        let mut options = database.options();
        (options.pool.max, options.pool.statement_timeout, options.tls) = (1, Some(LIMIT), TlsMode::Off);
        // What was asked to end has all the time that it needs for that, and so has the connection that asks.
        (options.pool.grace, options.pool.connect_timeout) = (LIMIT * 10_000, LIMIT * 10_000);
        let backend = MySqlBackend::connect(options).await?;
        let table = TableDef::new("t").column(ColumnDef::new("id", T::Int32).primary_key());
        let catalog = Catalog::builder().table(table.column(ColumnDef::new("name", T::String))).build()?;
        let into = Compiler::new(catalog).target(backend.dialect()).bulk_insert("t", &["id", "name"], &[])?;
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(4000)) ENGINE = InnoDB").await?;
        // The server waits for as long as it takes to send what it has room for.
        connection.script("SET innodb_lock_wait_timeout = 100000").await?;
        let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
        let name = "x".repeat(4000);
        let row = move |id: i64| [id.into(), Value::from(name.as_str())];

        // A little at a time, in a pause that is longer than the limit, and in a transaction.
        let clock = frozen();
        let pauses = row.clone();
        let slow = move |from: i64, pause: Duration| {
            let row = pauses.clone();
            rows((from..from + 40).map(move |id| {
                advance(if id == from + 20 { pause } else { LIMIT / 15 });
                row(id)
            }))
        };
        assert_eq!(connection.bulk_insert(&into, slow(0, LIMIT / 15)).await?, 40);
        assert_eq!(connection.bulk_insert(&into, slow(100, LIMIT * 3)).await?, 40);
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.bulk_insert(&into, slow(200, LIMIT / 15)).await?, 40);
        connection.commit().await?;
        // The server's own limit holds behind them.
        let limit = match crate::live::is_mariadb(&backend) {
            true => "SELECT CAST(@@max_statement_time * 1000 AS SIGNED)",
            false => "SELECT @@max_execution_time",
        };
        assert_eq!(u128::try_from(number(&mut *connection, limit).await)?, LIMIT.as_millis());

        // With few rows, all of which are sent, and with more than the server and the sockets take while it waits: 16 MB.
        let (mut other, mut watches) =
            (database.backend().await.connect().await?, database.backend().await.connect().await?);
        for count in [20_i64, 4_000] {
            other.begin(&TransactionOptions::default()).await?;
            other.execute(&plain("INSERT INTO t VALUES (1005, 'mine')")).await?;
            let given = rows((1_000..1_000 + count).map(row.clone()));
            let time_passes = async {
                loop {
                    // Rows that are still on their way are signs of life, so that it may take more than one step.
                    if is_locked_out(&mut watches, id).await {
                        advance(LIMIT + Duration::from_secs(1));
                    }
                    real_pause().await;
                }
            };
            let error = tokio::select! {
                done = connection.bulk_insert(&into, given) => done.unwrap_err(),
                () = time_passes => continue,
            };
            let found = (error.kind(), error.code(), error.is_in_doubt());
            assert_eq!(found, (ErrorKind::Timeout, Some("1317"), false), "{count}: {error}");
            other.rollback().await?;
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t WHERE id >= 1000").await, 0, "{count}");
            assert_eq!(number(&mut *connection, "SELECT CONNECTION_ID()").await, id, "{count}");
        }
        assert_eq!(connection.bulk_insert(&into, rows((1_000..1_010).map(row.clone()))).await?, 10);
        drop(clock);
    }
    Ok(())
}

/// What is lost before the COMMIT is taken back by the server, so that it may be run again. What is lost with the COMMIT may
/// be there.
#[tokio::test]
async fn rows_that_were_not_committed_are_in_no_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut watches = database.backend().await.connect().await?;
        let mut options = database.options();
        let proxy = Proxy::new(&options.host, options.port).await;
        (options.host, options.port, options.tls) = ("127.0.0.1".into(), proxy.port, TlsMode::Off);
        options.pool.max = 1;
        let backend = MySqlBackend::connect(options).await?;
        let table = TableDef::new("t").column(ColumnDef::new("id", T::Int64).primary_key().identity(1, 1));
        let catalog = Catalog::builder().table(table.column(ColumnDef::new("name", T::String))).build()?;
        let into = Compiler::new(catalog).target(backend.dialect()).bulk_insert("t", &["name"], &[])?;
        watches.script("CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(200))").await?;
        for with_keys in [false, true] {
            for (lost, in_doubt) in [("START TRANSACTION", false), ("the last one", false), ("COMMIT", true)] {
                let mut connection = backend.connect().await?;
                let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
                proxy.hang_up_at(lost);
                let given = rows(["one", "the last one"].map(|name| [name.into()]));
                let done = match with_keys {
                    true => connection.bulk_insert_keys(&into, given).await.map(drop),
                    false => connection.bulk_insert(&into, given).await.map(drop),
                };
                let error = done.unwrap_err();
                let found = (error.kind(), error.is_in_doubt());
                assert_eq!(found, (ErrorKind::ConnectionLost, in_doubt), "{lost}, keys {with_keys}: {error}");
                drop(connection);
                until_gone(&mut *watches, id).await;
                let there = number(&mut *watches, "SELECT COUNT(*) FROM t").await;
                assert!(there == 0 || in_doubt, "{lost}, keys {with_keys}: {there}");
                watches.execute(&plain("DELETE FROM t")).await?;
            }
        }
    }
    Ok(())
}

/// A source may pause for longer than the server waits to read.
#[tokio::test]
async fn a_source_may_pause_for_longer_than_the_server_waits_to_read() -> Outcome {
    let Some(server) = Private::impatient() else { return Ok(()) };
    let backend = MySqlBackend::connect(server.options()).await?;
    let table = TableDef::new("t").column(ColumnDef::new("id", T::Int32).primary_key());
    let into = Compiler::new(Catalog::builder().table(table).build()?).target(backend.dialect());
    let into = into.bulk_insert("t", &["id"], &[])?;
    let mut connection = backend.connect().await?;
    connection.script("CREATE DATABASE paused; USE paused; CREATE TABLE t (id INT PRIMARY KEY)").await?;
    let given = (0..40_i64).map(|id| {
        std::thread::sleep(Duration::from_millis(if id == 20 { 2_500 } else { 40 }));
        [Value::from(id)]
    });
    assert_eq!(connection.bulk_insert(&into, rows(given)).await?, 40);
    assert_eq!(number(&mut *connection, "SELECT @@net_read_timeout").await, 1);
    Ok(())
}
