//! DuckDB, in memory.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ErrorKind, Isolation, PoolOptions, Result, TransactionOptions};
use isogloss_duckdb::driver::{DuckDbBackend, DuckDbOptions};

use crate::drivers::Outcome;
use crate::drivers::engine::Engine;
use crate::drivers::typed::Limits;

pub struct DuckDb;

impl DuckDb {
    pub async fn make(_: String) -> Outcome<Arc<dyn Engine>> {
        Ok(Arc::new(Self))
    }
}

impl Engine for DuckDb {
    fn open(&self, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        let options = DuckDbOptions::memory().threads(2).pool(pool);
        Box::pin(async move { Ok(Arc::new(DuckDbBackend::open(options).await?) as Arc<dyn Backend>) })
    }

    fn numbers(&self, power: u32) -> String {
        format!("SELECT range AS n FROM range(1, {} + 1)", 10_u64.pow(power))
    }

    fn failing(&self) -> String {
        format!(
            "SELECT CAST(CASE n WHEN 5000 THEN 'x' ELSE CAST(n AS VARCHAR) END AS BIGINT) AS n FROM ({}) q",
            self.numbers(4)
        )
    }

    fn endless(&self) -> String {
        "SELECT COUNT(*) AS n FROM range(100000000) a(x), range(100000000) b(y) WHERE x % 7 = y % 11".to_owned()
    }

    fn slow(&self) -> String {
        "SELECT COUNT(*) AS n FROM range(30000) a(x), range(30000) b(y) WHERE x % 7 = y % 11".to_owned()
    }

    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>) {
        match mistake {
            "null" | "absent" => (None, Some("rules.n")),
            "check" => (None, Some("(n > 0)")),
            _ => (None, None),
        }
    }

    fn endings(&self) -> &'static [&'static str] {
        &["COMMIT", "SELECT 1; END; SELECT 2", "rollback", "ABORT", "COMMIT; BEGIN"]
    }

    /// The length of a text column is not kept.
    fn judges(&self, mistake: &str) -> Option<Option<&'static str>> {
        (mistake != "long").then(|| self.told(mistake).1)
    }

    fn savepoints(&self) -> bool {
        false
    }

    fn fails_whole(&self) -> bool {
        true
    }

    fn waits(&self) -> bool {
        false
    }

    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)> {
        use Isolation::*;
        let all = [ReadCommitted, RepeatableRead, Snapshot].map(|isolation| (Some(isolation), Ok(false)));
        all.into_iter().chain([(Some(Serializable), Err(ErrorKind::Configuration)), (None, Ok(false))]).collect()
    }

    fn conflicting(&self) -> Option<TransactionOptions> {
        Some(TransactionOptions::default())
    }

    fn after_deadlock(&self) -> Option<ErrorKind> {
        None
    }

    fn leavings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("SET TimeZone = 'Asia/Tokyo'", "SELECT CAST(CURRENT_SETTING('TimeZone') <> 'UTC' AS INTEGER)"),
            ("CREATE TEMP TABLE own_ (a INTEGER)", "SELECT COUNT(*) FROM duckdb_tables() WHERE temporary"),
            ("BEGIN", "SELECT 0"),
        ]
    }

    fn limits(&self) -> Limits {
        Limits { odd_floats: true, ..Limits::USUAL }
    }
}
