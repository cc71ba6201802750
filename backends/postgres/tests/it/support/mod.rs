//! The servers of `ISOGLOSS_POSTGRES_URL`, each with a schema of its own for a test.
//!
//! No test here asserts how long something takes: it waits for an event, with [`HANG`] as its limit.
#![allow(
    dead_code,
    clippy::panic,
    clippy::print_stdout,
    reason = "each test takes what it needs, and says what it skips"
)]

use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use isogloss_compiler::model::{Catalog, TableDef};
use isogloss_compiler::{Compiler, Target};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt, PoolOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};

pub(crate) mod pooler;
#[path = "../../../../driver/testing/process.rs"]
mod process;
pub(crate) mod server;
#[path = "../../../../driver/testing/statements.rs"]
mod statements;
#[allow(unused_imports, reason = "each test takes what it needs")]
pub(crate) use statements::{Typed, given, number, plain, with};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// How long a test waits for an event. Only a test that hangs waits so long.
pub(crate) const HANG: Duration = Duration::from_secs(120);

/// A pool of so many connections, whose limits only a test that hangs reaches.
pub(crate) fn pool(max: u32) -> PoolOptions {
    let pool = PoolOptions::default().max(max).wait(HANG).grace(HANG).statement_timeout(Some(HANG));
    pool.connect_timeout(HANG)
}

/// Waits for an event.
pub(crate) async fn in_time<T>(event: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANG, event).await.unwrap_or_else(|_| panic!("the event did not come within {HANG:?}"))
}

/// Asks a query until its answer is `true`.
pub(crate) async fn until(connection: &mut AnyConnection, sql: &str) -> Outcome {
    in_time(async {
        while !connection.fetch_one::<(bool,)>(&plain(sql)).await?.0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    })
    .await
}

/// Runs a statement that lasts, and drops its future when the server runs it.
pub(crate) async fn given_up(
    connection: &mut AnyConnection,
    pid: i32,
    watches: &mut AnyConnection,
    sql: &str,
) -> Outcome {
    let statement = plain(sql);
    let runs = format!("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = {pid} AND wait_event = 'PgSleep')");
    tokio::select! {
        biased;
        done = connection.execute(&statement) => Err(format!("it ended: {done:?}").into()),
        runs = until(watches, &runs) => runs,
    }
}

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
    isogloss_testkit::events::install();
    isogloss_testkit::servers::postgres()
}

/// A number of this process, and one that it has not given yet.
pub(crate) fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
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
    let schema = format!("isogloss_{name}_{}", unique());
    let mut options = PostgresOptions::url(url)?.pool(pool(100));
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
