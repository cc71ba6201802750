//! Parameters of compiled statements for SQLite connections of sqlx.

use isogloss_compiler::Compiled;
use isogloss_compiler::expr::Value;
use isogloss_driver::{Error, ErrorKind, Result};
use sqlx_core::arguments::Arguments as _;
use sqlx_sqlite::SqliteArguments;

use crate::dialect::bound_beside;

/// The parameters of a compiled statement, for `query_with` and its like.
///
/// ```no_run
/// use isogloss_sqlite::sqlx::arguments;
/// // Of the crate `sqlx`: `sqlx::{AssertSqlSafe, query_as_with}`.
/// use sqlx_core::query_as::query_as_with;
/// use sqlx_core::sql_str::AssertSqlSafe;
/// # async fn run(compiled: isogloss_compiler::Compiled<'_>, connection: &mut sqlx_sqlite::SqliteConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let text = AssertSqlSafe(compiled.sql.as_str());
/// let rows: Vec<(i64, String)> = query_as_with(text, arguments(&compiled)?).fetch_all(connection).await?;
/// # Ok(()) }
/// ```
///
/// The dialect has to say who writes the rows: `Sqlite::default().stored_by(Storage::Sqlx)`.
///
/// # Errors
/// [`ErrorKind::BadValue`] for what SQLite has no room for; instants and UUIDs, where the dialect does not say who
/// writes the rows.
pub fn arguments(compiled: &Compiled<'_>) -> Result<SqliteArguments> {
    let mut arguments = SqliteArguments::default();
    arguments.reserve(compiled.params.len(), 0);
    let added = compiled.params.iter().try_for_each(|parameter| {
        let added = match &*bound_beside(&parameter.value)? {
            Value::Int(number) => arguments.add(*number),
            Value::Float(number) => arguments.add(*number),
            Value::Text(text) => arguments.add(text.as_str()),
            Value::Bytes(bytes) => arguments.add(&**bytes),
            // Nothing else is bound.
            _ => arguments.add(None::<i64>),
        };
        added.map_err(|error| Error::new(ErrorKind::BadValue, error.to_string()))
    });
    added.map(|()| arguments).map_err(|error: Error| error.with_statement(compiled))
}
