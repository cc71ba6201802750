//! The drivers, by engine. The raw one comes first.

mod diesel_async_postgres;
mod diesel_sqlite;
mod isogloss_dao;
mod raw_postgres;
mod raw_sqlite;

use std::sync::Arc;

use isogloss::driver::Backend;
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};

use crate::work::{Contestant, Outcome};

/// A connection that makes and empties tables.
pub struct Server(Arc<dyn Backend>);

impl Server {
    pub async fn script(&self, sql: &str) -> Outcome<()> {
        Ok(self.0.connect().await?.script(sql).await?)
    }
}

pub async fn server(engine: &str, url: &str) -> Outcome<Server> {
    Ok(Server(match engine {
        "sqlite" => Arc::new(SqliteBackend::open(SqliteOptions::file(url)).await?),
        "postgres" => Arc::new(PostgresBackend::connect(PostgresOptions::url(url)?).await?),
        other => return Err(format!("no engine {other}").into()),
    }))
}

pub async fn all(engine: &str, url: &str) -> Outcome<Vec<Box<dyn Contestant>>> {
    let isogloss = Box::new(isogloss_dao::Isogloss::open(engine, url)?);
    Ok(if engine == "sqlite" {
        vec![Box::new(raw_sqlite::Rusqlite::open(url)?), isogloss, Box::new(diesel_sqlite::Diesel::open(url)?)]
    } else {
        vec![
            Box::new(raw_postgres::TokioPostgres::open(url, false).await?),
            Box::new(raw_postgres::TokioPostgres::open(url, true).await?),
            isogloss,
            Box::new(diesel_async_postgres::Diesel::open(url).await?),
        ]
    })
}
