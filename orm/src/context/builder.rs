//! Builds a context from a configuration.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::Catalog;
use isogloss_compiler::{Compiler, Registry};

use super::source::Pauses;
use super::{OrmContext, Settings};
use crate::OrmResult;
use crate::config::{ConfigError, OrmConfig};
use crate::entity::linked;
use crate::provider::{Provider, built_in};
#[cfg(feature = "services")]
use crate::service::Services;
use crate::session::RetryOptions;

/// Builds an [`OrmContext`]: from the program's settings, with everything that can be set.
///
/// ```standalone_crate
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// use isogloss::Orm;
/// use isogloss::config::OrmConfig;
/// let config = OrmConfig::from_json(r#"{"Orm": {
///     "Default": "main",
///     "DataSources": [{"Name": "main", "Provider": "sqlite", "ConnectionString": ":memory:"}]
/// }}"#)?;
/// let orm = Orm::builder().config(config).build().await?;
/// let session = orm.create_session()?;
/// # drop(session);
/// # Ok(()) }
/// ```
#[derive(Debug, Default)]
#[must_use = "nothing is there before it is built"]
pub struct OrmBuilder {
    config: Option<OrmConfig>,
    catalog: Option<Catalog>,
    registry: Registry,
    providers: Vec<Arc<dyn Provider>>,
    dialects: Vec<(String, Arc<dyn Dialect>)>,
    settings: Settings,
    eager: bool,
    #[cfg(feature = "services")]
    pub(crate) services: Services,
}

impl OrmBuilder {
    /// Sets the data sources of a configuration. Without it, they are added to the context.
    pub fn config(mut self, config: OrmConfig) -> Self {
        self.config = Some(config);
        self
    }

    /// Sets the catalog. By default it is that of all entities that are linked into the program.
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = Some(catalog);
        self
    }

    /// Sets the registry of the program's SQL fragments and functions.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Registers a provider. It replaces a built-in one of the same name.
    pub fn provider(mut self, provider: impl Provider + 'static) -> Self {
        self.providers.push(Arc::new(provider));
        self
    }

    /// Registers a dialect for data sources whose `SqlBuilder`, name, or provider is `name`. Other data sources have
    /// the dialect of the server, in the version that it reports.
    pub fn sql_builder(mut self, name: impl Into<String>, dialect: &dyn Dialect) -> Self {
        self.dialects.push((name.into(), dialect.to_shared()));
        self
    }

    /// Sets from which duration on statements are logged as slow; 3 seconds by default.
    pub fn slow_statement(mut self, slow: Duration) -> Self {
        self.settings.slow_statement = slow;
        self
    }

    /// Sets how long an operation waits for another one of the same session, and, inside of a transaction, for the
    /// table that it is the first to use; 30 seconds by default.
    ///
    /// While a stream holds the session's connection, a new operation waits for one second at most, and the end of a
    /// transaction for this time.
    pub fn lease_wait(mut self, wait: Duration) -> Self {
        self.settings.lease_wait = wait;
        self
    }

    /// Keeps the values of parameters in [`sql_stack`](crate::Session::sql_stack). They may be data of the program's
    /// users, and are left out by default.
    pub fn stack_parameters(mut self) -> Self {
        self.settings.stack_parameters = true;
        self
    }

    /// Sets for how long a replica that cannot be reached is not used: at first, and at most. The time doubles with
    /// each failed attempt. 1 and 30 seconds by default.
    pub fn replica_pause(mut self, first: Duration, longest: Duration) -> Self {
        self.settings.pauses = Pauses(first, longest.max(first));
        self
    }

    /// Sets how a batch in a transaction of its own is repeated after a deadlock or a serialization failure: five
    /// attempts by default. A batch inside of the session's transaction is not repeated, as that transaction must be.
    pub fn batch_retry(mut self, options: RetryOptions) -> Self {
        self.settings.batch_retry = options;
        self
    }

    /// Opens every pool when the context is built, so that a data source that cannot be reached is an error there.
    pub fn connect_all(mut self) -> Self {
        self.eager = true;
        self
    }

    /// Builds the context.
    ///
    /// # Errors
    /// Entities that contradict each other, an invalid configuration, and with [`connect_all`](Self::connect_all) a
    /// data source that cannot be opened.
    pub async fn build(self) -> OrmResult<OrmContext> {
        let catalog = match self.catalog {
            Some(catalog) => catalog,
            None => linked().build()?,
        };
        let mut providers = built_in();
        providers.extend(self.providers);
        let compiler = Compiler::with_registry(catalog, self.registry);
        let context = OrmContext::with(
            compiler,
            providers,
            self.dialects,
            self.settings,
            #[cfg(feature = "services")]
            self.services,
        );
        if let Some(config) = self.config {
            configure(&context, config)?;
        }
        if self.eager {
            context.connect_all().await?;
        }
        Ok(context)
    }
}

/// Adds the sources of a configuration, and sees that nothing is missing.
fn configure(context: &OrmContext, config: OrmConfig) -> OrmResult<()> {
    for source in config.data_sources {
        context.add_data_source(source)?;
    }
    let mut setup = context.setup();
    if setup.all.is_empty() {
        return Err(ConfigError::NoDataSource.into());
    }
    let Some(name) = config.default else {
        // Adding the only one has made it the default.
        return if setup.all.len() == 1 { Ok(context.check(&setup)?) } else { Err(ConfigError::NoDefault.into()) };
    };
    let known = setup.names();
    setup.default = setup.all.iter().position(|source| source.name().eq_ignore_ascii_case(&name));
    if setup.default.is_none() {
        return Err(ConfigError::UnknownDefault { name, known }.into());
    }
    Ok(context.check(&setup)?)
}
