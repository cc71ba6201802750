//! One statement: where it runs, and how.

use std::time::{Duration, Instant};

use isogloss_compiler::Compiled;
use isogloss_compiler::render::Parameter;
use isogloss_driver::{Error, ErrorKind, Flow, Result, RowSink, weight};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::{ToSqlOutput, Value as Stored};
use rusqlite::{Batch, CachedStatement, Connection, StatementStatus};

use super::error::{busy, error, interrupted};
use super::gathered::Gathered;
use super::pace::{QUICK, Version, Work};
use super::slot::{Control, Raw, Slot};
use super::value::{SqliteRow, bound};
use super::wait::{released, waited, watch};
use super::{RunLimits, log, program};

/// How many bytes of values a statement may have where its caller stands.
const LARGE: usize = 1 << 20;

/// What a statement is to do with its rows.
pub(super) type Sink = Option<Box<dyn RowSink>>;

/// Runs the statement where the caller stands, if it is known to be quick, or tries to. Nothing if it is not: then it has
/// done nothing, and its sink has no row.
pub(super) fn here(slot: &Slot, statement: &Compiled<'_>, sink: &mut Sink, limits: RunLimits) -> Result<Option<u64>> {
    let mut place = slot.here();
    let Some(raw) = place.as_deref_mut() else { return Ok(None) };
    // Each step of it may take as long as its values are.
    if statement.params.iter().map(|param| weight(&param.value)).sum::<usize>() > LARGE {
        return Ok(None);
    }
    let sql = &*statement.sql;
    let failed = |e| error(e, sql);
    if let Some(over) = raw.over(limits.transaction) {
        return Err(over);
    }
    let (in_transaction, heavy) = (raw.enter(), raw.is_heavy());
    let Raw { connection, pace, scratch, gathered, succeeded, schema, .. } = raw;
    let (key, control) = (pace.key(sql), &slot.control);
    // A long text takes its time before it runs.
    control.begin(true, limits.timeout);
    let mut prepared = match connection.prepare_cached(sql) {
        Ok(prepared) => prepared,
        Err(found) if interrupted(&found) && control.is_spent() => return Ok(None),
        // The schema is read with the first statement, and again when it has changed.
        Err(found) if busy(&found) => return Ok(None),
        Err(found) => return Err(failed(found)),
    };
    if in_transaction && prepared.column_count() == 0 && prepared.readonly() {
        // The transaction's end, or that of a part of it.
        *schema = None;
        if heavy {
            return Ok(None);
        }
    }
    let tries = || prepared.readonly() && !counts(sql);
    let version = || Version::of(connection, &prepared, schema);
    let Some(way) = pace.here(key, in_transaction, version, tries) else { return Ok(None) };
    // Nobody passes those that wait.
    if way.work != Work::Reads && !in_transaction && slot.line.has_waiting() {
        return Ok(None);
    }
    for (index, param) in statement.params.iter().enumerate() {
        let value = bound(&param.value, scratch, limits.value_bytes)?;
        prepared.raw_bind_parameter(index + 1, ToSqlOutput::Borrowed(value)).map_err(failed)?;
    }
    complete(&prepared, statement.params.len(), sql)?;
    let begun = way.due.then(Instant::now);
    // A write that is given up takes its transaction with it.
    control.begin(way.work == Work::Reads || !in_transaction, limits.timeout);
    let on_async_thread = log::OnAsyncThread::enter();
    let done = match sink {
        Some(sink) => gather(&mut prepared, gathered, sink.most(), way.work == Work::Reads),
        None => execute(&mut prepared).map(Some),
    };
    drop(on_async_thread);
    if control.take_written() {
        slot.line.ended();
    }
    let done = match done {
        Ok(done) => done,
        // More work than it may take.
        Err(found) if interrupted(&found) && control.is_spent() => None,
        // Someone else writes: wait elsewhere.
        Err(found) if busy(&found) => return Ok(None),
        Err(found) => {
            let told = ended(connection, control, found, sql, prepared.readonly());
            if control.take_written() {
                slot.line.ended();
            }
            return Err(told);
        }
    };
    let time = match done {
        Some(_) => begun.map(|begun| begun.elapsed()),
        None => Some(Duration::MAX),
    };
    if let Some(time) = time {
        pace.took(key, time);
    }
    let Some(done) = done else { return Ok(None) };
    *succeeded = true;
    match sink.as_deref_mut() {
        Some(sink) => gathered.give(&prepared, sink).map(Some),
        None => Ok(Some(done)),
    }
}

