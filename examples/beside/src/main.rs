//! sqlx, diesel and Isogloss' own driver in one program: each reads with its own connection what the others wrote.
//!
//! `cargo run` in this folder; `cargo test` binds a value of every type by sqlx, on the servers that
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name as well.

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use isogloss::Compiler;
use isogloss::driver::Backend as _;
use isogloss::driver::ddl::Ddl as _;
use isogloss::expr::{DbValueType, count_all};
use isogloss::model::{ColumnDef, TableDef};
use isogloss::prelude::*;
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss::sqlite::{Sqlite, Storage};
use sqlx::{AssertSqlSafe, Connection as _};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::temp_dir().join(format!("isogloss-beside-{}.db", std::process::id()));
    let done = run(path.to_str().ok_or("the path is no text")?).await;
    let _ = std::fs::remove_file(&path);
    done
}

async fn run(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let user = TableDef::new("User")
        .table("users")
        .column(ColumnDef::new("Id", DbValueType::Int64).primary_key())
        .column(ColumnDef::new("Name", DbValueType::String));
    let catalog = Catalog::builder().table(user).build()?;
    // All of them write the rows in one form: that of sqlx, which the program has most of.
    let dialect = Sqlite::default().stored_by(Storage::Sqlx);
    let (entity, _) = catalog.entity("User").ok_or("no such entity")?;
    let tables = dialect.create_table(&catalog, entity, &[])?.join(";");
    let target = Compiler::new(catalog).target(&dialect);
    let insert = |id: i64, name: &str| table("User").insert_rows(["Id", "Name"], [(id, name)]);
    let count = from("User").filter(prop("Name").starts_with("A")).select([count_all().alias("n")]).into_segment();

    let mut by_sqlx = sqlx::SqliteConnection::connect(&format!("sqlite://{path}?mode=rwc")).await?;
    sqlx::raw_sql(AssertSqlSafe(tables)).execute(&mut by_sqlx).await?;
    let ann = insert(1, "Ann");
    let compiled = target.compile(&ann)?;
    let arguments = isogloss::sqlite::sqlx::arguments(&compiled)?;
    sqlx::query_with(AssertSqlSafe(compiled.sql.as_str()), arguments).execute(&mut by_sqlx).await?;

    let mut by_diesel = diesel::SqliteConnection::establish(path)?;
    let abe = insert(2, "Abe");
    let compiled = target.compile(&abe)?;
    isogloss::sqlite::diesel::statement(&compiled)?.execute(&mut by_diesel)?;

    let backend = SqliteBackend::open(SqliteOptions::file(path)).await?;
    let mut by_own = backend.connect().await?;
    let bob = insert(3, "Bob");
    by_own.execute(&target.compile(&bob)?).await?;

    let compiled = target.compile(&count)?;
    let arguments = isogloss::sqlite::sqlx::arguments(&compiled)?;
    let (of_sqlx,): (i64,) =
        sqlx::query_as_with(AssertSqlSafe(compiled.sql.as_str()), arguments).fetch_one(&mut by_sqlx).await?;
    let of_diesel: Vec<i64> = isogloss::sqlite::diesel::statement(&compiled)?.typed::<BigInt>().load(&mut by_diesel)?;
    println!("sqlx {of_sqlx}, diesel {of_diesel:?}");
    assert_eq!((of_sqlx, of_diesel), (2, vec![2]));
    Ok(())
}
