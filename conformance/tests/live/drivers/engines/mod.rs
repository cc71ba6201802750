//! The engines that are at hand.

#[cfg(feature = "duckdb")]
mod duckdb;
mod mysql;
mod oracle;
mod postgres;
mod sqlite;
mod sqlserver;

use std::env;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::drivers::Outcome;
use crate::drivers::engine::Engine;

type Make = dyn Fn(String) -> BoxFuture<'static, Outcome<Arc<dyn Engine>>> + Send + Sync;

/// An engine: what the names of its tests begin with, and what makes an empty place of a name.
#[derive(Clone)]
pub struct Found {
    pub name: String,
    pub make: Arc<Make>,
}

/// What there is, and why what there is not is not.
pub fn all() -> Vec<Result<Found, String>> {
    let mut all = vec![Ok(found("sqlite", sqlite::Sqlite::make))];
    #[cfg(feature = "duckdb")]
    all.push(Ok(found("duckdb", duckdb::DuckDb::make)));
    #[cfg(not(feature = "duckdb"))]
    all.push(Err("duckdb: skipped, the feature `duckdb` is not there".to_owned()));
    all.extend(servers("postgres", postgres::Postgres::make));
    all.extend(servers("mysql", mysql::MySql::make));
    all.extend(servers("sqlserver", sqlserver::SqlServer::make));
    all.extend(servers("oracle", oracle::Oracle::make));
    all
}

fn found<F: Future<Output = Outcome<Arc<dyn Engine>>> + Send + 'static>(
    name: impl Into<String>,
    make: impl Fn(String) -> F + Send + Sync + 'static,
) -> Found {
    Found { name: name.into(), make: Arc::new(move |name| Box::pin(make(name))) }
}

/// The servers of an engine that the environment names.
fn servers<F: Future<Output = Outcome<Arc<dyn Engine>>> + Send + 'static>(
    engine: &str,
    make: fn(String, String) -> F,
) -> Vec<Result<Found, String>> {
    let variable = format!("ISOGLOSS_{}_URL", engine.to_uppercase());
    let given = env::var(&variable).unwrap_or_default();
    let urls: Vec<&str> = given.split(' ').filter(|url| !url.is_empty()).collect();
    if urls.is_empty() {
        return vec![Err(format!("{engine}: skipped, {variable} is not set"))];
    }
    let one = |url: &str| {
        // The port and the database, if the address says them. What stands before an `@` is nobody's to read.
        let place = url.rsplit_once('@').or_else(|| url.split_once("//")).map_or("", |(_, place)| place);
        let place = place.split_once('?').map_or(place, |(place, _)| place).to_owned();
        let url = url.to_owned();
        Ok(found(format!("{engine}@{place}"), move |name| make(url.clone(), name)))
    };
    urls.into_iter().map(one).collect()
}
