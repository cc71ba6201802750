//! The place of one SQLite connection: a task uses it there, or lends it to a thread for what blocks.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use isogloss_driver::{Error, ErrorKind, Result};
use rusqlite::InterruptHandle;
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::Transaction;
use super::error::{committed, error, interrupted, rolled_back};
use super::gathered::Gathered;
use super::pace::{Pace, QUICK};
use super::wait::{self, Line, Writing};

/// How many rows a transaction changes whose end takes time.
const HEAVY: u64 = 1_000;

/// A connection of SQLite's, with what is known of its statements.
pub(crate) struct Raw {
    pub(crate) connection: rusqlite::Connection,
    pub(crate) pace: Pace,
    /// Where the text of a parameter is written.
    pub(crate) scratch: String,
    /// The rows of a statement that has not ended.
    pub(crate) gathered: Gathered,
    /// How many rows were changed before the transaction.
    pub(crate) before: u64,
    /// Whether what ran last in a transaction succeeded.
    pub(crate) succeeded: bool,
    /// The schema's version as the transaction has it, once somebody has asked.
    pub(crate) schema: Option<i32>,
}

impl Raw {
    pub(crate) fn new(connection: rusqlite::Connection) -> Self {
        let (pace, gathered) = (Pace::default(), Gathered::default());
        Self { connection, pace, scratch: String::new(), gathered, before: 0, succeeded: false, schema: None }
    }

    /// Whether the transaction is over that the caller knows of, by whatever has ended it. What came then would be
    /// committed at once.
    pub(crate) fn over(&self, transaction: Transaction) -> Option<Error> {
        if transaction == Transaction::None || !self.connection.is_autocommit() {
            return None;
        }
        Some(match transaction {
            Transaction::Ending if self.succeeded => committed(),
            Transaction::Ending => rolled_back().in_doubt(),
            _ => rolled_back(),
        })
    }

    /// Something begins: in a transaction or not.
    pub(crate) fn enter(&mut self) -> bool {
        let in_transaction = !self.connection.is_autocommit();
        if in_transaction {
            self.succeeded = false;
        } else {
            (self.before, self.schema) = (self.connection.total_changes(), None);
        }
        in_transaction
    }

    /// Whether so much was written in the transaction that its end takes time, too.
    pub(crate) fn is_heavy(&self) -> bool {
        self.connection.total_changes().wrapping_sub(self.before) > HEAVY
    }
}

/// Where the connection lies while nobody uses it.
pub(crate) struct Slot {
    raw: Mutex<Option<Box<Raw>>>,
    back: Notify,
    /// Whether its task is gone: whoever puts it back takes back what that has left open.
    abandoned: AtomicBool,
    /// Whether its task has set it to read only.
    read_only: AtomicBool,
    pub(crate) control: Arc<Control>,
    /// Where it waits for the others of its pool.
    pub(crate) line: Arc<Line>,
    interrupt: InterruptHandle,
}

/// What may end a running statement.
#[derive(Debug)]
pub(crate) struct Control {
    /// When SQLite first asked whether to go on, in nanoseconds since the start, or [`NONE`]: a short statement needs no
    /// clock.
    began: AtomicU64,
    /// Whether it has a budget.
    budget: AtomicBool,
    spent: AtomicBool,
    /// How long it may run, in nanoseconds, or [`NONE`].
    limit: AtomicU64,
    start: Instant,
    timed_out: AtomicBool,
    /// Whether nobody waits for it any more. An interrupt alone would miss a statement that is about to begin.
    given_up: AtomicBool,
    /// Whether it is committed. SQLite asks once more when a statement has ended, and tells one that is given up there as
    /// interrupted, which it was not.
    committed: AtomicBool,
    /// Whether it has ended a write, for which others may wait.
    wrote: AtomicBool,
    /// Its transaction, while that has the writers' lock.
    writing: Mutex<Option<Writing>>,
}

/// After how many steps of its machine SQLite asks whether to go on: some microseconds.
const STEPS: i32 = 250;

/// There is no such time.
const NONE: u64 = 0;

