//! tokio-postgres, as its documents show it: prepared statements, pipelined where there are many, COPY in binary. By
//! arrays, an UPDATE and an upsert are one statement over `unnest`, which is less to say and more to write, and the rows of
//! relations come as arrays in the rows that they are of, by one statement instead of one a level.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use futures_util::future::try_join_all;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};

use super::related::{Line, Product, grouped, lines_of, product_keys, put};
use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

const ALL: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders";
const KEY: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders WHERE id = $1";
const VIEW: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, c.name, t.name \
    FROM dao_orders o LEFT JOIN dao_customers c ON o.customer_id = c.id LEFT JOIN dao_cities t ON c.city_id = t.id \
    WHERE o.quantity >= $1 AND o.amount > $2 ORDER BY o.quantity, o.id LIMIT $3 OFFSET $4";
const RANGE: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders \
    WHERE id >= $1 AND id < $2 ORDER BY id";
const LINES: &str = "SELECT id, order_id, product_id, quantity FROM dao_lines WHERE order_id = ANY($1) ORDER BY id";
const PRODUCTS: &str = "SELECT id, name FROM dao_products WHERE id = ANY($1)";
const LINES_ARRAYS: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, \
    l.ids, l.products, l.quantities FROM dao_orders o CROSS JOIN LATERAL (SELECT array_agg(id) ids, \
    array_agg(product_id) products, array_agg(quantity) quantities FROM (SELECT * FROM dao_lines WHERE order_id = o.id \
    ORDER BY id) l) l WHERE o.id >= $1 AND o.id < $2 ORDER BY o.id";
const PRODUCTS_ARRAYS: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, \
    l.ids, l.products, l.quantities, l.names FROM dao_orders o CROSS JOIN LATERAL (SELECT array_agg(id) ids, \
    array_agg(product_id) products, array_agg(quantity) quantities, array_agg(name) names FROM (SELECT l.*, p.name \
    FROM dao_lines l JOIN dao_products p ON p.id = l.product_id WHERE l.order_id = o.id ORDER BY l.id) l) l \
    WHERE o.id >= $1 AND o.id < $2 ORDER BY o.id";
const COPY: &str = "COPY dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) FROM STDIN BINARY";
const TYPES: [Type; 8] =
    [Type::INT8, Type::INT8, Type::VARCHAR, Type::INT4, Type::FLOAT8, Type::BOOL, Type::TIMESTAMP, Type::VARCHAR];
const UPDATE: &str = "UPDATE dao_fresh SET customer_id = $2, code = $3, quantity = $4, amount = $5, paid = $6, \
    created = $7, note = $8 WHERE id = $1";
const UPDATE_ARRAYS: &str = "UPDATE dao_fresh f SET customer_id = n.customer_id, code = n.code, quantity = n.quantity, \
    amount = n.amount, paid = n.paid, created = n.created, note = n.note FROM \
    unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::double precision[], $6::bool[], $7::timestamp[], \
    $8::text[]) n (id, customer_id, code, quantity, amount, paid, created, note) WHERE f.id = n.id";
const CONFLICT: &str = "ON CONFLICT (id) DO UPDATE SET customer_id = excluded.customer_id, \
    code = excluded.code, quantity = excluded.quantity, amount = excluded.amount, paid = excluded.paid, \
    created = excluded.created, note = excluded.note";
const NUMBERED: &str = "INSERT INTO dao_numbered (customer_id, code, quantity, amount, paid, created, note) \
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
const NUMBERED_ARRAYS: &str = "INSERT INTO dao_numbered (customer_id, code, quantity, amount, paid, created, note) \
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::int[], $4::double precision[], $5::bool[], $6::timestamp[], \
    $7::text[]) RETURNING id";
const UPSERT: &str = "INSERT INTO dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
const UPSERT_ARRAYS: &str = "INSERT INTO dao_fresh (id, customer_id, code, quantity, amount, paid, created, note) \
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::int[], $5::double precision[], $6::bool[], \
    $7::timestamp[], $8::text[])";

pub struct TokioPostgres {
    client: Client,
    arrays: bool,
    all: Statement,
    key: Statement,
    view: Statement,
    numbered: Statement,
    update: Statement,
    upsert: Statement,
    range: Statement,
    lines: Statement,
    products: Statement,
}

