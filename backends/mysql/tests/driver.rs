//! Statements on MySQL and MariaDB themselves.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use std::sync::Arc;

use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, Target};
use isogloss_driver::{
    AnyConnection, Backend, Connection, ConnectionExt, ErrorKind, Isolation, TransactionOptions, rows,
};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use live::{Database, Outcome, number, plain, servers};

async fn items(database: &Database) -> Result<(MySqlBackend, Arc<Target>), Box<dyn std::error::Error>> {
    let backend = database.backend().await;
    let item = TableDef::new("Item")
        .column(ColumnDef::new("Id", DbValueType::Int64).primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", DbValueType::String).nullable())
        .column(ColumnDef::new("At", DbValueType::DateTime2).nullable());
    let target = Compiler::new(Catalog::builder().table(item).build()?).target(backend.dialect());
    let mut connection = backend.connect().await?;
    let sql = "CREATE TABLE Item (Id BIGINT AUTO_INCREMENT PRIMARY KEY, Name VARCHAR(40) UNIQUE, At DATETIME(6))";
    connection.script(sql).await?;
    drop(connection);
    Ok((backend, target))
}

fn insert(from: i64, to: i64) -> InsertExpr {
    let rows = (from..to).flat_map(|n| [Value::from(n), format!("item {n}").into(), Value::Null]);
    table("Item").insert(["Id", "Name", "At"], rows.collect::<Vec<_>>())
}

async fn count(connection: &mut dyn Connection) -> i64 {
    number(connection, "SELECT COUNT(*) FROM Item").await
}

#[tokio::test]
async fn rows_are_written_and_read() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, target) = items(&database).await?;
        let mut connection = backend.connect().await?;
        assert_eq!(connection.execute(&target.compile(&insert(1, 3_001))?).await?, 3_000);
        let some =
            from("Item").filter(prop("Id").lt(3)).order_by([prop("Id").asc()]).select([prop("Id"), prop("Name")]);
        let some = SqlSegment::from(some);
        for _ in 0..3 {
            let rows: Vec<(i64, Option<String>)> = connection.fetch(&target.compile(&some)?).await?;
            assert_eq!(rows, [(1, Some("item 1".into())), (2, Some("item 2".into()))]);
        }
        let first: Option<(i64,)> = connection.fetch_first(&plain("SELECT Id FROM Item ORDER BY 1 DESC")).await?;
        assert_eq!(first, Some((3_000,)));
        let error = connection.fetch_one::<(bool,)>(&plain("SELECT 'a' AS x")).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot decode: column 0 `x` holds text, not a truth value: 0 or 1");
        // Rows that are found count, also if they had the value already.
        let update = || plain("UPDATE Item SET At = '2024-01-31' WHERE Id < 10");
        assert_eq!((connection.execute(&update()).await?, connection.execute(&update()).await?), (9, 9));
        assert_eq!(connection.execute(&plain("DELETE FROM Item WHERE Id < 0")).await?, 0);
    }
    Ok(())
}

/// MySQL rounds where MariaDB cuts, and the microseconds of a negative time are not negative.
#[tokio::test]
async fn a_computed_time_is_cut_toward_zero() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let time = |name, digits| ColumnDef::new(name, DbValueType::Time).time_precision(digits);
        let lap = TableDef::new("Lap")
            .column(ColumnDef::new("Id", DbValueType::Int64).primary_key())
            .column(time("Fine", 6))
            .column(time("Whole", 0))
            .column(time("Tenth", 1));
        let target = Compiler::new(Catalog::builder().table(lap).build()?).target(backend.dialect());
        let mut connection = backend.connect().await?;
        connection
            .script(
                "CREATE TABLE Lap (Id BIGINT PRIMARY KEY, Fine TIME(6), Whole TIME, Tenth TIME(1));
                 INSERT INTO Lap (Id, Fine) VALUES (1, '-00:00:01.96'), (2, '10:20:59.96'), (3, '-00:00:00.5'), (4, NULL)",
            )
            .await?;
        let cut = table("Lap").update([("Whole", prop("Fine")), ("Tenth", prop("Fine"))]).filter(prop("Id").ge(1));
        assert_eq!(connection.execute(&target.compile(&cut)?).await?, 4);
        let read = plain("SELECT CAST(Whole AS CHAR), CAST(Tenth AS CHAR) FROM Lap ORDER BY Id LIMIT 2");
        let rows: Vec<(String, String)> = connection.fetch(&read).await?;
        let text = |whole: &str, tenth: &str| (whole.to_owned(), tenth.to_owned());
        assert_eq!(rows, [text("-00:00:01", "-00:00:01.9"), text("10:20:59", "10:20:59.9")]);
        let least = "SELECT COUNT(*) FROM Lap WHERE (Whole = '00:00:00' AND Tenth = '-00:00:00.5') OR (Id = 4 AND Whole IS NULL)";
        assert_eq!(number(&mut *connection, least).await, 2);
    }
    Ok(())
}

