//! One session at a server: what the pool holds of a connection.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use isogloss_driver::{Error, ErrorKind, Result};
use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

use super::dial::{Address, Dialer, Wire, addresses};
use super::error::{connecting, ends_session, error};
use super::options::PostgresOptions;
use super::statements::Statements;

/// What the dialect's texts reckon with.
const SETTINGS: &str = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; \
                        SET standard_conforming_strings = on; SET extra_float_digits = 1";

/// What takes back all that a script may have done to its session, but for the statements that are kept.
const RESET: &str = "ROLLBACK; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *; \
                     SELECT pg_advisory_unlock_all(); DISCARD TEMP";

/// How often a statement that was given up is cancelled, and how long its end is waited for each time.
const ATTEMPTS: u32 = 5;
const PATIENCE: Duration = Duration::from_secs(2);

/// A session.
pub(super) struct Session {
    pub(super) client: Arc<Client>,
    pub(super) line: Line,
    pub(super) statements: Statements,
    /// The version before the dot.
    pub(super) major: u16,
    pub(super) value_bytes: usize,
    /// How many transactions and savepoints are open.
    pub(super) depth: u32,
    /// Whether something in the transaction went wrong, so that the server may have ended it.
    pub(super) suspect: bool,
    /// Whether there are settings that the next task must not find.
    pub(super) changed: bool,
    /// The limit of a statement that the server has, outside of a transaction with its own.
    usual: Option<Duration>,
}

/// The way to the server, and what may be left lying on it.
pub(super) struct Line {
    address: Address,
    dialer: Arc<Dialer>,
    client: Arc<Client>,
    runtime: Handle,
    /// The task that reads and writes.
    task: AbortHandle,
    /// A statement that was given up is being cancelled.
    cancelling: Option<JoinHandle<bool>>,
    /// Nobody knows what state the session is in.
    lost: bool,
}

/// What becomes of the session if a future is dropped while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The statement is cancelled.
    Cancel,
    /// The session is closed: whether a transaction is open is not known.
    Close,
}

/// A statement is under way. Dropped before [`end`](Self::end), it is given up.
pub(super) struct Running<'l>(Option<(&'l mut Line, Fate)>);

impl Running<'_> {
    /// The server has answered.
    pub(super) fn end(mut self) {
        self.0 = None;
    }

    /// It has answered by an error. A session that it has ended is not given to anybody else: that it is gone may be read
    /// later than that.
    pub(super) fn end_by(mut self, found: &Error) {
        if let Some((line, _)) = self.0.take()
            && ends_session(found)
        {
            line.close();
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some((line, fate)) = self.0.take() {
            line.give_up(fate);
        }
    }
}

impl Line {
    pub(super) fn start(&mut self, fate: Fate) -> Running<'_> {
        Running(Some((self, fate)))
    }

    fn give_up(&mut self, fate: Fate) {
        self.lost |= fate == Fate::Close;
        let cancel = cancelled(Arc::clone(&self.dialer), self.address.clone(), Arc::clone(&self.client));
        let (task, close) = (self.task.clone(), self.lost);
        self.cancelling = Some(self.runtime.spawn(async move {
            let done = cancel.await;
            if close || !done {
                task.abort();
            }
            done
        }));
    }

    /// Waits until the server has cancelled what was given up.
    async fn settle(&mut self) -> Result<()> {
        if let Some(cancelling) = &mut self.cancelling {
            let done = cancelling.await;
            self.cancelling = None;
            self.lost |= !matches!(done, Ok(true));
        }
        if self.lost {
            return Err(Error::new(
                ErrorKind::ConnectionLost,
                "the connection was closed with what was given up on it",
            ));
        }
        Ok(())
    }

    /// Closes the session without a farewell.
    pub(super) fn close(&mut self) {
        self.lost = true;
        self.task.abort();
    }
}

/// Cancels what a session runs. Whether it has ended, and nothing can be cancelled by it any more.
///
/// A request that comes before its statement is lost on the server: so it is made until the statement has ended.
async fn cancelled(dialer: Arc<Dialer>, address: Address, client: Arc<Client>) -> bool {
    let token = client.cancel_token();
    for _ in 0..ATTEMPTS {
        let asked = async {
            dialer.cancel(&address, &token).await?;
            client.check_connection().await.map_err(io::Error::other)
        };
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(())) => return true,
            Ok(Err(_)) => return false,
            Err(_) => {}
        }
    }
    false
}

