//! axum over rusqlite, with connections on threads of their own: some that read, and one that writes.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OptionalExtension as _, Row, params};
use served::handlers::{Array, Asked, NewOrder, Page, Store};
use served::{Outcome, POOL, data};
use tokio::sync::oneshot;

use super::{Order, OrderView};

const GET: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM web_orders WHERE id = ?";
const LIST: &str =
    "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM web_orders ORDER BY id LIMIT ?";
const PAGE: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, c.name, t.name \
    FROM web_orders o LEFT JOIN web_customers c ON o.customer_id = c.id LEFT JOIN web_cities t ON c.city_id = t.id \
    WHERE o.customer_id = ? AND o.amount > ? ORDER BY o.quantity, o.id LIMIT ? OFFSET ?";
const COUNT: &str = "SELECT COUNT(*) FROM web_orders WHERE customer_id = ? AND amount > ?";
const INSERT: &str = "INSERT INTO web_orders (customer_id, code, quantity, amount, paid, created, note) \
    VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id";

type Job = Box<dyn FnOnce(&Connection) + Send>;

pub struct Sqlite {
    readers: Sender<Job>,
    writer: Sender<Job>,
}

/// Threads with a connection each, which take jobs from one queue.
fn threads(path: &str, count: usize) -> Outcome<Sender<Job>> {
    let (sender, jobs) = channel::<Job>();
    let jobs = Arc::new(Mutex::new(jobs));
    for _ in 0..count {
        let connection = Connection::open(path)?;
        connection.execute_batch(workload::settings::PRAGMAS)?;
        let jobs = Arc::clone(&jobs);
        std::thread::spawn(move || {
            while let Some(job) = next(&jobs) {
                job(&connection);
            }
        });
    }
    Ok(sender)
}

fn next(jobs: &Mutex<Receiver<Job>>) -> Option<Job> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

async fn on<T: Send + 'static>(
    threads: &Sender<Job>,
    work: impl FnOnce(&Connection) -> Outcome<T> + Send + 'static,
) -> Outcome<T> {
    let (sender, done) = oneshot::channel();
    // Nobody may wait for it any more.
    threads
        .send(Box::new(move |connection| drop(sender.send(work(connection)))))
        .map_err(|_| "the threads are gone")?;
    done.await?
}

impl Sqlite {
    pub fn open(path: &str) -> Outcome<Self> {
        Ok(Self { readers: threads(path, POOL)?, writer: threads(path, 1)? })
    }
}

fn text<'r>(row: &'r Row<'_>, index: usize) -> rusqlite::Result<&'r str> {
    Ok(row.get_ref(index)?.as_str()?)
}

fn order<'r>(row: &'r Row<'_>) -> rusqlite::Result<Order<&'r str>> {
    Ok(Order {
        id: row.get(0)?,
        customer_id: row.get(1)?,
        code: text(row, 2)?,
        quantity: row.get(3)?,
        amount: row.get(4)?,
        paid: row.get(5)?,
        created: row.get(6)?,
        note: row.get_ref(7)?.as_str_or_null()?,
    })
}

fn view(row: &Row<'_>) -> rusqlite::Result<OrderView<String>> {
    Ok(OrderView {
        id: row.get(0)?,
        customer_id: row.get(1)?,
        code: row.get(2)?,
        quantity: row.get(3)?,
        amount: row.get(4)?,
        paid: row.get(5)?,
        created: row.get(6)?,
        note: row.get(7)?,
        customer_name: row.get(8)?,
        city_name: row.get(9)?,
    })
}

impl Store for Sqlite {
    async fn get(&self, id: i64) -> Outcome<Vec<u8>> {
        on(&self.readers, move |connection| {
            let mut statement = connection.prepare_cached(GET)?;
            let json = |row: &Row<'_>| Ok(order(row).map(|order| serde_json::to_vec(&order)));
            match statement.query_row([id], json).optional()? {
                Some(text) => Ok(text??),
                None => Ok(b"null".to_vec()),
            }
        })
        .await
    }

    async fn page(&self, asked: Asked, counted: bool) -> Outcome<Vec<u8>> {
        let Asked { customer_id, amount, skip, take } = asked;
        on(&self.readers, move |connection| {
            let total = match counted {
                true => {
                    Some(connection.prepare_cached(COUNT)?.query_row(params![customer_id, amount], |row| row.get(0))?)
                }
                false => None,
            };
            let mut statement = connection.prepare_cached(PAGE)?;
            let rows = statement.query_map(params![customer_id, amount, take, skip], view)?;
            let items = rows.collect::<rusqlite::Result<_>>()?;
            Ok(serde_json::to_vec(&Page { skip, take, total, items })?)
        })
        .await
    }

    async fn list(&self) -> Outcome<Vec<u8>> {
        on(&self.readers, |connection| {
            let mut statement = connection.prepare_cached(LIST)?;
            let mut rows = statement.query([data::LISTED])?;
            let mut array = Array::default();
            while let Some(row) = rows.next()? {
                array.push(&order(row)?)?;
            }
            Ok(array.finish())
        })
        .await
    }

    async fn insert(&self, order: NewOrder) -> Outcome<i64> {
        let NewOrder { customer_id, code, quantity, amount, paid, created, note } = order;
        on(&self.writer, move |connection| {
            let values = params![customer_id, code, quantity, amount, paid, created, note];
            let mut statement = connection.prepare_cached(INSERT)?;
            // To its end: SQLite looks after its log behind a statement that is done, and not behind one that is left.
            let ids: Vec<i64> = statement.query_map(values, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(ids.first().copied().ok_or("nothing was inserted")?)
        })
        .await
    }
}
