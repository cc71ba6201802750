//! One data source, and the pools that it has.

use std::fmt;
use std::time::Duration;

use isogloss_compiler::model::TextMode;
use isogloss_driver::PoolOptions;

/// A data source: an item of `DataSources`.
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
    /// `Name`.
    pub name: String,
    /// `ConnectionString`: a URL, or the file of SQLite, which must be there unless `?create=true` stands behind it. `Debug`
    /// does not show it.
    pub connection_string: String,
    /// `Provider`: `postgres`, `mysql`, `mariadb`, `sqlite`, `sqlserver`, `oracle`, or what the program registers.
    pub provider: String,
    /// `SqlBuilder`: the name of a dialect that the program registers; that of the server if absent.
    pub sql_builder: Option<String>,
    /// `KeepAliveDuration`: how long a connection is kept that nobody uses; zero: for good.
    pub keep_alive_duration: Duration,
    /// `PoolSize`: how many connections are kept that nobody uses.
    pub pool_size: u32,
    /// `MaxPoolSize`: how many are open at most.
    pub max_pool_size: u32,
    /// `ParamCountLimit`: how many parameters a statement has at most in whose text the rows of a batch stand; 0: as many as
    /// the engine takes. A query is never split: with more than the engine takes, it is an error.
    pub param_count_limit: usize,
    /// `PoolWait`: how long a caller waits for a connection; that of the connection string, else 30 seconds, if absent.
    pub pool_wait: Option<Duration>,
    /// `ConnectTimeout`: how long a connection may take to be made; that of the connection string, else 10 seconds, if
    /// absent.
    pub connect_timeout: Option<Duration>,
    /// `StatementTimeout`: how long a statement may take, and a stream for its next rows; zero: without a limit; that of
    /// the connection string, else 30 seconds, if absent.
    pub statement_timeout: Option<Duration>,
    /// `Grace`: how much longer the server has to end a statement whose time is over, before the connection is closed; 2
    /// seconds if absent.
    pub grace: Option<Duration>,
    /// `BusyTimeout`: how long a statement of SQLite waits for others that write; 5 seconds if absent.
    pub busy_timeout: Option<Duration>,
    /// `Pooled`: whether PostgreSQL is behind a pooler that gives a session of the server to one program after the other,
    /// as PgBouncer does in its mode `transaction`; that of the connection string if absent. Other providers refuse it.
    pub pooled: Option<bool>,
    /// `PreparedStatements`: how many statements each connection keeps prepared; 256 if absent.
    pub prepared: Option<usize>,
    /// `ValueBytes`: how large a value may be that is sent, in bytes; 64 MiB if absent.
    pub value_bytes: Option<usize>,
    /// `SlowStatement`: statements that take longer are logged as slow; as the context has it if absent.
    pub slow_statement: Option<Duration>,
    /// `SyncTable`: whether tables are made to agree with their entities, unless those say otherwise.
    pub sync_table: bool,
    /// `Text`: what texts are compared, sorted and grouped by: `database`, its collations, or `exact`, code points.
    pub text: TextMode,
    /// `ReadOnlyConfigs`.
    pub read_only_configs: Vec<ReplicaConfig>,
}

/// A replica: an item of `ReadOnlyConfigs`. What it leaves out is that of its data source.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaConfig {
    /// `ConnectionString`. `Debug` does not show it.
    pub connection_string: Option<String>,
    /// `KeepAliveDuration`.
    pub keep_alive_duration: Option<Duration>,
    /// `PoolSize`.
    pub pool_size: Option<u32>,
    /// `MaxPoolSize`.
    pub max_pool_size: Option<u32>,
    /// `ParamCountLimit`.
    pub param_count_limit: Option<usize>,
}

