//! Statements on one connection.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join;
use isogloss_compiler::expr::Value;
use isogloss_compiler::{BulkInsert, Compiled};
use isogloss_driver::pool::Pooled;
use isogloss_driver::{
    BoxFuture, Connection, Cursor, Error, ErrorKind, Flow, Isolation, Result, RowSink, RowSource, TransactionOptions,
    fitted,
};
use tokio_postgres::Client;

use super::bulk;
use super::cursor::PostgresCursor;
use super::decode::PostgresRow;
use super::encode::{Bound, sized};
use super::error::{doubted, ends_session, error};
use super::pool::Manager;
use super::reads::{only_reads, reads};
use super::scripts;
use super::session::{Fate, Running, Session, savepoint};
use super::statements::{Key, Prepared, Statements, is_stale};
use super::typed::{Rows, Typed};
use crate::wire::Shape;

/// How long the rows that nobody wants are read, before their query is cancelled.
const REST: Duration = Duration::from_millis(20);

/// A connection from a [`PostgresBackend`](super::PostgresBackend).
#[derive(Debug)]
pub struct PostgresConnection {
    /// It is here until the connection is dropped.
    pooled: Option<Pooled<Manager>>,
}

impl PostgresConnection {
    pub(super) fn new(pooled: Pooled<Manager>) -> Self {
        Self { pooled: Some(pooled) }
    }

    /// The session, when nothing that was given up runs on it any more.
    async fn session(&mut self) -> Result<&mut Session> {
        let Some(session) = self.pooled.as_deref_mut() else {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection has gone back to the pool"));
        };
        session.settle().await?;
        session.take_back().await?;
        Ok(session)
    }

    /// What the end of a transaction is told: a COMMIT that was given up may have taken effect.
    fn of_commit(&self) -> impl Fn(Error) -> Error + use<> {
        let committing = self.pooled.as_deref().is_some_and(|session| session.line.committing);
        move |lost| if committing { lost.in_doubt() } else { lost }
    }

    /// The session, for what is a part of its transaction.
    async fn whole(&mut self) -> Result<&mut Session> {
        let session = self.session().await?;
        if std::mem::take(&mut session.ends) && session.depth > 0 && !session.over {
            // It is rare.
            Box::pin(look(session)).await?;
        }
        session.goes_on()?;
        Ok(session)
    }

    /// The session, for a statement. Where it is known to be gone, nothing is sent, and nothing is in doubt.
    async fn ready(&mut self) -> Result<&mut Session> {
        let session = self.whole().await.map_err(Error::unsent)?;
        if session.is_lost() {
            return Err(Error::new(ErrorKind::ConnectionLost, "the server closed the connection before that").unsent());
        }
        Ok(session)
    }

    /// What a statement has come to that commits by itself, unless a transaction is open.
    fn doubted<T>(&mut self, done: Result<T>, sql: &str) -> Result<T> {
        let alone = self.depth() == 0;
        self.noted(done).map_err(|found| if alone { doubted(found, sql) } else { found })
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

/// Looks whether the transaction is still there, behind a text that may have ended it.
async fn look(session: &mut Session) -> Result<()> {
    match session.text("SAVEPOINT isogloss_look", Fate::Close).await {
        Ok(()) => session.text("RELEASE isogloss_look", Fate::Close).await,
        // There is none.
        Err(found) if found.code() == Some("25P01") => {
            session.over = true;
            Ok(())
        }
        // An error has ended it; what comes is told so.
        Err(found) if found.code() == Some("25P02") => Ok(()),
        Err(found) => Err(found),
    }
}

/// A query whose rows are coming.
pub(super) struct Started<'s> {
    pub(super) rows: Rows,
    pub(super) call: Call<'s>,
}

/// What is known of it.
pub(super) struct Call<'s> {
    pub(super) shapes: Arc<[Shape]>,
    pub(super) running: Running<'s>,
    /// Whether an error has taken its transaction along.
    pub(super) suspect: &'s mut bool,
    /// Whether it commits by itself.
    pub(super) alone: bool,
    /// Whether it may be cancelled when nobody wants the rest: it only reads, and takes no transaction along.
    pub(super) cancels: bool,
}

