//! Statements on one connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use isogloss_compiler::Compiled;
use isogloss_driver::{BoxFuture, Connection, Error, ErrorKind, Flow, Result, RowSink, TransactionOptions};
use rusqlite::types::{ToSqlOutput, Value as Stored};
use rusqlite::{CachedStatement, ErrorCode};

use super::error::error;
use super::pace::Place;
use super::pool::Pooled;
use super::slot::{Control, Raw, Slot};
use super::value::{Kept, SqliteRow, bound};

/// How many rows of a statement on trial are kept; one with more is no short one.
const TRIAL_ROWS: usize = 64;

/// A connection from a [`SqliteBackend`](super::SqliteBackend).
#[derive(Debug)]
pub struct SqliteConnection {
    pooled: Pooled,
    depth: u32,
    timeout: Option<Duration>,
    /// What its transaction has set aside: whether `query_only` is on.
    read_only: bool,
}

/// What a statement is to do with its rows.
type Sink = Option<Box<dyn RowSink>>;

/// How many rows were changed, or given; and the sink.
type Done = (u64, Sink);

impl SqliteConnection {
    pub(crate) fn new(pooled: Pooled) -> Self {
        Self { pooled, depth: 0, timeout: None, read_only: false }
    }

    fn slot(&self) -> &Arc<Slot> {
        &self.pooled.slot
    }

    async fn run(&mut self, statement: &Compiled<'_>, mut sink: Sink) -> Result<Done> {
        let most = self.pooled.value_bytes;
        if self.slot().here().is_none() {
            self.slot().wait().await;
        }
        if let Some(done) = self.try_here(statement, &mut sink, most)? {
            return Ok((done, sink));
        }
        // The thread outlives this future if that is dropped: it gets everything for itself.
        let params = statement.params.iter().map(|param| Ok(owned(bound(param, most)?)));
        let params = params.collect::<Result<Vec<Stored>>>()?;
        self.away(statement.sql.clone(), params, sink).await
    }

    /// Runs the statement where the caller stands, if it is known to be quick, or tries to. Nothing if it is not.
    fn try_here(&self, statement: &Compiled<'_>, sink: &mut Sink, most: usize) -> Result<Option<u64>> {
        let mut place = self.slot().here();
        let Some(raw) = place.as_deref_mut() else { return Ok(None) };
        let failed = |e| error(e, &statement.sql);
        let Raw { connection, pace } = raw;
        let key = pace.key(&statement.sql);
        let mut prepared = connection.prepare_cached(&statement.sql).map_err(failed)?;
        let reads = prepared.readonly();
        let place = pace.place(key, reads);
        if place == Place::Away {
            return Ok(None);
        }
        for (index, param) in statement.params.iter().enumerate() {
            let value = bound(param, most).map_err(|error| error.with_sql(&statement.sql))?;
            prepared.raw_bind_parameter(index + 1, value).map_err(failed)?;
        }
        complete(&prepared, statement.params.len(), &statement.sql)?;
        let begun = Instant::now();
        let control = &self.slot().control;
        control.begin(reads, self.timeout);
        let done = match (place, sink.as_deref_mut()) {
            (Place::Trial, Some(sink)) => match on_trial(&mut prepared) {
                Ok(Some(rows)) => Ok(Some(replay(&prepared, &rows, sink).map_err(|e| e.with_sql(&statement.sql))?)),
                Ok(None) => Ok(None),
                Err(found) => Err(found),
            },
            (_, Some(sink)) => step(&mut prepared, sink, &statement.sql, control)?.map(Some),
            (_, None) => execute(&mut prepared).map(Some),
        };
        drop(prepared);
        match done {
            Ok(Some(done)) => {
                pace.took(key, begun.elapsed());
                Ok(Some(done))
            }
            // More rows than a short statement has, more work than it takes, or someone else writes: wait elsewhere.
            Ok(None) => Ok(None),
            Err(found) if interrupted(&found) && control.is_used_up() => Ok(None),
            Err(found) if busy(&found) => Ok(None),
            Err(found) => Err(self.ended(found, &statement.sql)),
        }
    }

