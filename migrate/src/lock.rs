//! One process at a time.

use std::time::{Duration, Instant};

use isogloss_driver::ddl::SessionLock;
use isogloss_driver::{AnyConnection, ConnectionExt as _};

use crate::error::{MigrateError, Result};

/// How long another try is waited for, at most.
const PAUSE: Duration = Duration::from_millis(500);

/// Takes the lock, for which it waits so long. The server is asked again and again, and does not wait itself: what waits there may
/// hold up the very statement that it waits for.
pub(crate) async fn take(connection: &mut AnyConnection, lock: &SessionLock, wait: Duration) -> Result<()> {
    let begin = Instant::now();
    let mut pause = Duration::from_millis(20);
    loop {
        let (got,): (Option<i64>,) = connection.fetch_one(&lock.take).await?;
        if got == Some(1) {
            return Ok(());
        }
        if begin.elapsed() >= wait {
            return Err(MigrateError::Locked { waited: wait });
        }
        tokio::time::sleep(pause.min(wait.saturating_sub(begin.elapsed()))).await;
        pause = PAUSE.min(pause * 2);
    }
}

/// Releases the lock; an error if it was not held any more.
pub(crate) async fn free(connection: &mut AnyConnection, lock: &SessionLock) -> Result<()> {
    let (held,): (Option<i64>,) = connection.fetch_one(&lock.free).await?;
    if held == Some(1) { Ok(()) } else { Err(MigrateError::LockLost) }
}
