//! Databases of their own on the engines that are at hand: SQLite always, PostgreSQL and MySQL or MariaDB where
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name servers, with blanks between.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use futures_util::future::try_join_all;
use isogloss_driver::ddl::asked;
use isogloss_driver::introspect::{IntrospectOptions, SchemaReport, introspect};
use isogloss_driver::{AnyConnection, Backend, ConnectionExt as _};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use isogloss_testkit::servers;
use tempfile::TempDir;

pub type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// Opens what is at an address.
pub async fn open(url: &str) -> Outcome<Box<dyn Backend>> {
    Ok(match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("postgres") => Box::new(PostgresBackend::connect(PostgresOptions::url(url)?).await?),
        Some("mysql") => Box::new(MySqlBackend::connect(MySqlOptions::url(url)?).await?),
        _ => Box::new(SqliteBackend::open(SqliteOptions::url(url)?).await?),
    })
}

/// The engines at hand, each with the address that databases are made from: of SQLite, none.
pub fn engines() -> Vec<(String, Option<String>)> {
    let mut all = vec![("sqlite".to_owned(), None)];
    for (engine, urls) in [("postgres", servers::postgres()), ("mysql", servers::mysql())] {
        for url in urls {
            let place = url.rsplit_once('@').or_else(|| url.split_once("//")).map_or("", |(_, place)| place);
            all.push((format!("{engine}@{place}"), Some(url)));
        }
    }
    all
}

/// The engines that a test is for, of those at hand.
#[derive(Debug, Clone, Copy)]
pub enum Engines {
    All,
    /// All but SQLite.
    Servers,
    Postgres,
    /// MySQL and MariaDB.
    MySql,
}

impl Engines {
    fn have(self, engine: &str) -> bool {
        match self {
            Self::All => true,
            Self::Servers => engine != "sqlite",
            Self::Postgres => engine.starts_with("postgres"),
            Self::MySql => engine.starts_with("mysql"),
        }
    }
}

/// Runs a test on these engines at the same time, each with a database of its own.
pub async fn on_engines(which: Engines, test: impl AsyncFn(&str, &Place) -> Outcome) -> Outcome {
    let engines: Vec<_> = engines().into_iter().filter(|(engine, _)| which.have(engine)).collect();
    let runs = engines.iter().map(async |(engine, server)| {
        let place = Place::new(server.as_deref()).await?;
        test(engine, &place).await.map_err(|error| format!("{engine}: {error}").into())
    });
    try_join_all(runs).await.map(drop)
}

/// A database of its own, which is removed when it is dropped.
pub struct Place {
    pub url: String,
    kind: Kind,
}

enum Kind {
    File(#[expect(dead_code, reason = "the folder goes with it")] TempDir),
    Database { name: String, server: String },
}

impl Place {
    pub async fn new(server: Option<&str>) -> Outcome<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let Some(server) = server else {
            let folder = tempfile::tempdir()?;
            let url = format!("{}?create=true", folder.path().join("mig.db").display());
            return Ok(Self { url, kind: Kind::File(folder) });
        };
        let name = format!("mig_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let (address, options) = server.split_once('?').map_or((server, ""), |(address, options)| (address, options));
        let (host, _) = address.rsplit_once('/').ok_or("an address with a database")?;
        let mark = if options.is_empty() { "" } else { "?" };
        let url = format!("{host}/{name}{mark}{options}");
        // A process of the same id may have been killed before.
        drop_database(server, &name).await?;
        open(server).await?.connect().await?.script(&format!("CREATE DATABASE {name}")).await?;
        Ok(Self { url, kind: Kind::Database { name, server: server.to_owned() } })
    }

    /// Creates another database on the same server.
    pub async fn another(&self) -> Outcome<Self> {
        match &self.kind {
            Kind::File(_) => Self::new(None).await,
            Kind::Database { server, .. } => Self::new(Some(server)).await,
        }
    }

    /// Returns the name of the database; that of a file is `main`.
    pub fn name(&self) -> &str {
        match &self.kind {
            Kind::File(_) => "main",
            Kind::Database { name, .. } => name,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Kind::Database { name, server } = &self.kind else { return };
        // The thread of a test may be inside of its runtime.
        let dropped = thread::scope(|scope| scope.spawn(|| run_drop(server, name)).join());
        if !thread::panicking() {
            dropped.unwrap().unwrap();
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run_drop(server: &str, name: &str) -> Outcome {
    drop_database(server, name).await
}

/// Drops a database with the connections to it, which a killed process or a failed test may have left.
async fn drop_database(server: &str, name: &str) -> Outcome {
    let backend = open(server).await?;
    let mut connection = backend.connect().await?;
    if server.starts_with("postgres") {
        return Ok(connection.script(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?);
    }
    let others = format!("SELECT id FROM information_schema.processlist WHERE db = '{name}'");
    let others: Vec<(i64,)> = connection.fetch(&asked(others, &[])).await?;
    for (id,) in others {
        // It may have ended in the meantime.
        let _ = connection.script(&format!("KILL {id}")).await;
    }
    Ok(connection.script(&format!("DROP DATABASE IF EXISTS {name}")).await?)
}

/// The tables of a database but that of the history, without what changes by itself.
pub async fn tables(connection: &mut AnyConnection, backend: &dyn Backend) -> Outcome<SchemaReport> {
    let mut report = introspect(&mut **connection, backend.ddl(), &IntrospectOptions::default()).await?;
    report.tables.retain(|table| table.name != "isogloss_migrations");
    for table in &mut report.tables {
        table.estimated_rows = None;
    }
    Ok(report)
}
