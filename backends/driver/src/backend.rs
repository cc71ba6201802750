//! Backends: where connections come from.

use std::any::Any;
use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use isogloss_compiler::dialect::Dialect;

use crate::collation::Collations;
use crate::ddl::Ddl;
use crate::{AnyConnection, Origin, PoolStatus, Result, Row};

/// A future in a box, so that a trait with it is object safe.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A pool of connections to one server or file.
pub trait Backend: Debug + Send + Sync {
    /// The dialect of the server, in the version that it said it is: what statements are compiled for.
    fn dialect(&self) -> &dyn Dialect;

    /// What makes the tables of a catalog there.
    fn ddl(&self) -> &dyn Ddl;

    /// Where it is, for traces and logs.
    fn origin(&self) -> &Origin;

    /// A connection, from the pool or new. It goes back when it is dropped; a broken one does not.
    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>>;

    /// What tells the collations of columns, if the engine can be asked for them.
    fn collations(&self) -> Option<&dyn Collations> {
        None
    }

    /// What the pool has at the moment.
    fn status(&self) -> PoolStatus;
}

/// Whether more rows are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// The next one, please.
    More,
    /// No more.
    Enough,
}

/// What takes rows, one after the other. It is owned by the query while that runs, perhaps on another thread, and comes
/// back with what it has gathered.
pub trait RowSink: Any + Send {
    /// Takes a row.
    ///
    /// # Errors
    /// What is wrong with it. The query ends with that error.
    fn row(&mut self, row: &dyn Row) -> Result<Flow>;

    /// How many more rows it takes at most, as far as it knows. A driver that reads ahead reads no more than that.
    fn most(&self) -> usize {
        usize::MAX
    }
}
