//! Values of one type made into another: what coercion does with those that do not fit as they are.

use std::borrow::Cow;

use chrono::{NaiveTime, TimeDelta};
use compact_str::{CompactString, format_compact};
use uuid::Uuid;

use super::bad_value::display;
use super::{BadValue, temporal};
use crate::expr::{DbType, DbValueType as T, Decimal, Family, Value};

/// The value in that type, which it is not of yet.
#[cold]
pub(super) fn convert(value: &Value, ty: DbType) -> Result<Cow<'_, Value>, BadValue> {
    let refuse = |why: &'static str| BadValue::new(value, ty, why);
    let found = match ty.base.family() {
        Family::Integer => return integer(value, ty),
        Family::Decimal => decimal(value).map_err(refuse)?,
        Family::Float => float(value).ok_or_else(|| refuse("expected a number"))?,
        Family::Boolean => boolean(value).ok_or_else(|| refuse("expected true or false"))?,
        Family::Text => text(value).ok_or_else(|| refuse("expected text"))?,
        Family::Date => date(value).map_err(refuse)?,
        // A span that is no time of day stays one: some engines' TIME holds it.
        Family::Time => time(value).ok_or_else(|| refuse("expected HH:mm:ss"))?,
        Family::DateTime => datetime(value).map_err(refuse)?,
        Family::DateTimeOffset => offset(value).ok_or_else(|| refuse("expected yyyy-MM-ddTHH:mm:ss and an offset"))?,
        Family::Guid => guid(value).ok_or_else(|| refuse("expected a UUID"))?,
        Family::Binary => binary(value).ok_or_else(|| refuse("expected bytes, or their base64 text"))?,
        Family::Json => json(value).ok_or_else(|| refuse("expected a JSON document"))?,
        // It is what it is.
        Family::Other => return Ok(Cow::Borrowed(value)),
    };
    Ok(Cow::Owned(found))
}

/// The largest float up to which every whole number is one.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The exact whole number that the value is.
pub(super) fn whole(value: &Value) -> Option<i128> {
    let exact = |n: Decimal| Some(n.normalize()).filter(|n| n.scale() == 0).map(|n| n.mantissa());
    match value {
        Value::Int(n) => Some((*n).into()),
        Value::UInt(n) => Some((*n).into()),
        Value::Bool(b) => Some((*b).into()),
        Value::Float(n) if n.abs() > EXACT => None,
        Value::Float(_) | Value::Decimal(_) => exact(value.to_decimal()?),
        Value::Text(text) => exact(text.trim().parse().ok()?),
        _ => None,
    }
}

fn integer(value: &Value, ty: DbType) -> Result<Cow<'_, Value>, BadValue> {
    let number = match value {
        Value::TimeSpan(span) if ty.base == T::Int64 => ticks(*span),
        _ => whole(value),
    };
    let Some(number) = number else {
        return Err(BadValue::new(value, ty, "expected a whole number"));
    };
    if !ty.base.holds(number) {
        let (low, high) = ty.base.range().unwrap_or_default();
        return Err(BadValue::new(value, ty, format!("it takes {low} to {high}")));
    }
    let found = i64::try_from(number).map(Value::Int).or_else(|_| u64::try_from(number).map(Value::UInt));
    found.map(Cow::Owned).map_err(|_| BadValue::new(value, ty, "expected a whole number"))
}

/// A span in ticks of 100 ns, if it is made of them.
fn ticks(span: TimeDelta) -> Option<i128> {
    let nanos = i128::from(span.num_seconds()) * 1_000_000_000 + i128::from(span.subsec_nanos());
    (nanos % 100 == 0).then_some(nanos / 100)
}

fn decimal(value: &Value) -> Result<Value, &'static str> {
    match value {
        Value::Float(n) if !n.is_finite() => Err("a decimal is finite"),
        Value::Float(_) => value.to_decimal().map(Value::from).ok_or("a decimal has at most 38 digits"),
        Value::Text(text) => text.trim().parse::<Decimal>().map(Value::from).map_err(|_| "expected a decimal number"),
        _ => Err("expected a decimal number"),
    }
}

fn float(value: &Value) -> Option<Value> {
    let number = match value {
        Value::Text(text) => text.trim().parse::<f64>().ok().filter(|n| n.is_finite())?,
        Value::Int(n) => *n as f64,
        Value::UInt(n) => *n as f64,
        Value::Decimal(n) => n.to_f64(),
        _ => return None,
    };
    Some(Value::Float(number))
}

