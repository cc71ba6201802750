//! The pool of connections to one database.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, ColumnCollation};
use isogloss_driver::collation::Collations;
use isogloss_driver::ddl::Ddl;
use isogloss_driver::pool::{Manage, Pool};
use isogloss_driver::{
    AnyConnection, Backend, BoxFuture, Connection, Error, ErrorKind, Origin, PoolStatus, Result, collation,
};

use super::collation::COLLATIONS;
use super::connection::PostgresConnection;
use super::dial::Dialer;
use super::options::PostgresOptions;
use super::session::Session;
use super::typed::Strange;
use crate::Postgres;

/// One that nobody has used for so long is asked for a sign of life, and has so long to give it.
const STALE: Duration = Duration::from_secs(10);
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

/// A PostgreSQL database, with a pool of connections to it.
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
pub struct PostgresBackend {
    pool: Pool<Manager>,
    dialect: Postgres,
    origin: Arc<Origin>,
}

impl PostgresBackend {
    /// Connects to the server, once.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] if nobody answers or the server does not let the user in, [`ErrorKind::Configuration`] for
    /// options that make no sense and servers that are too old.
    pub async fn connect(options: PostgresOptions) -> Result<Self> {
        let origin = Arc::new(options.origin());
        let dialer = Arc::new(Dialer::new(&options)?);
        let pool =
            Pool::new(Manager { dialer, strange: Arc::default(), options: options.clone() }, options.pool).await?;
        let dialect = Postgres::new(pool.get().await?.major);
        Ok(Self { pool, dialect, origin })
    }
}

impl Backend for PostgresBackend {
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
            Ok(AnyConnection::bounded(PostgresConnection::new(pooled), &self.origin, self.pool.options()))
        })
    }

    fn collations(&self) -> Option<&dyn Collations> {
        Some(self)
    }

    fn status(&self) -> PoolStatus {
        self.pool.status()
    }
}

impl Collations for PostgresBackend {
    fn tell<'c>(
        &'c self,
        connection: &'c mut dyn Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>> {
        Box::pin(collation::tell(connection, COLLATIONS, catalog))
    }
}

/// Opens sessions for the pool.
#[derive(Debug)]
pub(super) struct Manager {
    options: PostgresOptions,
    dialer: Arc<Dialer>,
    strange: Arc<Strange>,
}

impl Manage for Manager {
    type Connection = Session;

    fn server(&self) -> String {
        let hosts: Vec<String> = self.options.hosts.iter().map(|(host, port)| format!("{host}:{port}")).collect();
        hosts.join(", ")
    }

    async fn connect(&self) -> Result<Session> {
        Session::open(&self.options, &self.dialer, &self.strange).await
    }

    /// What the last task has left open was taken back before the session came here.
    async fn recycle(&self, session: &mut Session, unused: Duration) -> Result<()> {
        if unused >= STALE {
            let alive = tokio::time::timeout(SIGN_OF_LIFE, session.client.check_connection()).await;
            if !matches!(alive, Ok(Ok(()))) {
                session.line.close();
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
