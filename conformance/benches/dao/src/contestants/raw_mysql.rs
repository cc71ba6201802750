//! mysql_async, as its documents show it: prepared statements, a row each where there are many. Joined, many rows are one
//! statement: an INSERT of many rows, an UPDATE by a join with a JSON table.

use std::fmt::Write;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use mysql_async::prelude::{Query, Queryable, WithParams};
use mysql_async::{Conn, Opts, Row, TxOpts, Value};

use super::related::{Line, Product, grouped, lines_of, product_keys, put};
use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

const ALL: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders";
const KEY: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders WHERE id = ?";
const VIEW: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, c.name, t.name \
    FROM dao_orders o LEFT JOIN dao_customers c ON o.customer_id = c.id LEFT JOIN dao_cities t ON c.city_id = t.id \
    WHERE o.quantity >= ? AND o.amount > ? ORDER BY o.quantity, o.id LIMIT ? OFFSET ?";
const RANGE: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders \
    WHERE id >= ? AND id < ? ORDER BY id";
const LINES: &str = "SELECT id, order_id, product_id, quantity FROM dao_lines WHERE order_id IN";
const PRODUCTS: &str = "SELECT id, name FROM dao_products WHERE id IN";
const INSERT: &str = "INSERT INTO dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) VALUES ";
const NUMBERED: &str = "INSERT INTO dao_numbered (customer_id, code, quantity, amount, paid, created, note) VALUES ";
const UPDATE: &str = "UPDATE dao_fresh SET customer_id = ?, code = ?, quantity = ?, amount = ?, paid = ?, created = ?, \
    note = ? WHERE id = ?";
const UPDATE_JOINED: &str = "UPDATE dao_fresh f JOIN JSON_TABLE(?, '$[*]' COLUMNS (id bigint PATH '$[0]', \
    customer_id bigint PATH '$[1]', code varchar(100) PATH '$[2]', quantity int PATH '$[3]', amount double PATH '$[4]', \
    paid int PATH '$[5]', created datetime(6) PATH '$[6]', note varchar(200) PATH '$[7]')) n ON f.id = n.id \
    SET f.customer_id = n.customer_id, f.code = n.code, f.quantity = n.quantity, f.amount = n.amount, f.paid = n.paid, \
    f.created = n.created, f.note = n.note";
const CONFLICT: &str = " ON DUPLICATE KEY UPDATE customer_id = VALUES(customer_id), code = VALUES(code), \
    quantity = VALUES(quantity), amount = VALUES(amount), paid = VALUES(paid), created = VALUES(created), \
    note = VALUES(note)";

pub struct MysqlAsync {
    conn: Conn,
    joined: bool,
    mariadb: bool,
}

fn read(row: &mut Row) -> Outcome<Item> {
    fn taken<T: mysql_async::prelude::FromValue>(row: &mut Row, at: usize) -> Outcome<T> {
        Ok(row.take_opt(at).ok_or("no column")??)
    }
    Ok(Item {
        id: taken(row, 0)?,
        customer_id: taken(row, 1)?,
        code: taken(row, 2)?,
        quantity: taken(row, 3)?,
        amount: taken(row, 4)?,
        paid: taken(row, 5)?,
        created: taken(row, 6)?,
        note: taken(row, 7)?,
    })
}

/// So many placeholders.
fn marks(count: usize) -> String {
    vec!["?"; count].join(", ")
}

/// The values but the key.
fn values(i: &Item) -> [Value; 7] {
    [
        i.customer_id.into(),
        i.code.as_str().into(),
        i.quantity.into(),
        i.amount.into(),
        i.paid.into(),
        i.created.into(),
        i.note.as_deref().into(),
    ]
}

