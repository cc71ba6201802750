//! rusqlite, as its documents show it: cached statements, rows into a struct.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use rusqlite::{Connection, Row, params};
use tokio::sync::Semaphore;
use workload::settings::PRAGMAS;
use workload::{BULK, BoxFuture, Contestant, INSERTS, Item, LOOKUPS, Outcome, POOL, TASKS, Workload, item, keys};

const ROWS: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items";
const KEY: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?";
const INSERT: &str =
    "INSERT INTO fresh (id, name, email, quantity, price, active, created, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

pub struct Rusqlite {
    connection: Connection,
    connections: Arc<Mutex<Vec<Connection>>>,
    free: Arc<Semaphore>,
}

fn open(path: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch(PRAGMAS)?;
    Ok(connection)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        id: row.get(0)?,
        name: row.get(1)?,
        email: row.get(2)?,
        quantity: row.get(3)?,
        price: row.get(4)?,
        active: row.get(5)?,
        created: row.get(6)?,
        note: row.get(7)?,
    })
}

impl Rusqlite {
    pub fn open(path: &str) -> Outcome<Self> {
        let connections = (0..POOL).map(|_| open(path)).collect::<Result<_, _>>()?;
        let (connections, free) = (Arc::new(Mutex::new(connections)), Arc::new(Semaphore::new(POOL)));
        Ok(Self { connection: open(path)?, connections, free })
    }

    fn insert(&mut self, count: i64) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..count).map(item).collect();
        let begun = Instant::now();
        let transaction = self.connection.transaction()?;
        for i in &items {
            transaction
                .prepare_cached(INSERT)?
                .execute(params![i.id, i.name, i.email, i.quantity, i.price, i.active, i.created, i.note])?;
        }
        transaction.commit()?;
        Ok((begun.elapsed(), count))
    }

    /// Each look-up is a task that runs it on its own thread: the least that a pool can do.
    async fn concurrent(&mut self) -> Outcome<(Duration, i64)> {
        let begun = Instant::now();
        let tasks = keys(TASKS).map(|key| {
            let (connections, free) = (Arc::clone(&self.connections), Arc::clone(&self.free));
            tokio::spawn(async move {
                let _permit = free.acquire().await.map_err(|e| e.to_string())?;
                let taken = connections.lock().map_err(|e| e.to_string())?.pop();
                let Some(connection) = taken else { return Err("no connection".to_owned()) };
                let row = connection.prepare_cached(KEY).and_then(|mut statement| statement.query_row([key], read));
                connections.lock().map_err(|e| e.to_string())?.push(connection);
                row.map_err(|e| e.to_string())
            })
        });
        let found = try_join_all(tasks.collect::<Vec<_>>()).await?;
        let found = found.into_iter().collect::<Result<Vec<Item>, String>>()?;
        Ok((begun.elapsed(), found.len() as i64))
    }
}

impl Contestant for Rusqlite {
    fn name(&self) -> String {
        "rusqlite".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move {
            let text = format!("SELECT {expression}");
            let pooled = self.connections.lock().map_err(|e| e.to_string())?;
            let all = pooled.iter().chain([&self.connection]);
            Ok(all.map(|connection| connection.query_row(&text, [], |row| row.get(0))).collect::<Result<_, _>>()?)
        })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let begun = Instant::now();
            Ok(Some(match workload {
                Workload::Rows => {
                    let mut statement = self.connection.prepare_cached(ROWS)?;
                    let rows: Vec<Item> = statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
                    (begun.elapsed(), rows.len() as i64)
                }
                Workload::Key => {
                    for key in keys(LOOKUPS) {
                        self.connection.prepare_cached(KEY)?.query_row([key], read)?;
                    }
                    (begun.elapsed(), LOOKUPS)
                }
                Workload::Insert => self.insert(INSERTS)?,
                Workload::Bulk => self.insert(BULK)?,
                Workload::Concurrent => self.concurrent().await?,
            }))
        })
    }
}
