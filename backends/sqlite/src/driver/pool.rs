//! The pool of connections to one file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::{Catalog, ColumnCollation};
use isogloss_driver::collation::Collations;
use isogloss_driver::ddl::Ddl;
use isogloss_driver::pool::{Manage, Pool};
use isogloss_driver::{AnyConnection, Backend, BoxFuture, Error, ErrorKind, Origin, PoolOptions, PoolStatus, Result};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, MAIN_DB, ffi};

use super::collation;
use super::connection::SqliteConnection;
use super::error::{busy, cannot_write, error};
use super::file::OpenFile;
use super::options::SqliteOptions;
use super::slot::{Control, Lent, Raw, Slot};
use super::wait::Line;
use super::{math, wait};
use crate::Sqlite;

/// As long as SQLite can wait for others that write: what it counts is milliseconds of 31 bits.
const LONGEST_WAIT: Duration = Duration::from_millis(i32::MAX as u64);

/// A SQLite database, with a pool of connections to it.
///
/// Connections write ahead (WAL, `synchronous = NORMAL`), check foreign keys, and wait for each other. The mathematical
/// functions are there even if SQLite was built without them. What a file brings with it is not trusted: views and triggers
/// call no functions with side effects, and no statement can damage the file (`SQLITE_DBCONFIG_DEFENSIVE`).
#[derive(Debug)]
pub struct SqliteBackend {
    pool: Pool<Manager>,
    dialect: Sqlite,
    origin: Arc<Origin>,
    options: SqliteOptions,
    file: Option<OpenFile>,
    /// A shared database in memory is gone with its last connection: this one.
    _anchor: Option<Held>,
}

impl SqliteBackend {
    /// Opens the database.
    ///
    /// # Errors
    /// The file cannot be opened, or is no database.
    pub async fn open(options: SqliteOptions) -> Result<Self> {
        Self::in_line(options, Arc::default()).await
    }

    /// Opens the database. Its connections wait in that line to write.
    pub(super) async fn in_line(mut options: SqliteOptions, line: Arc<Line>) -> Result<Self> {
        options.busy_timeout = options.busy_timeout.min(LONGEST_WAIT);
        let mut origin = Origin::new("sqlite");
        let mut pool = options.pool.clone();
        match &options.path {
            Some(path) => origin = origin.namespace(path.display().to_string()),
            // With its last connection it would be gone.
            None => (pool.cached, pool.max, pool.keep_alive) = (1, 1, Duration::ZERO),
        }
        // No name leads to another server.
        pool.max_lifetime = Duration::ZERO;
        let dialect = dialect(rusqlite::version_number());
        let (shared, manager) = (options.shared_memory, Manager { options: options.clone(), line });
        let _anchor = if shared { Some(manager.connect().await?) } else { None };
        let pool = Pool::new(manager, pool).await?;
        let file = options.path.as_deref().filter(|_| !shared).and_then(OpenFile::at);
        Ok(Self { pool, dialect, origin: Arc::new(origin), options, file, _anchor })
    }
}

impl Backend for SqliteBackend {
    fn dialect(&self) -> &dyn Dialect {
        &self.dialect
    }

    fn ddl(&self) -> &dyn Ddl {
        &self.dialect
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        Box::pin(async move {
            if let Some(file) = &self.file {
                file.is_there()?;
            }
            let mut held = self.pool.get().await?;
            if held.spoiled {
                renew(&self.options, &mut held).await?;
            }
            Ok(AnyConnection::watched(SqliteConnection::new(held), &self.origin))
        })
    }

    fn collations(&self) -> Option<&dyn Collations> {
        Some(self)
    }

    fn status(&self) -> PoolStatus {
        self.pool.status()
    }
}

impl Collations for SqliteBackend {
    fn tell<'c>(
        &'c self,
        connection: &'c mut dyn isogloss_driver::Connection,
        catalog: &'c Catalog,
    ) -> BoxFuture<'c, Result<Vec<ColumnCollation>>> {
        Box::pin(collation::tell(&self.dialect, connection, catalog))
    }
}

/// What the pool keeps of a connection.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) slot: Arc<Slot>,
    pub(crate) busy_timeout: Duration,
    pub(crate) value_bytes: usize,
    pub(crate) statement_timeout: Option<Duration>,
    /// Whether a script was run, or what else may have set what it likes, or it was closed.
    pub(crate) spoiled: bool,
}

/// Opens connections for the pool.
#[derive(Debug)]
pub(crate) struct Manager {
    options: SqliteOptions,
    line: Arc<Line>,
}

impl Manage for Manager {
    type Connection = Held;

    fn server(&self) -> String {
        self.options.path.as_ref().map_or_else(|| "the database in memory".into(), |path| path.display().to_string())
    }

    async fn connect(&self) -> Result<Held> {
        let (options, line) = (self.options.clone(), Arc::clone(&self.line));
        let opened = tokio::task::spawn_blocking(move || open(&options, line, None)).await;
        opened.map_err(|lost| Error::new(ErrorKind::Connect, "the thread that opened it ended").with_source(lost))?
    }

    /// What its last task left open is taken back by whoever puts it back. A database in memory is looked at by who gets it:
    /// with a look that is given up, its connection would be closed.
    async fn recycle(&self, held: &mut Held, _: Duration) -> Result<()> {
        if self.options.path.is_none() {
            return Ok(());
        }
        held.slot.wait().await;
        match held.slot.here().as_deref() {
            Some(raw) if raw.connection.is_autocommit() => Ok(()),
            _ => Err(still_open()),
        }
    }

