//! Orders.

use isogloss::chrono::NaiveDateTime;
use isogloss::expr::Decimal;
use isogloss::prelude::*;

use super::{Department, User};

/// How far an order is. Any status may follow any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
#[db_enum(text)]
pub(crate) enum Status {
    #[default]
    Pending,
    Paid,
    Shipped,
    Completed,
    Cancelled,
}

impl Status {
    pub(crate) const ALL: [Self; 5] = [Self::Pending, Self::Paid, Self::Shipped, Self::Completed, Self::Cancelled];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::Paid => "Paid",
            Self::Shipped => "Shipped",
            Self::Completed => "Completed",
            Self::Cancelled => "Cancelled",
        }
    }

    /// The status of that name, in whatever case.
    pub(crate) fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name().eq_ignore_ascii_case(name))
    }
}

/// An order of a tenant's. `scoped`: a statement that does not say whose orders are meant is refused.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case", scoped)]
pub(crate) struct Order {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>, // filled in by the scope
    #[column(length = 40, unique)]
    pub(crate) order_no: String,
    #[column(length = 100)]
    pub(crate) customer_name: String,
    #[column(length = 100)]
    pub(crate) product_name: String,
    pub(crate) quantity: i32,
    #[column(precision = 18, scale = 2)]
    pub(crate) unit_price: Decimal,
    #[column(precision = 18, scale = 2)]
    pub(crate) total_amount: Decimal,
    #[column(length = 20)]
    pub(crate) status: Status,
    #[column(length = 400)]
    pub(crate) note: Option<String>,
    #[column(precision = 6, index)]
    pub(crate) created_time: NaiveDateTime,
    #[column(precision = 6)]
    pub(crate) updated_time: Option<NaiveDateTime>,
    #[foreign(User, auto_expand)]
    #[column(index)]
    pub(crate) created_by_user_id: i64,
    #[column(soft_delete, not_filterable)]
    pub(crate) is_deleted: bool, // a DELETE sets it, and the row is not seen any more
    #[column(timestamp)]
    pub(crate) version: i64, // what is written over another version is refused
}

/// An order with the names of who made it.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub(crate) struct OrderView {
    pub(crate) order: Order,
    #[foreign_column(User, property = display_name)]
    pub(crate) created_by_user_name: Option<String>,
    #[foreign_column(User, property = user_name)]
    pub(crate) created_by_login_name: Option<String>,
    #[foreign_column(Department, property = name)]
    pub(crate) department_name: Option<String>,
}
