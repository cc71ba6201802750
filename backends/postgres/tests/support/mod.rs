//! The servers of `ISOGLOSS_POSTGRES_URL`, each with a schema of its own for a test.
#![allow(dead_code, clippy::print_stdout, reason = "each test takes what it needs, and says what it skips")]

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;

use futures_util::FutureExt;
use isogloss_compiler::model::{Catalog, TableDef};
use isogloss_compiler::{Compiler, Target};
use isogloss_driver::{AnyConnection, Backend, PoolOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};

#[path = "../../../driver/testing/statements.rs"]
mod statements;
#[allow(unused_imports, reason = "each test takes what it needs")]
pub(crate) use statements::{Typed, given, number, plain, with};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A database with an empty schema, which all its connections are in.
pub(crate) struct Db {
    pub(crate) backend: PostgresBackend,
    pub(crate) options: PostgresOptions,
    pub(crate) schema: String,
}

impl Db {
    pub(crate) async fn connect(&self) -> Outcome<AnyConnection> {
        Ok(Backend::connect(&self.backend).await?)
    }

    /// Another pool to the same place.
    pub(crate) async fn pool(&self, pool: PoolOptions) -> Outcome<PostgresBackend> {
        Ok(PostgresBackend::connect(self.options.clone().pool(pool)).await?)
    }

    pub(crate) async fn script(&self, sql: &str) -> Outcome {
        Ok(self.connect().await?.script(sql).await?)
    }

    pub(crate) fn target(&self, tables: impl IntoIterator<Item = TableDef>) -> Outcome<Arc<Target>> {
        let catalog = tables.into_iter().fold(Catalog::builder(), |catalog, table| catalog.table(table));
        Ok(Compiler::new(catalog.build()?).target(self.backend.dialect()))
    }
}

/// Where the servers are; it says so if there are none.
pub(crate) fn urls() -> Vec<String> {
    let urls = std::env::var("ISOGLOSS_POSTGRES_URL").unwrap_or_default();
    let urls: Vec<String> = urls.split_whitespace().map(str::to_owned).collect();
    if urls.is_empty() {
        println!("skipped: no ISOGLOSS_POSTGRES_URL");
    }
    urls
}

/// Runs a test on each server.
pub(crate) async fn each(name: &str, test: impl AsyncFn(&Db) -> Outcome) -> Outcome {
    for url in urls() {
        on(&url, name, &test).await?;
    }
    Ok(())
}

/// Runs a test on a server.
pub(crate) async fn on(url: &str, name: &str, test: impl AsyncFn(&Db) -> Outcome) -> Outcome {
    let schema = format!("isogloss_{name}_{}", std::process::id());
    let mut options = PostgresOptions::url(url)?;
    let admin = PostgresBackend::connect(options.clone()).await?;
    let mut admin = Backend::connect(&admin).await?;
    admin.script(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema}")).await?;
    options.application_name = Some(schema.clone());
    options.settings = Some(format!("-c search_path={schema}"));
    let done = async {
        let db = Db { backend: PostgresBackend::connect(options.clone()).await?, options, schema: schema.clone() };
        test(&db).await
    };
    // A test that panics leaves nothing behind, either.
    let done = AssertUnwindSafe(done).catch_unwind().await;
    admin.script(&format!("DROP SCHEMA IF EXISTS {schema} CASCADE")).await?;
    match done {
        Ok(done) => done.map_err(|error: Box<dyn std::error::Error>| format!("{url}: {error:?}").into()),
        Err(panic) => resume_unwind(panic),
    }
}
