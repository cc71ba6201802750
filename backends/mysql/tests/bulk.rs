//! Many rows at once on MySQL and MariaDB, all or none.
#![cfg(feature = "driver")]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

mod live;

use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{BulkInsert, Compiler};
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, Result, RowSource, TransactionOptions, rows};
use isogloss_mysql::driver::MySqlBackend;
use live::private::Private;
use live::types::{Typed, all_same, columns, sample};
use live::{Database, Outcome, number, plain, servers, with};

fn into(backend: &MySqlBackend, table: &str, columns: &[(&str, T)]) -> BulkInsert {
    let definition = columns
        .iter()
        .fold(TableDef::new(table), |table, (name, ty)| table.column(ColumnDef::new(*name, *ty).nullable()));
    let catalog = Catalog::builder().table(definition).build().unwrap();
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    Compiler::new(catalog).target(backend.dialect()).bulk_insert(table, &names, &[]).unwrap()
}

/// Values of every type but those in `without`, there and back.
async fn there_and_back(backend: &MySqlBackend, without: &[T]) -> Outcome {
    let mut connection = backend.connect().await?;
    let kept: Vec<(usize, T, &str)> = columns()
        .iter()
        .enumerate()
        .filter(|(_, (ty, ..))| !without.contains(ty))
        .map(|(place, (ty, column, _))| (place, *ty, *column))
        .collect();
    let list: Vec<String> = kept.iter().map(|(place, _, column)| format!("c{place} {column}")).collect();
    connection
        .script(&format!("DROP TABLE IF EXISTS t; CREATE TABLE t (id INT PRIMARY KEY, {})", list.join(", ")))
        .await?;
    let names: Vec<String> = kept.iter().map(|(place, ..)| format!("c{place}")).collect();
    let mut described = vec![("id", T::Int32)];
    described.extend(names.iter().zip(&kept).map(|(name, (_, ty, _))| (name.as_str(), *ty)));
    let sent = sample(500);
    let given: Vec<Vec<Value>> = (0_i64..)
        .zip(&sent)
        .map(|(id, row)| {
            let values = kept.iter().map(|(place, ..)| row[*place].clone());
            std::iter::once(id.into()).chain(values).collect()
        })
        .collect();
    let into = into(backend, "t", &described);
    assert_eq!(connection.bulk_insert(&into, rows(given.clone())).await?, 500);
    let types: Vec<DbType> = described.iter().map(|(_, ty)| (*ty).into()).collect();
    let read = plain(&format!("SELECT id, {} FROM t ORDER BY id", names.join(", ")));
    let got = connection.query_into(&read, Typed(types, Vec::new())).await?.1;
    let whole = |rows: Vec<Vec<Value>>| -> Vec<Vec<Value>> {
        // In the places of all types, with NULL for those that were left out.
        rows.into_iter()
            .map(|row| {
                let mut all = vec![Value::Null; columns().len()];
                for (value, (place, ..)) in row.into_iter().skip(1).zip(&kept) {
                    all[*place] = value;
                }
                all
            })
            .collect()
    };
    all_same(&whole(given), &whole(got));
    Ok(())
}

