//! Callers that give up, and events that a test waits for.

use std::fmt::Debug;

use tokio::sync::Notify;

/// A place that a future reaches and does not leave.
#[derive(Debug, Default)]
pub(crate) struct Stop(Notify);

impl Stop {
    /// Reports that the place is reached, and stays there.
    pub(crate) async fn here<T>(&self) -> T {
        self.0.notify_one();
        std::future::pending().await
    }

    /// Runs `work` until it is at this place. What owns `work` drops it, as a caller does that gives up.
    pub(crate) async fn is_reached_by<T: Debug>(&self, work: impl Future<Output = T>) {
        tokio::select! {
            biased;
            done = work => panic!("it has come to its end: {done:?}"),
            () = self.0.notified() => {}
        }
    }
}

/// Lets other tasks run until a condition holds.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    while !holds() {
        tokio::task::yield_now().await;
    }
}
