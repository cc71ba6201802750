//! A filter from a client's JSON, on a connection that the program has from diesel.
//!
//! `cargo run -p isogloss-sqlite --example diesel --all-features`

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use isogloss_compiler::Compiler;
use isogloss_compiler::expr::{DbValueType, Expr, LogicExpr, from, table};
use isogloss_compiler::json;
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_driver::ddl::Ddl;
use isogloss_sqlite::Sqlite;
use isogloss_sqlite::diesel::statement;

/// A row, read by the names of its columns.
#[derive(Debug, QueryableByName)]
struct User {
    #[diesel(sql_type = diesel::sql_types::Integer, column_name = "Id")]
    id: i32,
    #[diesel(sql_type = diesel::sql_types::Text, column_name = "Name")]
    name: String,
}

#[allow(clippy::print_stdout, reason = "it shows what it found")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let user = TableDef::new("User")
        .table("Users")
        .column(ColumnDef::new("Id", DbValueType::Int32).primary_key().identity(1, 1))
        .column(ColumnDef::new("Name", DbValueType::String).length(100))
        .column(ColumnDef::new("Points", DbValueType::Int32));
    let catalog = Catalog::builder().table(user).build()?;
    let mut connection = SqliteConnection::establish(":memory:")?;
    let sqlite = Sqlite::default();
    for (id, _) in catalog.entities() {
        connection.batch_execute(&sqlite.create_table(&catalog, id, &[])?.join(";"))?;
    }

    let target = Compiler::new(catalog).target(&sqlite);
    let insert = Expr::from(table("User").insert_rows(["Name", "Points"], [("Ann", 7), ("Bob", 2), ("Cid", 12)]));
    statement(&target.compile(&insert)?)?.execute(&mut connection)?;

    let filter = r##"{"$":">","Left":{"#":"Points"},"Right":5}"##;
    let filter: LogicExpr = json::read(filter, &json::ReadLimits::DEFAULT)?;
    let query = Expr::from(from("User").filter(filter).order_by(["Name"]).select(["Id", "Name"]).into_segment());
    let users: Vec<User> = statement(&target.compile(&query)?)?.load(&mut connection)?;
    for user in users {
        println!("{}: {}", user.id, user.name);
    }
    Ok(())
}
