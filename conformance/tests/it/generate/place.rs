//! Databases that Isogloss has not made, on each engine that is at hand.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use isogloss_driver::Backend;
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_sqlite::driver::{SqliteBackend, SqliteOptions};
use tempfile::TempDir;

use crate::generate::Outcome;

/// Databases of one process have different names, whatever tests run at once.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// An engine, and where it is.
#[derive(Debug, Clone)]
pub struct Engine {
    /// `sqlite`, `postgres` or `mysql`.
    pub name: &'static str,
    url: String,
}

/// SQLite, and the servers that the environment names.
pub fn engines() -> Vec<Engine> {
    let mut all = vec![Engine { name: "sqlite", url: String::new() }];
    for (name, variable) in [("postgres", "ISOGLOSS_POSTGRES_URL"), ("mysql", "ISOGLOSS_MYSQL_URL")] {
        all.extend(isogloss_testkit::servers::urls(variable).into_iter().map(|url| Engine { name, url }));
    }
    all
}

/// An empty database of its own, which is gone when it is dropped.
pub struct Place {
    pub engine: Engine,
    pub backend: Arc<dyn Backend>,
    /// Where a program finds it.
    pub url: String,
    name: String,
    /// That of SQLite's file and what it keeps beside it.
    folder: Option<TempDir>,
}

impl Place {
    pub async fn new(engine: &Engine, name: &str) -> Outcome<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gen_{}_{number}_{name}", std::process::id());
        let mut folder = None;
        let url = match engine.name {
            "sqlite" => {
                let own = tempfile::Builder::new().prefix("isogloss-").tempdir()?;
                let url = own.path().join(&name).display().to_string();
                folder = Some(own);
                url
            }
            _ => {
                run(&*open(engine.name, &engine.url).await?, &format!("CREATE DATABASE {name}")).await?;
                let (server, options) = engine.url.split_once('?').unwrap_or((&engine.url, ""));
                let (server, _) = server.rsplit_once('/').ok_or("a URL names a database")?;
                format!("{server}/{name}{}{options}", if options.is_empty() { "" } else { "?" })
            }
        };
        let backend = open(engine.name, &url).await?;
        Ok(Self { engine: engine.clone(), backend, url, name, folder })
    }

    /// Runs the statements of a file for several engines.
    pub async fn fill(&self, text: &str) -> Outcome {
        let mut connection = self.backend.connect().await?;
        for statement in self.spelled(text).split(";\n") {
            connection.script(statement).await.map_err(|error| format!("{error}: {statement}"))?;
        }
        connection.close();
        Ok(())
    }

    /// What the engine calls types, names and bytes.
    pub fn spelled(&self, text: &str) -> String {
        let words = match self.engine.name {
            "sqlite" => {
                ["INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER", "DATETIME", "BLOB", "DOUBLE", "REAL", "X'00ff10'"]
            }
            "postgres" => {
                ["SERIAL PRIMARY KEY", "INTEGER", "TIMESTAMP", "BYTEA", "DOUBLE PRECISION", "REAL", r"'\x00ff10'"]
            }
            _ => ["INT AUTO_INCREMENT PRIMARY KEY", "INT", "DATETIME", "LONGBLOB", "DOUBLE", "FLOAT", "X'00ff10'"],
        };
        let keys = ["{serial}", "{int}", "{datetime}", "{blob}", "{double}", "{float}", "{bytes}"];
        let text = keys.iter().zip(words).fold(text.to_owned(), |text, (key, word)| text.replace(key, word));
        if self.engine.name == "mysql" { text.replace('"', "`") } else { text }
    }

    /// How many rows a table has, as the engine counts them.
    pub async fn count(&self, schema: &str, table: &str) -> Outcome<i64> {
        use isogloss_driver::ConnectionExt as _;
        let quote = if self.engine.name == "mysql" { '`' } else { '"' };
        let sql = format!("SELECT COUNT(*) FROM {quote}{schema}{quote}.{quote}{table}{quote}");
        let mut connection = self.backend.connect().await?;
        let (count,): (i64,) = connection.fetch_one(&isogloss_driver::ddl::asked(sql, &[])).await?;
        Ok(count)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.folder.is_some() {
            return;
        }
        let force = if self.engine.name == "postgres" { " WITH (FORCE)" } else { "" };
        let (engine, sql) = (self.engine.clone(), format!("DROP DATABASE {}{force}", self.name));
        // The test's own runtime is not for waiting here, and may be ending by a panic.
        let ended = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async { run(&*open(engine.name, &engine.url).await?, &sql).await })
        });
        if let Ok(Err(error)) = ended.join() {
            println!("{} is left behind: {error}", self.name);
        }
    }
}

async fn open(engine: &str, url: &str) -> Outcome<Arc<dyn Backend>> {
    Ok(match engine {
        "sqlite" => Arc::new(SqliteBackend::open(SqliteOptions::file(url)).await?),
        "postgres" => Arc::new(PostgresBackend::connect(PostgresOptions::url(url)?).await?),
        _ => Arc::new(MySqlBackend::connect(MySqlOptions::url(url)?).await?),
    })
}

async fn run(backend: &dyn Backend, sql: &str) -> Outcome {
    Ok(backend.connect().await?.script(sql).await?)
}
