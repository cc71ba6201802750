//! A server, and how it is reached.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use isogloss_driver::{
    Error, ErrorKind, Isolation, PreparedBudget, Result, ServerDialect, TransactionOptions, first_connected,
};
use mysql_async::{Conn, DriverError, IoError, Opts, OptsBuilder};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::connecting;
use super::kill::Lane;
use super::line::Line;
use super::options::{MySqlOptions, TlsMode};
use crate::product::{Product, numbers};
use crate::{aurora_mysql, galera, vitess};

/// The server takes encrypted connections only.
const ENCRYPTED_ONLY: u16 = 3159;

/// For how long an address is tried alone. That covers the login, as the driver below takes no socket: a login that another one
/// overtakes counts as an error at the server.
const HEAD_START: Duration = Duration::from_secs(1);

/// A server, and how it is reached.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) options: MySqlOptions,
    plain: Opts,
    encrypted: Option<Opts>,
    /// It was seen to have no encryption.
    has_none: AtomicBool,
    pub(super) prepared: Arc<PreparedBudget>,
    /// The address that has answered last.
    answered: std::sync::Mutex<Option<IpAddr>>,
    /// Made when it is first needed.
    pub(super) lane: Mutex<Option<Lane>>,
}

impl Server {
    pub(super) fn new(options: MySqlOptions) -> Self {
        let (plain, encrypted) = (options.driver(None), options.encrypted());
        let name = options.pool.name.clone().unwrap_or_else(|| options.address());
        let prepared = PreparedBudget::new(&name, options.prepared_budget);
        Self {
            options,
            plain,
            encrypted,
            has_none: AtomicBool::new(false),
            prepared,
            answered: Default::default(),
            lane: Mutex::default(),
        }
    }

    pub(super) async fn dial(&self) -> Result<Line> {
        match timeout(self.options.pool.connect_timeout, self.reached()).await {
            Ok(connected) => connected.map(Line::new).map_err(connecting),
            Err(_) => {
                let message = format!("the server did not answer within {:?}", self.options.pool.connect_timeout);
                Err(Error::new(ErrorKind::Connect, message))
            }
        }
    }

    /// A connection to the first of the server's addresses that answers.
    async fn reached(&self) -> mysql_async::Result<Conn> {
        let options = &self.options;
        if options.socket.is_some() {
            return self.connected(None).await;
        }
        let found = tokio::net::lookup_host((options.host.as_str(), options.port)).await?;
        let mut found: Vec<SocketAddr> = found.collect();
        // The one that has answered before comes first.
        let answered = *self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        found.sort_by_key(|address| Some(address.ip()) != answered);
        let none = io::Error::new(io::ErrorKind::NotFound, "the name of the host has no address");
        let none: mysql_async::Error = none.into();
        let attempt = async |address: SocketAddr| match self.connected(Some(address.ip())).await {
            // The server answers, and refuses the login.
            Err(refused @ mysql_async::Error::Server(_)) => Ok((address, Err(refused))),
            connected => Ok((address, Ok(connected?))),
        };
        let reached = first_connected(found, HEAD_START, attempt).await.unwrap_or(Err(none));
        let (address, connected) = reached?;
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(address.ip());
        connected
    }

    async fn connected(&self, at: Option<IpAddr>) -> mysql_async::Result<Conn> {
        let dial = |options: &Opts| {
            let options = OptsBuilder::from_opts(options.clone()).resolved_ips(at.map(|at| vec![at]));
            Conn::new(options)
        };
        let Some(encrypted) = &self.encrypted else { return dial(&self.plain).await };
        // An error says that the program has chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let preferred = self.options.tls == TlsMode::Preferred;
        if !(preferred && self.has_none.load(Ordering::Relaxed)) {
            match dial(encrypted).await {
                Err(error) if preferred && is_without(&error) => self.has_none.store(true, Ordering::Relaxed),
                connected => return connected,
            }
        }
        match dial(&self.plain).await {
            Err(mysql_async::Error::Server(error)) if error.code == ENCRYPTED_ONLY => {
                self.has_none.store(false, Ordering::Relaxed);
                dial(encrypted).await
            }
            connected => connected,
        }
    }
}

