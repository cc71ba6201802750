//! A data source and its connection pools.

use std::fmt;
use std::time::Duration;

use isogloss_compiler::model::TextMode;
use isogloss_driver::PoolOptions;

/// The configuration of a data source: a database server or file, with its pool and its replicas.
///
/// Create one with [`new`](Self::new) and set the rest with its methods, or read it from the settings by
/// [`OrmConfig`](super::OrmConfig). Each field is documented with its name in the settings. A value that is not given
/// has the default that the field names.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// use std::time::Duration;
/// use isogloss::config::DataSourceConfig;
/// use isogloss::prelude::*;
///
/// let main = DataSourceConfig::new("main", "sqlite", ":memory:")
///     .sync_table(true)                          // creates missing tables
///     .max_pool_size(8)
///     .statement_timeout(Duration::from_secs(5));
///
/// let context = OrmContext::new(Catalog::builder().build()?);
/// context.add_data_source(main)?;
/// assert_eq!(context.default_data_source_name().as_deref(), Some("main"));
/// # Ok(()) }
/// ```
///
/// Replicas inherit what they do not set, and `Debug` never shows a connection string:
///
/// ```
/// use isogloss::config::{DataSourceConfig, ReplicaConfig};
/// let main = DataSourceConfig::new("main", "sqlite", "app.db")
///     .max_pool_size(8)
///     .replica(ReplicaConfig::new().connection_string("copy.db").pool_size(2));
/// assert_eq!(main.replicas()[0].max_pool_size, 8);
/// assert!(!format!("{main:?}").contains("app.db"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataSourceConfig {
    /// `Name`: the name of the data source.
    pub name: String,
    /// `ConnectionString`: a URL, or the path of an SQLite file. The file must exist, unless `?create=true` is
    /// appended. `Debug` does not show it.
    pub connection_string: String,
    /// `Provider`: `postgres`, `mysql`, `mariadb`, `sqlite`, `sqlserver`, `oracle`, `duckdb`, or a provider that the
    /// program registers.
    pub provider: String,
    /// `SqlBuilder`: the name of a dialect that the program registers. By default it is the dialect of the server, in
    /// the version that it reports.
    pub sql_builder: Option<String>,
    /// `KeepAliveDuration`: how long an idle connection is kept; zero is without a limit.
    pub keep_alive_duration: Duration,
    /// `PoolSize`: how many idle connections are kept.
    pub pool_size: u32,
    /// `MaxPoolSize`: how many connections may be open.
    pub max_pool_size: u32,
    /// `ParamCountLimit`: the maximal number of parameters of a statement that holds the rows of a batch in its text; 0
    /// is as many as the engine accepts. Queries are never split: one with more parameters than the engine accepts is
    /// an error.
    pub param_count_limit: usize,
    /// `MaxLifetime`: how long a connection is used; zero is without a limit. By default the value of the connection
    /// string, else 30 minutes. It does not apply to SQLite.
    pub max_lifetime: Option<Duration>,
    /// `PoolWait`: how long a caller waits for a connection. By default the value of the connection string, else 30
    /// seconds.
    pub pool_wait: Option<Duration>,
    /// `ConnectTimeout`: how long opening a connection may take. By default the value of the connection string, else 10
    /// seconds.
    pub connect_timeout: Option<Duration>,
    /// `StatementTimeout`: the time limit of a statement, and of waiting for the next rows of a stream; zero is no
    /// limit. By default the value of the connection string, else 30 seconds.
    pub statement_timeout: Option<Duration>,
    /// `Grace`: how long the server has to end a statement whose time limit is over, before the connection is closed. 2
    /// seconds by default.
    pub grace: Option<Duration>,
    /// `BusyTimeout`: how long a statement on SQLite waits for concurrent writers. 5 seconds by default.
    pub busy_timeout: Option<Duration>,
    /// `Pooled`: whether PostgreSQL is behind a pooler that assigns server sessions per transaction, such as PgBouncer
    /// in the mode `transaction`. By default the value of the connection string. Other providers refuse it.
    pub pooled: Option<bool>,
    /// `PreparedStatements`: how many prepared statements each connection keeps. 256 by default.
    pub prepared: Option<usize>,
    /// `ValueBytes`: the maximal size of a value that is sent, in bytes. 64 MiB by default.
    pub value_bytes: Option<usize>,
    /// `SlowStatement`: statements that take longer are logged as slow. By default the value of the context.
    pub slow_statement: Option<Duration>,
    /// `SyncTable`: whether missing tables, columns and indexes are added, for entities that do not say otherwise.
    pub sync_table: bool,
    /// `ReadYourWrites`: whether a session that has written reads from the data source itself, until a replica is known to have
    /// what was written. PostgreSQL tells that, and MySQL and MariaDB with global transaction ids; with others, the session does
    /// not read from replicas any more. What runs on [`Lease::connection`](crate::session::Lease::connection) is not noticed.
    /// True by default.
    pub read_your_writes: bool,
    /// `Text`: how texts are compared, sorted and grouped: `database` by their collations, `exact` by code points.
    pub text: TextMode,
    /// `ReadOnlyConfigs`: the replicas.
    pub read_only_configs: Vec<ReplicaConfig>,
}

