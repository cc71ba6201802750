//! A value of JSON as that of a column.

use std::borrow::Cow;

use isogloss::chrono::{Datelike as _, Timelike as _};
use isogloss::expr::{DbValueType as T, Decimal, Value};
use isogloss::model::Column;
use serde_json::value::RawValue;

/// Why a value does not fit: the code of the problem, and words behind the member's name.
pub(super) type Fault = (&'static str, Cow<'static, str>);

/// The value that a column stores for a text of JSON. Documents in it nest at most so deep.
pub(super) fn of(raw: &str, column: &Column, depth: usize) -> Result<Value, Fault> {
    if raw == "null" {
        return if column.nullable { Ok(Value::Null) } else { Err(("null", "it is never null".into())) };
    }
    let base = if column.enum_values.is_some() { Takes::NumberOrText } else { Takes::of(column.ty.base) };
    let value = if column.ty.array {
        let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return Err(wanted("a list")) };
        let items =
            items.into_iter().map(|item| base.read(item.get(), depth)).collect::<Result<Vec<Value>, Fault>>()?;
        items.into()
    } else {
        base.read(raw, depth)?
    };
    let value = column.coerce(&value).map_err(|bad| ("type", bad.why().to_owned().into()))?.into_owned();
    fits(&value, column)?;
    Ok(value)
}

fn wanted(what: &'static str) -> Fault {
    ("type", format!("expected {what}").into())
}

/// What a column takes of JSON.
#[derive(Debug, Clone, Copy)]
enum Takes {
    Bool,
    /// A number, or its digits as text: JavaScript has no others beyond 2^53.
    Number,
    Float,
    NumberOrText,
    Text,
    Document,
}

impl Takes {
    fn of(base: T) -> Self {
        match base {
            T::Boolean => Self::Bool,
            base if base.is_json() => Self::Document,
            base if base.is_float() => Self::Float,
            base if base.is_number() => Self::Number,
            _ => Self::Text,
        }
    }

    fn read(self, raw: &str, depth: usize) -> Result<Value, Fault> {
        let is_text = raw.starts_with('"');
        let is_number = raw.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        match self {
            Self::Bool if raw == "true" => Ok(true.into()),
            Self::Bool if raw == "false" => Ok(false.into()),
            Self::Bool => Err(wanted("true or false")),
            Self::Float if is_number => float(raw),
            Self::Float if is_text => float(&text(raw)?),
            Self::Number | Self::NumberOrText if is_number => number(raw),
            Self::Number if is_text => number(&text(raw)?),
            Self::Float | Self::Number => Err(wanted("a number")),
            Self::Text | Self::NumberOrText if is_text => text(raw).map(Value::from),
            Self::Text => Err(wanted("a text")),
            Self::NumberOrText => Err(wanted("a text or a number")),
            Self::Document if nests_to(raw) > depth => {
                Err(("too-deep", format!("it nests deeper than {depth} levels").into()))
            }
            Self::Document => Ok(Value::Json(raw.into())),
        }
    }
}

fn text(raw: &str) -> Result<String, Fault> {
    let text: String = serde_json::from_str(raw).map_err(|_| wanted("a text of Unicode characters"))?;
    // Engines cut it there, or refuse it.
    if text.contains('\0') { Err(wanted("a text without NUL")) } else { Ok(text) }
}

/// With every digit.
fn number(text: &str) -> Result<Value, Fault> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into());
    }
    match (text.parse::<u64>(), text.parse::<Decimal>()) {
        (Ok(number), _) => Ok(Value::UInt(number)),
        (_, Ok(number)) => Ok(number.into()),
        _ => Err(wanted("a number of at most 38 digits")),
    }
}

/// The nearest one.
fn float(text: &str) -> Result<Value, Fault> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    number.map(Value::Float).ok_or_else(|| wanted("a number that a double holds"))
}

/// How deep the lists and objects of a JSON text nest.
fn nests_to(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether the column has room for all of it: some engines cut, round, or store what is too long.
fn fits(value: &Value, column: &Column) -> Result<(), Fault> {
    let most = column.length.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    match value {
        Value::List(items) => items.iter().try_for_each(|item| match item {
            Value::Null => Err(("null", "an item is null".into())),
            item => fits(item, column),
        }),
        Value::Text(text) if most.is_some_and(|most| text.chars().count() > most) => too_long(column, "characters"),
        Value::Bytes(bytes) if most.is_some_and(|most| bytes.len() > most) => too_long(column, "bytes"),
        Value::Float(number) if column.ty.base == T::Single && number.abs() > f32::MAX.into() => {
            Err(wanted("a number that a float of 32 bits holds"))
        }
        _ if column.ty.base.is_decimal() => digits(value, column),
        _ => years(value).and_then(|()| seconds(value, column)),
    }
}

/// Returns whether every engine has the date: MySQL lacks the year 0, most lack those after 9999.
fn years(value: &Value) -> Result<(), Fault> {
    let year = match value {
        Value::Date(date) => date.year(),
        Value::DateTime(at) => at.year(),
        Value::DateTimeOffset(at) => at.naive_utc().year(),
        _ => return Ok(()),
    };
    if (1..=9999).contains(&year) { Ok(()) } else { Err(wanted("a date of the years 1 to 9999")) }
}

fn seconds(value: &Value, column: &Column) -> Result<(), Fault> {
    let nanoseconds = match value {
        Value::Time(time) => time.nanosecond(),
        Value::DateTime(time) => time.nanosecond(),
        Value::DateTimeOffset(time) => time.nanosecond(),
        Value::TimeSpan(span) => span.subsec_nanos().unsigned_abs(),
        _ => return Ok(()),
    };
    match column.seconds() {
        Some(digits) if nanoseconds % 10_u32.pow(9_u32.saturating_sub(digits.into())) != 0 => {
            Err(("too-precise", format!("it has at most {digits} digits behind the seconds").into()))
        }
        _ => Ok(()),
    }
}

fn too_long(column: &Column, of: &str) -> Result<(), Fault> {
    Err(("too-long", format!("it has at most {} {of}", column.length.unwrap_or_default()).into()))
}

fn digits(value: &Value, column: &Column) -> Result<(), Fault> {
    let (Some(number), Some(fraction)) = (value.to_decimal(), column.fraction()) else { return Ok(()) };
    let number = number.normalize();
    if number.scale() > fraction {
        return Err(("too-precise", format!("it has at most {fraction} digits behind the point").into()));
    }
    // Currency has 19 digits where nothing is said.
    let front = u32::from(column.precision.unwrap_or(19).saturating_sub(fraction));
    let whole = number.mantissa().unsigned_abs() / 10_u128.pow(number.scale().into());
    match 10_u128.checked_pow(front) {
        Some(limit) if whole >= limit => {
            Err(("too-large", format!("it has at most {front} digits in front of the point").into()))
        }
        _ => Ok(()),
    }
}
