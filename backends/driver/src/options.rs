//! Options of a connection pool.

use std::time::Duration;

use crate::{Error, ErrorKind, Result};

/// Options of a connection pool: how many connections it keeps and opens, and the time limits of what runs on them.
///
/// ```
/// use std::time::Duration;
/// use isogloss_driver::PoolOptions;
///
/// let options = PoolOptions::default().max(20).statement_timeout(Some(Duration::from_secs(5)));
/// assert_eq!((options.max, options.cached), (20, 16));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// The name of the pool in traces and metrics; by default that of the server.
    pub name: Option<String>,
    /// How many idle connections are kept open. 16 by default.
    pub cached: u32,
    /// How many connections may be open. 100 by default.
    pub max: u32,
    /// How long an idle connection is kept; zero is without a limit. Ten minutes by default.
    pub keep_alive: Duration,
    /// How long a connection is used, so that a pool follows a name to another server; zero is without a limit. 30
    /// minutes by default. Each connection has up to a tenth less, so that not all are opened anew at once.
    pub max_lifetime: Duration,
    /// How long a caller waits for a connection. 30 seconds by default.
    pub wait: Duration,
    /// How long opening a connection may take. 10 seconds by default.
    pub connect_timeout: Duration,
    /// The time limit of a statement, and of waiting for the next rows of a stream; `None` is no limit. 30 seconds by
    /// default. A transaction and a connection may have their own limit.
    pub statement_timeout: Option<Duration>,
    /// How long the server has to end a statement whose time limit is over, before the connection is closed. 2 seconds
    /// by default.
    pub grace: Duration,
    /// How many prepared statements each connection keeps. 256 by default.
    pub prepared: usize,
    /// The maximal size of a value that is sent, in bytes. 64 MiB by default. SQLite's driver also limits by it what
    /// the engine builds.
    pub value_bytes: usize,
}

impl Default for PoolOptions {
    /// 16 kept for ten minutes, 100 open, none for longer than 30 minutes, a wait of 30 seconds, 10 to connect, 30 for a
    /// statement and 2 more for its end, 256 prepared statements, values of 64 MiB.
    fn default() -> Self {
        Self {
            name: None,
            cached: 16,
            max: 100,
            keep_alive: Duration::from_secs(600),
            max_lifetime: Duration::from_secs(1800),
            wait: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            statement_timeout: Some(Duration::from_secs(30)),
            grace: Duration::from_secs(2),
            prepared: 256,
            value_bytes: 64 << 20,
        }
    }
}

impl PoolOptions {
    /// Sets the name of the pool in traces and metrics.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets how many idle connections are kept open.
    #[must_use]
    pub fn cached(mut self, cached: u32) -> Self {
        self.cached = cached;
        self
    }

    /// Sets how many connections may be open.
    #[must_use]
    pub fn max(mut self, max: u32) -> Self {
        self.max = max;
        self
    }

    /// Sets how long an idle connection is kept.
    #[must_use]
    pub fn keep_alive(mut self, keep_alive: Duration) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// Sets how long a connection is used.
    #[must_use]
    pub fn max_lifetime(mut self, max_lifetime: Duration) -> Self {
        self.max_lifetime = max_lifetime;
        self
    }

    /// Sets how long a caller waits for a connection.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// Sets how long opening a connection may take.
    #[must_use]
    pub fn connect_timeout(mut self, connect_timeout: Duration) -> Self {
        self.connect_timeout = connect_timeout;
        self
    }

    /// Sets the time limit of a statement; `None` is no limit.
    #[must_use]
    pub fn statement_timeout(mut self, statement_timeout: Option<Duration>) -> Self {
        self.statement_timeout = statement_timeout;
        self
    }

    /// Sets how long the server has to end a statement whose time limit is over.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sets how many prepared statements each connection keeps.
    #[must_use]
    pub fn prepared(mut self, prepared: usize) -> Self {
        self.prepared = prepared;
        self
    }

    /// Sets the maximal size of a value, in bytes.
    #[must_use]
    pub fn value_bytes(mut self, value_bytes: usize) -> Self {
        self.value_bytes = value_bytes;
        self
    }

    /// Reads a URL parameter: `connect_timeout`, `statement_timeout`, `grace`, `pool_wait` or `max_lifetime`, in the
    /// notation of [`time`]. A `statement_timeout` of 0 is no limit. Returns `false` for any other parameter.
    ///
    /// ```
    /// use std::time::Duration;
    /// use isogloss_driver::PoolOptions;
    /// let mut options = PoolOptions::default();
    /// assert!(options.read("statement_timeout", "1500ms")? && options.read("connect_timeout", "3")?);
    /// assert_eq!(options.statement_timeout, Some(Duration::from_millis(1500)));
    /// assert!(options.read("grace", "0.5")?);
    /// assert_eq!(options.grace, Duration::from_millis(500));
    /// assert!(!options.read("sslmode", "require")?);
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for a value that is not a time.
    pub fn read(&mut self, name: &str, value: &str) -> Result<bool> {
        let time = || time(name, value);
        match name {
            "connect_timeout" => self.connect_timeout = time()?,
            "statement_timeout" => self.statement_timeout = Some(time()?).filter(|time| !time.is_zero()),
            "grace" => self.grace = time()?,
            "pool_wait" => self.wait = time()?,
            "max_lifetime" => self.max_lifetime = time()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The names of the URL parameters that [`read`](Self::read) knows.
    pub const PARAMETERS: [&str; 5] = ["connect_timeout", "statement_timeout", "grace", "pool_wait", "max_lifetime"];
}

/// Parses a time, the value of the parameter `name`: in seconds (`30`, `0.5`) or milliseconds (`1500ms`).
///
/// ```
/// use std::time::Duration;
/// assert_eq!(isogloss_driver::time("busy_timeout", "250ms")?, Duration::from_millis(250));
/// # Ok::<(), isogloss_driver::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Configuration`] for a value that is not a time.
pub fn time(name: &str, value: &str) -> Result<Duration> {
    let (unit, number) = match value.strip_suffix("ms") {
        Some(number) => (0.001, number),
        None => (1.0, value),
    };
    let time = number.parse::<f64>().ok().and_then(|number| Duration::try_from_secs_f64(number * unit).ok());
    time.ok_or_else(|| {
        let message = format!("`{name}` is a time in seconds, or in milliseconds as in `1500ms`");
        Error::new(ErrorKind::Configuration, message)
    })
}

/// The current state of a connection pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PoolStatus {
    /// How many connections are open.
    pub open: u32,
    /// How many of the open connections are idle.
    pub idle: u32,
    /// How many connections may be open.
    pub max: u32,
    /// How many callers wait for a connection.
    pub waiting: u32,
    /// How many callers have waited in vain since the pool was created.
    pub timeouts: u64,
}

impl PoolStatus {
    /// A status with this number of open and idle connections.
    #[must_use]
    pub fn new(open: u32, idle: u32) -> Self {
        Self { open, idle, ..Self::default() }
    }
}
