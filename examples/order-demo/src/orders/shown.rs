//! Orders and statistics as answers have them.

use std::collections::HashSet;

use isogloss::expr::Decimal;
use isogloss::prelude::*;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::body::{number, time};
use crate::domain::OrderView;

/// The statements of the last call, as an answer has them: clients may not know the columns that they may not name.
pub(super) fn statements(session: &Session) -> Vec<String> {
    let catalog = session.context().catalog();
    let of = |is_shown: bool| {
        let columns = catalog.entities().flat_map(|(_, entity)| &entity.columns);
        columns.filter(move |column| column.filterable == is_shown).map(|column| column.column.as_str())
    };
    let shown: HashSet<&str> = of(true).collect();
    let hidden: HashSet<&str> = of(false).filter(|column| !shown.contains(column)).collect();
    let masked = |sql: String| {
        let quoted = |sql: String, quote: char| {
            let replaced = |sql: String, column: &&str| {
                sql.replace(&format!("{quote}{column}{quote}"), &format!("{quote}hidden{quote}"))
            };
            hidden.iter().fold(sql, replaced)
        };
        quoted(quoted(sql, '"'), '`')
    };
    session.sql_stack().into_iter().map(masked).collect()
}

/// An order, as an answer has it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderDto {
    id: i64,
    order_no: String,
    customer_name: String,
    product_name: String,
    quantity: i32,
    unit_price: Option<Box<RawValue>>,
    total_amount: Option<Box<RawValue>>,
    status: &'static str,
    note: Option<String>,
    created_time: String,
    updated_time: Option<String>,
    created_by_user_id: i64,
    created_by_user_name: Option<String>,
    created_by_login_name: Option<String>,
    department_name: Option<String>,
}

impl From<OrderView> for OrderDto {
    fn from(view: OrderView) -> Self {
        let OrderView { order, created_by_user_name, created_by_login_name, department_name } = view;
        Self {
            id: order.id,
            order_no: order.order_no,
            customer_name: order.customer_name,
            product_name: order.product_name,
            quantity: order.quantity,
            unit_price: number(order.unit_price),
            total_amount: number(order.total_amount),
            status: order.status.name(),
            note: order.note,
            created_time: time(order.created_time),
            updated_time: order.updated_time.map(time),
            created_by_user_id: order.created_by_user_id,
            created_by_user_name,
            created_by_login_name,
            department_name,
        }
    }
}

/// Statistics of the orders of a condition, as one statement gives them.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Stats {
    pub(super) total_amount: Option<Decimal>,
    pub(super) total: i64,
    pub(super) pending: i64,
    pub(super) paid: i64,
    pub(super) shipped: i64,
    pub(super) completed: i64,
    pub(super) cancelled: i64,
}

/// Statistics, as an answer has them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StatsDto {
    total_amount: Option<Box<RawValue>>,
    total: i64,
    pending_count: i64,
    paid_count: i64,
    shipped_count: i64,
    completed_count: i64,
    cancelled_count: i64,
    sql: Vec<String>,
}

impl StatsDto {
    pub(super) fn new(stats: Stats, sql: Vec<String>) -> Self {
        Self {
            total_amount: number(stats.total_amount.unwrap_or_default()),
            total: stats.total,
            pending_count: stats.pending,
            paid_count: stats.paid,
            shipped_count: stats.shipped,
            completed_count: stats.completed,
            cancelled_count: stats.cancelled,
            sql,
        }
    }
}

/// What was ordered in a month.
#[derive(Debug, Clone, PartialEq, FromRow)]
pub(crate) struct Month {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) orders: i64,
    pub(super) amount: Option<Decimal>,
}

/// A month, as an answer has it.
#[derive(Debug, Serialize)]
pub(super) struct MonthDto {
    month: String,
    orders: i64,
    amount: Option<Box<RawValue>>,
}

impl From<Month> for MonthDto {
    fn from(Month { year, month, orders, amount }: Month) -> Self {
        Self { month: format!("{year:04}-{month:02}"), orders, amount: number(amount.unwrap_or_default()) }
    }
}
