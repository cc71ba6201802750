//! The pool of connections to one server.

use std::time::Duration;

use isogloss_driver::pool::{Manage, Pool};
use isogloss_driver::{Error, ErrorKind, Origin, PooledBackend, Result, ServerPool};

use super::collation::COLLATIONS;
use super::connection::SqlServerConnection;
use super::options::SqlServerOptions;
use super::raw::Raw;
use crate::SqlServer;

/// After so long without use, a connection is asked for a sign of life.
const QUIET: Duration = Duration::from_secs(1);

/// The dialect of a database is that of its compatibility level, whatever the server could do otherwise.
const LEVEL: &str = "SELECT CAST(compatibility_level AS int) FROM sys.databases WHERE database_id = DB_ID()";

/// The lowest level that the dialect is for: SQL Server 2017's.
const LOWEST: i64 = 140;

/// A SQL Server, with a pool of connections to it.
#[derive(Debug)]
pub struct SqlServerBackend(ServerPool);

impl SqlServerBackend {
    /// Connects, and asks the database for its version.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] where the server cannot be reached or does not let the user in;
    /// [`ErrorKind::Configuration`] for a database at a compatibility level below 140, SQL Server 2017's.
    pub async fn connect(options: SqlServerOptions) -> Result<Self> {
        let origin = Origin::new("microsoft.sql_server").server(&options.host, options.port);
        let origin = match &options.database {
            Some(database) => origin.namespace(database),
            None => origin,
        };
        let pool = Pool::new(Manager { options: options.clone() }, options.pool).await?;
        let dialect = dialect(pool.get().await?.ask(LEVEL).await?)?;
        Ok(Self(ServerPool::new(pool, Box::new(dialect), origin, Some(COLLATIONS), |pooled, options| {
            SqlServerConnection::new(pooled, options.statement_timeout)
        })))
    }
}

/// The dialect of a compatibility level: 150 is that of SQL Server 2019, whose number is 15.
fn dialect(level: Option<i64>) -> Result<SqlServer> {
    match level.filter(|level| *level >= LOWEST).and_then(|level| u16::try_from(level / 10).ok()) {
        Some(major) => Ok(SqlServer::new(major)),
        None => {
            let level = level.map_or("an unknown level".to_owned(), |level| format!("level {level}"));
            let message = format!(
                "the database is at compatibility {level}, and {LOWEST} (SQL Server 2017) is needed: ALTER DATABASE \
                 CURRENT SET COMPATIBILITY_LEVEL = {LOWEST}"
            );
            Err(Error::new(ErrorKind::Configuration, message))
        }
    }
}

impl PooledBackend for SqlServerBackend {
    fn server(&self) -> &ServerPool {
        &self.0
    }
}

/// Opens connections for the pool.
#[derive(Debug)]
pub(super) struct Manager {
    options: SqlServerOptions,
}

impl Manage for Manager {
    type Connection = Raw;

    fn server(&self) -> String {
        format!("{}:{}", self.options.host, self.options.port)
    }

    async fn connect(&self) -> Result<Raw> {
        let wait = self.options.pool.connect_timeout;
        let late = || Error::new(ErrorKind::Connect, format!("the server did not answer within {wait:?}"));
        let connected = tokio::time::timeout(wait, Raw::connect(&self.options)).await;
        connected.unwrap_or_else(|_| Err(late())).map_err(|error| error.at(self.server()))
    }

    async fn recycle(&self, raw: &mut Raw, unused: Duration) -> Result<()> {
        raw.settle().await?;
        // Who was to be told of it is gone.
        raw.state.untold = None;
        if !raw.ear.is_open() {
            return Err(Error::new(ErrorKind::ConnectionLost, "the server has closed the connection"));
        }
        if unused < QUIET {
            return Ok(());
        }
        let asked = tokio::time::timeout(raw.grace, raw.batch("SELECT 1")).await;
        asked.unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "the server gives no sign of life")))
    }

    fn is_broken(&self, raw: &mut Raw) -> bool {
        raw.state.broken || raw.state.pending || raw.state.scripted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_names_the_dialect() {
        assert_eq!(dialect(Some(150)).unwrap(), SqlServer::V2019);
        assert_eq!(dialect(Some(170)).unwrap(), SqlServer::V2025);
        let error = dialect(Some(130)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("level 130"), "{error}");
    }
}
