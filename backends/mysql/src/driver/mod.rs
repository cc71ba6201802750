//! Runs statements on MySQL and MariaDB, through `mysql_async`.
//!
//! That is what diesel-async rides on, too, which does not hand out the connection below it: bulk inserts and cancelling
//! need it. It makes a row of its own of each one that comes, which is read in place; the packet itself it keeps, so that
//! a text is copied once more here. It sends a statement when the one before has been answered.
//!
//! What the dialect's texts rely on is set for each session: strict modes, so that a value that does not fit is an error;
//! UTC; `utf8mb4` in the database's own collation; `GROUP_CONCAT` and recursion without the low limits that cut an answer
//! short. An UPDATE counts the rows that it found, as on other engines, also those that had the values already.
//!
//! Which server it is, and in which version, is asked when a connection is made, and with it whether it is a node of MariaDB Galera,
//! TiDB, Vitess or Aurora. What these take and do not keep is refused: SERIALIZABLE over several nodes, transactions that only read on
//! TiDB, an isolation for one transaction on Vitess. A transaction that a cluster has taken back takes no statement more, as that
//! would commit by itself, until it is rolled back.
//!
//! What a script has set, or a statement that does more than read and write rows (`SET`, `USE`, `CALL`, `SELECT @x := 1`,
//! `GET_LOCK`), is nobody else's: the pool closes the connection behind it, and one that is lost is not replaced unheard. What
//! a function does inside is not looked at.
//!
//! A bulk insert is a `LOAD DATA LOCAL` where the server allows it and no column is of bytes, else INSERTs of many rows. The
//! server counts a row that an upsert leaves as it is as one that it has changed.
//!
//! A date and time has microseconds here: what a value has beyond them is cut off. A value with an offset is stored in
//! UTC.
//!
//! A statement is ended by its time limit on the server; MySQL does so for SELECT alone, and any other one is killed from
//! another connection. Each statement of a batch, and of a bulk insert, has the limit for itself; a `LOAD DATA` is one. For
//! a stream it is the wait for the next rows, which our own clock looks at: the server is told of no limit then, and of it
//! again before the next statement.
//!
//! What a dropped future leaves running is killed, too. There is one connection for that, made when it is first needed, and
//! until the server has closed the other one, that keeps its place in the pool. Where the server's name leads to another
//! server by then, or to one that was started again, nothing is killed: the connection is closed, and its statement ends
//! by the limit that the server knows.
//!
//! A connection is encrypted if the server can, without a look at who that is; see [`TlsMode`].

mod bulk;
mod collation;
mod connection;
mod cursor;
mod error;
mod kill;
mod leavings;
mod line;
mod load;
mod options;
mod over;
mod pool;
mod prepared;
mod server;
mod session;
mod value;
mod wire;

pub use connection::MySqlConnection;
pub use options::{MySqlOptions, Tls, TlsMode};
pub use pool::MySqlBackend;
