//! Where a server is, and who asks.

use std::borrow::Cow;
use std::fmt;
use std::net::Ipv6Addr;

use isogloss_driver::{Error, ErrorKind, PoolOptions, Result};
use percent_encoding::percent_decode_str;
use url::Url;

/// How an Oracle Database is reached.
#[derive(Clone)]
#[non_exhaustive]
pub struct OracleOptions {
    /// What Oracle calls a connect string: `//host:port/service`, with TLS `tcps://host:port/service`, a name of
    /// `tnsnames.ora`, or a whole description. The first two give the server as long as a caller waits for the pool; a name and a description
    /// say so themselves: `(CONNECT_TIMEOUT=30)`, and whether the system asks for a server that says nothing:
    /// `(ENABLE=BROKEN)(EXPIRE_TIME=1)`, which the others have. Without a port it is 1521, and behind the service may stand what serves:
    /// `//host/service:pooled`, `:shared` or `:dedicated`.
    pub server: String,
    /// The user.
    pub user: String,
    /// The user's password.
    pub password: String,
    /// The pool.
    pub pool: PoolOptions,
}

impl OracleOptions {
    /// A server, by its connect string.
    pub fn new(server: impl Into<String>, user: impl Into<String>, password: impl Into<String>) -> Self {
        let (server, user, password) = (server.into(), user.into(), password.into());
        Self { server, user, password, pool: PoolOptions::default() }
    }

    /// Reads `oracle://user:password@host:port/service`; without a port it is 1521. What is special in a URL (`@`, `/`,
    /// `%` in a password) is written with `%`. Behind `?` it takes `protocol=tcps` (TLS: the server shows who it is, by the
    /// certificates of the wallet that Oracle's client is set up with), and what [`PoolOptions::read`] does.
    ///
    /// ```
    /// use isogloss_oracle::driver::OracleOptions;
    /// let options = OracleOptions::url("oracle://app:p%40ss@db.example/FREEPDB1")?;
    /// assert_eq!((options.server.as_str(), options.password.as_str()), ("//db.example:1521/FREEPDB1", "p@ss"));
    /// # Ok::<(), isogloss_driver::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] says what cannot be read.
    pub fn url(url: &str) -> Result<Self> {
        let wrong = |what: &str| Error::new(ErrorKind::Configuration, format!("the URL of Oracle: {what}"));
        let Some(rest) = url.strip_prefix("oracle://") else { return Err(wrong("it begins with oracle://")) };
        // What a password has beyond one of these would be taken for a name, and shown as one.
        let (authority, behind) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if authority.matches('@').count() > 1 || behind.contains(['@', '#']) {
            return Err(wrong("`/`, `?`, `#` and `@` in a user or password are written `%2F`, `%3F`, `%23` and `%40`"));
        }
        let parsed = Url::parse(url).map_err(|error| wrong(&error.to_string()))?;
        let (mut pool, mut protocol) = (PoolOptions::default(), "");
        for (name, value) in parsed.query_pairs() {
            match (&*name, &*value) {
                ("protocol", "tcp") => protocol = "",
                ("protocol", "tcps") => protocol = "tcps:",
                ("protocol", _) => return Err(wrong("`protocol` is `tcp` or `tcps`")),
                (name, value) if pool.read(name, value)? => {}
                _ => {
                    let known = PoolOptions::PARAMETERS.join(", ");
                    let why = format!("it takes protocol, {known} behind ?, all else goes into the connect string");
                    return Err(wrong(&why));
                }
            }
        }
        let decoded = |text: &str| {
            let text = percent_decode_str(text).decode_utf8().map_err(|_| wrong("what % stands for is not UTF-8"))?;
            Ok::<_, Error>(text.into_owned())
        };
        let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or_else(|| wrong("it has no host"))?;
        let service = decoded(parsed.path().trim_start_matches('/'))?;
        let server = format!("{protocol}//{host}:{}/{service}", parsed.port().unwrap_or(PORT));
        Ok(Self::new(server, decoded(parsed.username())?, decoded(parsed.password().unwrap_or(""))?).pool(pool))
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }

