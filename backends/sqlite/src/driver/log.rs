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

/// How long others that write wait for those that still read from the log, before it is left to grow.
const SHORT: Duration = Duration::from_millis(50);

/// How long a checkpoint waits for others that write.
const PATIENCE: Duration = Duration::from_secs(1);

/// By how many pages it grows at most before that is tried again.
const MORE: c_int = 16_000;

thread_local! {
    /// Whether statements run where their caller stands.
    static HERE: Cell<bool> = const { Cell::new(false) };
    /// How long the log is behind a commit.
    static LEFT: Cell<c_int> = const { Cell::new(0) };
}

/// When a pool's log is next to be shortened.
#[derive(Debug)]
pub(super) struct Log {
    /// From so many pages on. While somebody is at it, a log has never as many.
    from: AtomicI32,
    /// How many it had when that was last tried in vain.
    tried: AtomicI32,
}

impl Default for Log {
    fn default() -> Self {
        Self { from: AtomicI32::new(LONG), tried: AtomicI32::new(0) }
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

    /// Brings a log of so many pages into the file, so that it begins anew, unless somebody else is at it. A checkpoint is
    /// asked whether it had the whole of the log, or nothing if it was given up.
    pub(super) fn shorten(&self, pages: c_int, checkpoint: impl Fn(CheckpointMode) -> Option<bool>) {
        let before = self.from.load(Ordering::Relaxed);
        let at_it = || self.from.compare_exchange(before, c_int::MAX, Ordering::Relaxed, Ordering::Relaxed).is_err();
        if !self.is_due(pages) || at_it() {
            return;
        }
        // Most of it beside others that write, the rest while they wait.
        let done = match checkpoint(CheckpointMode::PASSIVE) {
            Some(true) => wait::hurried(PATIENCE, SHORT, || checkpoint(CheckpointMode::RESTART)),
            // Another pool or program is at it.
            _ => None,
        };
        let (from, tried) = match done {
            Some(true) => (LONG, 0),
            // One that reads for long is in the way: the others are not to wait for it again and again.
            Some(false) => (pages.saturating_add(pages.clamp(LONG, MORE)), pages),
            None => (before, self.tried.load(Ordering::Relaxed)),
        };
        self.tried.store(tried, Ordering::Relaxed);
        self.from.store(from, Ordering::Relaxed);
    }
}

/// What SQLite calls after each commit, with the length of the log. Others can write by then.
pub(super) fn committed(log: &Wal, pages: c_int) -> Result<()> {
    // An attached file has a log of its own, which is not the pool's.
    if log.name() != c"main" {
        return if pages < LONG || HERE.get() { Ok(()) } else { log.checkpoint() };
    }
    if HERE.get() {
        LEFT.set(pages);
        return Ok(());
    }
    let line = wait::line().unwrap_or_default();
    line.committed();
    wait::released();
    line.log.shorten(pages, |mode| had_all(log.checkpoint_v2(mode).map(drop)));
    // It had the writers' lock.
    wait::released();
    Ok(())
}

/// A checkpoint of the pool's file by a connection that does nothing else.
pub(super) fn checkpoint(connection: &Connection, mode: CheckpointMode) -> Option<bool> {
    let sql = match mode {
        CheckpointMode::RESTART => "PRAGMA main.wal_checkpoint(RESTART)",
        _ => "PRAGMA main.wal_checkpoint",
    };
    match connection.query_row(sql, [], |row| row.get::<_, i64>(0)) {
        Ok(busy) => Some(busy == 0),
        Err(found) => had_all(Err(found)),
    }
}

/// Whether a checkpoint had the whole of the log; nothing if it was ended before.
fn had_all(done: Result<()>) -> Option<bool> {
    match done {
        Ok(()) => Some(true),
        Err(found) if interrupted(&found) => None,
        Err(_) => Some(false),
    }
}

/// Statements run where their caller stands until this is dropped.
pub(super) struct Here(());

impl Here {
    pub(super) fn enter() -> Self {
        HERE.set(true);
        LEFT.set(0);
        Self(())
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        HERE.set(false);
    }
}

/// How long the log is behind the commit where its caller stood, if there was one since this was last asked; 0 if not.
pub(super) fn left() -> c_int {
    LEFT.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_where_its_caller_stands_leaves_a_long_log_to_others() {
        let path = std::env::temp_dir().join(format!("isogloss-log-{}.db", std::process::id()));
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").unwrap();
        connection.wal_hook(Some(committed));
        let size = || std::fs::metadata(&path).unwrap().len();
        let insert = |bytes: i64| connection.execute("INSERT INTO t VALUES (zeroblob(?))", [bytes]).unwrap();
        let here = Here::enter();
        insert(1 << 20);
        let short = left();
        assert!((1..LONG).contains(&short), "{short}");
        insert(8 << 20);
        assert!(size() < 1 << 20 && left() > 2_000 && left() == 0, "it is long, and was left as it is");
        drop(here);
        insert(1);
        assert!(size() > 8 << 20 && left() == 0);
        drop(connection);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn one_shortens_the_log_at_a_time() {
        let log = Log::default();
        let tries = |pages: c_int, had_all: [Option<bool>; 2]| {
            let tried = Cell::new(0);
            log.shorten(pages, |_| {
                log.shorten(pages * 2, |_| panic!("somebody is at it"));
                had_all.get(tried.replace(tried.get() + 1)).copied().flatten()
            });
            tried.get()
        };
        let [all, read, ended, busy] =
            [[Some(true); 2], [Some(true), Some(false)], [Some(true), None], [Some(false), None]];
        assert_eq!((tries(LONG - 1, all), tries(LONG, all), tries(LONG, ended), tries(LONG, busy)), (0, 2, 2, 1));
        // One reads from it that does not end: it is left alone until it has grown.
        assert_eq!((tries(LONG, read), tries(2 * LONG - 1, all), tries(2 * LONG, read)), (2, 0, 2));
        assert_eq!((tries(4 * LONG - 1, all), tries(4 * LONG, read)), (0, 2));
        // It has begun anew meanwhile.
        assert_eq!((tries(LONG - 1, all), tries(LONG, all), tries(LONG, all)), (0, 2, 2));
    }
}
