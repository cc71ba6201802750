//! Client-side time limits for calls to a server, so that a server that no longer answers does not block the caller.
//!
//! A backend also asks its server to end a statement at its time limit, and usually the server does. The limits here
//! apply when it does not: after some more seconds the call is given up and the connection is closed.

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
    role: Role,
}

/// What is known of the server's role.
#[derive(Debug, Default)]
struct Role {
    /// It was found to accept no writes: the connection is closed before anything but its transaction.
    demoted: bool,
    /// The transaction is one that only reads, so nothing is learned from what it may not write.
    reads: bool,
}

impl Role {
    /// An error of a statement.
    fn noticed(&mut self, error: Error) -> Error {
        if error.kind() != ErrorKind::ReadOnly {
            return error;
        }
        if self.reads {
            return error.with_kind(ErrorKind::Permission);
        }
        self.demoted = true;
        error
    }
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
        let (limit, grace) = (self.limit.unwrap_or_default(), self.grace);
        Error::new(
            ErrorKind::Timeout,
            format!(
                "the statement exceeded its limit of {limit:?}; the server did not end it within another {grace:?}, so the \
                 connection was closed"
            ),
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

    fn is_awaited(&self) -> bool {
        self.sink.is_awaited()
    }
}

/// What a call runs.
#[derive(Clone, Copy)]
enum Ran<'r> {
    Statement(&'r Compiled<'r>),
    /// Text that writes.
    Text(&'r str),
}

impl Ran<'_> {
    /// An error of it. Where what commits by itself was sent and given up without an answer, or the connection was lost, nobody
    /// knows whether it has.
    fn told(self, error: Error, alone: bool) -> Error {
        let unanswered = match error.kind() {
            ErrorKind::ConnectionLost => true,
            // That of the server has its code.
            ErrorKind::Timeout => error.code().is_none(),
            _ => false,
        };
        let writes = || match self {
            Self::Statement(statement) => !only_reads(statement),
            Self::Text(_) => true,
        };
        let error = if alone && unanswered && writes() { error.in_doubt() } else { error };
        match self {
            Self::Statement(statement) => error.with_statement(statement),
            Self::Text(sql) => error.with_sql(sql),
        }
    }
}

impl<C: Connection> Bounded<C> {
    pub(crate) fn new(inner: C, options: &PoolOptions) -> Self {
        let clock = Clock { limit: options.statement_timeout, grace: options.grace };
        Self { inner, clock, outer: None, late: false, role: Role::default() }
    }

    /// Closes the connection first if a stream has run out of time on it.
    fn in_time(&mut self) -> &mut C {
        if std::mem::take(&mut self.late) || self.role.demoted && self.inner.depth() == 0 {
            self.role.demoted = false;
            self.close();
        }
        &mut self.inner
    }

    /// Brings to its end what was given up before: it has its own time, and not that of what is to be sent. Whether that is a
    /// transaction by itself.
    async fn ready(&mut self) -> Result<bool> {
        let clock = self.clock;
        let settled = match self.in_time().unsettled() {
            Some(settling) => clock.run(settling).await,
            None => Some(Ok(())),
        };
        let Some(Ok(())) = settled else {
            self.close();
            let message = "what was given up before did not end, and the connection was closed: nothing else was sent on it, \
                           take another one";
            let error = Error::new(ErrorKind::ConnectionLost, message).unsent();
            return Err(match settled {
                Some(Err(cause)) => error.with_source(cause),
                _ => error,
            });
        };
        Ok(self.inner.depth() == 0)
    }

    async fn ready_for(&mut self, ran: Ran<'_>) -> Result<bool> {
        self.ready().await.map_err(|error| ran.told(error, false))
    }

    /// Closes the connection, whose call was dropped before that.
    fn closed(&mut self) -> Error {
        self.close();
        self.clock.late()
    }

    /// What has come of a call, which was outside of a transaction or not. What its own rows failed with is no matter of the
    /// connection.
    fn come<T>(&mut self, done: Option<Result<T>>, alone: bool, ran: Ran<'_>, rows: Option<&Steps>) -> Result<T> {
        let alone =
            alone && !(done.is_some() && rows.is_some_and(Steps::have_failed)) && self.inner.may_have_taken_effect();
        let done = done.unwrap_or_else(|| Err(self.closed())).map_err(|error| ran.told(error, alone));
        done.map_err(|error| self.role.noticed(error))
    }

    /// A transaction is over, with the limit that it had.
    fn left(&mut self) {
        if self.inner.depth() > 0 {
            return;
        }
        self.role.reads = false;
        if let Some(limit) = self.outer.take() {
            self.clock.limit = limit;
        }
    }
}