/// A text with that many rows of so many parameters, and the values.
fn rows(sql: &str, items: &[Item], end: &str, key: bool) -> (String, Vec<Value>) {
    let row = if key { "(?, ?, ?, ?, ?, ?, ?, ?)" } else { "(?, ?, ?, ?, ?, ?, ?)" };
    let mut text = String::with_capacity(sql.len() + end.len() + items.len() * (row.len() + 1));
    text.push_str(sql);
    let mut all = Vec::with_capacity(items.len() * 8);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(row);
        if key {
            all.push(item.id.into());
        }
        all.extend(values(item));
    }
    text.push_str(end);
    (text, all)
}

/// The rows as a JSON array of arrays. The texts hold nothing that would need an escape.
fn json(items: &[Item]) -> Outcome<String> {
    let mut json = String::with_capacity(items.len() * 150);
    for i in items {
        json.push(if json.is_empty() { '[' } else { ',' });
        let created = i.created.format("%Y-%m-%d %H:%M:%S%.6f");
        let paid = u8::from(i.paid);
        let (id, customer_id, code, quantity, amount) = (i.id, i.customer_id, &i.code, i.quantity, i.amount);
        write!(json, "[{id},{customer_id},\"{code}\",{quantity},{amount},{paid},\"{created}\",")?;
        match &i.note {
            Some(note) => write!(json, "\"{note}\"]")?,
            None => json.push_str("null]"),
        }
    }
    json.push(']');
    Ok(json)
}

impl MysqlAsync {
    pub async fn open(url: &str, joined: bool) -> Outcome<Self> {
        let mut conn = Conn::new(Opts::from_url(url)?).await?;
        let version: Option<String> = conn.query_first("SELECT VERSION()").await?;
        let mariadb = version.is_some_and(|version| version.contains("MariaDB"));
        Ok(Self { conn, joined, mariadb })
    }

    async fn insert(&mut self, items: &[Item], end: &str) -> Outcome<i64> {
        let mut transaction = self.conn.start_transaction(TxOpts::default()).await?;
        if self.joined {
            let (text, values) = rows(INSERT, items, end, true);
            transaction.exec_drop(text, values).await?;
        } else {
            let text = format!("{INSERT}(?, ?, ?, ?, ?, ?, ?, ?){end}");
            let all = items.iter().map(|i| [&[i.id.into()], &values(i)[..]].concat());
            transaction.exec_batch(text, all).await?;
        }
        transaction.commit().await?;
        Ok(items.len() as i64)
    }

    async fn numbered(&mut self, items: &mut [Item]) -> Outcome<i64> {
        let mut transaction = self.conn.start_transaction(TxOpts::default()).await?;
        if self.joined && self.mariadb {
            let (text, values) = rows(NUMBERED, items, " RETURNING id", false);
            let numbers: Vec<i64> = transaction.exec(text, values).await?;
            items.iter_mut().zip(numbers).for_each(|(item, number)| item.id = number);
        } else if self.joined {
            // The numbers of one statement follow each other, but in the lock mode 2, for statements of unknown length.
            let (text, values) = rows(NUMBERED, items, "", false);
            transaction.exec_drop(text, values).await?;
            let first = transaction.last_insert_id().ok_or("no number")? as i64;
            items.iter_mut().zip(first..).for_each(|(item, number)| item.id = number);
        } else {
            let statement = transaction.prep(format!("{NUMBERED}(?, ?, ?, ?, ?, ?, ?)")).await?;
            for item in &mut *items {
                transaction.exec_drop(&statement, values(item).to_vec()).await?;
                item.id = transaction.last_insert_id().ok_or("no number")? as i64;
            }
        }
        transaction.commit().await?;
        Ok(items.iter().filter(|item| item.id > 0).count() as i64)
    }

    async fn update(&mut self, items: &[Item]) -> Outcome<i64> {
        let mut transaction = self.conn.start_transaction(TxOpts::default()).await?;
        if self.joined {
            transaction.exec_drop(UPDATE_JOINED, (json(items)?,)).await?;
        } else {
            let all = items.iter().map(|i| [&values(i)[..], &[i.id.into()]].concat());
            transaction.exec_batch(UPDATE, all).await?;
        }
        transaction.commit().await?;
        Ok(items.len() as i64)
    }

