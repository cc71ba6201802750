//! What a data source has at the moment.

use isogloss_driver::PoolStatus;

/// The pools of a data source at the moment, for a page of the program's health.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// # use isogloss::config::DataSourceConfig;
/// # use isogloss::prelude::*;
/// # let context = isogloss::OrmContext::new(Catalog::builder().build()?);
/// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"), true)?;
/// context.ping().await?;
/// for source in context.data_sources() {
///     let pool = source.status().pool.unwrap_or_default();
///     assert_eq!((pool.open, pool.idle, pool.waiting, pool.timeouts), (1, 1, 0, 0));
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SourceStatus {
    /// The pool of the source itself; nothing while it has not been opened.
    pub pool: Option<PoolStatus>,
    /// Its replicas.
    pub replicas: Vec<ReplicaStatus>,
}

/// A replica at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaStatus {
    /// Whether it may be used, as far as is known.
    pub up: bool,
    /// Its pool; nothing while it has not been opened.
    pub pool: Option<PoolStatus>,
}

impl ReplicaStatus {
    pub(super) fn new(up: bool, pool: Option<PoolStatus>) -> Self {
        Self { up, pool }
    }
}
