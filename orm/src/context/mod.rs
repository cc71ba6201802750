//! The data sources of a program, and the catalog of what is in them.
//!
//! An [`OrmContext`] is made once and shared; each unit of work is a [`Session`] of it.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> isogloss::OrmResult<()> {
//! use isogloss::OrmContext;
//! use isogloss::config::DataSourceConfig;
//! use isogloss::prelude::*;
//!
//! let user = TableDef::new("User").column(ColumnDef::new("Id", DbValueType::Int32).primary_key());
//! let context = OrmContext::new(Catalog::builder().table(user).build()?);
//! context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"), true)?;
//! let session = context.create_session()?;
//! assert_eq!(context.default_data_source_name().as_deref(), Some("main"));
//!
//! // The sources are settled when the first session is there.
//! let late = context.add_data_source(DataSourceConfig::new("late", "sqlite", ":memory:"), false);
//! assert_eq!(
//!     late.unwrap_err().to_string(),
//!     "data source `late` comes too late: the first session has been created"
//! );
//! # drop(session);
//! # Ok(()) }
//! ```

mod builder;
mod open;
mod source;
mod status;

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, Entity};
use isogloss_compiler::{Compiler, Registry};

pub use builder::OrmBuilder;
use open::Open;
pub(crate) use open::UnderWay;
pub use source::DataSource;
pub(crate) use source::{Asked, Opened, Reached};
pub use status::{ReplicaStatus, SourceStatus};

use crate::config::{ConfigError, DataSourceConfig};
use crate::provider::Provider;
#[cfg(feature = "services")]
use crate::service::Services;
use crate::session::{RetryOptions, SessionError};
use crate::sync::Synced;
use crate::{DIALECTS, OrmResult, Session};
use source::Pauses;

/// The context under its short name: `Orm::builder()`.
pub type Orm = OrmContext;

/// The data sources of a program, and the catalog of what is in them. A clone is the same context.
#[derive(Clone)]
pub struct OrmContext(Arc<Inner>);

struct Inner {
    compiler: Arc<Compiler>,
    providers: Vec<Arc<dyn Provider>>,
    dialects: Vec<(String, Arc<dyn Dialect>)>,
    settings: Settings,
    setup: Mutex<Sources>,
    /// What the first session has settled.
    started: OnceLock<Arc<Sources>>,
    sessions: AtomicU64,
    closed: AtomicBool,
    open: Open,
    tables: Synced,
    #[cfg(feature = "services")]
    services: Services,
}

/// The data sources, and which of them is meant where none is named.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sources {
    all: Vec<Arc<DataSource>>,
    default: Option<usize>,
}

/// What holds for all sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) slow_statement: Duration,
    pub(crate) lease_wait: Duration,
    pub(crate) stack_parameters: bool,
    pub(crate) batch_retry: RetryOptions,
    pauses: Pauses,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            slow_statement: Duration::from_secs(3),
            lease_wait: Duration::from_secs(30),
            stack_parameters: false,
            batch_retry: RetryOptions::attempts(5),
            pauses: Pauses(Duration::from_secs(1), Duration::from_secs(30)),
        }
    }
}

impl Sources {
    /// The source of that name; without one, the default.
    pub(crate) fn find(&self, name: Option<&str>) -> Result<&Arc<DataSource>, ConfigError> {
        let found = match name {
            None => self.default.and_then(|index| self.all.get(index)),
            Some(name) => self.all.iter().find(|source| source.name().eq_ignore_ascii_case(name)),
        };
        found.ok_or_else(|| match name {
            None => ConfigError::NoDefault,
            Some(name) => ConfigError::UnknownDataSource { name: name.to_owned(), known: self.names() },
        })
    }

    fn names(&self) -> Vec<String> {
        self.all.iter().map(|source| source.name().to_string()).collect()
    }
}

impl OrmContext {
    /// A context without data sources yet, with the engines of the crate's features as providers.
    #[must_use]
    pub fn new(catalog: Catalog) -> Self {
        Self::with_registry(catalog, Registry::default())
    }

    /// The same with fragments and functions of the program.
    #[must_use]
    pub fn with_registry(catalog: Catalog, registry: Registry) -> Self {
        let compiler = Compiler::with_registry(catalog, registry);
        Self::with(
            compiler,
            crate::provider::built_in(),
            Vec::new(),
            Settings::default(),
            #[cfg(feature = "services")]
            Services::default(),
        )
    }

