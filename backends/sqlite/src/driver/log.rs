//! The log that SQLite writes ahead: when it is long, its pages go to the file, and both to the disk. That takes a while,
//! and SQLite does it with whatever commit comes then. So one that runs on an async thread leaves it to another thread.
//!
//! While others write, SQLite has never all of the log in the file, and without that the log does not begin anew: it grows for
//! as long as they write. So most of it goes to the file beside them, and the last pages while they wait.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use rusqlite::hooks::{CheckpointMode, Wal};
use rusqlite::{Connection, Result};

use super::error::interrupted;
use super::wait;

/// As many pages as SQLite's own limit.
const LONG: c_int = 1_000;

/// How long that is: a moment for those that wait, and longer than what reads by a key takes.
const SHORT: Duration = Duration::from_millis(50);

/// How many pages at most are brought in while others that write wait.
const FEW: c_int = 500;

/// By how many pages it grows at most before that is tried again.
const MORE: c_int = 16_000;

thread_local! {
    /// Whether statements run where their caller stands.
    static HERE: Cell<bool> = const { Cell::new(false) };
    /// Whether a commit has left the log of an attached file to others.
    static BESIDE: Cell<bool> = const { Cell::new(false) };
    /// How long the log is behind a commit.
    static LEFT: Cell<c_int> = const { Cell::new(0) };
}

/// When a pool's log is next to be shortened.
#[derive(Debug)]
pub(super) struct Log {
    /// How long others that write wait for those that still read from the log, before it is left to grow.
    pub(super) short: Duration,
    /// From so many pages on. While somebody is at it, a log has never as many.
    from: AtomicI32,
    /// How many it had when that was last tried in vain.
    tried: AtomicI32,
}

impl Default for Log {
    fn default() -> Self {
        Self { short: SHORT, from: AtomicI32::new(LONG), tried: AtomicI32::new(0) }
    }
}

impl Log {
    /// From how many pages on a log is to be shortened that has so many.
    fn from(&self, pages: c_int) -> c_int {
        let from = self.from.load(Ordering::Relaxed);
        // It has begun anew by itself.
        if pages < self.tried.load(Ordering::Relaxed) && from < c_int::MAX { LONG } else { from }
    }

    /// Whether a log of so many pages is to be shortened, and nobody is at it.
    pub(super) fn is_due(&self, pages: c_int) -> bool {
        pages >= self.from(pages)
    }

    /// Brings a log of so many pages into the file, so that it begins anew, unless somebody else is at it. A checkpoint tells
    /// how long the log is and how many of its pages are left, or nothing if it was given up or others are at it.
    pub(super) fn shorten(&self, pages: c_int, checkpoint: impl Fn(CheckpointMode) -> Option<(c_int, c_int)>) {
        let before = self.from.load(Ordering::Relaxed);
        let at_it = || self.from.compare_exchange(before, c_int::MAX, Ordering::Relaxed, Ordering::Relaxed).is_err();
        if !self.is_due(pages) || at_it() {
            return;
        }
        let (from, tried) = match brought_in(self.short, checkpoint) {
            Some((_, 0)) => (LONG, 0),
            // One that reads for long is in the way: the others are not to wait for it again and again.
            Some((pages, _)) => (pages.saturating_add(pages.clamp(LONG, MORE)), pages),
            None => (before, self.tried.load(Ordering::Relaxed)),
        };
        self.tried.store(tried, Ordering::Relaxed);
        self.from.store(from, Ordering::Relaxed);
    }
}

/// How long the log was, and how many of its pages are left: most are brought in beside others that write, the last few while
/// they wait.
fn brought_in(
    short: Duration,
    checkpoint: impl Fn(CheckpointMode) -> Option<(c_int, c_int)>,
) -> Option<(c_int, c_int)> {
    let mut most = c_int::MAX;
    loop {
        let (pages, left) = checkpoint(CheckpointMode::PASSIVE)?;
        if left <= FEW {
            let (_, left) = wait::hurried(short, || checkpoint(CheckpointMode::RESTART))?;
            return Some((pages, left));
        }
        // Others write on meanwhile, but less each time; or one that reads needs them.
        if left > most / 2 {
            return Some((pages, left));
        }
        most = left;
    }
}

/// What SQLite calls after each commit, with the length of the log. Others can write by then. It took effect, whatever comes of
/// this.
pub(super) fn committed(log: &Wal, pages: c_int) -> Result<()> {
    let is_main = log.name() == c"main";
    match (HERE.get(), is_main) {
        (true, true) => LEFT.set(pages),
        (true, false) => BESIDE.set(BESIDE.get() || pages >= LONG),
        (false, true) => {
            let line = wait::line().unwrap_or_default();
            line.committed();
            wait::released();
            line.log.shorten(pages, |mode| told(mode, log.checkpoint_v2(mode)));
            // It had the writers' lock.
            wait::released();
        }
        // An attached file has a log of its own, which is not the pool's.
        (false, false) if pages >= LONG => drop(log.checkpoint()),
        (false, false) => {}
    }
    Ok(())
}

