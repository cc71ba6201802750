//! One statement for many rows: prepared once, in one transaction.

use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::Value;
use isogloss_driver::{Error, ErrorKind, Result, RowSource, completed};
use rusqlite::CachedStatement;
use rusqlite::types::{ToSqlOutput, ValueRef};

use super::error::{error, unsure};
use super::run::{complete, ended, execute};
use super::slot::{Control, Raw};
use super::value::bound;
use super::wait::{line, released};

/// Runs a statement for each row of so many values.
pub(super) fn many(
    raw: &mut Raw,
    control: &Control,
    sql: &str,
    width: usize,
    rows: &mut dyn RowSource,
    most: usize,
) -> Result<u64> {
    let mut prepared = raw.connection.prepare_cached(sql).map_err(|e| error(e, sql))?;
    complete(&prepared, width, sql)?;
    let (mut row, mut scratch) = (Vec::with_capacity(width), String::new());
    let mut count = 0;
    while next(rows, &mut row)? {
        if row.len() != width {
            let message = format!("a row has {} values, the statement {} parameters", row.len(), width);
            return Err(Error::new(ErrorKind::BadValue, message));
        }
        bind(&mut prepared, &row, &mut scratch, sql, most)?;
        // Each row is a statement, and a source may take its time between two of them.
        control.again();
        count +=
            execute(&mut prepared).map_err(|found| ended(&raw.connection, control, found, sql, prepared.readonly()))?;
        if raw.connection.is_autocommit() {
            released();
        }
    }
    Ok(count)
}

/// Inserts rows, all or none.
pub(super) fn insert(
    raw: &mut Raw,
    control: &Control,
    into: &BulkInsert,
    rows: Box<dyn RowSource>,
    most: usize,
) -> Result<u64> {
    let width = into.columns.len();
    let mut rows = completed(into, rows);
    whole(raw, control, |raw| many(raw, control, into.sql(), width, &mut rows, most))
}

/// Inserts rows, all or none, each with the number that it got.
pub(super) fn insert_keys(
    raw: &mut Raw,
    control: &Control,
    into: &BulkInsert,
    rows: Box<dyn RowSource>,
    most: usize,
) -> Result<Vec<Value>> {
    let Some(identity) = &into.identity else {
        let message = format!("the database numbers no column of `{}` that the rows leave out", into.entity);
        return Err(Error::new(ErrorKind::Configuration, message));
    };
    let width = into.columns.len();
    let sql = format!("{} RETURNING {}", into.sql(), identity.name);
    let mut rows = completed(into, rows);
    whole(raw, control, |raw| {
        let mut prepared = raw.connection.prepare_cached(&sql).map_err(|e| error(e, &sql))?;
        complete(&prepared, width, &sql)?;
        let (mut row, mut scratch, mut keys) = (Vec::with_capacity(width), String::new(), Vec::new());
        while next(&mut rows, &mut row)? {
            bind(&mut prepared, &row, &mut scratch, &sql, most)?;
            control.again();
            let mut found = prepared.raw_query();
            let ended = |found| ended(&raw.connection, control, found, &sql, false);
            match found.next().map_err(ended)?.map(|row| row.get_ref(0)) {
                Some(Ok(ValueRef::Integer(key))) => keys.push(key.into()),
                _ => return Err(Error::new(ErrorKind::Decode, "the key of a new row is no whole number")),
            }
            // The row is there when the statement has ended.
            while found.next().map_err(ended)?.is_some() {}
        }
        Ok(keys)
    })
}

fn next(rows: &mut dyn RowSource, row: &mut Vec<Value>) -> Result<bool> {
    row.clear();
    rows.next(row)
}

fn bind(prepared: &mut CachedStatement<'_>, row: &[Value], scratch: &mut String, sql: &str, most: usize) -> Result<()> {
    for (index, value) in row.iter().enumerate() {
        let value = bound(value, scratch, most)?;
        prepared.raw_bind_parameter(index + 1, ToSqlOutput::Borrowed(value)).map_err(|e| error(e, sql))?;
    }
    Ok(())
}

/// Does all of it or nothing: in a transaction, or in a savepoint of the one that is open.
fn whole<T>(raw: &mut Raw, control: &Control, work: impl FnOnce(&mut Raw) -> Result<T>) -> Result<T> {
    let alone = raw.connection.is_autocommit();
    let [begin, end, back] = if alone {
        ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]
    } else {
        ["SAVEPOINT bulk", "RELEASE bulk", "ROLLBACK TO bulk; RELEASE bulk"]
    };
    raw.connection.execute_batch(begin).map_err(|e| control.ended(e, begin))?;
    if let Some(line) = line().filter(|_| alone) {
        control.write_begins(&line);
    }
    let done = work(raw).and_then(|done| {
        control.again();
        match raw.connection.execute_batch(end) {
            Ok(()) => Ok(done),
            Err(found) => Err(unsure(control.ended(found, end), alone)),
        }
    });
    if done.is_err() && !raw.connection.is_autocommit() {
        control.again();
        raw.connection.execute_batch(back).map_err(|e| error(e, back))?;
    }
    done
}
