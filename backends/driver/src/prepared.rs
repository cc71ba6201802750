//! How many statements the connections of a pool have prepared, at a server that counts those of all of its clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::meter::PreparedGauge;

/// How many statements the connections of a pool may have prepared, all together.
#[derive(Debug)]
pub struct PreparedBudget {
    most: usize,
    count: AtomicUsize,
    connections: AtomicUsize,
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
            connections: AtomicUsize::new(0),
            is_starved: AtomicBool::new(false),
            gauge: PreparedGauge::new(pool),
        })
    }

    /// Counts a connection until the returned guard is dropped.
    #[must_use]
    pub fn connected(self: &Arc<Self>) -> PreparedShare {
        self.connections.fetch_add(1, Ordering::Relaxed);
        PreparedShare(Arc::clone(self))
    }

    /// Returns whether there are as many as there may be: a connection closes one of its own before it prepares another,
    /// and keeps none if it has none to close.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.count.load(Ordering::Relaxed) >= self.most
    }

    /// Asks another connection to close some of its own: the server keeps no more for anybody, and this one has none.
    /// Returns whether others have any.
    #[must_use]
    pub fn starve(&self) -> bool {
        let others_have_some = self.count.load(Ordering::Relaxed) > 0;
        self.is_starved.store(others_have_some, Ordering::Relaxed);
        others_have_some
    }

    /// Takes the request of a starved connection, if there is one. The caller then closes some of its own statements.
    #[must_use]
    pub fn relieves(&self) -> bool {
        self.is_starved.load(Ordering::Relaxed) && self.is_starved.swap(false, Ordering::Relaxed)
    }

    /// Counts a statement until the returned guard is dropped, even above the budget.
    #[must_use]
    pub fn prepared(self: &Arc<Self>) -> PreparedPlace {
        self.count.fetch_add(1, Ordering::Relaxed);
        self.gauge.up();
        PreparedPlace(Arc::clone(self))
    }
}

/// The share of one connection in a [`PreparedBudget`].
#[derive(Debug)]
pub struct PreparedShare(Arc<PreparedBudget>);

impl PreparedShare {
    /// How many statements the connection may keep, so that each of those that are open has as many: one at least.
    #[must_use]
    pub fn most(&self) -> usize {
        (self.0.most / self.0.connections.load(Ordering::Relaxed).max(1)).max(1)
    }
}

impl Drop for PreparedShare {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
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
        assert!(!budget.starve() && !budget.relieves(), "nobody has any");
        let _one = budget.prepared();
        assert!(budget.starve() && budget.relieves() && !budget.relieves());
    }
    #[test]
    fn connections_share_alike() {
        let budget = PreparedBudget::new("main", 10);
        let one = budget.connected();
        assert_eq!(one.most(), 10);
        let others: Vec<_> = (0..3).map(|_| budget.connected()).collect();
        assert_eq!(one.most(), 2);
        drop(others);
        assert_eq!(one.most(), 10);
        assert_eq!(PreparedBudget::new("none", 0).connected().most(), 1);
    }
}
