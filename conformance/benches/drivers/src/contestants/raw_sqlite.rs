//! rusqlite, as its documents show it: cached statements, rows into a struct.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row, params};
use workload::{BULK, BoxFuture, Contestant, INSERTS, Item, LOOKUPS, Outcome, POOL, TASKS, Workload, item, keys};

const ROWS: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items";
const KEY: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?";
const INSERT: &str = "INSERT INTO fresh (id, name, email, quantity, price, active, created, note) VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

pub struct Rusqlite {
    path: String,
    connection: Connection,
    pool: Vec<Connection>,
}

fn open(path: &str) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")?;
    connection.busy_timeout(Duration::from_secs(5))?;
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
        Ok(Self { path: path.to_owned(), connection: open(path)?, pool: Vec::new() })
    }

    fn insert(&mut self, count: i64) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..count).map(item).collect();
        let begun = Instant::now();
        let transaction = self.connection.transaction()?;
        for i in &items {
            transaction.prepare_cached(INSERT)?.execute(params![
                i.id, i.name, i.email, i.quantity, i.price, i.active, i.created, i.note
            ])?;
        }
        transaction.commit()?;
        Ok((begun.elapsed(), count))
    }

    /// A thread for each connection.
    fn concurrent(&mut self) -> Outcome<(Duration, i64)> {
        while self.pool.len() < POOL {
            self.pool.push(open(&self.path)?);
        }
        let (sender, found) = mpsc::channel();
        let begun = Instant::now();
        std::thread::scope(|scope| {
            for (at, connection) in self.pool.iter_mut().enumerate() {
                let sender = sender.clone();
                scope.spawn(move || {
                    for key in keys(TASKS).skip(at).step_by(POOL) {
                        let row = connection.prepare_cached(KEY).and_then(|mut s| s.query_row([key], read));
                        let _ = sender.send(row.is_ok());
                    }
                });
            }
        });
        let time = begun.elapsed();
        drop(sender);
        Ok((time, found.into_iter().filter(|ok| *ok).count() as i64))
    }
}

impl Contestant for Rusqlite {
    fn name(&self) -> String {
        "rusqlite".into()
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
                Workload::Concurrent => self.concurrent()?,
            }))
        })
    }
}
