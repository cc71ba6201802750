//! The pool of connections to one file.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_driver::{Backend, BoxFuture, Connection, Error, ErrorKind, PoolOptions, PoolStatus, Result};

use super::connection::SqliteConnection;
use super::error::error;
use super::pace::Pace;
use super::slot::{Control, Raw, STEPS, Slot};
use crate::Sqlite;

/// How a SQLite database is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SqliteOptions {
    /// The file; `None` is a database in memory, which has one connection and is gone with its backend.
    pub path: Option<PathBuf>,
    /// The pool.
    pub pool: PoolOptions,
    /// How long a statement waits for others that write.
    pub busy_timeout: Duration,
}

impl SqliteOptions {
    /// A file, made if it is not there.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { path: Some(path.into()), pool: PoolOptions::default(), busy_timeout: Duration::from_secs(5) }
    }

    /// A database in memory.
    #[must_use]
    pub fn memory() -> Self {
        Self { path: None, pool: PoolOptions::default(), busy_timeout: Duration::from_secs(5) }
    }

    /// With another pool.
    #[must_use]
    pub fn pool(mut self, pool: PoolOptions) -> Self {
        self.pool = pool;
        self
    }
}

/// A SQLite database, with a pool of connections to it.
///
/// Connections write ahead (WAL, `synchronous = NORMAL`), check foreign keys, and wait for each other.
pub struct SqliteBackend {
    pool: bb8::Pool<Manager>,
    dialect: Sqlite,
    options: Arc<SqliteOptions>,
}

impl SqliteBackend {
    /// Opens the database.
    ///
    /// # Errors
    /// The file cannot be opened, or is no database.
    pub async fn open(options: SqliteOptions) -> Result<Self> {
        let options = Arc::new(options);
        let manager = Manager { options: Arc::clone(&options) };
        let PoolOptions { cached, max, keep_alive, wait, .. } = options.pool;
        let memory = options.path.is_none();
        let mut builder = bb8::Pool::builder()
            .max_size(if memory { 1 } else { max.max(1) })
            .min_idle(memory.then_some(1))
            .idle_timeout((!memory && !keep_alive.is_zero()).then_some(keep_alive))
            .max_lifetime(None)
            .connection_timeout(wait)
            .test_on_check_out(true);
        if !memory && cached == 0 {
            builder = builder.idle_timeout(Some(Duration::from_millis(1)));
        }
        let pool = builder.build(manager).await?;
        let dialect = dialect(rusqlite::version_number());
        Ok(Self { pool, dialect, options })
    }
}

impl fmt::Debug for SqliteBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteBackend").field("path", &self.options.path).finish_non_exhaustive()
    }
}

impl Backend for SqliteBackend {
    fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    fn connect(&self) -> BoxFuture<'_, Result<Box<dyn Connection>>> {
        Box::pin(async move {
            let pooled = self.pool.get_owned().await.map_err(|error| match error {
                bb8::RunError::User(error) => error,
                bb8::RunError::TimedOut => {
                    let (max, wait) = (self.options.pool.max, self.options.pool.wait);
                    Error::new(ErrorKind::PoolExhausted, format!("all of {max} connections were in use for {wait:?}"))
                }
            })?;
            Ok(Box::new(SqliteConnection::new(pooled)) as Box<dyn Connection>)
        })
    }

    fn status(&self) -> PoolStatus {
        let state = self.pool.state();
        PoolStatus::new(state.connections, state.idle_connections)
    }
}

/// A connection that the pool holds.
pub(crate) type Pooled = bb8::PooledConnection<'static, Manager>;

/// What the pool keeps of a connection.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) slot: Arc<Slot>,
    pub(crate) busy_timeout: Duration,
    pub(crate) value_bytes: usize,
}

/// Opens connections for the pool.
#[derive(Debug)]
pub(crate) struct Manager {
    options: Arc<SqliteOptions>,
}

impl bb8::ManageConnection for Manager {
    type Connection = Held;
    type Error = Error;

    async fn connect(&self) -> Result<Held> {
        let options = Arc::clone(&self.options);
        let opened = tokio::task::spawn_blocking(move || open(&options)).await;
        opened.map_err(|lost| Error::new(ErrorKind::Connect, "the thread that opened it ended").with_source(lost))?
    }

    /// What its last task left open is taken back.
    async fn is_valid(&self, held: &mut Held) -> Result<()> {
        held.slot.wait().await;
        match held.slot.here().as_deref() {
            Some(raw) if raw.connection.is_autocommit() => Ok(()),
            _ => Err(Error::new(ErrorKind::ConnectionLost, "a transaction is still open")),
        }
    }

    fn has_broken(&self, _: &mut Held) -> bool {
        false
    }
}

/// The dialect of a library that calls itself 3,045,001 for 3.45.1.
fn dialect(number: i32) -> Sqlite {
    let part = |n: i32| u16::try_from(n % 1000).unwrap_or(0);
    Sqlite::new(part(number / 1000), part(number))
}

fn open(options: &SqliteOptions) -> Result<Held> {
    let connection = match &options.path {
        Some(path) => rusqlite::Connection::open(path),
        None => rusqlite::Connection::open_in_memory(),
    };
    let sql = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON";
    let opened = connection.and_then(|connection| {
        connection.busy_timeout(options.busy_timeout)?;
        connection.execute_batch(sql)?;
        connection.busy_timeout(Duration::ZERO)?;
        connection.set_prepared_statement_cache_capacity(options.pool.prepared);
        let control = Arc::new(Control::default());
        let asked = Arc::clone(&control);
        connection.progress_handler(STEPS, Some(move || asked.enough()))?;
        Ok(Slot::new(Raw { connection, pace: Pace::default() }, control))
    });
    let slot = Arc::new(opened.map_err(|found| error(found, sql))?);
    Ok(Held { slot, busy_timeout: options.busy_timeout, value_bytes: options.pool.value_bytes })
}
