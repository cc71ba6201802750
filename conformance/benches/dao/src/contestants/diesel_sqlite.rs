//! diesel on SQLite: typed queries, blocking.

use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use diesel::connection::SimpleConnection;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;

use workload::dao::{GETS, Item, PAGE, PAGES, PARENTS, WRITES, Workload, changed, first, item, keys};
use workload::settings::PRAGMAS;
use workload::{BoxFuture, Contestant, Outcome};

macro_rules! orders {
    ($table:ident) => {
        diesel::table! {
            $table (id) {
                id -> BigInt,
                customer_id -> BigInt,
                code -> Text,
                quantity -> Integer,
                amount -> Double,
                paid -> Bool,
                created -> Timestamp,
                note -> Nullable<Text>,
            }
        }
    };
}

orders!(dao_orders);
orders!(dao_fresh);

diesel::table! {
    dao_customers (id) {
        id -> BigInt,
        name -> Text,
        city_id -> BigInt,
    }
}

diesel::table! {
    dao_cities (id) {
        id -> BigInt,
        name -> Text,
    }
}

diesel::table! {
    dao_lines (id) {
        id -> BigInt,
        order_id -> BigInt,
        product_id -> BigInt,
        quantity -> Integer,
    }
}

diesel::table! {
    dao_products (id) {
        id -> BigInt,
        name -> Text,
    }
}

diesel::joinable!(dao_lines -> dao_products (product_id));
diesel::allow_tables_to_appear_in_same_query!(dao_lines, dao_products);
diesel::joinable!(dao_orders -> dao_customers (customer_id));
diesel::joinable!(dao_customers -> dao_cities (city_id));
diesel::allow_tables_to_appear_in_same_query!(dao_orders, dao_customers, dao_cities);

#[derive(Queryable, Selectable, Identifiable)]
#[diesel(table_name = dao_orders)]
#[allow(dead_code, reason = "what is measured is the reading")]
pub struct Read {
    pub id: i64,
    customer_id: i64,
    code: String,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<String>,
}

#[derive(Queryable, Selectable, Identifiable, Associations)]
#[diesel(table_name = dao_lines, belongs_to(Read, foreign_key = order_id))]
#[allow(dead_code, reason = "what is measured is the reading")]
pub struct Line {
    id: i64,
    order_id: i64,
    product_id: i64,
    quantity: i32,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = dao_products)]
#[allow(dead_code, reason = "what is measured is the reading")]
pub struct Product {
    id: i64,
    name: String,
}

#[derive(Insertable, AsChangeset, Identifiable)]
#[diesel(table_name = dao_fresh, treat_none_as_null = true)]
pub struct New {
    pub id: i64,
    customer_id: i64,
    code: String,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<String>,
}

pub fn new(item: Item) -> New {
    let Item { id, customer_id, code, quantity, amount, paid, created, note } = item;
    New { id, customer_id, code, quantity, amount, paid, created, note }
}

/// A page. The two engines' connections share no trait by which a function could make it.
macro_rules! page {
    ($quantity:expr) => {
        dao_orders::table
            .left_join(dao_customers::table.left_join(dao_cities::table))
            .filter(dao_orders::quantity.ge($quantity).and(dao_orders::amount.gt(10.0)))
            .order((dao_orders::quantity, dao_orders::id))
            .limit(PAGE)
            .offset(40)
            .select((Read::as_select(), dao_customers::name.nullable(), dao_cities::name.nullable()))
    };
}
pub(super) use page;

pub struct Diesel(SqliteConnection);

type Page = Vec<(Read, Option<String>, Option<String>)>;

impl Diesel {
    pub fn open(path: &str) -> Outcome<Self> {
        let mut connection = SqliteConnection::establish(path)?;
        connection.batch_execute(PRAGMAS)?;
        Ok(Self(connection))
    }

