//! sqlx: text by hand, rows into a struct by its derive.

use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use workload::{BULK, BoxFuture, Contestant, INSERTS, LOOKUPS, Outcome, POOL, TASKS, Workload, item, keys};

#[derive(sqlx::FromRow)]
#[allow(dead_code, reason = "what is measured is the reading")]
struct Row {
    id: i64,
    name: String,
    email: String,
    quantity: i32,
    price: f64,
    active: bool,
    created: NaiveDateTime,
    note: Option<String>,
}

macro_rules! engine {
    ($name:ident, $database:ty, $arguments:literal, $key:literal, $rows:expr) => {
        pub struct $name(sqlx::Pool<$database>);

        impl $name {
            pub async fn open(url: &str) -> Outcome<Self> {
                let options = sqlx::pool::PoolOptions::<$database>::new();
                let options = options.max_connections(POOL as u32).min_connections(POOL as u32);
                Ok(Self(options.test_before_acquire(false).connect(url).await?))
            }

            async fn rows(&self) -> Outcome<(Duration, i64)> {
                let mut connection = self.0.acquire().await?;
                let begun = Instant::now();
                let rows: Vec<Row> =
                    sqlx::query_as("SELECT id, name, email, quantity, price, active, created, note FROM items")
                        .fetch_all(&mut *connection)
                        .await?;
                Ok((begun.elapsed(), rows.len() as i64))
            }

            async fn key(&self) -> Outcome<(Duration, i64)> {
                let mut connection = self.0.acquire().await?;
                let begun = Instant::now();
                for key in keys(LOOKUPS) {
                    let _: Row = sqlx::query_as($key).bind(key).fetch_one(&mut *connection).await?;
                }
                Ok((begun.elapsed(), LOOKUPS))
            }

            async fn insert(&self) -> Outcome<(Duration, i64)> {
                let items: Vec<_> = (0..INSERTS).map(item).collect();
                let begun = Instant::now();
                let mut transaction = self.0.begin().await?;
                for i in &items {
                    let text = concat!(
                        "INSERT INTO fresh (id, name, email, quantity, price, active, created, note) VALUES (",
                        $arguments,
                        ")"
                    );
                    sqlx::query(text)
                        .bind(i.id)
                        .bind(&i.name)
                        .bind(&i.email)
                        .bind(i.quantity)
                        .bind(i.price)
                        .bind(i.active)
                        .bind(i.created)
                        .bind(&i.note)
                        .execute(&mut *transaction)
                        .await?;
                }
                transaction.commit().await?;
                Ok((begun.elapsed(), INSERTS))
            }

            /// Statements of many rows, in one transaction.
            async fn bulk(&self) -> Outcome<(Duration, i64)> {
                let items: Vec<_> = (0..BULK).map(item).collect();
                let begun = Instant::now();
                let mut transaction = self.0.begin().await?;
                for items in items.chunks($rows) {
                    let mut builder = sqlx::QueryBuilder::<$database>::new(
                        "INSERT INTO fresh (id, name, email, quantity, price, active, created, note) ",
                    );
                    builder.push_values(items, |mut row, i| {
                        row.push_bind(i.id)
                            .push_bind(&i.name)
                            .push_bind(&i.email)
                            .push_bind(i.quantity)
                            .push_bind(i.price)
                            .push_bind(i.active)
                            .push_bind(i.created)
                            .push_bind(&i.note);
                    });
                    builder.build().execute(&mut *transaction).await?;
                }
                transaction.commit().await?;
                Ok((begun.elapsed(), BULK))
            }

            async fn concurrent(&self) -> Outcome<(Duration, i64)> {
                let begun = Instant::now();
                let tasks: Vec<_> = keys(TASKS)
                    .map(|key| {
                        let pool = self.0.clone();
                        tokio::spawn(async move { sqlx::query_as::<_, Row>($key).bind(key).fetch_one(&pool).await })
                    })
                    .collect();
                for task in tasks {
                    task.await??;
                }
                Ok((begun.elapsed(), TASKS))
            }
        }

        impl Contestant for $name {
            fn name(&self) -> String {
                "sqlx 0.9".into()
            }

            fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
                Box::pin(async move {
                    Ok(Some(match workload {
                        Workload::Rows => self.rows().await?,
                        Workload::Key => self.key().await?,
                        Workload::Insert => self.insert().await?,
                        Workload::Bulk => self.bulk().await?,
                        Workload::Concurrent => self.concurrent().await?,
                    }))
                })
            }
        }
    };
}

engine!(
    OnSqlite,
    sqlx::Sqlite,
    "?, ?, ?, ?, ?, ?, ?, ?",
    "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?",
    4_000
);
engine!(
    OnMysql,
    sqlx::MySql,
    "?, ?, ?, ?, ?, ?, ?, ?",
    "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?",
    4_000
);
engine!(
    OnPostgres,
    sqlx::Postgres,
    "$1, $2, $3, $4, $5, $6, $7, $8",
    "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = $1",
    4_000
);
