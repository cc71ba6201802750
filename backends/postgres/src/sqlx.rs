//! Parameters of compiled statements for PostgreSQL connections of sqlx.

use isogloss_compiler::Compiled;
use isogloss_driver::{Error, ErrorKind, Result};
use sqlx::Arguments as _;
use sqlx::encode::{Encode, IsNull};
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgArguments, PgTypeInfo, Postgres};
use sqlx::types::Type;

use crate::wire::{Sent, UNKNOWN};

/// The parameters of a compiled statement, for `query_with` and its like.
///
/// ```no_run
/// use isogloss_postgres::sqlx::arguments;
/// use sqlx::{AssertSqlSafe, PgConnection};
/// # async fn run(compiled: isogloss_compiler::Compiled<'_>, connection: &mut PgConnection) -> Result<(), Box<dyn std::error::Error>> {
/// let text = AssertSqlSafe(compiled.sql.as_str());
/// let rows: Vec<(i64, String)> = sqlx::query_as_with(text, arguments(&compiled)?).fetch_all(connection).await?;
/// # Ok(()) }
/// ```
///
/// The text reckons with a session whose time zone is UTC and whose `standard_conforming_strings` is on.
///
/// # Errors
/// [`ErrorKind::BadValue`] for what the type of a parameter does not hold.
pub fn arguments(compiled: &Compiled<'_>) -> Result<PgArguments> {
    let mut arguments = PgArguments::default();
    arguments.reserve(compiled.params.len(), 0);
    let added = compiled.params.iter().try_for_each(|parameter| {
        let bind = SqlxBind(Sent::of(parameter)?);
        arguments.add(bind).map_err(|error| Error::new(ErrorKind::BadValue, error.to_string()))
    });
    added.map(|()| arguments).map_err(|error| error.with_statement(compiled))
}

/// A parameter in the binary form of its type.
struct SqlxBind(Sent);

impl Type<Postgres> for SqlxBind {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(UNKNOWN))
    }
}

impl Encode<'_, Postgres> for SqlxBind {
    fn encode_by_ref(&self, out: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let Some(bytes) = &self.0.bytes else { return Ok(IsNull::Yes) };
        out.extend_from_slice(bytes);
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(PgTypeInfo::with_oid(Oid(self.0.oid)))
    }
}