/// The configuration of a replica. What it does not set is inherited from its data source.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaConfig {
    /// `ConnectionString`: a URL or a path. `Debug` does not show it.
    pub connection_string: Option<String>,
    /// `KeepAliveDuration`: how long an idle connection is kept; zero is without a limit.
    pub keep_alive_duration: Option<Duration>,
    /// `PoolSize`: how many idle connections are kept.
    pub pool_size: Option<u32>,
    /// `MaxPoolSize`: how many connections may be open.
    pub max_pool_size: Option<u32>,
    /// `ParamCountLimit`: the maximal number of parameters of a statement.
    pub param_count_limit: Option<usize>,
}

/// The configuration of one pool: that of a data source, or of a replica with what it inherits. A
/// [`Provider`](crate::provider::Provider) opens a pool by it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolConfig {
    /// The name of the data source.
    pub name: String,
    /// A URL or a path. `Debug` does not show it.
    pub connection_string: String,
    /// How long an idle connection is kept; zero is without a limit.
    pub keep_alive_duration: Duration,
    /// How many idle connections are kept.
    pub pool_size: u32,
    /// How many connections may be open.
    pub max_pool_size: u32,
    /// The maximal number of parameters of a statement; 0 is as many as the engine accepts.
    pub param_count_limit: usize,
    /// How long a connection is used; zero is without a limit.
    pub max_lifetime: Option<Duration>,
    /// How long a caller waits for a connection.
    pub pool_wait: Option<Duration>,
    /// How long opening a connection may take.
    pub connect_timeout: Option<Duration>,
    /// The time limit of a statement; zero is no limit.
    pub statement_timeout: Option<Duration>,
    /// How long the server has to end a statement whose time limit is over.
    pub grace: Option<Duration>,
    /// How long a statement on SQLite waits for concurrent writers.
    pub busy_timeout: Option<Duration>,
    /// Whether PostgreSQL is behind a pooler that assigns server sessions per transaction.
    pub pooled: Option<bool>,
    /// How many prepared statements each connection keeps.
    pub prepared: Option<usize>,
    /// The maximal size of a value that is sent, in bytes.
    pub value_bytes: Option<usize>,
    /// The number of the replica, counted from 0; `None` is the data source itself.
    pub replica: Option<usize>,
}

/// Methods that set a field.
macro_rules! with {
    ($($(#[$doc:meta])* $name:ident: $ty:ty => $value:expr;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $ty) -> Self {
            self.$name = $value;
            self
        })*
    };
}