fn boolean(value: &Value) -> Option<Value> {
    let is = |text: &str, words: [&str; 4]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    let truth = match value {
        Value::Text(text) if is(text.trim(), ["true", "1", "y", "t"]) => true,
        Value::Text(text) if is(text.trim(), ["false", "0", "n", "f"]) => false,
        Value::Text(_) => return None,
        _ => match whole(value)? {
            0 => false,
            1 => true,
            _ => return None,
        },
    };
    Some(Value::Bool(truth))
}

fn text(value: &Value) -> Option<Value> {
    let text = match value {
        Value::Int(n) => format_compact!("{n}"),
        Value::UInt(n) => format_compact!("{n}"),
        Value::Float(n) if n.is_finite() => format_compact!("{n}"),
        Value::Decimal(n) => format_compact!("{n}"),
        Value::Date(date) => format_compact!("{date}"),
        Value::Time(time) => format_compact!("{time}"),
        Value::Json(json) => CompactString::new(json),
        _ => format_compact!("{}", value.word()?),
    };
    Some(Value::Text(text))
}

fn date(value: &Value) -> Result<Value, &'static str> {
    const FORMAT: &str = "expected yyyy-MM-dd";
    let time = match value {
        Value::DateTime(time) => *time,
        Value::DateTimeOffset(time) => time.naive_local(),
        Value::Text(text) => match temporal::date(text.trim()) {
            Some(date) => return Ok(Value::Date(date)),
            None => temporal::datetime(text.trim()).ok_or(FORMAT)?.0,
        },
        _ => return Err(FORMAT),
    };
    if time.time() == NaiveTime::MIN {
        Ok(Value::Date(time.date()))
    } else {
        Err("the column has no time of day: give a date, or midnight")
    }
}

fn time(value: &Value) -> Option<Value> {
    let span = match value {
        Value::TimeSpan(span) => *span,
        Value::Text(text) => match temporal::time(text.trim()) {
            Some(time) => return Some(Value::Time(time)),
            None => temporal::timespan(text.trim())?,
        },
        _ => return None,
    };
    let of_day = u32::try_from(span.num_seconds()).ok().zip(u32::try_from(span.subsec_nanos()).ok());
    let time = of_day.and_then(|(seconds, nanos)| NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanos));
    Some(time.map_or(Value::TimeSpan(span), Value::Time))
}

fn datetime(value: &Value) -> Result<Value, &'static str> {
    const FORMAT: &str = "expected yyyy-MM-ddTHH:mm:ss";
    let (time, offset) = match value {
        Value::Date(date) => (date.and_time(NaiveTime::MIN), None),
        Value::DateTimeOffset(time) => (time.naive_local(), Some(*time.offset())),
        Value::Text(text) => temporal::datetime(text.trim()).ok_or(FORMAT)?,
        _ => return Err(FORMAT),
    };
    match offset {
        Some(offset) if offset.local_minus_utc() != 0 => {
            Err("the column has no offset: give the time without one, or at Z")
        }
        _ => Ok(Value::DateTime(time)),
    }
}

fn offset(value: &Value) -> Option<Value> {
    let (time, offset) = match value {
        Value::Date(date) => (date.and_time(NaiveTime::MIN), None),
        Value::DateTime(time) => (*time, None),
        Value::Text(text) => temporal::datetime(text.trim())?,
        _ => return None,
    };
    temporal::at_offset(time, offset).map(Value::DateTimeOffset)
}

fn guid(value: &Value) -> Option<Value> {
    match value {
        Value::Text(text) => Uuid::try_parse(text.trim()).ok(),
        Value::Bytes(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    }
    .map(Value::Uuid)
}

fn binary(value: &Value) -> Option<Value> {
    match value {
        Value::Uuid(id) => Some(Value::from(id.as_bytes().as_slice())),
        Value::Text(text) => base64(text).map(Value::from),
        _ => None,
    }
}

/// The bytes of a base64 text, of the standard alphabet and padded (RFC 4648, section 4).
fn base64(text: &str) -> Option<Vec<u8>> {
    let (groups, []) = text.as_bytes().as_chunks::<4>() else {
        return None;
    };
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(groups.len() * 3);
    for (i, group) in groups.iter().enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || padding > 0 && i + 1 < groups.len() {
            return None;
        }
        let digits = group.iter().take(4 - padding);
        let word = digits.map(|byte| digit(*byte)).try_fold(0, |word, digit| digit.map(|digit| word << 6 | digit))?;
        let [_, three @ ..] = (word << (6 * padding)).to_be_bytes();
        bytes.extend(three.iter().take(3 - padding));
    }
    Some(bytes)
}

fn json(value: &Value) -> Option<Value> {
    let text = match value {
        Value::Text(text) => text.as_str().into(),
        Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Decimal(_) => display(value).as_str().into(),
        Value::Float(n) if n.is_finite() => display(value).as_str().into(),
        _ => return None,
    };
    Some(Value::Json(text))
}
