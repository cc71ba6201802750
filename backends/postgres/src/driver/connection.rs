//! Statements on one connection.

use std::fmt::Write as _;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt;
use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::pool::Pooled;
use isogloss_driver::trace::{traced, traced_bulk};
use isogloss_driver::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, Isolation, Origin, Result, RowSink, RowSource,
    TransactionOptions, fitted,
};
use tokio_postgres::{Client, RowStream};

use super::bulk;
use super::cursor::PostgresCursor;
use super::decode::PostgresRow;
use super::encode::{Bound, sized};
use super::error::{ends_session, error};
use super::pool::Manager;
use super::session::{Fate, Running, Session, limit_text, millis};
use super::statements::{Key, Prepared, Statements, is_stale};

/// How long the rows that nobody wants are read, before their query is cancelled.
const REST: Duration = Duration::from_millis(20);

/// A connection from a [`PostgresBackend`](super::PostgresBackend).
#[derive(Debug)]
pub struct PostgresConnection {
    /// It is here until the connection is dropped.
    pooled: Option<Pooled<Manager>>,
    origin: Arc<Origin>,
}

impl PostgresConnection {
    pub(super) fn new(pooled: Pooled<Manager>, origin: Arc<Origin>) -> Self {
        Self { pooled: Some(pooled), origin }
    }

    /// The session, when nothing that was given up runs on it any more.
    async fn session(&mut self) -> Result<(&mut Session, &Origin)> {
        let Some(session) = self.pooled.as_deref_mut() else {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection has gone back to the pool"));
        };
        session.settle().await?;
        Ok((session, &self.origin))
    }

    /// What a statement has come to. A session that the server has ended is not given to anybody else: that it is gone
    /// may be read later than that it is told to go.
    fn noted<T>(&mut self, done: Result<T>) -> Result<T> {
        if let (Err(found), Some(session)) = (&done, self.pooled.as_deref_mut())
            && ends_session(found)
        {
            session.line.close();
        }
        done
    }
}

/// A query whose rows are coming.
pub(super) struct Started<'s> {
    pub(super) rows: RowStream,
    pub(super) call: Call<'s>,
}

/// What is known of it. It is apart from the rows, which are large, and which no future shall hold twice.
pub(super) struct Call<'s> {
    pub(super) prepared: Arc<Prepared>,
    pub(super) running: Running<'s>,
    /// Whether an error has taken its transaction along.
    pub(super) suspect: &'s mut bool,
    /// Whether it may be cancelled when nobody wants the rest: it only reads, and there is no transaction to be lost.
    pub(super) cancels: bool,
}

/// Sends a statement.
///
/// One that was prepared for a table that has changed since is prepared again, unless there is a transaction: the error
/// has ended that.
pub(super) async fn start<'s>(session: &'s mut Session, statement: &Compiled<'_>) -> Result<Started<'s>> {
    for parameter in &statement.params {
        sized(&parameter.value, session.value_bytes)?;
    }
    let alone = session.depth == 0;
    let Session { client, statements, line, suspect, .. } = session;
    let running = line.start(Fate::Cancel);
    match sent(client, statements, statement, alone).await {
        Ok((rows, prepared)) => {
            let cancels = alone && prepared.reads;
            Ok(Started { rows, call: Call { prepared, running, suspect, cancels } })
        }
        Err(found) => {
            running.end_by(&found);
            *suspect = true;
            Err(found)
        }
    }
}

async fn sent(
    client: &Client,
    statements: &mut Statements,
    statement: &Compiled<'_>,
    alone: bool,
) -> Result<(RowStream, Arc<Prepared>)> {
    let key = Key { sql: &statement.sql, types: statement.params.iter().map(|parameter| parameter.ty) };
    let bound = || statement.params.iter().map(|parameter| Bound(&parameter.value));
    let mut kept = statements.find(&key);
    loop {
        let is_kept = kept.is_some();
        let prepared = match kept.take() {
            Some(prepared) => prepared,
            // The rare way has room of its own.
            None => Box::pin(statements.prepare(client, &key)).await?,
        };
        // Two boxes of the sizes that malloc has at hand are quicker than a large one.
        match Box::pin(client.query_raw(&prepared.statement, bound())).await {
            Ok(rows) => return Ok((rows, prepared)),
            Err(found) if is_kept && is_stale(&found) => {
                statements.forget(&key);
                if !alone {
                    return Err(error(found));
                }
            }
            Err(found) => return Err(error(found)),
        }
    }
}

impl Call<'_> {
    /// The rest of the answer, whose rows nobody wants. How many rows the statement changed, or gave.
    async fn finish(self, mut rows: Pin<&mut RowStream>) -> Result<u64> {
        let ended = loop {
            match rows.try_next().await {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(rows.rows_affected().unwrap_or(0)),
                Err(found) => break Err(found),
            }
        };
        self.running.end();
        ended.map_err(|found| {
            *self.suspect = true;
            error(found)
        })
    }

    /// Gives the rows to a sink until it has enough.
    async fn fill(self, mut rows: Pin<&mut RowStream>, sink: &mut dyn RowSink) -> Result<()> {
        let Self { prepared, running, suspect, cancels } = self;
        let filled = loop {
            match rows.try_next().await {
                Ok(Some(row)) => match sink.row(&PostgresRow { row: &row, shapes: &prepared.shapes }) {
                    Ok(Flow::More) => {}
                    Ok(Flow::Enough) => break Ok(()),
                    Err(found) => break Err(found),
                },
                Ok(None) => {
                    running.end();
                    return Ok(());
                }
                Err(found) => {
                    running.end();
                    *suspect = true;
                    return Err(error(found));
                }
            }
        };
        // Most often there is no rest, or a short one. What writes has not written before its end.
        let rest = async {
            while rows.try_next().await?.is_some() {}
            Ok(())
        };
        let ended = if cancels { Box::pin(tokio::time::timeout(REST, rest)).await.ok() } else { Some(rest.await) };
        match ended {
            // What runs is dropped here, and cancelled.
            None => filled,
            Some(ended) => {
                running.end();
                *suspect |= ended.is_err();
                filled.and(ended.map_err(error))
            }
        }
    }
}

