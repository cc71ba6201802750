//! A connection: where its statements run, and its transactions.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::pool::Pooled;
use isogloss_driver::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Result, RowSink, RowSource, TransactionOptions, fitted,
};

use super::cursor::{self, SqliteCursor};
use super::error::unsure;
use super::pool::Manager;
use super::run::{Sink, away, here, owned_params, script};
use super::slot::{Control, Lent, Raw, Slot};
use super::wait::Waits;
use super::{RunLimits, Transaction, bulk, log};

/// A connection from a [`SqliteBackend`](super::SqliteBackend).
#[derive(Debug)]
pub struct SqliteConnection {
    pooled: Pooled<Manager>,
    depth: u32,
    timeout: Option<Duration>,
    /// The limit of before its transaction, where that has one of its own.
    outer_timeout: Option<Option<Duration>>,
    /// What its transaction has set aside: whether `query_only` is on.
    read_only: bool,
    /// Whether a COMMIT was begun that was not heard of again.
    committing: bool,
    /// Whether it was closed, and runs nothing more.
    closed: bool,
}

impl SqliteConnection {
    pub(super) fn new(pooled: Pooled<Manager>) -> Self {
        let timeout = pooled.statement_timeout;
        Self { pooled, depth: 0, timeout, outer_timeout: None, read_only: false, committing: false, closed: false }
    }

    fn slot(&self) -> &Arc<Slot> {
        &self.pooled.slot
    }

    fn is_open(&self) -> Result<()> {
        if self.closed {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection was closed: get another one"));
        }
        Ok(())
    }

    fn limits(&self) -> RunLimits {
        let (timeout, value_bytes) = (self.timeout, self.pooled.value_bytes);
        RunLimits { timeout, value_bytes, transaction: self.transaction() }
    }

    fn transaction(&self) -> Transaction {
        match self.depth {
            0 => Transaction::None,
            1 if self.committing => Transaction::Ending,
            _ => Transaction::Open,
        }
    }

    /// Why its transaction is over that was not ended, if it is: SQLite takes one back by itself when a write is
    /// interrupted or the disk is full.
    fn over(&self) -> Option<Error> {
        self.slot().here().as_deref().and_then(|raw| raw.over(self.transaction()))
    }

    /// A statement comes of the caller's own: what it may leave in the session is nobody else's. Whether it may leave anything.
    fn notes(&mut self, sql: &str) -> bool {
        let leaves = leaves(sql);
        self.pooled.spoiled |= leaves;
        leaves
    }

    /// Runs a statement where it belongs. Gives how many rows it changed or gave, and the sink.
    ///
    /// The usual statement is over in a microsecond, so that the future for all others is made only when it is needed. One that
    /// leaves something may set how others are waited for, and runs on a thread for what blocks.
    async fn run(&self, statement: &Compiled<'_>, mut sink: Sink, leaves: bool) -> Result<(u64, Sink)> {
        self.is_open()?;
        let told = |error: Error| error.with_statement(statement);
        if leaves {
            let run: BoxFuture<'_, _> = Box::pin(self.run_away(statement, sink));
            return run.await.map_err(told);
        }
        if let Some(done) = here(self.slot(), statement, &mut sink, self.limits()).map_err(told)? {
            if let Some(left) = self.long_log() {
                Box::pin(self.shorten_log(left)).await;
            }
            return Ok((done, sink));
        }
        let run: BoxFuture<'_, _> = Box::pin(self.run_anywhere(statement, sink));
        run.await.map_err(told)
    }

    async fn run_anywhere(&self, statement: &Compiled<'_>, mut sink: Sink) -> Result<(u64, Sink)> {
        self.slot().wait().await;
        let limits = self.limits();
        if let Some(done) = here(self.slot(), statement, &mut sink, limits)? {
            if let Some(left) = self.long_log() {
                self.shorten_log(left).await;
            }
            return Ok((done, sink));
        }
        self.run_away(statement, sink).await
    }

    async fn run_away(&self, statement: &Compiled<'_>, sink: Sink) -> Result<(u64, Sink)> {
        let params = owned_params(statement, self.pooled.value_bytes)?;
        let sql = statement.sql.clone();
        self.lend(move |raw, control| away(raw, control, &sql, &params, sink)).await
    }