    fn with(
        compiler: Compiler,
        providers: Vec<Arc<dyn Provider>>,
        dialects: Vec<(String, Arc<dyn Dialect>)>,
        settings: Settings,
        #[cfg(feature = "services")] services: Services,
    ) -> Self {
        Self(Arc::new(Inner {
            compiler: Arc::new(compiler),
            providers,
            dialects,
            settings,
            setup: Mutex::default(),
            started: OnceLock::new(),
            sessions: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            open: Open::default(),
            tables: Synced::default(),
            #[cfg(feature = "services")]
            services,
        }))
    }

    /// A context from a configuration, and with all that can be set.
    pub fn builder() -> OrmBuilder {
        OrmBuilder::default()
    }

    /// Adds a data source. The first is the default until another is added as such.
    ///
    /// # Errors
    /// No name or one that is there already, no connection string, a provider or dialect that is not there, or a session
    /// that has been created already.
    pub fn add_data_source(&self, config: DataSourceConfig, default: bool) -> OrmResult<()> {
        let mut setup = self.setup();
        if self.0.started.get().is_some() {
            return Err(ConfigError::Sealed { name: config.name }.into());
        }
        let source = self.source(config, &setup)?;
        setup.all.push(Arc::new(source));
        if default || setup.default.is_none() {
            setup.default = Some(setup.all.len() - 1);
        }
        Ok(())
    }

    fn source(&self, config: DataSourceConfig, setup: &Sources) -> Result<DataSource, ConfigError> {
        let name = config.name.clone();
        if name.trim().is_empty() {
            return Err(ConfigError::EmptyName);
        }
        if setup.find(Some(&name)).is_ok() {
            return Err(ConfigError::DuplicateName { name });
        }
        let known = || {
            let names = self.0.providers.iter().flat_map(|provider| provider.names());
            names.map(|&name| name.to_owned()).collect::<Vec<_>>()
        };
        if config.provider.trim().is_empty() {
            return Err(ConfigError::NoProvider { name, known: known() });
        }
        let wanted = config.provider.trim();
        let is_it =
            |provider: &&Arc<dyn Provider>| provider.names().iter().any(|name| name.eq_ignore_ascii_case(wanted));
        // The last wins, so that a program replaces what is built in.
        let Some(provider) = self.0.providers.iter().rev().find(is_it) else {
            return Err(ConfigError::UnknownProvider { name, provider: wanted.to_owned(), known: known() });
        };
        if config.connection_string.trim().is_empty() {
            return Err(ConfigError::NoConnectionString { name });
        }
        if config.max_pool_size == 0 || config.replicas().iter().any(|replica| replica.max_pool_size == 0) {
            return Err(ConfigError::NoConnections { name });
        }
        if config.pooled == Some(true) && !provider.takes_pooled() {
            return Err(ConfigError::NotPooled { name, provider: wanted.to_owned() });
        }
        let dialect = self.dialect(&config)?;
        Ok(DataSource::new(config, provider, &self.0.compiler, dialect, self.0.settings.pauses))
    }

