//! A server that is reached through a pool: what the backends of servers share.

use std::fmt::{self, Debug};
use std::sync::Arc;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, ColumnCollation};

use crate::collation::{self, Collations, Question};
use crate::ddl::Ddl;
use crate::pool::{Manage, Pool, Pooled};
use crate::{
    AnyConnection, Backend, BoxFuture, Connection, Origin, PoolOptions, PoolStatus, Replication, Result, ServerDialect,
};

/// A server: the pool of connections to it, what it is, and where.
#[derive(Debug)]
pub struct ServerPool {
    pool: Box<dyn Connections>,
    dialect: Box<dyn ServerDialect>,
    origin: Arc<Origin>,
    collations: Option<Question>,
}

impl ServerPool {
    /// A server that a pool has connected to; how its catalog is asked for the collations of columns, if it is; and what runs statements on
    /// a connection out of the pool.
    pub fn new<M: Manage, C: Connection + 'static>(
        pool: Pool<M>,
        dialect: Box<dyn ServerDialect>,
        origin: Origin,
        collations: Option<Question>,
        connection: impl Fn(Pooled<M>, &PoolOptions) -> C + Send + Sync + 'static,
    ) -> Self {
        Self { pool: Box::new(Opened { pool, connection }), dialect, origin: Arc::new(origin), collations }
    }
}

/// The backend of a server: a [`Backend`] whose connections come from a [`Pool`], bounded by our own clock.
pub trait PooledBackend: Debug + Send + Sync + 'static {
    /// The server.
    fn server(&self) -> &ServerPool;

    /// See [`Backend::replication`].
    fn replication(&self) -> Option<Replication> {
        None
    }
}

impl<B: PooledBackend> Backend for B {
    fn dialect(&self) -> &dyn Dialect {
        &*self.server().dialect
    }

    fn ddl(&self) -> &dyn Ddl {
        &*self.server().dialect
    }

    fn origin(&self) -> &Origin {
        &self.server().origin
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        self.server().pool.connect(&self.server().origin)
    }

    fn collations(&self) -> Option<&dyn Collations> {
        self.server().collations.is_some().then_some(self)
    }

    fn replication(&self) -> Option<Replication> {
        PooledBackend::replication(self)
    }

    fn status(&self) -> PoolStatus {
        self.server().pool.status()
    }
}

impl<B: PooledBackend> Collations for B {
    fn tell<'c>(
        &'c self,
        connection: &'c mut dyn Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>> {
        Box::pin(async move {
            match self.server().collations {
                Some(question) => collation::tell(connection, question, catalog).await,
                None => Ok(Vec::new()),
            }
        })
    }
}

/// A pool of connections of any kind.
trait Connections: Debug + Send + Sync {
    fn connect<'s>(&'s self, origin: &'s Arc<Origin>) -> BoxFuture<'s, Result<AnyConnection>>;

    fn status(&self) -> PoolStatus;
}

struct Opened<M: Manage, F> {
    pool: Pool<M>,
    connection: F,
}

impl<M: Manage, C: Connection + 'static, F: Fn(Pooled<M>, &PoolOptions) -> C + Send + Sync> Connections
    for Opened<M, F>
{
    fn connect<'s>(&'s self, origin: &'s Arc<Origin>) -> BoxFuture<'s, Result<AnyConnection>> {
        Box::pin(async move {
            let (pooled, options) = (self.pool.get().await?, self.pool.options());
            Ok(AnyConnection::bounded((self.connection)(pooled, options), origin, options))
        })
    }

    fn status(&self) -> PoolStatus {
        self.pool.status()
    }
}

impl<M: Manage, F> Debug for Opened<M, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pool.fmt(f)
    }
}
