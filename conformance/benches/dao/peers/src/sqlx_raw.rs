//! sqlx: text by hand, rows into a struct by its derive.

use std::collections::HashMap;
use std::fmt::Write;
use std::str::FromStr;
use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use futures_util::TryStreamExt;
use sqlx::postgres::{PgConnectOptions, PgPoolCopyExt};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

#[derive(sqlx::FromRow)]
#[allow(dead_code, reason = "what is measured is the reading")]
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

#[derive(sqlx::FromRow)]
#[allow(dead_code, reason = "what is measured is the reading")]
struct View {
    #[sqlx(flatten)]
    order: Order,
    customer_name: Option<String>,
    city_name: Option<String>,
}

const ALL: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders";
const INSERT: &str = "INSERT INTO dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) ";
const CONFLICT: &str = " ON CONFLICT (id) DO UPDATE SET customer_id = excluded.customer_id, code = excluded.code, \
    quantity = excluded.quantity, amount = excluded.amount, paid = excluded.paid, created = excluded.created, \
    note = excluded.note";

macro_rules! page {
    ($a:literal, $b:literal, $c:literal, $d:literal $(, $rest:literal)*) => {
        concat!(
            "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, ",
            "c.name AS customer_name, t.name AS city_name FROM dao_orders o ",
            "LEFT JOIN dao_customers c ON o.customer_id = c.id LEFT JOIN dao_cities t ON c.city_id = t.id ",
            "WHERE o.quantity >= ",
            $a,
            " AND o.amount > ",
            $b,
            " ORDER BY o.quantity, o.id LIMIT ",
            $c,
            " OFFSET ",
            $d
        )
    };
}

macro_rules! update {
    ($a:literal, $b:literal, $c:literal, $d:literal, $e:literal, $f:literal, $g:literal, $h:literal) => {
        concat!(
            "UPDATE dao_fresh SET customer_id = ",
            $a,
            ", code = ",
            $b,
            ", quantity = ",
            $c,
            ", amount = ",
            $d,
            ", paid = ",
            $e,
            ", created = ",
            $f,
            ", note = ",
            $g,
            " WHERE id = ",
            $h
        )
    };
}

#[derive(sqlx::FromRow)]
#[allow(dead_code, reason = "what is measured is the reading")]
struct Line {
    id: i64,
    order_id: i64,
    product_id: i64,
    quantity: i32,
    #[sqlx(skip)]
    product: Option<Product>,
}

#[derive(Clone, sqlx::FromRow)]
#[allow(dead_code, reason = "what is measured is the reading")]
struct Product {
    id: i64,
    name: String,
}

/// As the others have it: sqlx would leave the journal as it is, and wait for the disk at each COMMIT.
fn on_sqlite(url: &str) -> sqlx::Result<SqliteConnectOptions> {
    let options = SqliteConnectOptions::from_str(url)?;
    Ok(options.journal_mode(SqliteJournalMode::Wal).synchronous(SqliteSynchronous::Normal))
}

/// COPY, as text. The values hold nothing that would need an escape there.
async fn copy(pool: &sqlx::PgPool, items: &[Item]) -> Outcome<i64> {
    let sql = "COPY dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) FROM STDIN";
    let mut into = pool.copy_in_raw(sql).await?;
    let mut text = String::new();
    for i in items {
        let note = i.note.as_deref().unwrap_or("\\N");
        let created = i.created.format("%Y-%m-%d %H:%M:%S%.6f");
        let (id, customer_id, code, quantity, amount, paid) =
            (i.id, i.customer_id, &i.code, i.quantity, i.amount, i.paid);
        writeln!(text, "{id}\t{customer_id}\t{code}\t{quantity}\t{amount}\t{paid}\t{created}\t{note}")?;
    }
    into.send(text.as_bytes()).await?;
    Ok(into.finish().await? as i64)
}

/// One statement of all rows: SQLite has no COPY.
async fn rows(pool: &sqlx::SqlitePool, items: &[Item]) -> Outcome<i64> {
    OnSqlite::insert(pool, items, "").await
}

