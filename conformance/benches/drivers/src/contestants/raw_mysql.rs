//! mysql_async, as its documents show it: prepared statements, rows into a tuple, statements of many rows.

use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use futures_util::future::try_join_all;
use mysql_async::prelude::*;
use mysql_async::{Conn, Opts, OptsBuilder, Params, Pool, PoolConstraints, PoolOpts, TxOpts, Value};
use workload::{BULK, BoxFuture, Contestant, INSERTS, Item, LOOKUPS, Outcome, POOL, TASKS, Workload, item, keys};

const ROWS: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items";
const KEY: &str = "SELECT id, name, email, quantity, price, active, created, note FROM items WHERE id = ?";
const INSERT: &str = "INSERT INTO fresh (id, name, email, quantity, price, active, created, note) VALUES ";

/// How many rows a statement of many has: as many as 65,535 parameters allow.
const TOGETHER: usize = 8_000;

pub struct MysqlAsync {
    connection: Conn,
    pool: Pool,
}

type Read = (i64, String, String, i32, f64, bool, NaiveDateTime, Option<String>);

fn read((id, name, email, quantity, price, active, created, note): Read) -> Item {
    Item { id, name, email, quantity, price, active, created, note }
}

fn values(i: &Item) -> Vec<Value> {
    vec![
        i.id.into(),
        i.name.as_str().into(),
        i.email.as_str().into(),
        i.quantity.into(),
        i.price.into(),
        i.active.into(),
        i.created.into(),
        i.note.as_deref().into(),
    ]
}

impl MysqlAsync {
    pub async fn open(url: &str) -> Outcome<Self> {
        let options = Opts::from_url(url)?;
        let constraints = PoolConstraints::new(POOL, POOL).ok_or("no pool")?;
        // No other pool resets a session when it is given back.
        let pool = PoolOpts::new().with_constraints(constraints).with_reset_connection(false);
        let pooled = OptsBuilder::from_opts(options.clone()).pool_opts(pool);
        Ok(Self { connection: Conn::new(options).await?, pool: Pool::new(pooled) })
    }

    async fn insert(&mut self) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..INSERTS).map(item).collect();
        let begun = Instant::now();
        let mut transaction = self.connection.start_transaction(TxOpts::default()).await?;
        let statement = transaction.prep(format!("{INSERT}(?, ?, ?, ?, ?, ?, ?, ?)")).await?;
        let rows = items.iter().map(|i| Params::Positional(values(i)));
        transaction.exec_batch(&statement, rows).await?;
        transaction.commit().await?;
        Ok((begun.elapsed(), INSERTS))
    }

    async fn bulk(&mut self) -> Outcome<(Duration, i64)> {
        let items: Vec<_> = (0..BULK).map(item).collect();
        let begun = Instant::now();
        let mut transaction = self.connection.start_transaction(TxOpts::default()).await?;
        for items in items.chunks(TOGETHER) {
            let text = format!("{INSERT}{}", vec!["(?, ?, ?, ?, ?, ?, ?, ?)"; items.len()].join(", "));
            let values: Vec<Value> = items.iter().flat_map(values).collect();
            transaction.exec_drop(text, Params::Positional(values)).await?;
        }
        transaction.commit().await?;
        Ok((begun.elapsed(), BULK))
    }

    async fn concurrent(&self) -> Outcome<(Duration, i64)> {
        let begun = Instant::now();
        let tasks = keys(TASKS).map(|key| {
            let pool = self.pool.clone();
            tokio::spawn(async move {
                let mut connection = pool.get_conn().await?;
                connection.exec_first::<Read, _, _>(KEY, (key,)).await
            })
        });
        let found = try_join_all(tasks.collect::<Vec<_>>()).await?;
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok((begun.elapsed(), found.into_iter().flatten().map(read).count() as i64))
    }
}

impl Contestant for MysqlAsync {
    fn name(&self) -> String {
        "mysql_async".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move {
            let text = format!("SELECT {expression}");
            let mut answers: Vec<String> = self.connection.query(text.as_str()).await?;
            answers.append(&mut self.pool.get_conn().await?.query(text.as_str()).await?);
            Ok(answers)
        })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let begun = Instant::now();
            Ok(Some(match workload {
                Workload::Rows => {
                    let rows: Vec<Item> = self.connection.exec_map(ROWS, (), read).await?;
                    (begun.elapsed(), rows.len() as i64)
                }
                Workload::Key => {
                    for key in keys(LOOKUPS) {
                        read(self.connection.exec_first(KEY, (key,)).await?.ok_or("no row")?);
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
