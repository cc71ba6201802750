//! sqlx: text by hand, rows into structs by its derive.

use std::str::FromStr as _;

use chrono::NaiveDateTime;
use futures_util::TryStreamExt as _;
use serde::Serialize;
use served::handlers::{Array, Asked, NewOrder, Page, Store};
use served::{Outcome, POOL, data};
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

#[derive(sqlx::FromRow, Serialize)]
#[serde(rename_all = "camelCase")]
struct Order {
    id: i64,
    customer_id: i64,
    code: String,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<String>,
}

#[derive(sqlx::FromRow, Serialize)]
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

fn on_sqlite(path: &str) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new().filename(path);
    options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Normal)
}

fn on_postgres(url: &str) -> PgConnectOptions {
    PgConnectOptions::from_str(url).expect("the URL of a PostgreSQL server")
}

macro_rules! engine {
    ($name:ident, $database:ty, $options:expr, [$a:literal, $b:literal, $c:literal, $d:literal, $($rest:literal),+]) => {
        pub struct $name(sqlx::Pool<$database>);

        impl $name {
            pub async fn open(url: &str) -> Outcome<Self> {
                let size = u32::try_from(POOL)?;
                let options = sqlx::pool::PoolOptions::<$database>::new().max_connections(size).min_connections(size);
                Ok(Self(options.test_before_acquire(false).connect_with($options(url)).await?))
            }
        }

        impl Store for $name {
            async fn get(&self, id: i64) -> Outcome<Vec<u8>> {
                const GET: &str = concat!(
                    "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM web_orders WHERE id = ",
                    $a
                );
                let order: Option<Order> = sqlx::query_as(GET).bind(id).fetch_optional(&self.0).await?;
                Ok(serde_json::to_vec(&order)?)
            }

            async fn page(&self, asked: Asked, counted: bool) -> Outcome<Vec<u8>> {
                const COUNT: &str =
                    concat!("SELECT COUNT(*) FROM web_orders WHERE customer_id = ", $a, " AND amount > ", $b);
                const PAGE: &str = concat!(
                    "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, ",
                    "c.name AS customer_name, t.name AS city_name FROM web_orders o ",
                    "LEFT JOIN web_customers c ON o.customer_id = c.id LEFT JOIN web_cities t ON c.city_id = t.id ",
                    "WHERE o.customer_id = ",
                    $a,
                    " AND o.amount > ",
                    $b,
                    " ORDER BY o.quantity, o.id LIMIT ",
                    $c,
                    " OFFSET ",
                    $d
                );
                let Asked { customer_id, amount, skip, take } = asked;
                let mut connection = self.0.acquire().await?;
                let total = match counted {
                    true => {
                        let count = sqlx::query_scalar(COUNT).bind(customer_id).bind(amount);
                        Some(count.fetch_one(&mut *connection).await?)
                    }
                    false => None,
                };
                let page = sqlx::query_as::<_, OrderView>(PAGE).bind(customer_id).bind(amount).bind(take).bind(skip);
                let items = page.fetch_all(&mut *connection).await?;
                drop(connection);
                Ok(serde_json::to_vec(&Page { skip, take, total, items })?)
            }

            async fn list(&self) -> Outcome<Vec<u8>> {
                const LIST: &str = concat!(
                    "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM web_orders ",
                    "ORDER BY id LIMIT ",
                    $a
                );
                let mut rows = sqlx::query_as::<_, Order>(LIST).bind(data::LISTED).fetch(&self.0);
                let mut array = Array::default();
                while let Some(order) = rows.try_next().await? {
                    array.push(&order)?;
                }
                Ok(array.finish())
            }

            async fn insert(&self, order: NewOrder) -> Outcome<i64> {
                const INSERT: &str = concat!(
                    "INSERT INTO web_orders (customer_id, code, quantity, amount, paid, created, note) VALUES (",
                    $a, ", ", $b, ", ", $c, ", ", $d $(, ", ", $rest)+,
                    ") RETURNING id"
                );
                let insert = sqlx::query_scalar(INSERT)
                    .bind(order.customer_id)
                    .bind(order.code)
                    .bind(order.quantity)
                    .bind(order.amount)
                    .bind(order.paid)
                    .bind(order.created)
                    .bind(order.note);
                Ok(insert.fetch_one(&self.0).await?)
            }
        }
    };
}

engine!(OnSqlite, sqlx::Sqlite, on_sqlite, ["?", "?", "?", "?", "?", "?", "?"]);
engine!(OnPostgres, sqlx::Postgres, on_postgres, ["$1", "$2", "$3", "$4", "$5", "$6", "$7"]);
