//! SQL Server, in a database.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use isogloss_driver::{Backend, ErrorKind, Isolation, PoolOptions, Result};
use isogloss_sqlserver::driver::{SqlServerBackend, SqlServerOptions};

use crate::drivers::Outcome;
use crate::drivers::engine::Engine;
use crate::drivers::typed::Limits;

pub struct SqlServer {
    /// Without the database.
    outside: SqlServerOptions,
    options: SqlServerOptions,
    name: String,
}

async fn opened(options: SqlServerOptions) -> Result<Arc<dyn Backend>> {
    Ok(Arc::new(SqlServerBackend::connect(options).await?))
}

impl SqlServer {
    pub async fn make(url: String, name: String) -> Outcome<Arc<dyn Engine>> {
        let outside = SqlServerOptions::url(&url)?;
        let mut options = outside.clone();
        options.database = Some(name.clone());
        let engine = Self { outside, options, name };
        let name = &engine.name;
        // For Isolation::Snapshot.
        engine
            .script(&[
                format!("CREATE DATABASE {name}"),
                format!("ALTER DATABASE {name} SET ALLOW_SNAPSHOT_ISOLATION ON"),
            ])
            .await?;
        Ok(Arc::new(engine))
    }

    async fn script(&self, statements: &[String]) -> Outcome {
        let mut connection = opened(self.outside.clone()).await?.connect().await?;
        for statement in statements {
            connection.script(statement).await?;
        }
        Ok(())
    }
}

impl Engine for SqlServer {
    fn open(&self, pool: PoolOptions) -> BoxFuture<'_, Result<Arc<dyn Backend>>> {
        Box::pin(opened(self.options.clone().pool(pool)))
    }

    fn end(&self) -> BoxFuture<'_, Outcome> {
        Box::pin(async {
            let name = &self.name;
            let alone = format!("ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
            self.script(&[alone, format!("DROP DATABASE {name}")]).await
        })
    }

    fn numbers(&self, power: u32) -> String {
        let all = ["a", "b", "c", "d"].map(|name| format!("sys.all_objects {name}")).join(" CROSS JOIN ");
        format!("SELECT TOP ({}) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) AS n FROM {all}", 10_u64.pow(power))
    }

    fn slow(&self) -> String {
        format!("SELECT COUNT_BIG(*) AS n FROM ({}) q", self.numbers(7))
    }

    /// It is OUTPUT.
    fn returns(&self) -> bool {
        false
    }

    fn told(&self, mistake: &str) -> (Option<&'static str>, Option<&'static str>) {
        let constraint = match mistake {
            "primary" => Some("rules_key"),
            "unique" => Some("one_name"),
            "foreign" | "referred" => Some("has_parent"),
            "null" | "absent" => Some("n"),
            "check" => Some("positive"),
            _ => None,
        };
        (None, constraint)
    }

    /// An error of a value, of a deadlock or of a time ends the whole; that of a rule its statement alone.
    fn interrupted(&self, _write: bool, _dropped: bool) -> Option<ErrorKind> {
        None
    }

    /// Whoever reads waits for whoever writes.
    fn isolations(&self) -> Vec<(Option<Isolation>, Result<bool, ErrorKind>)> {
        vec![(Some(Isolation::ReadCommitted), Ok(true)), (Some(Isolation::Snapshot), Ok(false)), (None, Ok(true))]
    }

    fn endings(&self) -> &'static [&'static str] {
        &["COMMIT TRANSACTION", "ROLLBACK TRANSACTION"]
    }

    fn leavings(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("SELECT 1 AS a INTO #own", "SELECT CASE WHEN OBJECT_ID('tempdb..#own') IS NULL THEN 0 ELSE 1 END"),
            ("SET LANGUAGE French", "SELECT CASE @@LANGUAGE WHEN 'us_english' THEN 0 ELSE 1 END"),
            ("BEGIN TRANSACTION", "SELECT @@TRANCOUNT"),
        ]
    }

    fn limits(&self) -> Limits {
        Limits { nanos: 100, ..Limits::USUAL }
    }
}
