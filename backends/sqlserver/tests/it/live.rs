//! What SQL Server alone does, on the servers of `ISOGLOSS_SQLSERVER_URL`, with blanks between.

#[path = "../../../driver/testing/statements.rs"]
mod statements;

use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::{Backend, ErrorKind, rows};
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};
use statements::{given, number, plain};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn loads_and_batches() -> Outcome {
    let urls = std::env::var("ISOGLOSS_SQLSERVER_URL").unwrap_or_default();
    if urls.trim().is_empty() {
        eprintln!("skipped: no ISOGLOSS_SQLSERVER_URL");
    }
    for url in urls.split_whitespace() {
        let backend = SqlServerBackend::connect(SqlServerOptions::url(url)?).await?;
        let mut connection = backend.connect().await?;
        connection
            .script(
                "DROP TABLE IF EXISTS isogloss_item; \
                 CREATE TABLE isogloss_item (Id int PRIMARY KEY, Name nvarchar(max) NOT NULL)",
            )
            .await?;
        // That NULL is refused is the server's to say.
        let item = TableDef::new("isogloss_item").column(ColumnDef::new("Id", T::Int32).primary_key());
        let catalog = Catalog::builder().table(item.column(ColumnDef::new("Name", T::String).nullable())).build()?;
        let into =
            Compiler::new(catalog).target(backend.dialect()).bulk_insert("isogloss_item", &["Id", "Name"], &[])?;
        // A text that the load cannot carry goes by INSERT, and so does what follows.
        let name = |n: i64| Value::from(if n == 20 { "ł".repeat(200_000) } else { format!("item {n}") });
        assert_eq!(connection.bulk_insert(&into, rows((0..50).map(move |n| [n.into(), name(n)]))).await?, 50);
        let bad = (100..150_i64).map(move |n| [n.into(), if n == 130 { Value::Null } else { name(n) }]);
        let error = connection.bulk_insert(&into, rows(bad)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotNullViolation, "{error:?}");
        assert_eq!(number(&mut *connection, "SELECT COUNT_BIG(*) FROM isogloss_item").await?, 50);
        // In batches, of which a row that fails is the last.
        let of = |sql: &str| given(sql, [(Value::Null, Some(T::Int32.into()))]);
        let update = of("UPDATE isogloss_item SET Name = '' WHERE Id = @P1 AND '@P1' <> ''");
        assert_eq!(connection.execute_many(&update, rows((0..600).map(|n| [Value::from(n % 3)]))).await?, 600);
        let insert = of("INSERT INTO isogloss_item VALUES (@P1, 'x')");
        let twice = (100..110).map(|n| [Value::from(if n == 105 { 0 } else { n })]);
        let error = connection.execute_many(&insert, rows(twice)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UniqueViolation);
        assert_eq!(connection.execute(&plain("DELETE FROM isogloss_item WHERE Id >= 100")).await?, 5);
        let error = connection.execute(&plain("SELECT CAST(1e10 AS int)")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue);
        connection.script("DROP TABLE isogloss_item").await?;
    }
    Ok(())
}
