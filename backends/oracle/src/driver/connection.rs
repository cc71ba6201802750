//! A connection: its statements, and its transactions.

use std::time::Duration;

use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::pool::Pooled;
use isogloss_driver::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Isolation, Result, RowSink, RowSource, TransactionOptions, fitted,
};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::cursor::OracleCursor;
use super::link::Link;
use super::pool::Manager;
use super::raw::{PATIENCE, Raw};
use super::run::Call;
use super::value::Binder;

/// A connection from an [`OracleBackend`](super::OracleBackend).
#[derive(Debug)]
pub struct OracleConnection {
    /// There until it is dropped.
    pooled: Option<Pooled<Manager>>,
    binder: Binder,
    timeout: Option<Duration>,
    /// The limit of before the transaction, where that has one of its own.
    outer_timeout: Option<Option<Duration>>,
    depth: u32,
}

impl OracleConnection {
    pub(super) fn new(pooled: Pooled<Manager>, binder: Binder, timeout: Option<Duration>) -> Self {
        Self { pooled: Some(pooled), binder, timeout, outer_timeout: None, depth: 0 }
    }

    fn raw(&self) -> Result<&Raw> {
        self.pooled.as_deref().ok_or_else(gone)
    }

    /// Runs a statement. Gives how many rows it changed, or gave, and the sink.
    async fn run(&self, call: Call, mut sink: Option<Box<dyn RowSink>>) -> Result<(u64, Option<Box<dyn RowSink>>)> {
        let work = move |connection: &dyn Link| {
            let count = connection.run(&call, sink.as_deref_mut())?;
            Ok((count, sink))
        };
        self.raw()?.lend(self.timeout, work).await
    }

    async fn text(&self, sql: impl Into<String>) -> Result<()> {
        self.run(Call::plain(sql), None).await.map(drop)
    }

    async fn set_autocommit(&mut self, on: bool) -> Result<()> {
        self.pooled.as_deref_mut().ok_or_else(gone)?.set_autocommit(on).await
    }

    /// A transaction or a savepoint is over.
    async fn ended(&mut self) -> Result<()> {
        self.depth -= 1;
        if self.depth > 0 {
            return Ok(());
        }
        if let Some(timeout) = self.outer_timeout.take() {
            self.timeout = timeout;
        }
        self.set_autocommit(true).await
    }

    /// Commits or rolls back what a bulk insert has begun.
    async fn end<T>(&mut self, done: Result<T>) -> Result<T> {
        match done {
            Ok(done) => {
                self.commit().await?;
                Ok(done)
            }
            Err(error) => {
                // The error tells more than one of rolling back would.
                let _ = self.rollback().await;
                Err(error)
            }
        }
    }
}

/// Whether an error of a COMMIT leaves open what became of it.
fn is_open(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionLost | ErrorKind::Timeout | ErrorKind::Cancelled)
}

fn gone() -> Error {
    Error::new(ErrorKind::ConnectionLost, "the connection is dropped")
}

