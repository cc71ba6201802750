//! A connection: its statements, and its transactions.

use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::pool::Pooled;
use isogloss_driver::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Isolation, PoolOptions, Result, RowSink, RowSource,
    TransactionOptions, fitted, leaves,
};
use tokio::runtime::Handle;

use super::bulk;
use super::cursor::{self, DuckDbCursor};
use super::error::error;
use super::pool::{Manager, clean, roll_back};
use super::raw::{Raw, Watch};
use super::run::{Around, Call};

/// A connection from a [`DuckDbBackend`](super::DuckDbBackend).
#[derive(Debug)]
pub struct DuckDbConnection {
    /// There until it is dropped.
    pooled: Option<Pooled<Manager>>,
    timeout: Option<Duration>,
    value_bytes: usize,
    /// The limit of before the transaction, where that has one of its own.
    outer_timeout: Option<Option<Duration>>,
    transaction: Transaction,
    /// Whether a cursor in the transaction has failed.
    cursor_failed: bool,
    closed: bool,
}

/// What its caller knows of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transaction {
    None,
    Open,
    /// A statement of it failed or was given up.
    Failed,
    /// A COMMIT was begun, and its caller has not heard of its end.
    Ending,
}

impl DuckDbConnection {
    pub(super) fn new(pooled: Pooled<Manager>, options: &PoolOptions) -> Self {
        Self {
            pooled: Some(pooled),
            timeout: options.statement_timeout,
            value_bytes: options.value_bytes,
            outer_timeout: None,
            transaction: Transaction::None,
            cursor_failed: false,
            closed: false,
        }
    }

    fn raw(&mut self) -> Result<&mut Raw> {
        match self.pooled.as_deref_mut() {
            Some(raw) if !self.closed => Ok(raw),
            _ => Err(Error::new(ErrorKind::ConnectionLost, "the connection was closed: get another one").unsent()),
        }
    }

    /// A statement comes of the caller's own: what it may leave in the session is nobody else's. Gives the transaction that it
    /// is run in.
    fn note(&mut self, sql: &str) -> Around {
        let leaves = leaves(sql, &["VALUES", "EXPLAIN", "FROM", "DESCRIBE", "SHOW"]);
        if let Ok(raw) = self.raw() {
            raw.spoiled |= leaves;
        }
        match self.transaction {
            Transaction::None if !leaves => Around::Own,
            Transaction::Open if leaves => Around::Callers,
            _ => Around::Any,
        }
    }

    /// Before something runs: a transaction that was begun and not heard of is taken back, and one that has failed takes
    /// nothing more.
    async fn ready(&mut self) -> Result<()> {
        let failed = std::mem::take(&mut self.cursor_failed);
        if failed && self.transaction == Transaction::Open {
            self.transaction = Transaction::Failed;
        }
        let transaction = self.transaction;
        let raw = self.raw()?;
        match transaction {
            Transaction::None => clean(raw).await,
            Transaction::Open => Ok(()),
            Transaction::Failed => {
                let message = "a statement of the transaction failed or was given up: roll it back";
                Err(Error::new(ErrorKind::TransactionFailed, message).unsent())
            }
            Transaction::Ending => Err(in_doubt()),
        }
    }

    /// Does something with the connection. In a transaction, what fails or is given up has ended that.
    async fn work<T: Send + 'static>(
        &mut self,
        writes: bool,
        work: impl FnOnce(&duckdb::Connection, &Watch) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.ready().await?;
        let (timeout, before) = (self.timeout, self.transaction);
        if before == Transaction::Open {
            self.transaction = Transaction::Failed;
        }
        let done = self.raw()?.lend(timeout, work).await;
        // What the caller's own sink or values are wrong about is none of DuckDB's business, unless rows were written.
        if done.as_ref().err().is_none_or(|error| !writes && !of_engine(error)) {
            self.transaction = before;
        }
        done
    }

    async fn run(&mut self, call: Call, mut sink: Option<Box<dyn RowSink>>) -> Result<(u64, Option<Box<dyn RowSink>>)> {
        self.work(false, move |connection, watch| {
            let count = call.run(connection, watch, sink.as_deref_mut())?;
            Ok((count, sink))
        })
        .await
    }

    async fn text(&mut self, sql: &'static str) -> Result<()> {
        self.run(Call::plain(sql), None).await.map(drop)
    }

    /// Does something all or not at all: in a transaction, or in the one that is open, which fails with it.
    async fn whole<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&duckdb::Connection, &Watch) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let around = match self.transaction {
            Transaction::None => Around::Own,
            _ => Around::Any,
        };
        self.work(true, move |connection, watch| around.run(connection, watch, || work(connection, watch))).await
    }

    /// The transaction is over.
    fn ended(&mut self) {
        self.transaction = Transaction::None;
        if let Some(timeout) = self.outer_timeout.take() {
            self.timeout = timeout;
        }
        if let Some(raw) = self.pooled.as_deref_mut() {
            raw.begun = false;
        }
    }
}

/// Whether an error is DuckDB's, or of what was interrupted.
fn of_engine(error: &Error) -> bool {
    use ErrorKind as K;
    error.code().is_some()
        || matches!(error.kind(), K::Cancelled | K::Timeout | K::ConnectionLost | K::TransactionFailed)
}

fn in_doubt() -> Error {
    let message = "the future of the transaction's COMMIT was dropped before its end was told: roll it back, and look";
    Error::new(ErrorKind::TransactionFailed, message).in_doubt()
}

/// What a transaction is begun by.
fn opening(options: &TransactionOptions) -> Result<&'static str> {
    match options.isolation {
        Some(Isolation::Serializable) => {
            let message =
                "DuckDB has snapshots: two transactions that each read what the other one writes both succeed";
            Err(Error::new(ErrorKind::Configuration, message))
        }
        _ if options.read_only => Ok("BEGIN TRANSACTION READ ONLY"),
        _ => Ok("BEGIN TRANSACTION"),
    }
}

