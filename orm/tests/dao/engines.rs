//! Every engine that can be reached, each with a database of its own.

#![allow(clippy::print_stdout, reason = "it says which engines are tested")]

use std::env;
use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use isogloss::config::DataSourceConfig;
use isogloss::driver::Backend;
use isogloss::model::Catalog;
use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss::{OrmContext, Session};

/// Databases of one process have different names.
static NEXT: AtomicU32 = AtomicU32::new(0);

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
        context.add_data_source(source, true).unwrap();
        context
    }

    /// A context over it whose tables are made at their first use, and whose operations wait so long for others.
    pub(crate) async fn waiting(&self, catalog: Catalog, wait: Duration) -> OrmContext {
        let context = OrmContext::builder().catalog(catalog).lease_wait(wait).build().await.unwrap();
        let source = DataSourceConfig::new("main", self.provider, &self.url).sync_table(true);
        context.add_data_source(source, true).unwrap();
        context
    }
}

/// Runs a test on every engine, in a database that is empty.
pub(crate) async fn each_place<F: Future<Output = ()>>(test: impl Fn(Place) -> F) {
    let name = || format!("isogloss_dao_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    println!("sqlite");
    let file: PathBuf = env::temp_dir().join(format!("{}.db", name()));
    test(Place { provider: "sqlite", url: format!("{}?create=true", file.display()) }).await;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
        let Ok(urls) = env::var(variable) else {
            println!("skipped: no {variable}");
            continue;
        };
        for url in urls.split_whitespace() {
            let name = name();
            let server = server(provider, url).await;
            println!("{}", server.dialect().label());
            let options = if provider == "mysql" { " CHARACTER SET utf8mb4" } else { "" };
            server.connect().await.unwrap().script(&format!("CREATE DATABASE {name}{options}")).await.unwrap();
            let (base, query) = url.split_once('?').unwrap_or((url, ""));
            let base = base.rsplit_once('/').unwrap().0;
            let url = if query.is_empty() { format!("{base}/{name}") } else { format!("{base}/{name}?{query}") };
            test(Place { provider, url }).await;
            let force = if provider == "postgres" { " WITH (FORCE)" } else { "" };
            server.connect().await.unwrap().script(&format!("DROP DATABASE {name}{force}")).await.unwrap();
        }
    }
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

async fn server(provider: &str, url: &str) -> Box<dyn Backend> {
    match provider {
        "postgres" => Box::new(PostgresBackend::connect(PostgresOptions::url(url).unwrap()).await.unwrap()),
        _ => Box::new(MySqlBackend::connect(MySqlOptions::url(url).unwrap()).await.unwrap()),
    }
}
