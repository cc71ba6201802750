//! Filters as expressions of sea-query for MySQL and MariaDB.

use std::borrow::Cow;

use isogloss_compiler::expr::{LogicExpr, Value};
use isogloss_compiler::{Request, Target};
use isogloss_driver::Result;
use isogloss_driver::sea_query::Stored;
use sea_query::Expr;

/// A filter over the request's root entity, for a query that `MysqlQueryBuilder` writes. The columns stand behind
/// `qualifier`, the table's alias or name there: for SeaORM it is the table's name.
///
/// # Errors
/// What [`Target::condition`] refuses, and values that cannot be bound.
pub fn condition(target: &Target, filter: &LogicExpr, request: &Request<'_>, qualifier: Option<&str>) -> Result<Expr> {
    isogloss_driver::sea_query::condition(target, filter, request, qualifier, |value, _| {
        Ok(Stored::Value(stored(value)))
    })
}

/// UUIDs and JSON are texts, and a time with an offset one in UTC.
fn stored(value: &Value) -> Cow<'_, Value> {
    Cow::Owned(match value {
        Value::Json(text) => Value::from(&**text),
        Value::DateTimeOffset(at) => Value::DateTime(at.naive_utc()),
        other => match other.word() {
            Some(word) => Value::from(word.to_string()),
            None => return Cow::Borrowed(other),
        },
    })
}
