//! SeaORM: entities and active models.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, ConnectOptions, ConnectionTrait, Database, DatabaseConnection,
    EntityTrait, FromQueryResult, JoinType, LoaderTrait, QueryFilter, QueryOrder, QuerySelect, RelationTrait,
    Statement, TransactionTrait,
};
use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

macro_rules! order {
    ($module:ident, $table:literal, $($lines:ident)?) => {
        mod $module {
            use sea_orm::entity::prelude::*;

            #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
            #[sea_orm(table_name = $table)]
            pub struct Model {
                #[sea_orm(primary_key, auto_increment = false)]
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
                $(
                    #[sea_orm(has_many = "super::lines::Entity")]
                    $lines,
                )?
            }

            $(impl Related<super::lines::Entity> for Entity {
                fn to() -> RelationDef {
                    Relation::$lines.def()
                }
            })?

            impl ActiveModelBehavior for ActiveModel {}
        }
    };
}

order!(orders, "dao_orders", Lines);
order!(fresh, "dao_fresh",);

mod lines {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "dao_lines")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub order_id: i64,
        pub product_id: i64,
        pub quantity: i32,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {
        #[sea_orm(belongs_to = "super::orders::Entity", from = "Column::OrderId", to = "super::orders::Column::Id")]
        Order,
        #[sea_orm(
            belongs_to = "super::products::Entity",
            from = "Column::ProductId",
            to = "super::products::Column::Id"
        )]
        Product,
    }

    impl Related<super::orders::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Order.def()
        }
    }

    impl Related<super::products::Entity> for Entity {
        fn to() -> RelationDef {
            Relation::Product.def()
        }
    }

    impl ActiveModelBehavior for ActiveModel {}
}

mod products {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "dao_products")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

mod customers {
    use sea_orm::entity::prelude::*;

    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "dao_customers")]
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
    #[sea_orm(table_name = "dao_cities")]
    pub struct Model {
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: i64,
        pub name: String,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

#[derive(FromQueryResult)]
#[allow(dead_code, reason = "what is measured is the reading")]
struct View {
    #[sea_orm(nested)]
    order: orders::Model,
    customer_name: Option<String>,
    city_name: Option<String>,
}

pub struct SeaOrm(DatabaseConnection);

fn model(item: Item) -> fresh::ActiveModel {
    let Item { id, customer_id, code, quantity, amount, paid, created, note } = item;
    fresh::ActiveModel {
        id: Set(id),
        customer_id: Set(customer_id),
        code: Set(code),
        quantity: Set(quantity),
        amount: Set(amount),
        paid: Set(paid),
        created: Set(created),
        note: Set(note),
    }
}

impl SeaOrm {
    pub async fn open(url: &str) -> Outcome<Self> {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(1)
            .min_connections(1)
            .test_before_acquire(false)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(|options| {
                options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Normal)
            });
        Ok(Self(Database::connect(options).await?))
    }

    async fn page(&self, page: i64) -> Outcome<i64> {
        let found = orders::Entity::find()
            .join(JoinType::LeftJoin, orders::Relation::Customer.def())
            .join(JoinType::LeftJoin, customers::Relation::City.def())
            .column_as(customers::Column::Name, "customer_name")
            .column_as(cities::Column::Name, "city_name")
            .filter(orders::Column::Quantity.gte(i32::try_from(page)? % 900))
            .filter(orders::Column::Amount.gt(10.0))
            .order_by_asc(orders::Column::Quantity)
            .order_by_asc(orders::Column::Id)
            .limit(PAGE as u64)
            .offset(40)
            .into_model::<View>()
            .all(&self.0)
            .await?;
        Ok(found.len() as i64)
    }

    /// By its loader, level by level.
    async fn related(&self, from: i64, count: i64, products: bool) -> Outcome<i64> {
        let found = orders::Entity::find()
            .filter(orders::Column::Id.gte(from))
            .filter(orders::Column::Id.lt(from + count))
            .order_by_asc(orders::Column::Id)
            .all(&self.0)
            .await?;
        let lines = found.load_many(lines::Entity::find().order_by_asc(lines::Column::Id), &self.0).await?;
        let rows = lines.iter().map(|lines| lines.len() as i64).sum();
        if products {
            // The loader takes a list of rows: those of all orders are put into one.
            let lines: Vec<lines::Model> = lines.into_iter().flatten().collect();
            let products = lines.load_one(products::Entity, &self.0).await?;
            let lines: Vec<(lines::Model, Option<products::Model>)> = lines.into_iter().zip(products).collect();
            return Ok(lines.len() as i64);
        }
        Ok(rows)
    }

    async fn work(&self, workload: Workload) -> Outcome<Option<(Duration, i64)>> {
        let models: Vec<fresh::ActiveModel> = match workload {
            Workload::Insert => (0..WRITES).map(item).map(model).collect(),
            Workload::Update | Workload::Upsert => (0..WRITES).map(changed).map(model).collect(),
            _ => Vec::new(),
        };
        let begun = Instant::now();
        let rows = match workload {
            Workload::Get => {
                for key in keys(GETS) {
                    orders::Entity::find_by_id(key).one(&self.0).await?.ok_or("no row")?;
                }
                GETS
            }
            Workload::Page => {
                let mut rows = 0;
                for page in 0..PAGES {
                    rows += self.page(page).await?;
                }
                rows
            }
            Workload::Insert => fresh::Entity::insert_many(models).exec_without_returning(&self.0).await? as i64,
            Workload::Numbered => return Ok(None),
            Workload::Update => {
                let transaction = self.0.begin().await?;
                for model in models {
                    model.update(&transaction).await?;
                }
                transaction.commit().await?;
                WRITES
            }
            Workload::Upsert => {
                use fresh::Column as C;
                let columns = [C::CustomerId, C::Code, C::Quantity, C::Amount, C::Paid, C::Created, C::Note];
                let conflict = OnConflict::column(C::Id).update_columns(columns).to_owned();
                fresh::Entity::insert_many(models).on_conflict(conflict).exec_without_returning(&self.0).await? as i64
            }
            Workload::Stream => {
                let mut rows = pin!(orders::Entity::find().stream(&self.0).await?);
                let mut count = 0;
                while let Some(row) = rows.try_next().await? {
                    count += i64::from(row.id >= 0);
                }
                count
            }
            Workload::Lines => self.related(0, PARENTS, false).await?,
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    rows += self.related(first(page), PAGE, true).await?;
                }
                rows
            }
        };
        Ok(Some((begun.elapsed(), rows)))
    }
}

impl Contestant<Workload> for SeaOrm {
    fn name(&self) -> String {
        "SeaORM 2.0".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move {
            let text = format!("SELECT {expression}");
            let row = self.0.query_one_raw(Statement::from_string(self.0.get_database_backend(), text)).await?;
            Ok(vec![row.ok_or("no row")?.try_get_by_index(0)?])
        })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(self.work(workload))
    }
}
