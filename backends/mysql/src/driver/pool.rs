//! The pool of connections to one server.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, ColumnCollation};
use isogloss_driver::collation::Collations;
use isogloss_driver::ddl::Ddl;
use isogloss_driver::pool::{Manage, Pool, Pooled};
use isogloss_driver::{
    AnyConnection, Backend, BoxFuture, Connection, Error, ErrorKind, Origin, PoolStatus, Result, collation,
};

use super::collation::COLLATIONS;
use super::connection::MySqlConnection;
use super::options::MySqlOptions;
use super::server::Server;
use super::wire::{At, Wire};
use crate::MySql;

/// After how long a connection that nobody used is asked whether it is still there, before someone gets it.
const MAY_BE_LOST: Duration = Duration::from_secs(1);

/// How long it has for the answer.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// A MySQL or MariaDB server, with a pool of connections to it.
#[derive(Debug)]
pub struct MySqlBackend {
    pool: Pool<Manager>,
    dialect: MySql,
    origin: Arc<Origin>,
}

impl MySqlBackend {
    /// Connects to the server, and asks which one it is.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] if it is not there or does not let the user in.
    pub async fn connect(options: MySqlOptions) -> Result<Self> {
        let pool = options.pool.clone();
        let pool = Pool::new(Manager { server: Arc::new(Server::new(options)) }, pool).await?;
        let first = pool.get().await?;
        let dialect = first.facts().dialect;
        let options = &first.server().options;
        let mut origin = Origin::new(if first.facts().mariadb { "mariadb" } else { "mysql" });
        if let Some(database) = &options.database {
            origin = origin.namespace(database);
        }
        match &options.socket {
            Some(socket) => origin.address = Some(socket.display().to_string()),
            None => origin = origin.server(&options.host, options.port),
        }
        drop(first);
        Ok(Self { pool, dialect, origin: Arc::new(origin) })
    }
}

impl Backend for MySqlBackend {
    fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    fn ddl(&self) -> &dyn Ddl {
        &self.dialect
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        Box::pin(async move {
            let pooled = self.pool.get().await?;
            Ok(AnyConnection::bounded(MySqlConnection::new(pooled), &self.origin, self.pool.options()))
        })
    }

    fn collations(&self) -> Option<&dyn Collations> {
        Some(self)
    }

    fn status(&self) -> PoolStatus {
        self.pool.status()
    }
}

impl Collations for MySqlBackend {
    fn tell<'c>(
        &'c self,
        connection: &'c mut dyn Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>> {
        Box::pin(collation::tell(connection, COLLATIONS, catalog))
    }
}

/// A connection out of the pool.
pub(super) type Held = Pooled<Manager>;

/// Opens connections for the pool.
#[derive(Debug)]
pub(super) struct Manager {
    server: Arc<Server>,
}

impl Manage for Manager {
    type Connection = Wire;

    fn server(&self) -> String {
        let options = &self.server.options;
        match &options.socket {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", options.host, options.port),
        }
    }

    async fn connect(&self) -> Result<Wire> {
        Wire::open(&self.server).await.map_err(|error| error.at(self.server()))
    }

    /// Whoever gave it back has cleaned it, but for its time limit.
    async fn recycle(&self, wire: &mut Wire, unused: Duration) -> Result<()> {
        wire.set_timeout(self.server.options.pool.statement_timeout);
        if unused < MAY_BE_LOST {
            return Ok(());
        }
        match tokio::time::timeout(SIGN_OF_LIFE, wire.ping()).await {
            Ok(answer) => answer,
            Err(_) => Err(Error::new(ErrorKind::ConnectionLost, "the server gives no sign of life")),
        }
    }

    fn is_broken(&self, wire: &mut Wire) -> bool {
        wire.at() != At::Rest || wire.scripted || wire.open || wire.unfinished.is_some()
    }
}
