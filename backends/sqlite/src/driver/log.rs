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

use super::wait;

/// As many pages as SQLite's own limit.
const LONG: c_int = 1_000;

/// How long others that write wait for those that still read from the log, before it is left to grow.
const SHORT: Duration = Duration::from_millis(50);

/// By how many pages it grows at most before that is tried again.
const MORE: c_int = 16_000;

thread_local! {
    /// Whether statements run where their caller stands.
    static HERE: Cell<bool> = const { Cell::new(false) };
    /// How long a log is that a commit has left to others.
    static LEFT: Cell<c_int> = const { Cell::new(0) };
}

/// When a pool's log is next to be shortened.
#[derive(Debug)]
pub(super) struct Log {
    /// From so many pages on. While somebody is at it, a log has never as many.
    from: AtomicI32,
}

impl Default for Log {
    fn default() -> Self {
        Self { from: AtomicI32::new(LONG) }
    }
}

impl Log {
    /// Whether a log of so many pages is to be shortened, and nobody is at it.
    pub(super) fn is_due(&self, pages: c_int) -> bool {
        pages >= self.from.load(Ordering::Relaxed)
    }

    /// Brings a log of so many pages into the file, so that it begins anew, unless somebody else is at it. A checkpoint is
    /// asked whether it had the whole of the log.
    pub(super) fn shorten(&self, pages: c_int, checkpoint: impl Fn(CheckpointMode) -> bool) {
        let from = self.from.load(Ordering::Relaxed);
        let at_it = || self.from.compare_exchange(from, c_int::MAX, Ordering::Relaxed, Ordering::Relaxed).is_err();
        if pages < from || at_it() {
            return;
        }
        // Most of it beside others that write, the rest while they wait.
        checkpoint(CheckpointMode::PASSIVE);
        let done = wait::hurried(SHORT, || checkpoint(CheckpointMode::RESTART));
        // One that reads for long is in the way: the others are not to wait for it again and again.
        let from = if done { LONG } else { pages.saturating_add(pages.clamp(LONG, MORE)) };
        self.from.store(from, Ordering::Relaxed);
    }
}

/// What SQLite calls after each commit, with the length of the log. Others can write by then.
pub(super) fn committed(log: &Wal, pages: c_int) -> Result<()> {
    if HERE.get() {
        if pages >= LONG {
            LEFT.set(pages);
        }
        return Ok(());
    }
    let line = wait::line().unwrap_or_default();
    line.ended();
    line.log.shorten(pages, |mode| log.checkpoint_v2(mode).is_ok());
    Ok(())
}

/// A checkpoint by a connection that does nothing else: whether it had the whole of the log.
pub(super) fn checkpoint(connection: &Connection, mode: CheckpointMode) -> bool {
    let sql = match mode {
        CheckpointMode::RESTART => "PRAGMA wal_checkpoint(RESTART)",
        _ => "PRAGMA wal_checkpoint",
    };
    connection.query_row(sql, [], |row| row.get(0)).is_ok_and(|busy: i64| busy == 0)
}

/// Statements run where their caller stands until this is dropped.
pub(super) struct Here(());

impl Here {
    pub(super) fn enter() -> Self {
        HERE.set(true);
        Self(())
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        HERE.set(false);
    }
}

/// How long the log was that a commit on this thread has left to others since this was last asked; 0 if none has.
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
        assert_eq!(left(), 0, "it is short");
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
        let tried = Cell::new(0);
        let tries = |pages: c_int, whole: bool| {
            tried.set(0);
            log.shorten(pages, |_| {
                tried.set(tried.get() + 1);
                log.shorten(pages * 2, |_| panic!("somebody is at it"));
                whole
            });
            tried.get()
        };
        assert_eq!((tries(LONG - 1, true), tries(LONG, true), tries(LONG, false)), (0, 2, 2));
        // One reads from it that does not end: it is left alone until it has grown.
        assert_eq!((tries(LONG + 1, true), tries(2 * LONG, true), tries(LONG, true)), (0, 2, 2));
    }
}
