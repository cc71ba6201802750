//! An engine, with a database for one scenario.

use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked;
use isogloss::model::Catalog;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmContext};

use crate::Outcome;
use crate::rows::Row;

static NEXT: AtomicU32 = AtomicU32::new(0);

/// An empty database with the table of [`Row`].
pub struct Place {
    /// `sqlite`, `postgres` or `mysql`.
    pub provider: String,
    /// What the server calls itself.
    pub engine: String,
    /// The database, as a connection string.
    pub url: String,
    /// The server, as a connection string.
    server: String,
    /// The database's name.
    pub database: String,
}

impl Place {
    /// Makes a database.
    ///
    /// # Errors
    /// The server cannot be reached, or does not let the user make one.
    pub async fn make(provider: &str, server: &str) -> Outcome<Self> {
        let database = format!("isogloss_faults_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let url = match provider {
            "sqlite" => format!("{}?create=true", file(&database).display()),
            _ => {
                script(provider, server, &format!("CREATE DATABASE {database}")).await?;
                let (base, query) =
                    server.split_once('?').map_or((server, String::new()), |(b, q)| (b, format!("?{q}")));
                let base = base.rsplit_once('/').ok_or("a URL with a database")?.0;
                format!("{base}/{database}{query}")
            }
        };
        let mut place = Self {
            provider: provider.to_owned(),
            engine: provider.to_owned(),
            url,
            server: server.to_owned(),
            database,
        };
        let context = place.context(&place.url, |source| source)?;
        place.engine = context.data_source(None)?.target().await?.dialect().label();
        context.sync_table("Row", [""; 0]).await?;
        context.close();
        Ok(place)
    }

    /// Whether it is a server, which can be away.
    #[must_use]
    pub fn is_server(&self) -> bool {
        self.provider != "sqlite"
    }

    /// The file of SQLite.
    #[must_use]
    pub fn file(&self) -> PathBuf {
        file(&self.database)
    }

    /// A context over that URL.
    ///
    /// # Errors
    /// The source is not what a context takes.
    pub fn context(&self, url: &str, with: impl Fn(DataSourceConfig) -> DataSourceConfig) -> Outcome<OrmContext> {
        let context = OrmContext::new(Catalog::builder().entity::<Row>().build()?);
        context.add_data_source(with(DataSourceConfig::new("main", &*self.provider, url)), true)?;
        Ok(context)
    }

    /// Host and port of the server.
    ///
    /// # Errors
    /// The URL has none.
    pub fn address(&self) -> Outcome<String> {
        let (_, host, _) = self.around_host()?;
        let port = if self.provider == "mysql" { 3306 } else { 5432 };
        Ok(if host.contains(':') { host.to_owned() } else { format!("{host}:{port}") })
    }

    /// The URL of the database by way of another address.
    ///
    /// # Errors
    /// The URL has no address.
    pub fn by_way_of(&self, address: &str) -> Outcome<String> {
        let (before, _, behind) = self.around_host()?;
        Ok(format!("{before}{address}{behind}"))
    }

    /// The URL in three: what stands before the host with its port, that, and what stands behind.
    fn around_host(&self) -> Outcome<(&str, &str, &str)> {
        let start = self.url.find("://").ok_or("a URL")? + 3;
        let end = self.url[start..].find(['/', '?']).map_or(self.url.len(), |at| start + at);
        let start = self.url[start..end].rfind('@').map_or(start, |at| start + at + 1);
        Ok((&self.url[..start], &self.url[start..end], &self.url[end..]))
    }

    /// How many connections the server has open to the database, but for the one that asks.
    ///
    /// # Errors
    /// The server does not tell.
    pub async fn connections(&self) -> Outcome<i64> {
        let sql = match self.provider.as_str() {
            "postgres" => format!(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = '{}' AND pid <> pg_backend_pid()",
                self.database
            ),
            _ => format!(
                "SELECT count(*) FROM information_schema.processlist WHERE db = '{}' AND id <> connection_id()",
                self.database
            ),
        };
        let context = self.context(&self.server, |source| source.pool_size(1))?;
        let session = context.create_session()?;
        let mut lease = session.lease(None, Purpose::Write).await?;
        let statement = Compiled { sql, ..Compiled::default() };
        let rows = lease.fetch::<(i64,)>(&statement).await?;
        Ok(rows.first().map_or(0, |row| row.0))
    }

    /// Waits until the server has no connection to the database any more.
    ///
    /// # Errors
    /// One is left after ten seconds.
    pub async fn no_connections(&self) -> Outcome<()> {
        for _ in 0..100 {
            if self.connections().await? == 0 {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(format!("{} connections are left", self.connections().await?).into())
    }

    /// Takes it away.
    ///
    /// # Errors
    /// The server does not let it be taken away.
    pub async fn end(&self) -> Outcome<()> {
        if self.is_server() {
            let force = if self.provider == "postgres" { " WITH (FORCE)" } else { "" };
            return script(&self.provider, &self.server, &format!("DROP DATABASE {}{force}", self.database)).await;
        }
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{end}", self.file().display()));
        }
        Ok(())
    }
}

fn file(database: &str) -> PathBuf {
    env::temp_dir().join(format!("{database}.db"))
}

async fn script(provider: &str, url: &str, sql: &str) -> Outcome<()> {
    let context = OrmContext::new(Catalog::builder().build()?);
    context.add_data_source(DataSourceConfig::new("server", provider, url), true)?;
    let session = context.create_session()?;
    session.lease(None, Purpose::Write).await?.script(sql).await?;
    Ok(())
}
