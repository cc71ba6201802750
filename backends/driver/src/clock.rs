//! Our own clock for what runs on a server: one that has gone silent does not hold a caller.
//!
//! A backend asks its server to end a statement whose time is over, and most often the server does. What is here holds
//! where it does not: some seconds later the call is given up, and the connection closed.

use std::any::Any;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};

use crate::connection::only_reads;
use crate::source::{Counted, Steps};
use crate::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, PoolOptions, Result, Row, RowSink, RowSource,
    TransactionOptions,
};

/// How much later than it was due a clock is looked at if nobody has asked for what it is about.
const UNASKED: Duration = Duration::from_secs(1);

/// A connection whose calls end in time.
#[derive(Debug)]
pub(crate) struct Bounded<C: Connection> {
    inner: C,
    clock: Clock,
    /// The limit of before its transaction, where that has one of its own.
    outer: Option<Option<Duration>>,
    /// A stream has run out of time: the connection is closed before anything else.
    late: bool,
    /// It was closed or lost: nothing is sent, unless the backend has opened another one.
    gone: bool,
}

/// How long a call may take.
#[derive(Debug, Clone, Copy)]
struct Clock {
    limit: Option<Duration>,
    grace: Duration,
}

impl Clock {
    /// When a call is given up whose own limit is that of statements.
    fn bound(self) -> Option<Duration> {
        self.limit.map(|limit| limit.saturating_add(self.grace))
    }

    fn late(self) -> Error {
        let bound = self.bound().unwrap_or_default();
        Error::new(
            ErrorKind::Timeout,
            format!("the server did not answer within {bound:?}, and the connection was closed"),
        )
    }

    /// What comes of a call; nothing if it takes too long.
    ///
    /// What is answered at once needs no timer.
    async fn run<T>(self, call: impl Future<Output = T>) -> Option<T> {
        let Some(bound) = self.bound() else { return Some(call.await) };
        let mut call = pin!(call);
        if let Poll::Ready(done) = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
            return Some(done);
        }
        tokio::time::timeout(bound, call).await.ok()
    }

    /// What comes of a call that takes or gives rows, each of which is a sign of life; nothing if
    /// none comes for too long.
    async fn run_with<T>(self, steps: &Steps, call: impl Future<Output = T>) -> Option<T> {
        let Some(bound) = self.bound() else { return Some(call.await) };
        let mut call = pin!(call);
        if let Poll::Ready(done) = poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx))).await {
            return Some(done);
        }
        let mut seen = steps.count();
        loop {
            let since = Instant::now();
            match tokio::time::timeout(bound, call.as_mut()).await {
                Ok(done) => return Some(done),
                // Nobody has asked for that long: what has come meanwhile could not be taken.
                Err(_) if since.elapsed() > bound.saturating_add(UNASKED) => {}
                Err(_) if steps.count() == seen => return None,
                Err(_) => seen = steps.count(),
            }
        }
    }
}

/// A sink whose rows are signs of life.
struct CountedSink {
    sink: Box<dyn RowSink>,
    steps: Steps,
}

impl RowSink for CountedSink {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.steps.step();
        self.sink.row(row)
    }

    fn most(&self) -> usize {
        self.sink.most()
    }
}

impl<C: Connection> Bounded<C> {
    pub(crate) fn new(inner: C, options: &PoolOptions) -> Self {
        let clock = Clock { limit: options.statement_timeout, grace: options.grace };
        Self { inner, clock, outer: None, late: false, gone: false }
    }

    /// The connection, which is closed first if a stream has run out of time on it.
    fn ready(&mut self) -> &mut C {
        if std::mem::take(&mut self.late) {
            self.close();
        }
        &mut self.inner
    }

    /// Closes the connection, whose call was dropped before that.
    fn closed(&mut self) -> Error {
        self.close();
        self.clock.late()
    }

    /// Whether what is sent now is a transaction by itself.
    fn is_alone(&self) -> bool {
        self.inner.depth() == 0 && !self.gone && !self.late
    }

    /// Keeps in mind whether the connection is lost. What a server answers, by an error too, shows that it is not.
    fn noted<T>(&mut self, done: Result<T>) -> Result<T> {
        self.gone = match &done {
            Ok(_) => false,
            Err(error) if error.kind() == ErrorKind::ConnectionLost => true,
            Err(error) => self.gone && error.code().is_none(),
        };
        done
    }

    /// What has come of a call that ran a statement, which was outside of a transaction or not.
    fn come<T>(&mut self, done: Option<Result<T>>, alone: bool, statement: &Compiled<'_>) -> Result<T> {
        let done = done.unwrap_or_else(|| Err(self.closed()));
        self.noted(done).map_err(|error| told(error, alone, statement))
    }

    /// What has come of a call that wrote, which was outside of a transaction or not.
    fn written<T>(&mut self, done: Option<Result<T>>, alone: bool, sql: &str) -> Result<T> {
        let done = done.unwrap_or_else(|| Err(self.closed()));
        self.noted(done).map_err(|error| doubted(error, alone).with_sql(sql))
    }

    /// A transaction is over, with the limit that it had.
    fn left(&mut self) {
        if self.inner.depth() == 0
            && let Some(limit) = self.outer.take()
        {
            self.clock.limit = limit;
        }
    }
}

