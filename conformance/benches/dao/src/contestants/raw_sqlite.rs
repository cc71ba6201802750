//! rusqlite, as its documents show it: cached statements, rows into a struct.

use std::time::{Duration, Instant};

use rusqlite::{Connection, Row, params};

use super::related::{Line, Product, grouped, lines_of, product_keys, put};
use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::settings::PRAGMAS;
use workload::{BoxFuture, Contestant, Outcome};

const ALL: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders";
const KEY: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders WHERE id = ?";
const VIEW: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, c.name, t.name \
    FROM dao_orders o LEFT JOIN dao_customers c ON o.customer_id = c.id LEFT JOIN dao_cities t ON c.city_id = t.id \
    WHERE o.quantity >= ? AND o.amount > ? ORDER BY o.quantity, o.id LIMIT ? OFFSET ?";
const INSERT: &str = "INSERT INTO dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
const NUMBERED: &str = "INSERT INTO dao_numbered (customer_id, code, quantity, amount, paid, created, note) \
    VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id";
const UPDATE: &str = "UPDATE dao_fresh SET customer_id = ?, code = ?, quantity = ?, amount = ?, paid = ?, created = ?, \
    note = ? WHERE id = ?";
const UPSERT: &str = "INSERT INTO dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET customer_id = excluded.customer_id, \
    code = excluded.code, quantity = excluded.quantity, amount = excluded.amount, paid = excluded.paid, \
    created = excluded.created, note = excluded.note";

const RANGE: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders \
    WHERE id >= ? AND id < ? ORDER BY id";
const LINES: &str = "SELECT id, order_id, product_id, quantity FROM dao_lines \
    WHERE order_id IN (SELECT value FROM json_each(?)) ORDER BY id";
const PRODUCTS: &str = "SELECT id, name FROM dao_products WHERE id IN (SELECT value FROM json_each(?))";

pub struct Rusqlite(Connection);

/// Keys as a JSON array.
fn list(keys: impl Iterator<Item = i64>) -> String {
    let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
    format!("[{}]", keys.join(","))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        id: row.get(0)?,
        customer_id: row.get(1)?,
        code: row.get(2)?,
        quantity: row.get(3)?,
        amount: row.get(4)?,
        paid: row.get(5)?,
        created: row.get(6)?,
        note: row.get(7)?,
    })
}

impl Rusqlite {
    pub fn open(path: &str) -> Outcome<Self> {
        let connection = Connection::open(path)?;
        connection.execute_batch(PRAGMAS)?;
        Ok(Self(connection))
    }

    fn write(&mut self, sql: &str, items: &[Item]) -> rusqlite::Result<i64> {
        let transaction = self.0.transaction()?;
        let mut written = 0;
        {
            let mut statement = transaction.prepare_cached(sql)?;
            for i in items {
                written += statement.execute(params![
                    i.id,
                    i.customer_id,
                    i.code,
                    i.quantity,
                    i.amount,
                    i.paid,
                    i.created,
                    i.note
                ])?;
            }
        }
        transaction.commit()?;
        Ok(written as i64)
    }

    fn numbered(&mut self, items: &mut [Item]) -> rusqlite::Result<i64> {
        let transaction = self.0.transaction()?;
        {
            let mut statement = transaction.prepare_cached(NUMBERED)?;
            for i in &mut *items {
                let values = params![i.customer_id, i.code, i.quantity, i.amount, i.paid, i.created, i.note];
                i.id = statement.query_row(values, |row| row.get(0))?;
            }
        }
        transaction.commit()?;
        Ok(items.iter().filter(|item| item.id > 0).count() as i64)
    }

    fn update(&mut self, items: &[Item]) -> rusqlite::Result<i64> {
        let transaction = self.0.transaction()?;
        let mut written = 0;
        {
            let mut statement = transaction.prepare_cached(UPDATE)?;
            for i in items {
                written += statement.execute(params![
                    i.customer_id,
                    i.code,
                    i.quantity,
                    i.amount,
                    i.paid,
                    i.created,
                    i.note,
                    i.id
                ])?;
            }
        }
        transaction.commit()?;
        Ok(written as i64)
    }

    fn related(&mut self, from: i64, count: i64, products: bool) -> rusqlite::Result<i64> {
        let mut statement = self.0.prepare_cached(RANGE)?;
        let orders = statement.query_map([from, from + count], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut statement = self.0.prepare_cached(LINES)?;
        let line = |row: &Row<'_>| {
            let (id, order_id, product_id, quantity) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Line { id, order_id, product_id, quantity, product: None })
        };
        let lines = statement.query_map([list(orders.iter().map(|order| order.id))], line)?;
        let mut lines = lines.collect::<rusqlite::Result<Vec<Line>>>()?;
        if products {
            let mut statement = self.0.prepare_cached(PRODUCTS)?;
            let product = |row: &Row<'_>| Ok(Product { id: row.get(0)?, name: row.get(1)? });
            let found = statement.query_map([list(product_keys(&lines).into_iter())], product)?;
            put(found.collect::<rusqlite::Result<_>>()?, &mut lines);
        }
        Ok(lines_of(&grouped(orders, lines)))
    }

    fn work(&mut self, workload: Workload) -> Outcome<(Instant, i64)> {
        let begun = Instant::now();
        match workload {
            Workload::Get => {
                for key in keys(GETS) {
                    self.0.prepare_cached(KEY)?.query_row([key], read)?;
                }
                Ok((begun, GETS))
            }
            Workload::Page => {
                let mut rows = 0;
                for page in 0..PAGES {
                    let mut statement = self.0.prepare_cached(VIEW)?;
                    let found = statement.query_map(params![page % 900, 10.0, PAGE, 40], |row| {
                        let names: (Option<String>, Option<String>) = (row.get(8)?, row.get(9)?);
                        Ok((read(row)?, names))
                    })?;
                    rows += found.collect::<rusqlite::Result<Vec<_>>>()?.len() as i64;
                }
                Ok((begun, rows))
            }
            Workload::Insert => {
                let items: Vec<Item> = (0..WRITES).map(item).collect();
                let begun = Instant::now();
                Ok((begun, self.write(INSERT, &items)?))
            }
            Workload::Numbered => {
                let mut items: Vec<Item> = (0..WRITES).map(item).collect();
                let begun = Instant::now();
                Ok((begun, self.numbered(&mut items)?))
            }
            Workload::Update => {
                let items: Vec<Item> = (0..WRITES).map(changed).collect();
                let begun = Instant::now();
                Ok((begun, self.update(&items)?))
            }
            Workload::Upsert => {
                let items: Vec<Item> = (0..WRITES).map(changed).collect();
                let begun = Instant::now();
                Ok((begun, self.write(UPSERT, &items)?))
            }
            Workload::Stream => {
                let mut statement = self.0.prepare_cached(ALL)?;
                let mut count = 0;
                for row in statement.query_map([], read)? {
                    count += i64::from(row?.id >= 0);
                }
                Ok((begun, count))
            }
            Workload::Lines => Ok((begun, self.related(0, PARENTS, false)?)),
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    rows += self.related(first(page), PAGE, true)?;
                }
                Ok((begun, rows))
            }
        }
    }
}

impl Contestant<Workload> for Rusqlite {
    fn name(&self) -> String {
        "rusqlite".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move { Ok(vec![self.0.query_row(&format!("SELECT {expression}"), [], |row| row.get(0))?]) })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let (begun, rows) = self.work(workload)?;
            Ok(Some((begun.elapsed(), rows)))
        })
    }
}
