//! The context: the data sources of a program, and the catalog of its entities.
//!
//! A program creates one [`OrmContext`] and shares it; each unit of work is a [`Session`] of it.

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

/// A short name of the context: `Orm::builder()`.
pub type Orm = OrmContext;

/// The data sources of a program, and the catalog of its entities. Create one when the program starts; a clone refers
/// to the same context.
///
/// It compiles statements, owns the connection pools, and creates a [`Session`] for each unit of work. Pools are opened
/// when they are first needed.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// use isogloss::config::DataSourceConfig;
/// use isogloss::entity::Linked as _;
/// use isogloss::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, Default, Entity)]
/// #[table(name = "tasks", columns = "snake_case")]
/// struct Task {
///     #[column(primary_key, identity)]
///     id: i64,
///     title: String,
/// }
///
/// // `isogloss::entity::linked()` has all entities of the program, without naming them.
/// let context = OrmContext::new(Catalog::builder().entity::<Task>().build()?);
/// context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
///
/// let session = context.create_session()?;
/// ObjectDao::new(&session).insert(&mut Task { id: 0, title: "write".into() }).await?;
/// assert_eq!(ObjectViewDao::<Task>::new(&session).count(()).await?, 1);
/// assert_eq!(session.sql_stack(), [
///     r#"INSERT INTO "tasks" ("title") VALUES (?) RETURNING "tasks"."id" AS "Id""#,
///     r#"SELECT COUNT(*) FROM "tasks" "T0""#,
/// ]);
/// # Ok(()) }
/// ```
///
/// Data sources are added before the first session is created:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// # use isogloss::config::DataSourceConfig;
/// # use isogloss::prelude::*;
/// let context = OrmContext::new(Catalog::builder().build()?);
/// context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
/// let session = context.create_session()?;
///
/// let late = context.add_data_source(DataSourceConfig::new("late", "sqlite", ":memory:"));
/// assert_eq!(
///     late.unwrap_err().to_string(),
///     "data source `late` comes too late: the first session has been created"
/// );
/// # drop(session);
/// # Ok(()) }
/// ```
///
/// When the program ends, [`close_and_wait`](Self::close_and_wait) lets the work in progress finish. To read the data
/// sources from settings, use [`OrmContext::builder`].
#[derive(Clone)]
pub struct OrmContext(Arc<ContextInner>);

struct ContextInner {
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
    /// Creates a context without data sources. Its providers are the engines of the crate's features.
    #[must_use]
    pub fn new(catalog: Catalog) -> Self {
        Self::with_registry(catalog, Registry::default())
    }

    /// Creates a context without data sources, with the program's own SQL fragments and functions.
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
        Self(Arc::new(ContextInner {
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

    /// Builds a context from a configuration, with everything that can be set.
    pub fn builder() -> OrmBuilder {
        OrmBuilder::default()
    }

    /// Adds a data source. The first one is the default, until
    /// [`add_default_data_source`](Self::add_default_data_source) adds another one.
    ///
    /// # Errors
    /// An empty name or one that exists already, an empty connection string, an unknown provider or dialect, or a
    /// session that has already been created.
    pub fn add_data_source(&self, config: DataSourceConfig) -> OrmResult<()> {
        self.add(config, &mut self.setup())
    }

    /// Adds a data source, and makes it the default.
    ///
    /// # Errors
    /// Those of [`add_data_source`](Self::add_data_source).
    pub fn add_default_data_source(&self, config: DataSourceConfig) -> OrmResult<()> {
        let mut setup = self.setup();
        self.add(config, &mut setup)?;
        setup.default = setup.all.len().checked_sub(1);
        Ok(())
    }

    fn add(&self, config: DataSourceConfig, setup: &mut Sources) -> OrmResult<()> {
        if self.0.started.get().is_some() {
            return Err(ConfigError::Sealed { name: config.name }.into());
        }
        let source = self.source(config, setup)?;
        setup.all.push(Arc::new(source));
        setup.default.get_or_insert(setup.all.len() - 1);
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

    /// Creates a session, for one unit of work. Once the first session exists, no data source can be added.
    ///
    /// # Errors
    /// There is no data source, none of several is the default, an entity names an unknown data source, or the context
    /// is closed.
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

    /// The name of the default data source.
    #[must_use]
    pub fn default_data_source_name(&self) -> Option<Arc<str>> {
        self.setup().find(None).ok().map(|source| Arc::clone(source.name()))
    }

    /// The data source of a name, without regard to case; without a name, the default.
    ///
    /// # Errors
    /// There is no such data source.
    pub fn data_source<'n>(&self, name: impl Into<Option<&'n str>>) -> OrmResult<Arc<DataSource>> {
        Ok(Arc::clone(self.setup().find(name.into())?))
    }

    /// The data source of an entity.
    ///
    /// # Errors
    /// There is no such data source.
    pub fn data_source_of(&self, entity: &Entity) -> OrmResult<Arc<DataSource>> {
        self.data_source(entity.data_source.as_deref())
    }

    /// The catalog of all entities.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        self.0.compiler.catalog()
    }

    /// The compiler, which turns expression trees into SQL.
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

    /// Opens every pool now, instead of when it is first needed. A replica that cannot be reached is logged and not
    /// used for a while.
    ///
    /// # Errors
    /// The first data source that cannot be opened; or the context is closed.
    pub async fn connect_all(&self) -> OrmResult<()> {
        let _under_way = self.begin_lease()?;
        for source in self.data_sources() {
            source.open_all().await?;
        }
        Ok(())
    }

    /// Checks that every data source answers, over a connection of its pool. Replicas are not checked, as reads go to
    /// the data source itself if no replica is available.
    ///
    /// # Errors
    /// The first data source that does not answer; or the context is closed.
    pub async fn ping(&self) -> OrmResult<()> {
        let _under_way = self.begin_lease()?;
        for source in self.data_sources() {
            source.ping().await?;
        }
        Ok(())
    }

    /// Whether the context has been closed.
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
