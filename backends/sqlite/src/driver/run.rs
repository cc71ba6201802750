//! One statement: where it runs, and how.

use std::time::Instant;

use isogloss_compiler::Compiled;
use isogloss_compiler::render::Parameter;
use isogloss_driver::{Error, ErrorKind, Flow, Result, RowSink};
use rusqlite::CachedStatement;
use rusqlite::types::{ToSqlOutput, Value as Stored};

use super::Limits;
use super::error::{busy, error, interrupted, rolled_back};
use super::pace::Place;
use super::slot::{Control, Raw, Slot};
use super::value::{Kept, SqliteRow, bound};

/// How many rows of a statement on trial are kept; one with more is no short one.
const TRIAL_ROWS: usize = 64;

/// What a statement is to do with its rows.
pub(super) type Sink = Option<Box<dyn RowSink>>;

/// Runs the statement where the caller stands, if it is known to be quick, or tries to. Nothing if it is not.
pub(super) fn here(slot: &Slot, statement: &Compiled<'_>, sink: &mut Sink, limits: Limits) -> Result<Option<u64>> {
    let mut place = slot.here();
    let Some(raw) = place.as_deref_mut() else { return Ok(None) };
    let sql = &*statement.sql;
    let failed = |e| error(e, sql);
    let Raw { connection, pace, scratch } = raw;
    if limits.in_transaction && connection.is_autocommit() {
        return Err(rolled_back());
    }
    let key = pace.key(sql);
    let mut prepared = match connection.prepare_cached(sql) {
        Ok(prepared) => prepared,
        // The schema is read with the first statement, and again when it has changed.
        Err(found) if busy(&found) => return Ok(None),
        Err(found) => return Err(failed(found)),
    };
    let (place, reads) = pace.place(key, || prepared.readonly());
    if place == Place::Away {
        return Ok(None);
    }
    for (index, param) in statement.params.iter().enumerate() {
        let value = bound(&param.value, scratch, limits.value_bytes)?;
        prepared.raw_bind_parameter(index + 1, ToSqlOutput::Borrowed(value)).map_err(failed)?;
    }
    complete(&prepared, statement.params.len(), sql)?;
    let begun = pace.is_due(place).then(Instant::now);
    let control = &slot.control;
    control.begin(reads, limits.timeout);
    let done = match (place, sink.as_deref_mut()) {
        (Place::Trial, Some(sink)) => match on_trial(&mut prepared) {
            Ok(Some(rows)) => Ok(Some(replay(&prepared, &rows, sink)?)),
            Ok(None) => Ok(None),
            Err(found) => Err(found),
        },
        (_, Some(sink)) => step(&mut prepared, sink, control)?.map(Some),
        (_, None) => execute(&mut prepared).map(Some),
    };
    drop(prepared);
    match done {
        Ok(Some(done)) => {
            if let Some(begun) = begun {
                pace.took(key, reads, begun.elapsed());
            }
            Ok(Some(done))
        }
        // More rows than a short statement has, more work than it takes, or someone else writes: wait elsewhere.
        Ok(None) => Ok(None),
        Err(found) if interrupted(&found) && control.is_used_up() => Ok(None),
        Err(found) if busy(&found) => Ok(None),
        Err(found) => Err(control.ended(found, sql)),
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
    let Raw { connection, pace, .. } = raw;
    let failed = |e| error(e, sql);
    let begun = Instant::now();
    let mut prepared = connection.prepare_cached(sql).map_err(failed)?;
    bind(&mut prepared, params).map_err(failed)?;
    complete(&prepared, params.len(), sql)?;
    let done = match sink.as_deref_mut() {
        Some(sink) => step(&mut prepared, sink, control)?,
        None => execute(&mut prepared),
    };
    let done = done.map_err(|found| control.ended(found, sql))?;
    // One that failed or was given up says nothing of its pace.
    pace.took(pace.key(sql), prepared.readonly(), begun.elapsed());
    Ok((done, sink))
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
fn step(
    prepared: &mut CachedStatement<'_>,
    sink: &mut dyn RowSink,
    control: &Control,
) -> Result<rusqlite::Result<u64>> {
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
                if sink.row(&SqliteRow(row))? == Flow::Enough {
                    return Ok(Ok(count));
                }
            }
            Ok(None) => return Ok(Ok(count)),
            Err(found) => return Ok(Err(found)),
        }
    }
}

/// The rows of a short statement; nothing if it has too many.
fn on_trial(prepared: &mut CachedStatement<'_>) -> rusqlite::Result<Option<Vec<Stored>>> {
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
