//! Each case of the conformance suite has the answer that it has on every engine.
//!
//! D1 itself is behind HTTP, and no part of this test: SQLite answers to the texts that are meant for it.

use std::sync::Arc;

use d1_dialect::D1;
use isogloss_compiler::dialect::{Dialect, Variant};
use isogloss_compiler::{Error, ErrorKind};
use isogloss_conformance::suite::{self, Case, Engine, Suite};
use isogloss_driver::collation::Collations;
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{AnyConnection, Backend, BoxFuture, Origin, PoolStatus, Result};
use isogloss_sqlite::Sqlite;
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

/// Where the dialect's statements run.
#[derive(Debug)]
struct Local {
    dialect: Variant<Sqlite>,
    sqlite: SqliteBackend,
}

impl Backend for Local {
    fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    fn ddl(&self) -> &dyn Ddl {
        &self.dialect
    }

    fn origin(&self) -> &Origin {
        self.sqlite.origin()
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        self.sqlite.connect()
    }

    fn collations(&self) -> Option<&dyn Collations> {
        self.sqlite.collations()
    }

    fn status(&self) -> PoolStatus {
        self.sqlite.status()
    }
}

/// The engine that the suite asks.
struct Tested(Arc<Local>);

impl Engine for Tested {
    fn name(&self) -> &str {
        "d1"
    }

    fn backend(&self) -> Arc<dyn Backend> {
        Arc::<Local>::clone(&self.0)
    }

    /// Some cases are about as many parameters or arguments as larger engines take.
    fn refuses(&self, case: &Case, error: &Error) -> bool {
        let over = matches!(error.kind(), ErrorKind::TooManyParameters { limit: 100, .. })
            || error.is_refused() && error.to_string().contains("a function takes at most 32");
        over && ["insert", "limits"].contains(&&*case.group)
    }
}

#[tokio::test]
async fn every_case_has_its_answer() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let sqlite = SqliteBackend::open(SqliteOptions::memory()).await?;
    let engine = Tested(Arc::new(Local { dialect: D1, sqlite }));
    let report = suite::run(&engine, &Suite::own()?, |_| true, |_| {}).await?;
    let failures: Vec<String> = report.failures().map(|failure| format!("{failure:?}")).collect();
    assert!(failures.is_empty(), "{} fail: {}", failures.len(), failures.join("\n"));
    Ok(())
}
