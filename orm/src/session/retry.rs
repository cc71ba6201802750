//! Transactions that are run again after a conflict.

use std::collections::hash_map::RandomState;
use std::error::Error as StdError;
use std::hash::BuildHasher;
use std::time::Duration;

use isogloss_driver::{ErrorKind, TransactionOptions};

use crate::error::is_run_again;
use crate::{OrmError, meter};

/// How often a transaction is attempted, and with which options. It is run again from its start after a serialization
/// failure or a deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RetryOptions {
    /// The maximal number of attempts.
    pub attempts: u32,
    /// The pause before the second attempt. It doubles with each further attempt, and all pauses vary randomly by a
    /// half.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// The options of each attempt's transaction.
    pub transaction: TransactionOptions,
}

impl Default for RetryOptions {
    /// Three attempts, pauses from 10 milliseconds to 1 second.
    fn default() -> Self {
        Self {
            attempts: 3,
            first_pause: Duration::from_millis(10),
            longest_pause: Duration::from_secs(1),
            transaction: TransactionOptions::default(),
        }
    }
}

impl RetryOptions {
    /// Options with this maximal number of attempts.
    #[must_use]
    pub fn attempts(attempts: u32) -> Self {
        Self { attempts, ..Self::default() }
    }

    /// Sets the first and the longest pause.
    #[must_use]
    pub fn pauses(mut self, first: Duration, longest: Duration) -> Self {
        (self.first_pause, self.longest_pause) = (first, longest);
        self
    }

    /// Sets the options of each attempt's transaction.
    #[must_use]
    pub fn options(mut self, transaction: TransactionOptions) -> Self {
        self.transaction = transaction;
        self
    }

    /// Whether a transaction that failed so is to be run again: then the pause before that is over, and the attempts are
    /// counted.
    pub(crate) async fn again(&self, attempt: &mut u32, error: &impl Conflict) -> bool {
        if *attempt >= self.attempts || !error.is_conflict() {
            return false;
        }
        let pause = self.pause(*attempt);
        let cause = error.cause();
        let (data_source, kind) = (cause.and_then(OrmError::data_source), cause.and_then(OrmError::kind));
        meter::retried(data_source, kind);
        tracing::warn!(
            target: "isogloss",
            data_source,
            error.type = kind.map(ErrorKind::name),
            attempt = *attempt,
            pause_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX),
            "a transaction is run again"
        );
        tokio::time::sleep(pause).await;
        *attempt += 1;
        true
    }

    /// The pause behind an attempt. Two that got in each other's way do not come back at the same time.
    pub(super) fn pause(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.checked_pow(attempt.saturating_sub(1)).unwrap_or(u32::MAX);
        let pause = self.first_pause.saturating_mul(doubled).min(self.longest_pause);
        // A hasher's keys are random, which is all that is needed here.
        let percent = u32::try_from(RandomState::new().hash_one(attempt) % 50).unwrap_or(0) + 50;
        pause.saturating_mul(percent) / 100
    }
}

impl From<TransactionOptions> for RetryOptions {
    /// One attempt.
    fn from(transaction: TransactionOptions) -> Self {
        Self::attempts(1).options(transaction)
    }
}

/// An error that says whether the transaction that it ended may succeed when it is run again.
///
/// Implement it for the program's own errors:
///
/// ```
/// use isogloss::OrmError;
/// use isogloss::session::Conflict;
/// enum ShopError {
///     Database(OrmError),
///     SoldOut,
/// }
///
/// impl Conflict for ShopError {
///     fn is_conflict(&self) -> bool {
///         matches!(self, Self::Database(error) if error.is_conflict())
///     }
/// }
/// # let _ = ShopError::SoldOut;
/// ```
pub trait Conflict {
    /// Returns whether the error is a serialization failure, a deadlock, or that of a server that was demoted.
    fn is_conflict(&self) -> bool;

    /// The error of the data access layer that caused it, if it is known: for the log.
    fn cause(&self) -> Option<&OrmError> {
        None
    }
}

impl Conflict for OrmError {
    fn is_conflict(&self) -> bool {
        Self::is_conflict(self)
    }

    fn cause(&self) -> Option<&OrmError> {
        Some(self)
    }
}

impl Conflict for isogloss_driver::Error {
    fn is_conflict(&self) -> bool {
        is_run_again(self.kind())
    }
}

impl Conflict for Box<dyn StdError + Send + Sync> {
    fn is_conflict(&self) -> bool {
        in_chain(&**self)
    }
}

impl Conflict for Box<dyn StdError> {
    fn is_conflict(&self) -> bool {
        in_chain(&**self)
    }
}

/// Whether it, or what caused it, is a conflict.
fn in_chain<'e>(error: &'e (dyn StdError + 'static)) -> bool {
    let mut error: Option<&'e (dyn StdError + 'static)> = Some(error);
    while let Some(found) = error {
        if let Some(orm) = found.downcast_ref::<OrmError>() {
            return orm.is_conflict();
        }
        if let Some(driver) = found.downcast_ref::<isogloss_driver::Error>() {
            return driver.is_conflict();
        }
        error = found.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_their_bound() {
        let options = RetryOptions::default();
        for (attempt, most) in [(1, 10), (2, 20), (5, 160), (40, 1000), (u32::MAX, 1000)] {
            let pause = options.pause(attempt);
            let most = Duration::from_millis(most);
            assert!(pause <= most && pause >= most / 2, "{attempt}: {pause:?}");
        }
    }

    /// What has failed a transaction came before, and says itself whether it is worth another attempt.
    #[test]
    fn a_statement_in_a_transaction_that_has_failed_is_no_conflict() {
        let failed = isogloss_driver::Error::new(ErrorKind::TransactionFailed, "it has failed before");
        assert!(!failed.is_conflict() && !OrmError::from(failed).is_conflict());
        let unusable = OrmError::from(crate::session::SessionError::Unusable);
        assert_eq!((unusable.kind(), unusable.is_conflict()), (Some(ErrorKind::TransactionFailed), false));
    }

    #[test]
    fn what_failed_at_a_demoted_server_is_run_again() {
        let demoted = isogloss_driver::Error::new(ErrorKind::ReadOnly, "it is a replica now");
        assert!(demoted.is_conflict() && OrmError::from(demoted).is_conflict());
    }

    #[test]
    fn a_conflict_is_found_in_what_caused_an_error() {
        let deadlock = OrmError::from(isogloss_driver::Error::new(ErrorKind::Deadlock, "inside"));
        let boxed: Box<dyn StdError + Send + Sync> = Box::new(std::io::Error::other(deadlock));
        assert!(!Box::<dyn StdError + Send + Sync>::from("no").is_conflict());
        assert!(boxed.is_conflict());
    }
}