impl Connection for DuckDbConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let around = self.note(&statement.sql);
            let told = |error: Error| error.with_statement(statement);
            let call = Call::new(statement, self.value_bytes, around).map_err(told)?;
            Ok(self.run(call, None).await.map_err(told)?.0)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let around = self.note(&statement.sql);
            let told = |error: Error| error.with_statement(statement);
            let call = Call::new(statement, self.value_bytes, around).map_err(told)?;
            let (_, sink) = self.run(call, Some(sink)).await.map_err(told)?;
            sink.ok_or_else(|| Error::new(ErrorKind::Other, "the sink is lost"))
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let around = self.note(&statement.sql);
            let call =
                Call::new(statement, self.value_bytes, around).map_err(|error| error.with_statement(statement))?;
            self.ready().await?;
            let (orders, receiver) = cursor::orders();
            let timeout = self.timeout;
            let raw = self.raw()?;
            let work = move |connection: &duckdb::Connection, watch: &Watch| {
                cursor::serve(connection, watch, &call, &receiver)
            };
            let (task, interrupt) = raw.lent(work).await;
            drop(task);
            let failed = &mut self.cursor_failed;
            Ok(Box::new(DuckDbCursor::new(orders, interrupt, timeout, failed)) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let around = match self.note(&statement.sql) {
                // Each of them commits by itself.
                Around::Own => Around::Any,
                around => around,
            };
            let (sql, most, mut rows) = (statement.sql.clone(), self.value_bytes, fitted(statement, rows));
            let work = move |connection: &duckdb::Connection, watch: &Watch| {
                around.run(connection, watch, || bulk::many(connection, watch, &sql, &mut *rows, most))
            };
            self.work(true, work).await.map_err(|error| error.with_statement(statement))
        })
    }

    /// By the appender.
    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let (table, most) = (into.clone(), self.value_bytes);
            let done = self.whole(move |connection, watch| bulk::insert(connection, watch, &table, rows, most)).await;
            done.map_err(|error| error.with_sql(into.sql()))
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let (table, most) = (into.clone(), self.value_bytes);
            let work = self.whole(move |connection, watch| bulk::insert_keys(connection, watch, &table, rows, most));
            work.await.map_err(|error| error.with_sql(into.sql()))
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.raw()?.spoiled = true;
            let around = match self.transaction {
                Transaction::None => Around::Any,
                _ => Around::Callers,
            };
            let text = sql.to_owned();
            let work = move |connection: &duckdb::Connection, watch: &Watch| {
                around.run(connection, watch, || connection.execute_batch(&text).map_err(error))
            };
            self.work(true, work).await.map_err(|error| error.with_sql(sql))
        })
    }

    /// DuckDB has no savepoints. READ COMMITTED and REPEATABLE READ are what a snapshot gives, and more.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            if self.transaction != Transaction::None {
                self.ready().await?;
                let message = "DuckDB has no savepoints: a transaction in a transaction is not to be had";
                return Err(Error::new(ErrorKind::Configuration, message).unsent());
            }
            options.check(self.depth())?;
            let opening = opening(options)?;
            self.ready().await?;
            self.raw()?.begun = true;
            self.text_now(opening).await?;
            self.transaction = Transaction::Open;
            if let Some(timeout) = options.statement_timeout {
                self.outer_timeout = Some(self.timeout.replace(timeout));
            }
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if self.transaction == Transaction::None {
                return Err(Error::new(ErrorKind::Other, "there is no transaction to commit"));
            }
            // One that has failed DuckDB would roll back, and say that it is committed.
            self.ready().await?;
            self.transaction = Transaction::Ending;
            if let Err(error) = self.text_now("COMMIT").await {
                // It was taken back with it.
                self.transaction = Transaction::Failed;
                let open = matches!(error.kind(), ErrorKind::ConnectionLost);
                return Err(if open { error.in_doubt() } else { error });
            }
            self.ended();
            Ok(())
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let transaction = self.transaction;
            if transaction == Transaction::None {
                return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back"));
            }
            roll_back(self.raw()?).await?;
            self.ended();
            match transaction {
                // Only what was taken back is told as that.
                Transaction::Ending => Err(in_doubt()),
                _ => Ok(()),
            }
        })
    }

    fn depth(&self) -> u32 {
        u32::from(self.transaction != Transaction::None)
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        self.timeout = timeout;
        Box::pin(std::future::ready(Ok(())))
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.text("SELECT 1").await })
    }

    /// What still runs is interrupted when its future is dropped, and what it began is taken back with the connection.
    fn close(&mut self) {
        self.closed = true;
        if let Some(raw) = self.pooled.as_deref_mut() {
            raw.spoiled = true;
        }
    }
}

impl DuckDbConnection {
    /// Runs what begins or ends a transaction.
    async fn text_now(&mut self, sql: &'static str) -> Result<()> {
        let timeout = self.timeout;
        self.raw()?
            .lend(timeout, move |connection, watch| Call::plain(sql).run(connection, watch, None))
            .await
            .map(drop)
    }
}

impl Drop for DuckDbConnection {
    /// What it has left open is taken back at once, and not when somebody takes the connection again.
    fn drop(&mut self) {
        let Some(mut pooled) = self.pooled.take() else { return };
        if pooled.spoiled || !pooled.begun {
            return;
        }
        let Ok(runtime) = Handle::try_current() else {
            pooled.spoiled = true;
            return;
        };
        runtime.spawn(async move {
            if clean(&mut pooled).await.is_err() {
                pooled.spoiled = true;
            }
        });
    }
}
