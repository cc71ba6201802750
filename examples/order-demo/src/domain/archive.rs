//! Orders in tables of their own: the archive of each month, and those of the platform.

use isogloss::chrono::NaiveDateTime;
use isogloss::entity::Arged;
use isogloss::expr::Decimal;
use isogloss::prelude::*;

use super::{Order, Status};

/// A completed or cancelled order, in the table of its month: `orders_202401`, `orders_202402`, ...
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders_{0}", columns = "snake_case", arged, scoped)]
pub(crate) struct ArchivedOrder {
    #[column(primary_key)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[column(length = 40)]
    pub(crate) order_no: String,
    #[column(length = 100)]
    pub(crate) customer_name: String,
    #[column(length = 100)]
    pub(crate) product_name: String,
    pub(crate) quantity: i32,
    #[column(precision = 18, scale = 2)]
    pub(crate) total_amount: Decimal,
    #[column(length = 20)]
    pub(crate) status: Status,
    #[column(precision = 6)]
    pub(crate) created_time: NaiveDateTime,
    pub(crate) created_by_user_id: i64,
}

impl Arged for ArchivedOrder {
    fn table_args(&self) -> Vec<String> {
        vec![month_of(self.created_time)]
    }
}

impl From<&Order> for ArchivedOrder {
    fn from(order: &Order) -> Self {
        Self {
            id: order.id,
            tenant_id: order.tenant_id,
            order_no: order.order_no.clone(),
            customer_name: order.customer_name.clone(),
            product_name: order.product_name.clone(),
            quantity: order.quantity,
            total_amount: order.total_amount,
            status: order.status,
            created_time: order.created_time,
            created_by_user_id: order.created_by_user_id,
        }
    }
}

/// What stands for `{0}`: `202401`.
pub(crate) fn month_of(time: NaiveDateTime) -> String {
    time.format("%Y%m").to_string()
}

/// A kind of tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, DbEnum)]
pub(crate) enum TenantKind {
    Platform = 1,
    Merchant = 2,
}

/// An order of the platform itself: the model fixes its kind of tenant, which is a part of every condition.
#[derive(Debug, Clone, PartialEq, Entity)]
#[table(name = "platform_orders", columns = "snake_case")]
pub(crate) struct PlatformOrder {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(constant = TenantKind::Platform)]
    pub(crate) tenant_kind: TenantKind,
    #[column(length = 40)]
    pub(crate) order_no: String,
    #[column(precision = 18, scale = 2)]
    pub(crate) total_amount: Decimal,
}

impl Default for PlatformOrder {
    fn default() -> Self {
        Self { id: 0, tenant_kind: TenantKind::Platform, order_no: String::new(), total_amount: Decimal::default() }
    }
}
