//! Time in tests: a clock that the test moves, and waits that end with an event.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use tokio::task::spawn_blocking;

use super::HANG;

/// Stops tokio's clock until it is dropped. Only [`tokio::time::advance`] moves the clock, so that no time limit of the
/// driver ends before the test says so, however slow the servers are.
pub struct Frozen {
    /// Ends the blocking task when it is dropped.
    _held: Sender<()>,
}

/// Stops the clock of the test's runtime.
pub fn frozen() -> Frozen {
    tokio::time::pause();
    let (held, hold) = channel::<()>();
    // A paused clock jumps to the next timer when the runtime is idle, unless a blocking task runs.
    spawn_blocking(move || hold.recv());
    Frozen { _held: held }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        if !thread::panicking() {
            tokio::time::resume();
        }
    }
}

/// Moves a clock that stands still, from code that cannot wait, such as a source of rows.
pub fn advance(time: Duration) {
    let _ = futures_util::FutureExt::now_or_never(tokio::time::advance(time));
}

/// Waits a little between two questions, also where the clock stands still.
pub async fn real_pause() {
    let _ = spawn_blocking(|| thread::sleep(Duration::from_millis(20))).await;
}

/// Waits for an event. A thread fails the test if it never comes.
pub async fn in_time<T>(event: impl Future<Output = T>) -> T {
    let (ended, end) = tokio::sync::oneshot::channel();
    let (held, hold) = channel::<()>();
    spawn_blocking(move || {
        if hold.recv_timeout(HANG) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let _ = ended.send(());
        }
    });
    tokio::select! {
        biased;
        done = event => {
            drop(held);
            done
        }
        Ok(()) = end => panic!("the event did not come within {HANG:?}"),
    }
}
