//! The drivers of this program, by engine. The raw one comes first.

mod diesel_async_both;
mod diesel_sqlite;
mod isogloss;
mod raw_mysql;
mod raw_postgres;
mod raw_sqlite;

use std::sync::Arc;

use isogloss_driver::{Backend, PoolOptions};
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use workload::{BoxFuture, Contestant, Outcome, POOL, Prepare, Workload};

/// A connection that makes and empties tables.
pub struct Server {
    backend: Arc<dyn Backend>,
    empty: &'static str,
}

impl Server {
    pub async fn script(&self, sql: &str) -> Outcome<()> {
        Ok(self.backend.connect().await?.script(sql).await?)
    }
}

impl Prepare<Workload> for Server {
    fn before(&self, workload: Workload) -> BoxFuture<'_, Outcome<()>> {
        Box::pin(async move { if workload.writes() { self.script(self.empty).await } else { Ok(()) } })
    }
}

async fn backend(engine: &str, url: &str) -> Outcome<Arc<dyn Backend>> {
    let mut pool = PoolOptions::default();
    (pool.cached, pool.max) = (POOL as u32, POOL as u32);
    Ok(match engine {
        "sqlite" => Arc::new(SqliteBackend::open(SqliteOptions::file(url).pool(pool)).await?),
        "postgres" => Arc::new(PostgresBackend::connect(PostgresOptions::url(url)?.pool(pool)).await?),
        "mysql" => Arc::new(MySqlBackend::connect(MySqlOptions::url(url)?.pool(pool)).await?),
        other => return Err(format!("no engine {other}").into()),
    })
}

pub async fn server(engine: &str, url: &str) -> Outcome<Server> {
    let empty = if engine == "sqlite" { "DELETE FROM fresh" } else { "TRUNCATE TABLE fresh" };
    Ok(Server { backend: backend(engine, url).await?, empty })
}

pub async fn all(engine: &str, url: &str) -> Outcome<Vec<Box<dyn Contestant>>> {
    let mut all: Vec<Box<dyn Contestant>> = match engine {
        "sqlite" => vec![Box::new(raw_sqlite::Rusqlite::open(url)?), Box::new(diesel_sqlite::Diesel::open(url)?)],
        "postgres" => vec![
            Box::new(raw_postgres::TokioPostgres::open(url).await?),
            Box::new(diesel_async_both::OnPostgres::open(url).await?),
        ],
        _ => {
            // By the way that the others take: mysql_async would change to the server's socket by itself.
            let url = format!("{url}?prefer_socket=false");
            vec![
                Box::new(raw_mysql::MysqlAsync::open(&url).await?),
                Box::new(diesel_async_both::OnMysql::open(&url).await?),
            ]
        }
    };
    let backend = backend(engine, url).await?;
    all.insert(1, Box::new(isogloss::Isogloss::new(Arc::clone(&backend), false)?));
    all.insert(2, Box::new(isogloss::Isogloss::new(backend, true)?));
    Ok(all)
}
