//! What a pool keeps, and what it may open.

use std::time::Duration;

/// How many connections a pool keeps and opens, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// How many connections that nobody uses are kept.
    pub cached: u32,
    /// How many are open at most.
    pub max: u32,
    /// How long one that nobody uses is kept; zero: for good.
    pub keep_alive: Duration,
    /// How long a caller waits for one.
    pub wait: Duration,
    /// How many prepared statements each connection keeps.
    pub prepared: usize,
    /// How large a value may be that is sent, in bytes. SQLite's driver also bounds what the engine builds by it.
    pub value_bytes: usize,
}

impl Default for PoolOptions {
    /// 16 kept for ten minutes, 100 open, a wait of 30 seconds, 256 statements, values of 64 MiB.
    fn default() -> Self {
        Self {
            cached: 16,
            max: 100,
            keep_alive: Duration::from_secs(600),
            wait: Duration::from_secs(30),
            prepared: 256,
            value_bytes: 64 << 20,
        }
    }
}

impl PoolOptions {
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
}

/// What a pool has at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PoolStatus {
    /// How many connections are open.
    pub open: u32,
    /// How many of them nobody uses.
    pub idle: u32,
}

impl PoolStatus {
    /// The status of a pool with so many connections open, and so many of them idle.
    #[must_use]
    pub fn new(open: u32, idle: u32) -> Self {
        Self { open, idle }
    }
}
