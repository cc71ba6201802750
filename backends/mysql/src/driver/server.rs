//! A server, and how it is reached.

use isogloss_driver::{Error, ErrorKind, Result};
use mysql_async::{Conn, Opts};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::error::connecting;
use super::kill::Lane;
use super::line::Line;
use super::options::MySqlOptions;

/// A server, and how it is reached.
#[derive(Debug)]
pub(super) struct Server {
    pub(super) options: MySqlOptions,
    opts: Opts,
    /// Made when it is first needed.
    pub(super) lane: Mutex<Option<Lane>>,
}

impl Server {
    pub(super) fn new(options: MySqlOptions) -> Self {
        let opts = options.driver();
        Self { options, opts, lane: Mutex::default() }
    }

    pub(super) async fn dial(&self) -> Result<Line> {
        if self.options.tls.is_some() {
            // An error says that the program has chosen already.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        match timeout(self.options.pool.connect_timeout, Conn::new(self.opts.clone())).await {
            Ok(connected) => connected.map(Line::new).map_err(connecting),
            Err(_) => {
                let message = format!("the server did not answer within {:?}", self.options.pool.connect_timeout);
                Err(Error::new(ErrorKind::Connect, message))
            }
        }
    }
}