    /// Nobody else gets one with somebody's settings and temporary tables. A database in memory would be gone with it: it
    /// is copied.
    fn is_broken(&self, held: &mut Held) -> bool {
        held.spoiled && self.options.path.is_some()
    }
}

/// The dialect of a library that calls itself 3,045,001 for 3.45.1.
fn dialect(number: i32) -> Sqlite {
    let part = |n: i32| u16::try_from(n % 1000).unwrap_or(0);
    Sqlite::new(part(number / 1000), part(number))
}

/// How long a value or a row may be that SQLite builds: a row has room for a value of the largest size and others beside
/// it, and the schema, which SQLite reads as rows, always has room.
fn built_bytes(value_bytes: usize) -> i32 {
    const LEAST: usize = 1 << 20;
    i32::try_from(value_bytes.saturating_mul(2).max(LEAST)).unwrap_or(i32::MAX)
}

/// Tries again while another connection is in the way, for as long as may be waited: where the journal's mode changes,
/// SQLite does not ask its busy handler.
fn persist(patience: Duration, mut attempt: impl FnMut() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    const PAUSE: Duration = Duration::from_millis(5);
    let began = Instant::now();
    loop {
        match attempt() {
            Err(found) if busy(&found) && began.elapsed() < patience => std::thread::sleep(PAUSE),
            done => return done,
        }
    }
}

fn still_open() -> Error {
    Error::new(ErrorKind::ConnectionLost, "a transaction is still open")
}

/// Gives a database in memory another connection, without what was set on the one that it has. That goes back where nobody
/// waits for the end of this, or where it fails.
async fn renew(options: &SqliteOptions, held: &mut Held) -> Result<()> {
    held.slot.wait().await;
    let Some(raw) = held.slot.here().take() else { return Err(still_open()) };
    let (options, mut lent) = (options.clone(), Lent::new(Arc::clone(&held.slot), raw));
    let copied = tokio::task::spawn_blocking(move || {
        let (slot, raw) = lent.parts()?;
        if !raw.connection.is_autocommit() {
            return Err(still_open());
        }
        open(&options, Arc::clone(&slot.line), Some(&raw.connection))
    });
    let copied = copied.await;
    *held = copied.map_err(|lost| Error::new(ErrorKind::Connect, "the thread of a copy ended").with_source(lost))??;
    Ok(())
}

/// Opens a connection, with all that is in another database, if there is one.
fn open(options: &SqliteOptions, line: Arc<Line>, from: Option<&Connection>) -> Result<Held> {
    let mut connection = options.connection()?;
    if let Some(from) = from {
        copied(from, &mut connection).map_err(|found| error(found, "a copy of the database in memory"))?;
    }
    let journal = "PRAGMA journal_mode = WAL";
    prepared(&connection, options, journal).map_err(|found| {
        let needs_files = options.read_only && cannot_write(&found);
        let mut found = error(found, journal);
        if needs_files {
            let message = "the database has a write-ahead log, and the files beside it that also a reader needs cannot be made: \
                           `immutable=true` in the connection string does without them, where nobody writes to the file";
            found = Error::new(ErrorKind::Connect, message).with_source(found);
        }
        match &options.path {
            Some(path) => found.at(path.display()),
            None => found,
        }
    })?;
    let control = Arc::new(Control::default());
    control.watch(&connection).map_err(|found| error(found, "the progress handler"))?;
    let slot = Arc::new(Slot::new(Raw::new(connection), control, line));
    let PoolOptions { value_bytes, statement_timeout, .. } = options.pool;
    Ok(Held { slot, busy_timeout: options.busy_timeout, value_bytes, statement_timeout, spoiled: false })
}

/// Fills a database in memory with what is in another one.
fn copied(from: &Connection, to: &mut Connection) -> rusqlite::Result<()> {
    // Its pages are as long: SQLite changes that in no copy in memory.
    let page: i64 = from.query_row("PRAGMA main.page_size", [], |row| row.get(0))?;
    to.execute_batch(&format!("PRAGMA main.page_size = {page}"))?;
    match Backup::new(from, to)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None)),
    }
}

/// Sets a connection up.
fn prepared(connection: &Connection, options: &SqliteOptions, journal: &str) -> rusqlite::Result<()> {
    connection.busy_timeout(options.busy_timeout)?;
    // What the file brings with it calls nothing that has effects, and no statement writes over the file's own structure.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A name in quotes that no column has is an error, not a text.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    if !connection.is_readonly(MAIN_DB)? {
        match persist(options.busy_timeout, || connection.execute_batch(journal)) {
            // Its folder takes no log: it can be read.
            Err(found) if cannot_write(&found) => {}
            done => done?,
        }
    }
    // Read at once, so that a file that is no database is found out here.
    persist(options.busy_timeout, || connection.query_row("PRAGMA schema_version", [], |_| Ok(())))?;
    connection.execute_batch("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON")?;
    math::add_missing(connection)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, built_bytes(options.pool.value_bytes))?;
    connection.set_prepared_statement_cache_capacity(options.pool.prepared);
    connection.busy_handler(Some(wait::busy))
}
