//! What a session cannot do.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::Error;

/// What a session cannot do, or cannot do now.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The threads that [`blocking`](crate::blocking) needs cannot be made.
    #[cfg(feature = "blocking")]
    #[error("the threads for what goes on while a caller waits cannot be made: {0}")]
    NoThreads(#[source] std::io::Error),
    /// The context was closed.
    #[error("the context is closed")]
    Closed,
    /// The scope of a container that the session is of has ended, and with it the session. What was in a transaction is taken
    /// back.
    #[cfg(feature = "di")]
    #[error(
        "the scope that the session is of has ended: what goes on after it needs a session of its own, by \
         `context.create_session()`"
    )]
    Ended,
    /// The context is closed, and what was under way has not come to its end in time.
    #[error(
        "the context is closed, and after {waited:?} still under way: {transactions} transaction(s), {operations} other operation(s)"
    )]
    StillOpen {
        /// How long they were waited for.
        waited: Duration,
        /// How many transactions were open.
        transactions: usize,
        /// How many statements, leases and streams outside of transactions.
        operations: usize,
    },
    /// A call that waits, on the only thread of the runtime that would have to go on meanwhile.
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
    /// Another operation of the session has its connection: most often a stream or lease that the same task still holds.
    /// At the end of a transaction, what it has written is taken back.
    #[error("{holder} of the session has been under way for {waited:?}: end it first, or use a session for each task")]
    Busy {
        /// How long this one has waited.
        waited: Duration,
        /// What it has waited for.
        holder: Holder,
    },
    /// A commit or rollback without a transaction.
    #[error("no transaction is open")]
    NoTransaction,
    /// Two transactions of one session, neither of which is inside of the other. What belonged to them is rolled back.
    #[error("transactions of one session overlap and were rolled back: use a session for each task")]
    Overlap,
    /// A closure has rolled its transaction back by itself, and succeeded: what it has written is taken back.
    #[error(
        "the transaction was rolled back before its closure ended: return an error from the closure, which rolls back"
    )]
    RolledBack,
    /// A savepoint could not be taken back, or was not released on every source, so that the transaction takes nothing
    /// but a rollback.
    #[error(
        "a savepoint was not taken back or released on every data source: nothing is left but to roll the transaction back"
    )]
    Unusable,
    /// The transaction ended at the engine while the session had it open.
    #[error(
        "the transaction on data source `{data_source}` is over: what it has written is taken back; roll back and begin again"
    )]
    Over {
        /// The source.
        data_source: Arc<str>,
    },
    /// A table was first used in a transaction, and what is missing of it could not be added beside that.
    #[error(
        "data source `{data_source}`: table `{table}` could not be made to agree within {waited:?}: another connection does \
         it, and waits for what this transaction or another has locked; before the transaction begins, call `sync_table` \
         or `sync_all`"
    )]
    SyncBlocked {
        /// The source.
        data_source: Arc<str>,
        /// The table.
        table: String,
        /// How long it has waited.
        waited: Duration,
    },
    /// What was to run behind the end of a transaction panicked.
    #[error("a hook panicked behind the end of its transaction, which stays as it ended")]
    HookPanicked,
    /// A transaction could not be committed on all of its sources, or nobody knows whether it was.
    #[error(transparent)]
    Commit(Box<CommitError>),
}

/// What has the connection of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Holder {
    /// A stream in a transaction, one of a lease for writes, or one of a pool that has no other connection.
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

/// A transaction that could not be committed on all of its sources, or of which nobody knows whether it was.
#[derive(Debug)]
pub struct CommitError {
    outcomes: Vec<CommitOutcome>,
}

/// How a transaction ended on one of several sources.
#[derive(Debug)]
#[non_exhaustive]
pub struct CommitOutcome {
    /// The source.
    pub data_source: Arc<str>,
    /// How it ended there.
    pub ending: Ending,
}

/// How a transaction ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// It is committed.
    Committed,
    /// It was taken back, as another source could not commit before.
    RolledBack,
    /// It could not be committed, and is taken back.
    Failed(Error),
    /// The COMMIT was sent and not answered: it may have taken effect or not. Look before it is run again.
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

    /// The outcomes, in the order in which the sources were to commit.
    #[must_use]
    pub fn outcomes(&self) -> &[CommitOutcome] {
        &self.outcomes
    }

    /// Whether one source has committed, or may have, and another has not.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.outcomes.iter().any(|outcome| matches!(outcome.ending, Ending::Committed | Ending::Unknown(_)))
    }

    /// What kept it from being committed.
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
