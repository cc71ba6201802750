//! A server, and how it is reached.

use std::sync::atomic::{AtomicBool, Ordering};

use isogloss_driver::{Error, ErrorKind, Result};
use mysql_async::{Conn, DriverError, IoError, Opts};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::connecting;
use super::kill::Lane;
use super::line::Line;
use super::options::{MySqlOptions, TlsMode};
use crate::MySql;

/// The server takes encrypted connections only.
const ENCRYPTED_ONLY: u16 = 3159;

/// A server, and how it is reached.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) options: MySqlOptions,
    plain: Opts,
    encrypted: Option<Opts>,
    /// It was seen to have no encryption.
    has_none: AtomicBool,
    /// Made when it is first needed.
    pub(super) lane: Mutex<Option<Lane>>,
}

impl Server {
    pub(super) fn new(options: MySqlOptions) -> Self {
        let (plain, encrypted) = (options.driver(None), options.encrypted());
        Self { options, plain, encrypted, has_none: AtomicBool::new(false), lane: Mutex::default() }
    }

    pub(super) async fn dial(&self) -> Result<Line> {
        match timeout(self.options.pool.connect_timeout, self.connected()).await {
            Ok(connected) => connected.map(Line::new).map_err(connecting),
            Err(_) => {
                let message = format!("the server did not answer within {:?}", self.options.pool.connect_timeout);
                Err(Error::new(ErrorKind::Connect, message))
            }
        }
    }

    async fn connected(&self) -> mysql_async::Result<Conn> {
        let Some(encrypted) = &self.encrypted else { return Conn::new(self.plain.clone()).await };
        // An error says that the program has chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let preferred = self.options.tls == TlsMode::Preferred;
        if !(preferred && self.has_none.load(Ordering::Relaxed)) {
            match Conn::new(encrypted.clone()).await {
                Err(error) if preferred && is_without(&error) => self.has_none.store(true, Ordering::Relaxed),
                connected => return connected,
            }
        }
        match Conn::new(self.plain.clone()).await {
            Err(mysql_async::Error::Server(error)) if error.code == ENCRYPTED_ONLY => {
                self.has_none.store(false, Ordering::Relaxed);
                Conn::new(encrypted.clone()).await
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

/// The dialect of a server that says `9.7.4-2` or `10.11.19-MariaDB-0+deb12u1` of itself.
pub(super) fn dialect(version: &str) -> (MySql, bool) {
    let mut numbers = version.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    let mut number = || numbers.next().unwrap_or(0);
    let (major, minor, patch) = (number(), number(), number());
    let mariadb = version.contains("MariaDB");
    (if mariadb { MySql::mariadb(major, minor) } else { MySql::new(major, minor, patch) }, mariadb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(dialect("9.7.4-2"), (MySql::new(9, 7, 4), false));
        assert_eq!(dialect("8.0.36"), (MySql::new(8, 0, 36), false));
        assert_eq!(dialect("10.11.19-MariaDB-0+deb12u1"), (MySql::MARIADB_10_11, true));
    }
}
