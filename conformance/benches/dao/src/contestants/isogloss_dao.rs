//! Isogloss: entities through data access objects, a session for each run.

use std::pin::pin;
use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use futures_util::TryStreamExt;
use isogloss::config::DataSourceConfig;
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::entity::{Many, One, linked};
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmContext, Session};

use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::{BoxFuture, Contestant, Outcome};

#[derive(Debug, Entity)]
#[table(name = "dao_cities", columns = "snake_case")]
struct City {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Entity)]
#[table(name = "dao_customers", columns = "snake_case")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[foreign(City, auto_expand)]
    city_id: i64,
}

macro_rules! order {
    ($name:ident, $table:literal, $($identity:ident)?) => {
        #[derive(Debug, Clone, Entity)]
        #[table(name = $table, columns = "snake_case")]
        struct $name {
            #[column(primary_key, $($identity)?)]
            id: i64,
            #[foreign(Customer, auto_expand)]
            customer_id: i64,
            code: String,
            quantity: i32,
            amount: f64,
            paid: bool,
            created: NaiveDateTime,
            note: Option<String>,
        }
    };
}

order!(Order, "dao_orders",);
order!(Fresh, "dao_fresh",);
order!(Numbered, "dao_numbered", identity);

#[derive(Debug, View)]
#[view(of = Order)]
#[allow(dead_code, reason = "what is measured is the reading")]
struct OrderView {
    order: Order,
    #[foreign_column(Customer, property = name)]
    customer_name: Option<String>,
    #[foreign_column(City, property = name)]
    city_name: Option<String>,
}

#[derive(Debug, Clone, Entity)]
#[table(name = "dao_orders", entity = "Parent", columns = "snake_case")]
#[allow(dead_code, reason = "what is measured is the reading")]
struct Parent {
    #[column(primary_key)]
    id: i64,
    customer_id: i64,
    code: String,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<String>,
    #[has_many]
    lines: Many<Line>,
}

#[derive(Debug, Clone, Entity)]
#[table(name = "dao_lines", columns = "snake_case")]
struct Line {
    #[column(primary_key)]
    id: i64,
    #[foreign(Parent)]
    order_id: i64,
    #[foreign(Product)]
    product_id: i64,
    quantity: i32,
    #[belongs_to]
    product: One<Product>,
}

#[derive(Debug, Clone, Entity)]
#[table(name = "dao_products", columns = "snake_case")]
struct Product {
    #[column(primary_key)]
    id: i64,
    name: String,
}

/// The orders of some numbers.
async fn parents(session: &Session, from: i64, count: i64) -> Outcome<Vec<Parent>> {
    let range = query!(|p: Parent| p.filter(p.id >= from && p.id < from + count).order_by(p.id));
    Ok(ObjectViewDao::<Parent>::new(session).search(range).all().await?)
}

fn fresh(item: Item) -> Fresh {
    let Item { id, customer_id, code, quantity, amount, paid, created, note } = item;
    Fresh { id, customer_id, code, quantity, amount, paid, created, note }
}

fn numbered(item: Item) -> Numbered {
    let Item { id: _, customer_id, code, quantity, amount, paid, created, note } = item;
    Numbered { id: 0, customer_id, code, quantity, amount, paid, created, note }
}

pub struct Isogloss(OrmContext);

impl Isogloss {
    pub fn open(engine: &str, url: &str) -> Outcome<Self> {
        let context = OrmContext::new(linked().build()?);
        context.add_data_source(DataSourceConfig::new("main", engine, url))?;
        Ok(Self(context))
    }

    async fn work(&self, session: &Session, workload: Workload) -> Outcome<(Instant, i64)> {
        let writer = ObjectDao::<Fresh>::new(session);
        let begun = Instant::now();
        match workload {
            Workload::Get => {
                let orders = ObjectViewDao::<Order>::new(session);
                for key in keys(GETS) {
                    orders.get(key).await?.ok_or("no row")?;
                }
                Ok((begun, GETS))
            }
            Workload::Page => {
                let views = ObjectViewDao::<OrderView>::new(session);
                let mut rows = 0;
                for page in 0..PAGES {
                    let quantity = i32::try_from(page)? % 900;
                    let found = views
                        .search(query!(|q: OrderView| q
                            .filter(q.quantity >= quantity && q.amount > 10.0)
                            .order_by((q.quantity, q.id))
                            .skip(40)
                            .take(PAGE as u64)))
                        .all()
                        .await?;
                    rows += found.len() as i64;
                }
                Ok((begun, rows))
            }
            Workload::Insert => {
                let mut rows: Vec<Fresh> = (0..WRITES).map(item).map(fresh).collect();
                let begun = Instant::now();
                writer.batch_insert(&mut rows).await?;
                Ok((begun, WRITES))
            }
            Workload::Numbered => {
                let mut rows: Vec<Numbered> = (0..WRITES).map(item).map(numbered).collect();
                let begun = Instant::now();
                ObjectDao::new(session).batch_insert(&mut rows).await?;
                Ok((begun, rows.iter().filter(|row| row.id > 0).count() as i64))
            }
            Workload::Update => {
                let mut rows: Vec<Fresh> = (0..WRITES).map(changed).map(fresh).collect();
                let begun = Instant::now();
                Ok((begun, writer.batch_update(&mut rows).await? as i64))
            }
            Workload::Upsert => {
                let mut rows: Vec<Fresh> = (0..WRITES).map(changed).map(fresh).collect();
                let begun = Instant::now();
                writer.batch_update_or_insert(&mut rows).await?;
                Ok((begun, WRITES))
            }
            Workload::Stream => {
                let mut rows = pin!(ObjectViewDao::<Order>::new(session).search(()).stream());
                let mut count = 0;
                while let Some(row) = rows.try_next().await? {
                    count += i64::from(row.id >= 0);
                }
                Ok((begun, count))
            }
            Workload::Lines => {
                let mut orders = parents(session, 0, PARENTS).await?;
                session.load(&mut orders, Parent::lines()).await?;
                Ok((begun, lines(&orders)?))
            }
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    let mut orders = parents(session, first(page), PAGE).await?;
                    session.load(&mut orders, Parent::lines().then(Line::product())).await?;
                    rows += lines(&orders)?;
                }
                Ok((begun, rows))
            }
        }
    }
}

fn lines(orders: &[Parent]) -> Outcome<i64> {
    let mut count = 0;
    for order in orders {
        count += order.lines.get()?.len() as i64;
    }
    Ok(count)
}

impl Contestant<Workload> for Isogloss {
    fn name(&self) -> String {
        "Isogloss".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move {
            let session = self.0.create_session()?;
            let text = Compiled { sql: format!("SELECT {expression}"), ..Compiled::default() };
            Ok(session.lease(None, Purpose::Read).await?.fetch::<String>(&text).await?)
        })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let session = self.0.create_session()?;
            let (begun, rows) = self.work(&session, workload).await?;
            Ok(Some((begun.elapsed(), rows)))
        })
    }
}
