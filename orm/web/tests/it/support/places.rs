//! An empty database on each engine that can be reached.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use futures_util::future::join_all;
use isogloss::Compiled;
use isogloss::config::DataSourceConfig;
use isogloss::driver::{Backend, ConnectionExt as _};
use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_testkit::servers;
use tempfile::TempDir;

/// Runs a test on all engines at the same time. It is told what each is, and where its database is.
pub(crate) async fn each<F: Future<Output = ()>>(test: impl Fn(&'static str, DataSourceConfig) -> F) {
    let mut places = vec![Place::file()];
    for (provider, urls) in [("postgres", servers::postgres()), ("mysql", servers::mysql())] {
        for url in urls {
            places.push(Place::on(provider, url).await);
        }
    }
    join_all(places.iter().map(|place| test(place.provider, place.config()))).await;
}

/// A database, which is removed when it is dropped.
struct Place {
    provider: &'static str,
    url: String,
    kind: Kind,
}

enum Kind {
    File(#[expect(dead_code, reason = "the folder goes with it")] TempDir),
    Database { name: String, server: String },
}

impl Place {
    fn file() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("{}?create=true", folder.path().join("writes.db").display());
        Self { provider: "sqlite", url, kind: Kind::File(folder) }
    }

    async fn on(provider: &'static str, server: String) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("isogloss_writes_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let (base, query) =
            server.split_once('?').map_or((&*server, String::new()), |(base, query)| (base, format!("?{query}")));
        let (host, _) = base.rsplit_once('/').unwrap();
        let url = format!("{host}/{name}{query}");
        let create = format!("CREATE DATABASE {name}");
        open(provider, &server).await.connect().await.unwrap().script(&create).await.unwrap();
        Self { provider, url, kind: Kind::Database { name, server } }
    }

    fn config(&self) -> DataSourceConfig {
        DataSourceConfig::new("main", self.provider, &self.url).sync_table(true)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Kind::Database { name, server } = &self.kind else { return };
        // The thread of a test may be inside of its runtime.
        let dropped = thread::scope(|scope| scope.spawn(|| drop_database(self.provider, server, name)).join());
        if !thread::panicking() {
            dropped.unwrap();
        }
    }
}

/// Drops a database with the connections to it, which a failed test may have left.
#[tokio::main(flavor = "current_thread")]
async fn drop_database(provider: &str, server: &str, name: &str) {
    let backend = open(provider, server).await;
    let mut connection = backend.connect().await.unwrap();
    if provider == "postgres" {
        connection.script(&format!("DROP DATABASE {name} WITH (FORCE)")).await.unwrap();
        return;
    }
    let sql = format!("SELECT id FROM information_schema.processlist WHERE db = '{name}'");
    let others: Vec<(i64,)> = connection.fetch(&Compiled { sql, ..Compiled::default() }).await.unwrap();
    for (id,) in others {
        // It may have ended in the meantime.
        let _ = connection.script(&format!("KILL {id}")).await;
    }
    connection.script(&format!("DROP DATABASE {name}")).await.unwrap();
}

async fn open(provider: &str, url: &str) -> Box<dyn Backend> {
    match provider {
        "postgres" => Box::new(PostgresBackend::connect(PostgresOptions::url(url).unwrap()).await.unwrap()),
        _ => Box::new(MySqlBackend::connect(MySqlOptions::url(url).unwrap()).await.unwrap()),
    }
}
