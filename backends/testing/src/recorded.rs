//! A backend that answers from records.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::ddl::Ddl;
use isogloss_driver::{
    AnyConnection, Backend, BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, Origin, PoolStatus, Result, RowSink,
    RowSource, ServerDialect, TransactionOptions, completed, fitted,
};

use crate::row::{RecordedRow, uneven};
use crate::{Answer, Answers, Asked, Exchange};

/// A backend without a database: it answers each statement by what is recorded for it.
///
/// A statement without an answer is an error that shows the statement, its parameters, and for which other parameters there is
/// an answer. Transactions and savepoints need no answers; they are only written down. Clones share answers and calls.
///
/// ```
/// use isogloss_compiler::Compiled;
/// use isogloss_driver::{Backend, ConnectionExt};
/// use isogloss_testing::{Answers, Recorded};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> isogloss_driver::Result<()> {
/// let answers = Answers::new().rows("SELECT 1", ["1"], [[1]]);
/// let database = Recorded::new(isogloss::SQLITE, answers);
///
/// let mut connection = database.connect().await?;
/// let one = Compiled { sql: "SELECT 1".into(), ..Compiled::default() };
/// assert_eq!(connection.fetch::<(i64,)>(&one).await?, [(1,)]);
///
/// let two = Compiled { sql: "SELECT 2".into(), ..Compiled::default() };
/// let error = connection.fetch::<(i64,)>(&two).await.unwrap_err();
/// assert!(error.message().starts_with("no answer is recorded for `SELECT 2`"));
/// assert_eq!(database.asked().len(), 2);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Recorded {
    dialect: Arc<dyn ServerDialect>,
    origin: Arc<Origin>,
    book: Arc<Book>,
}

/// The answers, and what was asked.
struct Book {
    exchanges: Vec<Exchange>,
    state: Mutex<State>,
}

struct State {
    /// Whether each of the exchanges was given.
    given: Vec<bool>,
    asked: Vec<Asked>,
}

impl Recorded {
    /// A backend of this dialect with these answers.
    pub fn new(dialect: impl ServerDialect + 'static, Answers(exchanges): Answers) -> Self {
        let state = Mutex::new(State { given: vec![false; exchanges.len()], asked: Vec::new() });
        let origin = Arc::new(Origin::new("recorded"));
        Self { dialect: Arc::new(dialect), origin, book: Arc::new(Book { exchanges, state }) }
    }

    /// What was asked so far, by all of its connections, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.book.state().asked.clone()
    }

    /// The answers that nobody has asked for.
    #[must_use]
    pub fn unasked(&self) -> Vec<Exchange> {
        let given = self.book.state().given.clone();
        self.book
            .exchanges
            .iter()
            .zip(given)
            .filter(|(_, given)| !given)
            .map(|(exchange, _)| exchange.clone())
            .collect()
    }
}

impl fmt::Debug for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded").field("answers", &self.book.exchanges.len()).finish_non_exhaustive()
    }
}

impl Backend for Recorded {
    fn dialect(&self) -> &dyn Dialect {
        &*self.dialect
    }

    fn ddl(&self) -> &dyn Ddl {
        &*self.dialect
    }

    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn connect(&self) -> BoxFuture<'_, Result<AnyConnection>> {
        let connection = RecordedConnection { book: Arc::clone(&self.book), depth: 0, closed: false };
        Box::pin(async move { Ok(AnyConnection::watched(connection, &self.origin)) })
    }

    /// As many connections as are asked for.
    fn status(&self) -> PoolStatus {
        let mut status = PoolStatus::new(0, 0);
        status.max = u32::MAX;
        status
    }
}

impl Book {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first answer that was not given yet, else the last one.
    fn find(&self, asked: Asked) -> Option<&Answer> {
        let mut state = self.state();
        let found = {
            let mut equal =
                self.exchanges.iter().enumerate().filter(|(_, exchange)| exchange.asked == asked).peekable();
            let last = equal.clone().last();
            equal.find(|(at, _)| state.given.get(*at) == Some(&false)).or(last)
        };
        state.asked.push(asked);
        let (at, exchange) = found?;
        if let Some(given) = state.given.get_mut(at) {
            *given = true;
        }
        Some(&exchange.answer)
    }

    fn answer(&self, asked: Asked) -> Result<&Answer> {
        let shown = asked.clone();
        match self.find(asked) {
            Some(answer) => match answer.error() {
                Some(error) => Err(error.with_sql(&shown.sql)),
                None => Ok(answer),
            },
            None => Err(self.unexpected(&shown)),
        }
    }

    fn unexpected(&self, asked: &Asked) -> Error {
        let known = self.exchanges.iter().filter(|exchange| exchange.asked.sql == asked.sql);
        let known: Vec<String> = known.map(|exchange| format!("{:?}", exchange.asked.params)).collect();
        let why = match known.as_slice() {
            [] => "the text is not recorded".to_owned(),
            known => format!("the text is recorded with {}", known.join(", ")),
        };
        let (sql, params) = (&asked.sql, &asked.params);
        Error::new(ErrorKind::Other, format!("no answer is recorded for `{sql}` with {params:?}: {why}")).with_sql(sql)
    }
}