/// A checkpoint of the pool's file by a connection that does nothing else.
pub(super) fn checkpoint(connection: &Connection, mode: CheckpointMode) -> Option<(c_int, c_int)> {
    let sql = match mode {
        CheckpointMode::RESTART => "PRAGMA main.wal_checkpoint(RESTART)",
        _ => "PRAGMA main.wal_checkpoint",
    };
    match connection.query_row(sql, [], |row| Ok((row.get::<_, bool>(0)?, row.get(1)?, row.get(2)?))) {
        Ok((false, pages, done)) => told(mode, Ok((pages, done))),
        Ok((true, ..)) => busy(mode),
        Err(found) => told(mode, Err(found)),
    }
}

/// Brings in the logs of all files, as far as others let it.
pub(super) fn checkpoint_all(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint", [], |_| Ok(()));
}

/// What a checkpoint tells by the length of the log and how many of its pages are in the file.
fn told(mode: CheckpointMode, done: Result<(c_int, c_int)>) -> Option<(c_int, c_int)> {
    match done {
        Ok((pages, done)) => Some((pages, pages.saturating_sub(done))),
        Err(found) if interrupted(&found) => None,
        Err(_) => busy(mode),
    }
}

/// What is told of one that others were in the way of: of all but those that let everybody go first, that something is left.
fn busy(mode: CheckpointMode) -> Option<(c_int, c_int)> {
    (matches!(mode, CheckpointMode::RESTART) && !wait::is_given_up()).then_some((0, 1))
}

/// Statements run where their caller stands until this is dropped.
pub(super) struct OnAsyncThread(());

impl OnAsyncThread {
    pub(super) fn enter() -> Self {
        HERE.set(true);
        LEFT.set(0);
        Self(())
    }
}

impl Drop for OnAsyncThread {
    fn drop(&mut self) {
        HERE.set(false);
    }
}

/// How long the log is behind the commit where its caller stood, if there was one since this was last asked; 0 if not.
pub(super) fn left() -> c_int {
    LEFT.take()
}

/// Whether the log of an attached file was left to others since this was last asked.
pub(super) fn left_beside() -> bool {
    BESIDE.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_where_its_caller_stands_leaves_a_long_log_to_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").unwrap();
        connection.wal_hook(Some(committed));
        let size = || std::fs::metadata(&path).unwrap().len();
        let insert = |bytes: i64| connection.execute("INSERT INTO t VALUES (zeroblob(?))", [bytes]).unwrap();
        let here = OnAsyncThread::enter();
        insert(1 << 20);
        let short = left();
        assert!((1..LONG).contains(&short), "{short}");
        insert(8 << 20);
        assert!(size() < 1 << 20 && left() > 2_000 && left() == 0, "it is long, and was left as it is");
        drop(here);
        insert(1);
        assert!(size() > 8 << 20 && left() == 0);
    }

    #[test]
    fn one_shortens_the_log_at_a_time() {
        let log = Log::default();
        // What is left behind each checkpoint; how many there were.
        let tries = |pages: c_int, left: &[Option<c_int>]| {
            let tried = Cell::new(0);
            log.shorten(pages, |_| {
                log.shorten(pages * 2, |_| panic!("somebody is at it"));
                let left = left.get(tried.replace(tried.get() + 1)).copied().flatten();
                left.map(|left| (pages, left))
            });
            tried.get()
        };
        let (all, read): (&[_], &[_]) = (&[Some(0), Some(0)], &[Some(0), Some(1)]);
        assert_eq!((tries(LONG - 1, all), tries(LONG, all)), (0, 2));
        // It was given up, or another program is at it.
        assert_eq!((tries(LONG, &[Some(0), None]), tries(LONG, &[None])), (2, 1));
        // Others write on meanwhile.
        assert_eq!(tries(20 * LONG, &[Some(8 * LONG), Some(3 * LONG), Some(LONG), Some(0), Some(0)]), 5);
        // One reads from it that does not end: it is left alone until it has grown.
        assert_eq!(
            (tries(LONG, read), tries(2 * LONG - 1, all), tries(2 * LONG, &[Some(LONG), Some(LONG)])),
            (2, 0, 2)
        );
        assert_eq!((tries(4 * LONG - 1, all), tries(4 * LONG, read)), (0, 2));
        // It has begun anew meanwhile.
        assert_eq!((tries(LONG - 1, all), tries(LONG, all), tries(LONG, all)), (0, 2, 2));
    }
}