/// Whether a server has no encryption, or none that is known here.
fn is_without(error: &mysql_async::Error) -> bool {
    match error {
        mysql_async::Error::Driver(DriverError::NoClientSslFlagFromServer)
        | mysql_async::Error::Io(IoError::Tls(_)) => true,
        mysql_async::Error::Io(IoError::Io(error)) => error.kind() == std::io::ErrorKind::InvalidData,
        _ => false,
    }
}

/// What a server says by its variables, where its version does not.
#[derive(Debug, Default)]
pub(super) struct Variables(Vec<(String, String)>);

impl Variables {
    /// Asks for them: those that a server has not are left out.
    pub(super) const ASKED: &str = "SHOW VARIABLES WHERE Variable_name IN ('version_comment', 'wsrep_on', \
                                    'wsrep_provider', 'aurora_version', 'memsql_version');";

    pub(super) fn add(&mut self, name: String, value: String) {
        self.0.push((name, value));
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Why the server is none of those that are known here, although it speaks as they do.
    pub(super) fn refused(&self) -> Option<Error> {
        let version = self.get("memsql_version")?;
        let message = format!(
            "the server is SingleStore {version}, which speaks as MySQL does and has neither savepoints nor other levels of \
             isolation than READ COMMITTED, and other functions for JSON: there is no dialect for it"
        );
        Some(Error::new(ErrorKind::Configuration, message))
    }
}

impl Product {
    /// That of a server, by its version and what else it says.
    pub(super) fn of(version: &str, variables: &Variables) -> Self {
        match Self::named(version) {
            Self::MariaDb(_)
                if variables.get("wsrep_on").is_some_and(|on| on == "ON" || on == "1")
                    && variables
                        .get("wsrep_provider")
                        .is_some_and(|library| !library.is_empty() && library != "none") =>
            {
                let (major, minor, _) = numbers(version);
                Self::Galera(galera(major, minor))
            }
            Self::MySql(base) => match variables.get("aurora_version") {
                Some(own) => {
                    let (major, minor, _) = numbers(own);
                    Self::Aurora(aurora_mysql(major, minor, base))
                }
                None => Self::MySql(base),
            },
            // `Version: 22.0.1 (Git revision ..)`
            Self::Vitess(by_mysql) => {
                let own = variables.get("version_comment").and_then(|comment| comment.strip_prefix("Version: "));
                Self::Vitess(own.map(numbers).filter(|own| own.0 > 0).map_or(by_mysql, |own| vitess(own.0)))
            }
            other => other,
        }
    }

    /// Its dialect.
    pub(super) fn dialect(self) -> Box<dyn ServerDialect> {
        match self {
            Self::MySql(dialect) => Box::new(dialect),
            Self::MariaDb(dialect) => Box::new(dialect),
            Self::Galera(dialect) => Box::new(dialect),
            Self::TiDb(dialect) => Box::new(dialect),
            Self::Vitess(dialect) => Box::new(dialect),
            Self::Aurora(dialect) => Box::new(dialect),
        }
    }

    /// Whether it is MariaDB, or a variant of it.
    pub(super) fn is_mariadb(self) -> bool {
        matches!(self, Self::MariaDb(_) | Self::Galera(_))
    }

    /// Whether the rows of an INSERT are numbered one by one, as InnoDB says of itself.
    pub(super) fn numbers_in_order(self) -> bool {
        matches!(self, Self::MySql(_) | Self::Aurora(_))
    }

    /// Whether it is a proxy that takes no file, and no default of a variable.
    pub(super) fn is_vitess(self) -> bool {
        matches!(self, Self::Vitess(_))
    }

