//! diesel on SQLite: typed queries, blocking.

use std::time::{Duration, Instant};

use chrono::NaiveDateTime;
use diesel::connection::SimpleConnection;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Text;
use workload::settings::PRAGMAS;
use workload::{BULK, BoxFuture, Contestant, INSERTS, LOOKUPS, Outcome, Workload, keys};

diesel::table! {
    items (id) {
        id -> BigInt,
        name -> Text,
        email -> Text,
        quantity -> Integer,
        price -> Double,
        active -> Bool,
        created -> Timestamp,
        note -> Nullable<Text>,
    }
}

diesel::table! {
    fresh (id) {
        id -> BigInt,
        name -> Text,
        email -> Text,
        quantity -> Integer,
        price -> Double,
        active -> Bool,
        created -> Timestamp,
        note -> Nullable<Text>,
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = items)]
#[allow(dead_code, reason = "what is measured is the reading")]
pub struct Read {
    id: i64,
    name: String,
    email: String,
    quantity: i32,
    price: f64,
    active: bool,
    created: NaiveDateTime,
    note: Option<String>,
}

#[derive(Insertable)]
#[diesel(table_name = fresh)]
pub struct New {
    id: i64,
    name: String,
    email: String,
    quantity: i32,
    price: f64,
    active: bool,
    created: NaiveDateTime,
    note: Option<String>,
}

pub fn new(id: i64) -> New {
    let workload::Item { id, name, email, quantity, price, active, created, note } = workload::item(id);
    New { id, name, email, quantity, price, active, created, note }
}

pub struct Diesel(SqliteConnection);

impl Diesel {
    pub fn open(path: &str) -> Outcome<Self> {
        let mut connection = SqliteConnection::establish(path)?;
        connection.batch_execute(PRAGMAS)?;
        Ok(Self(connection))
    }

    fn insert(&mut self, count: i64) -> Outcome<(Duration, i64)> {
        let rows: Vec<New> = (0..count).map(new).collect();
        let begun = Instant::now();
        self.0.transaction(|connection| {
            rows.iter().try_for_each(|row| diesel::insert_into(fresh::table).values(row).execute(connection).map(drop))
        })?;
        Ok((begun.elapsed(), count))
    }
}

impl Contestant for Diesel {
    fn name(&self) -> String {
        "diesel 2.3".into()
    }

    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>> {
        Box::pin(async move { Ok(vec![diesel::select(sql::<Text>(expression)).get_result(&mut self.0)?]) })
    }

    fn run(&mut self, workload: Workload) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>> {
        Box::pin(async move {
            let begun = Instant::now();
            Ok(Some(match workload {
                Workload::Rows => {
                    let rows: Vec<Read> = items::table.select(Read::as_select()).load(&mut self.0)?;
                    (begun.elapsed(), rows.len() as i64)
                }
                Workload::Key => {
                    for key in keys(LOOKUPS) {
                        let _: Read = items::table.find(key).select(Read::as_select()).first(&mut self.0)?;
                    }
                    (begun.elapsed(), LOOKUPS)
                }
                Workload::Insert => self.insert(INSERTS)?,
                Workload::Bulk => self.insert(BULK)?,
                // It has no pool of its own.
                Workload::Concurrent => return Ok(None),
            }))
        })
    }
}
