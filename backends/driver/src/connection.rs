//! Connections: what runs statements.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use futures_core::Stream;
use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};

#[cfg(feature = "pool")]
use crate::PoolOptions;
use crate::watched::Watched;
use crate::{
    BoxFuture, Cursor, Error, ErrorKind, Flow, FromRow, Layout, Origin, ReadRow, Result, Row, RowSink, RowSource,
    TransactionOptions, cursor,
};

/// A connection, in the hands of one task.
///
/// A future of it that is dropped before its end leaves nothing half read: what it ran is cancelled where the engine
/// can, and the connection is cleaned or closed before anyone else gets it.
pub trait Connection: Debug + Send {
    /// Runs a statement without rows. Gives how many rows it changed.
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>>;

    /// Runs a statement, and gives each of its rows to the sink, which comes back at the end.
    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>>;

    /// Runs a query whose rows are read as they are asked for. Until the cursor is dropped, it has the connection.
    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>>;

    /// Runs a statement once for each row of parameters, and gives how many rows they changed in all. The rows give
    /// what the statement's own parameters are examples of; those tell the types. Where the protocol allows it, the
    /// statements are on their way before the first has been answered.
    ///
    /// It is all or nothing inside of a transaction only.
    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>>;

    /// Whether [`execute_many`](Self::execute_many) is better than one statement with the values of many rows in its text: it
    /// is quicker, as it waits for no answer to each row, or such a text does not take every value.
    fn runs_many_at_once(&self) -> bool {
        false
    }

    /// Inserts rows by the engine's fast path, all or none, and gives how many there were.
    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>>;

    /// Inserts rows, all or none, and gives the number that the database gave each of them, in the order of the rows:
    /// the values of [`BulkInsert::identity`].
    ///
    /// Each number is known to be of its row. It is not counted up from the first or the last: others insert, too.
    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>>;

    /// Runs text of the program without parameters, of one statement or several: a script. What it has set in the
    /// session is no one else's: before the next holder gets the connection, the pool resets it or closes it; a database in
    /// memory, which would be gone with it, is copied to another one. Nor is it lost unheard: where the connection is lost
    /// behind a script, what comes next fails with [`ErrorKind::ConnectionLost`].
    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>>;

    /// Begins a transaction; in one, a savepoint, which takes no options.
    ///
    /// Until [`commit`](Self::commit) or [`rollback`](Self::rollback), all that the connection runs belongs to it: a
    /// function that returns in between, by `?`, leaves it open. [`AnyConnection::transaction`] does not.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>>;

    /// Commits the transaction, or releases the innermost savepoint.
    fn commit(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Takes everything back since the innermost [`begin`](Self::begin).
    fn rollback(&mut self) -> BoxFuture<'_, Result<()>>;

    /// How many transactions and savepoints are open.
    fn depth(&self) -> u32;

    /// How long a statement may take from now on; without a limit if absent.
    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>>;

    /// Asks the server for a sign of life.
    fn ping(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Closes the connection at once, without a word to a server that may not listen. What was under way on it was given up
    /// before; what comes next fails with [`ErrorKind::ConnectionLost`], and the pool gives it to nobody else.
    fn close(&mut self);

    /// What was given up before and has still to come to its end, if there is anything: a stream whose rows nobody wants any
    /// more. There is nothing on a connection that is lost. [`AnyConnection::bounded`] awaits it before each call, in a time of its
    /// own, and closes the connection where it fails or takes too long. What is awaited by the call itself takes of its time.
    ///
    /// An error of a call that has sent nothing is told as [`Error::unsent`]: any other one of a lost connection leaves a write
    /// in doubt.
    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        None
    }
}

/// Whether a statement only reads, as far as the words of its text tell: a function that it calls may write.
#[must_use]
pub fn only_reads(statement: &Compiled<'_>) -> bool {
    let summary = statement.summary();
    summary.starts_with("SELECT")
        && !summary.split(' ').any(|word| matches!(word, "INSERT" | "UPDATE" | "DELETE" | "MERGE"))
}

/// Whether a statement may leave something in its session, where the next holder of the connection would find it, or end the
/// transaction: any one but those that read or write rows, which begin with SELECT, INSERT, UPDATE, DELETE, MERGE, WITH or
/// another word of the engine's own. What a function or trigger does inside is not seen.
#[must_use]
pub fn leaves(sql: &str, more: &[&str]) -> bool {
    const ROWS: [&str; 6] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH"];
    let first = first_word(sql);
    !ROWS.iter().chain(more).any(|word| word.eq_ignore_ascii_case(first))
}

/// The first word of a text, behind comments and in parentheses. A comment that MySQL and MariaDB run (`/*! .. */`) is none.
#[must_use]
pub fn first_word(sql: &str) -> &str {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| matches!(c, '(' | ';') || c.is_whitespace());
        let behind = if rest.starts_with("--") {
            rest.split_once('\n')
        } else if rest.starts_with("/*") && !rest.starts_with("/*!") && !rest.starts_with("/*M!") {
            rest.get(2..).and_then(|comment| comment.split_once("*/"))
        } else {
            return rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        };
        rest = behind.map_or("", |(_, behind)| behind);
    }
}

