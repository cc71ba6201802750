//! Values as plain text, and as JSON.

use std::fmt::Write as _;

use isogloss::expr::Value;
use isogloss::json::to_base64;
use serde::de::IgnoredAny;

/// A value without the quotes of SQL; `None` for NULL. Times are those of ISO 8601, bytes are Base64.
pub(crate) fn text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        // Engines differ in the zeros that they give behind the last digit.
        Value::Decimal(number) => number.normalize().to_string(),
        Value::Text(text) => text.to_string(),
        Value::Json(text) => text.to_string(),
        Value::Date(date) => date.to_string(),
        Value::Time(time) => time.to_string(),
        // That with a `T`.
        Value::DateTime(time) => format!("{time:?}"),
        Value::DateTimeOffset(time) => time.to_rfc3339(),
        Value::Bytes(bytes) => to_base64(bytes),
        Value::List(_) => {
            let mut out = String::new();
            json(value, &mut out);
            out
        }
        other => other.word().map_or_else(|| other.to_string(), ToString::to_string),
    })
}

/// A value as JSON: numbers with all their digits, documents as they are, what JSON has no form for as text.
pub(super) fn json(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(_) | Value::Int(_) | Value::UInt(_) => {
            // Writing to a text cannot fail.
            let _ = write!(out, "{value}");
        }
        Value::Decimal(_) => out.push_str(&text(value).unwrap_or_default()),
        Value::Float(number) if number.is_finite() => out.push_str(&serde_json::Value::from(*number).to_string()),
        Value::Json(text) => out.push_str(&compact(text)),
        Value::List(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                json(item, out);
            }
            out.push(']');
        }
        other => out.push_str(&quoted(&text(other).unwrap_or_default())),
    }
}

/// A text in JSON's quotes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A document on one line. An engine that keeps documents as texts may have something else, which is a text.
fn compact(text: &str) -> String {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => text.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }).collect(),
        Err(_) => quoted(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json() {
        let date = Value::Date("1996-01-02".parse().unwrap());
        let time = Value::DateTime("1996-01-02T03:04:05".parse().unwrap());
        for (value, expected) in [
            (Value::Null, "null"),
            (true.into(), "true"),
            (u64::MAX.into(), "18446744073709551615"),
            (0.1.into(), "0.1"),
            (isogloss::expr::Decimal::new(2_500, 2).unwrap().into(), "25"),
            (f64::NAN.into(), "\"NaN\""),
            ("a\"b\n".into(), r#""a\"b\n""#),
            (date, "\"1996-01-02\""),
            (time, "\"1996-01-02T03:04:05\""),
            (Value::Json("{\n\"a\": 1}".into()), "{ \"a\": 1}"),
            (Value::Json("{\"a\"".into()), r#""{\"a\"""#),
            (Value::from(vec![1_u8]), "\"AQ==\""),
            (vec![1.into(), Value::Null].into(), "[1,null]"),
        ] {
            let mut out = String::new();
            json(&value, &mut out);
            assert_eq!(out, expected);
        }
    }
}
