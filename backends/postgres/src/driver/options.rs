//! Where a server is, and how it is spoken to.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use isogloss_driver::{Error, ErrorKind, Origin, PoolOptions, Result};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// How a PostgreSQL database is reached.
#[derive(Clone)]
#[non_exhaustive]
pub struct PostgresOptions {
    /// Hosts and their ports: the first that answers is taken. A host that begins with `/` is the folder of a socket.
    pub hosts: Vec<(String, u16)>,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Option<String>,
    /// The database; that of the user's name if absent.
    pub database: Option<String>,
    /// What the server's views call the program.
    pub application_name: Option<String>,
    /// Settings for the server's command line: `-c search_path=app`.
    pub settings: Option<String>,
    /// Whether the connection is encrypted, and the server has to show who it is.
    pub ssl: Ssl,
    /// A file of certificates in PEM whose holders may vouch for a server, in place of those that Mozilla trusts.
    ///
    /// With [`Ssl::Require`], they make that [`Ssl::VerifyCa`], as they do for libpq.
    pub root_certificates: Option<PathBuf>,
    /// Whether a pooler stands between that gives a session of the server to one program after the other: PgBouncer in its
    /// mode `transaction`, and its like.
    ///
    /// Then nothing is left in a session: statements are not kept prepared, a limit for statements outside of a transaction
    /// is that of our own clock, and what a session would keep (`SET`, `set_config(.., false)`, `LISTEN`, `PREPARE`, locks by
    /// `pg_advisory_lock`, temporary tables that outlive their transaction, `BEGIN`) is refused with
    /// [`ErrorKind::Configuration`], in scripts and in single statements. What a function or a `DO` block does inside is not
    /// looked at. Without it, the names of prepared statements are those of this process alone, so that a pooler that does
    /// not know of them makes errors, not wrong rows. Statements that are sent before the one before is answered, as those of
    /// `execute_many`, are in a transaction: all or none.
    ///
    /// `TimeZone`, `DateStyle` and `standard_conforming_strings` go with the login, and the pooler keeps them for the program, as
    /// PgBouncer does. `IntervalStyle` and `extra_float_digits` have to be the server's defaults, and [`settings`](Self::settings)
    /// have to be empty: what the user's sessions need is set by `ALTER ROLE`. PgBouncer is of version 1.18 or later: earlier
    /// ones may cancel the statement of somebody else.
    pub pooled: bool,
    /// The pool.
    pub pool: PoolOptions,
}

/// Whether a connection is encrypted: the values of `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Ssl {
    /// It is not.
    Disable,
    /// If the server can. Who the server is nobody checks.
    #[default]
    Prefer,
    /// It is. Who the server is nobody checks, unless there are [root certificates](PostgresOptions::root_certificates).
    Require,
    /// It is, and somebody vouches for the server, whatever its name is: `verify-ca`.
    VerifyCa,
    /// It is, and the server's certificate is checked, with the name of the host: `verify-full`.
    Verify,
}

/// The parameters of a URL that are known; the others might be meant to change what they do not.
const PARAMETERS: [&str; 11] = [
    "sslmode",
    "sslrootcert",
    "application_name",
    "options",
    "host",
    "pooled",
    "connect_timeout",
    "statement_timeout",
    "grace",
    "pool_wait",
    "max_lifetime",
];

impl PostgresOptions {
    /// A server on a host, for a user.
    pub fn new(host: impl Into<String>, user: impl Into<String>) -> Self {
        Self {
            hosts: vec![(host.into(), 5432)],
            user: user.into(),
            password: None,
            database: None,
            application_name: None,
            settings: None,
            ssl: Ssl::default(),
            root_certificates: None,
            pooled: false,
            pool: PoolOptions::default(),
        }
    }

