//! The statements that a connection has prepared, within the budget of its pool.

use std::num::NonZeroUsize;
use std::sync::Arc;

use isogloss_driver::{ErrorKind, PreparedBudget, PreparedPlace, PreparedShare, Result};
use lru::LruCache;
use mysql_async::Statement;
use mysql_async::prelude::Queryable;

use super::leavings::leaves;
use super::wire::{At, Wire};

/// What a connection has prepared.
pub(super) struct Prepared {
    /// `None` keeps none.
    kept: Option<LruCache<Box<str>, Kept>>,
    budget: Arc<PreparedBudget>,
    share: PreparedShare,
    /// The server would not prepare one, and other connections of the pool have some: they are the ones to be used.
    is_starved: bool,
    /// One that is not kept, to be closed when the next one comes.
    spent: Option<Kept>,
}

/// A statement that is prepared.
struct Kept {
    statement: Statement,
    /// Whether it may leave something in its session.
    leaves: bool,
    _place: PreparedPlace,
}

impl Prepared {
    /// None yet, and so many at most.
    pub(super) fn new(most: usize, budget: &Arc<PreparedBudget>) -> Self {
        Self {
            kept: NonZeroUsize::new(most).map(LruCache::new),
            budget: Arc::clone(budget),
            share: budget.connected(),
            is_starved: false,
            spent: None,
        }
    }

    pub(super) fn is_starved(&self) -> bool {
        self.is_starved
    }

    /// Forgets a statement that the server no longer knows.
    pub(super) fn forget(&mut self, sql: &str) {
        if let Some(kept) = &mut self.kept {
            kept.pop(sql);
        }
    }

    fn count(&self) -> usize {
        self.kept.as_ref().map_or(0, LruCache::len)
    }

    /// Returns whether another one takes the place of one that is kept.
    fn is_full(&self) -> bool {
        self.count() >= self.share.most() || self.budget.is_spent()
    }

    /// The one that was used least lately, which is kept no longer.
    fn oldest(&mut self) -> Option<Kept> {
        self.kept.as_mut()?.pop_lru().map(|(_, oldest)| oldest)
    }
}

impl Wire {
    /// The statement of a text, prepared, to be sent next.
    ///
    /// # Errors
    /// [`ErrorKind::Busy`]: the server keeps no more, and none of them is ours.
    pub(super) async fn prepared(&mut self, sql: &str) -> Result<Statement> {
        self.give_way().await?;
        if let Some(found) = self.prepared.kept.as_mut().and_then(|kept| kept.get(sql)) {
            self.scripted |= found.leaves;
            return Ok(found.statement.clone());
        }
        let leaves = leaves(sql);
        self.scripted |= leaves;
        if let Some(spent) = self.prepared.spent.take() {
            self.close_prepared(spent).await?;
        }
        let mut is_kept = true;
        if self.prepared.is_full() {
            let oldest = self.prepared.oldest();
            is_kept = oldest.is_some();
            if let Some(oldest) = oldest {
                self.close_prepared(oldest).await?;
            }
        }
        let statement = loop {
            match self.prepare(sql).await {
                // Other clients have as many as the server keeps: one of ours makes room.
                Err(error) if error.kind() == ErrorKind::Busy => match self.prepared.oldest() {
                    Some(oldest) => self.close_prepared(oldest).await?,
                    None => {
                        self.prepared.is_starved = self.prepared.budget.starve();
                        return Err(error);
                    }
                },
                prepared => break prepared?,
            }
        };
        let prepared = &mut self.prepared;
        prepared.is_starved = false;
        let kept = Kept { statement: statement.clone(), leaves, _place: prepared.budget.prepared() };
        prepared.spent = match &mut prepared.kept {
            Some(all) if is_kept => all.push(sql.into(), kept).map(|(_, oldest)| oldest),
            _ => Some(kept),
        };
        Ok(statement)
    }

    /// Closes what it keeps beyond its share, and half of it if another connection of the pool can prepare nothing.
    pub(super) async fn give_way(&mut self) -> Result<()> {
        let count = self.prepared.count();
        let mut most = self.prepared.share.most();
        if count > 0 && self.prepared.budget.relieves() {
            most = most.min(count / 2);
        }
        while self.prepared.count() > most
            && let Some(oldest) = self.prepared.oldest()
        {
            self.close_prepared(oldest).await?;
        }
        Ok(())
    }

    async fn prepare(&mut self, sql: &str) -> Result<Statement> {
        self.at = At::Midway;
        let prepared = async { self.line.conn()?.prep(sql).await }.await;
        // What the driver takes from this answer for the state of the transaction is something else.
        let statement = self.ended(prepared, At::Midway)?;
        self.at = At::Rest;
        Ok(statement)
    }

    /// The server says nothing to this.
    async fn close_prepared(&mut self, kept: Kept) -> Result<()> {
        self.at = At::Midway;
        let (untried, closed) = (self.untried, async { self.line.conn()?.close(kept.statement).await }.await);
        self.ended(closed, At::Midway)?;
        (self.at, self.untried) = (At::Rest, untried);
        Ok(())
    }
}
