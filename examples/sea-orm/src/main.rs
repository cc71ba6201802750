//! A filter from a client's JSON in a query of SeaORM, on a connection that the program has.
//!
//! `cargo run` in this folder.

use isogloss_compiler::expr::{DbValueType, LogicExpr};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::walk::QueryPolicy;
use isogloss_compiler::{Compiler, Request, json};
use isogloss_sqlite::{Sqlite, sea_query::condition};
use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue, Database, QueryOrder, Schema};

mod user {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "users")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i32,
        pub name: String,
        pub points: Option<i32>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What clients may filter by, under the names that they know.
fn catalog() -> Result<Catalog, Box<dyn std::error::Error>> {
    let user = TableDef::new("User")
        .table("users")
        .column(ColumnDef::new("Id", DbValueType::Int32).column("id").primary_key())
        .column(ColumnDef::new("Name", DbValueType::String).column("name"))
        .column(ColumnDef::new("Points", DbValueType::Int32).column("points").nullable());
    Ok(Catalog::builder().table(user).build()?)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = Database::connect("sqlite::memory:").await?;
    let schema = Schema::new(db.get_database_backend());
    db.execute(&schema.create_table_from_entity(user::Entity)).await?;
    for (name, points) in [("Ann", Some(7)), ("Bob", None), ("Cid", Some(12)), ("O'Hara?", Some(9))] {
        let (name, points) = (ActiveValue::set(name.to_owned()), ActiveValue::set(points));
        user::ActiveModel { name, points, ..Default::default() }.insert(&db).await?;
    }

    let target = Compiler::new(catalog()?).target(&Sqlite::default());
    let text = r##"{"$or":[
        {"$":">","Left":{"#":"Points"},"Right":10},
        {"$":"contains","Left":{"#":"Name"},"Right":"'Hara?"}]}"##;
    let filter: LogicExpr = json::read(text, &json::ReadLimits::DEFAULT)?;
    QueryPolicy::new("User").check(&filter, target.catalog())?;

    let filter = condition(&target, &filter, &Request::of("User"), Some("users"))?;
    let query = user::Entity::find().filter(user::Column::Id.gt(0)).filter(filter).order_by_asc(user::Column::Name);
    let found = query.all(&db).await?;
    let names: Vec<&str> = found.iter().map(|user| user.name.as_str()).collect();
    println!("{}", names.join(", "));
    assert_eq!(names, ["Cid", "O'Hara?"]);
    Ok(())
}
