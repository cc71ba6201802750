//! The prelude of Isogloss beside that of SeaORM: both are imported, and no name is ambiguous.

use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use sea_orm::entity::prelude::*;
use sea_orm::{ActiveValue, Database, Schema};

mod note {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "notes")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub text: String,
        pub price: Decimal,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// `Decimal` and `Value` are SeaORM's, and so are `Expr` and `ColumnDef`.
fn price() -> (Decimal, Value) {
    (Decimal::new(1050, 2), Value::from(1))
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "notes", columns = "snake_case")]
struct Note {
    #[column(primary_key, identity)]
    id: i64,
    text: String,
    #[column(precision = 18, scale = 2)]
    price: isogloss::expr::Decimal,
}

#[tokio::test]
async fn sea_orm_writes_and_isogloss_reads() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("notes.db");
    let db: DatabaseConnection = Database::connect(format!("sqlite://{}?mode=rwc", file.display())).await?;
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(note::Entity)).await?;
    let (price, number) = price();
    assert_eq!(number, Value::from(1));
    let new = note::ActiveModel {
        text: ActiveValue::Set("Hi!".into()),
        price: ActiveValue::Set(price),
        ..Default::default()
    };
    let new = new.insert(&db).await?;
    let one = note::Entity::find().filter(note::Column::Id.eq(new.id)).filter(Expr::value(true)).one(&db).await?;
    assert_eq!(one.ok_or("no row")?.text, "Hi!");

    let context = OrmContext::new(Catalog::builder().entity::<Note>().build()?);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", file.display().to_string()))?;
    let session: Session = context.create_session()?;
    let notes = ObjectViewDao::<Note>::new(&session);
    let found = notes.search(expr!(|n: Note| n.price == dec!(10.50))).all().await?;
    assert_eq!(notes.search(prop("Text").eq("Hi!")).all().await?, found);
    assert_eq!(found, [Note { id: new.id, text: "Hi!".into(), price: dec!(10.50) }]);
    Ok(())
}