#[derive(Debug)]
struct RecordedConnection {
    book: Arc<Book>,
    depth: u32,
    closed: bool,
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book").finish_non_exhaustive()
    }
}

pub(crate) fn asked_by(statement: &Compiled<'_>) -> Asked {
    Asked::new(&*statement.sql, statement.params.iter().map(|param| param.value.clone().into_owned()).collect())
}

/// All rows of a source.
pub(crate) fn drained(source: &mut dyn RowSource) -> Result<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    let mut row = Vec::new();
    while source.next(&mut row)? {
        rows.push(std::mem::take(&mut row));
    }
    Ok(rows)
}

impl RecordedConnection {
    fn is_open(&self) -> Result<()> {
        match self.closed {
            true => Err(Error::new(ErrorKind::ConnectionLost, "the connection is closed").unsent()),
            false => Ok(()),
        }
    }

    fn answer(&self, asked: Asked) -> Result<&Answer> {
        self.is_open()?;
        self.book.answer(asked)
    }

    fn rows(&self, statement: &Compiled<'_>) -> Result<(&[String], &[Vec<Value>])> {
        match self.answer(asked_by(statement))? {
            Answer::Rows { columns, rows } => match uneven(columns, rows) {
                Some(error) => Err(error.with_sql(&statement.sql)),
                None => Ok((columns, rows)),
            },
            other => Err(another(&statement.sql, "rows", other)),
        }
    }

    fn changed(&self, asked: Asked) -> Result<u64> {
        let sql = asked.sql.clone();
        match self.answer(asked)? {
            Answer::Changed(rows) => Ok(*rows),
            other => Err(another(&sql, "the number of changed rows", other)),
        }
    }

    /// The end or the begin of a transaction, which needs no answer and may have one.
    fn marks(&self, word: &str) -> Result<()> {
        self.is_open()?;
        match self.book.find(Asked::new(word, Vec::new())).and_then(Answer::error) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn ends(&mut self, mark: Mark) -> Result<()> {
        let Some(outside) = self.depth.checked_sub(1) else {
            return Err(Error::new(ErrorKind::Other, format!("{}: no transaction is open", mark.at(0))));
        };
        self.marks(mark.at(outside))?;
        self.depth = outside;
        Ok(())
    }
}

/// What the begin or the end of a transaction is called, and of a savepoint.
#[derive(Clone, Copy)]
pub(crate) struct Mark(&'static str, &'static str);

pub(crate) const BEGIN: Mark = Mark("BEGIN", "SAVEPOINT");
pub(crate) const COMMIT: Mark = Mark("COMMIT", "RELEASE");
pub(crate) const ROLLBACK: Mark = Mark("ROLLBACK", "ROLLBACK TO SAVEPOINT");

impl Mark {
    /// With so many transactions and savepoints around it.
    pub(crate) fn at(self, depth: u32) -> &'static str {
        if depth == 0 { self.0 } else { self.1 }
    }
}

fn another(sql: &str, wanted: &str, found: &Answer) -> Error {
    let message = format!("the recorded answer is {}, and the program asks for {wanted}", found.title());
    Error::new(ErrorKind::Other, message).with_sql(sql)
}

impl Connection for RecordedConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move { self.changed(asked_by(statement)) })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        mut sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let (columns, rows) = self.rows(statement)?;
            for values in rows {
                if sink.row(&RecordedRow { columns, values })? == Flow::Enough {
                    break;
                }
            }
            Ok(sink)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let (columns, rows) = self.rows(statement)?;
            Ok(Box::new(RecordedCursor { columns, rows: rows.iter() }) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let rows = drained(&mut *fitted(statement, rows))?;
            self.changed(Asked { rows, ..Asked::new(&*statement.sql, Vec::new()) })
        })
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let rows = drained(&mut completed(into, rows))?;
            self.changed(Asked { rows, ..Asked::new(into.sql(), Vec::new()) })
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let rows = drained(&mut completed(into, rows))?;
            match self.answer(Asked { rows, ..Asked::new(into.sql(), Vec::new()) })? {
                Answer::Keys(keys) => Ok(keys.clone()),
                other => Err(another(into.sql(), "the generated keys", other)),
            }
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move { self.changed(Asked::new(sql, Vec::new())).map(|_| ()) })
    }

    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            options.check(self.depth)?;
            self.marks(BEGIN.at(self.depth))?;
            self.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.ends(COMMIT) })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.ends(ROLLBACK) })
    }

    fn depth(&self) -> u32 {
        self.depth
    }

    fn set_statement_timeout(&mut self, _timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.is_open() })
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move { self.is_open() })
    }

    fn close(&mut self) {
        self.closed = true;
    }
}

struct RecordedCursor<'c> {
    columns: &'c [String],
    rows: std::slice::Iter<'c, Vec<Value>>,
}

impl Cursor for RecordedCursor<'_> {
    fn fill(&mut self, mut sink: Box<dyn RowSink>) -> BoxFuture<'_, Result<(Box<dyn RowSink>, bool)>> {
        Box::pin(async move {
            for values in self.rows.by_ref() {
                if sink.row(&RecordedRow { columns: self.columns, values })? == Flow::Enough {
                    return Ok((sink, true));
                }
            }
            Ok((sink, false))
        })
    }
}