    /// The connect string that is asked for: one that shows its host as a whole description, which gives the server no longer
    /// than a caller waits. A name and a description of the program's own have their own limits.
    pub(super) fn descriptor(&self) -> Cow<'_, str> {
        let Some(Address { tls, host, port, service, process }) = self.address() else {
            return Cow::Borrowed(&self.server);
        };
        let host = host.trim_matches(['[', ']']);
        let process = process.map(|process| format!("(SERVER={process})")).unwrap_or_default();
        // Whole seconds, as every client knows them.
        let seconds = self.pool.connect_timeout.as_millis().div_ceil(1_000).max(1);
        let (protocol, security) = match tls {
            true => ("TCPS", "(SECURITY=(SSL_SERVER_DN_MATCH=TRUE))"),
            false => ("TCP", ""),
        };
        Cow::Owned(format!(
            "(DESCRIPTION=(CONNECT_TIMEOUT={seconds})(TRANSPORT_CONNECT_TIMEOUT={seconds})(RETRY_COUNT=0){KEEP_ALIVE}\
             (ADDRESS=(PROTOCOL={protocol})(HOST={host})(PORT={port})){security}(CONNECT_DATA=(SERVICE_NAME={service}){process}))"
        ))
    }

    /// Where a connect string leads that shows it: `[tcps:]//host[:port]/service[:process]`.
    pub(super) fn address(&self) -> Option<Address<'_>> {
        let plain = |text: &str| {
            !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '$' | '#'))
        };
        let (tls, server) = match self.server.strip_prefix("tcps:") {
            Some(server) => (true, server),
            None => (false, self.server.as_str()),
        };
        let (place, service) = server.strip_prefix("//")?.split_once('/')?;
        let (host, port) = match place.rsplit_once(':') {
            // The colons of `[::1]` are its own.
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (place, PORT),
        };
        let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => address.parse::<Ipv6Addr>().is_ok(),
            None => plain(host),
        };
        let (service, process) = match service.split_once(':') {
            Some((service, process)) => {
                let known = ["dedicated", "shared", "pooled"].iter().any(|known| known.eq_ignore_ascii_case(process));
                (service, Some(known.then_some(process)?))
            }
            None => (service, None),
        };
        (is_host && plain(service)).then_some(Address { tls, host, port, service, process })
    }
}

/// Has the system ask whether a server is still there that says nothing: every client knows how to turn that on, those from 19c
/// also to do it after a minute of silence, in place of the system's usual two hours.
const KEEP_ALIVE: &str = "(ENABLE=BROKEN)(EXPIRE_TIME=1)";

/// The port of a listener, where a connect string says none.
const PORT: u16 = 1521;

/// Where a connect string leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address<'o> {
    pub(super) tls: bool,
    /// An address of IPv6 stands in brackets.
    pub(super) host: &'o str,
    pub(super) port: u16,
    pub(super) service: &'o str,
    /// The kind of the server's process: `dedicated`, `shared` or `pooled`.
    pub(super) process: Option<&'o str>,
}

impl fmt::Debug for OracleOptions {
    /// Without the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OracleOptions")
            .field("server", &self.server)
            .field("user", &self.user)
            .field("pool", &self.pool)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_that_is_not_escaped_is_not_shown() {
        for url in [
            "oracle://app:1/secret@h/svc",
            "oracle://app:p/secret@h/svc",
            "oracle://app:p/x@secret@h/svc",
            "oracle://app:p@1/secret@h/svc",
            "oracle://app:p@secret@h/svc",
            "oracle://app:1?secret@h/svc",
            "oracle://app:1?protocol=secret@h/svc",
            "oracle://app:1#secret@h/svc",
            "oracle://app:1#secret",
            "oracle://app:p[secret@[/svc",
            "oracle://app:p@h:secret/svc",
            "oracle:app:secret@h/svc",
            "postgres://app:secret@h/svc",
            "oracle://app:p@h/svc?protocol=secret",
            "oracle://app:p@h/svc?pool_wait=secret",
            "oracle://app:p@h/svc?secret=1",
            "secret",
        ] {
            let error = OracleOptions::url(url).expect_err(url);
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(!format!("{error} {error:?}").contains("secret"), "{url}: {error:?}");
        }
        let options = OracleOptions::url("oracle://app:secret%40%2F%3F%23@h/svc").unwrap();
        assert_eq!((options.server.as_str(), options.password.as_str()), ("//h:1521/svc", "secret@/?#"));
        assert!(!format!("{options:?}").contains("secret"), "{options:?}");
    }

