//! The pool of connections to one database.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use duckdb::Connection;
use isogloss_compiler::dialect::Dialect;
use isogloss_driver::ddl::Ddl;
use isogloss_driver::pool::{Manage, Pool};
use isogloss_driver::{AnyConnection, Backend, BoxFuture, Error, ErrorKind, Origin, PoolStatus, Result};

use super::connection::DuckDbConnection;
use super::error::{error, has_none};
use super::options::DuckDbOptions;
use super::raw::Raw;
use super::run::Call;
use crate::DuckDb;

/// What the dialect's texts rely on: of its extension `icu`, too.
const SESSION: &str = "SET TimeZone = 'UTC'";

/// A DuckDB database, with a pool of connections to it.
#[derive(Debug)]
pub struct DuckDbBackend {
    pool: Pool<Manager>,
    dialect: DuckDb,
    origin: Arc<Origin>,
}

impl DuckDbBackend {
    /// Opens the database.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] where the file cannot be opened, another program has it, or the library lacks the extension
    /// `icu`.
    pub async fn open(options: DuckDbOptions) -> Result<Self> {
        let mut origin = Origin::new("duckdb");
        if let Some(path) = &options.path {
            origin = origin.namespace(path.display().to_string());
        }
        let (pool, place) = (options.pool.clone(), options.path.clone());
        let opened = tokio::task::spawn_blocking(move || {
            let connection = options.open()?;
            let version = connection.version().map_err(error)?;
            Ok::<_, Error>((connection, version))
        });
        let lost = |lost| Error::new(ErrorKind::Connect, "the thread that opens it ended").with_source(lost);
        let (connection, version) = opened.await.map_err(lost)??;
        let server = place.map_or_else(|| ":memory:".to_owned(), |path| path.display().to_string());
        let manager = Manager { root: Mutex::new(connection), server };
        Ok(Self { pool: Pool::new(manager, pool).await?, dialect: dialect(&version), origin: Arc::new(origin) })
    }
}

/// The dialect of a library that calls itself `v1.5.6`.
fn dialect(version: &str) -> DuckDb {
    let mut parts = version.trim_start_matches('v').split('.').map(|part| part.parse().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => DuckDb::new(major, minor),
        _ => DuckDb::default(),
    }
}

impl Backend for DuckDbBackend {
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
            let connection = DuckDbConnection::new(self.pool.get().await?, self.pool.options());
            Ok(AnyConnection::watched(connection, &self.origin))
        })
    }

    fn status(&self) -> PoolStatus {
        self.pool.status()
    }
}

/// Opens connections for the pool.
pub(super) struct Manager {
    /// The database is open for as long as this is. It runs nothing.
    root: Mutex<Connection>,
    server: String,
}

impl std::fmt::Debug for Manager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Manager").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Manage for Manager {
    type Connection = Raw;

    fn server(&self) -> String {
        self.server.clone()
    }

    async fn connect(&self) -> Result<Raw> {
        let another = || self.root.lock().unwrap_or_else(PoisonError::into_inner).try_clone();
        let connection =
            another().map_err(|found| Error::new(ErrorKind::Connect, found.to_string()).with_source(found))?;
        connection.execute_batch(SESSION).map_err(|found| {
            let message = "the library has no extension `icu`, by which dates and times with an offset are computed: link one \
                           that has, such as those that DuckDB releases";
            Error::new(ErrorKind::Connect, message).with_source(found)
        })?;
        Ok(Raw::new(connection))
    }

    async fn recycle(&self, raw: &mut Raw, _: Duration) -> Result<()> {
        clean(raw).await
    }

    fn is_broken(&self, raw: &mut Raw) -> bool {
        raw.spoiled
    }
}

/// Takes back a transaction that nobody has.
pub(super) async fn clean(raw: &mut Raw) -> Result<()> {
    if raw.begun {
        roll_back(raw).await?;
        raw.begun = false;
    }
    Ok(())
}

/// Takes the transaction back, if there is one.
pub(super) async fn roll_back(raw: &Raw) -> Result<()> {
    let done = raw.lend(None, |connection, watch| Call::plain("ROLLBACK").run(connection, watch, None)).await;
    match done {
        Err(error) if !has_none(&error) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(dialect("v1.5.6").version(), (1, 5, 0));
        assert_eq!(dialect("v2.0.0").version(), (2, 0, 0));
        assert_eq!(dialect("unknown"), DuckDb::default());
    }
}
