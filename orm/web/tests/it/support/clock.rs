//! A clock that moves only when a test moves it.

use std::convert::Infallible;
use std::sync::mpsc;
use std::time::Duration;

/// The stopped clock of a runtime.
///
/// A clock that is only paused advances to the next timer whenever no task is ready, also while a socket or the thread of a
/// database is about to answer. A blocking task that waits for this value to be dropped prevents that.
pub(crate) struct Stopped(#[expect(dead_code, reason = "dropping it ends the blocking task")] mpsc::Sender<Infallible>);

/// Stops the clock of the runtime, which has to be one of a single thread.
pub(crate) fn stop() -> Stopped {
    tokio::time::pause();
    let (sender, receiver) = mpsc::channel();
    tokio::task::spawn_blocking(move || receiver.recv());
    Stopped(sender)
}

impl Stopped {
    pub(crate) async fn advance(&self, time: Duration) {
        tokio::time::advance(time).await;
    }

    /// Advances again and again, in small steps between which the other tasks run.
    pub(crate) async fn run(&self) -> Infallible {
        loop {
            self.advance(Duration::from_millis(1)).await;
        }
    }
}
