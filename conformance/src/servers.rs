//! The engines that the environment names, and databases that are made there and taken away. The programs beside this one
//! that break and attack things include it.

use std::env;
use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};

use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::model::Catalog;
use isogloss::session::Purpose;

static NEXT: AtomicU32 = AtomicU32::new(0);

type ServerResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// An engine as the command line has it: `sqlite`, or a provider and a URL.
#[must_use]
pub fn engine(text: &str) -> (String, String) {
    let (provider, url) = text.split_once('=').unwrap_or((text, ""));
    (provider.to_owned(), url.to_owned())
}

/// SQLite, and the servers of `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL`, several of which are parted by blanks.
#[must_use]
pub fn engines() -> Vec<(String, String)> {
    let mut engines = vec![engine("sqlite")];
    for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
        let urls = env::var(variable).unwrap_or_default();
        if urls.trim().is_empty() {
            println!("skipped: no {variable}");
        }
        engines.extend(urls.split_whitespace().map(|url| (provider.to_owned(), url.to_owned())));
    }
    engines
}

/// A database on a server.
#[derive(Debug)]
pub struct Database {
    /// Its name.
    pub name: String,
    /// It, as a connection string.
    pub url: String,
    provider: String,
    /// The server, as a connection string.
    pub server: String,
}

impl Database {
    /// Makes an empty one, whose name begins like that.
    ///
    /// # Errors
    /// The server cannot be reached, or does not let the user make one.
    pub async fn make(prefix: &str, provider: &str, server: &str) -> ServerResult<Self> {
        let name = name(prefix);
        // A process of the same id may have been killed before.
        script(provider, server, &format!("DROP DATABASE IF EXISTS {name}")).await?;
        script(provider, server, &format!("CREATE DATABASE {name}")).await?;
        let (base, query) = server.split_once('?').map_or((server, String::new()), |(b, q)| (b, format!("?{q}")));
        let base = base.rsplit_once('/').ok_or("a URL with a database")?.0;
        let url = format!("{base}/{name}{query}");
        Ok(Self { name, url, provider: provider.to_owned(), server: server.to_owned() })
    }

    /// Takes it away.
    ///
    /// # Errors
    /// The server does not let it be taken away.
    pub async fn end(&self) -> ServerResult<()> {
        let force = if self.provider == "postgres" { " WITH (FORCE)" } else { "" };
        script(&self.provider, &self.server, &format!("DROP DATABASE {}{force}", self.name)).await
    }
}

/// A name for a database that no other has.
pub fn name(prefix: &str) -> String {
    format!("{prefix}_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

async fn script(provider: &str, url: &str, sql: &str) -> ServerResult<()> {
    let context = OrmContext::new(Catalog::builder().build()?);
    context.add_data_source(DataSourceConfig::new("server", provider, url))?;
    context.create_session()?.lease(None, Purpose::Write).await?.script(sql).await?;
    Ok(())
}
