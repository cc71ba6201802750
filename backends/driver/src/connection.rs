//! Connections, which run statements.

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

/// A connection to a database, used by one task at a time.
///
/// Dropping one of its futures early is safe: the statement is cancelled if the engine supports it, and the connection
/// is cleaned up or closed before it is used again.
pub trait Connection: Debug + Send {
    /// Runs a statement that returns no rows, and gives the number of affected rows.
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>>;

    /// Runs a statement, passes each of its rows to `sink`, and returns the sink.
    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>>;

    /// Opens a query whose rows are read on demand. The cursor borrows the connection until it is dropped.
    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>>;

    /// Runs a statement once for each row of parameters, and gives the total number of affected rows. The statement's
    /// own parameters only determine the types; the values are taken from `rows`. If the protocol supports pipelining,
    /// later statements are sent before the first one is answered.
    ///
    /// It is atomic only inside of a transaction.
    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>>;

    /// Whether [`execute_many`](Self::execute_many) is preferable to one statement with many rows of values in its
    /// text: because it is pipelined and therefore faster, or because such a text cannot hold every value.
    fn runs_many_at_once(&self) -> bool {
        false
    }

    /// Inserts rows by the engine's fastest way, all of them or none, and gives their number.
    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>>;

    /// Inserts rows, all of them or none, and returns the key that the database has generated for each, in the order of
    /// the rows: the values of [`BulkInsert::identity`].
    ///
    /// Every key is read back for its own row. It is never derived by counting from the first or last key, as other
    /// sessions may insert at the same time.
    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>>;

    /// Runs a script: SQL text of one or more statements, without parameters.
    ///
    /// Session state that a script has set does not leak to the next user of the connection. The pool resets or closes
    /// the connection before that; an in-memory database, which would be lost by closing, is copied to a new
    /// connection. If the connection is lost after a script, the next call fails with [`ErrorKind::ConnectionLost`]
    /// instead of continuing silently on another session.
    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>>;

    /// Begins a transaction, or a savepoint if one is open. A savepoint takes no options.
    ///
    /// Everything that the connection runs until [`commit`](Self::commit) or [`rollback`](Self::rollback) belongs to
    /// the transaction. A function that returns early by `?` leaves it open; [`AnyConnection::transaction`] ends it in
    /// every case.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>>;

    /// Commits the transaction, or releases the innermost savepoint.
    fn commit(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Undoes everything since the innermost [`begin`](Self::begin).
    fn rollback(&mut self) -> BoxFuture<'_, Result<()>>;

    /// The number of open transactions and savepoints.
    fn depth(&self) -> u32;

    /// Sets the time limit of the statements that follow; `None` is no limit.
    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>>;

    /// Checks with a round trip that the server answers.
    fn ping(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Closes the connection immediately, without waiting for the server. Later calls fail with
    /// [`ErrorKind::ConnectionLost`], and the pool does not hand the connection out again.
    fn close(&mut self);

    /// Completes earlier work that was given up and is still pending, such as a stream that was dropped early; `None`
    /// if there is nothing pending, or the connection is lost.
    ///
    /// [`AnyConnection::bounded`] awaits this before each call, with a time limit of its own, and closes the connection
    /// if it fails or takes too long. The time is not counted as that of the call.
    ///
    /// An error of a call that has sent nothing must be marked by [`Error::unsent`]. Any other error of a lost
    /// connection leaves a write in doubt.
    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        None
    }

    /// Returns whether a call that was given up, outside of a transaction, may have taken effect. `true` by default.
    ///
    /// A call that begins a transaction of its own, such as a [`bulk_insert`](Self::bulk_insert) of several statements,
    /// returns `false` until it sends the COMMIT. [`AnyConnection::bounded`] asks before it closes the connection, and
    /// marks the error as [`in_doubt`](Error::in_doubt) only if the answer is `true`.
    fn may_have_taken_effect(&self) -> bool {
        true
    }
}

/// Whether a statement only reads, judged by the words of its text: [`Compiled::only_reads`].
#[must_use]
pub fn only_reads(statement: &Compiled<'_>) -> bool {
    statement.only_reads()
}

/// Whether a statement may leave state in its session, where the next user of the connection would find it, or end the
/// transaction. Everything counts except for statements that begin with SELECT, INSERT, UPDATE, DELETE, MERGE, WITH or
/// one of the words in `more`. What functions and triggers do is not seen.
#[must_use]
pub fn leaves(sql: &str, more: &[&str]) -> bool {
    const ROWS: [&str; 6] = ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH"];
    let first = first_word(sql);
    !ROWS.iter().chain(more).any(|word| word.eq_ignore_ascii_case(first))
}

/// The first keyword of an SQL text, after comments and opening parentheses. A comment that MySQL and MariaDB execute
/// (`/*! .. */`) is not skipped.
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

/// A connection to any engine, as [`Backend::connect`](crate::Backend::connect) returns it.
///
/// It has all methods of [`Connection`] and [`ConnectionExt`]. As a type without a lifetime, it also has
/// [`transaction`](Self::transaction), whose future can be spawned as a task.
#[derive(Debug)]
pub struct AnyConnection(Box<dyn Connection>);

impl AnyConnection {
    /// Wraps a backend's connection.
    pub fn new(connection: impl Connection + 'static) -> Self {
        Self(Box::new(connection))
    }