    #[test]
    fn a_url_may_ask_for_encryption() {
        let options = OracleOptions::url("oracle://app:x@db.example:2484/shop?protocol=tcps").unwrap();
        assert_eq!(options.server, "tcps://db.example:2484/shop");
        assert!(options.descriptor().contains("(PROTOCOL=TCPS)(HOST=db.example)(PORT=2484))(SECURITY="));
        assert!(OracleOptions::url("oracle://app:x@db/shop?protocol=udp").is_err());
    }

    #[test]
    fn a_connect_string_may_leave_the_port_out_and_name_the_process() {
        let address = |server: &str| {
            let options = OracleOptions::new(server, "app", "");
            let Address { host, port, service, process, .. } = options.address().unwrap();
            let text = options.descriptor().into_owned();
            assert!(text.contains(&format!("(PORT={port})")) && text.contains(&format!("(SERVICE_NAME={service})")));
            (host.to_owned(), port, service.to_owned(), process.map(str::to_owned), text)
        };
        let (host, port, service, process, text) = address("//db:1522/orders.example:pooled");
        assert_eq!((&*host, port, &*service, process.as_deref()), ("db", 1522, "orders.example", Some("pooled")));
        assert!(text.ends_with("(CONNECT_DATA=(SERVICE_NAME=orders.example)(SERVER=pooled)))"), "{text}");
        let (host, port, service, process, text) = address("//db/orders");
        assert_eq!((&*host, port, &*service, process), ("db", 1521, "orders", None));
        assert!(text.ends_with("(HOST=db)(PORT=1521))(CONNECT_DATA=(SERVICE_NAME=orders)))"), "{text}");
        let (host, port, .., text) = address("//[fe80::1]/orders:DEDICATED");
        assert_eq!((&*host, port), ("[fe80::1]", 1521));
        assert!(text.contains("(HOST=fe80::1)(PORT=1521)") && text.contains("(SERVER=DEDICATED)"), "{text}");
        // In a URL, too.
        let url = OracleOptions::url("oracle://app:x@db/orders:shared").unwrap();
        assert_eq!(url.address().and_then(|address| address.process), Some("shared"));
    }

    #[test]
    fn a_url_is_read() {
        let options = OracleOptions::url("oracle://app:s%2Fecret@[::1]:1621/XE").unwrap();
        assert_eq!((options.server.as_str(), options.user.as_str()), ("//[::1]:1621/XE", "app"));
        assert_eq!(
            options.address(),
            Some(Address { tls: false, host: "[::1]", port: 1621, service: "XE", process: None })
        );
        assert!(!format!("{options:?}").contains("ecret"));
        assert_eq!(OracleOptions::new("orders", "app", "").address(), None);
        assert_eq!(
            options.descriptor(),
            "(DESCRIPTION=(CONNECT_TIMEOUT=10)(TRANSPORT_CONNECT_TIMEOUT=10)(RETRY_COUNT=0)(ENABLE=BROKEN)(EXPIRE_TIME=1)\
             (ADDRESS=(PROTOCOL=TCP)(HOST=::1)(PORT=1621))(CONNECT_DATA=(SERVICE_NAME=XE)))"
        );
        let hasty = PoolOptions::default().connect_timeout(std::time::Duration::from_millis(1_200));
        assert!(options.pool(hasty).descriptor().contains("(CONNECT_TIMEOUT=2)"));
        for own in [
            "orders",
            "(DESCRIPTION=(ADDRESS=..))",
            "//db:1521/",
            "//db:1521/a)(b",
            "//db:99999/orders",
            "//a:b:1521/orders",
            "//[db]/orders",
            "//db/orders:",
            "//db/orders:pooled:x",
            "//db/orders:own",
            "//db/orders/instance",
        ] {
            assert_eq!(OracleOptions::new(own, "app", "").descriptor(), own);
        }
        for wrong in ["sqlserver://a@b/c", "oracle://a@b/c?ssl=1", "oracle:///x"] {
            assert_eq!(OracleOptions::url(wrong).unwrap_err().kind(), ErrorKind::Configuration, "{wrong}");
        }
    }
}
