//! A parameter as SQLite binds it.

use isogloss::prelude::Value;
use isogloss::render::Parameter;
use isogloss::sqlite::stored;
use rusqlite::types::Value as SqliteValue;

/// A value for which SQLite has nothing.
#[derive(Debug, thiserror::Error, PartialEq)]
#[error("SQLite cannot bind {0}")]
pub(crate) struct Unbindable(&'static str);

/// A value as one of the five types of SQLite, in the form in which the dialect has it stored.
pub(crate) fn bind(parameter: &Parameter<'_>) -> Result<SqliteValue, Unbindable> {
    Ok(match &*stored(&parameter.value) {
        Value::Null => SqliteValue::Null,
        Value::Int(number) => SqliteValue::Integer(*number),
        Value::UInt(_) => return Err(Unbindable("a whole number of more than 63 bits")),
        Value::Float(number) => SqliteValue::Real(*number),
        Value::Text(text) => SqliteValue::Text(text.as_str().to_owned()),
        Value::Bytes(bytes) => SqliteValue::Blob(bytes.to_vec()),
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
