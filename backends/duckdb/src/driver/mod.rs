//! Runs statements on DuckDB, with the `duckdb` crate.
//!
//! DuckDB is a library of C++, which is linked and not compiled in: give the folder of one of version 1.5 in
//! `DUCKDB_LIB_DIR` when the program is built, or let the program's own `Cargo.toml` have it compiled, which takes its time:
//!
//! ```toml
//! duckdb = { version = ">=1.10506, <1.20000", features = ["icu", "json"] }
//! ```
//!
//! The dialect's texts call functions of its extensions `json` and `icu` (dates and times with an offset). The libraries that
//! DuckDB releases have both; what is compiled without `icu` cannot be opened here. No extension is loaded from elsewhere.
//!
//! What DuckDB does in its own way:
//!
//! - A statement runs on a thread for what blocks, and on more of DuckDB's own.
//! - A statement is planned anew each time that it runs: a plan that DuckDB keeps goes wrong once rows have changed. Where many
//!   rows are wanted, one statement is better than many.
//! - There are no savepoints: a transaction that is begun inside of another one is refused.
//! - A transaction sees the database as it was when it began. Of two that change the same row, the second one fails at once,
//!   with [`SerializationFailure`](isogloss_driver::ErrorKind::SerializationFailure); two that each read what the other one
//!   writes both succeed, so that `Isolation::Serializable` is refused.
//! - Any statement that fails ends its transaction. What comes next, a commit as well, is refused until it is rolled back:
//!   DuckDB's own COMMIT would say that all is well.
//! - One program at a time has a file open to write to it, and one backend in it: all connections of a pool share the
//!   database, one in memory as well.
//! - A dropped future interrupts what it runs; so does the end of a statement's time.
//! - A text that does more than read or write rows (`SET`, `CREATE TEMP TABLE`) may leave something in its session: the
//!   connection is replaced behind it. `ATTACH` and `SET GLOBAL` are of the database, and stay.

mod bulk;
mod connection;
mod cursor;
mod error;
mod options;
mod pool;
mod raw;
mod row;
mod run;
mod value;

pub use connection::DuckDbConnection;
pub use options::DuckDbOptions;
pub use pool::DuckDbBackend;
