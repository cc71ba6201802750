//! What trees answer on MySQL and MariaDB, over tables as the suite has none.
#![cfg(feature = "driver")]
#![allow(clippy::unwrap_used, reason = "a test")]

mod live;

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, Request};
use isogloss_driver::{Backend, Connection, ConnectionExt, ErrorKind, rows};
use isogloss_mysql::driver::MySqlBackend;
use live::{Database, Outcome, number, plain, servers};

fn compiler() -> Compiler {
    let id = || ColumnDef::new("Id", T::Int32).column("id").primary_key();
    let text = |name: &str, column: &str, ty| ColumnDef::new(name, ty).column(column).nullable();
    let texts = TableDef::new("Text").table("texts").column(id());
    let texts = texts.column(text("A", "a", T::AnsiString)).column(text("B", "b", T::String));
    // The name of the row that an upsert proposes.
    let new = TableDef::new("New").table("New").column(id()).column(text("Code", "code", T::String).unique());
    let new = new.column(ColumnDef::new("N", T::Int32).column("n"));
    let numbers = TableDef::new("Number").table("numbers").column(id());
    let numbers = numbers.column(ColumnDef::new("D", T::Decimal).column("d").precision(38, 0));
    let numbers = numbers.column(ColumnDef::new("N", T::Int32).column("n"));
    Compiler::new(Catalog::builder().table(texts).table(new).table(numbers).build().unwrap())
}

async fn ids(
    connection: &mut dyn Connection,
    backend: &MySqlBackend,
    entity: &'static str,
    condition: LogicExpr,
) -> Vec<i64> {
    let query = from(entity).filter(condition).order_by([prop("Id").asc()]).select([prop("Id")]);
    let query = Expr::from(query.into_segment());
    let compiler = compiler();
    let statement = compiler.compile(&query, backend.dialect()).unwrap();
    connection.fetch::<(i64,)>(&statement).await.unwrap().into_iter().map(|(id,)| id).collect()
}

#[tokio::test]
async fn collations_that_ignore_blanks_and_differ() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let sql = "CREATE TABLE texts (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20)) \
                   CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci; \
                   INSERT INTO texts VALUES (1, 'ab', 'ab '), (2, 'ab ', 'ab'), (3, 'xab', 'ab '), (4, 'ab ', 'b '), \
                   (5, NULL, 'ab'), (6, 'ab', 'ab')";
        connection.script(sql).await?;
        let starts = || prop("A").starts_with(prop("B"));
        let ends = || prop("A").ends_with(prop("B"));
        assert_eq!(ids(&mut *connection, &backend, "Text", starts()).await, [2, 6]);
        assert_eq!(ids(&mut *connection, &backend, "Text", !starts()).await, [1, 3, 4]);
        assert_eq!(ids(&mut *connection, &backend, "Text", ends()).await, [4, 6]);
        assert_eq!(ids(&mut *connection, &backend, "Text", !ends()).await, [1, 2, 3]);
        // A cast keeps the collation, which the connection's is not.
        let cast = prop("A").cast(T::String).eq(prop("B"));
        assert_eq!(ids(&mut *connection, &backend, "Text", cast).await, [1, 2, 6]);
    }
    Ok(())
}

#[tokio::test]
async fn upserts_into_a_table_named_new() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let sql = "CREATE TABLE `New` (id INT PRIMARY KEY, code VARCHAR(9) UNIQUE, n INT NOT NULL); \
                   INSERT INTO `New` VALUES (1, 'a', 1), (2, 'b', 2)";
        connection.script(sql).await?;
        let compiler = compiler();
        let upsert = |id: i64, code: &str, n: i64| {
            let row = vec![Value::Int(id), Value::from(code), Value::Int(n)];
            Expr::from(table("New").insert(["Id", "Code", "N"], row).on_conflict_update(["Id"]))
        };
        let one = upsert(1, "c", 7);
        let statement = compiler.compile(&one, backend.dialect())?;
        assert_eq!(connection.execute(&statement).await?, 1);
        // A row counts once, whether it was there or not.
        let many = vec![
            vec![Value::Int(1), Value::from("d"), Value::Int(8)],
            vec![Value::Int(2), Value::from("b"), Value::Int(9)],
            vec![Value::Int(3), Value::from("e"), Value::Int(10)],
        ];
        assert_eq!(connection.execute_many(&statement, rows(many)).await?, 3);
        assert_eq!(number(&mut *connection, "SELECT SUM(n) FROM `New`").await, 27);
        // One that has another row's code.
        let taken = upsert(4, "b", 0);
        let error = connection.execute(&compiler.compile(&taken, backend.dialect())?).await.unwrap_err();
        assert_eq!((error.kind(), error.code()), (ErrorKind::UniqueViolation, Some("1242")), "{error}");
    }
    Ok(())
}