    /// The dialect that a source names; else one that is registered by the name of the source, or of its provider.
    fn dialect(&self, config: &DataSourceConfig) -> Result<Option<Arc<dyn Dialect>>, ConfigError> {
        let registered = |wanted: &str| {
            let found = self.0.dialects.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, dialect)| Arc::clone(dialect))
        };
        let Some(wanted) = &config.sql_builder else {
            return Ok(registered(&config.name).or_else(|| registered(&config.provider)));
        };
        let built_in = || DIALECTS.iter().find(|dialect| dialect.sheet().name.eq_ignore_ascii_case(wanted));
        match registered(wanted).or_else(|| built_in().map(|dialect| dialect.to_shared())) {
            Some(dialect) => Ok(Some(dialect)),
            None => {
                let known = self.0.dialects.iter().map(|(name, _)| name.clone());
                let known = known.chain(DIALECTS.iter().map(|dialect| dialect.sheet().name.to_owned()));
                let (name, dialect) = (config.name.clone(), wanted.clone());
                Err(ConfigError::UnknownDialect { name, dialect, known: known.collect() })
            }
        }
    }

    fn setup(&self) -> MutexGuard<'_, Sources> {
        self.0.setup.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sources, from now on for good.
    fn start(&self) -> OrmResult<Arc<Sources>> {
        if let Some(started) = self.0.started.get() {
            return Ok(Arc::clone(started));
        }
        let setup = self.setup();
        self.check(&setup)?;
        self.0.compiler.settle_default_source(setup.find(None)?.name());
        Ok(Arc::clone(self.0.started.get_or_init(|| Arc::new(setup.clone()))))
    }

    /// Whether sessions could work with these sources.
    fn check(&self, sources: &Sources) -> Result<(), ConfigError> {
        if sources.all.is_empty() {
            return Err(ConfigError::NoDataSource);
        }
        for (_, entity) in self.catalog().entities() {
            let Some(name) = entity.data_source.as_deref() else { continue };
            if sources.find(Some(name)).is_err() {
                let (entity, data_source) = (entity.name.to_string(), name.to_owned());
                return Err(ConfigError::UnknownDataSourceOfEntity { entity, data_source, known: sources.names() });
            }
        }
        sources.find(None).map(drop)
    }

    /// A session: one unit of work. From the first on, no source is added.
    ///
    /// # Errors
    /// No data source, no default, an entity of a source that is not there; or the context is closed.
    pub fn create_session(&self) -> OrmResult<Session> {
        if self.is_closed() {
            return Err(SessionError::Closed.into());
        }
        Ok(self.session_over(self.start()?))
    }

    /// A session over the sources that are settled.
    pub(crate) fn session_over(&self, sources: Arc<Sources>) -> Session {
        let id = self.0.sessions.fetch_add(1, Ordering::Relaxed) + 1;
        Session::new(self.clone(), sources, id)
    }

    /// What makes sessions from now on, and cannot fail: of a context that is closed meanwhile, they say so.
    #[cfg(feature = "di")]
    pub(crate) fn sessions(&self) -> OrmResult<impl Fn() -> Session + Send + Sync + 'static> {
        if self.is_closed() {
            return Err(SessionError::Closed.into());
        }
        let (context, sources) = (self.clone(), self.start()?);
        Ok(move || context.session_over(Arc::clone(&sources)))
    }

    /// The data sources, in the order in which they were added.
    #[must_use]
    pub fn data_sources(&self) -> Vec<Arc<DataSource>> {
        self.setup().all.clone()
    }

    /// The name of the source that is meant where none is named.
    #[must_use]
    pub fn default_data_source_name(&self) -> Option<Arc<str>> {
        self.setup().find(None).ok().map(|source| Arc::clone(source.name()))
    }

    /// The data source of that name, the case of whose letters does not matter; without one, the default.
    ///
    /// # Errors
    /// There is none.
    pub fn data_source<'n>(&self, name: impl Into<Option<&'n str>>) -> OrmResult<Arc<DataSource>> {
        Ok(Arc::clone(self.setup().find(name.into())?))
    }

    /// The source that holds an entity.
    ///
    /// # Errors
    /// There is none.
    pub fn data_source_of(&self, entity: &Entity) -> OrmResult<Arc<DataSource>> {
        self.data_source(entity.data_source.as_deref())
    }

    /// The catalog.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.0.compiler.catalog()
    }

    /// What compiles statements.
    #[must_use]
    pub fn compiler(&self) -> &Compiler {
        &self.0.compiler
    }

    pub(crate) fn tables(&self) -> &Synced {
        &self.0.tables
    }

    #[cfg(feature = "services")]
    pub(crate) fn services(&self) -> &Services {
        &self.0.services
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Opens every pool now; otherwise each is opened when it is first needed. A replica that cannot be reached is set
    /// aside, with a warning.
    ///
    /// # Errors
    /// The first source that cannot be opened; or the context is closed.
    pub async fn connect_all(&self) -> OrmResult<()> {
        let _under_way = self.begin_lease()?;
        for source in self.data_sources() {
            source.open_all().await?;
        }
        Ok(())
    }

    /// Whether it can work: every source answers, by a connection of its pool. Of replicas nothing is asked, as reads go to
    /// the source where none of them is up.
    ///
    /// # Errors
    /// The first source that does not answer; or the context is closed.
    pub async fn ping(&self) -> OrmResult<()> {
        let _under_way = self.begin_lease()?;
        for source in self.data_sources() {
            source.ping().await?;
        }
        Ok(())
    }

    /// Whether it has been closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.closed.load(Ordering::SeqCst)
    }
}

/// Without connection strings.
impl fmt::Debug for OrmContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrmContext")
            .field("data_sources", &self.data_sources())
            .field("default", &self.default_data_source_name())
            .field("providers", &self.0.providers)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