impl<C: Connection> Connection for Bounded<C> {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let ran = Ran::Statement(statement);
            let alone = self.ready_for(ran).await?;
            let done = self.clock.run(self.inner.execute(statement)).await;
            self.come(done, alone, ran, None)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let ran = Ran::Statement(statement);
            let alone = self.ready_for(ran).await?;
            let done = self.clock.run(self.inner.query(statement, sink)).await;
            self.come(done, alone, ran, None)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let ran = Ran::Statement(statement);
            let alone = self.ready_for(ran).await?;
            let Self { inner, clock, late, role, .. } = self;
            let done = clock.run(inner.open(statement)).await;
            let done = done.unwrap_or_else(|| {
                *late = true;
                Err(clock.late())
            });
            let inner = done.map_err(|error| role.noticed(ran.told(error, alone)))?;
            Ok(Box::new(BoundedCursor { inner, clock: *clock, late, role, alone, ran }) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let ran = Ran::Statement(statement);
            let alone = self.ready_for(ran).await?;
            let (rows, steps) = Counted::of(rows);
            let done = self.clock.run_with(&steps, self.inner.execute_many(statement, rows)).await;
            self.come(done, alone, ran, Some(&steps))
        })
    }

    fn runs_many_at_once(&self) -> bool {
        self.inner.runs_many_at_once()
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let ran = Ran::Text(into.sql());
            let alone = self.ready_for(ran).await?;
            let (rows, steps) = Counted::of(rows);
            let done = self.clock.run_with(&steps, self.inner.bulk_insert(into, rows)).await;
            self.come(done, alone, ran, Some(&steps))
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let ran = Ran::Text(into.sql());
            let alone = self.ready_for(ran).await?;
            let (rows, steps) = Counted::of(rows);
            let done = self.clock.run_with(&steps, self.inner.bulk_insert_keys(into, rows)).await;
            self.come(done, alone, ran, Some(&steps))
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let ran = Ran::Text(sql);
            let alone = self.ready_for(ran).await?;
            let done = self.clock.run(self.inner.script(sql)).await;
            self.come(done, alone, ran, None)
        })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.ready().await?;
            let done = self.clock.run(self.inner.begin(options)).await;
            done.unwrap_or_else(|| Err(self.closed().at("BEGIN")))?;
            self.role.reads |= options.read_only;
            if let Some(limit) = options.statement_timeout {
                self.outer = Some(self.clock.limit.replace(limit));
            }
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.ready().await?;
            let outermost = self.inner.depth() == 1;
            let done = self.clock.run(self.inner.commit()).await;
            let done = done.unwrap_or_else(|| {
                let error = self.closed();
                Err(if outermost { error.at("COMMIT").in_doubt() } else { error })
            });
            self.left();
            done.map_err(|error| self.role.noticed(error))
        })
    }

    /// What was given up in the transaction is taken back with it: nobody waits for that.
    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let clock = self.clock;
            let done = clock.run(self.in_time().rollback()).await;
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
            let done = clock.run(self.in_time().set_statement_timeout(timeout)).await;
            done.unwrap_or_else(|| Err(self.closed()))?;
            self.clock.limit = timeout;
            Ok(())
        })
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            self.ready().await?;
            let done = self.clock.run(self.inner.ping()).await;
            done.unwrap_or_else(|| Err(self.closed()))
        })
    }

    fn close(&mut self) {
        self.inner.close();
    }
}

/// What a stream has left hanging is not given to anybody else.
impl<C: Connection> Drop for Bounded<C> {
    fn drop(&mut self) {
        self.in_time();
    }
}

/// A stream whose rows come in time. The time that the caller takes between two calls does not count.
struct BoundedCursor<'c> {
    inner: Box<dyn Cursor + 'c>,
    clock: Clock,
    late: &'c mut bool,
    role: &'c mut Role,
    /// Whether it runs outside of a transaction.
    alone: bool,
    ran: Ran<'c>,
}

impl Cursor for BoundedCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            if *self.late {
                return Err(self.clock.late());
            }
            let steps = Steps::default();
            let counted = Box::new(CountedSink { sink, steps: steps.clone() });
            let done = self.clock.run_with(&steps, self.inner.fill(counted)).await;
            let done = done.unwrap_or_else(|| {
                *self.late = true;
                Err(self.clock.late())
            });
            let (sink, more) = done.map_err(|error| self.role.noticed(self.ran.told(error, self.alone)))?;
            let sink: Box<dyn Any> = sink;
            match sink.downcast::<CountedSink>() {
                Ok(counted) => Ok((counted.sink, more)),
                Err(_) => Err(Error::new(ErrorKind::Other, "the cursor gave back another sink than it was given")),
            }
        })
    }
}

#[cfg(test)]
mod tests;
