//! Whose turn it is to write.
//!
//! SQLite has one writer at a time. Those who come meanwhile look again and again, after ever longer pauses, and whoever looks
//! at the right moment is next: under load some would wait for as long as they may. So the connections of a pool write in the
//! order in which they came. Other programs, and other pools of this one, are waited for as SQLite does it.

use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::Result;
use rusqlite::ffi;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::error;

/// Those who write, of one pool.
#[derive(Debug, Clone)]
pub(crate) struct Writers {
    turn: Arc<Semaphore>,
    log: Arc<Semaphore>,
}

/// The turn to write, or to shorten the log. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    _place: OwnedSemaphorePermit,
}

impl Default for Writers {
    fn default() -> Self {
        Self { turn: Arc::new(Semaphore::new(1)), log: Arc::new(Semaphore::new(1)) }
    }
}

impl Writers {
    /// The turn, if nobody has it and nobody waits for it.
    pub(crate) fn now(&self) -> Option<Turn> {
        Arc::clone(&self.turn).try_acquire_owned().ok().map(|place| Turn { _place: place })
    }

    /// The turn to shorten the log, if nobody does that.
    pub(crate) fn log(&self) -> Option<Turn> {
        Arc::clone(&self.log).try_acquire_owned().ok().map(|place| Turn { _place: place })
    }

    /// The turn, when those who came before have had theirs.
    ///
    /// # Errors
    /// It took longer than may be waited: what SQLite tells of others that write for too long.
    pub(crate) async fn turn(&self, patience: Duration, sql: &str) -> Result<Turn> {
        match tokio::time::timeout(patience, Arc::clone(&self.turn).acquire_owned()).await {
            Ok(Ok(place)) => Ok(Turn { _place: place }),
            // It is never closed.
            Ok(Err(_)) | Err(_) => {
                Err(error(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None), sql))
            }
        }
    }
}
