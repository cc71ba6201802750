//! A backend whose answers are recorded.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{
    AnyConnection, Backend, BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, Origin, PoolStatus, Result, Row,
    RowSink, RowSource, TransactionOptions, completed, fitted, rows,
};

use crate::recorded::{BEGIN, COMMIT, ROLLBACK, asked_by, drained};
use crate::{Answer, Answers, Asked, Exchange};

/// A backend that passes every call on to another one, and records what that answers, for [`Recorded`](crate::Recorded).
///
/// Neither of the two tells the collations of columns, so that statements are compiled for both alike: as for a database whose
/// collations are not known.
///
/// ```
/// use std::sync::Arc;
///
/// use isogloss::sqlite::driver::{SqliteBackend, SqliteOptions};
/// use isogloss_compiler::Compiled;
/// use isogloss_driver::{Backend, ConnectionExt};
/// use isogloss_testing::{Recorded, Recorder};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let question = Compiled { sql: "SELECT 6 * 7 AS answer".into(), ..Compiled::default() };
///
/// let real = Recorder::new(Arc::new(SqliteBackend::open(SqliteOptions::memory()).await?));
/// real.connect().await?.fetch::<(i64,)>(&question).await?;
/// let answers = real.answers();
///
/// let double = Recorded::new(isogloss::SQLITE, answers);
/// assert_eq!(double.connect().await?.fetch::<(i64,)>(&question).await?, [(42,)]);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct Recorder {
    inner: Arc<dyn Backend>,
    tape: Tape,
}

#[derive(Debug, Clone, Default)]
struct Tape(Arc<Mutex<Vec<Exchange>>>);

impl Tape {
    fn add(&self, asked: Asked, answer: Answer) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Exchange { asked, answer });
    }

    /// Records an error or what a result becomes, and gives the result back.
    fn of<T>(&self, asked: Asked, done: Result<T>, answer: impl FnOnce(&T) -> Answer) -> Result<T> {
        match &done {
            Ok(value) => self.add(asked, answer(value)),
            Err(error) => self.add(asked, error.into()),
        }
        done
    }

    /// Records how the begin or the end of a transaction went, and gives that back.
    fn mark(&self, word: &str, done: Result<()>) -> Result<()> {
        self.of(Asked::new(word, Vec::new()), done, |()| Answer::Changed(0))
    }
}

impl Recorder {
    /// Records what a backend answers.
    #[must_use]
    pub fn new(inner: Arc<dyn Backend>) -> Self {
        Self { inner, tape: Tape::default() }
    }