impl<C: Connection> Connection for Bounded<C> {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let clock = self.clock;
            let alone = self.is_alone();
            let done = clock.run(self.ready().execute(statement)).await;
            self.come(done, alone, statement)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let clock = self.clock;
            let alone = self.is_alone();
            let done = clock.run(self.ready().query(statement, sink)).await;
            self.come(done, alone, statement)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            self.ready();
            let alone = self.is_alone();
            let Self { inner, clock, late, gone, .. } = self;
            match clock.run(inner.open(statement)).await {
                Some(Ok(cursor)) => {
                    let cursor = BoundedCursor { inner: cursor, clock: *clock, late, gone, alone, statement };
                    Ok(Box::new(cursor) as Box<dyn Cursor + 'c>)
                }
                Some(Err(error)) => {
                    *gone |= error.kind() == ErrorKind::ConnectionLost;
                    Err(told(error, alone, statement))
                }
                None => {
                    *late = true;
                    Err(told(clock.late(), alone, statement))
                }
            }
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let clock = self.clock;
            let (rows, steps) = Counted::of(rows);
            let alone = self.is_alone();
            match clock.run_with(&steps, self.ready().execute_many(statement, rows)).await {
                Some(Err(error)) if steps.have_failed() => Err(error.with_statement(statement)),
                done => self.come(done, alone, statement),
            }
        })
    }

    fn runs_many_at_once(&self) -> bool {
        self.inner.runs_many_at_once()
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let clock = self.clock;
            let (rows, steps) = Counted::of(rows);
            let alone = self.is_alone();
            match clock.run_with(&steps, self.ready().bulk_insert(into, rows)).await {
                Some(Err(error)) if steps.have_failed() => Err(error.with_sql(into.sql())),
                done => self.written(done, alone, into.sql()),
            }
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let clock = self.clock;
            let (rows, steps) = Counted::of(rows);
            let alone = self.is_alone();
            match clock.run_with(&steps, self.ready().bulk_insert_keys(into, rows)).await {
                Some(Err(error)) if steps.have_failed() => Err(error.with_sql(into.sql())),
                done => self.written(done, alone, into.sql()),
            }
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let clock = self.clock;
            let alone = self.is_alone();
            let done = clock.run(self.ready().script(sql)).await;
            self.written(done, alone, sql)
        })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let clock = self.clock;
            match clock.run(self.ready().begin(options)).await {
                Some(Ok(())) => {
                    if let Some(limit) = options.statement_timeout {
                        self.outer = Some(self.clock.limit.replace(limit));
                    }
                    Ok(())
                }
                Some(Err(error)) => Err(error),
                None => Err(self.closed().at("BEGIN")),
            }
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let (clock, outermost) = (self.clock, self.inner.depth() == 1);
            let done = clock.run(self.ready().commit()).await;
            let done = done.unwrap_or_else(|| {
                let error = self.closed();
                Err(if outermost { error.at("COMMIT").in_doubt() } else { error })
            });
            self.left();
            done
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let clock = self.clock;
            let done = clock.run(self.ready().rollback()).await;
            let done = done.unwrap_or_else(|| Err(self.closed().at("ROLLBACK")));
            self.left();
            done
        })
    }

    fn depth(&self) -> u32 {
        self.inner.depth()
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let clock = self.clock;
            match clock.run(self.ready().set_statement_timeout(timeout)).await {
                Some(done) => {
                    if done.is_ok() {
                        self.clock.limit = timeout;
                    }
                    done
                }
                None => Err(self.closed()),
            }
        })
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let clock = self.clock;
            match clock.run(self.ready().ping()).await {
                Some(done) => done,
                None => Err(self.closed()),
            }
        })
    }

    fn close(&mut self) {
        self.gone = true;
        self.inner.close();
    }
}

/// An error of a statement.
fn told(error: Error, alone: bool, statement: &Compiled<'_>) -> Error {
    doubted(error, alone && !only_reads(statement)).with_statement(statement)
}

/// An error of what commits by itself, or not. Where that was given up without an answer, or the connection was lost, nobody
/// knows whether it has.
fn doubted(error: Error, commits: bool) -> Error {
    let unanswered = match error.kind() {
        ErrorKind::ConnectionLost => true,
        // That of the server has its code.
        ErrorKind::Timeout => error.code().is_none(),
        _ => false,
    };
    if unanswered && commits { error.in_doubt() } else { error }
}

/// What a stream has left hanging is not given to anybody else.
impl<C: Connection> Drop for Bounded<C> {
    fn drop(&mut self) {
        self.ready();
    }
}

/// A stream whose rows come in time. The time that the caller takes between two calls does not count.
struct BoundedCursor<'c> {
    inner: Box<dyn Cursor + 'c>,
    clock: Clock,
    late: &'c mut bool,
    gone: &'c mut bool,
    /// Whether it runs outside of a transaction.
    alone: bool,
    statement: &'c Compiled<'c>,
}

impl Cursor for BoundedCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            if *self.late {
                return Err(self.clock.late());
            }
            let steps = Steps::default();
            let counted = Box::new(CountedSink { sink, steps: steps.clone() });
            match self.clock.run_with(&steps, self.inner.fill(counted)).await {
                Some(done) => {
                    let (sink, more) = done.map_err(|error| {
                        *self.gone |= error.kind() == ErrorKind::ConnectionLost;
                        told(error, self.alone, self.statement)
                    })?;
                    let sink: Box<dyn Any> = sink;
                    match sink.downcast::<CountedSink>() {
                        Ok(counted) => Ok((counted.sink, more)),
                        Err(_) => {
                            Err(Error::new(ErrorKind::Other, "the cursor gave back another sink than it was given"))
                        }
                    }
                }
                None => {
                    *self.late = true;
                    Err(told(self.clock.late(), self.alone, self.statement))
                }
            }
        })
    }
}
