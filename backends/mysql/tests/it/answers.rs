//! What trees answer on MySQL and MariaDB, over tables as the suite has none.
#![allow(clippy::unwrap_used, reason = "a test")]

use isogloss_compiler::expr::DbValueType as T;
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, Request};
use isogloss_driver::{Backend, Connection, ConnectionExt, ErrorKind, rows};
use isogloss_mysql::driver::MySqlBackend;

use crate::live::{Database, Outcome, number, plain, servers};

fn compiler() -> Compiler {
    let id = || ColumnDef::new("Id", T::Int32).column("id").primary_key();
    let text = |name: &str, column: &str, ty| ColumnDef::new(name, ty).column(column).nullable();
    let texts = TableDef::new("Text").table("texts").column(id());
    let texts = texts.column(text("A", "a", T::AnsiString)).column(text("B", "b", T::String));
    // The name of the row that an upsert proposes.
    let new = TableDef::new("New").table("New").column(id()).column(text("Code", "code", T::String).unique());
    let new = new.column(ColumnDef::new("N", T::Int32).column("n"));
    let numbered = TableDef::new("Numbered").table("New");
    let numbered = numbered.column(ColumnDef::new("Id", T::Int32).column("id").primary_key().identity(1, 1));
    let numbered = numbered.column(ColumnDef::new("Code", T::String).column("code").unique());
    let numbered = numbered.column(ColumnDef::new("N", T::Int32).column("n"));
    let numbers = TableDef::new("Number").table("numbers").column(id());
    let numbers = numbers.column(ColumnDef::new("D", T::Decimal).column("d").precision(38, 0));
    let numbers = numbers.column(ColumnDef::new("N", T::Int32).column("n"));
    Compiler::new(Catalog::builder().table(texts).table(new).table(numbers).table(numbered).build().unwrap())
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

/// A row that is left alone does not count, whatever numbers the table has, by one row or many and by a query.
#[tokio::test]
async fn do_nothing_counts_new_rows() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        for id in ["INT PRIMARY KEY", "INT PRIMARY KEY AUTO_INCREMENT"] {
            let sql = format!(
                "DROP TABLE IF EXISTS `New`; CREATE TABLE `New` (id {id}, code VARCHAR(9) UNIQUE, n INT NOT NULL); \
                 INSERT INTO `New` VALUES (1, 'a', 1)"
            );
            connection.script(&sql).await?;
            let compiler = compiler();
            let none: [&str; 0] = [];
            let kept = |ids: &[i64]| {
                let row = |id: &i64| [Value::Int(*id), Value::from(format!("c{id}")), Value::Int(5)];
                let values: Vec<Value> = ids.iter().flat_map(row).collect();
                Expr::from(table("New").insert(["Id", "Code", "N"], values).on_conflict_do_nothing(none))
            };
            for (ids, expected) in [
                (vec![1], 0),
                (vec![2], 1),
                (vec![2], 0),
                (vec![1, 3], 1),
                (vec![1, 2, 3], 0),
                (vec![4, 5], 2),
                (vec![6, 6], 1),
            ] {
                let insert = kept(&ids);
                let statement = compiler.compile(&insert, backend.dialect())?;
                assert_eq!(connection.execute(&statement).await?, expected, "{id}: {ids:?}: {}", statement.sql);
            }
            let insert = kept(&[1]);
            let statement = compiler.compile(&insert, backend.dialect())?;
            let row = |id: i64| vec![Value::Int(id), Value::from(format!("c{id}")), Value::Int(5)];
            assert_eq!(connection.execute_many(&statement, rows([1, 7, 7, 8, 2].map(row))).await?, 2);
            // Of several rows of a query the server does not say how many were there.
            for (ids, expected) in [(1..=1, 0), (2..=2, 0), (5..=5, 1), (6..=8, 3)] {
                let moved = prop("Id") + (prop("N") - 1);
                let some = prop("Id").ge(*ids.start()) & prop("Id").le(*ids.end());
                let query = from("New").filter(some);
                let query = query.select([moved, prop("Code").concat("x").into(), ValueTypeExpr::from(prop("N"))]);
                let insert = table("New").insert_query(["Id", "Code", "N"], query).on_conflict_do_nothing(none);
                let insert = Expr::from(insert);
                let statement = compiler.compile(&insert, backend.dialect())?;
                assert_eq!(connection.execute(&statement).await?, expected, "{ids:?}: {}", statement.sql);
            }
            // By another key, where the engine gives the numbers.
            if id.ends_with("AUTO_INCREMENT") {
                for (codes, expected) in [(vec!["c2"], 0), (vec!["y"], 1), (vec!["y"], 0), (vec!["c2", "z"], 1)] {
                    let values = codes.iter().flat_map(|code| [Value::from(*code), Value::Int(5)]).collect();
                    let insert = table("Numbered").insert(["Code", "N"], values).on_conflict_do_nothing(["Code"]);
                    let insert = Expr::from(insert);
                    let statement = compiler.compile(&insert, backend.dialect())?;
                    assert_eq!(connection.execute(&statement).await?, expected, "{codes:?}: {}", statement.sql);
                }
            }
            // A row with another row's code.
            let taken = table("New").insert(["Id", "Code", "N"], vec![Value::Int(40), "c2".into(), Value::Int(0)]);
            let taken = Expr::from(taken.on_conflict_do_nothing(["Id"]));
            let error = connection.execute(&compiler.compile(&taken, backend.dialect())?).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UniqueViolation, "{error}");
        }
        // A key that is a text, and one of two columns.
        connection.script("CREATE TABLE worded (a VARCHAR(9), b INT, PRIMARY KEY (a, b))").await?;
        let worded =
            TableDef::new("Worded").table("worded").column(ColumnDef::new("A", T::String).column("a").primary_key());
        let worded = worded.column(ColumnDef::new("B", T::Int32).column("b").primary_key());
        let compiler = Compiler::new(Catalog::builder().table(worded).build()?);
        let insert = table("Worded").insert(["A", "B"], vec![Value::from("x"), Value::Int(1)]);
        let insert = Expr::from(insert.on_conflict_do_nothing(["A", "B"]));
        let statement = compiler.compile(&insert, backend.dialect())?;
        assert_eq!(connection.execute(&statement).await?, 1);
        assert_eq!(connection.execute(&statement).await?, 0);
    }
    Ok(())
}

