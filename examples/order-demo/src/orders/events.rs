//! What happens around each order that a service writes.

use isogloss::entity::FieldError;
use isogloss::expr::Value;
use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EventContext, async_trait};

use crate::auth::{Caller, now};
use crate::domain::{Audit, Order};

/// Writes an audit of each change, in its transaction: both are committed, or neither is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderAudits;

#[async_trait]
impl EntityEvents<Order> for OrderAudits {
    async fn on_change(&self, change: &Change<Order>, event: &EventContext) -> OrmResult<()> {
        let session = event.session();
        match change {
            Change::Inserted(order) => audit(session, order.id, "Placed").await,
            Change::Updated(order) | Change::UpdatedOrInserted(order) => audit(session, order.id, "Changed").await,
            Change::Deleted(order) => audit(session, order.id, "Deleted").await,
            Change::DeletedId(key) => audit(session, id_of(key)?, "Deleted").await,
            Change::BatchDeletedIds(keys) => {
                for key in keys {
                    audit(session, id_of(key)?, "Deleted").await?;
                }
                Ok(())
            }
            // An order without its audit is refused. So is a kind of change that is added one day.
            _ => {
                Err(FieldError::new("orders are written row by row: a write by a condition does not say which").into())
            }
        }
    }
}

fn id_of(key: &[Value]) -> OrmResult<i64> {
    match key {
        [Value::Int(id)] => Ok(*id),
        _ => Err(FieldError::new("the key of an order is a number").into()),
    }
}

async fn audit(session: &Session, order_id: i64, action: &str) -> OrmResult<()> {
    let user_name = Caller::of(session).map_or_else(|| "nobody".to_owned(), |caller| caller.user_name.clone());
    let mut audit = Audit { order_id, action: action.to_owned(), user_name, done_time: now(), ..Audit::default() };
    ObjectDao::new(session).insert(&mut audit).await.map(drop)
}