    /// Reads a URL: `postgres://user:password@host:5432/database?sslmode=verify-full&sslrootcert=ca.pem`.
    ///
    /// Of libpq's parameters it knows `sslmode`, `sslrootcert`, `application_name`, `options`, `connect_timeout`, and
    /// `host` for the folder of a socket; beside them `statement_timeout`, `grace`, `pool_wait` and `max_lifetime`, as
    /// [`PoolOptions::read`] has them, and `pooled=true` for a server [behind a pooler](Self::pooled).
    ///
    /// # Errors
    /// What is no such URL, and a parameter that it does not know.
    pub fn url(url: &str) -> Result<Self> {
        let bad = |why: String| Error::new(ErrorKind::Configuration, format!("the URL of PostgreSQL: {why}"));
        let (mut ssl, mut root_certificates, mut pool) = (Ssl::default(), None, PoolOptions::default());
        let mut pooled = false;
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let mut rest = String::from(place);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", mode)) => {
                    ssl = match mode {
                        "disable" => Ssl::Disable,
                        "allow" | "prefer" => Ssl::Prefer,
                        "require" => Ssl::Require,
                        "verify-ca" => Ssl::VerifyCa,
                        "verify-full" => Ssl::Verify,
                        _ => {
                            let known = "disable, prefer, require, verify-ca or verify-full";
                            return Err(bad(format!("that is no sslmode: say {known}")));
                        }
                    }
                }
                Some(("pooled", told)) => {
                    pooled = told.parse().map_err(|_| bad("`pooled` is `true` or `false`".into()))?;
                }
                Some(("sslrootcert", path)) => root_certificates = Some(PathBuf::from(path)),
                Some((name, value)) if pool.read(name, value)? => {}
                _ => {
                    rest.push(if rest.len() == place.len() { '?' } else { '&' });
                    rest.push_str(pair);
                }
            }
        }
        if !(place.starts_with("postgres://") || place.starts_with("postgresql://")) {
            return Err(bad("it begins with postgres://".into()));
        }
        // Behind the user and the password there is one `@`, and none behind the hosts: what a password has beyond a `/`, `?` or
        // `#` would be taken for a name, and shown as one.
        let rest_of_url = url.split_once("://").map_or(url, |(_, rest)| rest);
        let (authority, behind) = rest_of_url.split_at(rest_of_url.find(['/', '?', '#']).unwrap_or(rest_of_url.len()));
        if authority.matches('@').count() > 1 || behind.contains(['@', '#']) {
            let why = "`/`, `?`, `#` and `@` in a user or password are written `%2F`, `%3F`, `%23` and `%40`";
            return Err(bad(why.into()));
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let name = pair.split('=').next().unwrap_or_default();
            if !PARAMETERS.contains(&name) {
                let shown = if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') { name } else { "?" };
                return Err(bad(format!("`{shown}` is no parameter of it: {} are", PARAMETERS.join(", "))));
            }
        }
        // What the parser says may have parts of the URL in it, but not the password.
        let config = Config::from_str(&rest).map_err(|found| bad(found.to_string()))?;
        let ports = config.get_ports();
        let port = |index: usize| ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        let hosts: Vec<(String, u16)> =
            config.get_hosts().iter().map(name).zip(0..).map(|(h, i)| (h, port(i))).collect();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let defaults = Self::new("localhost", config.get_user().unwrap_or("postgres"));
        Ok(Self {
            hosts: if hosts.is_empty() { defaults.hosts } else { hosts },
            password: config.get_password().map(text),
            database: config.get_dbname().map(str::to_owned),
            application_name: config.get_application_name().map(str::to_owned),
            settings: config.get_options().map(str::to_owned),
            ssl,
            root_certificates,
            pooled,
            pool,
            ..defaults
        })
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// What the protocol's library needs to know. The encryption is done before that.
    pub(super) fn config(&self) -> Config {
        let mut config = Config::new();
        config.user(&self.user).ssl_mode(SslMode::Disable);
        config.dbname(self.database.as_deref().unwrap_or(&self.user));
        if let Some(password) = &self.password {
            config.password(password);
        }
        if let Some(name) = &self.application_name {
            config.application_name(name);
        }
        if let Some(settings) = &self.settings {
            config.options(settings);
        }
        config
    }

    pub(super) fn origin(&self) -> Origin {
        let origin = Origin::new("postgresql").namespace(self.database.as_deref().unwrap_or(&self.user));
        match self.hosts.first() {
            Some((host, port)) => origin.server(host, *port),
            None => origin,
        }
    }
}

