//! Waiting for others that write. SQLite has one writer at a time: it calls a connection that finds another one at it, and
//! tries again or gives up as it is told.
//!
//! SQLite's own answer is to sleep, ever longer and up to 100 ms, whatever becomes of the lock meanwhile. Here one is woken as
//! soon as a connection of the pool has ended a write, the one that has waited longest. Other pools and programs wake nobody:
//! for them each one looks again by itself, after SQLite's pauses.
//!
//! It happens on threads for what blocks. What runs where its caller stands never waits.
//!
//! A checkpoint that is to have all of the log waits for those that write, and then, with their lock, for those that read. SQLite
//! does not say for whom. So it waits for as long as others of the pool write, and then for a short time only: see [`hurried`].

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::replace;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use super::log::Log;
use super::slot::Control;

/// SQLite's pauses, in milliseconds; the last one is that of all that follow.
const PAUSES: [u64; 12] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];

/// How long one waits at a time that may hold up all others.
const SHORTEST: Duration = Duration::from_millis(1);

/// The connections of a pool that wait to write, and the log that they write to.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// How many writes have ended.
    ended: AtomicU64,
    /// How many have been committed to the file.
    committed: AtomicU64,
    /// How many transactions are open that write.
    writing: AtomicUsize,
    /// How many threads wait.
    count: AtomicUsize,
    waiting: Mutex<Waiting>,
    pub(super) log: Log,
    /// How long one waits at a time instead of SQLite's pauses.
    #[cfg(test)]
    pub(super) pause: Option<Duration>,
}

/// Who waits, in the order in which they came.
#[derive(Debug, Default)]
struct Waiting {
    tickets: u64,
    threads: BTreeMap<u64, Thread>,
}

