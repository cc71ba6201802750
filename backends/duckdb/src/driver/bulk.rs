//! Many rows at once, on the thread that may wait for them.

use duckdb::{Connection, Statement, appender_params_from_iter};
use isogloss_compiler::BulkInsert;
use isogloss_compiler::expr::Value;
use isogloss_driver::{Error, ErrorKind, Flow, Result, Row, RowSink, RowSource, completed};

use super::error::error;
use super::raw::Watch;
use super::row::columns;
use super::run::{bind, count, fill};
use super::value::{Bound, bound};

/// Runs a statement once for each row. Gives how many rows they changed.
pub(super) fn many(
    connection: &Connection,
    watch: &Watch,
    sql: &str,
    rows: &mut dyn RowSource,
    most: usize,
) -> Result<u64> {
    let (mut row, mut changed) = (Vec::new(), 0);
    let mut kept: Option<Statement<'_>> = None;
    while next(rows, &mut row, watch)? {
        let binds = all(&row, most)?;
        let statement = match &mut kept {
            Some(kept) if looks_at_nothing(sql) => kept,
            kept => kept.insert(connection.prepare(sql).map_err(error)?),
        };
        bind(statement, &binds)?;
        watch.go_on()?;
        changed += count(statement.raw_execute().map_err(error)?);
    }
    Ok(changed)
}

/// Whether a statement reads no rows, so that its plan is good for as long as it likes.
fn looks_at_nothing(sql: &str) -> bool {
    sql.starts_with("INSERT INTO ") && !["SELECT", "CONFLICT", "WITH"].iter().any(|word| sql.contains(word))
}

/// Inserts rows, and gives how many they were: by DuckDB's appender, which knows no default that is computed.
pub(super) fn insert(
    connection: &Connection,
    watch: &Watch,
    into: &BulkInsert,
    rows: Box<dyn RowSource>,
    most: usize,
) -> Result<u64> {
    let mut rows = completed(into, rows);
    if into.identity.is_some() {
        return many(connection, watch, into.sql(), &mut rows, most);
    }
    let names: Vec<&str> = into.columns.iter().map(|column| column.column.column.as_str()).collect();
    let parts: Vec<&str> = into.parts.iter().map(|part| part.as_str()).collect();
    let appender = match parts.as_slice() {
        [catalog, schema, table] => connection.appender_with_columns_to_catalog_and_db(table, catalog, schema, &names),
        [schema, table] => connection.appender_with_columns_to_db(table, schema, &names),
        parts => connection.appender_with_columns(parts.last().copied().unwrap_or_default(), &names),
    };
    let mut appender = appender.map_err(error)?;
    let (mut row, mut appended) = (Vec::new(), 0);
    while next(&mut rows, &mut row, watch)? {
        watch.go_on()?;
        appender.append_row(appender_params_from_iter(all(&row, most)?)).map_err(error)?;
        appended += 1;
    }
    appender.flush().map_err(error)?;
    Ok(appended)
}

/// Inserts rows one by one, and gives the number that the database gave each of them.
pub(super) fn insert_keys(
    connection: &Connection,
    watch: &Watch,
    into: &BulkInsert,
    rows: Box<dyn RowSource>,
    most: usize,
) -> Result<Vec<Value>> {
    let Some(identity) = &into.identity else {
        let message = format!("`{}` has no column that the database numbers", into.entity);
        return Err(Error::new(ErrorKind::Configuration, message));
    };
    let sql = format!("{} RETURNING {}", into.sql(), identity.name);
    let mut statement = connection.prepare(&sql).map_err(error)?;
    let mut keys = Keys(Vec::new());
    let (mut row, mut rows) = (Vec::new(), completed(into, rows));
    while next(&mut rows, &mut row, watch)? {
        bind(&mut statement, &all(&row, most)?)?;
        watch.go_on()?;
        statement.raw_execute().map_err(error)?;
        let columns = columns(&statement);
        fill(&mut statement.raw_query(), &columns, &mut keys)?;
    }
    Ok(keys.0)
}

struct Keys(Vec<Value>);

impl RowSink for Keys {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.0.push(row.own_value(0)?);
        Ok(Flow::More)
    }
}

fn next(rows: &mut dyn RowSource, row: &mut Vec<Value>, watch: &Watch) -> Result<bool> {
    row.clear();
    watch.aside(|| rows.next(row))
}

fn all(row: &[Value], most: usize) -> Result<Vec<Bound>> {
    row.iter().map(|value| bound(value, most)).collect()
}
