//! The place of one SQLite connection: a task uses it there, or lends it to a thread for what blocks.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use isogloss_driver::{Error, ErrorKind, Result};
use rusqlite::InterruptHandle;
use tokio::sync::Notify;

use super::error::{error, interrupted};
use super::pace::Pace;

/// A connection of SQLite's, with what is known of its statements.
pub(crate) struct Raw {
    pub(crate) connection: rusqlite::Connection,
    pub(crate) pace: Pace,
    /// Where the text of a parameter is written.
    pub(crate) scratch: String,
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
    interrupt: InterruptHandle,
}

/// What may end a running statement.
#[derive(Debug)]
pub(crate) struct Control {
    /// How often SQLite asks until the budget is used; negative: there is none.
    left: AtomicI64,
    /// When the statement has run for too long, in nanoseconds since the start; 0: never.
    deadline: AtomicU64,
    start: Instant,
    timed_out: AtomicBool,
    /// Whether nobody waits for it any more. An interrupt alone would miss a statement that is about to begin.
    given_up: AtomicBool,
}

/// After how many steps of its machine SQLite asks whether to go on.
pub(crate) const STEPS: i32 = 1000;

/// How often it asks until the budget of a statement on an async thread is used: some 200 microseconds.
const BUDGET: i64 = 8;

impl Default for Control {
    fn default() -> Self {
        let start = Instant::now();
        let (left, deadline) = (AtomicI64::new(-1), AtomicU64::new(0));
        Self { left, deadline, start, timed_out: AtomicBool::new(false), given_up: AtomicBool::new(false) }
    }
}

impl Control {
    /// Whether SQLite is to give the statement up.
    pub(crate) fn enough(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left == 0 || self.given_up.load(Ordering::Relaxed) {
            return true;
        }
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
        }
        let deadline = self.deadline.load(Ordering::Relaxed);
        if deadline > 0 && self.now() > deadline {
            self.timed_out.store(true, Ordering::Relaxed);
            return true;
        }
        false
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The budget is no longer looked at.
    pub(crate) fn lift_budget(&self) {
        self.left.store(-1, Ordering::Relaxed);
    }

    /// Whether the last statement has used its budget.
    pub(crate) fn is_used_up(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// A statement begins: perhaps with a budget, and with a time after which it is given up.
    pub(crate) fn begin(&self, budget: bool, timeout: Option<Duration>) {
        self.left.store(if budget { BUDGET } else { -1 }, Ordering::Relaxed);
        let deadline = timeout.map_or(0, |timeout| {
            self.now().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)).max(1)
        });
        self.deadline.store(deadline, Ordering::Relaxed);
        self.timed_out.store(false, Ordering::Relaxed);
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

    /// Whether the last statement was given up for the time that it took.
    fn timed_out(&self) -> bool {
        self.timed_out.load(Ordering::Relaxed)
    }
}

impl Slot {
    pub(crate) fn new(raw: Raw, control: Arc<Control>) -> Self {
        let interrupt = raw.connection.get_interrupt_handle();
        let raw = Mutex::new(Some(Box::new(raw)));
        Self {
            raw,
            back: Notify::new(),
            abandoned: AtomicBool::new(false),
            read_only: AtomicBool::new(false),
            control,
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
        *place = Some(raw);
        drop(place);
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

    /// Its task is gone: what it began is taken back, now or when the connection comes back.
    pub(crate) fn abandon(&self, read_only: bool) {
        let place = self.here();
        self.read_only.store(read_only, Ordering::Release);
        match place.as_deref() {
            Some(raw) => self.clean(raw),
            // Whoever puts it back has to wait for the lock, and looks then.
            None => self.abandoned.store(true, Ordering::Release),
        }
        drop(place);
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
        // Setting it to a number cannot fail.
        let _ = raw.connection.busy_timeout(Duration::ZERO);
        self.slot.put(raw);
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slot").field("here", &self.here().is_some()).finish_non_exhaustive()
    }
}