/// Sends a statement, and before it another limit and the savepoint of a stream in a transaction, where it needs them.
/// The answers to those are not waited for.
///
/// One that was prepared for a table that has changed since is prepared again, unless there is a transaction: the error
/// has ended that.
pub(super) async fn start<'s>(
    session: &'s mut Session,
    statement: &Compiled<'_>,
    streams: bool,
) -> Result<Started<'s>> {
    for parameter in &statement.params {
        sized(&parameter.value, session.value_bytes)?;
    }
    if session.pooled.is_some() {
        scripts::check_one(&statement.sql)?;
    }
    let alone = session.depth == 0;
    let back = (streams && !alone && only_reads(&statement.sql)).then(|| session.line.next_stream());
    let change = session.limit_before(streams);
    let mut before: Vec<String> = change.iter().map(|change| change.text(!alone)).collect();
    before.extend(back.map(savepoint));
    let Session { client, statements, line, suspect, limit, pooled, changed, begun, ends, .. } = session;
    let running = line.start(back.map_or(Fate::Cancel, Fate::Back));
    let run = async {
        match pooled {
            None => {
                let leaves = |prepared: &Prepared| {
                    *changed |= prepared.changes;
                    *begun |= prepared.begins;
                    *ends |= prepared.ends;
                };
                sent(client, statements, statement, alone, leaves).await
            }
            Some(strange) => {
                let types = statement.params.iter().map(|parameter| parameter.ty);
                let typed = Typed::new(&statement.sql, types, strange);
                if streams {
                    typed.learn(client).await?;
                }
                let (rows, shapes) = typed.rows(client, statement.params.iter().map(|p| &*p.value)).await?;
                Ok(SentStatement { rows, shapes, reads: reads(&statement.sql) })
            }
        }
    };
    let done = if before.is_empty() {
        run.await
    } else {
        let text = before.join("; ");
        // Together they are large, and rare.
        let (told, done) = Box::pin(join(client.batch_execute(&text), run)).await;
        // Where it failed, the statement has failed with it, or has had another limit, and the next one tries again.
        if let (Ok(()), Some(change)) = (told, change) {
            limit.changed(change, !alone);
        }
        done
    };
    match done {
        Ok(SentStatement { rows, shapes, reads }) => Ok(Started {
            rows,
            call: Call { shapes, running, suspect, alone, cancels: if alone { reads } else { back.is_some() } },
        }),
        Err(found) => {
            running.end_by(&found);
            *suspect = true;
            Err(found)
        }
    }
}

/// A statement that is under way.
struct SentStatement {
    rows: Rows,
    shapes: Arc<[Shape]>,
    /// Whether it only reads, as far as its words tell.
    reads: bool,
}

/// Prepares a statement, unless it was kept, and runs it. Before it does, it tells what is to be run.
async fn sent(
    client: &Client,
    statements: &mut Statements,
    statement: &Compiled<'_>,
    alone: bool,
    mut tell: impl FnMut(&Prepared),
) -> Result<SentStatement> {
    let key = Key { sql: &statement.sql, types: statement.params.iter().map(|parameter| parameter.ty) };
    let bound = || statement.params.iter().map(|parameter| Bound(&parameter.value));
    let mut kept = statements.find(&key);
    loop {
        let is_kept = kept.is_some();
        let prepared: Arc<Prepared> = match kept.take() {
            Some(prepared) => prepared,
            // The rare way has room of its own.
            None => Box::pin(statements.prepare(client, &key, alone)).await.map_err(Error::unsent)?,
        };
        tell(&prepared);
        // Two boxes of the sizes that malloc has at hand are quicker than a large one.
        match Box::pin(client.query_raw(&prepared.statement, bound())).await {
            Ok(rows) => {
                let shapes = Arc::clone(&prepared.shapes);
                return Ok(SentStatement { rows: Rows::new(rows), shapes, reads: prepared.reads });
            }
            Err(found) if is_kept && is_stale(&found) => {
                statements.forget(&key);
                statements.note_change();
                if !alone {
                    return Err(error(found));
                }
            }
            Err(found) => return Err(error(found)),
        }
    }
}

/// What comes of a call within its limit. Dropped, it is cancelled.
async fn within<T>(limit: Option<Duration>, call: impl Future<Output = Result<T>>) -> Result<T> {
    // Pinned once: a future that were moved on would have room for itself twice.
    let call = pin!(call);
    let Some(limit) = limit else { return call.await };
    tokio::time::timeout(limit, call).await.unwrap_or_else(|_| {
        Err(Error::new(ErrorKind::Timeout, format!("the statement took longer than {limit:?}, and was cancelled")))
    })
}

