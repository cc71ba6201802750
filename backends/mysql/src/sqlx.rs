//! Parameters of compiled statements for MySQL and MariaDB connections of sqlx.

use isogloss_compiler::Compiled;
use isogloss_driver::{Error, ErrorKind, Result};
use sqlx::Arguments as _;
use sqlx::mysql::MySqlArguments;

use crate::bind::{Sent, sent};

/// The parameters of a compiled statement, for `query_with` and its like.
///
/// ```no_run
/// use isogloss_mysql::sqlx::arguments;
/// use sqlx::{AssertSqlSafe, MySqlConnection};
/// # async fn run(compiled: isogloss_compiler::Compiled<'_>, connection: &mut MySqlConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let text = AssertSqlSafe(compiled.sql.as_str());
/// let rows: Vec<(i64, String)> = sqlx::query_as_with(text, arguments(&compiled)?).fetch_all(connection).await?;
/// # Ok(()) }
/// ```
///
/// The text reckons with a session whose time zone is UTC and whose modes are strict, and with `utf8mb4`.
///
/// # Errors
/// [`ErrorKind::BadValue`] for what the engines have no room for.
pub fn arguments(compiled: &Compiled<'_>) -> Result<MySqlArguments> {
    let mut arguments = MySqlArguments::default();
    arguments.reserve(compiled.params.len(), 0);
    let added = compiled.params.iter().try_for_each(|parameter| {
        let added = match sent(parameter)? {
            Sent::Null => arguments.add(None::<&str>),
            Sent::Int(number) => arguments.add(number),
            Sent::Unsigned(number) => arguments.add(number),
            Sent::Single(number) => arguments.add(number),
            Sent::Double(number) => arguments.add(number),
            Sent::Text(text) => arguments.add(&*text),
            Sent::Bytes(bytes) => arguments.add(bytes),
            Sent::DateTime(at) => arguments.add(at),
            Sent::Time(time) => arguments.add(time),
        };
        added.map_err(|error| Error::new(ErrorKind::BadValue, error.to_string()))
    });
    added.map(|()| arguments).map_err(|error: Error| error.with_statement(compiled))
}