    /// What a commit just now has left to others: how long the log is, and whether that of an attached file is long, if there is
    /// anything to do.
    fn long_log(&self) -> Option<(i32, bool)> {
        let (pages, beside, line) = (log::left(), log::left_beside(), &self.slot().line);
        if pages > 0 {
            line.committed();
        }
        (beside || line.log.is_due(pages)).then_some((pages, beside))
    }

    /// Does what a commit has left to others. It took effect, whatever becomes of this.
    async fn shorten_log(&self, (pages, beside): (i32, bool)) {
        let line = Arc::clone(&self.slot().line);
        let work = move |raw: &mut Raw, _: &Control| {
            if beside {
                log::checkpoint_all(&raw.connection);
            }
            line.log.shorten(pages, |mode| log::checkpoint(&raw.connection, mode));
            // It had the writers' lock.
            line.ended();
            Ok(())
        };
        if let Ok(done) = self.spawned(work) {
            let _ = done.await;
        }
    }

    /// Lends the connection to a thread for what blocks. The thread outlives this future if that is dropped: the work
    /// has everything for itself, and is interrupted then.
    async fn lend<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Raw, &Control) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let done = self.lent(work).await?;
        let mut given_up = Interrupt(Some(self.slot()));
        let done = done.await;
        given_up.0 = None;
        done.unwrap_or_else(|lost| match lost.try_into_panic() {
            // That of the caller's own rows or sink goes on to the caller.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(lost) => {
                Err(Error::new(ErrorKind::ConnectionLost, "the thread of the statement ended").with_source(lost))
            }
        })
    }

    /// Lends the connection, and does not wait for the end of the work.
    async fn lent<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Raw, &Control) -> Result<T> + Send + 'static,
    ) -> Result<tokio::task::JoinHandle<Result<T>>> {
        self.is_open()?;
        self.slot().wait().await;
        self.over().map_or_else(|| self.spawned(work), Err)
    }

    /// Lends the connection, which lies here.
    fn spawned<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Raw, &Control) -> Result<T> + Send + 'static,
    ) -> Result<tokio::task::JoinHandle<Result<T>>> {
        let slot = Arc::clone(self.slot());
        let raw = slot.here().take();
        let Some(raw) = raw else {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection is used elsewhere"));
        };
        let timeout = self.timeout;
        let patience = timeout.unwrap_or(Duration::MAX).min(self.pooled.busy_timeout);
        let mut lent = Lent::new(slot, raw);
        Ok(tokio::task::spawn_blocking(move || {
            let (slot, raw) = lent.parts()?;
            slot.control.begin(false, timeout);
            // Here it may wait for others that write.
            let _waits = Waits::enter(&slot.line, &slot.control, patience);
            let in_transaction = raw.enter();
            raw.schema = None;
            let done = work(raw, &slot.control);
            raw.succeeded = if in_transaction { done.is_ok() } else { raw.succeeded };
            done
        }))
    }

    async fn text(&self, sql: impl Into<String>) -> Result<()> {
        let statement = Compiled { sql: sql.into(), ..Compiled::default() };
        self.run(&statement, None, false).await.map(drop)
    }

    /// Commits the transaction, or tells that a COMMIT has done so whose future was dropped.
    async fn commit_all(&mut self) -> Result<()> {
        if self.committing {
            self.slot().wait().await;
            if self.slot().here().as_deref().is_some_and(|raw| raw.connection.is_autocommit() && raw.succeeded) {
                return Ok(());
            }
        }
        self.committing = true;
        let done = self.text("COMMIT").await.map_err(|error| unsure(error, true));
        self.committing = done.is_ok();
        done
    }

    /// A transaction is over: what it had set aside is as before.
    async fn ended(&mut self) -> Result<()> {
        self.depth -= 1;
        if self.depth > 0 {
            return Ok(());
        }
        self.committing = false;
        if let Some(timeout) = self.outer_timeout.take() {
            self.timeout = timeout;
        }
        if self.read_only {
            self.text("PRAGMA query_only = 0").await?;
            self.read_only = false;
        }
        Ok(())
    }
}

/// Interrupts what runs on the other thread when the future that waits for it is dropped.
struct Interrupt<'s>(Option<&'s Arc<Slot>>);

impl Drop for Interrupt<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.give_up();
        }
    }
}

/// Takes back what begins a transaction if that fails, or if nobody has heard of it: its future was dropped while it
/// waited for others that write.
struct Begun<'s> {
    slot: &'s Arc<Slot>,
    read_only: bool,
    known: bool,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if !self.known {
            self.slot.abandon(self.read_only);
        }
    }
}