/// A connection of any engine, as [`Backend::connect`](crate::Backend::connect) gives it.
///
/// It can all that a [`Connection`] can. Being a type without a lifetime of its own, it also has
/// [`transaction`](Self::transaction), whose future a task can be spawned with.
#[derive(Debug)]
pub struct AnyConnection(Box<dyn Connection>);

impl AnyConnection {
    /// A connection of a backend.
    pub fn new(connection: impl Connection + 'static) -> Self {
        Self(Box::new(connection))
    }

    /// A connection of a backend that is there, each call of which is told: as a span of `tracing`, and with the feature
    /// `metrics` as a measurement.
    pub fn watched(connection: impl Connection + 'static, origin: &Arc<Origin>) -> Self {
        Self::new(Watched::new(connection, Arc::clone(origin)))
    }

    /// A connection to a server, [watched](Self::watched), whose calls are bounded by our own clock as the options say: a
    /// server that does not answer is asked to give the statement up when its time is over, and after the
    /// [grace](PoolOptions::grace) the connection is closed, with [`ErrorKind::Timeout`]. Its errors have their statements.
    #[cfg(feature = "pool")]
    pub fn bounded(connection: impl Connection + 'static, origin: &Arc<Origin>, options: &PoolOptions) -> Self {
        Self::watched(crate::clock::Bounded::new(connection, options), origin)
    }

    /// Runs something in a transaction, or in a savepoint of the one that is open: it is committed if that succeeds, and
    /// taken back if it fails.
    ///
    /// A future of it that is dropped before its end leaves the transaction open, as a panic does: drop the connection,
    /// which takes it back, or roll back.
    ///
    /// ```
    /// use isogloss_compiler::Compiled;
    /// use isogloss_driver::{AnyConnection, Connection, Result, TransactionOptions};
    /// async fn move_money(bank: &mut AnyConnection, take: &Compiled<'_>, give: &Compiled<'_>) -> Result<u64> {
    ///     let serious = TransactionOptions::default();
    ///     bank.transaction(&serious, async |bank| Ok(bank.execute(take).await? + bank.execute(give).await?)).await
    /// }
    /// ```
    ///
    /// # Errors
    /// What the closure fails with; or that the transaction cannot begin or be committed.
    pub async fn transaction<T, E: From<Error>>(
        &mut self,
        options: &TransactionOptions,
        run: impl AsyncFnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.begin(options).await?;
        match run(self).await {
            Ok(done) => match self.commit().await {
                Ok(()) => Ok(done),
                Err(error) => {
                    // What could not be committed is not left open; why not is the error to be told.
                    let _ = self.rollback().await;
                    Err(error.into())
                }
            },
            Err(error) => {
                // Where this fails the connection is lost, and the transaction with it: the first error says why.
                let _ = self.rollback().await;
                Err(error)
            }
        }
    }
}

impl Deref for AnyConnection {
    type Target = dyn Connection;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl DerefMut for AnyConnection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.0
    }
}