/// What one pool is opened with: that of a data source, or of a replica with what it inherits.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolConfig {
    /// The data source.
    pub name: String,
    /// Where it is. `Debug` does not show it.
    pub connection_string: String,
    /// How long a connection is kept that nobody uses; zero: for good.
    pub keep_alive_duration: Duration,
    /// How many connections are kept that nobody uses.
    pub pool_size: u32,
    /// How many are open at most.
    pub max_pool_size: u32,
    /// How many parameters a statement has at most; 0: as many as the engine takes.
    pub param_count_limit: usize,
    /// How long a caller waits for a connection.
    pub pool_wait: Option<Duration>,
    /// How long a connection may take to be made.
    pub connect_timeout: Option<Duration>,
    /// How long a statement may take; zero: without a limit.
    pub statement_timeout: Option<Duration>,
    /// How much longer the server has to end a statement whose time is over.
    pub grace: Option<Duration>,
    /// How long a statement of SQLite waits for others that write.
    pub busy_timeout: Option<Duration>,
    /// Whether PostgreSQL is behind a pooler.
    pub pooled: Option<bool>,
    /// How many statements each connection keeps prepared.
    pub prepared: Option<usize>,
    /// How large a value may be that is sent, in bytes.
    pub value_bytes: Option<usize>,
    /// Which of its replicas it is, counted from 0; none is the source itself.
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
    /// A data source of that name, of a provider, at a place; all else as by default.
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
            text: TextMode::Database,
            read_only_configs: Vec::new(),
        }
    }

    with! {
        /// With connections kept for so long that nobody uses; zero: for good.
        keep_alive_duration: Duration => keep_alive_duration;
        /// With so many connections kept that nobody uses.
        pool_size: u32 => pool_size;
        /// With so many connections open at most.
        max_pool_size: u32 => max_pool_size;
        /// With so many parameters a statement; 0: as many as the engine takes.
        param_count_limit: usize => param_count_limit;
        /// With so long for a caller to wait for a connection.
        pool_wait: Duration => Some(pool_wait);
        /// With so long for a connection to be made.
        connect_timeout: Duration => Some(connect_timeout);
        /// With so long for each statement; zero: without a limit.
        statement_timeout: Duration => Some(statement_timeout);
        /// With so much longer for the server to end a statement whose time is over.
        grace: Duration => Some(grace);
        /// With so long for a statement of SQLite to wait for others that write.
        busy_timeout: Duration => Some(busy_timeout);
        /// With PostgreSQL behind a pooler, or not.
        pooled: bool => Some(pooled);
        /// With so many statements kept prepared on each connection.
        prepared: usize => Some(prepared);
        /// With values of so many bytes at most.
        value_bytes: usize => Some(value_bytes);
        /// With statements logged as slow that take longer.
        slow_statement: Duration => Some(slow_statement);
        /// With tables that are made to agree with their entities, or not.
        sync_table: bool => sync_table;
        /// With texts that are compared, sorted and grouped by that, but for columns that say otherwise.
        text: TextMode => text;
    }

    /// With statements for a dialect that the program registers by that name.
    #[must_use]
    pub fn sql_builder(mut self, dialect: impl Into<String>) -> Self {
        self.sql_builder = Some(dialect.into());
        self
    }

    /// With one more replica for reads.
    #[must_use]
    pub fn replica(mut self, replica: ReplicaConfig) -> Self {
        self.read_only_configs.push(replica);
        self
    }

    /// What the pool of the source itself is opened with.
    #[must_use]
    pub fn primary(&self) -> PoolConfig {
        PoolConfig {
            name: self.name.clone(),
            connection_string: self.connection_string.clone(),
            keep_alive_duration: self.keep_alive_duration,
            pool_size: self.pool_size,
            max_pool_size: self.max_pool_size,
            param_count_limit: self.param_count_limit,
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

    /// What the pools of its replicas are opened with: what each of them says, and what it inherits.
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
        /// With connections kept for so long that nobody uses; zero: for good.
        keep_alive_duration: Duration => Some(keep_alive_duration);
        /// With so many connections kept that nobody uses.
        pool_size: u32 => Some(pool_size);
        /// With so many connections open at most.
        max_pool_size: u32 => Some(max_pool_size);
        /// With so many parameters a statement; 0: as many as the engine takes.
        param_count_limit: usize => Some(param_count_limit);
    }

    /// At that place.
    #[must_use]
    pub fn connection_string(mut self, connection_string: impl Into<String>) -> Self {
        self.connection_string = Some(connection_string.into());
        self
    }
}

impl PoolConfig {
    /// The options of a pool. Traces and metrics call it by the data source (`main`), that of a replica by its number, too
    /// (`main/0`).
    #[must_use]
    pub fn options(&self) -> PoolOptions {
        self.options_over(PoolOptions::default())
    }

    /// The options of a pool whose connection string has said those: what is configured beside it takes precedence.
    #[must_use]
    pub fn options_over(&self, said: PoolOptions) -> PoolOptions {
        let statement_timeout = match self.statement_timeout {
            Some(limit) => Some(limit).filter(|limit| !limit.is_zero()),
            None => said.statement_timeout,
        };
        let (wait, connect, grace) = (said.wait, said.connect_timeout, said.grace);
        let (prepared, value_bytes) = (said.prepared, said.value_bytes);
        let name = match self.replica {
            Some(replica) => format!("{}/{replica}", self.name),
            None => self.name.clone(),
        };
        said.name(name)
            .cached(self.pool_size)
            .max(self.max_pool_size)
            .keep_alive(self.keep_alive_duration)
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
