//! How many rows a condition finds, remembered for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use isogloss::prelude::*;

/// How long a count holds.
const HOLDS: Duration = Duration::from_secs(30);

/// How many conditions are remembered at most.
const MOST: usize = 1_000;

/// Counts by tenant and condition. Conditions that differ in the order of their AND or OR alone are the same key. Each write
/// of an order drops all counts.
#[derive(Debug, Clone)]
pub(crate) struct CountCache {
    state: Arc<Mutex<State>>,
    holds: Duration,
}

impl Default for CountCache {
    fn default() -> Self {
        Self { state: Arc::default(), holds: HOLDS }
    }
}

#[derive(Debug, Default)]
struct State {
    counts: HashMap<(i32, LogicExpr), (u64, Instant)>,
    /// How often all were dropped. A count that began before a drop is not stored after it.
    version: u64,
}

impl CountCache {
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
        let key = (tenant, filter.clone());
        let version = {
            let state = self.state();
            if let Some((known, since)) = state.counts.get(&key)
                && since.elapsed() < self.holds
            {
                return Ok(*known);
            }
            state.version
        };
        let counted = count.await?;
        let mut state = self.state();
        if state.version == version {
            if state.counts.len() >= MOST {
                state.counts.clear();
            }
            state.counts.insert(key, (counted, Instant::now()));
        }
        Ok(counted)
    }

    /// Forgets all of them.
    pub(crate) fn drop_all(&self) {
        let mut state = self.state();
        state.counts.clear();
        state.version += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        cache.drop_all();
        assert_eq!(count(&cache, 1, &(a.clone() & b.clone()), 14).await, 14);

        let over = CountCache { holds: Duration::ZERO, ..CountCache::default() };
        assert_eq!(count(&over, 1, &a, 15).await, 15);
        assert_eq!(count(&over, 1, &a, 16).await, 16);
    }

    #[tokio::test]
    async fn what_was_counted_before_a_write_is_not_remembered_after_it() {
        let cache = CountCache::default();
        let filter = prop("Id").gt(1);
        let during = async {
            cache.drop_all();
            Ok::<_, Infallible>(1)
        };
        assert_eq!(cache.get(1, &filter, during).await.unwrap(), 1);
        assert_eq!(count(&cache, 1, &filter, 2).await, 2);
    }
}
