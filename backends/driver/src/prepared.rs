//! How many statements the connections of a pool have prepared, at a server that counts those of all of its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::meter::PreparedGauge;

/// How many statements the connections of a pool may have prepared, all together.
#[derive(Debug)]
pub struct PreparedBudget {
    most: usize,
    count: AtomicUsize,
    gauge: PreparedGauge,
}

impl PreparedBudget {
    /// So many for the pool of that name.
    #[must_use]
    pub fn new(pool: &str, most: usize) -> Arc<Self> {
        Arc::new(Self { most, count: AtomicUsize::new(0), gauge: PreparedGauge::new(pool) })
    }

    /// Whether there are as many as there may be: a connection closes one of its own before it prepares another.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.count.load(Ordering::Relaxed) >= self.most
    }

    /// Counts a statement, until what this returns is dropped. It is counted over the budget as well.
    #[must_use]
    pub fn prepared(self: &Arc<Self>) -> PreparedPlace {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.gauge.up();
        PreparedPlace(Arc::clone(self))
    }
}

/// The place of one statement in a [`PreparedBudget`].
#[derive(Debug)]
pub struct PreparedPlace(Arc<PreparedBudget>);

impl Drop for PreparedPlace {
    fn drop(&mut self) {
        self.0.count.fetch_sub(1, Ordering::Relaxed);
        self.0.gauge.down();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_given_back() {
        let budget = PreparedBudget::new("main", 2);
        let one = budget.prepared();
        assert!(!budget.is_spent());
        let others = [budget.prepared(), budget.prepared()];
        assert!(budget.is_spent());
        drop(one);
        assert!(budget.is_spent());
        drop(others);
        assert!(!budget.is_spent());
    }
}
