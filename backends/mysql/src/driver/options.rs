//! Where a server is, and how it is spoken to.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, PoolOptions, Result};
use mysql_async::{Opts, OptsBuilder, SslOpts};
use percent_encoding::percent_decode_str;

/// After how much silence the system asks whether the server is still there. It does not while something that was sent is
/// on its way: TCP_USER_TIMEOUT is for that, which the driver below has no setting for, and it does not hand out its socket.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// Where a server is, and how it is spoken to.
///
/// A server that is gone without a word is found out by the system after some minutes of silence, and later where something
/// was sent that nobody has received: how long that may take, the driver below cannot say to the system. What holds sooner is
/// the clock of each statement, its [`statement_timeout`](PoolOptions::statement_timeout) and the
/// [`grace`](PoolOptions::grace) behind it: leave it on.
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
    /// Whether the connection is encrypted. One over a socket is not.
    pub tls: TlsMode,
    /// What a node of MariaDB Galera waits for before a statement, so that it sees what was committed at another one: its variable
    /// `wsrep_sync_wait`, 1 before reads, 7 before writes as well. Elsewhere there is no other node, and it says nothing.
    pub wsrep_sync_wait: Option<u8>,
    /// Maximum number of statements that the connections of the pool keep prepared together; 4,000 by default. Each connection
    /// may have one more. The server refuses statements above `max_prepared_stmt_count` (16,382), which all clients share.
    /// Above the budget, a connection closes its least recently used statement first.
    pub prepared_budget: usize,
    /// The pool.
    pub pool: PoolOptions,
}

/// Whether a connection is encrypted: `tls` in a URL.
///
/// A connection that is not, by [`Off`](Self::Off) or as the server cannot, is logged in to by `caching_sha2_password` with a
/// public key that the server sends in clear: who stands between may send another one, and read the password. There is no
/// switch against that in the driver below: say [`Required`](Self::Required) wherever somebody may stand between.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TlsMode {
    /// It is not: `off`.
    Off,
    /// If the server can: `preferred`. Who the server is nobody checks, so that it helps against who listens, and not against
    /// who is between: say [`Required`](Self::Required) for that.
    #[default]
    Preferred,
    /// It is, or there is none: `required`.
    Required(Tls),
}

