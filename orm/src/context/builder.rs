//! A context from a configuration.

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

/// Makes a context.
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
    /// With the data sources of a configuration. Without, they are added to the context.
    pub fn config(mut self, config: OrmConfig) -> Self {
        self.config = Some(config);
        self
    }

    /// With that catalog, in place of the entities that are linked into the program.
    pub fn catalog(mut self, catalog: Catalog) -> Self {
        self.catalog = Some(catalog);
        self
    }

    /// With fragments and functions of the program.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// With another provider. It takes the place of one that is built in where it has the same name.
    pub fn provider(mut self, provider: impl Provider + 'static) -> Self {
        self.providers.push(Arc::new(provider));
        self
    }

    /// With a dialect for the sources whose `SqlBuilder` is that name, or whose own or whose provider's name it is.
    /// Otherwise it is the dialect of the server, in the version that this says it is.
    pub fn sql_builder(mut self, name: impl Into<String>, dialect: &dyn Dialect) -> Self {
        self.dialects.push((name.into(), dialect.to_shared()));
        self
    }

    /// With statements logged as slow that take longer than this; 3 seconds by default.
    pub fn slow_statement(mut self, slow: Duration) -> Self {
        self.settings.slow_statement = slow;
        self
    }

    /// How long an operation waits for another one of the same session, and in a transaction for a table that it is the
    /// first to use; 30 seconds by default. What would begin while a stream has the session's connection waits for a second
    /// at most, and what ends a transaction as long as this.
    pub fn lease_wait(mut self, wait: Duration) -> Self {
        self.settings.lease_wait = wait;
        self
    }

    /// With the values of parameters in [`sql_stack`](crate::Session::sql_stack). They are the data of the program's
    /// users: by default they are left out.
    pub fn stack_parameters(mut self) -> Self {
        self.settings.stack_parameters = true;
        self
    }

    /// How long a replica is set aside that cannot be reached: at first, and at most. Each time in vain doubles it. 1
    /// and 30 seconds by default.
    pub fn replica_pause(mut self, first: Duration, longest: Duration) -> Self {
        self.settings.pauses = Pauses(first, longest.max(first));
        self
    }

    /// How a batch is run that lost to another writer (a deadlock, a serialization failure), if it is a transaction of its
    /// own: five attempts by default. In a transaction of the session it is run once: that one is to be run again.
    pub fn batch_retry(mut self, options: RetryOptions) -> Self {
        self.settings.batch_retry = options;
        self
    }

    /// With every pool opened at once: what cannot be reached is found out now.
    pub fn connect_all(mut self) -> Self {
        self.eager = true;
        self
    }

    /// Builds the context.
    ///
    /// # Errors
    /// Entities that do not fit together; what is wrong with the configuration; with
    /// [`connect_all`](Self::connect_all), a source that cannot be opened.
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
        context.add_data_source(source, false)?;
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