impl DataSourceConfig {
    /// A data source with a name, a provider and a connection string, and defaults for everything else.
    pub fn new(name: impl Into<String>, provider: impl Into<String>, connection_string: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            connection_string: connection_string.into(),
            provider: provider.into(),
            sql_builder: None,
            keep_alive_duration: Duration::from_secs(600),
            pool_size: 16,
            max_pool_size: 100,
            param_count_limit: 1000,
            max_lifetime: None,
            pool_wait: None,
            connect_timeout: None,
            statement_timeout: None,
            grace: None,
            busy_timeout: None,
            pooled: None,
            prepared: None,
            value_bytes: None,
            slow_statement: None,
            sync_table: false,
            read_your_writes: true,
            text: TextMode::Database,
            read_only_configs: Vec::new(),
        }
    }

    with! {
        /// Sets how long an idle connection is kept; zero is without a limit.
        keep_alive_duration: Duration => keep_alive_duration;
        /// Sets how many idle connections are kept.
        pool_size: u32 => pool_size;
        /// Sets how many connections may be open.
        max_pool_size: u32 => max_pool_size;
        /// Sets the maximal number of parameters of a statement; 0 is as many as the engine accepts.
        param_count_limit: usize => param_count_limit;
        /// Sets how long a connection is used; zero is without a limit.
        max_lifetime: Duration => Some(max_lifetime);
        /// Sets how long a caller waits for a connection.
        pool_wait: Duration => Some(pool_wait);
        /// Sets how long opening a connection may take.
        connect_timeout: Duration => Some(connect_timeout);
        /// Sets the time limit of a statement; zero is no limit.
        statement_timeout: Duration => Some(statement_timeout);
        /// Sets how long the server has to end a statement whose time limit is over.
        grace: Duration => Some(grace);
        /// Sets how long a statement on SQLite waits for concurrent writers.
        busy_timeout: Duration => Some(busy_timeout);
        /// Sets whether PostgreSQL is behind a pooler that assigns server sessions per transaction.
        pooled: bool => Some(pooled);
        /// Sets how many prepared statements each connection keeps.
        prepared: usize => Some(prepared);
        /// Sets the maximal size of a value, in bytes.
        value_bytes: usize => Some(value_bytes);
        /// Sets from which duration on statements are logged as slow.
        slow_statement: Duration => Some(slow_statement);
        /// Sets whether missing tables, columns and indexes are added.
        sync_table: bool => sync_table;
        /// Sets whether a session that has written reads from the data source itself, until a replica has what was written.
        read_your_writes: bool => read_your_writes;
        /// Sets how texts are compared, sorted and grouped, except for columns that set it themselves.
        text: TextMode => text;
    }

    /// Sets the dialect to one that the program registers by this name.
    #[must_use]
    pub fn sql_builder(mut self, dialect: impl Into<String>) -> Self {
        self.sql_builder = Some(dialect.into());
        self
    }

    /// Adds a replica for reads.
    #[must_use]
    pub fn replica(mut self, replica: ReplicaConfig) -> Self {
        self.read_only_configs.push(replica);
        self
    }

    /// The configuration of the data source's own pool.
    #[must_use]
    pub fn primary(&self) -> PoolConfig {
        PoolConfig {
            name: self.name.clone(),
            connection_string: self.connection_string.clone(),
            keep_alive_duration: self.keep_alive_duration,
            pool_size: self.pool_size,
            max_pool_size: self.max_pool_size,
            param_count_limit: self.param_count_limit,
            max_lifetime: self.max_lifetime,
            pool_wait: self.pool_wait,
            connect_timeout: self.connect_timeout,
            statement_timeout: self.statement_timeout,
            grace: self.grace,
            busy_timeout: self.busy_timeout,
            pooled: self.pooled,
            prepared: self.prepared,
            value_bytes: self.value_bytes,
            replica: None,
        }
    }

    /// The configurations of the replicas' pools, with what they inherit.
    #[must_use]
    pub fn replicas(&self) -> Vec<PoolConfig> {
        let one = |(index, replica): (usize, &ReplicaConfig)| {
            let source = self.primary();
            PoolConfig {
                connection_string: replica
                    .connection_string
                    .clone()
                    .unwrap_or_else(|| source.connection_string.clone()),
                keep_alive_duration: replica.keep_alive_duration.unwrap_or(source.keep_alive_duration),
                pool_size: replica.pool_size.unwrap_or(source.pool_size),
                max_pool_size: replica.max_pool_size.unwrap_or(source.max_pool_size),
                param_count_limit: replica.param_count_limit.unwrap_or(source.param_count_limit),
                replica: Some(index),
                ..source
            }
        };
        self.read_only_configs.iter().enumerate().map(one).collect()
    }
}

