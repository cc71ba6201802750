//! A connection as the pool holds it: one thread at a time calls the server by it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, Result, leaves};
use tokio::sync::{Mutex, oneshot};

use super::link::Link;
use super::worker::Worker;

/// How long tidying up may take before the connection is closed instead.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to a server.
pub(super) struct Raw {
    /// There until this is dropped.
    connection: Option<Arc<dyn Link>>,
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
    /// A text has set what it likes in the session.
    scripted: AtomicBool,
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
            if let Some(connection) = &raw.connection {
                connection.stop();
            }
        }
    }
}

impl Raw {
    /// A connection, and the thread that it was made on.
    pub(super) fn new(connection: Box<dyn Link>, worker: Worker) -> Self {
        Self { connection: Some(connection.into()), worker, turn: Arc::default(), marks: Arc::default() }
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

    /// Keeps in mind what a text may leave in the session.
    pub(super) fn note(&self, sql: &str) {
        if leaves(sql, &[]) {
            self.marks.scripted.store(true, Ordering::Release);
        }
    }

    pub(super) fn is_scripted(&self) -> bool {
        self.marks.scripted.load(Ordering::Acquire)
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
        work: impl FnOnce(&dyn Link) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let task = self.lent(timeout, work).await;
        let mut interrupt = self.interrupt();
        let done = task.await;
        interrupt.disarm();
        done.unwrap_or_else(|lost| {
            Err(Error::new(ErrorKind::ConnectionLost, "the call of the client library panicked").with_source(lost))
        })
    }

    /// Lends the connection, and does not wait for the end of the work.
    pub(super) async fn lent<T: Send + 'static>(
        &self,
        timeout: Option<Duration>,
        work: impl FnOnce(&dyn Link) -> Result<T> + Send + 'static,
    ) -> oneshot::Receiver<Result<T>> {
        let turn = Arc::clone(&self.turn).lock_owned().await;
        let (connection, marks) = (self.connection.clone(), Arc::clone(&self.marks));
        self.worker.run(move || {
            let whole = Whole(&marks);
            let done = match connection.as_deref() {
                Some(connection) => {
                    ready(connection, &marks, timeout).map_err(Error::unsent).and_then(|()| work(connection))
                }
                None => Err(closed().unsent()),
            };
            if done.as_ref().is_err_and(|error| error.kind() == ErrorKind::ConnectionLost) {
                marks.broken.store(true, Ordering::Release);
            }
            drop(whole);
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

/// Held while the client library is called: what a panic leaves of a connection is not used again.
struct Whole<'m>(&'m Marks);

impl Drop for Whole<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::Release);
        }
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::ConnectionLost, "the connection is closed: take another one")
}

