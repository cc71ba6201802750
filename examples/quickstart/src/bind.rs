//! A parameter as SQLite binds it.

use isogloss::prelude::Value;
use isogloss::render::Parameter;
use rusqlite::types::Value as SqliteValue;

/// A value for which SQLite has nothing.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("SQLite cannot bind {0}")]
pub(crate) struct Unbindable(&'static str);

/// What SQLite stores for a value: it has five types, and the tables here keep decimals as doubles and dates as text.
pub(crate) fn bind(parameter: &Parameter<'_>) -> Result<SqliteValue, Unbindable> {
    Ok(match &*parameter.value {
        Value::Null => SqliteValue::Null,
        Value::Bool(truth) => SqliteValue::Integer((*truth).into()),
        Value::Int(number) => SqliteValue::Integer(*number),
        Value::UInt(_) => return Err(Unbindable("a whole number of more than 63 bits")),
        Value::Float(number) => SqliteValue::Real(*number),
        Value::Decimal(number) => SqliteValue::Real(number.to_f64()),
        Value::Text(text) => SqliteValue::Text(text.as_str().to_owned()),
        Value::Json(text) => SqliteValue::Text(text.as_ref().to_owned()),
        Value::Bytes(bytes) => SqliteValue::Blob(bytes.to_vec()),
        // ISO 8601, as SQLite's own functions write them.
        Value::Date(date) => SqliteValue::Text(date.to_string()),
        Value::Time(time) => SqliteValue::Text(time.to_string()),
        Value::DateTime(time) => SqliteValue::Text(time.to_string()),
        Value::Uuid(uuid) => SqliteValue::Text(uuid.to_string()),
        other => return Err(Unbindable(other.kind())),
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use isogloss::prelude::DbValueType;

    use super::*;

    fn parameter(value: impl Into<Value>) -> Parameter<'static> {
        Parameter { value: Cow::Owned(value.into()), ty: Some(DbValueType::String.into()) }
    }

    #[test]
    fn a_value_is_bound_as_what_the_tables_hold() {
        for (value, expected) in [
            (Value::Null, SqliteValue::Null),
            (true.into(), SqliteValue::Integer(1)),
            (5.into(), SqliteValue::Integer(5)),
            (Value::Decimal(Box::new("0.04".parse().unwrap())), SqliteValue::Real(0.04)),
            ("it's".into(), SqliteValue::Text("it's".to_owned())),
            (vec![1_u8, 2].into(), SqliteValue::Blob(vec![1, 2])),
        ] {
            assert_eq!(bind(&parameter(value)).unwrap(), expected);
        }
        assert_eq!(
            bind(&parameter(u64::MAX)).unwrap_err().to_string(),
            "SQLite cannot bind a whole number of more than 63 bits"
        );
    }
}
