//! Options of a transaction.

use std::time::Duration;

use crate::{Error, ErrorKind, Result};

/// The isolation level of a transaction: which changes of concurrent transactions it sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Isolation {
    /// Each statement sees what was committed before it began. It is also used where an engine would accept READ
    /// UNCOMMITTED.
    ReadCommitted,
    /// Rows that were read once stay the same for the whole transaction.
    RepeatableRead,
    /// All statements see the data as of the start of the transaction, and changing a row that another transaction has
    /// changed since is a conflict. It is SNAPSHOT on SQL Server, and the nearest level on PostgreSQL, MariaDB and
    /// Oracle. MySQL does not detect such conflicts: there it is an error of [`ErrorKind::Configuration`].
    Snapshot,
    /// The result is as if transactions ran one after the other.
    Serializable,
}

/// Options of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct TransactionOptions {
    /// The isolation level; by default that of the server.
    pub isolation: Option<Isolation>,
    /// Whether the transaction only reads.
    pub read_only: bool,
    /// The time limit of each of its statements.
    pub statement_timeout: Option<Duration>,
}

impl TransactionOptions {
    /// Sets the isolation level.
    #[must_use]
    pub fn isolation(mut self, isolation: Isolation) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// Makes the transaction read-only: a write in it is an error.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Sets the time limit of each of its statements.
    #[must_use]
    pub fn statement_timeout(mut self, timeout: Duration) -> Self {
        self.statement_timeout = Some(timeout);
        self
    }

    /// Checks whether a transaction at this depth may begin with these options: a savepoint takes none.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for options on a savepoint, and for a time limit of 0.
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
