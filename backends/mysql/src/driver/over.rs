//! A transaction that has ended, and not by who began it.

use isogloss_driver::{Error, ErrorKind};

/// How it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// With an error, by which the server takes all of it back.
    TakenBack,
    /// By a statement that commits, or that ends it in so many words.
    Committed,
}

impl Over {
    /// What is told of it.
    pub(super) fn error(self) -> Error {
        match self {
            Self::TakenBack => {
                let message = "the server has taken the transaction back: roll back, and run it again";
                Error::new(ErrorKind::Deadlock, message)
            }
            Self::Committed => {
                let message = "a statement has ended the transaction, as one does that defines tables, and what was written before \
                               it is committed: run such statements outside of transactions";
                Error::new(ErrorKind::TransactionFailed, message)
            }
        }
    }
}
