//! The clock of tokio, which pauses and timeouts of the code under test go by. It is that of the runtime, so these functions
//! need one of a single thread.

use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

/// Moves the clock forward. It goes on from there.
pub(crate) async fn skip(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Stops the clock until it is dropped. A test is then as slow as it likes, and no pause ends before the test says so.
pub(crate) struct Frozen(Option<Sender<()>>);

impl Frozen {
    pub(crate) fn new() -> Self {
        tokio::time::pause();
        // A paused clock moves by itself when the runtime has nothing to do, for instance while SQLite is at work on its own
        // thread. It does not while a blocking task runs.
        let (alive, ended) = channel();
        tokio::task::spawn_blocking(move || ended.recv());
        Self(Some(alive))
    }

    /// Moves the clock forward, and lets other tasks do what was due then.
    pub(crate) async fn skip(&self, time: Duration) {
        tokio::time::advance(time).await;
        for _ in 0..8 {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.0.take();
        tokio::time::resume();
    }
}
