//! sqlx: text by hand, rows into a struct by its derive.

use std::fmt::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgPoolCopyExt};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
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

/// As the others have it: sqlx would leave the journal as it is, and wait for the disk at each COMMIT.
fn on_sqlite(url: &str) -> sqlx::Result<SqliteConnectOptions> {
    let options = SqliteConnectOptions::from_str(url)?;
    Ok(options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Normal))
}

/// COPY, as text. The values hold nothing that would need an escape there.
async fn copy(pool: &sqlx::PgPool) -> Outcome<(Duration, i64)> {
    let items: Vec<_> = (0..BULK).map(item).collect();
    let begun = Instant::now();
    let mut into =
        pool.copy_in_raw("COPY fresh (id, name, email, quantity, price, active, created, note) FROM STDIN").await?;
    let mut text = String::new();
    for items in items.chunks(500) {
        text.clear();
        for i in items {
            let note = i.note.as_deref().unwrap_or("\\N");
            let created = i.created.format("%Y-%m-%d %H:%M:%S%.6f");
            let (id, name, email, quantity, price, active) = (i.id, &i.name, &i.email, i.quantity, i.price, i.active);
            writeln!(text, "{id}\t{name}\t{email}\t{quantity}\t{price}\t{active}\t{created}\t{note}")?;
        }
        into.send(text.as_bytes()).await?;
    }
    let written = into.finish().await?;
    Ok((begun.elapsed(), written as i64))
}

macro_rules! engine {
    ($name:ident, $database:ty, $options:expr, $arguments:literal, $key:literal, $bulk:expr) => {
        pub struct $name(sqlx::Pool<$database>);

        impl $name {
            pub async fn open(url: &str) -> Outcome<Self> {
                let options = sqlx::pool::PoolOptions::<$database>::new();
                let options = options.max_connections(POOL as u32).min_connections(POOL as u32);
                Ok(Self(options.test_before_acquire(false).connect_with($options(url)?).await?))
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
            #[allow(dead_code, reason = "PostgreSQL has COPY")]
            async fn many(pool: &sqlx::Pool<$database>) -> Outcome<(Duration, i64)> {
                let items: Vec<_> = (0..BULK).map(item).collect();
                let begun = Instant::now();
                let mut transaction = pool.begin().await?;
                for items in items.chunks(4_000) {
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

            fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
                Box::pin(async move {
                    let text = sqlx::AssertSqlSafe(format!("SELECT {expression}"));
                    Ok(sqlx::query_scalar(text).fetch_all(&self.0).await?)
                })
            }

            fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
                Box::pin(async move {
                    Ok(Some(match workload {
                        Workload::Rows => self.rows().await?,
                        Workload::Key => self.key().await?,
                        Workload::Insert => self.insert().await?,
                        Workload::Bulk => $bulk(&self.0).await?,
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
    on_sqlite,
    "?, ?, ?, ?, ?, ?, ?, ?",
    "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?",
    Self::many
);
engine!(
    OnMysql,
    sqlx::MySql,
    MySqlConnectOptions::from_str,
    "?, ?, ?, ?, ?, ?, ?, ?",
    "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?",
    Self::many
);
engine!(
    OnPostgres,
    sqlx::Postgres,
    PgConnectOptions::from_str,
    "$1, $2, $3, $4, $5, $6, $7, $8",
    "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = $1",
    copy
);