/// What every connection can do by the few things that it implements.
pub trait ConnectionExt: Connection {
    /// Runs a statement into a sink of a known type.
    fn query_into<'c, S: RowSink>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: S,
    ) -> impl Future<Output = Result<S>> + Send + 'c {
        async move {
            let sink: Box<dyn Any> = self.query(statement, Box::new(sink)).await?;
            match sink.downcast::<S>() {
                Ok(sink) => Ok(*sink),
                Err(_) => Err(Error::new(ErrorKind::Other, "the connection gave back another sink than it was given")),
            }
        }
    }

    /// All rows.
    fn fetch<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Future<Output = Result<Vec<T>>> + Send + 'c {
        async move { Ok(self.query_into(statement, Collect(Vec::new(), Layout::default())).await?.0) }
    }

    /// The first row, if there is one.
    fn fetch_first<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Future<Output = Result<Option<T>>> + Send + 'c {
        async move { Ok(self.query_into(statement, First(None)).await?.0) }
    }

    /// The only row.
    ///
    /// An error of [`ErrorKind::Decode`] says that there is none, or more than one.
    fn fetch_one<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Future<Output = Result<T>> + Send + 'c {
        async move {
            let mut rows = self.fetch::<T>(statement).await?;
            match (rows.pop(), rows.len()) {
                (Some(row), 0) => Ok(row),
                (None, _) => Err(Error::new(ErrorKind::Decode, "one row is expected, there is none")),
                (Some(_), more) => {
                    Err(Error::new(ErrorKind::Decode, format!("one row is expected, there are {}", more + 1)))
                }
            }
        }
    }

    /// The rows as they come: some are read ahead, as many as come in about a millisecond and at
    /// most 1,024, and no more until those are taken.
    ///
    /// The stream has the connection until it is dropped; dropped before its end, it gives the rest up, and a transaction
    /// around it goes on. Where the engine cannot leave a query, the rest is read and thrown away.
    fn stream<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Stream<Item = Result<T>> + Send + 'c {
        cursor::stream(async move { self.open(statement).await })
    }

    /// The rows of a statement, read by a [`ReadRow`], as many at a time as are read ahead.
    /// They are put into what `room` gives each time: an empty list, best
    /// the one whose rows were taken last.
    fn stream_chunks<'c, T: Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        reader: impl ReadRow<T>,
        room: impl FnMut() -> VecDeque<T> + Send + 'c,
    ) -> impl Stream<Item = Result<VecDeque<T>>> + Send + 'c {
        cursor::chunks(async move { self.open(statement).await }, reader, room)
    }
}

impl<C: Connection + ?Sized> ConnectionExt for C {}

struct Collect<T>(Vec<T>, Layout);

impl<T: FromRow + Send + 'static> RowSink for Collect<T> {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.0.push(T::from_next_row(row, &mut self.1)?);
        Ok(Flow::More)
    }
}

struct First<T>(Option<T>);

impl<T: FromRow + Send + 'static> RowSink for First<T> {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.0 = Some(T::from_row(row)?);
        Ok(Flow::Enough)
    }

    fn most(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_reads_and_writes_rows_leaves_nothing() {
        for sql in [
            "SELECT 1",
            "(select 1)",
            " insert INTO a VALUES (1);",
            "MERGE a USING b ON 1 = 1;\n",
            "WITH c AS ..",
            "/* app=web */ SELECT 1",
            "-- name: q\nSELECT 1",
            "(/*a*/ -- b\r\n\t/**/ (select 1))",
            "REPLACE INTO a VALUES (1)",
        ] {
            assert!(!leaves(sql, &["REPLACE"]), "{sql}");
        }
        for sql in [
            "BEGIN TRANSACTION",
            "ALTER SESSION SET NLS_SORT = 'FRENCH'",
            "REPLACE INTO a VALUES (1)",
            "-- SELECT\nBEGIN TRAN",
            "/* SELECT */ SET @a = 1",
            "/*! SET @a = 1 */ SELECT 1",
            "/*M! SET @a = 1 */ SELECT 1",
            "/* SELECT 1",
            "-- SELECT 1",
            "",
        ] {
            assert!(leaves(sql, &[]), "{sql}");
        }
    }
}
