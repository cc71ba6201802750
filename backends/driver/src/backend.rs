//! Backends: connection pools of one server or file.

use std::any::Any;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use isogloss_compiler::dialect::Dialect;

use crate::collation::Collations;
use crate::ddl::Ddl;
use crate::{AnyConnection, Origin, PoolStatus, Replication, Result, Row};

/// A boxed future, so that traits that return it are object safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A connection pool for one server or database file.
///
/// Every engine's crate has an implementation, such as `PostgresBackend`. A program usually holds it as `Box<dyn
/// Backend>`.
pub trait Backend: Debug + Send + Sync {
    /// The dialect of the server, in the version that it reported. Statements for this backend are compiled for it.
    fn dialect(&self) -> &dyn Dialect;

    /// Generates the DDL statements for the tables of a catalog on this engine.
    fn ddl(&self) -> &dyn Ddl;

    /// The server or file that it connects to, for traces and logs.
    fn origin(&self) -> &Origin;

    /// Takes a connection out of the pool, or opens one. It returns to the pool when it is dropped, unless it is
    /// broken.
    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>>;

    /// Reads the collations of columns from the engine's catalog; `None` if the engine has no way to ask.
    fn collations(&self) -> Option<&dyn Collations> {
        None
    }

    /// How the engine tells whether a replica has what was written to its primary; `None` if it does not.
    fn replication(&self) -> Option<Replication> {
        None
    }

    /// The current state of the pool.
    fn status(&self) -> PoolStatus;
}

/// A dialect that also generates DDL: what a driver knows about its server.
pub trait ServerDialect: Dialect + Ddl {}

impl<D: Dialect + Ddl> ServerDialect for D {}

/// What a [`RowSink`] answers to a row: whether it wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// Continue with the next row.
    More,
    /// Stop: no more rows are wanted.
    Enough,
}

/// A consumer of rows. A query owns it while it runs, possibly on another thread, and returns it at the end with what
/// it has collected.
pub trait RowSink: Any + Send {
    /// Consumes one row.
    ///
    /// # Errors
    /// Any error ends the query with that error.
    fn row(&mut self, row: &dyn Row) -> Result<Flow>;

    /// An upper bound of how many more rows it will take, as far as it is known. A driver that reads ahead reads no
    /// more than this.
    fn most(&self) -> usize {
        usize::MAX
    }

    /// Returns whether the sink has rows that its reader could use now. A cursor then returns instead of waiting for more.
    fn is_awaited(&self) -> bool {
        false
    }
}
