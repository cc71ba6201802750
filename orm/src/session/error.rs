//! Errors of a session.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::Error;

/// An operation that a session does not support, or not in its current state.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The threads for [`blocking`](crate::blocking) calls cannot be started.
    #[cfg(feature = "blocking")]
    #[error("the threads for what goes on while a caller waits cannot be made: {0}")]
    NoThreads(#[source] std::io::Error),
    /// The context is closed.
    #[error("the context is closed")]
    Closed,
    /// The scope of the container that the session belongs to has ended. An open transaction is rolled back.
    #[cfg(feature = "di")]
    #[error(
        "the scope that the session is of has ended: what goes on after it needs a session of its own, by \
         `context.create_session()`"
    )]
    Ended,
    /// The context is closed, and work that was in progress has not finished in time.
    #[error(
        "the context is closed, and after {waited:?} still under way: {transactions} transaction(s), {operations} other operation(s)"
    )]
    StillOpen {
        /// How long the call has waited.
        waited: Duration,
        /// The number of open transactions.
        transactions: usize,
        /// The number of statements, leases and streams outside of transactions.
        operations: usize,
    },
    /// A blocking call on the only thread of a runtime.
    #[cfg(feature = "blocking")]
    #[error(
        "a blocking call stands on the only thread of an asynchronous runtime: await the method of the same name there, or call from `tokio::task::spawn_blocking`"
    )]
    OnlyThread,
    /// [`Session::current`](crate::Session::current) outside of [`Session::scope`](crate::Session::scope).
    #[error(
        "there is no current session: run this inside of `session.scope(..)`; a task that was spawned has none of its own"
    )]
    NoCurrent,
    /// Another operation of the session holds its connection, usually a stream or lease that the same task still has.
    /// At the end of a transaction, the transaction is rolled back.
    #[error("{holder} of the session has been under way for {waited:?}: end it first, or use a session for each task")]
    Busy {
        /// How long the operation has waited.
        waited: Duration,
        /// What holds the connection.
        holder: Holder,
    },
    /// A commit or rollback without an open transaction.
    #[error("no transaction is open")]
    NoTransaction,
    /// Two transactions of one session overlap without being nested. The one that begins second in the same task, as in a
    /// `join!`, is refused; those of several tasks are rolled back.
    #[error("transactions of one session overlap, and this one is not run or was rolled back: use a session for each")]
    Overlap,
    /// A closure has rolled back its transaction and returned success. Its writes are rolled back.
    #[error(
        "the transaction was rolled back before its closure ended: return an error from the closure, which rolls back"
    )]
    RolledBack,
    /// A savepoint could not be rolled back, or was not released on every data source. The transaction accepts nothing
    /// but a rollback.
    #[error(
        "a savepoint was not taken back or released on every data source: nothing is left but to roll the transaction back"
    )]
    Unusable,
    /// The engine has ended the transaction while the session had it open.
    #[error(
        "the transaction on data source `{data_source}` is over: what it has written is taken back; roll back and begin again"
    )]
    Over {
        /// The name of the data source.
        data_source: Arc<str>,
    },
    /// A table was first used inside of a transaction, and could not be completed because the transaction itself has
    /// locked what that needs.
    #[error(
        "data source `{data_source}`: table `{table}` could not be made to agree within {waited:?}: another connection does \
         it, and waits for what this transaction or another has locked; before the transaction begins, call `sync_table` \
         or `sync_all`"
    )]
    SyncBlocked {
        /// The name of the data source.
        data_source: Arc<str>,
        /// The name of the table.
        table: String,
        /// How long it has waited.
        waited: Duration,
    },
    /// A hook of a transaction's end panicked.
    #[error("a hook panicked behind the end of its transaction, which stays as it ended")]
    HookPanicked,
    /// A transaction was not committed on all of its data sources, or it is unknown whether it was.
    #[error(transparent)]
    Commit(Box<CommitError>),
}

/// What holds the connection of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// A stream in a transaction, of a lease for writes, or of a pool that has no other connection.
    Stream,
    /// A statement, a lease, or the end of a transaction.
    Operation,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stream => "a stream",
            Self::Operation => "another operation or lease",
        })
    }
}

impl SessionError {
    /// The data source that it is of, where it is of one.
    pub(crate) fn data_source(&self) -> Option<&str> {
        match self {
            Self::Over { data_source } | Self::SyncBlocked { data_source, .. } => Some(data_source),
            Self::Commit(failed) => {
                failed.outcomes.iter().find(|outcome| outcome.error().is_some()).map(|o| &*o.data_source)
            }
            _ => None,
        }
    }
}

/// A transaction that was not committed on all of its data sources, or of which it is unknown whether it was.
#[derive(Debug)]
pub struct CommitError {
    outcomes: Vec<CommitOutcome>,
}

/// How a transaction ended on one of several data sources.
#[derive(Debug)]
#[non_exhaustive]
pub struct CommitOutcome {
    /// The name of the data source.
    pub data_source: Arc<str>,
    /// How it ended there.
    pub ending: Ending,
}

/// How a transaction ended on one data source.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// The transaction is committed.
    Committed,
    /// The transaction was rolled back, as another data source could not commit before.
    RolledBack,
    /// The transaction could not be committed, and is rolled back.
    Failed(Error),
    /// The COMMIT was sent and not answered: it may have taken effect or not. Check the data before you run it again.
    Unknown(Error),
}

impl CommitOutcome {
    /// What kept it from being committed there.
    fn error(&self) -> Option<&Error> {
        match &self.ending {
            Ending::Failed(error) | Ending::Unknown(error) => Some(error),
            Ending::Committed | Ending::RolledBack => None,
        }
    }
}

impl CommitError {
    pub(crate) fn new(outcomes: Vec<CommitOutcome>) -> Self {
        Self { outcomes }
    }

    /// The outcomes, in the order in which the data sources were to commit.
    #[must_use]
    pub fn outcomes(&self) -> &[CommitOutcome] {
        &self.outcomes
    }

    /// Whether one data source has committed, or may have, and another has not.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome.ending, Ending::Committed | Ending::Unknown(_)))
    }

    /// Why the transaction was not committed.
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.outcomes.iter().find_map(CommitOutcome::error)
    }
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [CommitOutcome { data_source, ending: Ending::Unknown(error) }] = &*self.outcomes {
            return write!(
                f,
                "data source `{data_source}`: whether the transaction is committed is not known: {error}"
            );
        }
        f.write_str("the transaction is not committed on every data source")?;
        for (index, CommitOutcome { data_source, ending }) in self.outcomes.iter().enumerate() {
            f.write_str(if index == 0 { ": " } else { "; " })?;
            match ending {
                Ending::Committed => write!(f, "committed on `{data_source}`"),
                Ending::RolledBack => write!(f, "rolled back on `{data_source}`"),
                Ending::Failed(error) => write!(f, "failed on `{data_source}`: {error}"),
                Ending::Unknown(error) => write!(f, "not known of `{data_source}`: {error}"),
            }?;
        }
        Ok(())
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error().map(|error| error as _)
    }
}
