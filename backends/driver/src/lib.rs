//! The interface between Isogloss and database engines: what a backend implements, and what its callers use.
//!
//! A [`Backend`] is a connection pool for one server or file. A [`Connection`] runs statements that the compiler has
//! produced. Each row is decoded from the driver's own memory straight into the caller's type ([`FromRow`]), without a
//! value or map in between. All traits here are object safe, so that a program can choose its data source when it
//! starts, and a third party can add an engine.
//!
//! Programs use this crate through `isogloss`, where it is the module `driver`. The implementations are in
//! `isogloss-sqlite`, `isogloss-postgres`, `isogloss-mysql`, `isogloss-sqlserver` and `isogloss-oracle`, each with the
//! feature `driver`.

#[cfg(feature = "pool")]
mod addresses;
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
mod in_use;
pub mod introspect;
mod meter;
mod options;
#[cfg(feature = "pool")]
pub mod pool;
#[cfg(feature = "pool")]
mod pooled;
#[cfg(feature = "pool")]
mod prepared;
mod replication;
mod row;
#[cfg(feature = "sea-query")]
pub mod sea_query;
mod source;
mod trace;
mod transaction;
#[cfg(feature = "pool")]
mod uses;
mod watched;

#[cfg(feature = "pool")]
pub use addresses::{HEAD_START, first_connected};
pub use backend::{Backend, BoxFuture, Flow, RowSink, ServerDialect};
pub use connection::{AnyConnection, Connection, ConnectionExt, first_word, leaves, only_reads};
pub use cursor::{Cursor, next_for};
pub use decode::{FromColumn, FromRow, Layout, ReadRow, scalar};
pub use error::{EarlierWrite, Error, ErrorKind, Result};
pub use in_use::InUse;
pub use options::{PoolOptions, PoolStatus, time};
#[cfg(feature = "pool")]
pub use pooled::{PooledBackend, ServerPool};
#[cfg(feature = "pool")]
pub use prepared::{PreparedBudget, PreparedPlace, PreparedShare};
pub use replication::{Position, Replication};
pub use row::{Kind, Row, float_number, whole_number};
pub use source::{RowSource, completed, fitted, rows, weight};
pub use trace::{Origin, unfinished, untold};
pub use transaction::{Isolation, TransactionOptions};
