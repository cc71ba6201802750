//! A connection: its statements, and its transactions.

use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::pool::Pooled;
use isogloss_driver::{
    BoxFuture, Connection, Cursor, EarlierWrite, Error, ErrorKind, Isolation, Result, RowSink, RowSource,
    TransactionOptions, fitted, only_reads, unfinished, untold,
};
use tokio::runtime::Handle;

use super::bulk;
use super::cursor::SqlServerCursor;
use super::leavings::leaves;
use super::many;
use super::pool::Manager;
use super::raw::{Params, Raw, Reads, State, params};

/// What the session goes back to behind a transaction with an isolation of its own: it would keep that.
const USUAL: &str = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// A rollback of what is there.
const ROLL_BACK: &str = "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION";

/// What is said for a transaction whose connection is dropped.
const ABANDON: &str = "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION; SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// A connection from a [`SqlServerBackend`](super::SqlServerBackend).
#[derive(Debug)]
pub struct SqlServerConnection {
    /// There until it is dropped.
    pooled: Option<Pooled<Manager>>,
    timeout: Option<Duration>,
    depth: u32,
    /// How deep it was when a bulk insert began, which has not come to its end.
    bulk: Option<u32>,
    transaction: Transaction,
}

/// What holds until the end of a transaction.
#[derive(Debug, Default)]
struct Transaction {
    /// The server has rolled it back by itself. Statements would be outside of it.
    lost: bool,
    read_only: bool,
    /// It has an isolation of its own.
    isolated: bool,
    /// The limit of before, where it has one of its own.
    outer_timeout: Option<Option<Duration>>,
}

/// Waits so long for a statement.
pub(super) async fn within<T>(limit: Option<Duration>, run: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(limit) = limit else { return run.await };
    let done = tokio::time::timeout(limit, run).await;
    done.unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, format!("the statement took longer than {limit:?}"))))
}

impl SqlServerConnection {
    pub(super) fn new(pooled: Pooled<Manager>, timeout: Option<Duration>) -> Self {
        let transaction = Transaction::default();
        Self { pooled: Some(pooled), timeout, depth: 0, bulk: None, transaction }
    }

    pub(super) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    pub(super) fn raw(&mut self) -> Result<&mut Raw> {
        let gone = || Error::new(ErrorKind::ConnectionLost, "the connection is dropped");
        self.pooled.as_deref_mut().ok_or_else(gone)
    }

    /// Takes back what a bulk insert has begun whose future was dropped: nobody knows of it.
    async fn tidy(&mut self) -> Result<()> {
        if let Some(depth) = self.bulk {
            while self.depth > depth {
                self.roll_back().await?;
            }
            self.bulk = None;
        }
        Ok(())
    }

    /// Lets a statement run, and keeps in mind what its text may do beside it.
    async fn allow_statement(&mut self, statement: &Compiled<'_>) -> Result<()> {
        self.allow(|| only_reads(statement)).await?;
        if leaves(&statement.sql) {
            let state = &mut self.raw()?.state;
            (state.scripted, state.doubtful) = (true, true);
        }
        Ok(())
    }

    /// Whether a statement may run: the transaction is there, and the statement only reads if that does. What a text does not
    /// tell is taken back with the transaction, which is rolled back at its end.
    async fn allow(&mut self, reads: impl FnOnce() -> bool) -> Result<()> {
        self.allowed(reads).await.map_err(Error::unsent)
    }

    async fn allowed(&mut self, reads: impl FnOnce() -> bool) -> Result<()> {
        self.tidy().await?;
        self.look().await?;
        self.raw()?.settle().await?;
        // What a write failed with whose rows nobody wanted any more.
        if let Some(untold) = self.raw()?.state.untold.take() {
            return Err(untold.of_earlier_write(EarlierWrite::at(self.depth)));
        }
        if self.transaction.lost {
            let message = "the server has rolled the transaction back: roll it back here, and begin again";
            return Err(Error::new(ErrorKind::TransactionFailed, message));
        }
        if self.transaction.read_only && !reads() {
            return Err(Error::new(ErrorKind::Permission, "the transaction only reads"));
        }
        Ok(())
    }