impl From<Tls> for TlsMode {
    fn from(tls: Tls) -> Self {
        Self::Required(tls)
    }
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
            tls: TlsMode::default(),
            wsrep_sync_wait: None,
            prepared_budget: 4_000,
            pool: PoolOptions::default(),
        }
    }

    /// `mysql://user:password@host:port/database`, or `mariadb://`. What is special in a URL is escaped in its parts: a password
    /// of `a/b` is `a%2Fb`. Behind a `?`, with `&` between them, may stand:
    ///
    /// - `tls`: `off`, `preferred` or `required`, see [`TlsMode`]. `require_ssl=true` is `tls=required`.
    /// - `verify_ca=false`, `verify_identity=false`: what a server need not show where encryption is required, see [`Tls`]
    /// - `ca`: a file of certificates that are trusted, too, in PEM or DER, where encryption is required
    /// - `socket`: the path of one on this machine
    /// - `wsrep_sync_wait`: 0 to 15, what a node of MariaDB Galera waits for, see [`wsrep_sync_wait`](Self::wsrep_sync_wait)
    /// - `prepared_budget`: how many statements all connections keep prepared, see [`prepared_budget`](Self::prepared_budget)
    /// - `connect_timeout`, `statement_timeout`, `grace`, `pool_wait`, `max_lifetime`: times for the pool, see [`PoolOptions::read`]
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] for what is no such URL. The error has no part of it but the name of a parameter.
    ///
    /// ```
    /// # use isogloss_mysql::driver::{MySqlOptions, TlsMode};
    /// let options = MySqlOptions::url("mariadb://app:s%40crit@db.example/shop?tls=off&pool_wait=500ms")?;
    /// assert_eq!((options.port, options.password.as_deref()), (3306, Some("s@crit")));
    /// assert_eq!((options.tls.clone(), options.pool.wait.as_millis()), (TlsMode::Off, 500));
    /// assert!(!format!("{options:?}").contains("crit"));
    /// assert!(MySqlOptions::url("postgres://db.example/shop").is_err());
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    pub fn url(url: &str) -> Result<Self> {
        let rest = url.strip_prefix("mysql://").or_else(|| url.strip_prefix("mariadb://"));
        let rest = rest.ok_or_else(|| bad("it begins with mysql:// or mariadb://"))?;
        // What a password has beyond one of these would be taken for a name, and shown as one.
        let (_, behind) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if behind.contains(['@', '#']) {
            return Err(bad("`/`, `?`, `#` and `@` in a user or password are written `%2F`, `%3F`, `%23` and `%40`"));
        }
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut place = format!("mysql://{place}");
        let (mut asked, mut pool, mut wsrep_sync_wait) = (AskedTls::default(), PoolOptions::default(), None);
        let mut prepared_budget = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if name == "socket" {
                place.push_str(&format!("?socket={value}"));
            } else if name == "wsrep_sync_wait" {
                let wait = value.parse().ok().filter(|wait| *wait <= 15);
                wsrep_sync_wait = Some(wait.ok_or_else(|| bad("`wsrep_sync_wait` is 0 to 15"))?);
            } else if name == "prepared_budget" {
                prepared_budget = Some(value.parse().map_err(|_| bad("`prepared_budget` is a number"))?);
            } else if !asked.read(name, value)? && !pool.read(name, value)? {
                return Err(unknown(name));
            }
        }
        let opts = Opts::from_url(&place).map_err(|error| bad(&error.to_string()))?;
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let usual = Self::new(opts.ip_or_hostname());
        Ok(Self {
            port: opts.tcp_port(),
            socket: opts.socket().map(PathBuf::from),
            user: owned(opts.user()),
            password: owned(opts.pass()),
            database: owned(opts.db_name()),
            tls: asked.mode()?,
            wsrep_sync_wait,
            prepared_budget: prepared_budget.unwrap_or(usual.prepared_budget),
            pool,
            ..usual
        })
    }

    /// What the server is called in messages: `db.example:3306`, or the path of its socket.
    pub(super) fn address(&self) -> String {
        match &self.socket {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", self.host, self.port),
        }
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// With encryption as said: a [`Tls`] is what is required.
    #[must_use]
    pub fn tls(mut self, tls: impl Into<TlsMode>) -> Self {
        self.tls = tls.into();
        self
    }

    /// What the driver is told for an encrypted connection, if that is wanted. It has none over a socket.
    pub(super) fn encrypted(&self) -> Option<Opts> {
        let tls = match &self.tls {
            TlsMode::Off => return None,
            TlsMode::Preferred => &Tls { verify: false, verify_host: false, ..Tls::default() },
            TlsMode::Required(tls) => tls,
        };
        self.socket.is_none().then(|| self.driver(Some(tls)))
    }

    /// What the driver is told.
    pub(super) fn driver(&self, tls: Option<&Tls>) -> Opts {
        let tls = tls.map(|tls| {
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
            .tcp_keepalive(Some(KEEP_ALIVE))
            .client_found_rows(true)
            // Statements are kept by us: its own cache reads each text again for names of parameters.
            .stmt_cache_size(Some(0))
            // Said here, they are not asked of the server. What it really takes is looked at before a statement is sent.
            .max_allowed_packet(Some(1 << 30))
            .wait_timeout(Some(28_800))
            .into()
    }
}

fn bad(why: &str) -> Error {
    Error::new(ErrorKind::Configuration, format!("the URL of MySQL: {why}"))
}

fn unknown(name: &str) -> Error {
    let shown = if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') { name } else { "?" };
    let known = PoolOptions::PARAMETERS.join(", ");
    bad(&format!(
        "`{shown}` is no parameter of it: tls, require_ssl, verify_ca, verify_identity, ca, socket, wsrep_sync_wait, prepared_budget, {known} are"
    ))
}

/// What a URL asks of encryption.
#[derive(Default)]
struct AskedTls {
    mode: Option<TlsMode>,
    trusts_all: Option<bool>,
    trusts_names: Option<bool>,
    roots: Vec<PathBuf>,
}

impl AskedTls {
    /// Whether the parameter is one of these.
    fn read(&mut self, name: &str, value: &str) -> Result<bool> {
        let no = || match value {
            "true" => Ok(false),
            "false" => Ok(true),
            _ => Err(bad(&format!("`{name}` is `true` or `false`"))),
        };
        match (name, value) {
            ("tls", "off") => self.mode = Some(TlsMode::Off),
            ("tls", "preferred") => self.mode = Some(TlsMode::Preferred),
            ("tls", "required") => self.mode = Some(Tls::default().into()),
            ("tls", _) => return Err(bad("`tls` is `off`, `preferred` or `required`")),
            ("require_ssl", _) => {
                if !no()? {
                    self.mode = Some(Tls::default().into());
                }
            }
            ("verify_ca", _) => self.trusts_all = Some(no()?),
            ("verify_identity", _) => self.trusts_names = Some(no()?),
            ("ca", file) => {
                let file = percent_decode_str(file).decode_utf8().map_err(|_| bad("`ca` is the name of a file"))?;
                self.roots.push(PathBuf::from(&*file));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn mode(self) -> Result<TlsMode> {
        let Self { mode, trusts_all, trusts_names, roots } = self;
        match mode {
            Some(TlsMode::Required(_)) => {
                let (verify, verify_host) = (!trusts_all.unwrap_or(false), !trusts_names.unwrap_or(false));
                Ok(Tls { roots, verify, verify_host }.into())
            }
            // Without `required` nothing would be looked at.
            _ if trusts_all.is_some() || trusts_names.is_some() || !roots.is_empty() => {
                Err(bad("`verify_ca`, `verify_identity` and `ca` are of use with `tls=required` only: say it"))
            }
            mode => Ok(mode.unwrap_or_default()),
        }
    }
}

impl fmt::Debug for MySqlOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, socket, user, password: _, database, tls, wsrep_sync_wait, prepared_budget, pool } =
            self;
        f.debug_struct("MySqlOptions")
            .field("host", host)
            .field("port", port)
            .field("socket", socket)
            .field("user", user)
            .field("database", database)
            .field("tls", tls)
            .field("wsrep_sync_wait", wsrep_sync_wait)
            .field("prepared_budget", prepared_budget)
            .field("pool", pool)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_is_not_escaped_is_not_shown() {
        for url in [
            "mysql://a:p?secret@h/d",
            "mysql://a:1?secret@h/d",
            "mysql://a:1?x=secret@h/d",
            "mysql://a:1?tls=secret@h/d",
            "mysql://a:1?pool_wait=secret@h/d",
            "mysql://a:p/secret@h/d",
            "mysql://a:1/secret@h/d",
            "mariadb://a:1/secret?x@h/d",
            "mysql://a:p#secret@h/d",
            "mysql://a:1#secret@h/d",
            "mysql://a:1#secret",
            "mysql://a:p@1/secret@h/d",
            "mysql://a:p@h:secret/d",
            "mysql://a:p[secret@[/d",
            "mysql://a:secret@",
            "mysql://a:secret@/d",
            "mysql://:secret@h:99999/d",
            "mysql:/a:secret@h/d",
            "//a:secret@h/d",
            "secret",
            "a:secret@h/d",
            "postgres://a:secret@h/d",
            "mysql://a:p@h/d?tls=secret",
            "mysql://a:p@h/d?verify_ca=secret",
            "mysql://a:p@h/d?pool_wait=secret",
            "mysql://a:p@h/d?%73ecret=secret",
        ] {
            let error = MySqlOptions::url(url).expect_err(url);
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(!format!("{error} {error:?}").contains("secret"), "{url}: {error:?}");
        }
        // It is the last `@` that ends a password.
        for url in ["mysql://a:p@secret@h/d", "mysql://a:%70%40secret@h/d", "mysql://a:p:secret@h/d"] {
            let options = MySqlOptions::url(url).unwrap();
            assert_eq!((options.host.as_str(), options.database.as_deref()), ("h", Some("d")));
            assert!(options.password.as_deref().is_some_and(|password| password.ends_with("secret")));
            assert!(!format!("{options:?}").contains("secret"), "{options:?}");
        }
    }

    #[test]
    fn a_url_says_how_it_is_encrypted_and_how_long_all_takes() {
        let tls = |query: &str| MySqlOptions::url(&format!("mysql://h/d?{query}")).unwrap().tls;
        let required = |verify, verify_host| TlsMode::Required(Tls { verify, verify_host, ..Tls::default() });
        assert_eq!(tls(""), TlsMode::Preferred);
        assert_eq!(tls("tls=off"), TlsMode::Off);
        assert_eq!(tls("tls=preferred&require_ssl=false"), TlsMode::Preferred);
        assert_eq!(tls("tls=required"), required(true, true));
        assert_eq!(tls("require_ssl=true&verify_identity=false"), required(true, false));
        assert_eq!(tls("verify_ca=false&tls=required&verify_identity=true"), required(false, true));
        let own = Tls { roots: vec!["/etc/own.pem".into()], ..Tls::default() };
        assert_eq!(tls("tls=required&ca=%2Fetc/own.pem"), TlsMode::Required(own));
        // Without encryption that is required, nothing would be verified.
        for lax in ["verify_ca=true", "verify_identity=true&tls=preferred", "ca=own.pem", "tls=off&verify_ca=true"] {
            let error = MySqlOptions::url(&format!("mysql://h/d?{lax}")).expect_err(lax);
            assert!(error.message().contains("`tls=required` only"), "{error}");
        }
        let url = "mysql://h/d?connect_timeout=3&socket=%2Ftmp%2Fs&statement_timeout=1500ms&pool_wait=2&grace=250ms";
        let options = MySqlOptions::url(url).unwrap();
        let milliseconds = |time: std::time::Duration| time.as_millis();
        assert_eq!(milliseconds(options.pool.connect_timeout), 3000);
        assert_eq!(options.pool.statement_timeout.map(milliseconds), Some(1500));
        assert_eq!(milliseconds(options.pool.grace), 250);
        assert_eq!((milliseconds(options.pool.wait), options.socket), (2000, Some(PathBuf::from("/tmp/s"))));
        let wait =
            |query: &str| MySqlOptions::url(&format!("mysql://h/d{query}")).map(|options| options.wsrep_sync_wait);
        assert_eq!((wait("").unwrap(), wait("?wsrep_sync_wait=7").unwrap()), (None, Some(7)));
        assert!(wait("?wsrep_sync_wait=16").is_err() && wait("?wsrep_sync_wait=on").is_err());
        let budget =
            |query: &str| MySqlOptions::url(&format!("mysql://h/d{query}")).map(|options| options.prepared_budget);
        assert_eq!((budget("").unwrap(), budget("?prepared_budget=0").unwrap()), (4_000, 0));
        assert!(budget("?prepared_budget=many").is_err());
        let error = MySqlOptions::url("mysql://h/d?charset=utf8").unwrap_err();
        assert!(error.message().contains("`charset` is no parameter of it: tls, "), "{error}");
    }
}
