//! SQLite, in a file.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ErrorKind, Isolation, PoolOptions, Result};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::drivers::Outcome;
use crate::drivers::engine::Engine;
use crate::drivers::typed::Limits;

pub struct Sqlite(PathBuf);

impl Sqlite {
    pub async fn make(name: String) -> Outcome<Arc<dyn Engine>> {
        let engine = Self(std::env::temp_dir().join(name));
        // One that was killed may have left a file of this name.
        engine.remove();
        Ok(Arc::new(engine))
    }
}

impl Sqlite {
    fn remove(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

impl Engine for Sqlite {
    fn open(&self, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        let mut options = SqliteOptions::file(&self.0);
        // Whoever waits for another is limited by the time of a statement.
        options.busy_timeout = std::time::Duration::from_secs(60);
        Box::pin(async move { Ok(Arc::new(SqliteBackend::open(options.pool(pool)).await?) as Arc<dyn Backend>) })
    }

    fn end(&self) -> BoxFuture<'_, Outcome> {
        self.remove();
        Box::pin(async { Ok(()) })
    }

    fn numbers(&self, power: u32) -> String {
        let count = 10_u64.pow(power);
        format!("WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT {count}) SELECT n FROM s")
    }

    fn failing(&self) -> String {
        let fails = "CASE n WHEN 5000 THEN json_extract('{', '$.a') ELSE n END";
        format!("SELECT {fails} AS n FROM ({}) q", self.numbers(4))
    }

    fn slow(&self) -> String {
        format!("SELECT COUNT(*) AS n FROM ({}) q", self.numbers(6))
    }

    fn defers(&self) -> bool {
        true
    }

    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>) {
        match mistake {
            "primary" => (Some("1555"), Some("rules.id")),
            "unique" => (Some("2067"), Some("rules.name")),
            "foreign" | "referred" => (Some("787"), None),
            "null" | "absent" => (Some("1299"), Some("rules.n")),
            "check" => (Some("275"), Some("positive")),
            _ => (None, None),
        }
    }

    /// A column takes what it is given, if it is not STRICT.
    fn judges(&self, mistake: &str) -> Option<Option<&'static str>> {
        (!matches!(mistake, "text" | "long" | "large")).then(|| self.told(mistake).1)
    }

    /// Only a write takes the whole transaction back when it is interrupted.
    fn interrupted(&self, write: bool, _dropped: bool) -> Option<ErrorKind> {
        write.then_some(ErrorKind::TransactionFailed)
    }

    /// Every isolation is given: its transactions are serializable.
    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)> {
        use Isolation::*;
        let all = [ReadCommitted, RepeatableRead, Snapshot, Serializable].map(|isolation| (Some(isolation), Ok(false)));
        all.into_iter().chain([(None, Ok(false))]).collect()
    }

    /// There is one writer at a time.
    fn after_deadlock(&self) -> Option<ErrorKind> {
        None
    }

    fn leavings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("PRAGMA foreign_keys = OFF", "SELECT 1 - foreign_keys FROM pragma_foreign_keys"),
            ("/* so */ pragma query_only = ON", "SELECT query_only FROM pragma_query_only"),
            ("PRAGMA recursive_triggers = ON", "SELECT recursive_triggers FROM pragma_recursive_triggers"),
            ("PRAGMA case_sensitive_like = ON", "SELECT 'a' NOT LIKE 'A'"),
            ("CREATE TEMP TABLE own_ (a)", "SELECT COUNT(*) FROM sqlite_temp_schema"),
            ("ATTACH ':memory:' AS other", "SELECT COUNT(*) FROM pragma_database_list WHERE name = 'other'"),
            ("BEGIN", "SELECT 0"),
            ("SAVEPOINT one", "SELECT 0"),
            ("PRAGMA foreign_keys(0)", "SELECT 1 - foreign_keys FROM pragma_foreign_keys"),
        ]
    }

    fn limits(&self) -> Limits {
        Limits { whole: i64::MAX.unsigned_abs(), decimal: (15, 2), ..Limits::USUAL }
    }
}
