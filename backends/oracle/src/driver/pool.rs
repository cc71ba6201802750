//! The pool of connections to one server.

use std::time::Duration;

use isogloss_compiler::dialect::Dialect as _;
use isogloss_driver::pool::{Manage, Pool};
use isogloss_driver::{Error, ErrorKind, Origin, PooledBackend, Result, ServerPool};

use super::collation::COLLATIONS;
use super::connection::OracleConnection;
use super::link::{self, Connect, Link};
use super::options::{Address, OracleOptions};
use super::raw::{PATIENCE, Raw};
use super::value::Binder;
use super::worker::Worker;
use crate::Oracle;

/// After so long without use, a connection is asked for a sign of life.
const QUIET: Duration = Duration::from_secs(1);

/// What the dialect's texts rely on. The territory comes first, as it brings other settings with it.
const SESSION: [&str; 2] = [
    "ALTER SESSION SET NLS_TERRITORY = 'AMERICA' NLS_LANGUAGE = 'AMERICAN' NLS_NUMERIC_CHARACTERS = '.,' \
     NLS_COMP = 'BINARY' NLS_SORT = 'BINARY' NLS_DATE_FORMAT = 'YYYY-MM-DD HH24:MI:SS' \
     NLS_TIMESTAMP_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF' NLS_TIMESTAMP_TZ_FORMAT = 'YYYY-MM-DD HH24:MI:SS.FF TZH:TZM'",
    "ALTER SESSION SET TIME_ZONE = '+00:00'",
];

/// An Oracle Database, with a pool of connections to it.
#[derive(Debug)]
pub struct OracleBackend(ServerPool);

impl OracleBackend {
    /// Connects, and asks the server for its version.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`] where the server cannot be reached or does not let the user in, and where Oracle's client
    /// library is not installed.
    pub async fn connect(options: OracleOptions) -> Result<Self> {
        Self::over(link::connect, options).await
    }

    /// Over connections that are made so.
    pub(super) async fn over(connect: Connect, options: OracleOptions) -> Result<Self> {
        let origin = match options.address() {
            Some(Address { host, port, service, .. }) => Origin::new("oracle.db").server(host, port).namespace(service),
            None => Origin::new("oracle.db").namespace(&options.server),
        };
        let pool = Pool::new(Manager { connect, options: options.clone() }, options.pool.clone()).await?;
        let (major, minor) = pool.get().await?.lend(None, |connection| connection.version()).await?;
        let number = |part: i32| u16::try_from(part).unwrap_or(0);
        let dialect = Oracle::new(number(major), number(minor));
        let binder =
            Binder { booleans: dialect.version() >= Oracle::V23.version(), value_bytes: options.pool.value_bytes };
        Ok(Self(ServerPool::new(pool, Box::new(dialect), origin, Some(COLLATIONS), move |pooled, options| {
            OracleConnection::new(pooled, binder, options.statement_timeout)
        })))
    }
}

impl PooledBackend for OracleBackend {
    fn server(&self) -> &ServerPool {
        &self.0
    }
}

/// Opens connections for the pool.
#[derive(Debug)]
pub(super) struct Manager {
    connect: Connect,
    options: OracleOptions,
}

fn open(connect: Connect, options: &OracleOptions) -> Result<Box<dyn Link>> {
    let mut connection = connect(options)?;
    for setting in SESSION {
        connection.set_up(setting)?;
    }
    connection.set_autocommit(true);
    Ok(connection)
}

impl Manage for Manager {
    type Connection = Raw;

    fn server(&self) -> String {
        match self.options.address() {
            Some(Address { host, port, .. }) => format!("{host}:{port}"),
            None => self.options.server.clone(),
        }
    }

    /// On the thread that is the connection's from then on. It may stand in the client library for as long as that likes:
    /// neither a caller nor the end of the runtime waits for it.
    async fn connect(&self) -> Result<Raw> {
        let ended = |error: Error| error.at(self.server());
        let worker = Worker::start().map_err(ended)?;
        let (connect, options, of) = (self.connect, self.options.clone(), worker.clone());
        // It knows its thread from the start: a caller who goes when it has just been opened closes it there.
        let opened = worker.run(move || open(connect, &options).map(|connection| Raw::new(connection, of))).await;
        let lost = |lost| Error::new(ErrorKind::Connect, "the client library panicked").with_source(lost);
        opened.unwrap_or_else(|found| Err(lost(found))).map_err(ended)
    }

    async fn recycle(&self, raw: &mut Raw, unused: Duration) -> Result<()> {
        let ready = async {
            if !raw.autocommit() {
                raw.lend(None, |connection| connection.rollback()).await?;
                raw.set_autocommit(true).await?;
            }
            match unused < QUIET && !raw.is_stopped() {
                true => Ok(()),
                false => raw.lend(None, |connection| connection.ping()).await,
            }
        };
        let done = tokio::time::timeout(PATIENCE, ready).await;
        done.unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "the server gives no sign of life")))
    }

    fn is_broken(&self, raw: &mut Raw) -> bool {
        raw.is_broken() || raw.is_scripted()
    }
}
