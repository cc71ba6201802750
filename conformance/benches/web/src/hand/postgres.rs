//! axum over tokio-postgres, with a pool of connections that each keep their statements.

use std::ops::Deref;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::TryStreamExt as _;
use served::handlers::{Array, Asked, NewOrder, Page, Store};
use served::{Outcome, POOL, data};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::{Order, OrderView};

const GET: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM web_orders WHERE id = $1";
const LIST: &str =
    "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM web_orders ORDER BY id LIMIT $1";
const PAGE: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, c.name, t.name \
    FROM web_orders o LEFT JOIN web_customers c ON o.customer_id = c.id LEFT JOIN web_cities t ON c.city_id = t.id \
    WHERE o.customer_id = $1 AND o.amount > $2 ORDER BY o.quantity, o.id LIMIT $3 OFFSET $4";
const COUNT: &str = "SELECT COUNT(*) FROM web_orders WHERE customer_id = $1 AND amount > $2";
const INSERT: &str = "INSERT INTO web_orders (customer_id, code, quantity, amount, paid, created, note) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";

struct Connection {
    client: Client,
    get: Statement,
    list: Statement,
    page: Statement,
    count: Statement,
    insert: Statement,
}

impl Connection {
    async fn open(url: &str) -> Outcome<Self> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        Ok(Self {
            get: client.prepare(GET).await?,
            list: client.prepare(LIST).await?,
            page: client.prepare(PAGE).await?,
            count: client.prepare(COUNT).await?,
            insert: client.prepare(INSERT).await?,
            client,
        })
    }
}

pub struct Postgres {
    idle: Mutex<Vec<Connection>>,
    free: Semaphore,
}

/// A connection that goes back to its pool.
struct Lent<'p> {
    pool: &'p Postgres,
    connection: Option<Connection>,
    _place: SemaphorePermit<'p>,
}

impl Deref for Lent<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("it is there until it is dropped")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.idle().extend(self.connection.take());
    }
}

impl Postgres {
    pub async fn open(url: &str) -> Outcome<Self> {
        let mut idle = Vec::new();
        for _ in 0..POOL {
            idle.push(Connection::open(url).await?);
        }
        Ok(Self { idle: Mutex::new(idle), free: Semaphore::new(POOL) })
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connection(&self) -> Outcome<Lent<'_>> {
        let place = self.free.acquire().await?;
        let connection = self.idle().pop();
        Ok(Lent { pool: self, connection, _place: place })
    }
}

fn order(row: &Row) -> Order<&str> {
    Order {
        id: row.get(0),
        customer_id: row.get(1),
        code: row.get(2),
        quantity: row.get(3),
        amount: row.get(4),
        paid: row.get(5),
        created: row.get(6),
        note: row.get(7),
    }
}

fn view(row: &Row) -> OrderView<&str> {
    OrderView {
        id: row.get(0),
        customer_id: row.get(1),
        code: row.get(2),
        quantity: row.get(3),
        amount: row.get(4),
        paid: row.get(5),
        created: row.get(6),
        note: row.get(7),
        customer_name: row.get(8),
        city_name: row.get(9),
    }
}

impl Store for Postgres {
    async fn get(&self, id: i64) -> Outcome<Vec<u8>> {
        let c = self.connection().await?;
        let row = c.client.query_opt(&c.get, &[&id]).await?;
        Ok(serde_json::to_vec(&row.as_ref().map(order))?)
    }

    async fn page(&self, asked: Asked, counted: bool) -> Outcome<Vec<u8>> {
        let Asked { customer_id, amount, skip, take } = asked;
        let c = self.connection().await?;
        let total = match counted {
            true => Some(c.client.query_one(&c.count, &[&customer_id, &amount]).await?.get(0)),
            false => None,
        };
        let rows = c.client.query(&c.page, &[&customer_id, &amount, &take, &skip]).await?;
        drop(c);
        Ok(serde_json::to_vec(&Page { skip, take, total, items: rows.iter().map(view).collect() })?)
    }

    async fn list(&self) -> Outcome<Vec<u8>> {
        let c = self.connection().await?;
        let mut rows = pin!(c.client.query_raw(&c.list, [data::LISTED]).await?);
        let mut array = Array::default();
        while let Some(row) = rows.try_next().await? {
            array.push(&order(&row))?;
        }
        Ok(array.finish())
    }

    async fn insert(&self, order: NewOrder) -> Outcome<i64> {
        let NewOrder { customer_id, code, quantity, amount, paid, created, note } = order;
        let c = self.connection().await?;
        let values: [&(dyn ToSql + Sync); 7] = [&customer_id, &code, &quantity, &amount, &paid, &created, &note];
        Ok(c.client.query_one(&c.insert, &values).await?.get(0))
    }
}