    /// What was answered so far, over all of its connections.
    #[must_use]
    pub fn answers(&self) -> Answers {
        Answers(self.tape.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Backend for Recorder {
    fn dialect(&self) -> &dyn Dialect {
        self.inner.dialect()
    }

    fn ddl(&self) -> &dyn Ddl {
        self.inner.ddl()
    }

    fn origin(&self) -> &Origin {
        self.inner.origin()
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        Box::pin(async move {
            let inner = self.inner.connect().await?;
            Ok(AnyConnection::new(RecorderConnection { inner, tape: self.tape.clone() }))
        })
    }

    fn status(&self) -> PoolStatus {
        self.inner.status()
    }
}

#[derive(Debug)]
struct RecorderConnection {
    inner: AnyConnection,
    tape: Tape,
}

/// Passes rows on and keeps a copy of each.
struct Tee {
    inner: Box<dyn RowSink>,
    types: Arc<[Option<DbType>]>,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
}

impl Tee {
    fn new(inner: Box<dyn RowSink>, types: Arc<[Option<DbType>]>) -> Self {
        Self { inner, types, columns: Vec::new(), rows: Vec::new() }
    }

    /// What a connection has given back.
    fn back(sink: Box<dyn RowSink>) -> Result<Self> {
        let sink: Box<dyn Any> = sink;
        match sink.downcast::<Self>() {
            Ok(tee) => Ok(*tee),
            Err(_) => Err(Error::new(ErrorKind::Other, "the connection gave back another sink than it was given")),
        }
    }
}

impl RowSink for Tee {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        if self.columns.is_empty() {
            self.columns = (0..row.len()).filter_map(|index| row.name(index).map(str::to_owned)).collect();
        }
        let ty = |index: usize| self.types.get(index).copied().flatten();
        self.rows.push((0..row.len()).map(|index| row.value(index, ty(index))).collect::<Result<_>>()?);
        self.inner.row(row)
    }

    fn most(&self) -> usize {
        self.inner.most()
    }
}

fn types(statement: &Compiled<'_>) -> Arc<[Option<DbType>]> {
    statement.columns.iter().map(|column| column.ty).collect()
}

fn changed(rows: &u64) -> Answer {
    Answer::Changed(*rows)
}

impl Connection for RecorderConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let done = self.inner.execute(statement).await;
            self.tape.of(asked_by(statement), done, changed)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let done = self.inner.query(statement, Box::new(Tee::new(sink, types(statement)))).await;
            let answer = |tee: &Tee| Answer::Rows { columns: tee.columns.clone(), rows: tee.rows.clone() };
            self.tape.of(asked_by(statement), done.and_then(Tee::back), answer).map(|tee| tee.inner)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let asked = asked_by(statement);
            let inner = self.inner.open(statement).await.inspect_err(|error| {
                self.tape.add(asked.clone(), error.into());
            })?;
            let (tape, types) = (self.tape.clone(), types(statement));
            let cursor =
                RecorderCursor { inner, tape, asked, types, columns: Vec::new(), rows: Vec::new(), failed: None };
            Ok(Box::new(cursor) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        source: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let all = drained(&mut *fitted(statement, source))?;
            let asked = Asked { rows: all.clone(), ..Asked::new(&*statement.sql, Vec::new()) };
            let done = self.inner.execute_many(statement, rows(all)).await;
            self.tape.of(asked, done, changed)
        })
    }

    fn runs_many_at_once(&self) -> bool {
        self.inner.runs_many_at_once()
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, source: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let (given, asked) = bulk(into, source)?;
            let done = self.inner.bulk_insert(into, rows(given)).await;
            self.tape.of(asked, done, changed)
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        source: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let (given, asked) = bulk(into, source)?;
            let done = self.inner.bulk_insert_keys(into, rows(given)).await;
            self.tape.of(asked, done, |keys| Answer::Keys(keys.clone()))
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let done = self.inner.script(sql).await;
            self.tape.of(Asked::new(sql, Vec::new()), done, |()| Answer::Changed(0))
        })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let depth = self.inner.depth();
            options.check(depth)?;
            let done = self.inner.begin(options).await;
            self.tape.mark(BEGIN.at(depth), done)
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let Some(outside) = self.inner.depth().checked_sub(1) else { return self.inner.commit().await };
            let done = self.inner.commit().await;
            self.tape.mark(COMMIT.at(outside), done)
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let Some(outside) = self.inner.depth().checked_sub(1) else { return self.inner.rollback().await };
            let done = self.inner.rollback().await;
            self.tape.mark(ROLLBACK.at(outside), done)
        })
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

/// The rows as they were given, and the call with the rows as they are sent.
fn bulk(into: &BulkInsert, mut source: Box<dyn RowSource>) -> Result<(Vec<Vec<Value>>, Asked)> {
    let given = drained(&mut *source)?;
    let sent = drained(&mut completed(into, rows(given.clone())))?;
    Ok((given, Asked { rows: sent, ..Asked::new(into.sql(), Vec::new()) }))
}

/// A stream, which is recorded when it ends or is dropped: those of its rows that were read.
struct RecorderCursor<'c> {
    inner: Box<dyn Cursor + 'c>,
    tape: Tape,
    asked: Asked,
    types: Arc<[Option<DbType>]>,
    columns: Vec<String>,
    rows: Vec<Vec<Value>>,
    failed: Option<Answer>,
}

impl Cursor for RecorderCursor<'_> {
    fn fill(&mut self, sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            let tee = Box::new(Tee::new(sink, Arc::clone(&self.types)));
            let filled = self.inner.fill(tee).await;
            let (sink, more) = filled.inspect_err(|error| self.failed = Some(error.into()))?;
            let mut tee = Tee::back(sink)?;
            if self.columns.is_empty() {
                self.columns = tee.columns;
            }
            self.rows.append(&mut tee.rows);
            Ok((tee.inner, more))
        })
    }
}

impl Drop for RecorderCursor<'_> {
    fn drop(&mut self) {
        let (columns, rows) = (std::mem::take(&mut self.columns), std::mem::take(&mut self.rows));
        let answer = self.failed.take().unwrap_or(Answer::Rows { columns, rows });
        self.tape.add(std::mem::take(&mut self.asked), answer);
    }
}
