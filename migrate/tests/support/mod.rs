//! Databases of their own on the engines that are at hand: SQLite always, PostgreSQL and MySQL or MariaDB where
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name servers, with blanks between.

#![allow(dead_code, unreachable_pub, reason = "each test uses some of it")]

use std::env;
use std::error::Error;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

use isogloss_driver::introspect::{IntrospectOptions, SchemaReport, introspect};
use isogloss_driver::{AnyConnection, Backend};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};

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
    for engine in ["postgres", "mysql"] {
        let variable = format!("ISOGLOSS_{}_URL", engine.to_uppercase());
        let urls = env::var(&variable).unwrap_or_default();
        let before = all.len();
        for url in urls.split(' ').filter(|url| !url.is_empty()) {
            let place = url.rsplit_once('@').or_else(|| url.split_once("//")).map_or("", |(_, place)| place);
            all.push((format!("{engine}@{place}"), Some(url.to_owned())));
        }
        if all.len() == before {
            eprintln!("{engine}: skipped, {variable} is not set");
        }
    }
    all
}

/// A database of its own, which is gone with it.
pub struct Place {
    pub url: String,
    name: String,
    server: Option<String>,
}

impl Place {
    pub async fn new(server: Option<&str>) -> Outcome<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("mig_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let Some(server) = server else {
            let file = env::temp_dir().join(format!("{name}.db"));
            return Ok(Self { url: format!("{}?create=true", file.display()), name, server: None });
        };
        admin(server, &format!("CREATE DATABASE {name}")).await?;
        let (address, options) = server.split_once('?').map_or((server, ""), |(address, options)| (address, options));
        let (host, _) = address.rsplit_once('/').ok_or("an address with a database")?;
        let mark = if options.is_empty() { "" } else { "?" };
        Ok(Self { url: format!("{host}/{name}{mark}{options}"), name, server: Some(server.to_owned()) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub async fn end(self) -> Outcome {
        match &self.server {
            Some(server) => admin(server, &format!("DROP DATABASE {}", self.name)).await,
            None => {
                for end in ["", "-wal", "-shm"] {
                    let _ = fs::remove_file(env::temp_dir().join(format!("{}.db{end}", self.name)));
                }
                Ok(())
            }
        }
    }
}

async fn admin(server: &str, sql: &str) -> Outcome {
    let backend = open(server).await?;
    // What a killed process has left may take a moment to go.
    let mut tries = 0;
    loop {
        match backend.connect().await?.script(sql).await {
            Ok(()) => return Ok(()),
            Err(error) if tries > 50 => return Err(error.into()),
            Err(_) => tries += 1,
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
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