#[tokio::test]
async fn zero_is_a_number_of_a_row() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let mut connection = database.backend().await.connect().await?;
        connection.script("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT)").await?;
        connection.execute(&plain("INSERT INTO t VALUES (0, 5)")).await?;
        connection.execute(&plain("INSERT INTO t (n) VALUES (6)")).await?;
        assert_eq!(number(&mut *connection, "SELECT id FROM t WHERE n = 5").await, 0);
        assert_eq!(number(&mut *connection, "SELECT id FROM t WHERE n = 6").await, 1);
    }
    Ok(())
}

#[tokio::test]
async fn numbers_of_many_digits_and_below_zero() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let (long, short) = ("12345678901234567890123456789012345678", "99999999999999999999999999999999999");
        let sql = format!(
            "CREATE TABLE numbers (id INT PRIMARY KEY, d DECIMAL(38, 0), n INT); \
             INSERT INTO numbers VALUES (1, {long}, -5), (2, {short}, 5)"
        );
        connection.script(&sql).await?;
        for (digits, found) in [(long, 1), (short, 2)] {
            let number = Value::from(digits.parse::<Decimal>()?);
            assert_eq!(ids(&mut *connection, &backend, "Number", prop("D").eq(number)).await, [found]);
        }
        // It stays what it is, where UNSIGNED would make a number of 20 digits of it.
        let negative = prop("N").cast(T::UInt64).lt(1);
        assert_eq!(ids(&mut *connection, &backend, "Number", negative).await, [1]);
    }
    Ok(())
}

/// Texts that are written as bytes take part in a comparison as parameters do, and a generated column means what a query
/// means, also when the server has read its text again.
#[tokio::test]
async fn a_generated_column_means_what_a_query_means() -> Outcome {
    type Named = (&'static str, fn() -> ValueTypeExpr);
    let values: [Named; 3] = [
        ("equal", || case([(prop("A").eq(constant("\\é")), 1.into())], Some(0.into())).into()),
        ("replaced", || {
            func("Replace", [ValueTypeExpr::from(prop("A")), constant("\\").into(), constant("/").into()]).into()
        }),
        ("matched", || func("RegexpCount", [ValueTypeExpr::from(prop("A")), constant("abc").into()]).into()),
    ];
    for url in servers() {
        for collation in ["utf8mb4_bin", "utf8mb4_unicode_ci"] {
            let database = Database::new(&url).await;
            let backend = database.backend().await;
            let mut connection = backend.connect().await?;
            let compiler = compiler();
            let mut sql = "CREATE TABLE texts (id INT PRIMARY KEY, a VARCHAR(20), b VARCHAR(20)".to_owned();
            for (name, value) in &values {
                let text = compiler.target(backend.dialect()).constant_value(&value(), &Request::of("Text"))?.sql;
                sql.push_str(&format!(", {name} VARCHAR(20) GENERATED ALWAYS AS ({text}) VIRTUAL"));
            }
            sql.push_str(&format!(") CHARACTER SET utf8mb4 COLLATE {collation}"));
            connection.script(&sql).await?;
            let texts = plain("INSERT INTO texts (id, a) VALUES (?, ?)");
            let given = ["\\é", "x\\a\\", "abc abc", "", "é"];
            for (id, text) in (1_i64..).zip(given) {
                let insert = live::with(&texts.sql, [Value::from(id), Value::from(text)]);
                connection.execute(&insert).await?;
            }
            connection.script("FLUSH TABLES texts").await?;
            for (name, value) in &values {
                let query = from("Text").order_by([prop("Id").asc()]).select([value().alias("V")]);
                let query = Expr::from(query.into_segment());
                let statement = compiler.compile(&query, backend.dialect())?;
                let asked = texts_of(connection.fetch::<Vec<Value>>(&statement).await?);
                let kept = plain(format!("SELECT {name} FROM texts ORDER BY id"));
                let kept = texts_of(connection.fetch::<Vec<Value>>(&kept).await?);
                assert_eq!(asked, kept, "{collation} {name}");
                assert!(kept.iter().any(|value| kept.first() != Some(value)), "{name}: {kept:?}");
            }
        }
    }
    Ok(())
}

fn texts_of(rows: Vec<Vec<Value>>) -> Vec<String> {
    let text = |value: Value| match value {
        Value::Text(text) => text.to_string(),
        other => other.to_string(),
    };
    rows.into_iter().flatten().map(text).collect()
}
