//! What a careful person writes for these requests alone: constant SQL, prepared statements that are kept, rows into structs
//! that borrow where they can, and those by serde into JSON.

mod postgres;
mod sqlite;

use axum::Router;
use chrono::NaiveDateTime;
use serde::Serialize;
use served::{Outcome, handlers};

pub async fn postgres(url: &str) -> Outcome<Router> {
    Ok(handlers::router(postgres::Postgres::open(url).await?))
}

pub fn sqlite(path: &str) -> Outcome<Router> {
    Ok(handlers::router(sqlite::Sqlite::open(path)?))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Order<T> {
    id: i64,
    customer_id: i64,
    code: T,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<T>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OrderView<T> {
    id: i64,
    customer_id: i64,
    code: T,
    quantity: i32,
    amount: f64,
    paid: bool,
    created: NaiveDateTime,
    note: Option<T>,
    customer_name: Option<T>,
    city_name: Option<T>,
}
