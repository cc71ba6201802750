//! The log that SQLite writes ahead: when it is long, its pages go to the file, and both to the disk. That takes a while,
//! and SQLite does it with whatever commit comes then. So one that runs on an async thread leaves it to another thread.

use std::cell::Cell;
use std::ffi::c_int;

use rusqlite::Result;
use rusqlite::hooks::Wal;

/// As many pages as SQLite's own limit.
const LONG: c_int = 1_000;

thread_local! {
    /// Whether statements run where their caller stands.
    static HERE: Cell<bool> = const { Cell::new(false) };
    /// Whether a commit has left the log to others.
    static LEFT: Cell<bool> = const { Cell::new(false) };
}

/// What SQLite calls after each commit, with the length of the log.
pub(super) fn committed(log: &Wal, pages: c_int) -> Result<()> {
    if pages >= LONG {
        if HERE.get() {
            LEFT.set(true);
        } else {
            // Others may be in the way: the next commit tries again.
            let _ = log.checkpoint();
        }
    }
    Ok(())
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

/// Whether the log was left to others since this was last asked on this thread.
pub(super) fn is_left() -> bool {
    LEFT.take()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_where_its_caller_stands_leaves_a_long_log_to_others() {
        let path = std::env::temp_dir().join(format!("isogloss-log-{}.db", std::process::id()));
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (a)").unwrap();
        connection.wal_hook(Some(committed));
        let size = || std::fs::metadata(&path).unwrap().len();
        let insert = |bytes: i64| connection.execute("INSERT INTO t VALUES (zeroblob(?))", [bytes]).unwrap();
        let here = Here::enter();
        insert(1 << 20);
        assert!(!is_left(), "it is short");
        insert(8 << 20);
        assert!(size() < 1 << 20 && is_left() && !is_left(), "it is long, and was left as it is");
        drop(here);
        insert(1);
        assert!(size() > 8 << 20 && !is_left());
        drop(connection);
        std::fs::remove_file(&path).unwrap();
    }
}