impl Connection for PostgresConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let (session, origin) = self.session().await?;
            let run = async {
                let Started { rows, call } = start(session, statement).await?;
                call.finish(pin!(rows)).await
            };
            let done = traced(origin, statement, run).await;
            self.noted(done)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        mut sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let (session, origin) = self.session().await?;
            let run = async {
                let Started { rows, call } = start(session, statement).await?;
                call.fill(pin!(rows), &mut *sink).await?;
                Ok(sink)
            };
            let done = traced(origin, statement, run).await;
            self.noted(done)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let (session, origin) = self.session().await?;
            let started = traced(origin, statement, start(session, statement)).await?;
            Ok(Box::new(PostgresCursor::new(started, &statement.sql)) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let (session, origin) = self.session().await?;
            let mut rows = fitted(statement, rows);
            let done = traced(origin, statement, bulk::many(session, statement, &mut *rows)).await;
            self.noted(done)
        })
    }

    fn runs_many_at_once(&self) -> bool {
        true
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, mut rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let (session, origin) = self.session().await?;
            let sql = bulk::copy_text(into);
            let done = traced_bulk(origin, into, &sql, bulk::copy(session, &sql, into, &mut *rows)).await;
            self.noted(done)
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        mut rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let (session, origin) = self.session().await?;
            let sql = bulk::insert_text(into)?;
            let done = traced_bulk(origin, into, &sql, bulk::keys(session, &sql, into, &mut *rows)).await;
            self.noted(done)
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let (session, _) = self.session().await?;
            // It may set what it likes, and begin a transaction.
            session.changed = true;
            session.text(sql, Fate::Cancel).await
        })
    }

    /// A savepoint takes no options: its transaction has them.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let (session, _) = self.session().await?;
            options.check(session.depth)?;
            match session.depth {
                0 => {
                    session.text(&begin_text(options), Fate::Close).await?;
                    session.suspect = false;
                }
                depth => session.text(&format!("SAVEPOINT s{depth}"), Fate::Close).await?,
            }
            session.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let (session, _) = self.session().await?;
            match session.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to commit")),
                1 => {
                    if session.suspect {
                        // A COMMIT of a transaction that an error has ended rolls it back, and is no error itself.
                        session.text("SELECT", Fate::Cancel).await?;
                    }
                    session.text("COMMIT", Fate::Close).await?;
                }
                depth => session.text(&format!("RELEASE s{}", depth - 1), Fate::Close).await?,
            }
            session.depth -= 1;
            Ok(())
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let (session, _) = self.session().await?;
            match session.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back")),
                1 => session.text("ROLLBACK", Fate::Close).await?,
                depth => {
                    let back = format!("ROLLBACK TO s{0}; RELEASE s{0}", depth - 1);
                    session.text(&back, Fate::Close).await?;
                }
            }
            session.depth -= 1;
            Ok(())
        })
    }

    fn depth(&self) -> u32 {
        self.pooled.as_ref().map_or(0, |session| session.depth)
    }

    fn set_statement_timeout(&mut self, timeout: Option<Duration>) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let (session, _) = self.session().await?;
            session.changed = true;
            session.text(&limit_text(timeout), Fate::Cancel).await
        })
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let (session, _) = self.session().await?;
            session.client.check_connection().await.map_err(error)
        })
    }

    fn close(&mut self) {
        if let Some(session) = self.pooled.as_deref_mut() {
            session.line.close();
        }
    }
}

/// Takes back what is open, on a task of its own, before the session goes back to the pool.
impl Drop for PostgresConnection {
    fn drop(&mut self) {
        if let Some(mut session) = self.pooled.take()
            && !session.is_clean()
        {
            // Without a runtime it is dropped as it is, and closed.
            session.runtime().spawn(async move { session.clean().await });
        }
    }
}

fn begin_text(options: &TransactionOptions) -> String {
    let mut sql = String::from("BEGIN");
    sql.push_str(match options.isolation {
        None => "",
        Some(Isolation::ReadCommitted) => " ISOLATION LEVEL READ COMMITTED",
        Some(Isolation::RepeatableRead | Isolation::Snapshot) => " ISOLATION LEVEL REPEATABLE READ",
        Some(_) => " ISOLATION LEVEL SERIALIZABLE",
    });
    if options.read_only {
        sql.push_str(" READ ONLY");
    }
    if let Some(timeout) = options.statement_timeout {
        let _ = write!(sql, "; SET LOCAL statement_timeout = {}", millis(timeout));
    }
    sql
}
