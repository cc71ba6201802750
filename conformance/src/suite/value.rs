//! Values as the files write them.
//!
//! Each column says its type, and that type says how its values are written: whole numbers and floats as JSON numbers,
//! truth values as `true` and `false`, decimals as text (`"12.50"`), dates `"2024-01-31"`, times `"10:20:30.5"`, a date
//! and time `"2024-01-31T10:20:30.5"`, one with an offset with `+02:00` behind it, UUIDs as their usual text, bytes as
//! hexadecimal digits, JSON as the text of the document. `null` is NULL.

use isogloss_compiler::chrono::{DateTime, NaiveDateTime};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use serde_json::Value as Json;

const DATE_TIME: &str = "%Y-%m-%dT%H:%M:%S%.f";

/// A column of an answer: its name and type, written `Name:Type`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypedColumn {
    /// The name; `_` where the engine chooses it.
    pub name: String,
    /// The type.
    pub ty: DbType,
}

impl TypedColumn {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (name, ty) = text.rsplit_once(':').ok_or_else(|| format!("`{text}` is not `Name:Type`"))?;
        let (base, array) = ty.strip_suffix("[]").map_or((ty, false), |base| (base, true));
        let base = T::from_name(base).ok_or_else(|| format!("`{ty}` is no type"))?;
        Ok(Self { name: name.to_owned(), ty: DbType { base, array } })
    }
}

/// A value of a type, from a file.
pub(super) fn read(json: &Json, ty: DbType) -> Result<Value, String> {
    if json.is_null() {
        return Ok(Value::Null);
    }
    let value = match json {
        Json::Array(items) if ty.array => {
            let items = items.iter().map(|item| read(item, ty.base.into()));
            return items.collect::<Result<Vec<_>, _>>().map(Value::from);
        }
        Json::Bool(truth) if ty.base == T::Boolean => Some(Value::from(*truth)),
        Json::Number(number) if ty.base.is_integer() => {
            number.as_i64().map(Value::from).or_else(|| number.as_u64().map(Value::from))
        }
        Json::Number(number) if ty.base.is_float() => number.as_f64().map(Value::from),
        Json::String(text) => from_text(text, ty.base),
        _ => None,
    };
    value.ok_or_else(|| format!("{json} is no {}", ty.base.name()))
}

fn from_text(text: &str, ty: T) -> Option<Value> {
    match ty {
        T::Date => text.parse().ok().map(Value::Date),
        T::Time => text.parse().ok().map(Value::Time),
        T::DateTime | T::DateTime2 => NaiveDateTime::parse_from_str(text, DATE_TIME).ok().map(Value::DateTime),
        T::DateTimeOffset => DateTime::parse_from_rfc3339(text).ok().map(Value::DateTimeOffset),
        T::Guid => text.parse().ok().map(Value::Uuid),
        T::Binary => bytes(text).map(Value::from),
        T::Json | T::Jsonb => Some(Value::Json(text.into())),
        ty if ty.is_decimal() => text.parse::<Decimal>().ok().map(Value::from),
        ty if ty.is_float() => text.parse::<f64>().ok().map(Value::from),
        ty if ty.is_text() => Some(Value::from(text)),
        _ => None,
    }
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok().filter(|p| p.len() == 2)?, 16).ok()).collect()
}

/// The same, to write it into a file.
pub(super) fn write(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => Json::from(*truth),
        Value::Int(number) => Json::from(*number),
        Value::UInt(number) => Json::from(*number),
        Value::Float(number) => {
            serde_json::Number::from_f64(*number).map_or_else(|| Json::from(number.to_string()), Json::Number)
        }
        Value::Decimal(number) => Json::from(number.to_string()),
        Value::Text(text) => Json::from(text.as_str()),
        Value::Bytes(bytes) => Json::from(bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
        Value::DateTime(at) => Json::from(at.format(DATE_TIME).to_string()),
        Value::DateTimeOffset(at) => Json::from(at.to_rfc3339()),
        Value::Date(day) => Json::from(day.to_string()),
        Value::Time(time) => Json::from(time.to_string()),
        Value::Json(text) => Json::from(&**text),
        Value::List(items) => items.iter().map(write).collect(),
        other => Json::from(other.word().map_or_else(|| format!("{other:?}"), ToString::to_string)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for (ty, text) in [
            ("Int32", "-5"),
            ("UInt64", "18446744073709551615"),
            ("Double", "0.25"),
            ("Decimal", r#""12.50""#),
            ("Boolean", "true"),
            ("String", r#""it's""#),
            ("Date", r#""2024-01-31""#),
            ("Time", r#""10:20:30.500""#),
            ("DateTime2", r#""2024-01-31T10:20:30.500""#),
            ("DateTimeOffset", r#""2024-01-31T10:20:30+02:00""#),
            ("Guid", r#""00000000-0000-0000-0000-00000000000a""#),
            ("Binary", r#""00FF""#),
            ("Json", r#""{\"a\":1}""#),
            ("Int32[]", "[1,null]"),
            ("String", "null"),
        ] {
            let column = TypedColumn::parse(&format!("a:b:{ty}")).unwrap();
            let json: Json = serde_json::from_str(text).unwrap();
            let value = read(&json, column.ty).unwrap_or_else(|error| panic!("{ty}: {error}"));
            assert_eq!((write(&value).to_string().as_str(), column.name.as_str()), (text, "a:b"));
        }
        assert_eq!(read(&Json::from("x"), T::Date.into()), Err(r#""x" is no Date"#.to_owned()));
        assert_eq!(read(&Json::from("0F0"), T::Binary.into()), Err(r#""0F0" is no Binary"#.to_owned()));
    }
}
