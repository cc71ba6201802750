use isogloss::expr::Value;
use isogloss::render::Parameter;
use isogloss::sqlite::stored;
use rusqlite::types::Value as SqliteValue;

/// A parameter as one of the types that SQLite has.
pub fn bind(parameter: &Parameter<'_>) -> Result<SqliteValue, String> {
    Ok(match &*stored(&parameter.value) {
        Value::Null => SqliteValue::Null,
        Value::Int(number) => SqliteValue::Integer(*number),
        Value::Float(number) => SqliteValue::Real(*number),
        Value::Text(text) => SqliteValue::Text(text.as_str().to_owned()),
        Value::Bytes(bytes) => SqliteValue::Blob(bytes.to_vec()),
        other => return Err(format!("a {} cannot be bound", other.kind())),
    })
}