impl Call<'_> {
    /// The rest of the answer, whose rows nobody wants. How many rows the statement changed, or gave.
    async fn finish(self, mut rows: Rows) -> Result<u64> {
        let ended = loop {
            match rows.next().await {
                Ok(Some(_)) => {}
                Ok(None) => break Ok(rows.count()),
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
    async fn fill(self, mut rows: Rows, sink: &mut dyn RowSink) -> Result<()> {
        let Self { shapes, running, suspect, cancels, .. } = self;
        let filled = loop {
            match rows.next().await {
                Ok(Some(row)) => match sink.row(&PostgresRow::new(&row, &shapes)) {
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
            while rows.next().await?.is_some() {}
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
            let session = self.ready().await?;
            let limit = session.own_limit();
            let run = async {
                let Started { rows, call } = start(session, statement, false).await?;
                call.finish(rows).await
            };
            let done = within(limit, run).await;
            let done = self.doubted(done, &statement.sql)?;
            self.whole().await?;
            Ok(done)
        })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        mut sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let session = self.ready().await?;
            let limit = session.own_limit();
            let run = async {
                let Started { rows, call } = start(session, statement, false).await?;
                call.fill(rows, &mut *sink).await?;
                Ok(sink)
            };
            let done = within(limit, run).await;
            self.doubted(done, &statement.sql)
        })
    }

    fn open<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<Box<dyn Cursor + 'c>>> {
        Box::pin(async move {
            let session = self.ready().await?;
            let (limit, alone) = (session.own_limit(), session.depth == 0);
            let started = within(limit, start(session, statement, true)).await;
            let started = started.map_err(|found| if alone { doubted(found, &statement.sql) } else { found })?;
            Ok(Box::new(PostgresCursor::new(started, &statement.sql)) as Box<dyn Cursor + 'c>)
        })
    }

    fn execute_many<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let session = self.ready().await?;
            let mut rows = fitted(statement, rows);
            let done = bulk::many(session, statement, &mut *rows).await;
            self.doubted(done, &statement.sql)
        })
    }

    fn runs_many_at_once(&self) -> bool {
        true
    }

    fn bulk_insert<'c>(&'c mut self, into: &'c BulkInsert, mut rows: Box<dyn RowSource>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move {
            let session = self.ready().await?;
            let sql = bulk::copy_text(into);
            let done = bulk::copy(session, &sql, into, &mut *rows).await.map_err(|error| error.with_sql(&sql));
            self.noted(done)
        })
    }

    fn bulk_insert_keys<'c>(
        &'c mut self,
        into: &'c BulkInsert,
        mut rows: Box<dyn RowSource>,
    ) -> BoxFuture<'c, Result<Vec<Value>>> {
        Box::pin(async move {
            let session = self.ready().await?;
            let sql = bulk::insert_text(into)?;
            let done = bulk::keys(session, &sql, into, &mut *rows).await.map_err(|error| error.with_sql(&sql));
            self.noted(done)
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let session = self.ready().await?;
            if session.pooled.is_some() {
                scripts::check(sql)?;
            } else {
                // It may set what it likes, and begin a transaction.
                session.changed = true;
                let begins = scripts::may_begin(sql);
                session.begun |= begins;
                session.ends = scripts::may_end(sql);
                // Another transaction that it has begun is not the caller's.
                session.over |= session.ends && begins && session.depth > 0;
            }
            session.limited(false).await.map_err(Error::unsent)?;
            let done = within(session.own_limit(), session.text(sql, Fate::Cancel)).await;
            if scripts::may_change_tables(sql) {
                session.statements.note_change();
                session.statements.renew();
            }
            self.doubted(done, sql).map_err(|found| found.with_sql(sql))?;
            self.whole().await.map(drop)
        })
    }

    /// A savepoint takes no options: its transaction has them.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            let session = self.whole().await?;
            options.check(session.depth)?;
            match session.depth {
                0 => {
                    session.statements.renew();
                    let begin = session.begin_text(&begin_text(options), options.statement_timeout, false);
                    session.begin_by(&begin, Fate::Close).await?;
                    session.ended();
                    session.limit.begun(options.statement_timeout, session.pooled.is_some());
                }
                depth => session.text(&format!("SAVEPOINT s{depth}"), Fate::Close).await?,
            }
            session.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let of_commit = self.of_commit();
            let session = self.whole().await.map_err(of_commit)?;
            match session.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to commit")),
                1 => {
                    if session.suspect {
                        // A COMMIT of a transaction that an error has ended rolls it back, and is no error itself.
                        session.text("SELECT 1", Fate::Cancel).await?;
                    }
                    session.commit().await?;
                    session.ended();
                }
                depth => session.text(&format!("RELEASE s{}", depth - 1), Fate::Close).await?,
            }
            session.depth -= 1;
            Ok(())
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let of_commit = self.of_commit();
            let session = self.session().await.map_err(of_commit)?;
            match session.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back")),
                1 => {
                    if !session.over || session.begun {
                        session.text("ROLLBACK", Fate::Close).await?;
                    }
                    session.ended();
                }
                depth => {
                    if !session.over {
                        let back = format!("ROLLBACK TO s{0}; RELEASE s{0}", depth - 1);
                        session.text(&back, Fate::Close).await?;
                    }
                    session.limit.went_back();
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
            // The server is told with the next statement.
            self.session().await?.limit.want(timeout);
            Ok(())
        })
    }

    fn ping(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            let session = self.session().await?;
            session.client.check_connection().await.map_err(error)
        })
    }

    fn close(&mut self) {
        if let Some(session) = self.pooled.as_deref_mut() {
            session.line.close_running();
        }
    }

    fn unsettled(&mut self) -> Option<BoxFuture<'_, Result<()>>> {
        let cancels =
            self.pooled.as_deref().is_some_and(|session| session.line.cancelling.is_some() && !session.is_lost());
        cancels.then(|| Box::pin(async { self.session().await.map(drop) }) as BoxFuture<'_, _>)
    }
}

/// Takes back what is open, on a task of its own, before the session goes back to the pool.
impl Drop for PostgresConnection {
    fn drop(&mut self) {
        let Some(mut session) = self.pooled.take() else { return };
        session.limit.forget();
        if !session.is_clean() {
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
    sql
}
