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
    /// [`Session::current`](crate::Session::current) outside of [`Session::scope`](crate::Session::scope).
    #[error(
        "there is no current session: run this inside of `session.scope(..)`; a task that was spawned has none of its own"
    )]
    NoCurrent,
    /// Another operation of the session has its connection: most often a stream or lease that the same task still holds.
    #[error(
        "another operation of the session has been under way for {waited:?}: end its stream or lease, or use a session for each task"
    )]
    Busy {
        /// How long this one has waited.
        waited: Duration,
    },
    /// A commit or rollback without a transaction.
    #[error("no transaction is open")]
    NoTransaction,
    /// Two transactions of one session, neither of which is inside of the other. What belonged to them is rolled back.
    #[error("transactions of one session overlap and were rolled back: use a session for each task")]
    Overlap,
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
    /// A transaction over several sources could not be committed on all of them.
    #[error(transparent)]
    Commit(Box<CommitError>),
}

/// A transaction over several sources that could not be committed on all of them.
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
    /// The connection broke while it was committed: it may have taken effect or not.
    Unknown(Error),
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
        self.outcomes.iter().find_map(|outcome| match &outcome.ending {
            Ending::Failed(error) | Ending::Unknown(error) => Some(error),
            Ending::Committed | Ending::RolledBack => None,
        })
    }
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