/// What a transaction is begun by, if anything has to be said: it is there with its first statement.
fn opening(options: &TransactionOptions) -> Option<&'static str> {
    match options.isolation {
        _ if options.read_only => Some("SET TRANSACTION READ ONLY"),
        None => None,
        Some(Isolation::ReadCommitted) => Some("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
        Some(_) => Some("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
    }
}

impl Connection for OracleConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            self.raw()?.note(&statement.sql);
            Ok(self.run(Call::new(statement, self.binder)?, None).await?.0)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            self.raw()?.note(&statement.sql);
            let (_, sink) = self.run(Call::new(statement, self.binder)?, Some(sink)).await?;
            sink.ok_or_else(|| Error::new(ErrorKind::Other, "the sink is lost"))
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let call = Call::new(statement, self.binder)?;
            let raw = self.raw()?;
            raw.note(&statement.sql);
            let (cursor, orders) = OracleCursor::new(raw);
            let (opened, is_open) = oneshot::channel();
            let task = raw.lent(self.timeout, move |connection| connection.serve(&call, opened, &orders)).await;
            let mut interrupt = raw.interrupt();
            let is_open = is_open.await;
            interrupt.disarm();
            match is_open {
                Ok(open) => open?,
                // The connection was not ready, and the thread says why.
                Err(_) => match task.await {
                    Ok(done) => done?,
                    Err(lost) => {
                        let message = "the thread of the query ended";
                        return Err(Error::new(ErrorKind::ConnectionLost, message).with_source(lost));
                    }
                },
            }
            Ok(Box::new(cursor) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        let (this, mut rows) = (&*self, fitted(statement, rows));
        Box::pin(async move {
            let (sql, binder) = (statement.sql.clone(), this.binder);
            let types: Vec<Option<DbType>> = statement.params.iter().map(|param| param.ty).collect();
            let work = move |connection: &dyn Link| connection.many(&sql, &types, &mut *rows, binder);
            let raw = this.raw()?;
            raw.note(&statement.sql);
            raw.lend(this.timeout, work).await
        })
    }

    /// A text of several rows takes no value of more than 4,000 bytes.
    fn runs_many_at_once(&self) -> bool {
        true
    }

    /// By arrays of rows, in a transaction.
    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            self.begin(&TransactionOptions::default()).await?;
            let (table, binder) = (into.clone(), self.binder);
            let work = move |connection: &dyn Link| connection.insert(&table, rows, binder);
            let done = self.raw()?.lend(self.timeout, work).await;
            self.end(done).await
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            self.begin(&TransactionOptions::default()).await?;
            let (table, binder) = (into.clone(), self.binder);
            let work = move |connection: &dyn Link| connection.insert_keys(&table, rows, binder);
            let done = self.raw()?.lend(self.timeout, work).await;
            self.end(done).await
        })
    }

    /// One statement: Oracle takes no more at a time. Several are a block: `BEGIN ...; ...; END;`.
    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.raw()?.note(sql);
            self.text(sql).await.map_err(|error| error.with_sql(sql))
        })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            options.check(self.depth)?;
            if self.depth > 0 {
                self.text(format!("SAVEPOINT s{}", self.depth)).await?;
            } else {
                self.set_autocommit(false).await?;
                if let Some(opening) = opening(options)
                    && let Err(error) = self.text(opening).await
                {
                    self.set_autocommit(true).await?;
                    return Err(error);
                }
                if let Some(timeout) = options.statement_timeout {
                    self.outer_timeout = Some(self.timeout.replace(timeout));
                }
            }
            self.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to commit")),
                1 => {
                    let done = self.raw()?.lend(self.timeout, |connection| connection.commit()).await;
                    done.map_err(|error| if is_open(error.kind()) { error.in_doubt() } else { error })?;
                }
                // Oracle's savepoints are not released: they end with the transaction.
                _ => {}
            }
            self.ended().await
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back")),
                // With the connection, the server ends the transaction as well.
                _ if self.raw()?.is_broken() => {}
                1 => self.raw()?.lend(self.timeout, |connection| connection.rollback()).await?,
                depth => self.text(format!("ROLLBACK TO SAVEPOINT s{}", depth - 1)).await?,
            }
            self.ended().await
        })
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        self.timeout = timeout;
        Box::pin(std::future::ready(Ok(())))
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.raw()?.lend(self.timeout, |connection| connection.ping()).await })
    }

    fn close(&mut self) {
        if let Some(pooled) = self.pooled.as_deref_mut() {
            pooled.close();
        }
    }
}

impl Drop for OracleConnection {
    /// What it has left open is taken back at once, and not when somebody takes the connection again.
    fn drop(&mut self) {
        let Some(mut pooled) = self.pooled.take() else { return };
        if pooled.is_broken() || pooled.autocommit() {
            return;
        }
        let Ok(runtime) = Handle::try_current() else {
            pooled.close();
            return;
        };
        runtime.spawn(async move {
            let undo = async {
                pooled.lend(None, |connection| connection.rollback()).await?;
                pooled.set_autocommit(true).await
            };
            if !matches!(tokio::time::timeout(PATIENCE, undo).await, Ok(Ok(()))) {
                pooled.close();
            }
        });
    }
}
