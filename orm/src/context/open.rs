//! The work in progress of a context, which may finish when the context is closed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::OrmContext;
use crate::OrmResult;
use crate::session::SessionError;

/// How much is under way.
#[derive(Debug, Default)]
pub(super) struct Open {
    transactions: AtomicUsize,
    leases: AtomicUsize,
    ended: Notify,
}

impl Open {
    fn is_empty(&self) -> bool {
        self.transactions.load(Ordering::SeqCst) == 0 && self.leases.load(Ordering::SeqCst) == 0
    }
}

/// A transaction that is open, or outside of one a connection that is lent or tables that are looked at.
pub(crate) struct UnderWay {
    context: OrmContext,
    of: fn(&Open) -> &AtomicUsize,
}

impl UnderWay {
    /// # Errors
    /// The context is closed.
    fn begin(context: &OrmContext, of: fn(&Open) -> &AtomicUsize) -> OrmResult<Self> {
        of(&context.0.open).fetch_add(1, Ordering::SeqCst);
        let begun = Self { context: context.clone(), of };
        // Counted before it is looked: whoever closes the context either sees this, or is seen.
        if context.is_closed() { Err(SessionError::Closed.into()) } else { Ok(begun) }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let open = &self.context.0.open;
        (self.of)(open).fetch_sub(1, Ordering::SeqCst);
        if self.context.is_closed() && open.is_empty() {
            self.context.close_sources();
            open.ended.notify_waiters();
        }
    }
}

impl OrmContext {
    /// A transaction begins.
    pub(crate) fn begin_transaction(&self) -> OrmResult<UnderWay> {
        UnderWay::begin(self, |open| &open.transactions)
    }

    /// A transaction ends, and what runs behind that belongs to it, also where the context was closed meanwhile.
    pub(crate) fn still_under_way(&self) -> UnderWay {
        let of: fn(&Open) -> &AtomicUsize = |open| &open.transactions;
        of(&self.0.open).fetch_add(1, Ordering::SeqCst);
        UnderWay { context: self.clone(), of }
    }

    /// Outside of a transaction, a connection is lent, or tables are looked at.
    pub(crate) fn begin_lease(&self) -> OrmResult<UnderWay> {
        UnderWay::begin(self, |open| &open.leases)
    }

    /// Closes the context: nothing new can begin. Transactions and streams that are in progress may finish; the pools
    /// are closed after the last of them.
    pub fn close(&self) {
        self.0.closed.store(true, Ordering::SeqCst);
        if self.0.open.is_empty() {
            self.close_sources();
        }
    }

    /// Closes the context as [`close`](Self::close) does, and waits for the work in progress: call it when the program
    /// shuts down. After `limit`, the pools are closed as soon as their connections are returned, and the rest is
    /// reported as an error.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> isogloss::OrmResult<()> {
    /// # use isogloss::config::DataSourceConfig;
    /// # use isogloss::prelude::*;
    /// use std::time::Duration;
    /// # let context = isogloss::OrmContext::new(Catalog::builder().build()?);
    /// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
    /// context.close_and_wait(Duration::from_secs(20)).await?;
    /// assert!(context.is_closed());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// [`SessionError::StillOpen`] says what was in progress when the time was over.
    pub async fn close_and_wait(&self, limit: Duration) -> OrmResult<()> {
        let open = &self.0.open;
        let drained = async {
            loop {
                let ended = open.ended.notified();
                if open.is_empty() {
                    return;
                }
                ended.await;
            }
        };
        self.close();
        if tokio::time::timeout(limit, drained).await.is_ok() {
            return Ok(());
        }
        self.close_sources();
        let transactions = open.transactions.load(Ordering::SeqCst);
        let operations = open.leases.load(Ordering::SeqCst);
        Err(SessionError::StillOpen { waited: limit, transactions, operations }.into())
    }

    /// Closes the pools for good, each with its last connection.
    fn close_sources(&self) {
        for source in self.data_sources() {
            source.close();
        }
    }
}
