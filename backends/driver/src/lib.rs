//! What a backend that runs statements implements, and what its callers see.
//!
//! A [`Backend`] is a pool of connections to one server or file. A [`Connection`] runs what the compiler made: a row is
//! decoded from the driver's own memory straight into the caller's type ([`FromRow`]), with no value or map between.
//! Everything here is object safe, so that a program chooses its data source when it starts, and a third party can
//! add one.

mod backend;
#[cfg(feature = "pool")]
mod clock;
pub mod collation;
mod connection;
mod cursor;
pub mod ddl;
mod decode;
#[cfg(feature = "diesel")]
pub mod diesel;
mod error;
mod meter;
mod options;
#[cfg(feature = "pool")]
pub mod pool;
mod row;
#[cfg(feature = "sea-query")]
pub mod sea_query;
mod source;
mod trace;
mod transaction;
mod watched;

pub use backend::{Backend, BoxFuture, Flow, RowSink};
pub use connection::{AnyConnection, Connection, ConnectionExt, first_word, leaves, only_reads};
pub use cursor::Cursor;
pub use decode::{FromColumn, FromRow, Layout, ReadRow, scalar};
pub use error::{Error, ErrorKind, Result};
pub use options::{PoolOptions, PoolStatus, time};
pub use row::{Kind, Row, float_number, whole_number};
pub use source::{RowSource, fitted, rows, weight};
pub use trace::{Origin, unfinished, untold};
pub use transaction::{Isolation, TransactionOptions};
