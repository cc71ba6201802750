//! What a pool keeps, and what it may open.

use std::time::Duration;

use crate::{Error, ErrorKind, Result};

/// How many connections a pool keeps and opens, for how long, and how long what runs on them may take.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// What traces and metrics call the pool: the server, if absent.
    pub name: Option<String>,
    /// How many connections that nobody uses are kept.
    pub cached: u32,
    /// How many are open at most.
    pub max: u32,
    /// How long one that nobody uses is kept; zero: for good.
    pub keep_alive: Duration,
    /// How long a caller waits for one.
    pub wait: Duration,
    /// How long one may take to be made.
    pub connect_timeout: Duration,
    /// How long a statement may take, and the wait for the next rows of a stream; without a limit if absent. A
    /// transaction and a connection may have their own.
    pub statement_timeout: Option<Duration>,
    /// How much longer the server has to end a statement whose time is over. Then the connection is closed.
    pub grace: Duration,
    /// How many prepared statements each connection keeps.
    pub prepared: usize,
    /// How large a value may be that is sent, in bytes. SQLite's driver also bounds what the engine builds by it.
    pub value_bytes: usize,
}

impl Default for PoolOptions {
    /// 16 kept for ten minutes, 100 open, a wait of 30 seconds, 10 to connect, 30 for a statement and 2 more for its end,
    /// 256 prepared statements, values of 64 MiB.
    fn default() -> Self {
        Self {
            name: None,
            cached: 16,
            max: 100,
            keep_alive: Duration::from_secs(600),
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
    /// With a name in traces and metrics.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// With so many connections kept that nobody uses.
    #[must_use]
    pub fn cached(mut self, cached: u32) -> Self {
        self.cached = cached;
        self
    }

    /// With so many open at most.
    #[must_use]
    pub fn max(mut self, max: u32) -> Self {
        self.max = max;
        self
    }

    /// With connections kept for so long that nobody uses.
    #[must_use]
    pub fn keep_alive(mut self, keep_alive: Duration) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    /// With a caller waiting for so long.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// With so long for a connection to be made.
    #[must_use]
    pub fn connect_timeout(mut self, connect_timeout: Duration) -> Self {
        self.connect_timeout = connect_timeout;
        self
    }

    /// With so long for each statement; without a limit if absent.
    #[must_use]
    pub fn statement_timeout(mut self, statement_timeout: Option<Duration>) -> Self {
        self.statement_timeout = statement_timeout;
        self
    }

    /// With so much longer for the server to end a statement whose time is over.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// With so many statements prepared on each connection.
    #[must_use]
    pub fn prepared(mut self, prepared: usize) -> Self {
        self.prepared = prepared;
        self
    }

    /// With values of so many bytes at most.
    #[must_use]
    pub fn value_bytes(mut self, value_bytes: usize) -> Self {
        self.value_bytes = value_bytes;
        self
    }

    /// Reads a parameter of a URL: `connect_timeout`, `statement_timeout`, `grace` or `pool_wait`, by [`time`]. A
    /// `statement_timeout` of 0 is no limit. Whether it is one of them.
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
    /// [`ErrorKind::Configuration`] for a value that is no such time.
    pub fn read(&mut self, name: &str, value: &str) -> Result<bool> {
        let time = || time(name, value);
        match name {
            "connect_timeout" => self.connect_timeout = time()?,
            "statement_timeout" => self.statement_timeout = Some(time()?).filter(|time| !time.is_zero()),
            "grace" => self.grace = time()?,
            "pool_wait" => self.wait = time()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The names of the parameters that [`read`](Self::read) knows.
    pub const PARAMETERS: [&str; 4] = ["connect_timeout", "statement_timeout", "grace", "pool_wait"];
}

/// Reads a time, the value of a parameter of that name: in seconds (`30`, `0.5`) or milliseconds (`1500ms`).
///
/// ```
/// use std::time::Duration;
/// assert_eq!(isogloss_driver::time("busy_timeout", "250ms")?, Duration::from_millis(250));
/// # Ok::<(), isogloss_driver::Error>(())
/// ```
///
/// # Errors
/// [`ErrorKind::Configuration`] for what is no such time.
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

/// What a pool has at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PoolStatus {
    /// How many connections are open.
    pub open: u32,
    /// How many of them nobody uses.
    pub idle: u32,
    /// How many may be open.
    pub max: u32,
    /// How many callers wait for one.
    pub waiting: u32,
    /// How many callers have waited in vain since the pool was made.
    pub timeouts: u64,
}

impl PoolStatus {
    /// The status of a pool with so many connections open, and so many of them idle.
    #[must_use]
    pub fn new(open: u32, idle: u32) -> Self {
        Self { open, idle, ..Self::default() }
    }
}
