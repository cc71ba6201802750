//! A parameter as SQLite binds it, and as it is shown.

use std::fmt::Write as _;

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

/// The most items of a list that are shown.
const ITEMS: usize = 12;

/// A parameter as `text 'R&D%'`: what kind it is, and the value as SQL would write it.
pub(crate) fn show(parameter: &Parameter<'_>) -> String {
    let value = &*parameter.value;
    match (value, parameter.ty) {
        // A NULL is bound as the type of the column that it meets.
        (Value::Null, Some(ty)) => format!("{} NULL", ty.base.name()),
        (Value::Null, None) => "NULL".to_owned(),
        _ => format!("{} {}", value.kind(), literal(value)),
    }
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Decimal(number) => number.to_string(),
        Value::Text(text) => quoted(text),
        Value::Json(text) => quoted(text),
        Value::Date(date) => quoted(&date.to_string()),
        Value::Time(time) => quoted(&time.to_string()),
        Value::DateTime(time) => quoted(&time.to_string()),
        Value::DateTimeOffset(time) => quoted(&time.to_rfc3339()),
        Value::Uuid(uuid) => quoted(&uuid.to_string()),
        Value::Bytes(bytes) => format!("of {} bytes", bytes.len()),
        Value::List(items) => {
            let mut text = items.iter().take(ITEMS).map(literal).collect::<Vec<_>>().join(", ");
            if let Some(more) = items.len().checked_sub(ITEMS).filter(|more| *more > 0) {
                // Writing to a string does not fail.
                let _ = write!(text, ", and {more} more");
            }
            format!("[{text}]")
        }
        other => other.kind().to_owned(),
    }
}

/// A control character must not reach the terminal.
fn quoted(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    format!("'{}'", text.replace('\'', "''"))
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

    #[test]
    fn a_parameter_shows_its_kind_and_value() {
        for (value, expected) in [
            (Value::Null, "String NULL"),
            ("R&D%".into(), "text 'R&D%'"),
            ("it's\u{1b}".into(), "text 'it''s\u{fffd}'"),
            (Value::List(Box::new([1.into(), Value::Null])), "list [1, NULL]"),
        ] {
            assert_eq!(show(&parameter(value)), expected);
        }
        let long = Value::List((0..14).map(Value::from).collect());
        assert!(show(&parameter(long)).ends_with("11, and 2 more]"));
    }
}
