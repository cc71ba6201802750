//! Statements on MySQL and MariaDB themselves.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test")]

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::*;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::{Backend, Connection, ConnectionExt, ErrorKind};
use isogloss_mysql::driver::MySqlBackend;

use crate::live::{Database, Outcome, number, plain, servers};

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

/// `_` stands between `B` and `a` by code points, before or behind both letters else.
#[tokio::test]
async fn a_text_without_a_column_has_the_collation_of_the_database() -> Outcome {
    for url in servers() {
        let database = Database::new(&url).await;
        let alter = format!("ALTER DATABASE {} COLLATE utf8mb4_bin", database.name);
        database.backend().await.connect().await?.script(&alter).await?;
        let backend = database.backend().await;
        let mut connection = backend.connect().await?;
        let target = Compiler::new(Catalog::builder().build()?).target(backend.dialect());
        let text = |text: &str| SelectExpr::default().select_more([value(text).alias("Text")]);
        let all = text("a").union(text("_")).union(text("B")).union(text("A"));
        let query = SqlSegment::from(all).order_by([prop("Text").asc()]);
        let rows: Vec<(String,)> = connection.fetch(&target.compile(&query)?).await?;
        assert_eq!(rows, ["A", "B", "_", "a"].map(|text| (text.to_owned(),)), "{}", backend.dialect().label());
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
        // A global setting of the server does not reach the session: this limit is another one than by default.
        for (setting, value) in [
            ("sql_select_limit = 9223372036854775807", 1),
            ("sql_safe_updates", 0),
            ("sql_auto_is_null", 0),
            ("sql_big_selects", 1),
            ("div_precision_increment", 4),
            ("completion_type = 'NO_CHAIN'", 1),
        ] {
            assert_eq!(number(&mut *connection, &format!("SELECT @@{setting}")).await, value, "{setting}");
        }
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
            let mut pool = crate::live::pool(1);
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
        let mut connection = database.backend().await.connect().await?;
        connection.script("CREATE TABLE Item (Id INT)").await?;
        assert_eq!(connection.execute(&plain("LOCK TABLES Item WRITE")).await?, 0);
        connection.script("UNLOCK TABLES").await?;
        let error = connection.script("SELECT 1; SELECT nothing; SELECT 2").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Syntax);
        assert_eq!(number(&mut *connection, "SELECT 7").await, 7);
    }
    Ok(())
}
