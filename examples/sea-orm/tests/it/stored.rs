//! What SeaORM has written is found by equality and by order, in SQLite always and in PostgreSQL where
//! `ISOGLOSS_POSTGRES_URL` names servers.

use isogloss_compiler::expr::{DbValueType as T, LogicExpr, ValueOps, constant, prop};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::{Compiler, Request};
use isogloss_sqlite::{Sqlite, Storage};
use sea_orm::entity::prelude::*;
use sea_orm::prelude::Decimal;
use sea_orm::{ActiveValue, ConnectionTrait, Database, QueryOrder, QuerySelect, Schema, TransactionTrait};

mod deal {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "deals")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub token: Uuid,
        pub at: DateTimeUtc,
        pub other: DateTime,
        pub day: Date,
        pub price: Decimal,
        pub paid: bool,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[tokio::test]
async fn rows_of_sea_orm_in_sqlite() {
    let db = Database::connect("sqlite::memory:").await.unwrap();
    db.execute(&Schema::new(db.get_database_backend()).create_table_from_entity(deal::Entity)).await.unwrap();
    let at = |text: &str| text.parse::<DateTimeUtc>().unwrap();
    let times =
        ["2026-01-02T09:59:59.999999Z", "2026-01-02T10:00:00Z", "2026-01-02T10:00:00.5Z", "2026-01-02T10:00:01Z"];
    for (id, time) in (1..).zip(times) {
        let deal = deal::ActiveModel {
            id: ActiveValue::set(id),
            token: ActiveValue::set(Uuid::from_u128(7 * id as u128)),
            at: ActiveValue::set(at(time)),
            other: ActiveValue::set(at(time).naive_utc()),
            day: ActiveValue::set(at(time).date_naive()),
            price: ActiveValue::set(Decimal::new(1005 * i64::from(id), 2)),
            paid: ActiveValue::set(id % 2 == 0),
        };
        deal.insert(&db).await.unwrap();
    }
    let deals = TableDef::new("Deal")
        .table("deals")
        .column(ColumnDef::new("Id", T::Int32).column("id").primary_key())
        .column(ColumnDef::new("Token", T::Guid).column("token"))
        .column(ColumnDef::new("At", T::DateTimeOffset).column("at"))
        .column(ColumnDef::new("Other", T::DateTime2).column("other"))
        .column(ColumnDef::new("Day", T::Date).column("day"))
        .column(ColumnDef::new("Price", T::Decimal).column("price"))
        .column(ColumnDef::new("Paid", T::Boolean).column("paid"));
    let compiler = Compiler::new(Catalog::builder().table(deals).build().unwrap());
    let target = compiler.target(&Sqlite::V3_45.stored_by(Storage::Sqlx));
    let (ten, id) = (at(times[1]).fixed_offset(), Uuid::from_u128(14));
    let price: isogloss_compiler::expr::Decimal = "20.10".parse().unwrap();
    let request = Request::of("Deal");
    let condition =
        |filter: &LogicExpr| isogloss_sqlite::sea_query::condition(&target, filter, &request, Some("deals"));
    for (filter, ids) in [
        (prop("At").eq(ten), vec![2]),
        (prop("At").eq(constant(ten)), vec![2]),
        (prop("At").gt(ten), vec![3, 4]),
        (prop("At").le(ten), vec![1, 2]),
        (prop("At").in_list([ten, ten]), vec![2]),
        (prop("Other").eq(ten.naive_utc()), vec![2]),
        (prop("Other").gt(ten.naive_utc()), vec![3, 4]),
        (prop("Day").eq(ten.date_naive()), vec![1, 2, 3, 4]),
        (prop("Token").eq(id), vec![2]),
        (prop("Token").gt(id), vec![3, 4]),
        (prop("Token").in_list([id, id]), vec![2]),
        (prop("Token").in_list(vec![id; 100]), vec![2]),
        (prop("Price").eq(price), vec![2]),
        (prop("Price").gt(price), vec![3, 4]),
        (prop("Paid").eq(true), vec![2, 4]),
    ] {
        let found = deal::Entity::find().filter(condition(&filter).unwrap()).order_by_asc(deal::Column::Id);
        let found: Vec<i32> = found.all(&db).await.unwrap().into_iter().map(|deal| deal.id).collect();
        assert_eq!(found, ids, "{filter:?}");
    }
    let long: isogloss_compiler::expr::Decimal = "12345678901234567.89".parse().unwrap();
    let error = condition(&prop("Price").eq(long)).unwrap_err();
    assert!(error.to_string().contains("15 digits"), "{error}");
    // A target that does not say who writes the rows.
    let target = compiler.target(&Sqlite::V3_45);
    for filter in [prop("At").eq(ten), prop("Token").in_list([id])] {
        let error = isogloss_sqlite::sea_query::condition(&target, &filter, &request, Some("deals")).unwrap_err();
        assert!(error.to_string().contains("stored_by"), "{error}");
    }
}

mod mood {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "isogloss_moods")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i32,
        pub mood: String,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// sea-query binds a text as `text`, with which an enum has no comparison, and `citext` another one.
#[tokio::test]
async fn texts_of_postgres_own_types() {
    let urls = std::env::var("ISOGLOSS_POSTGRES_URL").unwrap_or_default();
    for url in urls.split_whitespace() {
        let db = Database::connect(url).await.unwrap();
        // It is never committed.
        let db = db.begin().await.unwrap();
        db.execute_unprepared(
            "CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE isogloss_mood AS ENUM ('sad', 'happy');
            CREATE TEMP TABLE isogloss_moods (id int, mood isogloss_mood, name citext, code char(5));
            INSERT INTO isogloss_moods VALUES (1, 'sad', 'Ann', 'a'), (2, 'happy', 'O''Bob\\', 'b'), (3, NULL, NULL, NULL)",
        )
        .await
        .unwrap();
        let text = |name: &'static str| ColumnDef::new(name, T::String).column(name.to_lowercase()).nullable();
        let moods = TableDef::new("Mood")
            .table("isogloss_moods")
            .column(ColumnDef::new("Id", T::Int32).column("id").primary_key())
            .column(text("Mood"))
            .column(text("Name"))
            .column(text("Code"));
        let compiler = Compiler::new(Catalog::builder().table(moods).build().unwrap());
        let target = compiler.target(&isogloss_postgres::Postgres::V15);
        for (filter, ids) in [
            (prop("Mood").eq("happy"), vec![2]),
            (prop("Mood").gt("sad"), vec![2]),
            (prop("Mood").in_list(["happy", "sad"]), vec![1, 2]),
            (prop("Mood").in_list(vec!["happy"; 100]), vec![2]),
            (prop("Name").eq("ANN"), vec![1]),
            (prop("Name").eq(r"o'bob\"), vec![2]),
            (prop("Name").starts_with(r"O'B"), vec![2]),
            (prop("Name").in_list(["ANN", r"o'bob\"]), vec![1, 2]),
            (prop("Name").in_list(vec![r"o'bob\"; 100]), vec![2]),
            (prop("Code").eq("a"), vec![1]),
        ] {
            let request = Request::of("Mood");
            let condition =
                isogloss_postgres::sea_query::condition(&target, &filter, &request, Some("isogloss_moods")).unwrap();
            let found = mood::Entity::find().select_only().column(mood::Column::Id).filter(condition);
            let found: Vec<i32> = found.order_by_asc(mood::Column::Id).into_tuple().all(&db).await.unwrap();
            assert_eq!(found, ids, "{filter:?}");
        }
    }
}