    /// Wraps a connection that is already open so that each call is recorded: as a span of `tracing`, and as a
    /// measurement with the feature `metrics`.
    pub fn watched(connection: impl Connection + 'static, origin: &Arc<Origin>) -> Self {
        Self::new(Watched::new(connection, Arc::clone(origin)))
    }

    /// Wraps a connection to a server as [`watched`](Self::watched) does, with client-side time limits.
    ///
    /// At a statement's time limit the server is asked to end it. If it does not within the [grace
    /// period](PoolOptions::grace), the connection is closed and the call fails with [`ErrorKind::Timeout`]. Errors
    /// carry the statement that they are about.
    #[cfg(feature = "pool")]
    pub fn bounded(connection: impl Connection + 'static, origin: &Arc<Origin>, options: &PoolOptions) -> Self {
        Self::watched(crate::clock::Bounded::new(connection, options), origin)
    }

    /// Runs a closure in a transaction, or in a savepoint if a transaction is open. It commits if the closure succeeds,
    /// and rolls back if it fails.
    ///
    /// If its future is dropped early, or the closure panics, the transaction stays open: drop the connection, which
    /// rolls back, or roll back yourself.
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
    /// The error of the closure, or of beginning or committing the transaction.
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

/// Convenience methods of every [`Connection`]: rows as values of your types, and streams.
pub trait ConnectionExt: Connection {
    /// Runs a statement with a sink of a known type, and returns the sink.
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

    /// Runs a statement and returns all of its rows.
    fn fetch<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Future<Output = Result<Vec<T>>> + Send + 'c {
        async move { Ok(self.query_into(statement, Collect(Vec::new(), Layout::default())).await?.0) }
    }

    /// Runs a statement and returns its first row, or `None` without rows.
    fn fetch_first<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Future<Output = Result<Option<T>>> + Send + 'c {
        async move { Ok(self.query_into(statement, First(None)).await?.0) }
    }

    /// Runs a statement and returns its only row.
    ///
    /// The error has the kind [`ErrorKind::Decode`] if there is no row, or more than one.
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

    /// Runs a statement and returns a stream of its rows. Rows are read ahead in batches: what arrives within about a
    /// millisecond, at most 1,024. The next batch is read once those are consumed.
    ///
    /// The stream borrows the connection. Dropping it early cancels the rest of the query, and an open transaction
    /// continues. On an engine that cannot cancel, the remaining rows are read and discarded.
    fn stream<'c, T: FromRow + Send + 'static>(
        &'c mut self,
        statement: &'c Compiled<'_>,
    ) -> impl Stream<Item = Result<T>> + Send + 'c {
        cursor::stream(async move { self.open(statement).await })
    }

    /// Runs a statement and returns a stream of batches, whose rows are read by a [`ReadRow`].
    ///
    /// Each batch is put into the list that `room` returns, which must be empty. Return the list of the previous batch
    /// to reuse its memory.
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

    /// Also behind more tables than a summary has room for.
    #[test]
    fn a_write_is_found_in_a_statement_of_any_length() {
        let statement = |sql: String| Compiled { sql, ..Compiled::default() };
        for tables in [10, 200] {
            let joined = (0..tables).fold("t".to_owned(), |joined, n| format!("{joined} JOIN t{n} USING (id)"));
            assert!(only_reads(&statement(format!("SELECT 1 FROM {joined}"))), "{tables}");
            let write = format!("WITH x AS (SELECT id FROM {joined} JOIN LAST_INSERT) INSERT INTO w SELECT id FROM x");
            assert!(!only_reads(&statement(write)), "{tables}");
        }
    }

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
