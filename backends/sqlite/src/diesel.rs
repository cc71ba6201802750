//! Compiled statements on SQLite connections of [diesel].

use std::borrow::Cow;

use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Double, Nullable, Text};
use diesel::sqlite::Sqlite;
use isogloss_compiler::Compiled;
use isogloss_compiler::expr::Value;
use isogloss_driver::Result;
use isogloss_driver::diesel::Statement;

use crate::dialect::bound;

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
/// [`BadValue`](isogloss_driver::ErrorKind::BadValue) for what SQLite has no room for.
pub fn statement<'s>(compiled: &'s Compiled<'_>) -> Result<Statement<'s, Bind<'s>>> {
    let binds = compiled.params.iter().map(|parameter| bound(&parameter.value).map(Bind)).collect::<Result<_>>();
    Ok(Statement::new(&compiled.sql, binds.map_err(|error| error.with_statement(compiled))?))
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
