//! Oracle, among the tables of a user: one test at a time.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ConnectionExt, ErrorKind, Isolation, PoolOptions, Result};
use isogloss_oracle::driver::{OracleBackend, OracleOptions};
use tokio::sync::{Mutex, OwnedMutexGuard};

use crate::drivers::Outcome;
use crate::drivers::engine::Engine;
use crate::drivers::statements::plain;
use crate::drivers::typed::Limits;

static ALONE: std::sync::LazyLock<Arc<Mutex<()>>> = std::sync::LazyLock::new(Arc::default);

pub struct Oracle {
    options: OracleOptions,
    _alone: OwnedMutexGuard<()>,
}

impl Oracle {
    pub async fn make(url: String, _: String) -> Outcome<Arc<dyn Engine>> {
        let engine = Self { options: OracleOptions::url(&url)?, _alone: Arc::clone(&ALONE).lock_owned().await };
        engine.empty().await?;
        Ok(Arc::new(engine))
    }

    /// Takes away what tests have made.
    async fn empty(&self) -> Outcome {
        let mut connection = OracleBackend::connect(self.options.clone()).await?.connect().await?;
        for name in ["CHILD", "RULES", "T", "OWN", "PERSON", "ITEM"] {
            let there = plain(format!("SELECT COUNT(*) FROM user_tables WHERE table_name = '{name}'"));
            if connection.fetch_one::<(i64,)>(&there).await?.0 > 0 {
                connection.script(&format!("DROP TABLE {name} CASCADE CONSTRAINTS PURGE")).await?;
            }
        }
        Ok(())
    }
}

impl Engine for Oracle {
    fn open(&self, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        let options = self.options.clone().pool(pool);
        Box::pin(async move { Ok(Arc::new(OracleBackend::connect(options).await?) as Arc<dyn Backend>) })
    }

    fn end(&self) -> BoxFuture<'_, Outcome> {
        Box::pin(self.empty())
    }

    fn folded(&self, name: &str) -> String {
        name.to_uppercase()
    }

    fn select(&self, value: &str) -> String {
        format!("SELECT {value} AS n FROM dual")
    }

    fn numbers(&self, power: u32) -> String {
        format!("SELECT LEVEL AS n FROM dual CONNECT BY LEVEL <= {}", 10_u64.pow(power))
    }

    fn endless(&self) -> String {
        "SELECT COUNT(*) AS n FROM all_objects, all_objects, all_objects, all_objects".to_owned()
    }

    fn slow(&self) -> String {
        format!("SELECT COUNT(*) AS n FROM ({}) q", self.numbers(6))
    }

    /// It is RETURNING .. INTO.
    fn returns(&self) -> bool {
        false
    }

    fn defers(&self) -> bool {
        true
    }

    fn parent(&self) -> &'static str {
        "NUMBER(19)"
    }

    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>) {
        let constraint = match mistake {
            "primary" => Some("RULES_KEY"),
            "unique" => Some("ONE_NAME"),
            "foreign" | "referred" => Some("HAS_PARENT"),
            "null" | "absent" => Some("N"),
            "check" => Some("POSITIVE"),
            _ => None,
        };
        (None, constraint)
    }

    /// What is interrupted ends itself alone.
    fn interrupted(&self, _write: bool, _dropped: bool) -> Option<ErrorKind> {
        None
    }

    /// One that only reads sees all as it was when it began.
    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)> {
        use Isolation::*;
        let all = [ReadCommitted, RepeatableRead, Snapshot, Serializable].map(|isolation| (Some(isolation), Ok(false)));
        all.into_iter().chain([(None, Ok(false))]).collect()
    }

    /// It ends the statement alone, and whoever has failed is to roll back.
    fn after_deadlock(&self) -> Option<ErrorKind> {
        None
    }

    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    fn leavings(&self) -> &'static [(&'static str, &'static str)] {
        &[(
            "ALTER SESSION SET NLS_SORT = 'FRENCH'",
            "SELECT COUNT(*) FROM nls_session_parameters WHERE parameter = 'NLS_SORT' AND value = 'FRENCH'",
        )]
    }

    fn limits(&self) -> Limits {
        Limits { zero: false, empty_is_null: true, ..Limits::USUAL }
    }
}