impl Default for Control {
    fn default() -> Self {
        Self {
            began: AtomicU64::new(NONE),
            budget: AtomicBool::new(false),
            spent: AtomicBool::new(false),
            limit: AtomicU64::new(NONE),
            start: Instant::now(),
            timed_out: AtomicBool::new(false),
            given_up: AtomicBool::new(false),
            committed: AtomicBool::new(false),
            wrote: AtomicBool::new(false),
            writing: Mutex::default(),
        }
    }
}

impl Control {
    /// Has the connection ask whether to go on, and tell how its writes end.
    pub(crate) fn watch(self: &Arc<Self>, connection: &rusqlite::Connection) -> rusqlite::Result<()> {
        let (asked, committed, rolled_back) = (Arc::clone(self), Arc::clone(self), Arc::clone(self));
        connection.progress_handler(STEPS, Some(move || asked.enough()))?;
        connection.commit_hook(Some(move || {
            committed.committed.store(true, Ordering::Relaxed);
            committed.write_ends();
            false
        }))?;
        connection.rollback_hook(Some(move || rolled_back.write_ends()))
    }

    /// A transaction has got the writers' lock.
    pub(crate) fn write_begins(&self, line: &Arc<Line>) {
        *self.writing.lock().unwrap_or_else(PoisonError::into_inner) = Some(Writing::begin(line));
    }

