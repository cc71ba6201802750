//! Compiled statements on SQLite connections of [diesel].

use std::borrow::Cow;

use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Double, Nullable, Text};
use diesel::sqlite::Sqlite;
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::Value;
use isogloss_driver::diesel::Statement;
use isogloss_driver::{Error, ErrorKind, Result};

use crate::stored;

/// A parameter as SQLite stores it.
#[derive(Debug)]
pub struct Bind<'v>(Cow<'v, Value>);

/// A compiled statement for a `SqliteConnection`.
///
/// ```no_run
/// use diesel::prelude::*;
/// use diesel::sql_types::{BigInt, Text};
/// use isogloss_sqlite::diesel::statement;
/// # fn run(compiled: isogloss_compiler::Compiled<'_>, connection: &mut SqliteConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let rows: Vec<(i64, String)> = statement(&compiled)?.typed::<(BigInt, Text)>().load(connection)?;
/// # Ok(()) }
/// ```
///
/// # Errors
/// [`ErrorKind::BadValue`] for what SQLite has no room for.
pub fn statement<'s>(compiled: &'s Compiled<'_>) -> Result<Statement<'s, Bind<'s>>> {
    let binds = compiled.params.iter().map(|parameter| bound(&parameter.value)).collect::<Result<_>>();
    Ok(Statement::new(&compiled.sql, binds.map_err(|error| error.with_statement(compiled))?))
}

fn bound(value: &Value) -> Result<Bind<'_>> {
    let value = stored(value);
    let why = match &*value {
        Value::Float(number) if number.is_nan() => "NaN: SQLite stores NULL for it".to_owned(),
        Value::Null | Value::Int(_) | Value::Float(_) | Value::Text(_) | Value::Bytes(_) => return Ok(Bind(value)),
        Value::UInt(number) => format!("{number}: SQLite's whole numbers have 63 bits"),
        other => format!("SQLite has nothing for a {}", other.kind()),
    };
    Err(Error::new(ErrorKind::BadValue, why))
}

impl QueryFragment<Sqlite> for Bind<'_> {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        match &*self.0 {
            Value::Int(number) => pass.push_bind_param_value_only::<BigInt, _>(number),
            Value::Float(number) => pass.push_bind_param_value_only::<Double, _>(number),
            Value::Text(text) => pass.push_bind_param_value_only::<Text, str>(text),
            Value::Bytes(bytes) => pass.push_bind_param_value_only::<Binary, [u8]>(bytes),
            // Nothing else passes `bound`.
            _ => pass.push_bind_param_value_only::<Nullable<Text>, Option<&str>>(&None),
        }
    }
}
