//! An empty database on each engine that can be reached.

use std::env;
use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};

use isogloss::config::DataSourceConfig;
use isogloss::driver::Backend;
use isogloss::mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss::postgres::driver::{PostgresBackend, PostgresOptions};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// Runs a test on every engine. It is told what it is, and where the database is.
pub(crate) async fn each<F: Future<Output = ()>>(test: impl Fn(&'static str, DataSourceConfig) -> F) {
    let name = || format!("isogloss_writes_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let config = |provider: &str, url: &str| DataSourceConfig::new("main", provider, url).sync_table(true);
    let file = env::temp_dir().join(format!("{}.db", name()));
    test("sqlite", config("sqlite", &format!("{}?create=true", file.display()))).await;
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", file.display()));
    }
    for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
        for url in env::var(variable).unwrap_or_default().split_whitespace() {
            let name = name();
            let server: Box<dyn Backend> = match provider {
                "postgres" => Box::new(PostgresBackend::connect(PostgresOptions::url(url).unwrap()).await.unwrap()),
                _ => Box::new(MySqlBackend::connect(MySqlOptions::url(url).unwrap()).await.unwrap()),
            };
            let script = async |sql: String| server.connect().await.unwrap().script(&sql).await.unwrap();
            let (base, query) =
                url.split_once('?').map_or((url, String::new()), |(base, query)| (base, format!("?{query}")));
            let (server, _) = base.rsplit_once('/').unwrap();
            script(format!("CREATE DATABASE {name}")).await;
            test(provider, config(provider, &format!("{server}/{name}{query}"))).await;
            script(format!("DROP DATABASE {name}{}", if provider == "postgres" { " WITH (FORCE)" } else { "" })).await;
        }
    }
}