    fn write_ends(&self) {
        self.wrote.store(true, Ordering::Relaxed);
        self.writing.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Whether a write has ended since this was last taken. SQLite tells it while its lock is still held.
    pub(crate) fn take_written(&self) -> bool {
        self.wrote.load(Ordering::Relaxed) && self.wrote.swap(false, Ordering::Relaxed)
    }

    /// Whether SQLite is to give the statement up.
    pub(crate) fn enough(&self) -> bool {
        if self.committed.load(Ordering::Relaxed) {
            return false;
        }
        if self.is_given_up() {
            return true;
        }
        let (budget, limit) = (self.budget.load(Ordering::Relaxed), self.limit.load(Ordering::Relaxed));
        if !budget && limit == NONE {
            return false;
        }
        let (began, now) = (self.began.load(Ordering::Relaxed), nanos(self.start.elapsed()));
        if began == NONE {
            self.began.store(now.max(1), Ordering::Relaxed);
            return false;
        }
        let time = now.saturating_sub(began);
        let (spent, timed_out) = (budget && time > nanos(QUICK), limit != NONE && time > limit);
        self.spent.store(spent, Ordering::Relaxed);
        self.timed_out.store(timed_out, Ordering::Relaxed);
        spent || timed_out
    }

    /// Whether the last statement was given up for its budget.
    pub(crate) fn is_spent(&self) -> bool {
        self.spent.load(Ordering::Relaxed)
    }

    /// A statement begins: perhaps with a budget, and with a time after which it is given up.
    pub(crate) fn begin(&self, budget: bool, timeout: Option<Duration>) {
        self.budget.store(budget, Ordering::Relaxed);
        self.limit.store(timeout.map_or(NONE, |timeout| nanos(timeout).max(1)), Ordering::Relaxed);
        self.again();
    }

    /// Another one begins, with what the last one had.
    pub(crate) fn again(&self) {
        self.next();
        self.began.store(NONE, Ordering::Relaxed);
        self.spent.store(false, Ordering::Relaxed);
        self.timed_out.store(false, Ordering::Relaxed);
    }

    /// Another one begins, in the time of the last one.
    pub(crate) fn next(&self) {
        self.committed.store(false, Ordering::Relaxed);
    }

    /// The error of a statement that was running, which may have been given up for the time that it took.
    pub(crate) fn ended(&self, found: rusqlite::Error, sql: &str) -> Error {
        if interrupted(&found) && self.timed_out() {
            return Error::new(ErrorKind::Timeout, "the statement took longer than it may")
                .with_sql(sql)
                .with_source(found);
        }
        error(found, sql)
    }

    /// Nobody waits for the statement any more.
    fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether nobody waits for the statement any more.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Whether the last statement was given up for the time that it took.
    fn timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed)
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl Slot {
    pub(crate) fn new(raw: Raw, control: Arc<Control>, line: Arc<Line>) -> Self {
        let interrupt = raw.connection.get_interrupt_handle();
        let raw = Mutex::new(Some(Box::new(raw)));
        Self {
            raw,
            back: Notify::new(),
            abandoned: AtomicBool::new(false),
            read_only: AtomicBool::new(false),
            control,
            line,
            interrupt,
        }
    }

    /// The connection where it lies; nothing while it is lent.
    pub(crate) fn here(&self) -> MutexGuard<'_, Option<Box<Raw>>> {
        // A panic elsewhere has left the connection as it was.
        self.raw.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the connection lies here: one whose future was dropped may still be on its way back.
    pub(crate) async fn wait(&self) {
        loop {
            let back = self.back.notified();
            if self.here().is_some() {
                return;
            }
            back.await;
        }
    }

    /// Puts a lent connection back.
    pub(crate) fn put(&self, raw: Box<Raw>) {
        let mut place = self.here();
        self.control.given_up.store(false, Ordering::Relaxed);
        if self.abandoned.swap(false, Ordering::AcqRel) {
            self.clean(&raw);
        }
        wait::watch(&raw.connection);
        // Its next statement may end another one.
        let wrote = self.control.take_written();
        *place = Some(raw);
        drop(place);
        if wrote {
            self.line.ended();
        }
        self.back.notify_waiters();
    }

    /// Ends what runs on the other thread.
    pub(crate) fn give_up(&self) {
        let place = self.here();
        // Back already: nothing runs.
        if place.is_none() {
            self.control.give_up();
            self.interrupt.interrupt();
        }
    }

    /// Its task is gone: what it began is taken back, on a thread for what blocks, or when the connection comes back.
    pub(crate) fn abandon(self: &Arc<Self>, read_only: bool) {
        let mut place = self.here();
        self.read_only.fetch_or(read_only, Ordering::AcqRel);
        let raw = match place.take() {
            Some(raw) if read_only || !raw.connection.is_autocommit() => Some(raw),
            back => {
                // Whoever puts it back has to wait for the lock, and looks then.
                self.abandoned.store(back.is_none(), Ordering::Release);
                *place = back;
                None
            }
        };
        drop(place);
        if let Some(raw) = raw {
            self.abandoned.store(true, Ordering::Release);
            elsewhere(Lent::new(Arc::clone(self), raw));
        }
    }

    /// Takes back what a task has left open. An error leaves it so, which the pool notices when it hands it out.
    fn clean(&self, raw: &Raw) {
        if !raw.connection.is_autocommit() {
            let _ = raw.connection.execute_batch("ROLLBACK");
        }
        if self.read_only.swap(false, Ordering::AcqRel) {
            let _ = raw.connection.execute_batch("PRAGMA query_only = 0");
        }
    }
}

/// Drops what takes its time with that where it holds no task.
fn elsewhere(slow: impl Send + 'static) {
    match Handle::try_current() {
        // A runtime that ends drops what it has not begun.
        Ok(runtime) => drop(runtime.spawn_blocking(move || drop(slow))),
        Err(_) => drop(slow),
    }
}

/// The last connection to a file that is closed brings the log into it.
impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(raw) = self.here().take() {
            elsewhere(raw);
        }
    }
}

/// A connection that is lent: it goes back when this is dropped, whatever has become of the work.
pub(crate) struct Lent {
    slot: Arc<Slot>,
    raw: Option<Box<Raw>>,
    in_transaction: bool,
}

impl Lent {
    pub(crate) fn new(slot: Arc<Slot>, raw: Box<Raw>) -> Self {
        let in_transaction = !raw.connection.is_autocommit();
        Self { slot, raw: Some(raw), in_transaction }
    }

    pub(crate) fn parts(&mut self) -> Result<(&Slot, &mut Raw)> {
        match &mut self.raw {
            Some(raw) => Ok((&self.slot, raw)),
            None => Err(Error::new(ErrorKind::ConnectionLost, "the connection went back")),
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(raw) = self.raw.take() else { return };
        // Rows that panicked have left a transaction of the work's own.
        if std::thread::panicking() && !self.in_transaction && !raw.connection.is_autocommit() {
            let _ = raw.connection.execute_batch("ROLLBACK");
        }
        self.slot.put(raw);
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("here", &self.here().is_some()).finish_non_exhaustive()
    }
}