    /// Runs the statement on a thread for what blocks.
    async fn away(&mut self, sql: String, params: Vec<Stored>, sink: Sink) -> Result<Done> {
        let slot = Arc::clone(self.slot());
        self.slot().wait().await;
        let Some(mut raw) = self.slot().here().take() else {
            return Err(Error::new(ErrorKind::ConnectionLost, "the connection is used elsewhere"));
        };
        let (timeout, busy) = (self.timeout, self.pooled.busy_timeout);
        let mut given_up = Interrupt(Some(&self.pooled.slot));
        let task = tokio::task::spawn_blocking(move || {
            let done = run_away(&mut raw, &slot, &sql, &params, sink, timeout, busy);
            slot.put(raw);
            done
        });
        let done = task.await;
        given_up.0 = None;
        match done {
            Ok(done) => done,
            Err(lost) => {
                Err(Error::new(ErrorKind::ConnectionLost, "the thread of the statement ended").with_source(lost))
            }
        }
    }

    fn ended(&self, found: rusqlite::Error, sql: &str) -> Error {
        ended(&self.pooled.slot, found, sql)
    }

    async fn text(&mut self, sql: &str) -> Result<()> {
        let statement = Compiled { sql: sql.to_owned(), ..Compiled::default() };
        self.run(&statement, None).await.map(drop)
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

fn run_away(
    raw: &mut Raw,
    slot: &Slot,
    sql: &str,
    params: &[Stored],
    mut sink: Sink,
    timeout: Option<Duration>,
    busy: Duration,
) -> Result<Done> {
    let Raw { connection, pace } = raw;
    let failed = |e| error(e, sql);
    // Here it may wait for others that write.
    connection.busy_timeout(busy).map_err(failed)?;
    let begun = Instant::now();
    slot.control.begin(false, timeout);
    let mut run = || {
        let mut prepared = connection.prepare_cached(sql).map_err(failed)?;
        for (index, value) in params.iter().enumerate() {
            prepared.raw_bind_parameter(index + 1, value).map_err(failed)?;
        }
        complete(&prepared, params.len(), sql)?;
        let done = match sink.as_deref_mut() {
            Some(sink) => step(&mut prepared, sink, sql, &slot.control)?,
            None => execute(&mut prepared),
        };
        done.map_err(|found| ended(slot, found, sql))
    };
    let done = run();
    let waits_no_more = connection.busy_timeout(Duration::ZERO).map_err(failed);
    let done = done?;
    // One that failed or was given up says nothing of its pace.
    pace.took(pace.key(sql), begun.elapsed());
    waits_no_more?;
    Ok((done, sink))
}

/// The error of a statement that was running, which may have been given up for the time that it took.
fn ended(slot: &Slot, found: rusqlite::Error, sql: &str) -> Error {
    if interrupted(&found) && slot.control.timed_out() {
        return Error::new(ErrorKind::Timeout, "the statement took longer than it may")
            .with_sql(sql)
            .with_source(found);
    }
    error(found, sql)
}

/// A statement has as many parameters as are bound, and is one statement.
fn complete(prepared: &CachedStatement<'_>, bound: usize, sql: &str) -> Result<()> {
    match prepared.parameter_count() {
        wanted if wanted == bound => Ok(()),
        wanted => Err(error(rusqlite::Error::InvalidParameterCount(bound, wanted), sql)),
    }
}

/// Runs a statement to its end: how many rows it changed, or gave.
fn execute(prepared: &mut CachedStatement<'_>) -> Result<u64, rusqlite::Error> {
    if prepared.column_count() == 0 {
        return prepared.raw_execute().map(|rows| rows as u64);
    }
    let mut rows = prepared.raw_query();
    let mut count = 0;
    while rows.next()?.is_some() {
        count += 1;
    }
    Ok(count)
}

/// Gives each row to the sink. The outer error is the sink's, the inner one SQLite's.
fn step(
    prepared: &mut CachedStatement<'_>,
    sink: &mut dyn RowSink,
    sql: &str,
    control: &Control,
) -> Result<Result<u64, rusqlite::Error>> {
    let mut rows = prepared.raw_query();
    let mut count = 0;
    loop {
        match rows.next() {
            Ok(Some(row)) => {
                if count == 0 {
                    // The sink has it: from here on there is no beginning again.
                    control.lift_budget();
                }
                count += 1;
                if sink.row(&SqliteRow(row)).map_err(|e| e.with_sql(sql))? == Flow::Enough {
                    return Ok(Ok(count));
                }
            }
            Ok(None) => return Ok(Ok(count)),
            Err(found) => return Ok(Err(found)),
        }
    }
}

/// The rows of a short statement; nothing if it has too many.
fn on_trial(prepared: &mut CachedStatement<'_>) -> Result<Option<Vec<Stored>>, rusqlite::Error> {
    let columns = prepared.column_count();
    let mut kept = Vec::new();
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next()? {
        if kept.len() >= TRIAL_ROWS * columns {
            return Ok(None);
        }
        for index in 0..columns {
            kept.push(row.get(index)?);
        }
    }
    Ok(Some(kept))
}

fn replay(prepared: &CachedStatement<'_>, rows: &[Stored], sink: &mut dyn RowSink) -> Result<u64> {
    let names: Vec<String> = prepared.column_names().into_iter().map(str::to_owned).collect();
    let mut count = 0;
    for values in rows.chunks_exact(names.len().max(1)) {
        count += 1;
        if sink.row(&SqliteRow(Kept { values, names: &names }))? == Flow::Enough {
            break;
        }
    }
    Ok(count)
}

fn owned(value: ToSqlOutput<'_>) -> Stored {
    match value {
        ToSqlOutput::Borrowed(value) => value.try_into().unwrap_or(Stored::Null),
        ToSqlOutput::Owned(value) => value,
        _ => Stored::Null,
    }
}

fn interrupted(found: &rusqlite::Error) -> bool {
    found.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
}

fn busy(found: &rusqlite::Error) -> bool {
    matches!(found.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl Connection for SqliteConnection {
    fn execute<'c>(&'c mut self, statement: &'c Compiled<'_>) -> BoxFuture<'c, Result<u64>> {
        Box::pin(async move { Ok(self.run(statement, None).await?.0) })
    }

    fn query<'c>(
        &'c mut self,
        statement: &'c Compiled<'_>,
        sink: Box<dyn RowSink>,
    ) -> BoxFuture<'c, Result<Box<dyn RowSink>>> {
        Box::pin(async move {
            let (_, sink) = self.run(statement, Some(sink)).await?;
            sink.ok_or_else(|| Error::new(ErrorKind::Other, "the sink is lost"))
        })
    }

