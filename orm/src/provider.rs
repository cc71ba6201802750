//! What opens data sources: the engines of the crate's features, and what the program registers.

use std::fmt::Debug;
use std::sync::Arc;

use isogloss_driver::{Backend, BoxFuture, Result};

use crate::config::PoolConfig;

/// Opens the pools of data sources that name it as their provider.
///
/// ```
/// use std::sync::Arc;
/// use isogloss::config::PoolConfig;
/// use isogloss::driver::{Backend, BoxFuture, Result};
/// use isogloss::provider::Provider;
/// use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
///
/// /// Every test gets a database of its own.
/// #[derive(Debug)]
/// struct Fresh;
///
/// impl Provider for Fresh {
///     fn names(&self) -> &[&str] {
///         &["fresh"]
///     }
///
///     fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
///         Box::pin(async move {
///             let options = SqliteOptions::memory().pool(config.options());
///             Ok(Arc::new(SqliteBackend::open(options).await?) as Arc<dyn Backend>)
///         })
///     }
/// }
/// ```
pub trait Provider: Debug + Send + Sync {
    /// The names that it goes by; their case does not matter.
    fn names(&self) -> &[&str];

    /// Opens a pool.
    ///
    /// # Errors
    /// What keeps it from being opened. The connection string is no part of what it says.
    fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>>;
}

/// The engines of the crate's features.
#[must_use]
pub fn built_in() -> Vec<Arc<dyn Provider>> {
    vec![
        #[cfg(feature = "postgres")]
        Arc::new(engines::Postgres),
        #[cfg(feature = "mysql")]
        Arc::new(engines::MySql),
        #[cfg(feature = "sqlite")]
        Arc::new(engines::Sqlite),
        #[cfg(feature = "sqlserver")]
        Arc::new(engines::SqlServer),
        #[cfg(feature = "oracle")]
        Arc::new(engines::Oracle),
    ]
}

#[allow(unused_imports, reason = "each engine is a feature, and there may be none")]
mod engines {
    use std::sync::Arc;

    use isogloss_driver::{Backend, BoxFuture, Error, ErrorKind, Result};

    use super::Provider;
    use crate::config::PoolConfig;

    /// An engine whose place is a URL.
    #[allow(unused_macros, reason = "each engine is a feature, and there may be none")]
    macro_rules! server {
        ($name:ident, [$($names:literal),*], $backend:path, $options:path) => {
            #[derive(Debug)]
            pub(super) struct $name;

            impl Provider for $name {
                fn names(&self) -> &[&str] {
                    &[$($names),*]
                }

                fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
                    Box::pin(async move {
                        use $backend as Engine;
                        use $options as Options;
                        let options = Options::url(&config.connection_string)?;
                        let pool = config.options_over(options.pool.clone());
                        Ok(Arc::new(Engine::connect(options.pool(pool)).await?) as Arc<dyn Backend>)
                    })
                }
            }
        };
    }

    #[cfg(feature = "postgres")]
    server!(
        Postgres,
        ["postgres", "postgresql"],
        crate::postgres::driver::PostgresBackend,
        crate::postgres::driver::PostgresOptions
    );
    #[cfg(feature = "mysql")]
    server!(MySql, ["mysql", "mariadb"], crate::mysql::driver::MySqlBackend, crate::mysql::driver::MySqlOptions);
    #[cfg(feature = "sqlserver")]
    server!(
        SqlServer,
        ["sqlserver", "mssql"],
        crate::sqlserver::driver::SqlServerBackend,
        crate::sqlserver::driver::SqlServerOptions
    );
    #[cfg(feature = "oracle")]
    server!(Oracle, ["oracle"], crate::oracle::driver::OracleBackend, crate::oracle::driver::OracleOptions);

    /// `:memory:`, a path, or `sqlite:` and either.
    #[cfg(feature = "sqlite")]
    #[derive(Debug)]
    pub(super) struct Sqlite;

    #[cfg(feature = "sqlite")]
    impl Provider for Sqlite {
        fn names(&self) -> &[&str] {
            &["sqlite"]
        }

        fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
            use crate::sqlite::driver::{SqliteBackend, SqliteOptions};
            Box::pin(async move {
                let options = match sqlite_file(&config.connection_string)? {
                    Some(path) => SqliteOptions::file(path),
                    None => SqliteOptions::memory(),
                };
                Ok(Arc::new(SqliteBackend::open(options.pool(config.options())).await?) as Arc<dyn Backend>)
            })
        }
    }

    /// The file that a connection string means; none is a database in memory.
    #[cfg(feature = "sqlite")]
    pub(super) fn sqlite_file(text: &str) -> Result<Option<&str>> {
        let text = text.trim();
        let place = ["sqlite://", "sqlite:"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
        if place == ":memory:" || place == "memory" && place != text {
            return Ok(None);
        }
        // What other libraries write would be made a file of that name.
        if place.contains("://") || place.contains(';') || place.to_ascii_lowercase().starts_with("data source") {
            let message = "the connection string of SQLite is the path of a file, or `:memory:`";
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        Ok(Some(place))
    }

    #[cfg(all(test, feature = "sqlite"))]
    mod tests {
        use super::sqlite_file;

        #[test]
        fn places_of_sqlite() {
            let file = |text| sqlite_file(text).map_err(|error| error.to_string());
            for memory in [":memory:", "sqlite::memory:", "sqlite://:memory:", "sqlite:memory"] {
                assert_eq!(file(memory), Ok(None), "{memory}");
            }
            assert_eq!(file("sqlite:///var/app.db"), Ok(Some("/var/app.db")));
            assert_eq!(file("memory"), Ok(Some("memory")));
            for wrong in ["Data Source=app.db", "postgres://a:b@c/d", "app.db;Version=3"] {
                assert!(file(wrong).is_err(), "{wrong}");
            }
        }
    }
}