    /// Runs a statement. Gives how many rows it changed, or gave.
    pub(super) async fn run(
        &mut self,
        sql: &str,
        params: &Params<'_>,
        reads: Reads,
        sink: Option<&mut (dyn RowSink + '_)>,
    ) -> Result<u64> {
        let timeout = self.timeout;
        let done = within(timeout, self.raw()?.run(sql, params, reads, sink)).await;
        self.after(done).await
    }

    /// What has run out of time is given up at the server as well.
    pub(super) async fn after<T>(&mut self, done: Result<T>) -> Result<T> {
        if let Err(error) = &done
            && error.kind() == ErrorKind::Timeout
            && error.code().is_none()
        {
            // Where it cannot be cancelled, the state says so.
            let _ = self.raw()?.settle().await;
        }
        done
    }

    /// After an error of the server, looks whether it still has the transaction.
    async fn look(&mut self) -> Result<()> {
        if self.depth > 0 && !self.transaction.lost && !self.raw()?.state.broken {
            self.transaction.lost = !self.raw()?.in_transaction().await?;
        }
        Ok(())
    }

    /// Begins what a bulk insert is all or nothing by.
    pub(super) async fn begin_bulk(&mut self) -> Result<()> {
        let depth = self.depth;
        self.begin(&TransactionOptions::default()).await?;
        self.bulk = Some(depth);
        Ok(())
    }

    /// Commits or rolls back what a bulk insert has begun.
    pub(super) async fn end_bulk<T>(&mut self, done: Result<T>) -> Result<T> {
        self.bulk = None;
        match done {
            Ok(done) => {
                if let Err(error) = self.commit().await {
                    let _ = self.roll_back().await;
                    return Err(error);
                }
                Ok(done)
            }
            Err(error) => {
                // The error tells more than one of rolling back, which closes the connection.
                let _ = self.roll_back().await;
                Err(error)
            }
        }
    }

    /// Ends the transaction itself, by that statement.
    async fn finish(&mut self, how: &str) -> Result<()> {
        let isolated = self.transaction.isolated;
        let raw = self.raw()?;
        match isolated {
            true => raw.batch(&format!("{how}; {USUAL}")).await,
            false => raw.batch(how).await,
        }
    }

    /// Commits the transaction itself. What fails before it was sent is no matter of doubt.
    async fn commit_all(&mut self) -> Result<()> {
        self.raw()?.settle().await?;
        self.finish("COMMIT TRANSACTION").await.map_err(|error| match error.kind() {
            ErrorKind::ConnectionLost | ErrorKind::Timeout | ErrorKind::Cancelled => error.in_doubt(),
            _ => error,
        })
    }

    /// Takes everything back since the innermost begin.
    async fn roll_back(&mut self) -> Result<()> {
        if self.depth > 0 {
            // A write that was given up in it is taken back as well, and may end before its time.
            self.raw()?.state.unwanted = false;
        }
        // Where nobody knows whether the transaction is there, the connection is closed.
        let _ = self.look().await;
        if self.depth > 0 {
            self.raw()?.state.untold = None;
        }
        let (depth, lost) = (self.depth, self.transaction.lost);
        let broken = self.raw()?.state.broken;
        match depth {
            0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back")),
            // With the connection, the server ends the transaction as well.
            _ if broken => {}
            1 => self.finish(ROLL_BACK).await?,
            _ if lost => {}
            _ => self.roll_back_to(depth - 1).await?,
        }
        self.ended();
        Ok(())
    }

    /// Rolls back to a savepoint. A transaction that takes nothing but a rollback is rolled back as a whole.
    async fn roll_back_to(&mut self, savepoint: u32) -> Result<()> {
        let raw = self.raw()?;
        match raw.batch(&format!("ROLLBACK TRANSACTION s{savepoint}")).await {
            Err(error) if error.kind() == ErrorKind::TransactionFailed => {
                raw.batch(ROLL_BACK).await?;
                self.transaction.lost = true;
                Ok(())
            }
            done => done,
        }
    }

    /// A transaction or a savepoint is over.
    fn ended(&mut self) {
        self.depth -= 1;
        if self.depth == 0
            && let Some(timeout) = std::mem::take(&mut self.transaction).outer_timeout
        {
            self.timeout = timeout;
        }
    }
}

fn level(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::ReadCommitted => "READ COMMITTED",
        Isolation::RepeatableRead => "REPEATABLE READ",
        Isolation::Snapshot => "SNAPSHOT",
        _ => "SERIALIZABLE",
    }
}