    /// As its guide shows it: `belonging_to` and `grouped_by`, and what a line belongs to by a join.
    fn related(&mut self, from: i64, count: i64, products: bool) -> Outcome<i64> {
        let range = dao_orders::id.ge(from).and(dao_orders::id.lt(from + count));
        let orders =
            dao_orders::table.filter(range).order(dao_orders::id).select(Read::as_select()).load(&mut self.0)?;
        let lines = Line::belonging_to(&orders).order(dao_lines::id);
        if products {
            let lines: Vec<(Line, Product)> = lines
                .inner_join(dao_products::table)
                .select((Line::as_select(), Product::as_select()))
                .load(&mut self.0)?;
            let grouped: Vec<(Read, Vec<(Line, Product)>)> =
                lines.grouped_by(&orders).into_iter().zip(orders).map(|(lines, order)| (order, lines)).collect();
            return Ok(grouped.iter().map(|(_, lines)| lines.len() as i64).sum());
        }
        let lines: Vec<Line> = lines.select(Line::as_select()).load(&mut self.0)?;
        let grouped: Vec<(Read, Vec<Line>)> =
            lines.grouped_by(&orders).into_iter().zip(orders).map(|(lines, order)| (order, lines)).collect();
        Ok(grouped.iter().map(|(_, lines)| lines.len() as i64).sum())
    }

    fn work(&mut self, workload: Workload) -> Outcome<Option<(Instant, i64)>> {
        let begun = Instant::now();
        match workload {
            Workload::Get => {
                for key in keys(GETS) {
                    let _: Read = dao_orders::table.find(key).select(Read::as_select()).first(&mut self.0)?;
                }
                Ok(Some((begun, GETS)))
            }
            Workload::Page => {
                let mut rows = 0;
                for at in 0..PAGES {
                    let found: Page = page!(i32::try_from(at)? % 900).load(&mut self.0)?;
                    rows += found.len() as i64;
                }
                Ok(Some((begun, rows)))
            }
            Workload::Insert => {
                let rows: Vec<New> = (0..WRITES).map(item).map(new).collect();
                let begun = Instant::now();
                // A statement a row, in a transaction of its own: so it is for SQLite, where a row may lack a value.
                Ok(Some((begun, diesel::insert_into(dao_fresh::table).values(&rows).execute(&mut self.0)? as i64)))
            }
            Workload::Numbered => Ok(None),
            Workload::Update => {
                let rows: Vec<New> = (0..WRITES).map(changed).map(new).collect();
                let begun = Instant::now();
                let written = self.0.transaction(|connection| {
                    let mut written = 0;
                    for row in &rows {
                        written += diesel::update(row).set(row).execute(connection)?;
                    }
                    diesel::QueryResult::Ok(written)
                })?;
                Ok(Some((begun, written as i64)))
            }
            Workload::Upsert => {
                let rows: Vec<New> = (0..WRITES).map(changed).map(new).collect();
                let begun = Instant::now();
                let written = self.0.transaction(|connection| {
                    let mut written = 0;
                    for row in &rows {
                        written += diesel::insert_into(dao_fresh::table)
                            .values(row)
                            .on_conflict(dao_fresh::id)
                            .do_update()
                            .set(row)
                            .execute(connection)?;
                    }
                    diesel::QueryResult::Ok(written)
                })?;
                Ok(Some((begun, written as i64)))
            }
            Workload::Stream => {
                let mut count = 0;
                for row in dao_orders::table.select(Read::as_select()).load_iter::<Read, _>(&mut self.0)? {
                    count += i64::from(row?.id >= 0);
                }
                Ok(Some((begun, count)))
            }
            Workload::Lines => Ok(Some((begun, self.related(0, PARENTS, false)?))),
            Workload::Products => {
                let mut rows = 0;
                for page in 0..PAGES {
                    rows += self.related(first(page), PAGE, true)?;
                }
                Ok(Some((begun, rows)))
            }
        }
    }
}

impl Contestant<Workload> for Diesel {
    fn name(&self) -> String {
        "diesel 2.3".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move { Ok(vec![diesel::select(sql::<Text>(expression)).get_result(&mut self.0)?]) })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move { Ok(self.work(workload)?.map(|(begun, rows)| (begun.elapsed(), rows))) })
    }
}
