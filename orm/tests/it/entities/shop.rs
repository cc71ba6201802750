//! A shop's tables and views.

use isogloss::expr::Decimal;
use isogloss::prelude::*;
use serde::{Deserialize, Serialize};

pub(crate) use crate::support::money::{Cents, Money};

/// By its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
pub(crate) enum Status {
    #[default]
    Open = 1,
    Paid = 2,
    #[db_enum(rename = "Gone")]
    Shipped = 10,
}

/// By its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
#[db_enum(text, rename_all = "snake_case")]
pub(crate) enum Channel {
    #[default]
    Web,
    ByPhone,
}

/// A newtype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Field)]
pub(crate) struct CustomerId(pub i64);

/// What serde reads and writes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Address {
    pub street: String,
    pub zip: u32,
}

/// A region.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "regions", columns = "snake_case")]
pub(crate) struct Region {
    #[column(primary_key)]
    pub code: String,
    pub region_name: String,
}

/// Who buys.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers", columns = "snake_case")]
pub(crate) struct Customer {
    #[column(primary_key, identity)]
    pub id: CustomerId,
    #[column(length = 100, index)]
    pub name: String,
    #[foreign(Region)]
    #[column(length = 2)]
    pub region_code: Option<String>,
    #[column(json)]
    pub address: Option<Address>,
}

/// What is bought.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", sync_table = never, columns = "snake_case")]
pub(crate) struct Order {
    /// Its number.
    #[column(primary_key, identity(start = 100, increment = 1))]
    pub id: i64,
    #[foreign(Customer, alias = "Buyer", auto_expand)]
    #[foreign(Customer, alias = "Same", join = Inner)]
    pub customer_id: CustomerId,
    #[column(precision = 18, scale = 2)]
    pub amount: Decimal,
    pub qty: i32,
    pub status: Status,
    #[column(length = 10)]
    pub channel: Channel,
    #[column(converter = Cents, name = "fee_cents")]
    pub fee: Money,
    #[column(converter = Cents)]
    pub tip: Option<Money>,
    #[column(json)]
    pub tags: Vec<String>,
    #[column(nullable, length = 200, writable)]
    pub note: Option<String>,
    #[column(constant = false, not_filterable)]
    pub deleted: bool,
    #[column(timestamp)]
    pub version: i64,
    #[column(computed = "{Amount} * {Qty}", precision = 18, scale = 2)]
    pub total: Decimal,
    #[column(mode = "update | insert", default = "'x'")]
    pub secret: String,
    #[column(skip)]
    pub cached: usize,
}

/// An order and who bought it.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub(crate) struct OrderView {
    pub order: Order,
    /// The customer's.
    #[foreign_column("Buyer", property = "Name")]
    pub customer_name: Option<String>,
}

/// A view over a view.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = OrderView)]
pub(crate) struct OrderRegionView {
    #[foreign_column(Region, property = region_name)]
    pub region: Option<String>,
    #[entity]
    pub view: OrderView,
}

/// A key of two columns.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
pub(crate) struct Line {
    #[column(primary_key)]
    pub order_id: i64,
    #[column(primary_key)]
    pub no: i32,
    pub r#type: String,
}

/// What hangs on a line, and on the customer of its order.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table_join(Line, keys(order_id, line_no), prime_keys(order_id, no))]
#[table_join(Order, keys = [order_id], auto_expand)]
#[table_join(Customer, keys(customer_id), source = Order, alias = "C")]
pub(crate) struct Claim {
    #[column(primary_key)]
    pub id: i64,
    pub order_id: i64,
    pub line_no: i32,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Claim)]
pub(crate) struct ClaimView {
    pub claim: Claim,
    #[foreign_column(Line, property = r#type)]
    pub kind: Option<String>,
    #[foreign_column("C", property = "Name")]
    pub customer: Option<String>,
}

/// A view that relates its entity to more than the entity says.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Line, entity = "Sales.LineView", fixed_filter = Line::NO.gt(0))]
#[foreign(Order, key = order_id, join = Inner, auto_expand)]
#[table_join(Order, keys(order_id), alias = "Again")]
pub(crate) struct LineView {
    pub line: Line,
    #[foreign_column(Order, property = status, not_filterable)]
    pub status: Option<Status>,
    #[foreign_column("Again", property = "Qty")]
    pub order_qty: Option<i32>,
    #[column(name = "remark", length = 10)]
    pub own: Option<String>,
}

/// A table of some kind of value.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "settings")]
pub(crate) struct Setting<T: Field> {
    #[column(primary_key)]
    pub id: i32,
    pub value: T,
}
