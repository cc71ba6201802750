//! tokio-postgres, as its documents show it: prepared statements, pipelined where there are many, COPY in binary. By
//! arrays, an UPDATE and an upsert are one statement over `unnest`, which is less to say and more to write.

use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt;
use futures_util::future::try_join_all;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row, Statement};

use workload::dao::{GETS, Item, PAGE, PAGES, WRITES, Workload, changed, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

const ALL: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders";
const KEY: &str = "SELECT id, customer_id, code, quantity, amount, paid, created, note FROM dao_orders WHERE id = $1";
const VIEW: &str = "SELECT o.id, o.customer_id, o.code, o.quantity, o.amount, o.paid, o.created, o.note, c.name, t.name \
    FROM dao_orders o LEFT JOIN dao_customers c ON o.customer_id = c.id LEFT JOIN dao_cities t ON c.city_id = t.id \
    WHERE o.quantity >= $1 AND o.amount > $2 ORDER BY o.quantity, o.id LIMIT $3 OFFSET $4";
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
    fn list<'i, T>(items: &'i [Item], get: impl Fn(&'i Item) -> T) -> Box<Vec<T>> {
        Box::new(items.iter().map(get).collect())
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
            client,
            arrays,
        })
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
            Workload::Lines | Workload::Products => Err("relations are measured on SQLite".into()),
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
            if matches!(workload, Workload::Lines | Workload::Products) {
                return Ok(None);
            }
            let (begun, rows) = self.work(workload).await?;
            Ok(Some((begun.elapsed(), rows)))
        })
    }
}