    async fn related(&mut self, from: i64, count: i64, products: bool) -> Outcome<i64> {
        let orders: Vec<Row> = self.conn.exec(RANGE, (from, from + count)).await?;
        let orders = orders.into_iter().map(|mut row| read(&mut row)).collect::<Outcome<Vec<_>>>()?;
        let keys: Vec<i64> = orders.iter().map(|order| order.id).collect();
        let line = |(id, order_id, product_id, quantity)| Line { id, order_id, product_id, quantity, product: None };
        let sql = format!("{LINES} ({}) ORDER BY id", marks(keys.len()));
        let mut lines: Vec<Line> = self.conn.exec_map(sql, keys, line).await?;
        if products {
            let keys = product_keys(&lines);
            let sql = format!("{PRODUCTS} ({})", marks(keys.len()));
            put(self.conn.exec_map(sql, keys, |(id, name)| Product { id, name }).await?, &mut lines);
        }
        Ok(lines_of(&grouped(orders, lines)))
    }

    async fn work(&mut self, workload: Workload) -> Outcome<(Instant, i64)> {
        let begun = Instant::now();
        match workload {
            Workload::Get => {
                for key in keys(GETS) {
                    read(&mut self.conn.exec_first(KEY, (key,)).await?.ok_or("no row")?)?;
                }
                Ok((begun, GETS))
            }
            Workload::Page => {
                let mut rows = 0;
                for page in 0..PAGES {
                    let found: Vec<Row> = self.conn.exec(VIEW, (page % 900, 10.0_f64, PAGE, 40)).await?;
                    let found = found.into_iter().map(|mut row| {
                        let names: (Option<String>, Option<String>) = (row.take(8).flatten(), row.take(9).flatten());
                        Ok((read(&mut row)?, names))
                    });
                    rows += found.collect::<Outcome<Vec<_>>>()?.len() as i64;
                }
                Ok((begun, rows))
            }
            Workload::Insert => {
                let items: Vec<Item> = (0..WRITES).map(item).collect();
                let begun = Instant::now();
                Ok((begun, self.insert(&items, "").await?))
            }
            Workload::Numbered => {
                let mut items: Vec<Item> = (0..WRITES).map(item).collect();
                let begun = Instant::now();
                Ok((begun, self.numbered(&mut items).await?))
            }
            Workload::Update => {
                let items: Vec<Item> = (0..WRITES).map(changed).collect();
                let begun = Instant::now();
                Ok((begun, self.update(&items).await?))
            }
            Workload::Upsert => {
                let items: Vec<Item> = (0..WRITES).map(changed).collect();
                let begun = Instant::now();
                Ok((begun, self.insert(&items, CONFLICT).await?))
            }
            Workload::Lines => Ok((begun, self.related(0, PARENTS, false).await?)),
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    rows += self.related(first(page), PAGE, true).await?;
                }
                Ok((begun, rows))
            }
            Workload::Stream => {
                let mut rows = ALL.with(()).stream::<Row, _>(&mut self.conn).await?;
                let mut count = 0;
                while let Some(mut row) = rows.try_next().await? {
                    count += i64::from(read(&mut row)?.id >= 0);
                }
                Ok((begun, count))
            }
        }
    }
}

impl Contestant<Workload> for MysqlAsync {
    fn name(&self) -> String {
        if self.joined { "mysql_async, joined" } else { "mysql_async" }.into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move { Ok(self.conn.query(format!("SELECT {expression}")).await?) })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            // They would be the same statements.
            if self.joined && matches!(workload, Workload::Lines | Workload::Products) {
                return Ok(None);
            }
            let (begun, rows) = self.work(workload).await?;
            Ok(Some((begun.elapsed(), rows)))
        })
    }
}
