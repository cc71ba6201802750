//! Where a server is, and how it is spoken to.

use std::fmt;
use std::path::PathBuf;

use isogloss_driver::{Error, ErrorKind, PoolOptions, Result};
use percent_encoding::percent_decode_str;
use tiberius::{AuthMethod, Config, EncryptionLevel};
use url::Url;

/// How much of what is said is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Encryption {
    /// All of it, by TLS within the protocol.
    #[default]
    On,
    /// All of it, by TLS around the protocol: TDS 8, from SQL Server 2022 on.
    Strict,
    /// The login only.
    Login,
    /// Nothing, the password included: for a server on the same machine.
    Off,
}

/// How a SQL Server is reached.
#[derive(Clone)]
#[non_exhaustive]
pub struct SqlServerOptions {
    /// The server's name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The login's name.
    pub user: String,
    /// The login's password.
    pub password: String,
    /// The database; the login's own if absent.
    pub database: Option<String>,
    /// What is encrypted.
    pub encryption: Encryption,
    /// Whether any certificate is taken: for a server that has made its own.
    pub trust_certificate: bool,
    /// A file with the certificate of the authority that signed the server's, in PEM or DER; the system's authorities if
    /// absent.
    pub authority: Option<PathBuf>,
    /// What the server's lists call the program.
    pub application: Option<String>,
    /// The pool.
    pub pool: PoolOptions,
}