#[tokio::test]
async fn each_type_is_loaded_and_inserted() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        // Without bytes by a file, with them by statements.
        there_and_back(&backend, &[T::Binary]).await?;
        there_and_back(&backend, &[]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_server_without_local_files_gets_statements() -> Outcome {
    let Some(server) = Private::new("bulk", "--local-infile=0").await else { return Ok(()) };
    let backend = MySqlBackend::connect(server.options()).await?;
    backend.connect().await?.script("CREATE DATABASE own CHARACTER SET utf8mb4").await?;
    let mut options = server.options();
    options.database = Some("own".into());
    let backend = MySqlBackend::connect(options).await?;
    assert_eq!(number(&mut *backend.connect().await?, "SELECT @@local_infile").await, 0);
    there_and_back(&backend, &[T::Binary]).await?;
    rules_hold(&backend).await
}

const SCHEMA: &str = "DROP TABLE IF EXISTS r, p; CREATE TABLE p (id INT PRIMARY KEY) ENGINE = InnoDB; \
                      INSERT INTO p VALUES (1), (2); CREATE TABLE r (id INT PRIMARY KEY, name VARCHAR(5), n TINYINT NOT NULL, \
                      amount DECIMAL(6, 2), day DATE, parent INT, bit BIT(1), \
                      CONSTRAINT one_name UNIQUE (name), CONSTRAINT positive CHECK (n > 0), \
                      CONSTRAINT has_parent FOREIGN KEY (parent) REFERENCES p (id)) ENGINE = InnoDB; \
                      INSERT INTO r VALUES (1, 'one', 1, 1, NULL, 1, 1)";

const COLUMNS: [(&str, T); 6] = [
    ("id", T::Int32),
    ("name", T::String),
    ("n", T::Int32),
    ("amount", T::Decimal),
    ("parent", T::Int32),
    ("bit", T::Boolean),
];

fn good(id: i64) -> [Value; 6] {
    [id.into(), format!("n{id}").into(), 1.into(), id.into(), 1.into(), (id % 2 == 0).into()]
}

/// Rows that break a rule are an error, as in an INSERT, and none is written.
async fn rules_hold(backend: &MySqlBackend) -> Outcome {
    let mut connection = backend.connect().await?;
    connection.script(SCHEMA).await?;
    let into = into(backend, "r", &COLUMNS);
    let with = |place: usize, value: Value| {
        let mut row = good(99);
        row[place] = value;
        row
    };
    for (bad, kind, constraint) in [
        (with(0, 1.into()), ErrorKind::UniqueViolation, Some("PRIMARY")),
        (with(1, "one".into()), ErrorKind::UniqueViolation, Some("one_name")),
        (with(1, "n7".into()), ErrorKind::UniqueViolation, Some("one_name")),
        (with(1, "too long".into()), ErrorKind::BadValue, None),
        (with(2, 1000.into()), ErrorKind::BadValue, None),
        (with(2, Value::Null), ErrorKind::NotNullViolation, Some("n")),
        (with(2, 0.into()), ErrorKind::CheckViolation, Some("positive")),
        (with(3, 1_000_000.into()), ErrorKind::BadValue, None),
        (with(4, 77.into()), ErrorKind::ForeignKeyViolation, Some("has_parent")),
    ] {
        for transaction in [false, true] {
            if transaction {
                connection.begin(&TransactionOptions::default()).await?;
                connection.execute(&plain("INSERT INTO p VALUES (3)")).await?;
            }
            let given: Vec<_> = (2..50).map(good).chain([bad.clone()]).chain((100..150).map(good)).collect();
            let error = connection.bulk_insert(&into, rows(given)).await.unwrap_err();
            assert_eq!((error.kind(), error.constraint()), (kind, constraint), "{bad:?}: {error}");
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM r").await, 1, "{bad:?}");
            if transaction {
                assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM p").await, 3);
                connection.rollback().await?;
            }
        }
    }
    // Digits of a fraction that have no room are rounded, as ever; that is no error.
    let given = [with(3, Value::from("1.005".parse::<isogloss_compiler::expr::Decimal>()?)), with(0, 100.into())];
    let given = given.into_iter().zip(["a", "b"]).map(|(mut row, name)| {
        row[1] = name.into();
        row
    });
    assert_eq!(connection.bulk_insert(&into, rows(given.collect::<Vec<_>>())).await?, 2);
    let found = connection.fetch::<(i64, bool)>(&plain("SELECT id, bit FROM r ORDER BY id")).await?;
    assert_eq!(found, [(1, true), (99, false), (100, false)]);
    Ok(())
}

#[tokio::test]
async fn a_rule_that_is_broken_takes_all_back() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        rules_hold(&database.backend().await).await?;
    }
    Ok(())
}

/// Fails at its hundred thousandth row.
struct Failing(i64);

impl RowSource for Failing {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        self.0 += 1;
        if self.0 == 100_000 {
            return Err(isogloss_driver::Error::new(ErrorKind::Other, "no more of that"));
        }
        row.extend([self.0.into(), "x".into()]);
        Ok(true)
    }
}

