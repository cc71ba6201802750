//! How many rows a condition finds, remembered for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use isogloss::prelude::*;
use isogloss::service::{Change, EntityEvents, EventContext, async_trait};

use crate::auth::Caller;

/// How long a count holds.
const HOLDS: Duration = Duration::from_secs(30);

/// How many conditions of a tenant are remembered at most.
const MOST: usize = 1_000;

/// Counts by tenant and condition. Conditions that differ in the order of their AND or OR alone are the same key.
///
/// It listens to each entity that a condition may name. A write drops the counts of its own tenant: another one does not
/// see by its statements that something was written.
#[derive(Debug, Clone)]
pub(crate) struct CountCache {
    tenants: Arc<Mutex<HashMap<i32, Counts>>>,
    holds: Duration,
}

/// The counts of a tenant.
#[derive(Debug, Default)]
struct Counts {
    known: HashMap<LogicExpr, (u64, Instant)>,
    /// How often they were dropped. A count that began before a drop is not stored after it.
    version: u64,
}

impl Default for CountCache {
    fn default() -> Self {
        Self { tenants: Arc::default(), holds: HOLDS }
    }
}

impl CountCache {
    /// One that remembers nothing. A replica may count what it had before a write.
    pub(crate) fn none() -> Self {
        Self { holds: Duration::ZERO, ..Self::default() }
    }

    /// The stored count, or the result of `count`, which is stored.
    ///
    /// # Errors
    /// The error of `count`.
    pub(crate) async fn get<E>(
        &self,
        tenant: i32,
        filter: &LogicExpr,
        count: impl Future<Output = Result<u64, E>>,
    ) -> Result<u64, E> {
        let version = {
            let mut tenants = self.tenants();
            let counts = tenants.entry(tenant).or_default();
            if let Some((known, since)) = counts.known.get(filter)
                && since.elapsed() < self.holds
            {
                return Ok(*known);
            }
            counts.version
        };
        let counted = count.await?;
        let mut tenants = self.tenants();
        let counts = tenants.entry(tenant).or_default();
        if counts.version == version {
            if counts.known.len() >= MOST {
                counts.known.clear();
            }
            counts.known.insert(filter.clone(), (counted, Instant::now()));
        }
        Ok(counted)
    }

    /// Forgets those of a tenant.
    pub(crate) fn drop_of(&self, tenant: i32) {
        let mut tenants = self.tenants();
        let counts = tenants.entry(tenant).or_default();
        counts.known.clear();
        counts.version += 1;
    }

    /// Forgets what a write may have changed: the counts of its caller's tenant, or those of all if it has no caller.
    fn drop_after(&self, event: &EventContext) {
        if let Some(caller) = Caller::of(event.session()) {
            return self.drop_of(caller.tenant_id);
        }
        let known: Vec<i32> = self.tenants().keys().copied().collect();
        known.into_iter().for_each(|tenant| self.drop_of(tenant));
    }

    fn tenants(&self) -> MutexGuard<'_, HashMap<i32, Counts>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// After the commit: a count that is made from here on includes the write.
#[async_trait]
impl<T: Send + Sync + 'static> EntityEvents<T> for CountCache {
    async fn on_committed(&self, _: &Change<T>, event: &EventContext) -> OrmResult<()> {
        self.drop_after(event);
        Ok(())
    }

    async fn on_outcome_unknown(&self, _: &Change<T>, event: &EventContext) -> OrmResult<()> {
        self.drop_after(event);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    async fn count(cache: &CountCache, tenant: i32, filter: &LogicExpr, now: u64) -> u64 {
        cache.get(tenant, filter, async { Ok::<_, Infallible>(now) }).await.unwrap()
    }

    #[tokio::test]
    async fn a_count_holds_for_thirty_seconds_or_until_a_write() {
        let cache = CountCache::default();
        assert_eq!(cache.holds, Duration::from_secs(30));
        let (a, b) = (prop("Id").gt(1), prop("Quantity").lt(5));
        assert_eq!(count(&cache, 1, &(a.clone() & b.clone()), 10).await, 10);
        assert_eq!(count(&cache, 1, &(b.clone() & a.clone()), 11).await, 10, "the order of an AND is nothing");
        assert_eq!(count(&cache, 2, &(a.clone() & b.clone()), 12).await, 12, "of each tenant");
        assert_eq!(count(&cache, 1, &(a.clone() | b.clone()), 13).await, 13, "of each condition");
        cache.drop_of(1);
        assert_eq!(count(&cache, 1, &(a.clone() & b.clone()), 14).await, 14);
        assert_eq!(count(&cache, 2, &(a.clone() & b.clone()), 14).await, 12, "of another tenant nothing is dropped");

        let over = CountCache { holds: Duration::ZERO, ..CountCache::default() };
        assert_eq!(count(&over, 1, &a, 15).await, 15);
        assert_eq!(count(&over, 1, &a, 16).await, 16);
    }

    #[tokio::test]
    async fn what_was_counted_before_a_write_is_not_remembered_after_it() {
        let cache = CountCache::default();
        let filter = prop("Id").gt(1);
        let during = async {
            cache.drop_of(1);
            Ok::<_, Infallible>(1)
        };
        assert_eq!(cache.get(1, &filter, during).await.unwrap(), 1);
        assert_eq!(count(&cache, 1, &filter, 2).await, 2);
    }
}