impl Line {
    /// Whether somebody waits, whom a newcomer should not pass.
    pub(super) fn has_waiting(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// A write of this pool has ended, or what may have been one.
    pub(super) fn ended(&self) {
        // Ordered as `wait` is: one that comes to wait meanwhile sees the number, or is seen here.
        self.ended.fetch_add(1, Ordering::SeqCst);
        if self.count.load(Ordering::SeqCst) > 0 {
            self.wake();
        }
    }

    /// A write of this pool was committed to the file.
    pub(super) fn committed(&self) {
        self.committed.fetch_add(1, Ordering::Relaxed);
    }

    /// How long one waits for the lock after so many tries.
    fn pause(&self, tries: i32) -> Duration {
        #[cfg(test)]
        if let Some(pause) = self.pause {
            return pause;
        }
        let pause = usize::try_from(tries).ok().and_then(|tries| PAUSES.get(tries)).or(PAUSES.last());
        Duration::from_millis(pause.copied().unwrap_or_default())
    }

    fn wake(&self) {
        if let Some((_, thread)) = self.waiting().threads.first_key_value() {
            thread.unpark();
        }
    }

    /// Waits for the next write to end, for so long at most. Not at all if one has ended since `seen`, which is then the
    /// number of those that have ended before the caller tries again.
    fn wait(&self, ticket: &mut Option<u64>, seen: &mut u64, pause: Duration) {
        let ticket = {
            let mut waiting = self.waiting();
            let ticket = *ticket.get_or_insert_with(|| {
                waiting.tickets += 1;
                waiting.tickets
            });
            waiting.threads.insert(ticket, std::thread::current());
            self.count.store(waiting.threads.len(), Ordering::SeqCst);
            ticket
        };
        if self.ended.load(Ordering::SeqCst) == *seen {
            std::thread::park_timeout(pause);
        }
        *seen = self.ended.load(Ordering::SeqCst);
        let mut waiting = self.waiting();
        waiting.threads.remove(&ticket);
        self.count.store(waiting.threads.len(), Ordering::SeqCst);
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

thread_local! {
    /// How what runs on this thread waits; nothing if it does not.
    static WAIT: RefCell<Option<Wait>> = const { RefCell::new(None) };
}

/// How the work on this thread waits for others.
struct Wait {
    line: Arc<Line>,
    control: Arc<Control>,
    /// For how long it waits for one lock.
    patience: Duration,
    /// For how long it waits although nobody writes meanwhile.
    idle: Duration,
    /// When it came to wait for this lock.
    since: Instant,
    /// When it last found others writing, and how many commits there had been.
    moved: Instant,
    commits: u64,
    /// Its place for this lock.
    ticket: Option<u64>,
    /// How many writes had ended when it last tried.
    seen: u64,
    /// For how long it has waited in all.
    waited: Duration,
}

impl Wait {
    fn new(line: &Arc<Line>, control: &Arc<Control>, patience: Duration) -> Self {
        let now = Instant::now();
        Self {
            line: Arc::clone(line),
            control: Arc::clone(control),
            patience,
            idle: Duration::MAX,
            since: now,
            moved: now,
            commits: 0,
            ticket: None,
            seen: line.ended.load(Ordering::SeqCst),
            waited: Duration::ZERO,
        }
    }

    fn again(&mut self, tries: i32) -> bool {
        let now = Instant::now();
        let Some(pause) = self.next_pause(tries, now) else {
            // It may have been woken just now.
            self.line.wake();
            return false;
        };
        self.line.wait(&mut self.ticket, &mut self.seen, pause);
        self.waited += now.elapsed();
        true
    }

    /// How long it waits at this time before it tries again, unless it is woken; `None` if it gives up.
    fn next_pause(&mut self, tries: i32, now: Instant) -> Option<Duration> {
        if tries == 0 {
            (self.since, self.moved, self.ticket) = (now, now, None);
        }
        let left = self.patience.saturating_sub(now.duration_since(self.since));
        if self.idle < Duration::MAX {
            let commits = self.line.committed.load(Ordering::Relaxed);
            if commits != self.commits || self.line.writing.load(Ordering::Relaxed) > 0 {
                (self.commits, self.moved) = (commits, now);
            }
        }
        let left = left.min(self.idle.saturating_sub(now.duration_since(self.moved)));
        if left.is_zero() || self.control.is_given_up() {
            return None;
        }
        // It may have the writers' lock, and nobody wakes it who has read.
        let pause = if self.idle < Duration::MAX { SHORTEST } else { self.line.pause(tries) };
        Some(pause.min(left))
    }
}

/// What SQLite calls when a lock is held by others: whether it is to try again, which it has so often.
pub(super) fn busy(tries: i32) -> bool {
    WAIT.with_borrow_mut(|wait| wait.as_mut().is_some_and(|wait| wait.again(tries)))
}

/// Statements on this thread wait for others until this is dropped.
pub(super) struct Waits(());

impl Waits {
    pub(super) fn enter(line: &Arc<Line>, control: &Arc<Control>, patience: Duration) -> Self {
        WAIT.set(Some(Wait::new(line, control, patience)));
        Self(())
    }
}

impl Drop for Waits {
    fn drop(&mut self) {
        WAIT.set(None);
    }
}

/// For how long the work on this thread has waited so far.
pub(super) fn waited() -> Duration {
    WAIT.with_borrow(|wait| wait.as_ref().map_or(Duration::ZERO, |wait| wait.waited))
}

/// The line in which the work on this thread waits.
pub(super) fn line() -> Option<Arc<Line>> {
    WAIT.with_borrow(|wait| wait.as_ref().map(|wait| Arc::clone(&wait.line)))
}

/// The work on this thread goes on, and has no lock any more that it may have had.
pub(super) fn released() {
    WAIT.with_borrow(|wait| {
        if let Some(Wait { line, control, .. }) = wait {
            // It is told here, and not once more when the connection goes back.
            control.take_written();
            line.ended();
        }
    });
}

/// A transaction that has the writers' lock, until this is dropped.
#[derive(Debug)]
pub(super) struct Writing(Arc<Line>);

impl Writing {
    pub(super) fn begin(line: &Arc<Line>) -> Self {
        line.writing.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(line))
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.0.writing.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does something for which nobody is to be held up: it waits while others write, and no longer than that where nobody does.
pub(super) fn hurried<T>(idle: Duration, work: impl FnOnce() -> T) -> T {
    let set = |idle| WAIT.with_borrow_mut(|wait| wait.as_mut().map(|wait| replace(&mut wait.idle, idle)));
    let before = set(idle);
    let done = work();
    before.and_then(set);
    done
}

/// Whether nobody waits any more for the work on this thread.
pub(super) fn is_given_up() -> bool {
    WAIT.with_borrow(|wait| wait.as_ref().is_some_and(|wait| wait.control.is_given_up()))
}

/// Has a connection ask here, and tell of its log: a `PRAGMA` may have set something else. Setting it cannot fail.
pub(super) fn watch(connection: &rusqlite::Connection) {
    let _ = connection.busy_handler(Some(busy));
    connection.wal_hook(Some(super::log::committed));
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;

    use super::*;

    /// One that waits sleeps for an hour unless it is woken: were a single one forgotten, the turns would come to an end.
    #[test]
    fn nobody_is_forgotten() {
        const THREADS: usize = 8;
        const TURNS: usize = 20_000;
        let shared = Arc::new((Line::default(), AtomicBool::new(false)));
        let (turns, turned) = mpsc::channel();
        let threads: Vec<_> = (0..THREADS)
            .map(|_| {
                let (shared, turns) = (Arc::clone(&shared), turns.clone());
                std::thread::spawn(move || {
                    let (line, lock) = &*shared;
                    for _ in 0..TURNS {
                        let (mut ticket, mut seen) = (None, line.ended.load(Ordering::SeqCst));
                        while lock.swap(true, Ordering::SeqCst) {
                            line.wait(&mut ticket, &mut seen, Duration::from_secs(3600));
                        }
                        lock.store(false, Ordering::SeqCst);
                        line.ended();
                        turns.send(()).unwrap();
                    }
                })
            })
            .collect();
        for _ in 0..THREADS * TURNS {
            turned.recv_timeout(Duration::from_secs(60)).expect("another turn");
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(!shared.0.has_waiting());
    }

    #[test]
    fn who_has_waited_longest_is_woken_first() {
        let line = Line::default();
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for number in 0..4 {
                let (line, order) = (&line, &order);
                scope.spawn(move || {
                    let (mut ticket, mut seen) = (None, line.ended.load(Ordering::SeqCst));
                    line.wait(&mut ticket, &mut seen, Duration::from_secs(300));
                    order.lock().unwrap().push(number);
                });
                while line.waiting().threads.len() <= number {
                    std::thread::yield_now();
                }
            }
            for number in 0..4 {
                line.ended();
                while order.lock().unwrap().len() <= number {
                    std::thread::yield_now();
                }
            }
        });
        assert_eq!(*order.lock().unwrap(), [0, 1, 2, 3]);
    }

    #[test]
    fn what_does_not_wait_is_told_so_at_once() {
        assert!(!busy(0));
        let (line, control) = (Arc::default(), Arc::default());
        let waits = Waits::enter(&line, &control, Duration::from_secs(3600));
        assert!(busy(0) && busy(1) && waited() > Duration::ZERO);
        drop(waits);
        assert!(!busy(2));
    }

    /// For how long a wait is told to try again on a clock on which only its pauses take time.
    fn lasts(wait: &mut Wait, mut meanwhile: impl FnMut(Duration)) -> Duration {
        let begun = Instant::now();
        let mut now = begun;
        for tries in 0.. {
            let Some(pause) = wait.next_pause(tries, now) else { break };
            now += pause;
            meanwhile(now - begun);
        }
        now - begun
    }

    #[test]
    fn each_lock_is_waited_for_until_the_patience_is_over() {
        let line = Arc::default();
        let mut wait = Wait::new(&line, &Arc::default(), Duration::from_millis(20));
        for _ in 0..2 {
            assert_eq!(lasts(&mut wait, |_| ()), Duration::from_millis(20));
        }
    }

    #[test]
    fn a_hurry_lasts_for_as_long_as_others_write() {
        const PATIENCE: Duration = Duration::from_millis(1_500);
        const IDLE: Duration = Duration::from_millis(40);
        let line = Arc::default();
        let mut wait = Wait::new(&line, &Arc::default(), PATIENCE);
        wait.idle = IDLE;
        assert_eq!(lasts(&mut wait, |_| ()), IDLE);
        // What ends without a commit is no reason to wait.
        assert_eq!(lasts(&mut wait, |_| line.ended()), IDLE);
        let last = Duration::from_millis(200);
        let commits = lasts(&mut wait, |time| {
            if time <= last {
                line.committed();
            }
        });
        assert_eq!(commits, last + IDLE);
        let writing = Writing::begin(&line);
        assert_eq!(lasts(&mut wait, |_| ()), PATIENCE);
        drop(writing);
        assert_eq!(lasts(&mut wait, |_| ()), IDLE);
    }

    #[test]
    fn a_hurry_is_over_with_its_work() {
        let line = Arc::default();
        let _waits = Waits::enter(&line, &Arc::default(), Duration::from_secs(3600));
        let idle = || WAIT.with_borrow(|wait| wait.as_ref().unwrap().idle);
        assert_eq!(hurried(SHORTEST, idle), SHORTEST);
        assert_eq!(idle(), Duration::MAX);
    }
}