#[tokio::test]
async fn a_source_that_fails_takes_all_back() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)").await?;
        let into = into(&backend, "t", &[("id", T::Int32), ("name", T::String)]);
        let error = connection.bulk_insert(&into, Box::new(Failing(0))).await.unwrap_err();
        assert_eq!(error.message(), "no more of that");
        let late = (0..200_000_i64).map(|id| [id.into(), if id == 150_000 { Value::from(7_i64) } else { "x".into() }]);
        let wrong = late.map(|[id, name]| if id == Value::Int(150_000) { vec![id] } else { vec![id, name] });
        assert_eq!(connection.bulk_insert(&into, rows(wrong)).await.unwrap_err().kind(), ErrorKind::Compile);
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 0);
        // What ends a line or a field, and looks like NULL, is text.
        let odd = ["\\N", "NULL", "", "a\tb\nc\\d\0e\r\x1a", "\\", "\"quoted\"", "'", "🦀", " "];
        let given: Vec<_> = (0_i64..).zip(odd).map(|(id, text)| [id.into(), Value::from(text)]).collect();
        connection.bulk_insert(&into, rows(given)).await?;
        let found: Vec<(String,)> = connection.fetch(&plain("SELECT name FROM t ORDER BY id")).await?;
        assert_eq!(found.into_iter().map(|row| row.0).collect::<Vec<_>>(), odd);
    }
    Ok(())
}

/// Panics in its middle.
struct Panicking(i64);

impl RowSource for Panicking {
    fn next(&mut self, row: &mut Vec<Value>) -> isogloss_driver::Result<bool> {
        self.0 += 1;
        assert!(self.0 < 20_000, "no more of that");
        row.extend([Value::from(self.0), Value::Bytes([0].into())]);
        Ok(true)
    }
}

#[tokio::test]
async fn a_source_that_panics_leaves_nothing_to_others() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = std::sync::Arc::new(database.pool(1).await);
        backend.connect().await?.script("CREATE TABLE t (id INT PRIMARY KEY, data BLOB)").await?;
        let into = into(&backend, "t", &[("id", T::Int32), ("data", T::Binary)]);
        for keeps in [false, true] {
            let (other, into) = (std::sync::Arc::clone(&backend), into.clone());
            let panicked = tokio::spawn(async move {
                let mut connection = other.connect().await.unwrap();
                if keeps {
                    connection.begin(&TransactionOptions::default()).await.unwrap();
                }
                let _ = connection.bulk_insert(&into, Box::new(Panicking(0))).await;
            });
            assert!(panicked.await.unwrap_err().is_panic());
            let mut connection = backend.connect().await?;
            connection.begin(&TransactionOptions::default()).await?;
            connection.commit().await?;
            assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t").await, 0);
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_load_that_is_refused_keeps_no_rows() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        let into = into(&backend, "absent", &[("id", T::Int32)]);
        let mut connection = backend.connect().await?;
        let kept = std::sync::Arc::new(());
        let one = std::sync::Arc::clone(&kept);
        let given = (0_i64..10).map(move |id| [Value::from(id + i64::from(std::sync::Arc::strong_count(&one) == 0))]);
        assert_eq!(connection.bulk_insert(&into, rows(given)).await.unwrap_err().kind(), ErrorKind::Syntax);
        assert_eq!(std::sync::Arc::strong_count(&kept), 1, "the rows are still held");
    }
    Ok(())
}

#[tokio::test]
async fn what_a_script_has_set_is_not_the_next_one_s() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.pool(1).await;
        let mut connection = backend.connect().await?;
        connection.script("CREATE TABLE t (id INT PRIMARY KEY)").await?;
        connection.script("SET @x = 5; START TRANSACTION; INSERT INTO t VALUES (1)").await?;
        drop(connection);
        let mut connection = backend.connect().await?;
        assert_eq!(number(&mut *connection, "SELECT (@x IS NOT NULL) + (SELECT COUNT(*) FROM t)").await, 0);
    }
    Ok(())
}