/// A list has room for as many digits as each of its decimals.
#[tokio::test]
async fn a_long_list_finds_long_decimals() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let long = "12345678901234567890123456789012345678";
        let sql = format!(
            "CREATE TABLE numbers (id INT PRIMARY KEY, d DECIMAL(38, 0), n INT); \
             INSERT INTO numbers VALUES (1, {long}, 1), (2, -{long}, 2), (3, 7, 3), (4, 99999999999999999999999999999999999, 4)"
        );
        connection.script(&sql).await?;
        let small = (1000..3000).map(|n| Value::from(Decimal::from(n)));
        for (extra, expected) in [
            (vec![long.to_owned()], vec![1]),
            (vec![format!("-{long}"), "7".into()], vec![2, 3]),
            // A double would be the number of row 4, rounded.
            (vec!["99999999999999999999999999999999999".into(), "99999999999999999999999999999999998".into()], vec![4]),
        ] {
            let listed: Vec<Value> =
                extra.iter().map(|text| Value::from(text.parse::<Decimal>().unwrap())).chain(small.clone()).collect();
            let found = ids(&mut *connection, &backend, "Number", prop("D").in_list(listed)).await;
            assert_eq!(found, expected);
        }
    }
    Ok(())
}

/// A day that does not exist is NULL in a write as well, where the mode is strict.
#[tokio::test]
async fn a_date_that_is_none_is_null_in_a_write() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let whole = |name: &str| ColumnDef::new(name, T::Int64);
        let days = TableDef::new("Day").column(whole("Id").primary_key());
        let days = days.column(whole("Y")).column(whole("M")).column(whole("D"));
        let days = days.column(ColumnDef::new("At", T::Date).nullable());
        let target = Compiler::new(Catalog::builder().table(days).build()?).target(backend.dialect());
        let given = [
            (2023, 2, 29, ""),
            (2024, 2, 29, "2024-02-29"),
            (1, 2, 28, "0001-02-28"),
            (9999, 12, 31, "9999-12-31"),
            (10_000, 1, 1, ""),
            (0, 1, 1, ""),
            (2024, 13, 1, ""),
            (2024, 0, 1, ""),
            (2024, 4, 31, ""),
            (2024, 4, 0, ""),
            (-5, -1, i64::MAX, ""),
        ];
        connection.script("CREATE TABLE Day (Id BIGINT PRIMARY KEY, Y BIGINT, M BIGINT, D BIGINT, At DATE)").await?;
        for (index, (year, month, day, _)) in given.iter().enumerate() {
            connection.script(&format!("INSERT INTO Day VALUES ({index}, {year}, {month}, {day}, NULL)")).await?;
        }
        let made = func("MakeDate", [prop("Y"), prop("M"), prop("D")]);
        let update = Expr::from(table("Day").update([("At", made)]).filter(prop("Id").ge(0)));
        assert_eq!(connection.execute(&target.compile(&update)?).await?, 11);
        let read = plain("SELECT CONCAT(COALESCE(CAST(At AS CHAR), '')) FROM Day ORDER BY Id");
        let found: Vec<(String,)> = connection.fetch(&read).await?;
        for ((year, month, day, expected), (found,)) in given.iter().zip(found) {
            assert_eq!(found, *expected, "{year} {month} {day}");
        }
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
                let insert = crate::live::with(&texts.sql, [Value::from(id), Value::from(text)]);
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