#[tokio::test]
async fn an_upsert_counts_its_rows() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, target) = items(&database).await?;
        let mut connection = backend.connect().await?;
        connection.execute(&target.compile(&insert(1, 11))?).await?;
        for (from, to) in [(5, 6), (5, 15), (1, 21), (100, 101)] {
            let rows = (from..to).flat_map(|n| [Value::from(n), format!("again {n}").into(), Value::Null]);
            let upsert = table("Item").insert(["Id", "Name", "At"], rows.collect::<Vec<_>>());
            let upsert = upsert.on_conflict_update([] as [&str; 0]);
            assert_eq!(
                connection.execute(&target.compile(&upsert)?).await?,
                u64::try_from(to - from)?,
                "{from} to {to}"
            );
        }
        assert_eq!(count(&mut *connection).await, 21);
    }
    Ok(())
}

#[tokio::test]
async fn the_server_says_what_it_is() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let (version,): (String,) = connection.fetch_one(&plain("SELECT VERSION()")).await?;
        let label = backend.dialect().label();
        let system = if version.contains("MariaDB") { "mariadb" } else { "mysql" };
        let said = label.strip_prefix(system).unwrap().trim_start();
        assert!(version.starts_with(said), "{label} is {version}");
        let origin = backend.origin();
        assert_eq!((origin.system, origin.namespace.as_deref()), (system, Some(&*database.name)));
        assert!(origin.address.is_some() && origin.port.is_some());
    }
    Ok(())
}

#[tokio::test]
async fn a_session_is_set_up() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        assert_eq!(number(&mut *connection, "SELECT @@collation_connection = @@collation_database").await, 1);
        assert_eq!(number(&mut *connection, "SELECT TIMESTAMPDIFF(SECOND, NOW(), UTC_TIMESTAMP())").await, 0);
        let deep = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) \
                    SELECT COUNT(*), LENGTH(GROUP_CONCAT(i)) FROM n";
        let found: (i64, i64) = connection.fetch_one(&plain(deep)).await?;
        assert_eq!(found, (5_000, 23_892));
        connection.script("CREATE TABLE t (c VARCHAR(3), n TINYINT)").await?;
        let error = connection.execute(&plain("INSERT INTO t VALUES ('long', 1)")).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::BadValue, Some("1406")));
    }
    Ok(())
}

#[tokio::test]
async fn transactions_nest_and_a_dropped_one_is_taken_back() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, target) = items(&database).await?;
        let mut connection = backend.connect().await?;
        let plainly = TransactionOptions::default();
        connection.begin(&plainly).await?;
        connection.execute(&target.compile(&insert(1, 2))?).await?;
        connection.begin(&plainly).await?;
        connection.execute(&target.compile(&insert(2, 3))?).await?;
        connection.begin(&plainly).await?;
        connection.execute(&target.compile(&insert(3, 4))?).await?;
        assert_eq!(connection.depth(), 3);
        connection.commit().await?;
        connection.rollback().await?;
        connection.commit().await?;
        assert_eq!((connection.depth(), count(&mut *connection).await), (0, 1));
        assert!(connection.commit().await.is_err() && connection.rollback().await.is_err());

        connection.begin(&plainly).await?;
        connection.execute(&target.compile(&insert(5, 9))?).await?;
        drop(connection);
        let mut connection = backend.connect().await?;
        assert_eq!(count(&mut *connection).await, 1);
        connection.begin(&plainly.read_only()).await?;
        let error = connection.execute(&target.compile(&insert(5, 9))?).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Permission);
        connection.rollback().await?;
        assert_eq!(connection.execute(&target.compile(&insert(5, 9))?).await?, 4);
    }
    Ok(())
}