/// Whether a statement may leave something in its session, as a `PRAGMA` or an `ATTACH` does: any one but those that read and
/// write rows.
fn leaves(sql: &str) -> bool {
    isogloss_driver::leaves(sql, &["REPLACE", "VALUES", "EXPLAIN"])
}

impl Connection for SqliteConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        let leaves = self.notes(&statement.sql);
        Box::pin(async move { Ok(self.run(statement, None, leaves).await?.0) })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        let leaves = self.notes(&statement.sql);
        Box::pin(async move {
            let (_, sink) = self.run(statement, Some(sink), leaves).await?;
            sink.ok_or_else(|| Error::new(ErrorKind::Other, "the sink is lost"))
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        self.notes(&statement.sql);
        Box::pin(async move {
            let told = |error: Error| error.with_statement(statement);
            let params = owned_params(statement, self.pooled.value_bytes).map_err(told)?;
            let sql = statement.sql.clone();
            let (cursor, orders) = SqliteCursor::new(self.slot());
            let timeout = self.timeout;
            let work = self.lent(move |raw, control| cursor::serve(raw, control, timeout, &sql, &params, &orders));
            work.await.map_err(told)?;
            Ok(Box::new(cursor) as Box<dyn Cursor>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        self.notes(&statement.sql);
        let this = &*self;
        Box::pin(async move {
            let (sql, most) = (statement.sql.clone(), this.pooled.value_bytes);
            let (width, mut rows) = (statement.params.len(), fitted(statement, rows));
            let done = this.lend(move |raw, control| bulk::many(raw, control, &sql, width, &mut *rows, most)).await;
            done.map_err(|error| error.with_statement(statement))
        })
    }

    fn runs_many_at_once(&self) -> bool {
        true
    }

    /// One prepared statement for all rows, in a transaction: SQLite has nothing faster.
    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let (table, most) = (into.clone(), self.pooled.value_bytes);
            let work = self.lend(move |raw, control| bulk::insert(raw, control, &table, rows, most));
            work.await.map_err(|error| error.with_sql(into.sql()))
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let (table, most) = (into.clone(), self.pooled.value_bytes);
            let work = self.lend(move |raw, control| bulk::insert_keys(raw, control, &table, rows, most));
            work.await.map_err(|error| error.with_sql(into.sql()))
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        self.pooled.spoiled = true;
        Box::pin(async move {
            let sql = sql.to_owned();
            self.lend(move |raw, control| script(raw, control, &sql)).await
        })
    }

    /// A transaction that writes takes its place as a writer at once: one that came to write later could find that
    /// another has written meanwhile. Every isolation is given: SQLite's transactions are serializable.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            options.check(self.depth)?;
            if self.depth > 0 {
                self.text(format!("SAVEPOINT s{}", self.depth)).await?;
            } else {
                let read_only = self.read_only || options.read_only;
                let mut begun = Begun { slot: self.slot(), read_only, known: false };
                if options.read_only {
                    self.text("PRAGMA query_only = 1").await?;
                }
                self.text(if options.read_only { "BEGIN" } else { "BEGIN IMMEDIATE" }).await?;
                begun.known = true;
                drop(begun);
                if !options.read_only {
                    self.slot().control.write_begins(&self.slot().line);
                }
                self.read_only = read_only;
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
                1 => self.commit_all().await?,
                depth => self.text(format!("RELEASE s{}", depth - 1)).await?,
            }
            self.ended().await
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.is_open()?;
            // A statement whose future was dropped may be about to end it.
            self.slot().wait().await;
            let over = self.over();
            match self.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back")),
                // At every depth: its savepoints are gone, too.
                _ if over.is_some() => {}
                1 => self.text("ROLLBACK").await?,
                depth => {
                    self.text(format!("ROLLBACK TO s{}", depth - 1)).await?;
                    self.text(format!("RELEASE s{}", depth - 1)).await?;
                }
            }
            // Only what was taken back is told as that.
            let untrue = over.filter(|_| self.committing);
            self.ended().await?;
            untrue.map_or(Ok(()), Err)
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
        Box::pin(async move { self.text("SELECT 1").await })
    }

    /// What still runs on a thread is given up, and what it began is taken back when it ends.
    fn close(&mut self) {
        self.closed = true;
        self.pooled.spoiled = true;
        self.slot().give_up();
    }
}

impl Drop for SqliteConnection {
    fn drop(&mut self) {
        self.pooled.slot.abandon(self.read_only);
    }
}