/// Whether a statement may count a whole table, which is one step that nothing can end. It is looked at elsewhere first,
/// whatever its word stands for: there are many ways to write `count(*)`.
fn counts(sql: &str) -> bool {
    sql.as_bytes().windows(5).any(|text| text.eq_ignore_ascii_case(b"count"))
}

impl Version {
    /// That of a statement now. No other connection changes the schema of a transaction that writes, which is asked for it
    /// once. No error: a schema that cannot be read is like no other.
    fn of(connection: &Connection, prepared: &CachedStatement<'_>, known: &mut Option<i32>) -> Option<Self> {
        if known.is_none() {
            let asked = connection.prepare_cached("PRAGMA schema_version");
            *known = asked.and_then(|mut asked| asked.query_row([], |row| row.get(0))).ok();
        }
        known.map(|schema| Self { schema, prepared: prepared.get_status(StatementStatus::RePrepare) })
    }
}

/// Runs the statement on a thread for what blocks. Gives how many rows it changed or gave, and the sink.
pub(super) fn away(
    raw: &mut Raw,
    control: &Control,
    sql: &str,
    params: &[Stored],
    mut sink: Sink,
) -> Result<(u64, Sink)> {
    let Raw { connection, pace, schema, .. } = raw;
    let failed = |e| error(e, sql);
    let begun = Instant::now();
    let mut prepared = connection.prepare_cached(sql).map_err(failed)?;
    bind(&mut prepared, params).map_err(failed)?;
    complete(&prepared, params.len(), sql)?;
    let done = match sink.as_deref_mut() {
        Some(sink) => step(&mut prepared, sink)?,
        None => execute(&mut prepared),
    };
    let done = done.map_err(|found| ended(connection, control, found, sql, prepared.readonly()))?;
    // One that failed or was given up says nothing of its pace.
    let (key, time) = (pace.key(sql), begun.elapsed().saturating_sub(waited()));
    *schema = None;
    let version = Version::of(connection, &prepared, schema);
    let mut work = pace.work(key, version);
    if work.is_none() && time <= QUICK {
        work = program::work(connection, sql, prepared.readonly()).ok();
    }
    pace.found(key, time, work, version);
    Ok((done, sink))
}

/// Runs the statements of a text. Their time is that of all of them.
pub(super) fn script(raw: &mut Raw, control: &Control, sql: &str) -> Result<()> {
    let mut statements = Batch::new(&raw.connection, sql);
    let failed = |found, reads| ended(&raw.connection, control, found, sql, reads);
    loop {
        control.next();
        let Some(mut statement) = statements.next().map_err(|found| failed(found, true))? else { return Ok(()) };
        let done = statement.raw_query().next().map(drop);
        done.map_err(|found| failed(found, statement.readonly()))?;
        drop(statement);
        // What it has set of the wait is not for what comes next.
        watch(&raw.connection);
        if raw.connection.is_autocommit() {
            released();
        }
    }
}

/// The error of a statement that was running. SQLite takes the transaction back with a write that is interrupted; but one
/// that was at its end is there, and would be done twice by a program that tries again.
pub(super) fn ended(
    connection: &Connection,
    control: &Control,
    found: rusqlite::Error,
    sql: &str,
    reads: bool,
) -> Error {
    let half_done = !reads && interrupted(&found) && !connection.is_autocommit();
    let told = control.ended(found, sql);
    if half_done {
        control.begin(false, None);
        // Where it fails, there is none any more.
        let _ = connection.execute_batch("ROLLBACK");
    }
    told
}

pub(super) fn bind(prepared: &mut CachedStatement<'_>, params: &[Stored]) -> rusqlite::Result<()> {
    for (index, value) in params.iter().enumerate() {
        prepared.raw_bind_parameter(index + 1, value)?;
    }
    Ok(())
}

