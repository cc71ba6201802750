//! Parameters as DuckDB binds them.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};
use duckdb::types::{TimeUnit, ValueRef};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Result};

/// A parameter.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Bound {
    Text(String),
    Bytes(Box<[u8]>),
    Plain(ValueRef<'static>),
}

impl Bound {
    pub(super) fn as_ref(&self) -> ValueRef<'_> {
        match self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
            Self::Plain(value) => *value,
        }
    }
}

/// A parameter as DuckDB binds it: an instant as its date and time at UTC, a UUID and JSON as texts, for which DuckDB takes a
/// text.
///
/// # Errors
/// For what DuckDB has no room for, and for what is over `most` bytes long.
pub(super) fn bound(value: &Value, most: usize) -> Result<Bound> {
    let sized = |len: usize| match len > most {
        true => Err(bad(format!("a value has {len} bytes, over {most}"))),
        false => Ok(()),
    };
    Ok(Bound::Plain(match value {
        Value::Null => ValueRef::Null,
        Value::Bool(truth) => ValueRef::Boolean(*truth),
        Value::Int(number) => match i32::try_from(*number) {
            // A literal of it would be of this type.
            Ok(small) => ValueRef::Int(small),
            Err(_) => ValueRef::BigInt(*number),
        },
        Value::UInt(number) => ValueRef::UBigInt(*number),
        Value::Float(number) => ValueRef::Double(*number),
        Value::Decimal(number) => ValueRef::Decimal(decimal(**number)?),
        Value::Date(date) => ValueRef::Date32(days(*date)?),
        Value::Time(time) => ValueRef::Time64(TimeUnit::Microsecond, of_day(*time)),
        Value::DateTime(at) => ValueRef::Timestamp(TimeUnit::Microsecond, micros(*at)),
        Value::DateTimeOffset(at) => ValueRef::Timestamp(TimeUnit::Microsecond, micros(at.naive_utc())),
        Value::Text(text) => {
            sized(text.len())?;
            return Ok(Bound::Text(text.to_string()));
        }
        Value::Json(text) => {
            sized(text.len())?;
            return Ok(Bound::Text(text.to_string()));
        }
        Value::Bytes(bytes) => {
            sized(bytes.len())?;
            return Ok(Bound::Bytes(bytes.clone()));
        }
        other => {
            let word = other.word().ok_or_else(|| bad(format!("DuckDB binds no {}", other.kind())))?;
            return Ok(Bound::Text(word.to_string()));
        }
    }))
}

fn bad(message: String) -> Error {
    Error::new(ErrorKind::BadValue, message)
}

/// A decimal in as few digits as it has.
fn decimal(number: Decimal) -> Result<duckdb::types::Decimal> {
    let digits = number.mantissa().unsigned_abs().checked_ilog10().map_or(1, |below| below + 1);
    let width = digits.max(u32::from(number.scale())).max(1);
    let long = || bad(format!("{number}: DuckDB's decimals have 38 digits"));
    let width = u8::try_from(width).map_err(|_| long())?;
    duckdb::types::Decimal::new(width, number.scale(), number.mantissa()).map_err(|_| long())
}

/// Days since 1970.
fn days(date: NaiveDate) -> Result<i32> {
    let since = date.signed_duration_since(DateTime::UNIX_EPOCH.date_naive()).num_days();
    i32::try_from(since).map_err(|_| bad(format!("{date}: DuckDB has no such date")))
}

/// Microseconds since midnight. A leap second is the last of them before it.
pub(super) fn of_day(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * 1_000_000 + i64::from((time.nanosecond() / 1_000).min(999_999))
}

/// Microseconds since 1970.
fn micros(at: NaiveDateTime) -> i64 {
    at.and_utc().timestamp_micros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_its_digits() {
        for (text, width, scale) in [("0", 1, 0), ("1.50", 3, 2), ("-0.005", 3, 3), ("123", 3, 0)] {
            let number = decimal(text.parse().unwrap()).unwrap();
            assert_eq!((number.width(), number.scale()), (width, scale), "{text}");
        }
        assert!(decimal("9".repeat(38).parse().unwrap()).is_ok());
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert!(bound(&"abc".into(), 3).is_ok());
        assert_eq!(bound(&"abcd".into(), 3).unwrap_err().kind(), ErrorKind::BadValue);
        assert_eq!(bound(&Value::List(Default::default()), 3).unwrap_err().kind(), ErrorKind::BadValue);
    }
}
