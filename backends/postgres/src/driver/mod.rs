//! Runs statements on PostgreSQL.
//!
//! It stands on `tokio-postgres`, not on `diesel-async`, which rides on the same: that one does not hand out what the
//! fast paths need (`COPY` in its binary form, statements on their way before the first is answered, cancellation, rows
//! that nobody has decoded), and its bookkeeping took 2.4 times as long for an INSERT of one row.
//!
//! A text is prepared once a connection and kept. Values travel in binary form, of the types that the compiler says. A
//! statement whose future is dropped is cancelled at the server, and until the server has confirmed that, nobody gets the
//! connection. A transaction that is left open is taken back at once.
//!
//! Behind a pooler such as PgBouncer, say so by [`PostgresOptions::pooled`].
//!
//! What the driver sets for each session, since the dialect's texts reckon with it: `TimeZone` UTC, `DateStyle` ISO,
//! `IntervalStyle`, `standard_conforming_strings`, `extra_float_digits`. What a script or a statement sets, begins or makes
//! for its session alone is taken back before anyone else gets the connection. What a function does inside is not seen.
//!
//! A stream that is dropped before its end is cancelled, too. In a transaction, a savepoint is set before it: the
//! transaction goes on, keeps what was done in it, and the next statement waits for one round trip or two. What writes or
//! locks rows by its own words (`INSERT .. RETURNING`, `FOR UPDATE`) is not cancelled: its rest is read and thrown away. In
//! a transaction, neither is what calls a function that is not PostgreSQL's own or may do more than compute.
//!
//! A query that is no stream has no savepoint. In a transaction, the rows that it still has when nobody wants more of them
//! (`fetch_first`) are read and thrown away: so give such a query a limit.
//!
//! What the server is, it is asked when it is connected to: PostgreSQL, or one of its variants, whose dialect
//! [`PostgresBackend`] then has. CockroachDB is told by one more round trip where NULLs are in an order, and that FOR SHARE
//! locks. Amazon Redshift, Aurora DSQL and the PostgreSQL dialect of Spanner are refused with
//! [`ErrorKind::Configuration`](isogloss_driver::ErrorKind::Configuration).
//!
//! Logging in by SCRAM goes without channel binding.

mod bulk;
mod certificates;
mod collation;
mod connection;
mod cursor;
mod decode;
mod dial;
mod encode;
mod error;
mod limit;
mod numbered;
mod options;
mod pool;
mod product;
mod reads;
mod relay;
mod scripts;
mod session;
mod statements;
mod states;
mod typed;

pub use connection::PostgresConnection;
pub use options::{PostgresOptions, Ssl};
pub use pool::PostgresBackend;