impl ReplicaConfig {
    /// A replica that inherits everything.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    with! {
        /// Sets how long an idle connection is kept; zero is without a limit.
        keep_alive_duration: Duration => Some(keep_alive_duration);
        /// Sets how many idle connections are kept.
        pool_size: u32 => Some(pool_size);
        /// Sets how many connections may be open.
        max_pool_size: u32 => Some(max_pool_size);
        /// Sets the maximal number of parameters of a statement; 0 is as many as the engine accepts.
        param_count_limit: usize => Some(param_count_limit);
    }

    /// Sets the connection string.
    #[must_use]
    pub fn connection_string(mut self, connection_string: impl Into<String>) -> Self {
        self.connection_string = Some(connection_string.into());
        self
    }
}

impl PoolConfig {
    /// The options of the pool. In traces and metrics its name is that of the data source (`main`), for a replica with
    /// its number (`main/0`).
    #[must_use]
    pub fn options(&self) -> PoolOptions {
        self.options_over(PoolOptions::default())
    }

    /// The options of the pool, based on those of the connection string. What is configured here takes precedence.
    #[must_use]
    pub fn options_over(&self, said: PoolOptions) -> PoolOptions {
        let statement_timeout = match self.statement_timeout {
            Some(limit) => Some(limit).filter(|limit| !limit.is_zero()),
            None => said.statement_timeout,
        };
        let (lifetime, wait, connect, grace) = (said.max_lifetime, said.wait, said.connect_timeout, said.grace);
        let (prepared, value_bytes) = (said.prepared, said.value_bytes);
        let name = match self.replica {
            Some(replica) => format!("{}/{replica}", self.name),
            None => self.name.clone(),
        };
        said.name(name)
            .cached(self.pool_size)
            .max(self.max_pool_size)
            .keep_alive(self.keep_alive_duration)
            .max_lifetime(self.max_lifetime.unwrap_or(lifetime))
            .wait(self.pool_wait.unwrap_or(wait))
            .connect_timeout(self.connect_timeout.unwrap_or(connect))
            .statement_timeout(statement_timeout)
            .grace(self.grace.unwrap_or(grace))
            .prepared(self.prepared.unwrap_or(prepared))
            .value_bytes(self.value_bytes.unwrap_or(value_bytes))
    }
}

/// Without the connection strings.
impl fmt::Debug for DataSourceConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataSourceConfig")
            .field("name", &self.name)
            .field("provider", &self.provider)
            .field("sql_builder", &self.sql_builder)
            .field("keep_alive_duration", &self.keep_alive_duration)
            .field("pool_size", &self.pool_size)
            .field("max_pool_size", &self.max_pool_size)
            .field("param_count_limit", &self.param_count_limit)
            .field("max_lifetime", &self.max_lifetime)
            .field("pool_wait", &self.pool_wait)
            .field("connect_timeout", &self.connect_timeout)
            .field("statement_timeout", &self.statement_timeout)
            .field("grace", &self.grace)
            .field("busy_timeout", &self.busy_timeout)
            .field("pooled", &self.pooled)
            .field("prepared", &self.prepared)
            .field("value_bytes", &self.value_bytes)
            .field("slow_statement", &self.slow_statement)
            .field("sync_table", &self.sync_table)
            .field("read_your_writes", &self.read_your_writes)
            .field("text", &self.text)
            .field("read_only_configs", &self.read_only_configs)
            .finish_non_exhaustive()
    }
}

/// Without the connection string.
impl fmt::Debug for ReplicaConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplicaConfig")
            .field("keep_alive_duration", &self.keep_alive_duration)
            .field("pool_size", &self.pool_size)
            .field("max_pool_size", &self.max_pool_size)
            .field("param_count_limit", &self.param_count_limit)
            .finish_non_exhaustive()
    }
}

/// Without the connection string.
impl fmt::Debug for PoolConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoolConfig")
            .field("name", &self.name)
            .field("keep_alive_duration", &self.keep_alive_duration)
            .field("pool_size", &self.pool_size)
            .field("max_pool_size", &self.max_pool_size)
            .field("param_count_limit", &self.param_count_limit)
            .field("max_lifetime", &self.max_lifetime)
            .field("pool_wait", &self.pool_wait)
            .field("connect_timeout", &self.connect_timeout)
            .field("statement_timeout", &self.statement_timeout)
            .field("grace", &self.grace)
            .field("busy_timeout", &self.busy_timeout)
            .field("pooled", &self.pooled)
            .field("prepared", &self.prepared)
            .field("value_bytes", &self.value_bytes)
            .finish_non_exhaustive()
    }
}