/// Makes a connection ready for a call.
fn ready(connection: &dyn Link, marks: &Marks, timeout: Option<Duration>) -> Result<()> {
    if marks.broken.load(Ordering::Acquire) {
        return Err(closed());
    }
    if marks.stopped.swap(false, Ordering::AcqRel) && !connection.is_there() {
        return Err(Error::new(ErrorKind::ConnectionLost, "the server has ended the connection"));
    }
    // A limit of less than a millisecond would be none.
    connection.set_limit(timeout.map(|timeout| timeout.max(Duration::from_millis(1))))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver, Sender};

    use isogloss_compiler::BulkInsert;
    use isogloss_compiler::expr::{DbType, Value};
    use isogloss_driver::{RowSink, RowSource};

    use super::super::cursor::Order;
    use super::super::run::Call;
    use super::super::value::Binder;
    use super::*;

    /// Tells on which thread it is closed.
    struct Told(Sender<Option<String>>);

    impl Drop for Told {
        fn drop(&mut self) {
            self.0.send(thread::current().name().map(str::to_owned)).unwrap();
        }
    }

    impl Link for Told {
        fn version(&self) -> Result<(i32, i32)> {
            panic!("as the test wants")
        }

        fn set_up(&self, _: &str) -> Result<()> {
            Ok(())
        }

        fn autocommit(&self) -> bool {
            true
        }

        fn set_autocommit(&mut self, _: bool) {}

        fn stop(&self) {}

        fn is_there(&self) -> bool {
            true
        }

        fn set_limit(&self, _: Option<Duration>) -> Result<()> {
            Ok(())
        }

        fn ping(&self) -> Result<()> {
            Ok(())
        }

        fn commit(&self) -> Result<()> {
            Ok(())
        }

        fn rollback(&self) -> Result<()> {
            Ok(())
        }

        fn run(&self, _: &Call, _: Option<&mut dyn RowSink>) -> Result<u64> {
            Ok(0)
        }

        fn serve(&self, _: &Call, _: oneshot::Sender<Result<()>>, _: &Receiver<Order>) -> Result<()> {
            panic!("as the test wants")
        }

        fn many(&self, _: &str, _: &[Option<DbType>], _: &mut dyn RowSource, _: Binder) -> Result<u64> {
            Ok(0)
        }

        fn insert(&self, _: &BulkInsert, _: Box<dyn RowSource>, _: Binder) -> Result<u64> {
            Ok(0)
        }

        fn insert_keys(&self, _: &BulkInsert, _: Box<dyn RowSource>, _: Binder) -> Result<Vec<Value>> {
            Ok(Vec::new())
        }
    }

    /// A call that panics, of a statement and of a cursor that is not waited for.
    #[tokio::test]
    async fn a_connection_whose_call_panics_is_broken_and_closed_on_its_own_thread() {
        for waited_for in [true, false] {
            let (told, closed) = mpsc::channel();
            let raw = Raw::new(Box::new(Told(told)), Worker::start().unwrap());
            raw.lend(None, |connection| connection.ping()).await.unwrap();
            assert!(!raw.is_broken());
            if waited_for {
                let error = raw.lend(None, |connection| connection.version()).await.unwrap_err();
                assert_eq!(error.kind(), ErrorKind::ConnectionLost, "{error}");
            } else {
                let (opened, is_open) = oneshot::channel();
                let (_orders, receiver) = mpsc::channel();
                let call = Call::plain("SELECT 1");
                drop(raw.lent(None, move |connection| connection.serve(&call, opened, &receiver)).await);
                is_open.await.unwrap_err();
            }
            let error = raw.lend(None, |connection| connection.ping()).await.unwrap_err();
            assert_eq!((error.kind(), raw.is_broken()), (ErrorKind::ConnectionLost, true));
            // Nothing is sent on it.
            assert!(!error.in_doubt().is_in_doubt());
            drop(raw);
            let thread = closed.recv_timeout(Duration::from_secs(60)).unwrap();
            assert_eq!(thread.as_deref(), Some("isogloss-oracle"));
        }
    }

    #[test]
    fn what_may_have_left_something_is_known() {
        let (told, closed) = mpsc::channel();
        let raw = Raw::new(Box::new(Told(told)), Worker::start().unwrap());
        raw.note("SELECT 1 FROM DUAL");
        assert!(!raw.is_scripted());
        raw.note("ALTER SESSION SET NLS_SORT = 'FRENCH'");
        assert!(raw.is_scripted());
        drop(raw);
        closed.recv_timeout(Duration::from_secs(60)).unwrap();
    }

    /// What has opened a connection that nobody waits for any more.
    #[tokio::test]
    async fn a_connection_that_nobody_takes_is_closed_on_its_own_thread() {
        let (told, closed) = mpsc::channel();
        let worker = Worker::start().unwrap();
        let of = worker.clone();
        let opened = worker.run(move || Raw::new(Box::new(Told(told)), of));
        worker.run(|| ()).await.unwrap();
        drop(opened);
        let thread = closed.recv_timeout(Duration::from_secs(60)).unwrap();
        assert_eq!(thread.as_deref(), Some("isogloss-oracle"));
    }
}