fn read(row: &Row) -> Item {
    Item {
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

fn values(i: &Item) -> [&(dyn ToSql + Sync); 8] {
    [&i.id, &i.customer_id, &i.code, &i.quantity, &i.amount, &i.paid, &i.created, &i.note]
}

/// The columns as arrays.
fn lists(items: &[Item]) -> [Box<dyn ToSql + Sync + Send + '_>; 8] {
    fn list<'i, T: ToSql + Sync + Send + 'i>(
        items: &'i [Item],
        get: impl Fn(&'i Item) -> T,
    ) -> Box<dyn ToSql + Sync + Send + 'i> {
        Box::new(items.iter().map(get).collect::<Vec<_>>())
    }
    [
        list(items, |i| i.id),
        list(items, |i| i.customer_id),
        list(items, |i| i.code.as_str()),
        list(items, |i| i.quantity),
        list(items, |i| i.amount),
        list(items, |i| i.paid),
        list(items, |i| i.created),
        list(items, |i| i.note.as_deref()),
    ]
}

impl TokioPostgres {
    pub async fn open(url: &str, arrays: bool) -> Outcome<Self> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        Ok(Self {
            all: client.prepare(ALL).await?,
            key: client.prepare(KEY).await?,
            view: client.prepare(VIEW).await?,
            numbered: client.prepare(if arrays { NUMBERED_ARRAYS } else { NUMBERED }).await?,
            update: client.prepare(if arrays { UPDATE_ARRAYS } else { UPDATE }).await?,
            upsert: client.prepare(&format!("{} {CONFLICT}", if arrays { UPSERT_ARRAYS } else { UPSERT })).await?,
            range: client.prepare(RANGE).await?,
            lines: client.prepare(if arrays { LINES_ARRAYS } else { LINES }).await?,
            products: client.prepare(if arrays { PRODUCTS_ARRAYS } else { PRODUCTS }).await?,
            client,
            arrays,
        })
    }

    async fn related(&self, from: i64, to: i64, products: bool) -> Outcome<i64> {
        let orders = self.client.query(&self.range, &[&from, &to]).await?;
        let orders: Vec<Item> = orders.iter().map(read).collect();
        let keys: Vec<i64> = orders.iter().map(|order| order.id).collect();
        let line = |row: &Row| Line {
            id: row.get(0),
            order_id: row.get(1),
            product_id: row.get(2),
            quantity: row.get(3),
            product: None,
        };
        let mut lines: Vec<Line> = self.client.query(&self.lines, &[&keys]).await?.iter().map(line).collect();
        if products {
            let found = self.client.query(&self.products, &[&product_keys(&lines)]).await?;
            put(found.iter().map(|row| Product { id: row.get(0), name: row.get(1) }).collect(), &mut lines);
        }
        Ok(lines_of(&grouped(orders, lines)))
    }

    /// By one statement.
    async fn arrays(&self, from: i64, to: i64, products: bool) -> Outcome<i64> {
        let statement = if products { &self.products } else { &self.lines };
        let mut orders = Vec::new();
        for row in self.client.query(statement, &[&from, &to]).await? {
            let order = read(&row);
            let ids: Option<Vec<i64>> = row.get(8);
            let (of, quantities): (Option<Vec<i64>>, Option<Vec<i32>>) = (row.get(9), row.get(10));
            let names: Option<Vec<String>> = if products { row.get(11) } else { None };
            let mut names = names.unwrap_or_default().into_iter();
            let rows = ids.into_iter().flatten().zip(of.into_iter().flatten()).zip(quantities.into_iter().flatten());
            let line = |((id, product_id), quantity)| {
                let product = names.next().map(|name| Product { id: product_id, name });
                Line { id, order_id: order.id, product_id, quantity, product }
            };
            let lines: Vec<Line> = rows.map(line).collect();
            orders.push((order, lines));
        }
        Ok(lines_of(&orders))
    }

    /// All or none.
    async fn write(&mut self, update: bool, items: &[Item]) -> Outcome<i64> {
        let statement = if update { &self.update } else { &self.upsert };
        if self.arrays {
            let lists = lists(items);
            let values = lists.each_ref().map(|list| -> &(dyn ToSql + Sync) { &**list });
            return Ok(self.client.execute(statement, &values).await? as i64);
        }
        let transaction = self.client.transaction().await?;
        let mut written = 0;
        for items in items.chunks(100) {
            let transaction = &transaction;
            let one = |i| async move { transaction.execute(statement, &values(i)).await };
            written += try_join_all(items.iter().map(one)).await?.iter().sum::<u64>();
        }
        transaction.commit().await?;
        Ok(written as i64)
    }

    /// All or none.
    async fn numbered(&mut self, items: &mut [Item]) -> Outcome<i64> {
        if self.arrays {
            let numbers = {
                let lists = lists(items);
                let values = lists.each_ref().map(|list| -> &(dyn ToSql + Sync) { &**list });
                self.client.query(&self.numbered, &values[1..]).await?
            };
            items.iter_mut().zip(&numbers).for_each(|(item, row)| item.id = row.get(0));
        } else {
            let (transaction, statement) = (self.client.transaction().await?, &self.numbered);
            for items in items.chunks_mut(100) {
                let transaction = &transaction;
                try_join_all(items.iter_mut().map(|item| async move {
                    let number = transaction.query_one(statement, &values(item)[1..]).await?.get(0);
                    item.id = number;
                    Outcome::Ok(())
                }))
                .await?;
            }
            transaction.commit().await?;
        }
        Ok(items.iter().filter(|item| item.id > 0).count() as i64)
    }

    async fn work(&mut self, workload: Workload) -> Outcome<(Instant, i64)> {
        let begun = Instant::now();
        match workload {
            Workload::Get => {
                for key in keys(GETS) {
                    read(&self.client.query_one(&self.key, &[&key]).await?);
                }
                Ok((begun, GETS))
            }
            Workload::Page => {
                let mut rows = 0;
                for page in 0..PAGES {
                    let quantity = i32::try_from(page)? % 900;
                    let found = self.client.query(&self.view, &[&quantity, &10.0_f64, &PAGE, &40_i64]).await?;
                    let found = found.iter().map(|row| {
                        let names: (Option<String>, Option<String>) = (row.get(8), row.get(9));
                        (read(row), names)
                    });
                    rows += found.collect::<Vec<_>>().len() as i64;
                }
                Ok((begun, rows))
            }
            Workload::Insert => {
                let items: Vec<Item> = (0..WRITES).map(item).collect();
                let begun = Instant::now();
                let sink = self.client.copy_in(COPY).await?;
                let mut writer = pin!(BinaryCopyInWriter::new(sink, &TYPES));
                for i in &items {
                    writer.as_mut().write(&values(i)).await?;
                }
                Ok((begun, writer.finish().await? as i64))
            }
            Workload::Numbered => {
                let mut items: Vec<Item> = (0..WRITES).map(item).collect();
                let begun = Instant::now();
                Ok((begun, self.numbered(&mut items).await?))
            }
            Workload::Update | Workload::Upsert => {
                let items: Vec<Item> = (0..WRITES).map(changed).collect();
                let begun = Instant::now();
                Ok((begun, self.write(workload == Workload::Update, &items).await?))
            }
            Workload::Lines if self.arrays => Ok((begun, self.arrays(0, PARENTS, false).await?)),
            Workload::Lines => Ok((begun, self.related(0, PARENTS, false).await?)),
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    let (from, to) = (first(page), first(page) + PAGE);
                    rows += if self.arrays {
                        self.arrays(from, to, true).await?
                    } else {
                        self.related(from, to, true).await?
                    };
                }
                Ok((begun, rows))
            }
            Workload::Stream => {
                let nothing: [&(dyn ToSql + Sync); 0] = [];
                let mut rows = pin!(self.client.query_raw(&self.all, nothing).await?);
                let mut count = 0;
                while let Some(row) = rows.try_next().await? {
                    count += i64::from(read(&row).id >= 0);
                }
                Ok((begun, count))
            }
        }
    }
}

impl Contestant<Workload> for TokioPostgres {
    fn name(&self) -> String {
        if self.arrays { "tokio-postgres, arrays" } else { "tokio-postgres" }.into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move { Ok(vec![self.client.query_one(&*format!("SELECT {expression}"), &[]).await?.get(0)]) })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let (begun, rows) = self.work(workload).await?;
            Ok(Some((begun.elapsed(), rows)))
        })
    }
}