    fn script<'c>(&'c mut self, sql: &'c str) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            self.slot().wait().await;
            let slot = Arc::clone(self.slot());
            let Some(raw) = self.slot().here().take() else {
                return Err(Error::new(ErrorKind::ConnectionLost, "the connection is used elsewhere"));
            };
            let sql = sql.to_owned();
            let mut given_up = Interrupt(Some(&self.pooled.slot));
            let task = tokio::task::spawn_blocking(move || {
                slot.control.begin(false, None);
                let done = raw.connection.execute_batch(&sql).map_err(|e| error(e, &sql));
                slot.put(raw);
                done
            });
            let done = task.await;
            given_up.0 = None;
            done.unwrap_or_else(|lost| {
                Err(Error::new(ErrorKind::ConnectionLost, "the thread of the script ended").with_source(lost))
            })
        })
    }

    /// A transaction that writes takes its place as a writer at once: one that came to write later could find that
    /// another has written meanwhile. Every isolation is given: SQLite's transactions are serializable.
    fn begin<'c>(&'c mut self, options: &'c TransactionOptions) -> BoxFuture<'c, Result<()>> {
        Box::pin(async move {
            if self.depth > 0 {
                self.text(&format!("SAVEPOINT s{}", self.depth)).await?;
            } else if options.read_only {
                self.text("PRAGMA query_only = 1").await?;
                self.read_only = true;
                self.text("BEGIN").await?;
            } else {
                self.text("BEGIN IMMEDIATE").await?;
            }
            self.depth += 1;
            Ok(())
        })
    }

    fn commit(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to commit")),
                1 => self.text("COMMIT").await?,
                depth => self.text(&format!("RELEASE s{}", depth - 1)).await?,
            }
            self.depth -= 1;
            self.writes_again().await
        })
    }

    fn rollback(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self.depth {
                0 => return Err(Error::new(ErrorKind::Other, "there is no transaction to roll back")),
                1 => self.text("ROLLBACK").await?,
                depth => {
                    self.text(&format!("ROLLBACK TO s{}", depth - 1)).await?;
                    self.text(&format!("RELEASE s{}", depth - 1)).await?;
                }
            }
            self.depth -= 1;
            self.writes_again().await
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
}

impl SqliteConnection {
    /// A transaction that only read is over.
    async fn writes_again(&mut self) -> Result<()> {
        if self.read_only && self.depth == 0 {
            self.text("PRAGMA query_only = 0").await?;
            self.read_only = false;
        }
        Ok(())
    }
}

impl Drop for SqliteConnection {
    fn drop(&mut self) {
        if self.depth > 0 || self.read_only {
            self.pooled.slot.abandon();
        }
    }
}
