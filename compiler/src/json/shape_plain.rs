//! What plain values look like: literals, lists, and the texts of those that are wrapped with their type.

use std::borrow::Cow;

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::base64;
use super::shape::{Fields, Part, Shape};
use super::words::is_marker;
use super::write::double;
use crate::expr::{CastExpr, Decimal, Value};

/// A value that holds no node.
pub(super) fn plain(value: &Value) -> Shape<'_> {
    match value {
        Value::Null => Shape::Null,
        Value::Bool(b) => Shape::Bool(*b),
        Value::Int(n) => Shape::Int(*n),
        Value::UInt(n) => Shape::UInt(*n),
        Value::Text(text) => Shape::Str(text.as_str().into()),
        Value::List(items) => Shape::List(Part::Plains(items)),
        Value::Map(entries) if !entries.iter().any(|(key, _)| is_marker(key)) => Shape::Entries(entries),
        Value::Map(entries) => Shape::Object(Fields::new("$map", Part::Entries(entries))),
        Value::Decimal(exact) => match bare_decimal(exact) {
            Some(number) => Shape::Float(number),
            None => wrapped("$decimal", value),
        },
        Value::Float(_) => wrapped("$double", value),
        Value::Bytes(_) => wrapped("$bytes", value),
        Value::Date(_) => wrapped("$date", value),
        Value::Time(_) => wrapped("$time", value),
        Value::DateTime(_) => wrapped("$datetime", value),
        Value::DateTimeOffset(_) => wrapped("$datetimeoffset", value),
        Value::TimeSpan(_) => wrapped("$timespan", value),
        Value::Uuid(_) => wrapped("$guid", value),
        Value::Json(_) => wrapped("$json", value),
    }
}

fn wrapped<'a>(marker: &'static str, value: &'a Value) -> Shape<'a> {
    Shape::Object(Fields::new(marker, Part::Wrapped(value)))
}

/// The decimal as a number, if that number reads as just this decimal, with all its digits.
fn bare_decimal(exact: &Decimal) -> Option<f64> {
    let (number, mut text) = (exact.to_f64(), String::new());
    double(number, &mut text);
    let back: Decimal = text.parse().ok()?;
    let same = (back.mantissa(), back.scale()) == (exact.mantissa(), exact.scale());
    (same && !is_tie(number)).then_some(number)
}

/// Whether a double lies in the middle between its two shortest notations. Which of them is written differs from one
/// writer to the other (Rust's rounds up, `serde_json`'s to the even digit), so that such a double takes a text of its
/// own: `{"$double":"1.07974684233623025e15"}`.
fn is_tie(n: f64) -> bool {
    /// Decimals of up to so many digits are all different as doubles.
    const DISTINCT: usize = 15;
    let digits =
        |text: String| -> Vec<u8> { text.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).collect() };
    let short = digits(format!("{n:e}")).len();
    if short <= DISTINCT {
        return false;
    }
    // The difference of a double and a decimal of 18 digits shows within 60 digits, if there is one.
    let exact = digits(format!("{n:.60e}"));
    let rest = exact.get(short..).unwrap_or_default();
    rest.first() == Some(&b'5') && rest.iter().skip(1).all(|b| *b == b'0')
}

/// What stands under a type's marker: a number for a double that has one, else a text.
pub(super) fn under_marker(value: &Value) -> Shape<'_> {
    match value {
        Value::Float(n) if n.is_finite() && !is_tie(*n) => Shape::Float(*n),
        _ => Shape::Str(wrapped_text(value)),
    }
}

fn wrapped_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Json(text) => Cow::Borrowed(text),
        Value::Decimal(exact) => exact.to_string().into(),
        Value::Float(n) if n.is_nan() => "NaN".into(),
        Value::Float(n) if n.is_infinite() => if *n > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        Value::Float(n) => exact_digits(*n).into(),
        Value::Bytes(bytes) => base64::encode(bytes).into(),
        Value::Date(date) => format!("{date:?}").into(),
        Value::Time(time) => short_fraction(format!("{time:?}")).into(),
        Value::DateTime(time) => short_fraction(format!("{time:?}")).into(),
        Value::DateTimeOffset(time) => offset_text(time).into(),
        Value::TimeSpan(span) => timespan_text(*span).into(),
        Value::Uuid(id) => id.hyphenated().to_string().into(),
        _ => "".into(),
    }
}

/// All digits of a double that has few of them.
fn exact_digits(n: f64) -> String {
    let text = format!("{n:.60e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", digits.trim_end_matches('0'))
}

/// Without the zeros at the end of a fraction.
fn short_fraction(mut text: String) -> String {
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').len());
    }
    text
}

/// With an offset in whole minutes, as ISO 8601 has it; the instant is kept.
fn offset_text(time: &DateTime<FixedOffset>) -> String {
    let seconds = time.offset().local_minus_utc();
    let whole = FixedOffset::east_opt(seconds - seconds % 60).unwrap_or(*time.offset());
    let local = time.with_timezone(&whole).naive_local();
    let (sign, minutes) = if seconds < 0 { ('-', -seconds / 60) } else { ('+', seconds / 60) };
    format!("{}{sign}{:02}:{:02}", short_fraction(format!("{local:?}")), minutes / 60, minutes % 60)
}

/// `[-][d.]hh:mm:ss[.fffffff]`: .NET's constant format, with 9 digits where 7 do not do.
fn timespan_text(span: TimeDelta) -> String {
    let (sign, seconds, nanos) = match (span.num_seconds(), span.subsec_nanos()) {
        (seconds, nanos) if seconds < 0 || nanos < 0 => ("-", seconds.unsigned_abs(), nanos.unsigned_abs()),
        (seconds, nanos) => ("", seconds.unsigned_abs(), nanos.unsigned_abs()),
    };
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let days = if days == 0 { String::new() } else { format!("{days}.") };
    let fraction = match nanos {
        0 => String::new(),
        _ if nanos % 100 == 0 => format!(".{:07}", nanos / 100),
        _ => format!(".{nanos:09}"),
    };
    format!("{sign}{days}{hours:02}:{minutes:02}:{:02}{fraction}", seconds % 60)
}

/// The name of the type of a CAST.
pub(super) fn type_name(cast: &CastExpr) -> Cow<'static, str> {
    if cast.to.array { format!("{}[]", cast.to.base.name()).into() } else { cast.to.base.name().into() }
}
