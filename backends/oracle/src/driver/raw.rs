//! A connection as the pool holds it: one thread at a time calls the server by it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, Result};
use oracle::{ConnStatus, Connection};
use tokio::sync::{Mutex, oneshot};

use super::error::error;
use super::worker::Worker;

/// How long tidying up may take before the connection is closed instead.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to a server.
pub(super) struct Raw {
    /// There until this is dropped.
    connection: Option<Arc<Connection>>,
    worker: Worker,
    /// Held by the thread that calls the server.
    turn: Arc<Mutex<()>>,
    marks: Arc<Marks>,
}

/// What is known of a connection.
#[derive(Debug, Default)]
struct Marks {
    /// The server was told to stop what it did. It may say so of the next call only.
    stopped: AtomicBool,
    broken: AtomicBool,
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raw").field("marks", &self.marks).finish_non_exhaustive()
    }
}

/// Stops what runs on the other thread when the future that waits for it is dropped.
pub(super) struct Interrupt<'r>(Option<&'r Raw>);

impl Interrupt<'_> {
    /// It has ended by itself.
    pub(super) fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for Interrupt<'_> {
    fn drop(&mut self) {
        if let Some(raw) = self.0 {
            raw.marks.stopped.store(true, Ordering::Release);
            // One that cannot be stopped is waited for, and closed after a while.
            let _ = raw.connection.as_ref().map(|connection| connection.break_execution());
        }
    }
}

impl Raw {
    /// A connection, and the thread that it was made on.
    pub(super) fn new(connection: Connection, worker: Worker) -> Self {
        Self { connection: Some(Arc::new(connection)), worker, turn: Arc::default(), marks: Arc::default() }
    }

    pub(super) fn is_broken(&self) -> bool {
        self.marks.broken.load(Ordering::Acquire)
    }

    /// Whether the server was told to stop something since the last call.
    pub(super) fn is_stopped(&self) -> bool {
        self.marks.stopped.load(Ordering::Acquire)
    }

    pub(super) fn close(&self) {
        self.marks.broken.store(true, Ordering::Release);
    }

    /// What stops the thread if it is dropped.
    pub(super) fn interrupt(&self) -> Interrupt<'_> {
        Interrupt(Some(self))
    }

    /// Whether each statement is a transaction of its own.
    pub(super) fn autocommit(&self) -> bool {
        self.connection.as_ref().is_some_and(|connection| connection.autocommit())
    }

    pub(super) async fn set_autocommit(&mut self, on: bool) -> Result<()> {
        let _turn = self.turn.lock().await;
        match self.connection.as_mut().and_then(Arc::get_mut) {
            Some(connection) => {
                connection.set_autocommit(on);
                Ok(())
            }
            None => Err(Error::new(ErrorKind::Other, "a cursor is still open")),
        }
    }

    /// Lends the connection to a thread for what blocks, and waits for it. The thread outlives this future if that is
    /// dropped: the work has everything for itself, and is stopped then.
    pub(super) async fn lend<T: Send + 'static>(
        &self,
        timeout: Option<Duration>,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let task = self.lent(timeout, work).await;
        let mut interrupt = self.interrupt();
        let done = task.await;
        interrupt.disarm();
        done.unwrap_or_else(|lost| {
            self.close();
            Err(Error::new(ErrorKind::ConnectionLost, "the thread of the statement ended").with_source(lost))
        })
    }

    /// Lends the connection, and does not wait for the end of the work.
    pub(super) async fn lent<T: Send + 'static>(
        &self,
        timeout: Option<Duration>,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> oneshot::Receiver<Result<T>> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let (connection, marks) = (self.connection.clone(), Arc::clone(&self.marks));
        self.worker.run(move || {
            let done = match connection.as_deref() {
                Some(connection) => ready(connection, &marks, timeout).and_then(|()| work(connection)),
                None => Err(closed()),
            };
            if done.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionLost) {
                marks.broken.store(true, Ordering::Release);
            }
            // In this order: whoever has the next turn has the connection to himself.
            drop(connection);
            drop(turn);
            done
        })
    }
}

impl Drop for Raw {
    /// The server is told on the thread of the connection, as that may take its time.
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            drop(self.worker.run(move || drop(connection)));
        }
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::ConnectionLost, "the connection is closed: take another one")
}

/// Makes a connection ready for a call.
fn ready(connection: &Connection, marks: &Marks, timeout: Option<Duration>) -> Result<()> {
    if marks.broken.load(Ordering::Acquire) {
        return Err(closed());
    }
    if marks.stopped.swap(false, Ordering::AcqRel) {
        // It is this call that may be told of the stop.
        let _ = connection.ping();
        if !matches!(connection.status(), Ok(ConnStatus::Normal)) {
            return Err(Error::new(ErrorKind::ConnectionLost, "the server has ended the connection"));
        }
    }
    // A limit of less than a millisecond would be none.
    let limit = timeout.map(|timeout| timeout.max(Duration::from_millis(1)));
    match connection.call_timeout() {
        Ok(known) if known == limit => Ok(()),
        _ if limit.is_none() => connection.set_call_timeout(None).or(Ok(())),
        _ => connection.set_call_timeout(limit).map_err(error),
    }
}
