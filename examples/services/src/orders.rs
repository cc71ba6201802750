//! Orders: their tables, what happens around each one that is written, and the service that clerks call.

use std::sync::{Arc, Mutex, PoisonError};

use isogloss::chrono::NaiveDateTime;
use isogloss::entity::FieldError;
use isogloss::prelude::*;
use isogloss::service::{
    Change, EntityEvents, EntityService, EventContext, FromSession, Principal, ServiceFailure, async_trait, service,
};

/// An order of a tenant's. `scoped`: whoever touches the table says whose rows are meant, or is refused.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case", scoped)]
pub(crate) struct Order {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    pub(crate) tenant_id: Option<i32>, // filled in by the scope
    #[column(length = 50)]
    pub(crate) customer: String,
    pub(crate) amount: i64,
    #[column(soft_delete)]
    pub(crate) deleted_at: Option<NaiveDateTime>, // a DELETE sets it, and the row is not seen any more
}

/// What was done to an order, and by whom.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "audits", columns = "snake_case", scoped)]
pub(crate) struct Audit {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    pub(crate) tenant_id: Option<i32>,
    pub(crate) order_id: i64,
    #[column(length = 20)]
    pub(crate) done: String,
    #[column(length = 50)]
    pub(crate) by: String,
}

/// Who is logged in: to the program a clerk of a tenant's, to a service whoever calls.
pub(crate) struct Clerk {
    pub(crate) name: &'static str,
    pub(crate) tenant: i32,
    pub(crate) role: &'static str,
}

impl Principal for Clerk {
    fn id(&self) -> &str {
        self.name
    }

    fn has_role(&self, role: &str) -> bool {
        self.role == role
    }
}

/// What the program says no with.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShopError {
    #[error("an order of nothing is no order")]
    Nothing,
    #[error("the card is declined")]
    Declined,
    #[error(transparent)]
    Orm(#[from] OrmError),
}

impl ServiceFailure for ShopError {}

/// The service. What stands around a method is said above it, and holds whoever calls it, also one method another.
#[derive(FromSession)]
pub(crate) struct OrderService {
    session: Session,
    orders: EntityService<Order>,
}

#[service]
#[transaction]
#[service_permission(roles = "clerk, manager")]
impl OrderService {
    /// Places an order. An error takes back what was written, the audit as well.
    pub async fn place(&self, customer: &str, amount: i64, #[log(skip)] card: &str) -> Result<i64, ShopError> {
        let mut order = Order { customer: customer.to_owned(), amount, ..Order::default() };
        if !self.orders.insert(&mut order).await? {
            return Err(ShopError::Nothing);
        }
        if card.is_empty() {
            return Err(ShopError::Declined);
        }
        Ok(order.id)
    }

    #[service_permission(roles = "manager")]
    pub async fn cancel(&self, id: i64) -> Result<bool, ShopError> {
        let Some(order) = self.orders.get_object(id).await? else { return Ok(false) };
        Ok(self.orders.delete(&order).await?)
    }

    #[transaction(false)]
    #[service_log(level = none)]
    pub async fn customers(&self) -> OrmResult<Vec<String>> {
        self.orders.search_as(query!(|o: Order| o.order_by(o.id).select(o.customer))).await
    }
}

/// What happens around each order that a service writes.
pub(crate) struct Desk(pub(crate) Told);

#[async_trait]
impl EntityEvents<Order> for Desk {
    /// Before, in the transaction: what is changed here is written, and false leaves the order out.
    async fn on_inserting(&self, order: &mut Order, _: &EventContext) -> OrmResult<bool> {
        order.customer = order.customer.trim().to_owned();
        Ok(order.amount > 0)
    }

    /// After each change, in the same transaction: the audit is there with the order, or neither is.
    async fn on_change(&self, change: &Change<Order>, event: &EventContext) -> OrmResult<()> {
        match change {
            Change::Inserted(order) => audit(event.session(), order.id, "placed").await,
            Change::Deleted(order) => audit(event.session(), order.id, "cancelled").await,
            _ => Err(FieldError::new("an order is placed or cancelled: nothing else has an audit").into()),
        }
    }

    /// Behind the end of the transaction: nobody gets a mail about an order that is not there.
    async fn on_committed(&self, change: &Change<Order>, _: &EventContext) -> OrmResult<()> {
        match change {
            Change::Inserted(order) => self.0.add(format!("mail to {}: order {} is placed", order.customer, order.id)),
            Change::Deleted(order) => {
                self.0.add(format!("mail to {}: order {} is cancelled", order.customer, order.id))
            }
            _ => {}
        }
        Ok(())
    }

    async fn on_rolled_back(&self, _: &Change<Order>, _: &EventContext) -> OrmResult<()> {
        self.0.add("no mail: it was taken back");
        Ok(())
    }
}

async fn audit(session: &Session, order_id: i64, done: &str) -> OrmResult<()> {
    let by = session.principal().map_or("nobody", |clerk| clerk.id()).to_owned();
    let mut audit = Audit { order_id, done: done.to_owned(), by, ..Audit::default() };
    ObjectDao::new(session).insert(&mut audit).await.map(drop)
}

/// What is told beside the results: mails, and the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
