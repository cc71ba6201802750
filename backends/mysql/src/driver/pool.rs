//! The pool of connections to one server.

use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::pool::{Manage, Pool, Pooled};
use isogloss_driver::{
    Backend as _, Error, ErrorKind, Origin, PoolOptions, PooledBackend, Replication, Result, ServerPool,
};

use super::collation::COLLATIONS;
use super::connection::MySqlConnection;
use super::options::MySqlOptions;
use super::server::Server;
use super::wire::{At, Wire};

/// After how long a connection that nobody used is asked whether it is still there, before someone gets it. Whether the server
/// has closed it in less shows with the first statement: see [`Wire::untried`].
const MAY_BE_LOST: Duration = Duration::from_secs(1);

/// A MySQL or MariaDB server, with a pool of connections to it.
#[derive(Debug)]
pub struct MySqlBackend(ServerPool);

impl MySqlBackend {
    /// Connects to the server, and asks which one it is.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] if it is not there or does not let the user in; [`ErrorKind::Configuration`] for one that speaks as
    /// MySQL does and has no dialect: SingleStore.
    pub async fn connect(options: MySqlOptions) -> Result<Self> {
        let pool = options.pool.clone();
        let pool = Pool::new(Manager { server: Arc::new(Server::new(options)) }, pool).await?;
        let first = pool.get().await?;
        let product = first.facts().product;
        let options = &first.server().options;
        let mut origin = Origin::new(if product.is_mariadb() { "mariadb" } else { "mysql" });
        if let Some(database) = &options.database {
            origin = origin.namespace(database);
        }
        match &options.socket {
            Some(socket) => origin.address = Some(socket.display().to_string()),
            None => origin = origin.server(&options.host, options.port),
        }
        drop(first);
        let connection = |pooled, _: &PoolOptions| MySqlConnection::new(pooled);
        Ok(Self(ServerPool::new(pool, product.dialect(), origin, Some(COLLATIONS), connection)))
    }
}

impl PooledBackend for MySqlBackend {
    fn server(&self) -> &ServerPool {
        &self.0
    }

    fn replication(&self) -> Option<Replication> {
        match self.origin().system {
            "mysql" => Some(MYSQL),
            "mariadb" => Some(MARIADB),
            _ => None,
        }
    }
}

/// By global transaction ids. Without them, nothing is told.
const MYSQL: Replication = Replication {
    position: "SELECT CASE @@GLOBAL.gtid_mode WHEN 'ON' THEN @@GLOBAL.gtid_executed END",
    reached: "SELECT GTID_SUBSET(?, @@GLOBAL.gtid_executed)",
};

/// By the ids of the binary log, if there is one. A replica is not waited for.
const MARIADB: Replication = Replication {
    position: "SELECT @@GLOBAL.gtid_binlog_pos",
    reached: "SELECT CASE MASTER_GTID_WAIT(?, 0) WHEN 0 THEN 1 ELSE 0 END",
};

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
        self.server.options.address()
    }

    async fn connect(&self) -> Result<Wire> {
        Wire::open(&self.server).await.map_err(|error| error.at(self.server()))
    }

    /// Whoever gave it back has cleaned it, but for its time limit.
    async fn recycle(&self, wire: &mut Wire, unused: Duration) -> Result<()> {
        if wire.is_orphaned() {
            let message = "the runtime that the connection was opened in has ended";
            return Err(Error::new(ErrorKind::ConnectionLost, message));
        }
        wire.set_timeout(self.server.options.pool.statement_timeout);
        if unused < MAY_BE_LOST {
            wire.untried = true;
            return wire.give_way().await;
        }
        wire.sign_of_life().await?;
        wire.give_way().await
    }

    fn is_broken(&self, wire: &mut Wire) -> bool {
        wire.at() != At::Rest || wire.scripted || wire.open || wire.prepared.is_starved() || wire.unfinished.is_some()
    }
}
