//! Every engine that can be reached, each with a database of its own.

#![allow(clippy::print_stdout, reason = "it says which engines are tested")]

use std::env;
use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use isogloss::Compiled;
use isogloss::config::DataSourceConfig;
use isogloss::driver::{AnyConnection, Backend, ConnectionExt as _, Error};
use isogloss::model::Catalog;
use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss::{OrmContext, OrmResult, Session};

/// Databases of one process have different names.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// Waits a little, also where the clock of tokio stands still.
pub(crate) async fn real_pause() {
    let _ = tokio::task::spawn_blocking(|| thread::sleep(Duration::from_millis(20))).await;
}

/// Waits until a query that counts finds something. Two minutes without it are a hang.
pub(crate) async fn until_counted(connection: &mut AnyConnection, query: &Compiled<'_>) -> Result<(), Error> {
    let begun = Instant::now();
    while connection.fetch_one::<(i64,)>(query).await?.0 == 0 {
        assert!(begun.elapsed() < Duration::from_secs(120), "it finds nothing: {}", query.sql);
        real_pause().await;
    }
    Ok(())
}

/// An empty database.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) provider: &'static str,
    pub(crate) url: String,
}

impl Place {
    /// A context over it. `sync` says whether tables are made at their first use.
    pub(crate) fn context(&self, catalog: Catalog, sync: bool) -> OrmContext {
        let context = OrmContext::new(catalog);
        let source = DataSourceConfig::new("main", self.provider, &self.url).sync_table(sync);
        context.add_data_source(source).unwrap();
        context
    }

    /// Waits until a statement that is like a pattern waits for a lock. SQLite has no such list.
    pub(crate) async fn until_blocked(&self, pattern: &str) {
        let (list, text) = match self.provider {
            "postgres" => ("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'", "query"),
            _ => ("information_schema.processlist WHERE db = DATABASE() AND state LIKE 'Waiting for%lock'", "info"),
        };
        let sql = format!("SELECT COUNT(*) FROM {list} AND {text} LIKE '%{pattern}%'");
        let blocked = Compiled { sql, ..Compiled::default() };
        let mut connection = server(self.provider, &self.url).await.connect().await.unwrap();
        until_counted(&mut connection, &blocked).await.unwrap();
    }

    /// A context over it whose tables are made at their first use, and whose operations wait so long for others.
    pub(crate) async fn waiting(&self, catalog: Catalog, wait: Duration) -> OrmContext {
        let context = OrmContext::builder().catalog(catalog).lease_wait(wait).build().await.unwrap();
        let source = DataSourceConfig::new("main", self.provider, &self.url).sync_table(true);
        context.add_data_source(source).unwrap();
        context
    }
}

/// Runs a test on every engine, in a database that is empty.
pub(crate) async fn each_place<F: Future<Output = ()>>(test: impl Fn(Place) -> F) {
    let name = || format!("isogloss_dao_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    println!("sqlite");
    let file: PathBuf = env::temp_dir().join(format!("{}.db", name()));
    let remove = || {
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", file.display()));
        }
    };
    // A process of the same id may have been killed before.
    remove();
    let done = caught(test(Place { provider: "sqlite", url: format!("{}?create=true", file.display()) })).await;
    remove();
    passed(done);
    for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
        let Ok(urls) = env::var(variable) else {
            isogloss_testkit::skipped(format_args!("no {variable}"));
            continue;
        };
        for url in urls.split_whitespace() {
            let server = server(provider, url).await;
            println!("{}", server.dialect().label());
            if provider == "postgres" {
                let lent = Lent::of(&*server, url).await;
                let done = caught(test(Place { provider, url: database(url, &lent.name) })).await;
                lent.give_back().await;
                passed(done);
            } else {
                let name = name();
                let create = format!("DROP DATABASE IF EXISTS {name}; CREATE DATABASE {name} CHARACTER SET utf8mb4");
                server.connect().await.unwrap().script(&create).await.unwrap();
                let done = caught(test(Place { provider, url: database(url, &name) })).await;
                server.connect().await.unwrap().script(&format!("DROP DATABASE {name}")).await.unwrap();
                passed(done);
            }
        }
    }
}

