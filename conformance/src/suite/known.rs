//! The engines that the suite can be pointed at by name.

use std::sync::Arc;

use isogloss_driver::Backend;
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use super::{Engine, SuiteError};

/// Their names, each with what it takes behind `=`.
pub const ENGINES: &[(&str, &str)] = &[
    ("sqlite", "a file; in memory without"),
    ("postgres", "postgres://user:password@host:5432/database"),
    ("mysql", "mysql://user:password@host:3306/database, of MySQL or MariaDB"),
    ("sqlserver", "an ADO or JDBC connection string, or mssql://user:password@host:1433/database"),
    ("oracle", "oracle://user:password@host:1521/service"),
];

/// An engine that this crate has a driver for.
struct Known {
    name: String,
    backend: Arc<dyn Backend>,
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
///
/// # Errors
/// The name is not known, a URL is missing, or the engine does not answer.
pub async fn connect(name: &str, url: Option<&str>) -> Result<Box<dyn Engine>, SuiteError> {
    let engine = |what: &str| SuiteError::Engine { name: name.to_owned(), what: what.to_owned() };
    let source = |source| SuiteError::Connect { name: name.to_owned(), source };
    let backend: Arc<dyn Backend> = match name {
        "sqlite" => {
            let options = url.map_or_else(SqliteOptions::memory, SqliteOptions::file);
            Arc::new(SqliteBackend::open(options).await.map_err(source)?)
        }
        "postgres" | "mysql" | "sqlserver" | "oracle" => return Err(engine("this build has no driver for it")),
        _ => {
            let known: Vec<&str> = ENGINES.iter().map(|(name, _)| *name).collect();
            return Err(engine(&format!("it is none of {}", known.join(", "))));
        }
    };
    Ok(Box::new(Known { name: backend.dialect().label(), backend }))
}