macro_rules! engine {
    ($name:ident, $database:ty, $options:expr, $insert:expr, $one:literal, [$($p:literal),+]) => {
        pub struct $name(sqlx::Pool<$database>);

        impl $name {
            pub async fn open(url: &str) -> Outcome<Self> {
                let options = sqlx::pool::PoolOptions::<$database>::new().max_connections(1).min_connections(1);
                Ok(Self(options.test_before_acquire(false).connect_with($options(url)?).await?))
            }

            async fn get(&self) -> Outcome<i64> {
                const KEY: &str = concat!(
                    "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders WHERE id = ",
                    $one
                );
                for key in keys(GETS) {
                    let _: Order = sqlx::query_as(KEY).bind(key).fetch_one(&self.0).await?;
                }
                Ok(GETS)
            }

            async fn page(&self) -> Outcome<i64> {
                let mut rows = 0;
                for page in 0..PAGES {
                    let quantity = i32::try_from(page)? % 900;
                    let found: Vec<View> = sqlx::query_as(page!($($p),+))
                        .bind(quantity)
                        .bind(10.0_f64)
                        .bind(PAGE)
                        .bind(40_i64)
                        .fetch_all(&self.0)
                        .await?;
                    rows += found.len() as i64;
                }
                Ok(rows)
            }

            /// One statement of all rows.
            async fn insert(pool: &sqlx::Pool<$database>, items: &[Item], behind: &'static str) -> Outcome<i64> {
                let mut builder = sqlx::QueryBuilder::<$database>::new(INSERT);
                builder.push_values(items, |mut row, i| {
                    row.push_bind(i.id)
                        .push_bind(i.customer_id)
                        .push_bind(&i.code)
                        .push_bind(i.quantity)
                        .push_bind(i.amount)
                        .push_bind(i.paid)
                        .push_bind(i.created)
                        .push_bind(&i.note);
                });
                builder.push(behind);
                Ok(builder.build().execute(pool).await?.rows_affected() as i64)
            }

            /// Rows of some keys.
            async fn among<T>(&self, sql: &'static str, keys: &[i64]) -> sqlx::Result<Vec<T>>
            where
                T: Send + Unpin + for<'r> sqlx::FromRow<'r, <$database as sqlx::Database>::Row>,
            {
                let mut builder = sqlx::QueryBuilder::<$database>::new(sql);
                let mut list = builder.separated(", ");
                for key in keys {
                    list.push_bind(*key);
                }
                list.push_unseparated(") ORDER BY id");
                builder.build_query_as().fetch_all(&self.0).await
            }

            async fn related(&self, from: i64, count: i64, products: bool) -> Outcome<i64> {
                let mut builder = sqlx::QueryBuilder::<$database>::new(ALL);
                builder.push(" WHERE id >= ").push_bind(from).push(" AND id < ").push_bind(from + count);
                builder.push(" ORDER BY id");
                let orders: Vec<Order> = builder.build_query_as().fetch_all(&self.0).await?;
                let keys: Vec<i64> = orders.iter().map(|order| order.id).collect();
                let sql = "SELECT id, order_id, product_id, quantity FROM dao_lines WHERE order_id IN (";
                let mut lines: Vec<Line> = self.among(sql, &keys).await?;
                if products {
                    let mut keys: Vec<i64> = lines.iter().map(|line| line.product_id).collect();
                    keys.sort_unstable();
                    keys.dedup();
                    let sql = "SELECT id, name FROM dao_products WHERE id IN (";
                    let found: Vec<Product> = self.among(sql, &keys).await?;
                    let found: HashMap<i64, Product> = found.into_iter().map(|row| (row.id, row)).collect();
                    for line in &mut lines {
                        line.product = found.get(&line.product_id).cloned();
                    }
                }
                let mut groups: HashMap<i64, Vec<Line>> = HashMap::with_capacity(orders.len());
                for line in lines {
                    groups.entry(line.order_id).or_default().push(line);
                }
                let orders: Vec<(Order, Vec<Line>)> = orders
                    .into_iter()
                    .map(|order| {
                        let lines = groups.remove(&order.id).unwrap_or_default();
                        (order, lines)
                    })
                    .collect();
                Ok(orders.iter().map(|(_, lines)| lines.len() as i64).sum())
            }

            async fn update(&self, items: &[Item]) -> Outcome<i64> {
                let mut transaction = self.0.begin().await?;
                let mut written = 0;
                for i in items {
                    let done = sqlx::query(update!($($p),+))
                        .bind(i.customer_id)
                        .bind(&i.code)
                        .bind(i.quantity)
                        .bind(i.amount)
                        .bind(i.paid)
                        .bind(i.created)
                        .bind(&i.note)
                        .bind(i.id)
                        .execute(&mut *transaction)
                        .await?;
                    written += done.rows_affected() as i64;
                }
                transaction.commit().await?;
                Ok(written)
            }

            async fn work(&self, workload: Workload) -> Outcome<Option<(Duration, i64)>> {
                let items: Vec<Item> = match workload {
                    Workload::Insert => (0..WRITES).map(item).collect(),
                    Workload::Update | Workload::Upsert => (0..WRITES).map(changed).collect(),
                    _ => Vec::new(),
                };
                let begun = Instant::now();
                let rows = match workload {
                    Workload::Get => self.get().await?,
                    Workload::Page => self.page().await?,
                    Workload::Insert => $insert(&self.0, &items).await?,
                    Workload::Numbered => return Ok(None),
                    Workload::Update => self.update(&items).await?,
                    Workload::Upsert => Self::insert(&self.0, &items, CONFLICT).await?,
                    Workload::Stream => {
                        let mut rows = sqlx::query_as::<_, Order>(ALL).fetch(&self.0);
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

        impl Contestant<Workload> for $name {
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
                Box::pin(self.work(workload))
            }
        }
    };
}

engine!(OnSqlite, sqlx::Sqlite, on_sqlite, rows, "?", ["?", "?", "?", "?", "?", "?", "?", "?"]);
engine!(
    OnPostgres,
    sqlx::Postgres,
    PgConnectOptions::from_str,
    copy,
    "$1",
    ["$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8"]
);
