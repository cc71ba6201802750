//! The current state of data sources.

use isogloss_driver::PoolStatus;

/// The current state of a data source's pools, for a health page of the program.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss::OrmResult<()> {
/// # use isogloss::config::DataSourceConfig;
/// # use isogloss::prelude::*;
/// # let context = isogloss::OrmContext::new(Catalog::builder().build()?);
/// # context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:"))?;
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
    /// The pool of the data source itself; `None` until it is opened.
    pub pool: Option<PoolStatus>,
    /// The replicas.
    pub replicas: Vec<ReplicaStatus>,
}

/// The current state of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaStatus {
    /// Whether it is used, as it is not known to be unreachable.
    pub up: bool,
    /// Its pool; `None` until it is opened.
    pub pool: Option<PoolStatus>,
}

impl ReplicaStatus {
    pub(super) fn new(up: bool, pool: Option<PoolStatus>) -> Self {
        Self { up, pool }
    }
}