impl Connection for SqlServerConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            self.allow_statement(statement).await?;
            // No row of it is taken, so that none is left to read.
            self.run(&statement.sql, &params(statement), Reads(false), None).await
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        mut sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            self.allow_statement(statement).await?;
            self.run(&statement.sql, &params(statement), Reads(only_reads(statement)), Some(&mut *sink)).await?;
            Ok(sink)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            self.allow_statement(statement).await?;
            let timeout = self.timeout;
            let raw = self.raw()?;
            let open = async {
                let (stream, state) =
                    raw.send(&statement.sql, &params(statement), Reads(only_reads(statement))).await?;
                SqlServerCursor::open(stream, state, timeout).await
            };
            Ok(Box::new(within(timeout, open).await?) as Box<dyn Cursor + 'c>)
        })
    }

    /// Many of them in a batch: the driver sends nothing before the last answer has come.
    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        let mut rows = fitted(statement, rows);
        Box::pin(async move {
            self.allow_statement(statement).await?;
            many::execute(self, statement, &mut *rows).await
        })
    }

    /// By a bulk load, in a transaction: with constraints and triggers, as an INSERT has them.
    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            self.allow(|| false).await?;
            bulk::insert(self, into, rows).await
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            self.allow(|| false).await?;
            bulk::insert_keys(self, into, rows).await
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.allow(|| false).await?;
            let timeout = self.timeout;
            let raw = self.raw()?;
            raw.state.scripted = true;
            let done = within(timeout, raw.batch(sql)).await;
            // It may have ended the transaction.
            raw.state.doubtful = true;
            if done.as_ref().is_err_and(|error| error.kind() == ErrorKind::Timeout && error.code().is_none()) {
                raw.give_up().await;
            }
            done.map_err(|error| error.with_sql(sql))
        })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.allow(|| true).await?;
            let depth = self.depth;
            options.check(depth)?;
            let raw = self.raw()?;
            raw.settle().await?;
            raw.state.doubtful = false;
            let begun = match options.isolation {
                _ if depth > 0 => raw.batch(&format!("SAVE TRANSACTION s{depth}")).await,
                Some(isolation) => {
                    let level = level(isolation);
                    raw.batch(&format!("SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRANSACTION")).await
                }
                None => raw.batch("BEGIN TRANSACTION").await,
            };
            // Of several statements, some may have run: nobody else gets that level, or that transaction.
            raw.state.broken |= begun.is_err() && depth == 0;
            begun?;
            if depth == 0 {
                self.transaction.read_only = options.read_only;
                self.transaction.isolated = options.isolation.is_some();
                if let Some(timeout) = options.statement_timeout {
                    self.transaction.outer_timeout = Some(self.timeout.replace(timeout));
                }
            }
            self.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.tidy().await?;
            match self.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to commit")),
                1 if self.transaction.read_only => self.finish(ROLL_BACK).await?,
                1 => {
                    self.allow(|| true).await?;
                    self.commit_all().await?;
                }
                // SQL Server's savepoints are not released: they end with the transaction.
                _ => self.allow(|| true).await?,
            }
            self.ended();
            Ok(())
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.tidy().await?;
            self.roll_back().await
        })
    }

    fn depth(&self) -> u32 {
        self.bulk.unwrap_or(self.depth)
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        self.timeout = timeout;
        Box::pin(std::future::ready(Ok(())))
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.raw()?.batch("SELECT 1").await })
    }

    fn close(&mut self) {
        let alone = self.depth == 0;
        if let Some(raw) = self.pooled.as_deref_mut() {
            if std::mem::take(&mut raw.state.unwanted) && alone {
                unfinished();
            }
            raw.close();
        }
    }

    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        let raw = self.pooled.as_deref_mut()?;
        (raw.state.pending && !raw.state.broken).then(|| Box::pin(raw.settle()) as BoxFuture<'_, _>)
    }
}

impl Drop for SqlServerConnection {
    /// What it has left open is taken back at once, and not when somebody takes the connection again. A write whose rows nobody
    /// wants any more is brought to its end first, unless it is taken back with its transaction.
    fn drop(&mut self) {
        let Some(mut pooled) = self.pooled.take() else { return };
        let State { pending, broken, scripted, unwanted, .. } = pooled.state;
        if let Some(error) = pooled.state.untold.take().filter(|_| self.depth == 0) {
            untold(&error);
        }
        let unwanted = unwanted && self.depth == 0;
        let open = self.depth > 0 || pending;
        // With a connection that is closed, the server takes back what is open there.
        if broken || !open || scripted && !unwanted {
            return;
        }
        pooled.state.unwanted = unwanted;
        let Ok(runtime) = Handle::try_current() else {
            pooled.state.broken = true;
            if unwanted {
                unfinished();
            }
            return;
        };
        let limit = self.timeout;
        runtime.spawn(async move {
            if unwanted {
                let bound = limit.map(|limit| limit.saturating_add(pooled.grace));
                if within(bound, pooled.settle()).await.is_err() {
                    unfinished();
                    pooled.state.broken = true;
                    return;
                }
                if let Some(error) = pooled.state.untold.take() {
                    untold(&error);
                }
            }
            if !scripted {
                let done = tokio::time::timeout(pooled.grace, pooled.batch(ABANDON)).await;
                pooled.state.broken |= !matches!(done, Ok(Ok(())));
            }
        });
    }
}
