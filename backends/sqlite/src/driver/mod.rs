//! Runs statements on SQLite.
//!
//! SQLite answers in a microsecond what a hop to another thread takes twenty for, and may as well take a minute. So a
//! statement earns its place: one that has been quick runs where the caller stands, any other one on a thread for
//! what blocks. One that is not known yet is tried in place if it only reads.
//!
//! In place, each has a budget: SQLite gives it up when that is spent, and it begins again on the other thread. So its
//! rows are kept until it has ended. A write in a transaction cannot be given up, for SQLite would take all of the
//! transaction back: it runs in place only if its program has no loop over a table, and none within another one.
//!
//! SQLite asks whether to go on between two steps, and not within one. So a statement with large values, of more than a
//! mebibyte in all, runs on the other thread from the start. A step that makes a long value of short ones, as
//! `zeroblob(?)`, `replace` and `hex` do, or that reads a long one of a row, is not seen before: such a statement runs in
//! place, and only its first run, then every sixteenth, and the one behind a slow one are timed. Until two in a row were slow, it
//! blocks the caller's thread: one alone may have waited for a processor.
//!
//! What a script has set, or a statement that does more than read and write rows (`PRAGMA`, `ATTACH`, a temporary table), is
//! nobody else's: the pool closes the connection behind it. A database in memory would be gone with its connection: it is
//! copied to a new one when somebody asks for it next.

mod bulk;
mod codes;
mod collation;
mod connection;
mod cursor;
mod error;
mod file;
mod gathered;
mod log;
mod math;
mod options;
mod pace;
mod pool;
mod program;
mod run;
mod slot;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod wait;

use std::time::Duration;

pub use connection::SqliteConnection;
pub use options::SqliteOptions;
pub use pool::SqliteBackend;

/// What a statement may take.
#[derive(Debug, Clone, Copy)]
struct RunLimits {
    /// How long it may run.
    timeout: Option<Duration>,
    /// How large a value may be, in bytes.
    value_bytes: usize,
    transaction: Transaction,
}

/// What a connection has told its caller of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    Open,
    /// A COMMIT was begun, and its caller has not heard of its end.
    Ending,
}
