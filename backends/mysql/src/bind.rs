//! Parameters of compiled statements as MySQL and MariaDB store them, for the libraries that bind them.

use std::borrow::Cow;

use isogloss_compiler::chrono::{Datelike, NaiveDateTime, NaiveTime, Timelike};
use isogloss_compiler::expr::{DbValueType as T, Value};
use isogloss_compiler::render::Parameter;
use isogloss_driver::{Error, ErrorKind, Result};

/// A parameter in one of the types that the engines are sent. A date and time has no more than microseconds.
#[derive(Debug)]
pub(crate) enum Sent<'v> {
    Null,
    Int(i64),
    Unsigned(u64),
    Single(f32),
    Double(f64),
    Text(Cow<'v, str>),
    Bytes(&'v [u8]),
    DateTime(NaiveDateTime),
    Time(NaiveTime),
}

/// # Errors
/// What the engines have no room for.
pub(crate) fn sent<'v>(parameter: &'v Parameter<'_>) -> Result<Sent<'v>> {
    let bad = |why: String| Err(Error::new(ErrorKind::BadValue, why));
    Ok(match &*parameter.value {
        Value::Null => Sent::Null,
        Value::Bool(truth) => Sent::Int((*truth).into()),
        Value::Int(number) => Sent::Int(*number),
        Value::UInt(number) => Sent::Unsigned(*number),
        Value::Float(number) if !number.is_finite() => {
            return bad(format!("{number}: MySQL and MariaDB have no NaN and no infinities"));
        }
        // Beside a column of single floats a double equals none of them.
        #[allow(clippy::cast_possible_truncation, reason = "the nearest single float is meant")]
        Value::Float(number) if parameter.ty == Some(T::Single.into()) && (*number as f32).is_finite() => {
            Sent::Single(*number as f32)
        }
        Value::Float(number) => Sent::Double(*number),
        Value::Decimal(number) => Sent::Text(number.to_string().into()),
        Value::Text(text) => Sent::Text(text.as_str().into()),
        Value::Json(text) => Sent::Text((&**text).into()),
        Value::Bytes(bytes) => Sent::Bytes(bytes),
        Value::Date(date) => date_time(date.and_time(NaiveTime::MIN))?,
        Value::Time(time) => Sent::Time(micros(*time)),
        Value::DateTime(at) => date_time(*at)?,
        Value::DateTimeOffset(at) => date_time(at.naive_utc())?,
        other => match other.word() {
            Some(word) => Sent::Text(word.to_string().into()),
            None => return bad(format!("MySQL and MariaDB have nothing for a {}", other.kind())),
        },
    })
}

/// A date and time, to the microsecond.
fn date_time(at: NaiveDateTime) -> Result<Sent<'static>> {
    if !(1..=9999).contains(&at.year()) {
        return Err(Error::new(ErrorKind::BadValue, format!("{at}: MySQL and MariaDB have the years 1 to 9999")));
    }
    Ok(Sent::DateTime(at.date().and_time(micros(at.time()))))
}

/// A leap second, which has more than 1,000,000 of them, is the last one of its minute.
fn micros(time: NaiveTime) -> NaiveTime {
    let nanos = (time.nanosecond() / 1000).min(999_999) * 1000;
    time.with_nanosecond(nanos).unwrap_or(time)
}
