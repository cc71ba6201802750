//! Where a server is, and how it is spoken to.

use std::fmt;
use std::path::PathBuf;

use isogloss_driver::{Error, ErrorKind, PoolOptions, Result};
use mysql_async::{Opts, OptsBuilder, SslOpts};

/// Where a server is, and how it is spoken to.
#[derive(Clone)]
#[non_exhaustive]
pub struct MySqlOptions {
    /// The name or address of its machine.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Its socket on this machine, in place of the host and port.
    pub socket: Option<PathBuf>,
    /// Who asks.
    pub user: Option<String>,
    /// The user's password. `Debug` does not show it.
    pub password: Option<String>,
    /// The database that unqualified names are of.
    pub database: Option<String>,
    /// How the connection is encrypted; not at all if absent.
    pub tls: Option<Tls>,
    /// The pool.
    pub pool: PoolOptions,
}

/// How a connection is encrypted, and what the server has to show.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tls {
    /// Files of certificates that are trusted, in PEM or DER, besides those that browsers trust.
    pub roots: Vec<PathBuf>,
    /// Whether the server's certificate has to come from one that is trusted.
    pub verify: bool,
    /// Whether it has to be for the name of the host.
    pub verify_host: bool,
}

impl Default for Tls {
    /// All is verified, with what browsers trust.
    fn default() -> Self {
        Self { roots: Vec::new(), verify: true, verify_host: true }
    }
}

impl MySqlOptions {
    /// The server on a machine, at port 3306.
    pub fn new(host: impl Into<String>) -> Self {
        Self {
            host: host.into(),
            port: 3306,
            socket: None,
            user: None,
            password: None,
            database: None,
            tls: None,
            pool: PoolOptions::default(),
        }
    }

    /// `mysql://user:password@host:port/database`, or `mariadb://`, with `?socket=`, `?require_ssl=true`,
    /// `&verify_ca=false` and `&verify_identity=false` where wanted.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for what is no such URL.
    ///
    /// ```
    /// # use isogloss_mysql::driver::MySqlOptions;
    /// let options = MySqlOptions::url("mariadb://app:s%40crit@db.example/shop")?;
    /// assert_eq!((options.port, options.password.as_deref()), (3306, Some("s@crit")));
    /// assert!(!format!("{options:?}").contains("crit"));
    /// assert!(MySqlOptions::url("postgres://db.example/shop").is_err());
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    pub fn url(url: &str) -> Result<Self> {
        let bad = |error: mysql_async::UrlError| Error::new(ErrorKind::Configuration, error.to_string());
        let url = match url.strip_prefix("mariadb://") {
            Some(rest) => format!("mysql://{rest}"),
            None => url.to_owned(),
        };
        let opts = Opts::from_url(&url).map_err(bad)?;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let tls = opts.ssl_opts().map(|tls| Tls {
            roots: Vec::new(),
            verify: !tls.accept_invalid_certs(),
            verify_host: !tls.skip_domain_validation(),
        });
        Ok(Self {
            port: opts.tcp_port(),
            socket: opts.socket().map(PathBuf::from),
            user: owned(opts.user()),
            password: owned(opts.pass()),
            database: owned(opts.db_name()),
            tls,
            ..Self::new(opts.ip_or_hostname())
        })
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// With encryption.
    #[must_use]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// What the driver is told.
    pub(crate) fn driver(&self) -> Opts {
        let tls = self.tls.as_ref().map(|tls| {
            let roots = tls.roots.iter().cloned().map(Into::into).collect();
            SslOpts::default()
                .with_root_certs(roots)
                .with_danger_accept_invalid_certs(!tls.verify)
                .with_danger_skip_domain_validation(!tls.verify_host)
        });
        let socket = self.socket.as_ref().map(|socket| socket.display().to_string());
        OptsBuilder::default()
            .ip_or_hostname(self.host.clone())
            .tcp_port(self.port)
            .socket(socket)
            .prefer_socket(false)
            .user(self.user.clone())
            .pass(self.password.clone())
            .db_name(self.database.clone())
            .ssl_opts(tls)
            .client_found_rows(true)
            // Statements are kept by us: its own cache reads each text again for names of parameters.
            .stmt_cache_size(Some(0))
            // Said here, they are not asked of the server. What it really takes is looked at before a statement is sent.
            .max_allowed_packet(Some(1 << 30))
            .wait_timeout(Some(28_800))
            .into()
    }
}

impl fmt::Debug for MySqlOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, socket, user, password: _, database, tls, pool } = self;
        f.debug_struct("MySqlOptions")
            .field("host", host)
            .field("port", port)
            .field("socket", socket)
            .field("user", user)
            .field("database", database)
            .field("tls", tls)
            .field("pool", pool)
            .finish_non_exhaustive()
    }
}
