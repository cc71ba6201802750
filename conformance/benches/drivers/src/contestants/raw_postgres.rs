//! tokio-postgres, as its documents show it: prepared statements, rows into a struct, COPY in binary.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use tokio::sync::Semaphore;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};
use workload::{BULK, BoxFuture, Contestant, INSERTS, Item, LOOKUPS, Outcome, POOL, TASKS, Workload, item, keys};

const ROWS: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items";
const KEY: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = $1";
const INSERT: &str = "INSERT INTO fresh (id, name, email, quantity, price, active, created, note) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const COPY: &str = "COPY fresh (id, name, email, quantity, price, active, created, note) FROM STDIN BINARY";
const TYPES: [Type; 8] =
    [Type::INT8, Type::VARCHAR, Type::VARCHAR, Type::INT4, Type::FLOAT8, Type::BOOL, Type::TIMESTAMP, Type::VARCHAR];

pub struct TokioPostgres {
    clients: Arc<Mutex<Vec<(Client, Statement)>>>,
    free: Arc<Semaphore>,
    client: Client,
    rows: Statement,
    key: Statement,
    insert: Statement,
}

async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

fn read(row: &Row) -> Item {
    Item {
        id: row.get(0),
        name: row.get(1),
        email: row.get(2),
        quantity: row.get(3),
        price: row.get(4),
        active: row.get(5),
        created: row.get(6),
        note: row.get(7),
    }
}

fn values(i: &Item) -> [&(dyn ToSql + Sync); 8] {
    [&i.id, &i.name, &i.email, &i.quantity, &i.price, &i.active, &i.created, &i.note]
}

impl TokioPostgres {
    pub async fn open(url: &str) -> Outcome<Self> {
        let client = connect(url).await?;
        let mut clients = Vec::new();
        for _ in 0..POOL {
            let client = connect(url).await?;
            let statement = client.prepare(KEY).await?;
            clients.push((client, statement));
        }
        let (rows, key, insert) =
            (client.prepare(ROWS).await?, client.prepare(KEY).await?, client.prepare(INSERT).await?);
        let (clients, free) = (Arc::new(Mutex::new(clients)), Arc::new(Semaphore::new(POOL)));
        Ok(Self { clients, free, client, rows, key, insert })
    }

    /// Pipelined, a hundred at a time, as its documents advise.
    async fn insert(&mut self) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..INSERTS).map(item).collect();
        let begun = Instant::now();
        let transaction = self.client.transaction().await?;
        let mut written = 0;
        for items in items.chunks(100) {
            let (transaction, insert) = (&transaction, &self.insert);
            let all = items.iter().map(|i| async move { transaction.execute(insert, &values(i)).await });
            written += try_join_all(all).await?.into_iter().sum::<u64>();
        }
        transaction.commit().await?;
        Ok((begun.elapsed(), written as i64))
    }

    async fn bulk(&self) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..BULK).map(item).collect();
        let begun = Instant::now();
        let sink = self.client.copy_in(COPY).await?;
        let mut writer = pin!(BinaryCopyInWriter::new(sink, &TYPES));
        for i in &items {
            writer.as_mut().write(&values(i)).await?;
        }
        let written = writer.finish().await?;
        Ok((begun.elapsed(), written as i64))
    }

    async fn concurrent(&self) -> Outcome<(Duration, i64)> {
        let begun = Instant::now();
        let tasks = keys(TASKS).map(|key| {
            let (clients, free) = (Arc::clone(&self.clients), Arc::clone(&self.free));
            tokio::spawn(async move {
                let _permit = free.acquire().await.map_err(|e| e.to_string())?;
                let taken = clients.lock().map_err(|e| e.to_string())?.pop();
                let Some((client, statement)) = taken else { return Err("no client".into()) };
                let row = client.query_one(&statement, &[&key]).await.map(|row| read(&row)).map_err(|e| e.to_string());
                clients.lock().map_err(|e| e.to_string())?.push((client, statement));
                row
            })
        });
        let found = try_join_all(tasks.collect::<Vec<_>>()).await?;
        let found = found.into_iter().collect::<Result<Vec<Item>, String>>()?;
        Ok((begun.elapsed(), found.len() as i64))
    }
}

impl Contestant for TokioPostgres {
    fn name(&self) -> String {
        "tokio-postgres".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move {
            let text = format!("SELECT {expression}");
            let pooled = std::mem::take(&mut *self.clients.lock().map_err(|e| e.to_string())?);
            let mut answers = vec![self.client.query_one(&*text, &[]).await?.get(0)];
            for (client, _) in &pooled {
                answers.push(client.query_one(&*text, &[]).await?.get(0));
            }
            *self.clients.lock().map_err(|e| e.to_string())? = pooled;
            Ok(answers)
        })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let begun = Instant::now();
            Ok(Some(match workload {
                Workload::Rows => {
                    let rows: Vec<Item> = self.client.query(&self.rows, &[]).await?.iter().map(read).collect();
                    (begun.elapsed(), rows.len() as i64)
                }
                Workload::Key => {
                    for key in keys(LOOKUPS) {
                        read(&self.client.query_one(&self.key, &[&key]).await?);
                    }
                    (begun.elapsed(), LOOKUPS)
                }
                Workload::Insert => self.insert().await?,
                Workload::Bulk => self.bulk().await?,
                Workload::Concurrent => self.concurrent().await?,
            }))
        })
    }
}
