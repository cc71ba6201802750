//! What the driver wants of a client library: a connection whose calls block. Another library stands behind the driver by
//! this trait, and by what makes one.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_driver::{Result, RowSink, RowSource};
use oracle::{ConnStatus, Connection, Connector};
use tokio::sync::oneshot;

use super::bulk;
use super::cursor::{self, Order};
use super::error::{connect_error, error};
use super::options::OracleOptions;
use super::run::Call;
use super::value::Binder;

/// A connection of a client library. One thread at a time calls it, but for [`stop`](Self::stop).
pub(super) trait Link: Send + Sync {
    /// The server's version: its first two numbers.
    fn version(&self) -> Result<(i32, i32)>;

    /// Sets the session up by a statement without parameters.
    fn set_up(&self, setting: &str) -> Result<()>;

    /// Whether each statement is a transaction of its own.
    fn autocommit(&self) -> bool;

    fn set_autocommit(&mut self, on: bool);

    /// Tells the server to stop what it does, from another thread. It may say so of the next call only.
    fn stop(&self);

    /// Asks for a sign of life, and says whether the connection may be used after a stop.
    fn is_there(&self) -> bool;

    /// How long each exchange with the server may take from now on.
    fn set_limit(&self, limit: Option<Duration>) -> Result<()>;

    fn ping(&self) -> Result<()>;

    fn commit(&self) -> Result<()>;

    fn rollback(&self) -> Result<()>;

    /// Runs a statement, and gives its rows, or what it has filled, to the sink. Gives how many rows it changed, or gave.
    fn run(&self, call: &Call, sink: Option<&mut dyn RowSink>) -> Result<u64>;

    /// Opens a query, says that it is open, and fills sinks as they come.
    fn serve(&self, call: &Call, opened: oneshot::Sender<Result<()>>, orders: &Receiver<Order>) -> Result<()>;

    /// Runs a statement once for each row. Gives how many rows they changed.
    fn many(&self, sql: &str, types: &[Option<DbType>], rows: &mut dyn RowSource, binder: Binder) -> Result<u64>;

    /// Inserts rows. Gives how many they were.
    fn insert(&self, into: &BulkInsert, rows: Box<dyn RowSource>, binder: Binder) -> Result<u64>;

    /// Inserts rows, and gives the numbers that the server gave them.
    fn insert_keys(&self, into: &BulkInsert, rows: Box<dyn RowSource>, binder: Binder) -> Result<Vec<Value>>;
}

/// What makes a connection.
pub(super) type Connect = fn(&OracleOptions) -> Result<Box<dyn Link>>;

/// Connects by Oracle's client library.
pub(super) fn connect(options: &OracleOptions) -> Result<Box<dyn Link>> {
    let mut connector = Connector::new(&*options.user, &*options.password, &*options.descriptor());
    connector.stmt_cache_size(u32::try_from(options.pool.prepared).unwrap_or(u32::MAX));
    Ok(Box::new(connector.connect().map_err(connect_error)?))
}

impl Link for Connection {
    fn version(&self) -> Result<(i32, i32)> {
        let (version, _) = self.server_version().map_err(error)?;
        Ok((version.major(), version.minor()))
    }

    fn set_up(&self, setting: &str) -> Result<()> {
        self.execute(setting, &[]).map(drop).map_err(error)
    }

    fn autocommit(&self) -> bool {
        Self::autocommit(self)
    }

    fn set_autocommit(&mut self, on: bool) {
        Self::set_autocommit(self, on);
    }

    fn stop(&self) {
        // One that cannot be stopped is waited for, and closed after a while.
        let _ = self.break_execution();
    }

    fn is_there(&self) -> bool {
        // It is this call that may be told of the stop.
        let _ = Self::ping(self);
        matches!(self.status(), Ok(ConnStatus::Normal))
    }

    fn set_limit(&self, limit: Option<Duration>) -> Result<()> {
        match self.call_timeout() {
            Ok(known) if known == limit => Ok(()),
            _ if limit.is_none() => self.set_call_timeout(None).or(Ok(())),
            _ => self.set_call_timeout(limit).map_err(error),
        }
    }

    fn ping(&self) -> Result<()> {
        Self::ping(self).map_err(error)
    }

    fn commit(&self) -> Result<()> {
        Self::commit(self).map_err(error)
    }

    fn rollback(&self) -> Result<()> {
        Self::rollback(self).map_err(error)
    }

    fn run(&self, call: &Call, sink: Option<&mut dyn RowSink>) -> Result<u64> {
        call.run(self, sink)
    }

    fn serve(&self, call: &Call, opened: oneshot::Sender<Result<()>>, orders: &Receiver<Order>) -> Result<()> {
        cursor::serve(self, call, opened, orders)
    }

    fn many(&self, sql: &str, types: &[Option<DbType>], rows: &mut dyn RowSource, binder: Binder) -> Result<u64> {
        bulk::many(self, sql, types, rows, binder)
    }

    fn insert(&self, into: &BulkInsert, rows: Box<dyn RowSource>, binder: Binder) -> Result<u64> {
        bulk::insert(self, into, rows, binder)
    }

    fn insert_keys(&self, into: &BulkInsert, rows: Box<dyn RowSource>, binder: Binder) -> Result<Vec<Value>> {
        bulk::insert_keys(self, into, rows, binder)
    }
}
