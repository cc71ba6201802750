//! The engines that the suite can be pointed at by name.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isogloss_driver::Backend;
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_oracle::driver::{OracleBackend, OracleOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};

use super::{Engine, SuiteError};

/// Their names, each with what it takes behind `=`.
pub const ENGINES: &[(&str, &str)] = &[
    ("sqlite", "a file; in memory without"),
    ("postgres", "postgres://user:password@host:5432/database"),
    ("mysql", "mysql://user:password@host:3306/database, of MySQL or MariaDB"),
    ("sqlserver", "sqlserver://user:password@host:1433/database"),
    ("oracle", "oracle://user:password@host:1521/service"),
];

/// What is missing of an engine that is a server.
const NO_URL: &str = "it is a server: give its URL behind `=`";

/// An engine that this crate has a driver for.
struct Known {
    name: String,
    // Before what it made: its connections are closed first.
    backend: Arc<dyn Backend>,
    _made: Option<Made>,
}

/// A file that was not there before. It goes with its engine.
struct Made(PathBuf);

impl Made {
    fn at(path: &str) -> Option<Self> {
        (!Path::new(path).exists()).then(|| Self(path.into()))
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        // What SQLite keeps beside a file goes when the last connection is closed, as a rule.
        for end in ["", "-wal", "-shm", "-journal"] {
            let mut path = self.0.clone().into_os_string();
            path.push(end);
            // It is not there, or somebody else's to remove.
            let _ = fs::remove_file(path);
        }
    }
}

impl Engine for Known {
    fn name(&self) -> &str {
        &self.name
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::clone(&self.backend)
    }
}

/// Connects to an engine by its name and URL. Its report is headed by the dialect and version that the server said.
/// A file of SQLite's that was not there before is removed with the engine.
///
/// # Errors
/// The name is not known, a URL is missing, or the engine does not answer.
pub async fn connect(name: &str, url: Option<&str>) -> Result<Box<dyn Engine>, SuiteError> {
    let engine = |what: &str| SuiteError::Engine { name: name.to_owned(), what: what.to_owned() };
    let source = |source| SuiteError::Connect { name: name.to_owned(), source };
    let server = || url.ok_or_else(|| engine(NO_URL));
    let mut made = None;
    let backend: Arc<dyn Backend> = match name {
        "sqlite" => {
            made = url.and_then(Made::at);
            let options = url.map_or_else(SqliteOptions::memory, SqliteOptions::file);
            Arc::new(SqliteBackend::open(options).await.map_err(source)?)
        }
        "postgres" => {
            let options = PostgresOptions::url(server()?).map_err(source)?;
            Arc::new(PostgresBackend::connect(options).await.map_err(source)?)
        }
        "mysql" => {
            let options = MySqlOptions::url(server()?).map_err(source)?;
            Arc::new(MySqlBackend::connect(options).await.map_err(source)?)
        }
        "sqlserver" => {
            let options = SqlServerOptions::url(server()?).map_err(source)?;
            Arc::new(SqlServerBackend::connect(options).await.map_err(source)?)
        }
        "oracle" => {
            let options = OracleOptions::url(server()?).map_err(source)?;
            Arc::new(OracleBackend::connect(options).await.map_err(source)?)
        }
        _ => {
            let known: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
            return Err(engine(&format!("it is none of {}", known.join(", "))));
        }
    };
    Ok(Box::new(Known { name: backend.dialect().label(), backend, _made: made }))
}