fn name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(folder) => folder.to_string_lossy().into_owned(),
    }
}

/// Without the password.
impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("hosts", &self.hosts)
            .field("user", &self.user)
            .field("database", &self.database)
            .field("ssl", &self.ssl)
            .field("pooled", &self.pooled)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read() -> Result<()> {
        let options = PostgresOptions::url(
            "postgres://ann:p%40ss@db1:5433,db2:5434/shop?sslmode=verify-full&application_name=till&sslrootcert=/ca.pem",
        )?;
        assert_eq!(options.hosts, [("db1".to_owned(), 5433), ("db2".to_owned(), 5434)]);
        assert_eq!((options.user.as_str(), options.password.as_deref()), ("ann", Some("p@ss")));
        assert_eq!((options.database.as_deref(), options.ssl), (Some("shop"), Ssl::Verify));
        assert_eq!(options.application_name.as_deref(), Some("till"));
        assert_eq!(options.root_certificates, Some(PathBuf::from("/ca.pem")));
        assert!(!format!("{options:?}").contains("p@ss"));
        let pooled = PostgresOptions::url("postgres://ann@localhost/shop?pooled=true&sslmode=verify-ca")?;
        assert_eq!((pooled.pooled, pooled.ssl), (true, Ssl::VerifyCa));
        let plain = PostgresOptions::url("postgresql://ann@localhost?pooled=false")?;
        assert!(!plain.pooled);
        assert_eq!((plain.hosts.as_slice(), plain.ssl), (&[("localhost".to_owned(), 5432)][..], Ssl::Prefer));
        let socket = PostgresOptions::url("postgres://ann@%2Frun%2Fpostgresql/shop")?;
        assert_eq!(socket.hosts, [("/run/postgresql".to_owned(), 5432)]);
        Ok(())
    }

    #[test]
    fn the_times_of_the_pool_are_read() -> Result<()> {
        let times = PoolOptions::PARAMETERS.map(|name| format!("{name}=1500ms"));
        let pool = PostgresOptions::url(&format!("postgres://h/d?{}", times.join("&")))?.pool;
        let time = std::time::Duration::from_millis(1500);
        assert_eq!(
            (pool.connect_timeout, pool.statement_timeout, pool.grace, pool.wait, pool.max_lifetime),
            (time, Some(time), time, time, time)
        );
        Ok(())
    }

    #[test]
    fn what_is_no_url_is_told_without_the_password() {
        for url in [
            "mysql://a:secret@h/d",
            "postgres://a:secret@h/d?sslmode=perhaps",
            "postgres://a:secret@h/d?colour=red",
            "postgres://a:p@secret@h/d",
            "postgres://a:x?sslmode=secret@h/d",
            "postgres://a:b?secret@h/d",
            "postgres://a:secret@h/d?pooled=maybe",
            "postgres://a:p/x@secret@h/d",
            "postgres://a:1/secret@h/d",
            "postgres://a:p/secret@h/d",
            "postgres://a:p@1/secret@h/d",
            "postgres://a:p#secret@h/d",
            "postgres://a:1#secret@h/d",
            "postgres://a:1#secret",
            "postgres://a:1?host=secret@h/d",
            "postgres://a:1?application_name=secret@h/d",
            "postgresql://a:1/secret?pooled=true@h/d",
        ] {
            let error = PostgresOptions::url(url).expect_err(url);
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(!format!("{error} {error:?}").contains("secret"), "{url}: {error:?}");
        }
        let error = PostgresOptions::url("postgres://a@h/d?sslmod=require").unwrap_err();
        assert!(error.to_string().contains("`sslmod`"), "{error}");
    }
}