impl Session {
    /// Opens one at the first address that takes it.
    ///
    /// # Errors
    /// Those of the last address.
    pub(super) async fn open(options: &PostgresOptions, dialer: &Arc<Dialer>) -> Result<Self> {
        let mut failed = Error::new(ErrorKind::Configuration, "there is no host to connect to");
        for (host, port) in &options.hosts {
            let place = || format!("{host}:{port}");
            let refused = |found: io::Error| Error::new(ErrorKind::Connect, found.to_string()).with_source(found);
            let found = addresses(host, *port).await;
            let found = found.unwrap_or_else(|error| {
                failed = refused(error).at(place());
                Vec::new()
            });
            for address in found {
                let begun = async {
                    let wire = dialer.dial(&address).await.map_err(refused)?;
                    Self::begin(options, dialer, address, wire).await
                };
                let late = || refused(io::Error::new(io::ErrorKind::TimedOut, "the server did not answer in time"));
                match tokio::time::timeout(options.pool.connect_timeout, begun).await {
                    Ok(Ok(session)) => return Ok(session),
                    Ok(Err(found)) => failed = found.at(place()),
                    Err(_) => failed = late().at(place()),
                }
            }
        }
        Err(failed)
    }

    async fn begin(options: &PostgresOptions, dialer: &Arc<Dialer>, address: Address, wire: Wire) -> Result<Self> {
        let (client, connection) = options.config().connect_raw(wire, NoTls).await.map_err(connecting)?;
        let runtime = Handle::current();
        let task = runtime.spawn(async move {
            if let Err(found) = connection.await {
                tracing::debug!(target: "isogloss", error = %found, "a connection to PostgreSQL ended");
            }
        });
        let client = Arc::new(client);
        let line = Line {
            address,
            dialer: Arc::clone(dialer),
            client: Arc::clone(&client),
            runtime,
            task: task.abort_handle(),
            cancelling: None,
            lost: false,
        };
        let usual = options.pool.statement_timeout;
        let asked = format!("{SETTINGS}; {}; SHOW server_version_num", limit_text(usual));
        let answers = client.simple_query(&asked).await.map_err(connecting)?;
        let version = answers.iter().find_map(|answer| match answer {
            SimpleQueryMessage::Row(row) => row.get(0)?.parse::<u32>().ok(),
            _ => None,
        });
        let major = version.and_then(|number| u16::try_from(number / 10_000).ok()).unwrap_or(0);
        if major < 12 {
            let message = format!("PostgreSQL 12 or later is needed, the server calls itself {major}");
            return Err(Error::new(ErrorKind::Configuration, message));
        }
        Ok(Self {
            client,
            line,
            statements: Statements::new(options.pool.prepared),
            major,
            value_bytes: options.pool.value_bytes,
            depth: 0,
            suspect: false,
            changed: false,
            usual,
        })
    }

    /// What is left of before is out of the way.
    ///
    /// # Errors
    /// The connection is lost.
    pub(super) async fn settle(&mut self) -> Result<()> {
        if self.line.cancelling.is_some() || self.line.lost {
            // What was cancelled has ended its transaction.
            self.suspect = true;
            self.line.settle().await?;
        }
        Ok(())
    }

    /// Runs text without parameters.
    pub(super) async fn text(&mut self, sql: &str, fate: Fate) -> Result<()> {
        self.settle().await?;
        let running = self.line.start(fate);
        let done = self.client.batch_execute(sql).await;
        running.end();
        done.map_err(|found| {
            self.suspect = true;
            let found = error(found).with_sql(sql);
            if ends_session(&found) {
                self.line.close();
            }
            found
        })
    }

    /// Whether the next task may have it as it is.
    pub(super) fn is_clean(&self) -> bool {
        self.depth == 0 && !self.changed && self.line.cancelling.is_none() && !self.is_lost()
    }

    pub(super) fn is_lost(&self) -> bool {
        self.line.lost || self.client.is_closed()
    }

    /// Takes back what its last task has left open. Whatever fails closes it.
    pub(super) async fn clean(&mut self) {
        let changed = self.changed;
        let back = if changed { format!("{RESET}; {SETTINGS}; {}", limit_text(self.usual)) } else { "ROLLBACK".to_owned() };
        let cleaned = async {
            self.settle().await?;
            if self.depth > 0 || changed {
                self.text(&back, Fate::Close).await?;
            }
            Ok::<_, Error>(())
        };
        match tokio::time::timeout(PATIENCE * (ATTEMPTS + 1), cleaned).await {
            Ok(Ok(())) => (self.depth, self.suspect, self.changed) = (0, false, false),
            _ => self.line.close(),
        }
    }

    pub(super) fn runtime(&self) -> Handle {
        self.line.runtime.clone()
    }
}

/// What sets the limit of a statement.
pub(super) fn limit_text(limit: Option<Duration>) -> String {
    format!("SET statement_timeout = {}", limit.map_or(0, millis))
}

/// Milliseconds, of which 0 would be no limit.
pub(super) fn millis(timeout: Duration) -> i32 {
    i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX).max(1)
}

/// One that is not clean is closed at once, not when what it runs has ended.
impl Drop for Session {
    fn drop(&mut self) {
        if !self.is_clean() {
            self.line.task.abort();
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("address", &self.line.address)
            .field("depth", &self.depth)
            .field("lost", &self.is_lost())
            .finish_non_exhaustive()
    }
}
