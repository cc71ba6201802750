//! A connection whose calls are recorded.

use std::sync::Arc;
use std::time::Duration;

use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};

use crate::source::Counted;
use crate::trace::Call;
use crate::{BoxFuture, Connection, Cursor, Origin, Result, RowSink, RowSource, TransactionOptions};

/// A connection whose calls are told to `tracing` and to the metrics. Where nobody listens, it hands them on as they are.
#[derive(Debug)]
pub(crate) struct Watched<C> {
    inner: C,
    origin: Arc<Origin>,
}

impl<C: Connection> Watched<C> {
    pub(crate) fn new(inner: C, origin: Arc<Origin>) -> Self {
        Self { inner, origin }
    }

    fn statement(&self, statement: &Compiled<'_>) -> Option<Call> {
        Call::begin(&self.origin, || statement.summary(), Some(&statement.sql))
    }

    fn bulk(&self, into: &BulkInsert) -> Option<Call> {
        Call::begin(&self.origin, || format!("INSERT {}", into.parts.join(".")), Some(into.sql()))
    }

    fn named(&self, name: &str) -> Option<Call> {
        Call::begin(&self.origin, || name.to_owned(), None)
    }
}

fn told<'c, T: Send + 'c>(call: Option<Call>, run: BoxFuture<'c, Result<T>>) -> BoxFuture<'c, Result<T>> {
    match call {
        Some(call) => Box::pin(call.run(run)),
        None => run,
    }
}

/// What takes rows, with their number.
fn batch<'c, C: Connection, T: Send + 'c>(
    connection: &'c mut C,
    call: Option<Call>,
    rows: Box<dyn RowSource>,
    run: impl FnOnce(&'c mut C, Box<dyn RowSource>) -> BoxFuture<'c, Result<T>>,
) -> BoxFuture<'c, Result<T>> {
    let Some(mut call) = call else { return run(connection, rows) };
    let (rows, steps) = Counted::of(rows);
    let run = run(connection, rows);
    Box::pin(async move {
        let done = call.portion(run).await;
        call.batch(steps.count());
        done
    })
}

impl<C: Connection> Connection for Watched<C> {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        told(self.statement(statement), self.inner.execute(statement))
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        told(self.statement(statement), self.inner.query(statement, sink))
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        let call = self.statement(statement);
        let open = self.inner.open(statement);
        let Some(mut call) = call else { return open };
        Box::pin(async move {
            let inner = call.portion(open).await?;
            Ok(Box::new(WatchedCursor { inner, call }) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        let call = self.statement(statement);
        batch(&mut self.inner, call, rows, |inner, rows| inner.execute_many(statement, rows))
    }

    fn runs_many_at_once(&self) -> bool {
        self.inner.runs_many_at_once()
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        let call = self.bulk(into);
        batch(&mut self.inner, call, rows, |inner, rows| inner.bulk_insert(into, rows))
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        let call = self.bulk(into);
        batch(&mut self.inner, call, rows, |inner, rows| inner.bulk_insert_keys(into, rows))
    }

    /// Without its text, which may have values in it.
    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        let summary = || Compiled { sql: sql.to_owned(), ..Compiled::default() }.summary();
        told(Call::begin(&self.origin, summary, None), self.inner.script(sql))
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        let name = if self.inner.depth() == 0 { "BEGIN" } else { "SAVEPOINT" };
        told(self.named(name), self.inner.begin(options))
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        let name = if self.inner.depth() > 1 { "RELEASE" } else { "COMMIT" };
        told(self.named(name), self.inner.commit())
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        told(self.named("ROLLBACK"), self.inner.rollback())
    }

    fn depth(&self) -> u32 {
        self.inner.depth()
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        self.inner.set_statement_timeout(timeout)
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        self.inner.ping()
    }

    fn close(&mut self) {
        self.inner.close();
    }
}

/// A stream whose span ends with it. The time that its reader takes is not counted.
struct WatchedCursor<'c> {
    inner: Box<dyn Cursor + 'c>,
    call: Call,
}

impl Cursor for WatchedCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(self.call.portion(self.inner.fill(sink)))
    }
}