/// Runs a test whose panic waits until its database is removed.
async fn caught(test: impl Future<Output = ()>) -> thread::Result<()> {
    AssertUnwindSafe(test).catch_unwind().await
}

fn passed(done: thread::Result<()>) {
    done.unwrap_or_else(|panic| resume_unwind(panic));
}

/// Runs a test on every engine, with the tables of a catalog, those of shards by their arguments.
pub(crate) async fn each<F: Future<Output = ()>>(
    catalog: impl Fn() -> Catalog,
    tables: &[(&str, &[&str])],
    test: impl Fn(Session) -> F,
) {
    each_place(async |place: Place| {
        let context = place.context(catalog(), false);
        for (entity, args) in tables {
            context.sync_table(entity, args.iter().copied()).await.unwrap();
        }
        test(context.create_session().unwrap()).await;
        context.close();
    })
    .await;
}

/// Runs a test on every engine, with a session whose tables are made at their first use.
pub(crate) async fn each_session<F: Future<Output = OrmResult<()>>>(
    catalog: impl Fn() -> Catalog,
    test: impl Fn(Session) -> F,
) {
    each_place(async |place: Place| {
        let context = place.context(catalog(), true);
        test(context.create_session().unwrap()).await.unwrap();
        context.close();
    })
    .await;
}

/// The URL with another database.
fn database(url: &str, name: &str) -> String {
    let (base, query) = url.split_once('?').map_or((url, String::new()), |(base, query)| (base, format!("?{query}")));
    format!("{}/{name}{query}", base.rsplit_once('/').unwrap().0)
}

/// A database of PostgreSQL's for one test at a time, which is empty when it is lent. PostgreSQL takes a second to make one
/// where others do the same, so that they are kept on the server: as many as there are tests at once, of all processes.
struct Lent {
    name: String,
    /// It holds the lock.
    holder: AnyConnection,
}

impl Lent {
    async fn of(server: &dyn Backend, url: &str) -> Self {
        let mut holder = server.connect().await.unwrap();
        for number in 0.. {
            let name = format!("isogloss_test_{number}");
            // 4 bytes that say whose lock it is.
            if !ask(&mut holder, &format!("SELECT pg_try_advisory_lock(1769173868, {number})")).await {
                continue;
            }
            if !ask(&mut holder, &format!("SELECT EXISTS (SELECT FROM pg_database WHERE datname = '{name}')")).await {
                holder.script(&format!("CREATE DATABASE {name}")).await.unwrap();
            }
            // What a test that has failed left behind goes, with its connections.
            let others = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
            holder.script(&others).await.unwrap();
            let own = PostgresBackend::connect(PostgresOptions::url(&database(url, &name)).unwrap()).await.unwrap();
            own.connect().await.unwrap().script("DROP SCHEMA public CASCADE; CREATE SCHEMA public").await.unwrap();
            return Self { name, holder };
        }
        unreachable!("there are more numbers than tests")
    }

    /// The lock is the session's, and ends with it.
    async fn give_back(mut self) {
        self.holder.close();
    }
}

/// A question with a yes or no.
async fn ask(connection: &mut AnyConnection, sql: &str) -> bool {
    connection.fetch_one(&Compiled { sql: sql.to_owned(), ..Compiled::default() }).await.unwrap()
}

async fn server(provider: &str, url: &str) -> Box<dyn Backend> {
    match provider {
        "postgres" => Box::new(PostgresBackend::connect(PostgresOptions::url(url).unwrap()).await.unwrap()),
        _ => Box::new(MySqlBackend::connect(MySqlOptions::url(url).unwrap()).await.unwrap()),
    }
}