#[tokio::test]
async fn a_dropped_bulk_insert_writes_nothing() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        backend.connect().await?.script("CREATE TABLE t (id INT PRIMARY KEY, name TEXT)").await?;
        let mut connection = backend.connect().await?;
        let into = into(&backend, "t", &[("id", T::Int32), ("name", T::String)]);
        let endless = (0_i64..).map(|id| [id.into(), Value::from("x".repeat(100))]);
        let time = std::time::Duration::from_millis(300);
        assert!(tokio::time::timeout(time, connection.bulk_insert(&into, rows(endless))).await.is_err());
        // The next statement waits until the rows are gone.
        assert_eq!(number(&mut *connection, "SELECT COUNT(*) FROM t FOR UPDATE").await, 0);
        let one = with("INSERT INTO t VALUES (?, ?)", [1.into(), "x".into()]);
        assert_eq!(connection.execute(&one).await?, 1);
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
        let mariadb = live::is_mariadb(&backend);
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
                let found: Vec<(i64,)> =
                    connection.fetch(&plain(&format!("SELECT id FROM {table} ORDER BY n"))).await?;
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

/// Like a statement that commits by itself.
#[tokio::test]
async fn what_is_lost_with_its_connection_is_in_doubt() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut other = backend.connect().await?;
        other.script("CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB").await?;
        let into = into(&backend, "t", &[("id", T::Int32)]);
        for (is_bulk, in_transaction) in [(true, false), (true, true), (false, false), (false, true)] {
            let what = format!("bulk {is_bulk}, in a transaction {in_transaction}");
            let mut connection = backend.connect().await?;
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            if in_transaction {
                connection.begin(&TransactionOptions::default()).await?;
            }
            // The other one has the row, so that this one waits for it.
            other.begin(&TransactionOptions::default()).await?;
            other.execute(&plain("INSERT INTO t VALUES (1)")).await?;
            let call = async {
                match is_bulk {
                    true => connection.bulk_insert(&into, rows([[1.into()]])).await.map(drop),
                    false => connection.script("INSERT INTO t VALUES (1)").await,
                }
            };
            let end = async {
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                other.execute(&plain(&format!("KILL {id}"))).await
            };
            let (done, ended) = tokio::join!(call, end);
            ended?;
            let lost = done.unwrap_err();
            let found = (lost.kind(), lost.is_in_doubt());
            assert_eq!(found, (ErrorKind::ConnectionLost, !in_transaction), "{what}: {lost}");
            other.rollback().await?;
        }
    }
    Ok(())
}

/// Rows of a database that is lost.
struct Lost;

impl RowSource for Lost {
    fn next(&mut self, _: &mut Vec<Value>) -> Result<bool> {
        Err(isogloss_driver::Error::new(ErrorKind::ConnectionLost, "the other database is gone"))
    }
}

#[tokio::test]
async fn a_source_that_has_lost_its_connection_leaves_no_doubt_and_says_nothing_of_this_one() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut other = backend.connect().await?;
        other.script("CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB").await?;
        let (into, insert) = (into(&backend, "t", &[("id", T::Int32)]), with("INSERT INTO t VALUES (?)", [1.into()]));
        for is_bulk in [true, false] {
            let mut connection = backend.connect().await?;
            let id = number(&mut *connection, "SELECT CONNECTION_ID()").await;
            let done = match is_bulk {
                true => connection.bulk_insert(&into, Box::new(Lost)).await,
                false => connection.execute_many(&insert, Box::new(Lost)).await,
            };
            let error = done.unwrap_err();
            assert_eq!((error.kind(), error.is_in_doubt()), (ErrorKind::ConnectionLost, false), "{error}");
            // This one is there, and what is lost on it is in doubt.
            let slow = plain("INSERT INTO t SELECT 1 FROM (SELECT SLEEP(20) AS n) s WHERE n = 0");
            let end = async {
                tokio::time::sleep(std::time::Duration::from_millis(500)).await;
                other.execute(&plain(&format!("KILL {id}"))).await
            };
            let (done, ended) = tokio::join!(connection.execute(&slow), end);
            ended?;
            let lost = done.unwrap_err();
            assert_eq!((lost.kind(), lost.is_in_doubt()), (ErrorKind::ConnectionLost, true), "{lost}");
        }
    }
    Ok(())
}