impl SqlServerOptions {
    /// A server on its usual port, 1433.
    pub fn new(host: impl Into<String>, user: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            host: host.into(),
            port: 1433,
            user: user.into(),
            password: password.into(),
            database: None,
            encryption: Encryption::default(),
            trust_certificate: false,
            authority: None,
            application: None,
            pool: PoolOptions::default(),
        }
    }

    /// Reads `sqlserver://user:password@host:port/database?encrypt=on&trust_server_certificate=false`.
    ///
    /// `mssql://` is the same. `encrypt` is `on` (or `true`), `strict`, `login` or `off` (or `false`);
    /// `ca` is a file with a certificate; `application_name` is what the server's lists call the program. What is
    /// `connect_timeout`, `statement_timeout`, `grace`, `pool_wait` and `max_lifetime` are those of
    /// [`PoolOptions::read`]. What is special in a URL (`@`, `/`, `%` in a password) is written with `%`.
    ///
    /// ```
    /// use isogloss_sqlserver::driver::{Encryption, SqlServerOptions};
    /// let options = SqlServerOptions::url("sqlserver://sa:p%40ss@db.example/app?encrypt=strict")?;
    /// assert_eq!((options.password.as_str(), options.encryption), ("p@ss", Encryption::Strict));
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] says what cannot be read.
    pub fn url(url: &str) -> Result<Self> {
        let wrong = |what: &str| Error::new(ErrorKind::Configuration, format!("the URL of SQL Server: {what}"));
        if is_torn(url) {
            return Err(wrong("what is special in a user, a password or a database (@, /, ?, #) is written with %"));
        }
        let parsed = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(parsed.scheme(), "sqlserver" | "mssql") {
            return Err(wrong("it begins with sqlserver:// or mssql://"));
        }
        let decoded = |text: &str| {
            let text = percent_decode_str(text).decode_utf8().map_err(|_| wrong("what % stands for is not UTF-8"))?;
            Ok::<_, Error>(text.into_owned())
        };
        let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong("it has no host"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let mut options = Self::new(host, decoded(parsed.username())?, decoded(parsed.password().unwrap_or(""))?);
        options.port = parsed.port().unwrap_or(options.port);
        let database = decoded(parsed.path().trim_start_matches('/'))?;
        options.database = (!database.is_empty()).then_some(database);
        for (name, value) in parsed.query_pairs() {
            match &*name {
                "encrypt" => {
                    options.encryption = match &*value {
                        "on" | "true" => Encryption::On,
                        "strict" => Encryption::Strict,
                        "login" => Encryption::Login,
                        "off" | "false" => Encryption::Off,
                        _ => return Err(wrong("encrypt is on, strict, login or off")),
                    }
                }
                "trust_server_certificate" => {
                    options.trust_certificate =
                        value.parse().map_err(|_| wrong("trust_server_certificate is true or false"))?;
                }
                "ca" => options.authority = Some(PathBuf::from(&*value)),
                "application_name" => options.application = Some(value.into_owned()),
                name if options.pool.read(name, &value)? => {}
                other => {
                    let known = PoolOptions::PARAMETERS.join(", ");
                    // What is no name of that kind may be the rest of a password.
                    let name = other.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
                    let said = if name { format!("it says `{other}`; ") } else { String::new() };
                    return Err(wrong(&format!(
                        "{said}there is encrypt, trust_server_certificate, ca, application_name, {known}"
                    )));
                }
            }
        }
        Ok(options)
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// What the driver is told, for a server at that address.
    pub(super) fn config(&self, host: &str, port: u16) -> Config {
        let mut config = Config::new();
        config.host(host);
        config.port(port);
        config.authentication(AuthMethod::sql_server(&self.user, &self.password));
        config.encryption(match self.encryption {
            Encryption::On => EncryptionLevel::Required,
            Encryption::Strict => EncryptionLevel::Strict,
            Encryption::Login => EncryptionLevel::Off,
            Encryption::Off => EncryptionLevel::NotSupported,
        });
        match &self.authority {
            // The driver takes one of them only.
            _ if self.trust_certificate => config.trust_cert(),
            Some(file) => config.trust_cert_ca(file.display()),
            None => {}
        }
        if let Some(database) = &self.database {
            config.database(database);
        }
        config.application_name(self.application.as_deref().unwrap_or("isogloss"));
        // The pool's clock is the only one: a second one of the same length would end first now and then, with its own words.
        config.handshake_timeout(None);
        // The driver's own limit is 30 seconds, and it leaves a connection that is of no use.
        config.command_timeout(None);
        config
    }
}

impl fmt::Debug for SqlServerOptions {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlServerOptions")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("user", &self.user)
            .field("database", &self.database)
            .field("encryption", &self.encryption)
            .field("trust_certificate", &self.trust_certificate)
            .field("authority", &self.authority)
            .field("application", &self.application)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

/// Whether a URL ends its user and password where a special character of theirs stands. What is behind it would be a port, a
/// database or a parameter, and be told.
fn is_torn(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = before.split_once('/').map_or("", |(_, path)| path);
    let (signs, outside) = (rest.matches('@').count(), path.contains('@') || query.contains('@'));
    rest.contains('#') || path.contains(['/', ':']) || signs > 1 || outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_read() {
        let url = "mssql://sa:s%2Fecret@[::1]:1533/my%20db?trust_server_certificate=true&encrypt=login&ca=/etc/ca.pem";
        let options = SqlServerOptions::url(url).unwrap();
        assert_eq!((options.host.as_str(), options.port), ("::1", 1533));
        assert_eq!((options.user.as_str(), options.password.as_str()), ("sa", "s/ecret"));
        assert_eq!(options.database.as_deref(), Some("my db"));
        assert!(options.trust_certificate && options.encryption == Encryption::Login);
        assert!(!format!("{options:?}").contains("ecret"));
        assert_eq!(options.config("::1", 1533).get_command_timeout(), None);
    }

    #[test]
    fn the_times_of_the_pool_are_read() -> Result<()> {
        let times = PoolOptions::PARAMETERS.map(|name| format!("{name}=1500ms"));
        let pool = SqlServerOptions::url(&format!("sqlserver://a:b@h/d?{}", times.join("&")))?.pool;
        let time = std::time::Duration::from_millis(1500);
        assert_eq!(
            (pool.connect_timeout, pool.statement_timeout, pool.grace, pool.wait),
            (time, Some(time), time, time)
        );
        Ok(())
    }

    #[test]
    fn no_part_of_a_password_is_told() {
        for password in
            ["17#cret", "17/cret", "17?cret", "17@cret", "17?cret=1&a", "17/cret@x/y", "17@a/cret", "17@a?cret=1"]
        {
            for rest in ["db.example/app", "db.example:1433/app?encrypt=off", "db.example"] {
                let told = match SqlServerOptions::url(&format!("sqlserver://sa:{password}@{rest}")) {
                    Ok(options) => format!("{options:?}"),
                    Err(error) => format!("{error} {error:?}"),
                };
                assert!(!told.contains("cret") && !told.contains("17"), "{password}: {told}");
                assert!(told.contains("written with %"), "{password}: {told}");
            }
        }
        let odd = SqlServerOptions::url("sqlserver://sa:p@db.example/app?cr%40et=1").unwrap_err();
        assert!(!odd.to_string().contains("et=") && !odd.to_string().contains("cr@et"), "{odd}");
        let plain = SqlServerOptions::url("sqlserver://sa:p@db.example/app?application_name=a%40b/c").unwrap();
        assert_eq!(plain.application.as_deref(), Some("a@b/c"));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (url, said) in [
            ("postgres://a@b/c", "it begins with sqlserver:// or mssql://"),
            ("sqlserver://a@b/c?encrypt=maybe", "encrypt is on, strict, login or off"),
            ("sqlserver://a@b/c?pool=3", "it says `pool`"),
        ] {
            let error = SqlServerOptions::url(url).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}
