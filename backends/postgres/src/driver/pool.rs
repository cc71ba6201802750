//! The pool of connections to one database.

use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::pool::{Manage, Pool};
use isogloss_driver::{Backend as _, Error, ErrorKind, PoolOptions, PooledBackend, Replication, Result, ServerPool};

use super::collation::COLLATIONS;
use super::connection::PostgresConnection;
use super::dial::Dialer;
use super::options::PostgresOptions;
use super::session::Session;
use super::statements::TableChanges;
use super::typed::Strange;

/// One that nobody has used for so long is asked for a sign of life, and has so long to give it.
const STALE: Duration = Duration::from_secs(10);
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// A database of PostgreSQL or one of its variants, with a pool of connections to it. Which one the server is, its
/// [dialect](isogloss_driver::Backend::dialect) says.
///
/// ```no_run
/// use isogloss_driver::{Backend, ConnectionExt};
/// use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
/// # async fn run(total: isogloss_compiler::Compiled<'_>) -> isogloss_driver::Result<()> {
/// let shop = PostgresBackend::connect(PostgresOptions::url("postgres://till:secret@db.example/shop")?).await?;
/// let (orders,): (i64,) = Backend::connect(&shop).await?.fetch_one(&total).await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct PostgresBackend(ServerPool);

impl PostgresBackend {
    /// Connects to the server, once.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] if nobody answers or the server does not let the user in, [`ErrorKind::Configuration`] for
    /// options that make no sense, and servers that are too old or only speak the protocol.
    pub async fn connect(options: PostgresOptions) -> Result<Self> {
        let mut origin = options.origin();
        let dialer = Arc::new(Dialer::new(&options)?);
        let pool = Pool::new(
            Manager { dialer, strange: Arc::default(), changes: TableChanges::default(), options: options.clone() },
            options.pool,
        )
        .await?;
        let product = pool.get().await?.product;
        origin.system = product.system();
        // CockroachDB compares texts by their code points, and its catalog tells other things of collations.
        let collations = (!product.is_cockroachdb()).then_some(COLLATIONS);
        let connection = |pooled, _: &PoolOptions| PostgresConnection::new(pooled);
        Ok(Self(ServerPool::new(pool, product.dialect(), origin, collations, connection)))
    }
}

impl PooledBackend for PostgresBackend {
    fn server(&self) -> &ServerPool {
        &self.0
    }

    fn replication(&self) -> Option<Replication> {
        (self.origin().system == "postgresql").then_some(REPLICATION)
    }
}

/// By the write-ahead log. What is inserted into it includes what was committed without waiting for the disk. A server that is no
/// physical standby, such as a subscriber, does not tell.
const REPLICATION: Replication = Replication {
    position: "SELECT pg_catalog.pg_current_wal_insert_lsn()::text",
    reached: "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() \
              AND pg_catalog.pg_last_wal_replay_lsn() >= $1::text::pg_catalog.pg_lsn THEN 1 ELSE 0 END::bigint",
};

/// Opens sessions for the pool.
#[derive(Debug)]
pub(super) struct Manager {
    options: PostgresOptions,
    dialer: Arc<Dialer>,
    strange: Arc<Strange>,
    changes: TableChanges,
}

impl Manage for Manager {
    type Connection = Session;

    fn server(&self) -> String {
        let hosts: Vec<String> = self.options.hosts.iter().map(|(host, port)| format!("{host}:{port}")).collect();
        hosts.join(", ")
    }

    async fn connect(&self) -> Result<Session> {
        Session::open(&self.options, &self.dialer, &self.strange, &self.changes).await
    }

    /// What the last task has left open was taken back before the session came here.
    async fn recycle(&self, session: &mut Session, unused: Duration) -> Result<()> {
        if unused >= STALE {
            match tokio::time::timeout(SIGN_OF_LIFE, session.client.check_connection()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => session.line.close(),
                Err(_) => {
                    session.line.close();
                    return Err(Error::new(ErrorKind::Timeout, "the server gives no sign of life"));
                }
            }
        }
        if session.is_clean() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::ConnectionLost, "the server closed the connection while nobody used it"))
    }

    fn is_broken(&self, session: &mut Session) -> bool {
        !session.is_clean()
    }
}
