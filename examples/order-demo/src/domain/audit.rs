//! The history of orders.

use isogloss::chrono::NaiveDateTime;
use isogloss::prelude::*;

use super::Order;

/// What was done to an order, when and by whom.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "audits", columns = "snake_case", scoped)]
pub(crate) struct Audit {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[foreign(Order)]
    #[column(index)]
    pub(crate) order_id: i64,
    #[column(length = 20)]
    pub(crate) action: String,
    #[column(length = 40)]
    pub(crate) user_name: String,
    #[column(precision = 6)]
    pub(crate) done_time: NaiveDateTime,
}
