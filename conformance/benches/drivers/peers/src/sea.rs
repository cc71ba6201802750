//! SeaORM: entities and active models.

use std::time::{Duration, Instant};

use sea_orm::{
    ActiveValue::Set, ConnectOptions, ConnectionTrait, Database, DatabaseConnection, EntityTrait, Statement,
    TransactionTrait,
};
use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use workload::{BULK, BoxFuture, Contestant, INSERTS, LOOKUPS, Outcome, POOL, TASKS, Workload, keys};

macro_rules! entity {
    ($module:ident, $table:literal) => {
        mod $module {
            use sea_orm::entity::prelude::*;

            #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
            #[sea_orm(table_name = $table)]
            pub struct Model {
                #[sea_orm(primary_key, auto_increment = false)]
                pub id: i64,
                pub name: String,
                pub email: String,
                pub quantity: i32,
                pub price: f64,
                pub active: bool,
                pub created: DateTime,
                pub note: Option<String>,
            }

            #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
            pub enum Relation {}

            impl ActiveModelBehavior for ActiveModel {}
        }
    };
}

entity!(items, "items");
entity!(fresh, "fresh");

pub struct SeaOrm(DatabaseConnection);

fn model(id: i64) -> fresh::ActiveModel {
    let workload::Item { id, name, email, quantity, price, active, created, note } = workload::item(id);
    fresh::ActiveModel {
        id: Set(id),
        name: Set(name),
        email: Set(email),
        quantity: Set(quantity),
        price: Set(price),
        active: Set(active),
        created: Set(created),
        note: Set(note),
    }
}

impl SeaOrm {
    pub async fn open(url: &str) -> Outcome<Self> {
        let mut options = ConnectOptions::new(url);
        options
            .max_connections(POOL as u32)
            .min_connections(POOL as u32)
            .test_before_acquire(false)
            .sqlx_logging(false)
            .map_sqlx_sqlite_opts(|options| {
                options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Normal)
            });
        Ok(Self(Database::connect(options).await?))
    }

    async fn many(&self, count: i64, rows: usize) -> Outcome<(Duration, i64)> {
        let models: Vec<_> = (0..count).map(model).collect();
        let begun = Instant::now();
        let transaction = self.0.begin().await?;
        let mut models = models.into_iter();
        loop {
            let some: Vec<_> = models.by_ref().take(rows).collect();
            if some.is_empty() {
                break;
            }
            fresh::Entity::insert_many(some).exec_without_returning(&transaction).await?;
        }
        transaction.commit().await?;
        Ok((begun.elapsed(), count))
    }
}

impl Contestant for SeaOrm {
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
        Box::pin(async move {
            let begun = Instant::now();
            Ok(Some(match workload {
                Workload::Rows => {
                    let rows = items::Entity::find().all(&self.0).await?;
                    (begun.elapsed(), rows.len() as i64)
                }
                Workload::Key => {
                    for key in keys(LOOKUPS) {
                        items::Entity::find_by_id(key).one(&self.0).await?.ok_or("no row")?;
                    }
                    (begun.elapsed(), LOOKUPS)
                }
                Workload::Insert => self.many(INSERTS, 1).await?,
                Workload::Bulk => self.many(BULK, 4_000).await?,
                Workload::Concurrent => {
                    let tasks: Vec<_> = keys(TASKS)
                        .map(|key| {
                            let database = self.0.clone();
                            tokio::spawn(async move { items::Entity::find_by_id(key).one(&database).await })
                        })
                        .collect();
                    for task in tasks {
                        task.await??.ok_or("no row")?;
                    }
                    (begun.elapsed(), TASKS)
                }
            }))
        })
    }
}
