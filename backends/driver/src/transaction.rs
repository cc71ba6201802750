//! How a transaction begins.

use std::time::Duration;

use crate::{Error, ErrorKind, Result};

/// What a transaction sees of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isolation {
    /// What others have committed when a statement begins. Where an engine takes READ UNCOMMITTED for this, it is this.
    ReadCommitted,
    /// The same rows for the whole transaction.
    RepeatableRead,
    /// As it was when the transaction began, where a row that others have changed since is a conflict: SQL Server's
    /// SNAPSHOT, and what PostgreSQL, MariaDB and Oracle do at their nearest level. MySQL sees no conflicts: there it is
    /// an error of [`ErrorKind::Configuration`].
    Snapshot,
    /// As if transactions ran one after the other.
    Serializable,
}

/// How a transaction begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TransactionOptions {
    /// Its isolation; the server's own default if absent.
    pub isolation: Option<Isolation>,
    /// Whether it only reads.
    pub read_only: bool,
    /// How long each of its statements may take.
    pub statement_timeout: Option<Duration>,
}

impl TransactionOptions {
    /// With that isolation.
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// It only reads: a write in it is an error.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// With a limit for each of its statements.
    #[must_use]
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = Some(timeout);
        self
    }

    /// Whether a transaction so deep may begin with these: a savepoint has no options of its own.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for options in a savepoint, and for a limit of 0.
    pub fn check(&self, depth: u32) -> Result<()> {
        if self.statement_timeout.is_some_and(|limit| limit.is_zero()) {
            let message = "a limit of 0 gives a statement no time: say how long it may take, hours where that is so";
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        if depth == 0 || *self == Self::default() {
            return Ok(());
        }
        let message = "a savepoint has the options of its transaction: begin it with TransactionOptions::default()";
        Err(Error::new(ErrorKind::Configuration, message))
    }
}
