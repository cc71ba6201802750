//! What happens around each order that the service writes.

use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EventContext, async_trait};

use super::CountCache;
use crate::auth::{Caller, now};
use crate::domain::{Audit, Order};

/// Writes an audit of each write, and drops the stored counts.
#[derive(Debug, Clone)]
pub(crate) struct OrderEvents {
    counts: CountCache,
}

impl OrderEvents {
    pub(crate) fn new(counts: CountCache) -> Self {
        Self { counts }
    }
}

#[async_trait]
impl EntityEvents<Order> for OrderEvents {
    /// Runs in the transaction of the write: both are committed, or neither is.
    async fn on_inserted(&self, order: &Order, event: &EventContext) -> OrmResult<()> {
        audit(event.session(), order.id, "Placed").await
    }

    async fn on_updated(&self, order: &Order, event: &EventContext) -> OrmResult<()> {
        audit(event.session(), order.id, "Changed").await
    }

    async fn on_deleted(&self, order: &Order, event: &EventContext) -> OrmResult<()> {
        audit(event.session(), order.id, "Deleted").await
    }

    /// Runs after the commit: a count that is made from here on includes the write.
    async fn on_committed(&self, _: &Change<Order>, _: &EventContext) -> OrmResult<()> {
        self.counts.drop_all();
        Ok(())
    }

    async fn on_outcome_unknown(&self, _: &Change<Order>, _: &EventContext) -> OrmResult<()> {
        self.counts.drop_all();
        Ok(())
    }
}

async fn audit(session: &Session, order_id: i64, action: &str) -> OrmResult<()> {
    let user_name = Caller::of(session).map_or_else(|| "nobody".to_owned(), |caller| caller.user_name.clone());
    let mut audit = Audit { order_id, action: action.to_owned(), user_name, done_time: now(), ..Audit::default() };
    ObjectDao::new(session).insert(&mut audit).await.map(drop)
}
