//! A connection as the pool holds it: one thread at a time has it, and whoever waits for that thread may interrupt it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duckdb::{Connection, InterruptHandle};
use isogloss_driver::{Error, ErrorKind, Result};
use tokio::runtime::Handle;
use tokio::sync::Mutex as Turn;
use tokio::task::JoinHandle;

/// After so long, what was interrupted is interrupted again: DuckDB forgets it where a statement is about to begin.
const AGAIN: Duration = Duration::from_millis(10);

/// A connection to the database.
pub(super) struct Raw {
    /// Held by the thread that uses it.
    turn: Arc<Turn<Connection>>,
    control: Arc<Control>,
    /// Something may be set in its session.
    pub(super) spoiled: bool,
    /// A transaction may be open that nobody has.
    pub(super) begun: bool,
}

impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Raw").field("spoiled", &self.spoiled).field("begun", &self.begun).finish_non_exhaustive()
    }
}

/// What ends the work that has the connection.
pub(super) struct Control {
    handle: Arc<InterruptHandle>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of the last work that was handed out.
    last: u64,
    /// The work that has the connection.
    running: Option<u64>,
    /// The last work that nobody waits for.
    given_up: u64,
    /// Since when DuckDB is at it; `None` while its caller is asked for rows.
    since: Option<Instant>,
}

impl Control {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Some work has got the connection: its number.
    fn begins(&self) -> u64 {
        let mut state = self.state();
        state.last += 1;
        state.running = Some(state.last);
        state.since = Some(Instant::now());
        state.last
    }

    fn ends(&self) {
        self.state().running = None;
    }

    /// Interrupts that work, and none that comes behind it. Whether it still has the connection.
    fn interrupt(&self, work: u64) -> bool {
        let mut state = self.state();
        if state.running != Some(work) {
            return false;
        }
        state.given_up = work;
        self.handle.interrupt();
        true
    }

    /// How much of its time is left to that work.
    fn left(&self, work: u64, limit: Duration) -> Duration {
        let state = self.state();
        match state.since {
            Some(since) if state.running == Some(work) => limit.saturating_sub(since.elapsed()),
            _ => limit,
        }
    }
}

/// A look at [`Control`] from the work itself.
pub(super) struct Watch {
    control: Arc<Control>,
    work: u64,
}

impl Watch {
    /// That nobody waits for the work any more, before its next statement.
    pub(super) fn go_on(&self) -> Result<()> {
        match self.control.state().given_up == self.work {
            true => Err(Error::new(ErrorKind::Cancelled, "the statement was given up before it began")),
            false => Ok(()),
        }
    }

    /// Asks the caller for something, which takes none of the statement's time.
    pub(super) fn aside<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.control.state().since = None;
        let told = ask();
        self.control.state().since = Some(Instant::now());
        told
    }

    /// What comes now is not interrupted any more: the end of its transaction.
    pub(super) fn ends(&self) {
        self.control.ends();
    }
}

/// Interrupts some work when it is dropped.
pub(super) struct Interrupt {
    control: Arc<Control>,
    work: Option<u64>,
}

impl Interrupt {
    /// It has ended by itself.
    pub(super) fn disarm(&mut self) {
        self.work = None;
    }

    /// Once more, if it still runs.
    pub(super) fn now(&self) -> bool {
        self.work.is_some_and(|work| self.control.interrupt(work))
    }

    fn left(&self, limit: Duration) -> Duration {
        self.work.map_or(limit, |work| self.control.left(work, limit))
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        if !self.now() {
            return;
        }
        let (Some(work), Ok(runtime)) = (self.work, Handle::try_current()) else { return };
        let control = Arc::clone(&self.control);
        runtime.spawn(async move {
            while control.interrupt(work) {
                tokio::time::sleep(AGAIN).await;
            }
        });
    }
}

/// Has the connection, until it is dropped.
struct Lent {
    connection: tokio::sync::OwnedMutexGuard<Connection>,
    control: Arc<Control>,
}

impl Drop for Lent {
    /// Before the next one gets it.
    fn drop(&mut self) {
        self.control.ends();
    }
}

impl Raw {
    pub(super) fn new(connection: Connection) -> Self {
        let control = Arc::new(Control { handle: connection.interrupt_handle(), state: Mutex::default() });
        Self { turn: Arc::new(Turn::new(connection)), control, spoiled: false, begun: false }
    }

    /// Lends the connection to a thread for what blocks, and waits for it. The thread outlives this future if that is
    /// dropped: the work has everything for itself, and is interrupted then.
    pub(super) async fn lend<T: Send + 'static>(
        &self,
        timeout: Option<Duration>,
        work: impl FnOnce(&Connection, &Watch) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (mut task, mut interrupt) = self.lent(work).await;
        let done = within(timeout, &interrupt, &mut task).await;
        interrupt.disarm();
        done
    }

    /// Lends the connection, and does not wait for the end of the work.
    pub(super) async fn lent<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Watch) -> Result<T> + Send + 'static,
    ) -> (JoinHandle<Result<T>>, Interrupt) {
        let connection = Arc::clone(&self.turn).lock_owned().await;
        let number = self.control.begins();
        let lent = Lent { connection, control: Arc::clone(&self.control) };
        let watch = Watch { control: Arc::clone(&self.control), work: number };
        let task = tokio::task::spawn_blocking(move || {
            watch.go_on()?;
            work(&lent.connection, &watch)
        });
        (task, Interrupt { control: Arc::clone(&self.control), work: Some(number) })
    }
}

/// Waits for a thread, and interrupts what it does when its time is over.
pub(super) async fn within<T>(
    timeout: Option<Duration>,
    interrupt: &Interrupt,
    task: &mut JoinHandle<Result<T>>,
) -> Result<T> {
    let Some(limit) = timeout else { return joined(task.await) };
    loop {
        let left = interrupt.left(limit);
        if left.is_zero() {
            break;
        }
        if let Ok(done) = tokio::time::timeout(left, &mut *task).await {
            return joined(done);
        }
    }
    loop {
        interrupt.now();
        if let Ok(done) = tokio::time::timeout(AGAIN, &mut *task).await {
            return joined(done).map_err(timed_out);
        }
    }
}

/// What was interrupted for its time.
pub(super) fn timed_out(found: Error) -> Error {
    match found.kind() {
        ErrorKind::Cancelled => {
            Error::new(ErrorKind::Timeout, "the statement took longer than it may").with_source(found)
        }
        _ => found,
    }
}

fn joined<T>(done: Result<Result<T>, tokio::task::JoinError>) -> Result<T> {
    done.unwrap_or_else(|lost| match lost.try_into_panic() {
        // That of the caller's own rows or sink goes on to the caller.
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(lost) => Err(Error::new(ErrorKind::ConnectionLost, "the thread of the statement ended").with_source(lost)),
    })
}
