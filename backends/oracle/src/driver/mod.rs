//! Runs statements on Oracle Database, with the `oracle` crate, which is Oracle's own ODPI-C below.
//!
//! It builds without Oracle's client library and looks for it when it connects; where there is none, the error says what
//! to install. ODPI-C blocks, so each connection has a thread, which nothing waits for when the program ends. `bb8-oracle` is not used: it knows nothing
//! of what a connection has been left with, of the session that the dialect's texts rely on, nor of how many connections
//! are kept.
//!
//! What Oracle does in its own way:
//!
//! - The empty text is NULL, in parameters and results alike.
//! - The isolations are READ COMMITTED and SERIALIZABLE; REPEATABLE READ and SNAPSHOT are the latter. A transaction that
//!   only reads sees all of the database as it was when it began.
//! - DDL commits the transaction that it stands in.
//! - A text that does more than read or write rows (`ALTER SESSION`, a block) may set what it likes in its session: the
//!   connection is closed when it comes back to the pool.
//! - The limit of a statement's time is one for each exchange with the server (`OCI_ATTR_CALL_TIMEOUT`).
//! - `RETURNING .. INTO` is given as rows, as on the other engines. A text in it has at most 32,767 bytes.
//! - A column of type JSON is not known to the crate: keep the document in a CLOB, or select it by `JSON_SERIALIZE`.
//! - A row allocates its list of values, as the crate hands rows out by value; texts and numbers are read in place.

mod bulk;
mod codes;
mod collation;
mod connection;
mod cursor;
mod error;
#[cfg(test)]
mod leavings;
mod link;
mod options;
mod pool;
mod raw;
mod row;
mod run;
mod value;
mod worker;

pub use connection::OracleConnection;
pub use options::OracleOptions;
pub use pool::OracleBackend;
