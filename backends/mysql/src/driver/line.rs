//! A line to a server, which is hung up at once.

use std::future::pending;
use std::pin::pin;
use std::task::{Context, Waker};

use mysql_async::{Conn, DriverError};
use tokio::task::AbortHandle;

/// A connection of the driver below.
///
/// Dropped as it is, the driver would read what is left of an answer before it says goodbye, for as long as that takes,
/// and behind the back of who counts connections.
#[derive(Debug)]
pub(super) struct Line {
    conn: Option<Conn>,
    /// A task that does nothing, and ends with the runtime that the socket was opened in: the socket is of no use in another
    /// one then.
    runtime: AbortHandle,
}

impl Line {
    /// One that was opened in this runtime.
    pub(super) fn new(conn: Conn) -> Self {
        Self { conn: Some(conn), runtime: tokio::spawn(pending::<()>()).abort_handle() }
    }

    /// Returns whether the runtime that it was opened in has ended.
    pub(super) fn is_orphaned(&self) -> bool {
        self.runtime.is_finished()
    }

    /// The connection, until it is hung up.
    pub(super) fn conn(&mut self) -> mysql_async::Result<&mut Conn> {
        self.conn.as_mut().ok_or_else(|| DriverError::ConnectionClosed.into())
    }

    /// What it knows of the last answer.
    pub(super) fn last<T: Default>(&self, ask: impl FnOnce(&Conn) -> T) -> T {
        self.conn.as_ref().map(ask).unwrap_or_default()
    }

    /// Closes it. The farewell goes out if there is room for it; nobody waits.
    pub(super) fn hang_up(&mut self) {
        let Some(conn) = self.conn.take() else { return };
        // Its first step marks it as closed, so that the driver has nothing left to do when it is dropped.
        let farewell = pin!(conn.disconnect());
        let _ = farewell.poll(&mut Context::from_waker(Waker::noop()));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.hang_up();
        self.runtime.abort();
    }
}