#[tokio::test]
async fn isolation_is_what_is_asked_for() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, target) = items(&database).await?;
        let (mut reads, mut writes) = (backend.connect().await?, backend.connect().await?);
        let seen = [(Isolation::ReadCommitted, true), (Isolation::RepeatableRead, false), (Isolation::Snapshot, false)];
        for (next, (isolation, sees)) in (1..).zip(seen) {
            let begun = reads.begin(&TransactionOptions::default().isolation(isolation)).await;
            if isolation == Isolation::Snapshot && !live::is_mariadb(&backend) {
                assert_eq!(begun.unwrap_err().kind(), ErrorKind::Configuration);
                continue;
            }
            begun?;
            let before = count(&mut *reads).await;
            writes.execute(&target.compile(&insert(next, next + 1))?).await?;
            assert_eq!(count(&mut *reads).await, before + i64::from(sees), "{isolation:?}");
            reads.commit().await?;
        }
        // It was that transaction's only.
        reads.begin(&TransactionOptions::default().isolation(Isolation::Serializable)).await?;
        reads.commit().await?;
        let name = if live::is_mariadb(&backend) { "tx_isolation" } else { "transaction_isolation" };
        assert_eq!(number(&mut *reads, &format!("SELECT @@{name} = 'REPEATABLE-READ'")).await, 1);
    }
    Ok(())
}

#[tokio::test]
async fn a_statement_survives_a_change_of_its_table() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let (mut reads, mut changes) = (backend.connect().await?, backend.connect().await?);
        changes.script("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)").await?;
        let all = plain("SELECT * FROM t");
        assert_eq!(reads.fetch::<Vec<Value>>(&all).await?, [vec![Value::Int(1)]]);
        changes.script("ALTER TABLE t ADD COLUMN b VARCHAR(9) DEFAULT 'x', MODIFY a BIGINT").await?;
        assert_eq!(reads.fetch::<Vec<Value>>(&all).await?, [vec![Value::Int(1), "x".into()]]);
        changes.script("DROP TABLE t; CREATE TABLE t (c DOUBLE); INSERT INTO t VALUES (0.5)").await?;
        assert_eq!(reads.fetch::<Vec<Value>>(&all).await?, [vec![Value::Float(0.5)]]);
    }
    Ok(())
}

/// How many statements the server has prepared for this session.
async fn prepared(connection: &mut dyn Connection) -> i64 {
    let shown: Vec<(String, String)> =
        connection.fetch(&plain("SHOW SESSION STATUS WHERE Variable_name LIKE 'Com_stmt%'")).await.unwrap();
    let of = |name| shown.iter().find(|shown| shown.0 == name).unwrap().1.parse::<i64>().unwrap();
    of("Com_stmt_prepare") - of("Com_stmt_close")
}

#[tokio::test]
async fn as_many_statements_are_kept_as_said() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        for kept in [0, 1, 10] {
            let mut pool = live::pool(1);
            pool.prepared = kept;
            let backend = MySqlBackend::connect(database.options().pool(pool)).await?;
            let mut connection = backend.connect().await?;
            for n in 0..50 {
                assert_eq!(number(&mut *connection, &format!("SELECT {n}")).await, n);
            }
            let held = prepared(&mut *connection).await;
            let most = i64::try_from(kept)?.max(1);
            assert!((most..=most + 2).contains(&held), "{held} with {kept} to keep");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_the_protocol_does_not_prepare_runs_as_text() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, _) = items(&database).await?;
        let mut connection = backend.connect().await?;
        assert_eq!(connection.execute(&plain("LOCK TABLES Item WRITE")).await?, 0);
        connection.script("UNLOCK TABLES").await?;
        let error = connection.script("SELECT 1; SELECT nothing; SELECT 2").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
        assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
    }
    Ok(())
}

