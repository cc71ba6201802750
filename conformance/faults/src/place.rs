//! An engine, with a database for one scenario.

use std::env;
use std::path::PathBuf;

use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked;
use isogloss::model::Catalog;
use isogloss::session::Purpose;
use isogloss::{Compiled, OrmContext};

use crate::rows::Row;
use crate::servers::{self, Database};
use crate::{Outcome, settled};

/// An empty database with the table of [`Row`].
pub struct Place {
    /// `sqlite`, `postgres` or `mysql`.
    pub provider: String,
    /// What the server calls itself.
    pub engine: String,
    /// The database, as a connection string.
    pub url: String,
    /// There on a server.
    database: Option<Database>,
    /// The database's name, which nothing else here has.
    pub name: String,
}

impl Place {
    /// Makes a database.
    ///
    /// # Errors
    /// The server cannot be reached, or does not let the user make one.
    pub async fn make(provider: &str, server: &str) -> Outcome<Self> {
        let prefix = "isogloss_faults";
        let (database, name, url) = match provider {
            "sqlite" => {
                let name = servers::name(prefix);
                let url = format!("{}?create=true", file(&name).display());
                (None, name, url)
            }
            _ => {
                let made = Database::make(prefix, provider, server).await?;
                let (name, url) = (made.name.clone(), made.url.clone());
                (Some(made), name, url)
            }
        };
        let mut place = Self { provider: provider.to_owned(), engine: provider.to_owned(), url, database, name };
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
        file(&self.name)
    }

    /// A context over that URL.
    ///
    /// # Errors
    /// The source is not what a context takes.
    pub fn context(&self, url: &str, with: impl Fn(DataSourceConfig) -> DataSourceConfig) -> Outcome<OrmContext> {
        let context = OrmContext::new(Catalog::builder().entity::<Row>().build()?);
        context.add_data_source(with(DataSourceConfig::new("main", &*self.provider, url)))?;
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

    /// The user that the URL names, and the password.
    ///
    /// # Errors
    /// The URL names none.
    pub fn user(&self) -> Outcome<(&str, Option<&str>)> {
        let (before, ..) = self.around_host()?;
        let (_, user) = before.split_once("://").ok_or("a URL")?;
        let user = user.strip_suffix('@').ok_or("a URL with a user")?;
        Ok(user.split_once(':').map_or((user, None), |(user, password)| (user, Some(password))))
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
        self.those(match self.provider.as_str() {
            "postgres" => "pg_stat_activity WHERE pid <> pg_backend_pid() AND datname",
            _ => "information_schema.processlist WHERE id <> connection_id() AND db",
        })
        .await
    }

    /// Ends all connections to the database, and waits until they are gone. Gives how many there were.
    ///
    /// # Errors
    /// The server does not end them.
    pub async fn end_connections(&self) -> Outcome<usize> {
        let name = &self.name;
        let (list, end) = match self.provider.as_str() {
            "postgres" => (
                format!("SELECT pid::bigint FROM pg_stat_activity WHERE datname = '{name}'"),
                "SELECT pg_terminate_backend(",
            ),
            _ => (format!("SELECT id FROM information_schema.processlist WHERE db = '{name}'"), "KILL ("),
        };
        let server = self.database.as_ref().map_or(&self.url, |database| &database.server);
        let context = self.context(server, |source| source.pool_size(1))?;
        let session = context.create_session()?;
        let mut lease = session.lease(None, Purpose::Write).await?;
        let there = lease.fetch::<(i64,)>(&Compiled { sql: list, ..Compiled::default() }).await?;
        for (id,) in &there {
            lease.script(&format!("{end}{id})")).await?;
        }
        drop(lease);
        self.no_connections().await?;
        Ok(there.len())
    }

    /// How many rows of that source of the server's tell of the database.
    async fn those(&self, source: &str) -> Outcome<i64> {
        let sql = format!("SELECT count(*) FROM {source} = '{}'", self.name);
        let server = self.database.as_ref().map_or(&self.url, |database| &database.server);
        let context = self.context(server, |source| source.pool_size(1))?;
        let session = context.create_session()?;
        let mut lease = session.lease(None, Purpose::Write).await?;
        let statement = Compiled { sql, ..Compiled::default() };
        let rows = lease.fetch::<(i64,)>(&statement).await?;
        Ok(rows.first().map_or(0, |row| row.0))
    }

    /// Waits until the server has no connection to the database any more.
    ///
    /// # Errors
    /// One is left after [`HANG`](crate::HANG).
    pub async fn no_connections(&self) -> Outcome<()> {
        settled(|| async {
            match self.connections().await? {
                0 => Ok(()),
                left => Err(format!("{left} connections are left").into()),
            }
        })
        .await
    }

    /// Waits until no session of PostgreSQL has anything under way in the database.
    ///
    /// # Errors
    /// One still has after [`HANG`](crate::HANG).
    pub async fn nothing_at_work(&self) -> Outcome<()> {
        let busy = "pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() AND datname";
        settled(|| async {
            match self.those(busy).await? {
                0 => Ok(()),
                left => Err(format!("{left} sessions are left at work").into()),
            }
        })
        .await
    }

    /// Takes it away.
    ///
    /// # Errors
    /// The server does not let it be taken away.
    pub async fn end(&self) -> Outcome<()> {
        if let Some(database) = &self.database {
            return database.end().await;
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
