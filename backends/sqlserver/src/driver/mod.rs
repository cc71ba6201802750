//! Runs statements on SQL Server, with `tiberius` for the protocol and rustls for TLS.
//!
//! A statement is a call of `sp_executesql`, made here and not by `tiberius`, so that each parameter is declared as what
//! it meets: a text beside a varchar column is a varchar, and an index on the column serves it; a decimal has the digits
//! that it has. The server keeps the plans by the text, so there is nothing to prepare
//! ([`PoolOptions::prepared`](isogloss_driver::PoolOptions) is not looked at).
//!
//! What SQL Server does in its own way:
//!
//! - A fraction of a second has seven digits; what is finer is cut off.
//! - There are no transactions that only read. In one that says so, what is no SELECT is refused, and its end is a rollback.
//! - [`Isolation::Snapshot`](isogloss_driver::Isolation) asks for a database with `ALLOW_SNAPSHOT_ISOLATION ON`.
//! - Some errors roll the whole transaction back. What follows is then refused until the caller rolls back as well.
//! - A statement given up, before it has answered or in the middle of its rows, is cancelled before the connection runs
//!   anything else; so is one whose time is over. Where the server does not end it within the pool's grace, the connection is
//!   closed. In a transaction, the server is asked whether that is still there.
//! - A write of which only some rows are taken is not cancelled: its answer is read to the end before anything else runs, for as
//!   long as a statement and the grace may take, and what it fails with is what the next call fails with. Where its rows had not
//!   arrived yet, that is the error of its last statement (`@@ERROR`), by its number.
//! - A script may set what it likes in its session: its connection is closed when it comes back to the pool, which also takes
//!   back what the script has left open. The driver knows no way to reset one. So may a statement that does not begin with
//!   SELECT, INSERT, UPDATE, DELETE, MERGE or WITH, or has such a one behind it, with a `;` between them or not:
//!   `BEGIN TRANSACTION`, `EXEC sp_getapplock ..`; or one that makes a temporary table: `SELECT .. INTO #t`.
//! - `money` comes as a double from the driver: its fraction is exact up to 900,000 million.
//! - The session speaks English, whatever the login's language: the names of constraints are read from the messages.

mod bulk;
mod cancel;
mod collation;
mod connection;
mod cursor;
mod error;
mod leavings;
mod load;
mod many;
mod options;
mod pool;
mod raw;
mod row;
mod value;
mod wire;

pub use connection::SqlServerConnection;
pub use options::{Encryption, SqlServerOptions};
pub use pool::SqlServerBackend;
