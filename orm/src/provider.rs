//! Providers, which open data sources: the engines of the crate's features, and those that the program registers.

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
    /// The names of the provider. Their case does not matter.
    fn names(&self) -> &[&str];

    /// Whether the provider supports [`PoolConfig::pooled`]. If not, a data source that sets it is refused.
    fn takes_pooled(&self) -> bool {
        false
    }

    /// Opens a pool.
    ///
    /// # Errors
    /// Why it cannot be opened. The message must not contain the connection string.
    fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>>;
}

/// A provider that gives each pool one backend, which the program has opened itself: a double in a test, or a pool that others
/// use, too.
///
/// The connection string and the configuration of the pools have no effect: the backend has its own.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// use std::sync::Arc;
/// use isogloss::config::DataSourceConfig;
/// use isogloss::prelude::*;
/// use isogloss::provider::Given;
/// use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
///
/// let backend = Arc::new(SqliteBackend::open(SqliteOptions::memory()).await?);
/// let context =
///     OrmContext::builder().catalog(Catalog::builder().build()?).provider(Given::new("ours", backend)).build().await?;
/// context.add_data_source(DataSourceConfig::new("main", "ours", "given"))?;
/// context.ping().await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Given {
    name: &'static str,
    backend: Arc<dyn Backend>,
}

impl Given {
    /// A provider of this name.
    #[must_use]
    pub fn new(name: &'static str, backend: Arc<dyn Backend>) -> Self {
        Self { name, backend }
    }
}

impl Provider for Given {
    fn names(&self) -> &[&str] {
        std::slice::from_ref(&self.name)
    }

    fn connect<'a>(&'a self, _config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
        let backend = Arc::clone(&self.backend);
        Box::pin(async move { Ok(backend) })
    }
}

/// The providers of the engines that are enabled by the crate's features.
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
        #[cfg(feature = "duckdb")]
        Arc::new(engines::DuckDb),
    ]
}

#[allow(unused_imports, reason = "each engine is a feature, and there may be none")]
mod engines {
    use std::sync::Arc;

    use isogloss_driver::{Backend, BoxFuture, Result};

    use super::Provider;
    use crate::config::PoolConfig;

    /// An engine whose place is a URL.
    #[allow(unused_macros, reason = "each engine is a feature, and there may be none")]
    macro_rules! server {
        ($name:ident, [$($names:literal),*], $backend:path, $options:path $(, $takes:ident: $own:ident)?) => {
            #[derive(Debug)]
            pub(super) struct $name;

            impl Provider for $name {
                fn names(&self) -> &[&str] {
                    &[$($names),*]
                }

                $(fn $takes(&self) -> bool {
                    true
                })?

                fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
                    Box::pin(async move {
                        use $backend as Engine;
                        use $options as Options;
                        let options = Options::url(&config.connection_string)?;
                        $(let mut options = options;
                        options.$own = config.$own.unwrap_or(options.$own);)?
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
        crate::postgres::driver::PostgresOptions,
        takes_pooled: pooled
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

    /// A connection string as `DuckDbOptions::url` reads it.
    #[cfg(feature = "duckdb")]
    #[derive(Debug)]
    pub(super) struct DuckDb;

    #[cfg(feature = "duckdb")]
    impl Provider for DuckDb {
        fn names(&self) -> &[&str] {
            &["duckdb"]
        }

        fn connect<'a>(&'a self, config: &'a PoolConfig) -> BoxFuture<'a, Result<Arc<dyn Backend>>> {
            use crate::duckdb::driver::{DuckDbBackend, DuckDbOptions};
            Box::pin(async move {
                let mut options = DuckDbOptions::url(&config.connection_string)?;
                options.pool = config.options_over(options.pool);
                Ok(Arc::new(DuckDbBackend::open(options).await?) as Arc<dyn Backend>)
            })
        }
    }

    /// A connection string as `SqliteOptions::url` reads it.
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
                let mut options = SqliteOptions::url(&config.connection_string)?;
                options.pool = config.options_over(options.pool);
                options.busy_timeout = config.busy_timeout.unwrap_or(options.busy_timeout);
                Ok(Arc::new(SqliteBackend::open(options).await?) as Arc<dyn Backend>)
            })
        }
    }
}
