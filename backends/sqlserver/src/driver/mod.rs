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
//! - A statement given up before it has answered is cancelled, and its connection goes on. One given up in the middle of
//!   its rows has them thrown away; if that takes long, or its time was up, the connection is closed, and with it what
//!   the server still does for it.
//! - `money` comes as a double from the driver: its fraction is exact up to 900,000 million.
//! - The session speaks English, whatever the login's language: the names of constraints are read from the messages.

mod bulk;
mod collation;
mod connection;
mod cursor;
mod error;
mod load;
mod options;
mod pool;
mod raw;
mod row;
mod value;
mod wire;

pub use connection::SqlServerConnection;
pub use options::{Encryption, SqlServerOptions};
pub use pool::SqlServerBackend;
