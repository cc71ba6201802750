//! The drivers, by engine. The raw one comes first.

mod diesel_async_postgres;
mod diesel_sqlite;
mod isogloss_dao;
mod raw_mysql;
mod raw_postgres;
mod raw_sqlite;
mod related;

use std::sync::Arc;

use isogloss::driver::Backend;
use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};

use workload::dao::Workload;
use workload::{BoxFuture, Contestant, Outcome, Prepare};

/// A connection that makes and empties tables.
pub struct Server {
    backend: Arc<dyn Backend>,
    postgres: bool,
}

impl Server {
    pub async fn script(&self, sql: &str) -> Outcome<()> {
        Ok(self.backend.connect().await?.script(sql).await?)
    }
}

impl Prepare<Workload> for Server {
    fn before(&self, workload: Workload) -> BoxFuture<'_, Outcome<()>> {
        Box::pin(async move {
            let Some(before) = workload.before() else { return Ok(()) };
            self.script("DELETE FROM dao_fresh").await?;
            self.script("DELETE FROM dao_numbered").await?;
            self.script(&format!("INSERT INTO dao_fresh SELECT * FROM dao_orders WHERE {before}")).await?;
            if self.postgres { self.script("VACUUM dao_fresh, dao_numbered").await } else { Ok(()) }
        })
    }
}

pub async fn server(engine: &str, url: &str) -> Outcome<Server> {
    let backend: Arc<dyn Backend> = match engine {
        "sqlite" => Arc::new(SqliteBackend::open(SqliteOptions::file(url)).await?),
        "postgres" => Arc::new(PostgresBackend::connect(PostgresOptions::url(url)?).await?),
        "mysql" => Arc::new(MySqlBackend::connect(MySqlOptions::url(url)?).await?),
        other => return Err(format!("no engine {other}").into()),
    };
    Ok(Server { backend, postgres: engine == "postgres" })
}

pub async fn all(engine: &str, url: &str) -> Outcome<Vec<Box<dyn Contestant<Workload>>>> {
    let isogloss = Box::new(isogloss_dao::Isogloss::open(engine, url)?);
    Ok(match engine {
        "sqlite" => {
            vec![Box::new(raw_sqlite::Rusqlite::open(url)?), isogloss, Box::new(diesel_sqlite::Diesel::open(url)?)]
        }
        "mysql" => {
            // By the way that Isogloss takes: mysql_async would change to the server's socket by itself.
            let url = format!("{url}?prefer_socket=false");
            vec![
                Box::new(raw_mysql::MysqlAsync::open(&url, false).await?),
                Box::new(raw_mysql::MysqlAsync::open(&url, true).await?),
                isogloss,
            ]
        }
        _ => vec![
            Box::new(raw_postgres::TokioPostgres::open(url, false).await?),
            Box::new(raw_postgres::TokioPostgres::open(url, true).await?),
            isogloss,
            Box::new(diesel_async_postgres::Diesel::open(url).await?),
        ],
    })
}