/// The parameters as values of their own, for a thread that outlives the future that waits for it.
pub(super) fn owned_params(statement: &Compiled<'_>, most: usize) -> Result<Vec<Stored>> {
    let mut scratch = String::new();
    let owned = |param: &Parameter<'_>| {
        let value = bound(&param.value, &mut scratch, most)?;
        value.try_into().map_err(|_| Error::new(ErrorKind::BadValue, "a text is not UTF-8"))
    };
    statement.params.iter().map(owned).collect()
}

/// A statement has as many parameters as are bound, and is one statement.
pub(super) fn complete(prepared: &CachedStatement<'_>, bound: usize, sql: &str) -> Result<()> {
    match prepared.parameter_count() {
        wanted if wanted == bound => Ok(()),
        wanted => Err(error(rusqlite::Error::InvalidParameterCount(bound, wanted), sql)),
    }
}

/// Runs a statement to its end: how many rows it changed, or gave.
pub(super) fn execute(prepared: &mut CachedStatement<'_>) -> rusqlite::Result<u64> {
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
fn step(prepared: &mut CachedStatement<'_>, sink: &mut dyn RowSink) -> Result<rusqlite::Result<u64>> {
    let reads = prepared.readonly();
    let mut rows = prepared.raw_query();
    let (mut count, mut enough) = (0, false);
    loop {
        match rows.next() {
            // A write has to end: what it does is refused there, if it is.
            Ok(Some(_)) if enough => {}
            Ok(Some(row)) => {
                count += 1;
                enough = sink.row(&SqliteRow(row))? == Flow::Enough;
                if enough && reads {
                    return Ok(Ok(count));
                }
            }
            Ok(None) => return Ok(Ok(count)),
            Err(found) => return Ok(Err(found)),
        }
    }
}

/// Keeps the rows of a short statement, so many at most; nothing if there is no room for them. A write has to end, whatever
/// is taken of its rows: it has taken effect with the first of them, and is not to begin again.
fn gather(
    prepared: &mut CachedStatement<'_>,
    kept: &mut Gathered,
    most: usize,
    reads: bool,
) -> rusqlite::Result<Option<u64>> {
    kept.begin(reads);
    let mut rows = prepared.raw_query();
    while let Some(row) = rows.next()? {
        // It may have been prepared anew with its first row, for a table that has more columns by now.
        if !kept.push(row, row.as_ref().column_count())? {
            return Ok(None);
        }
        if reads && kept.len() >= most {
            break;
        }
    }
    Ok(Some(kept.len() as u64))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread::sleep;

    use super::super::Transaction;
    use super::*;

    const UPDATE: &str = "UPDATE t SET n = n + 1 WHERE id = 1";

    /// A connection that asks after each step, and is out of time at one of them.
    struct Asked {
        slot: Arc<Slot>,
        calls: Arc<AtomicU32>,
        last: Arc<AtomicU32>,
    }

    impl Asked {
        fn new() -> Self {
            let connection = Connection::open_in_memory().unwrap();
            connection
                .execute_batch("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); INSERT INTO t VALUES (1, 0)")
                .unwrap();
            let control = Arc::new(Control::default());
            control.watch(&connection).unwrap();
            let (calls, last) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
            let (asked, counts, ends) = (Arc::clone(&control), Arc::clone(&calls), Arc::clone(&last));
            let handler = move || match counts.fetch_add(1, Ordering::Relaxed) {
                0 => asked.enough(),
                call if call < ends.load(Ordering::Relaxed) => false,
                _ => {
                    sleep(QUICK * 2);
                    asked.enough()
                }
            };
            connection.progress_handler(1, Some(handler)).unwrap();
            Self { slot: Arc::new(Slot::new(Raw::new(connection), control, Arc::default())), calls, last }
        }

        fn stop_at(&self, call: u32) {
            self.calls.store(0, Ordering::Relaxed);
            self.last.store(call, Ordering::Relaxed);
        }

        /// Whether it was stopped where it was to be.
        fn was_stopped(&self) -> bool {
            self.calls.load(Ordering::Relaxed) > self.last.load(Ordering::Relaxed)
        }

        fn number(&self) -> i64 {
            self.stop_at(u32::MAX);
            self.slot.control.begin(false, None);
            let place = self.slot.here();
            place.as_deref().unwrap().connection.query_row("SELECT n FROM t", [], |row| row.get(0)).unwrap()
        }

        fn elsewhere(&self, sql: &str, timeout: Option<Duration>) -> Result<u64> {
            self.slot.control.begin(false, timeout);
            let mut place = self.slot.here();
            away(place.as_deref_mut().unwrap(), &self.slot.control, sql, &[], None).map(|(count, _)| count)
        }
    }

    fn limits(timeout: Option<Duration>, transaction: Transaction) -> RunLimits {
        RunLimits { timeout, value_bytes: 1 << 20, transaction }
    }

    /// SQLite asks for the last time when the statement is committed.
    #[test]
    fn a_write_that_is_given_up_has_not_been_done() {
        for sql in [UPDATE.to_owned(), format!("{UPDATE} RETURNING n")] {
            let asked = Asked::new();
            let statement = Compiled { sql: sql.clone(), ..Compiled::default() };
            for _ in 0..2 {
                asked.stop_at(u32::MAX);
                asked.elsewhere(&sql, None).unwrap();
            }
            let (mut call, mut busy) = (1, 0);
            loop {
                let before = asked.number();
                asked.stop_at(call);
                let done = here(&asked.slot, &statement, &mut None, limits(None, Transaction::None)).unwrap();
                let stopped = asked.was_stopped();
                assert_eq!(asked.number() - before, i64::from(done.is_some()), "{sql}: stopped at {call}: {done:?}");
                // What was given up is slow now: it is to be tried again.
                asked.slot.here().as_deref_mut().unwrap().pace = Default::default();
                asked.elsewhere(&sql, None).unwrap();
                // On a busy machine it has not run at all, or was out of time by itself.
                if done.is_none() && !stopped && busy < 1_000 {
                    busy += 1;
                    continue;
                }
                if !stopped {
                    assert!(call > 5, "it was asked some times");
                    break;
                }
                call += 1;
            }
        }
    }

    /// The budget bounds the steps on an async thread: a query without an end is given up when SQLite next asks, or once
    /// more if that was the first look at the clock.
    #[test]
    fn a_query_makes_no_more_steps_when_its_budget_is_spent() {
        let asked = Asked::new();
        let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0";
        let statement = Compiled { sql: sql.into(), ..Compiled::default() };
        for call in [100, 1_000, 10_000] {
            asked.slot.here().as_deref_mut().unwrap().pace = Default::default();
            asked.stop_at(call);
            let done = here(&asked.slot, &statement, &mut None, limits(None, Transaction::None)).unwrap();
            assert_eq!(done, None);
            let calls = asked.calls.load(Ordering::Relaxed);
            assert!((call + 1..=call + 2).contains(&calls), "{calls} steps, and {call} were in time");
        }
    }

    #[test]
    fn a_write_that_took_too_long_has_not_been_done() {
        let asked = Asked::new();
        let run = |in_transaction: bool| {
            for call in 1.. {
                let before = asked.number();
                if in_transaction {
                    asked.slot.here().as_deref().unwrap().connection.execute_batch("BEGIN").unwrap();
                }
                asked.stop_at(call);
                let done = asked.elsewhere(UPDATE, Some(QUICK));
                let stopped = asked.was_stopped();
                if let Err(error) = &done {
                    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
                }
                assert_eq!(asked.number() - before, i64::from(done.is_ok()), "stopped at {call}: {done:?}");
                let place = asked.slot.here();
                let connection = &place.as_deref().unwrap().connection;
                assert_eq!(connection.is_autocommit(), !in_transaction || done.is_err(), "{done:?}");
                if done.is_ok() && in_transaction {
                    connection.execute_batch("COMMIT").unwrap();
                }
                if !stopped {
                    return;
                }
            }
        };
        run(false);
        run(true);
    }

    /// A script ends in time, whatever it has committed.
    #[test]
    fn a_script_that_has_committed_has_an_end() {
        let asked = Asked::new();
        asked.stop_at(40);
        asked.slot.control.begin(false, Some(QUICK));
        let text = format!("{UPDATE}; {UPDATE}; {UPDATE}; {UPDATE}; {UPDATE}; {UPDATE}; {UPDATE}; {UPDATE}");
        let error = script(asked.slot.here().as_deref_mut().unwrap(), &asked.slot.control, &text).unwrap_err();
        assert!(error.kind() == ErrorKind::Timeout && (1..8).contains(&asked.number()), "{error}");
    }
}
