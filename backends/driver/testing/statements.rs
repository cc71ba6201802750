//! Statements of a test's own.

#![allow(dead_code, reason = "each test takes what it needs")]

use std::borrow::Cow;

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{Connection, ConnectionExt, Flow, Result, Row, RowSink};

pub(crate) fn plain(sql: impl Into<String>) -> Compiled<'static> {
    Compiled { sql: sql.into(), ..Compiled::default() }
}

/// A text with parameters of no type.
pub(crate) fn with(sql: &str, values: impl IntoIterator<Item = Value>) -> Compiled<'static> {
    given(sql, values.into_iter().map(|value| (value, None)))
}

/// A text with parameters of known types.
pub(crate) fn given(sql: &str, values: impl IntoIterator<Item = (Value, Option<DbType>)>) -> Compiled<'static> {
    let params = values.into_iter().map(|(value, ty)| Parameter { value: Cow::Owned(value), ty });
    Compiled { params: params.collect(), ..plain(sql) }
}

/// The one number that a query gives.
pub(crate) async fn number(connection: &mut dyn Connection, sql: &str) -> Result<i64> {
    Ok(connection.fetch_one::<(i64,)>(&plain(sql)).await?.0)
}

/// Rows as values of known types.
pub(crate) struct Typed(pub(crate) Vec<DbType>, pub(crate) Vec<Vec<Value>>);

impl Typed {
    pub(crate) async fn read(
        connection: &mut dyn Connection,
        statement: &Compiled<'_>,
        types: &[DbType],
    ) -> Result<Vec<Vec<Value>>> {
        Ok(connection.query_into(statement, Self(types.to_vec(), Vec::new())).await?.1)
    }
}

impl RowSink for Typed {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.1.push(self.0.iter().enumerate().map(|(index, ty)| row.value(index, Some(*ty))).collect::<Result<_>>()?);
        Ok(Flow::More)
    }
}