#[tokio::test]
async fn many_rows_at_once() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, target) = items(&database).await?;
        let mut connection = backend.connect().await?;
        let one = insert(0, 1);
        let one = target.compile(&one)?;
        let given = (1..=100).map(|n| [Value::from(n), format!("item {n}").into(), Value::Null]);
        assert_eq!(connection.execute_many(&one, rows(given)).await?, 100);

        let into = target.bulk_insert("Item", &["Name", "At"], &[])?;
        let names = |from: i64, to: i64| rows((from..to).map(|n| [Value::from(format!("bulk {n}")), Value::Null]));
        assert_eq!(connection.bulk_insert(&into, names(0, 100_000)).await?, 100_000);
        assert_eq!(count(&mut *connection).await, 100_100);
        // The last one is there already: none is.
        let doubled = rows(["a", "b", "bulk 7"].map(|name| [Value::from(name), Value::Null]));
        let error = connection.bulk_insert(&into, doubled).await.unwrap_err();
        assert_eq!((error.kind(), error.constraint()), (ErrorKind::UniqueViolation, Some("Name")));
        assert_eq!((count(&mut *connection).await, connection.depth()), (100_100, 0));
        // In a transaction, which goes on.
        connection.begin(&TransactionOptions::default()).await?;
        assert_eq!(connection.bulk_insert(&into, names(200_000, 200_010)).await?, 10);
        assert!(connection.bulk_insert(&into, names(200_005, 200_020)).await.is_err());
        connection.commit().await?;
        assert_eq!(count(&mut *connection).await, 100_110);

        let keys = connection.bulk_insert_keys(&into, names(300_000, 300_050)).await?;
        for (key, n) in keys.into_iter().zip(300_000..) {
            let row = live::with("SELECT Name FROM Item WHERE Id = ?", [key]);
            assert_eq!(connection.fetch_one::<(String,)>(&row).await?.0, format!("bulk {n}"));
        }
        assert_eq!(connection.bulk_insert(&into, names(0, 0)).await?, 0);
    }
    Ok(())
}

#[tokio::test]
async fn keys_are_those_of_their_rows() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let (backend, target) = items(&database).await?;
        let into = target.bulk_insert("Item", &["Name", "At"], &[])?;
        let names = |word: &'static str, count: i64| {
            rows((0..count).map(move |n| [Value::from(format!("{word} {n}")), Value::Null]))
        };
        let mut connection = backend.connect().await?;
        let check = async |connection: &mut AnyConnection, word: &str, keys: Vec<Value>| {
            let sql = format!("SELECT Id, Name FROM Item WHERE Name LIKE '{word} %'");
            let found: Vec<(u64, String)> = connection.fetch(&plain(&sql)).await?;
            let found: std::collections::HashMap<String, u64> =
                found.into_iter().map(|(id, name)| (name, id)).collect();
            assert_eq!(keys.len(), found.len());
            for (n, key) in keys.into_iter().enumerate() {
                assert_eq!(Value::from(found[&format!("{word} {n}")]), key);
            }
            Outcome::Ok(())
        };
        // Several parts, and steps of a cluster.
        let keys = connection.bulk_insert_keys(&into, names("part", 20_000)).await?;
        check(&mut connection, "part", keys).await?;
        connection.script("SET SESSION auto_increment_increment = 7, auto_increment_offset = 3").await?;
        let keys = connection.bulk_insert_keys(&into, names("step", 5_000)).await?;
        check(&mut connection, "step", keys).await?;
        // A trigger that gives others: they are known, or nothing is inserted.
        let trigger = "CREATE TRIGGER others BEFORE INSERT ON Item FOR EACH ROW SET NEW.Id = 1000000 - CHAR_LENGTH(NEW.Name) \
            - 10 * CAST(SUBSTRING_INDEX(NEW.Name, ' ', -1) AS SIGNED)";
        connection.script(trigger).await?;
        let before = count(&mut *connection).await;
        match connection.bulk_insert_keys(&into, names("other", 50)).await {
            Ok(keys) => check(&mut connection, "other", keys).await?,
            Err(error) => {
                assert!(error.to_string().contains("do not follow each other"), "{error}");
                assert_eq!(count(&mut *connection).await, before);
            }
        }
        assert_eq!(connection.bulk_insert_keys(&into, names("none", 0)).await?, []);
    }
    Ok(())
}

#[tokio::test]
async fn a_pool_has_an_end() -> Outcome {
    for url in servers() {
        let mut pool = live::pool(1);
        pool.wait = std::time::Duration::from_millis(500);
        let backend = MySqlBackend::connect(MySqlOptions::url(&url)?.pool(pool)).await?;
        let held = backend.connect().await?;
        assert_eq!(backend.connect().await.unwrap_err().kind(), ErrorKind::PoolExhausted);
        drop(held);
        backend.connect().await?.ping().await?;
        assert_eq!((backend.status().open, backend.status().idle), (1, 1));
    }
    Ok(())
}
