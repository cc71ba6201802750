//! SeaORM, as its documents show it.

use std::pin::pin;

use chrono::NaiveDateTime;
use futures_util::TryStreamExt as _;
use sea_orm::{
    ActiveValue::{NotSet, Set},
    ColumnTrait as _, ConnectOptions, Database, DatabaseConnection, EntityTrait as _, FromQueryResult, JoinType,
    PaginatorTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, RelationTrait as _,
};
use serde::Serialize;
use served::handlers::{Array, Asked, NewOrder, Page, Store};
use served::{Outcome, POOL, data};
use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};

mod orders {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel, serde::Serialize)]
    #[sea_orm(table_name = "web_orders")]
    #[serde(rename_all = "camelCase")]
    pub struct Model {
        #[sea_orm(primary_key)]
        pub id: i64,
        pub customer_id: i64,
        pub code: String,
        pub quantity: i32,
        pub amount: f64,
        pub paid: bool,
        pub created: DateTime,
        pub note: Option<String>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(
            belongs_to = "super::customers::Entity",
            from = "Column::CustomerId",
            to = "super::customers::Column::Id"
        )]
        Customer,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

mod customers {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "web_customers")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub name: String,
        pub city_id: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::cities::Entity", from = "Column::CityId", to = "super::cities::Column::Id")]
        City,
    }

    impl ActiveModelBehavior for ActiveModel {}
}

mod cities {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "web_cities")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[derive(FromQueryResult, Serialize)]
#[serde(rename_all = "camelCase")]
struct OrderView {
    id: i64,
    customer_id: i64,
    code: String,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<String>,
    customer_name: Option<String>,
    city_name: Option<String>,
}

pub struct SeaOrm(DatabaseConnection);

impl SeaOrm {
    pub async fn open(url: &str) -> Outcome<Self> {
        let (size, mut options) = (u32::try_from(POOL)?, ConnectOptions::new(url));
        options
            .max_connections(size)
            .min_connections(size)
            .test_before_acquire(false)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(|options| {
                options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Normal)
            });
        Ok(Self(Database::connect(options).await?))
    }
}

impl Store for SeaOrm {
    async fn get(&self, id: i64) -> Outcome<Vec<u8>> {
        Ok(serde_json::to_vec(&orders::Entity::find_by_id(id).one(&self.0).await?)?)
    }

    async fn page(&self, asked: Asked, counted: bool) -> Outcome<Vec<u8>> {
        let Asked { customer_id, amount, skip, take } = asked;
        let found = orders::Entity::find()
            .filter(orders::Column::CustomerId.eq(customer_id))
            .filter(orders::Column::Amount.gt(amount));
        let total = match counted {
            true => Some(i64::try_from(found.clone().count(&self.0).await?)?),
            false => None,
        };
        let items = found
            .join(JoinType::LeftJoin, orders::Relation::Customer.def())
            .join(JoinType::LeftJoin, customers::Relation::City.def())
            .column_as(customers::Column::Name, "customer_name")
            .column_as(cities::Column::Name, "city_name")
            .order_by_asc(orders::Column::Quantity)
            .order_by_asc(orders::Column::Id)
            .limit(u64::try_from(take)?)
            .offset(u64::try_from(skip)?)
            .into_model::<OrderView>()
            .all(&self.0)
            .await?;
        Ok(serde_json::to_vec(&Page { skip, take, total, items })?)
    }

    async fn list(&self) -> Outcome<Vec<u8>> {
        let listed = orders::Entity::find().order_by_asc(orders::Column::Id).limit(data::LISTED.unsigned_abs());
        let mut rows = pin!(listed.stream(&self.0).await?);
        let mut array = Array::default();
        while let Some(order) = rows.try_next().await? {
            array.push(&order)?;
        }
        Ok(array.finish())
    }

    async fn insert(&self, order: NewOrder) -> Outcome<i64> {
        let order = orders::ActiveModel {
            id: NotSet,
            customer_id: Set(order.customer_id),
            code: Set(order.code),
            quantity: Set(order.quantity),
            amount: Set(order.amount),
            paid: Set(order.paid),
            created: Set(order.created),
            note: Set(order.note),
        };
        Ok(orders::Entity::insert(order).exec(&self.0).await?.last_insert_id)
    }
}
