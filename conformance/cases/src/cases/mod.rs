//! The cases, a file a topic.

mod aggregates;
mod aliases;
mod arithmetic;
mod booleans;
mod case_cast;
mod comparisons;
mod concat;
mod ctes;
mod delete;
mod distinct;
mod exact;
mod exists;
mod fixed_filters;
mod functions;
mod grouping;
mod in_lists;
mod insert;
mod joins;
mod like;
mod limits;
mod locks;
mod misfits;
mod nulls;
mod odd_input;
mod order;
mod paging;
mod refusals;
mod regex;
mod scopes;
mod set_operations;
mod shards;
mod subqueries;
mod tree;
mod update;
mod upsert;
mod values;
mod variants_of_mysql;
mod variants_of_postgres;
mod verbs;
mod versions;
mod windows;

use isogloss_compiler::expr::{Expr, LogicExpr, SqlSegment, Value, ValueOps, from, prop, table};

use crate::Case;

/// Every case, by topic.
pub fn all() -> Vec<(&'static str, Vec<Case>)> {
    vec![
        ("tree", tree::cases()),
        ("comparisons", comparisons::cases()),
        ("nulls", nulls::cases()),
        ("like", like::cases()),
        ("exact", exact::cases()),
        ("regex", regex::cases()),
        ("in_lists", in_lists::cases()),
        ("booleans", booleans::cases()),
        ("arithmetic", arithmetic::cases()),
        ("concat", concat::cases()),
        ("case_cast", case_cast::cases()),
        ("values", values::cases()),
        ("functions/text", functions::text()),
        ("functions/numbers", functions::numbers()),
        ("functions/dates", functions::dates()),
        ("functions/json", functions::json()),
        ("functions/other", functions::other()),
        ("functions/aggregates", functions::aggregates()),
        ("functions/windows", functions::windows()),
        ("aggregates", aggregates::cases()),
        ("windows", windows::cases()),
        ("joins", joins::cases()),
        ("exists", exists::cases()),
        ("fixed_filters", fixed_filters::cases()),
        ("scopes", scopes::cases()),
        ("subqueries", subqueries::cases()),
        ("ctes", ctes::cases()),
        ("set_operations", set_operations::cases()),
        ("grouping", grouping::cases()),
        ("distinct", distinct::cases()),
        ("order", order::cases()),
        ("paging", paging::cases()),
        ("locks", locks::cases()),
        ("verbs", verbs::cases()),
        ("insert", insert::cases()),
        ("upsert", upsert::cases()),
        ("update", update::cases()),
        ("delete", delete::cases()),
        ("shards", shards::cases()),
        ("aliases", aliases::cases()),
        ("limits", limits::cases()),
        ("odd_input", odd_input::cases()),
        ("versions", versions::cases()),
        ("variants_of_mysql", variants_of_mysql::cases()),
        ("variants_of_postgres", variants_of_postgres::cases()),
        ("refusals", refusals::cases()),
        ("misfits", misfits::cases()),
    ]
}

/// The ids of the orders that satisfy a condition: so that the condition is what one reads.
fn orders(filter: impl Into<LogicExpr>) -> Expr {
    order_rows(filter).into()
}

/// The same as a chain.
fn order_rows(filter: impl Into<LogicExpr>) -> SqlSegment {
    from("Order").filter(filter.into()).select([prop("Id")]).into()
}

/// A value of each order.
fn of_orders(value: impl ValueOps) -> Expr {
    from("Order").select([value.alias("Result")]).into()
}

/// A line of an order, with a value of 1 for each of those columns.
fn insert_item(columns: &[&str]) -> Expr {
    table("OrderItem").insert(columns.iter().copied(), vec![Value::from(1); columns.len()]).into()
}

/// A value of each product.
fn of_products(value: impl ValueOps) -> Expr {
    from("Product").select([value.alias("Result")]).into()
}

/// A value of each customer.
fn of_customers(value: impl ValueOps) -> Expr {
    from("Customer").select([value.alias("Result")]).into()
}
