//! How many statements the connections of a pool have prepared, at a server that counts those of all of its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::meter::PreparedGauge;

/// How many statements the connections of a pool may have prepared, all together.
#[derive(Debug)]
pub struct PreparedBudget {
    most: usize,
    count: AtomicUsize,
    /// The server keeps no more, and a connection without any has found that out.
    is_starved: AtomicBool,
    gauge: PreparedGauge,
}

impl PreparedBudget {
    /// So many for the pool of that name.
    #[must_use]
    pub fn new(pool: &str, most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            count: AtomicUsize::new(0),
            is_starved: AtomicBool::new(false),
            gauge: PreparedGauge::new(pool),
        })
    }

    /// Whether there are as many as there may be: a connection closes one of its own before it prepares another.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.count.load(Ordering::Relaxed) >= self.most
    }

    /// Asks another connection to close some of its own: the server keeps no more for anybody, and this one has none.
    pub fn starve(&self) {
        self.is_starved.store(true, Ordering::Relaxed);
    }

    /// Whether a connection has asked others to close some of theirs, which the caller does then.
    #[must_use]
    pub fn relieves(&self) -> bool {
        self.is_starved.load(Ordering::Relaxed) && self.is_starved.swap(false, Ordering::Relaxed)
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

    #[test]
    fn one_connection_relieves_another() {
        let budget = PreparedBudget::new("main", 2);
        assert!(!budget.relieves());
        budget.starve();
        assert!(budget.relieves() && !budget.relieves());
    }
}