    /// Whether a transaction can begin so.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for what it takes and does not keep, or does not take.
    pub(super) fn begins(self, options: &TransactionOptions) -> Result<()> {
        let serializable = options.isolation == Some(Isolation::Serializable);
        let message = match self {
            Self::Galera(_) if serializable => {
                "Galera keeps Isolation::Serializable within a node only: of two transactions at two nodes that each read what the \
                 other writes, both commit. Take Isolation::RepeatableRead, and update a row that both of them update"
            }
            Self::TiDb(_) if serializable => {
                "TiDB has no Isolation::Serializable: take Isolation::RepeatableRead, and lock what is read for update"
            }
            Self::TiDb(_) if options.read_only => {
                "TiDB has no transactions that only read: it refuses them, or lets them write. Leave `read_only` out"
            }
            Self::Vitess(_) if options.isolation.is_some() => {
                "Vitess sets the isolation of a whole session, and keeps it within a shard only: leave it out"
            }
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Configuration, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MariaDb, MySql};

    #[test]
    fn servers_are_told_apart_by_more_than_their_version() {
        let of = |version: &str, said: &[(&str, &str)]| {
            let mut variables = Variables::default();
            said.iter().for_each(|(name, value)| variables.add((*name).to_owned(), (*value).to_owned()));
            Product::of(version, &variables).dialect().label()
        };
        let maria = "10.11.19-MariaDB-0+deb12u1";
        assert_eq!(of(maria, &[("wsrep_on", "OFF"), ("wsrep_provider", "none")]), "mariadb 10.11");
        assert_eq!(of(maria, &[("wsrep_on", "ON"), ("wsrep_provider", "none")]), "mariadb 10.11");
        let library = "/usr/lib/galera/libgalera_smm.so";
        assert_eq!(of(maria, &[("wsrep_on", "ON"), ("wsrep_provider", library)]), "galera 10.11");
        assert_eq!(of(maria, &[("wsrep_on", "OFF"), ("wsrep_provider", library)]), "mariadb 10.11");
        assert_eq!(of("8.0.39", &[("aurora_version", "3.08.0")]), "aurora-mysql 3.8");
        assert_eq!(of("8.0.39", &[("version_comment", "MySQL Community Server - GPL")]), "mysql 8.0.39");
        assert_eq!(of("8.0.40-Vitess", &[]), "vitess 20");
        assert_eq!(
            of("8.0.40-Vitess", &[("version_comment", "Version: 22.0.1 (Git revision 1 branch '')")]),
            "vitess 22"
        );
        assert_eq!(of("8.0.11-TiDB-v8.5.1", &[]), "tidb 8.5");
    }

    #[test]
    fn a_server_without_a_dialect_is_refused_by_its_name() {
        let mut variables = Variables::default();
        assert!(variables.refused().is_none());
        variables.add("memsql_version".into(), "8.7.10".into());
        assert!(variables.refused().is_some_and(|error| error.message().contains("SingleStore 8.7.10")));
    }

    #[test]
    fn what_is_not_kept_is_not_begun() {
        let options = TransactionOptions::default();
        let serializable = options.isolation(Isolation::Serializable);
        let refused = |product: Product, options: &TransactionOptions| product.begins(options).is_err();
        let (galera, tidb) = (Product::Galera(galera(10, 11)), Product::TiDb(crate::tidb(8, 5)));
        let vitess = Product::Vitess(vitess(22));
        assert!(refused(galera, &serializable) && refused(tidb, &serializable) && refused(vitess, &serializable));
        assert!(!refused(galera, &options.read_only()) && refused(tidb, &options.read_only()));
        let repeatable = options.isolation(Isolation::RepeatableRead);
        assert!(!refused(galera, &repeatable) && !refused(tidb, &repeatable) && refused(vitess, &repeatable));
        for product in [Product::MySql(MySql::V8_4), Product::MariaDb(MariaDb::V10_11)] {
            assert!(!refused(product, &serializable.read_only()));
        }
    }
}
