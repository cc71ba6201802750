//! What plain values look like: literals, lists, and the texts of those that are wrapped with their type.

use std::borrow::Cow;

use super::native::Native;
use super::shape::{Fields, JsonPart, JsonShape};
use super::words::is_marker;
use super::write::double;
use crate::expr::{CastExpr, Decimal, Value};

/// A value that holds no node.
pub(super) fn plain(value: &Value) -> JsonShape<'_> {
    match value {
        Value::Null => JsonShape::Null,
        Value::Bool(b) => JsonShape::Bool(*b),
        Value::Int(n) => JsonShape::Int(*n),
        Value::UInt(n) => JsonShape::UInt(*n),
        Value::Text(text) => JsonShape::Str(text.as_str().into()),
        Value::List(items) => JsonShape::List(JsonPart::Plains(items)),
        Value::Map(entries) if !entries.iter().any(|(key, _)| is_marker(key)) => JsonShape::Entries(entries),
        Value::Map(entries) => JsonShape::Object(Fields::new(Native::Map.marker(), JsonPart::Entries(entries))),
        Value::Decimal(exact) => match bare_decimal(exact) {
            Some(number) => JsonShape::Float(number),
            None => wrapped(value),
        },
        _ => wrapped(value),
    }
}

fn wrapped(value: &Value) -> JsonShape<'_> {
    match Native::of(value) {
        Some(native) => JsonShape::Object(Fields::new(native.marker(), JsonPart::Wrapped(value))),
        None => JsonShape::Null,
    }
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
pub(super) fn under_marker(value: &Value) -> JsonShape<'_> {
    match value {
        Value::Float(n) if n.is_finite() && !is_tie(*n) => JsonShape::Float(*n),
        _ => JsonShape::Str(Native::text(value)),
    }
}

/// The name of the type of a CAST.
pub(super) fn type_name(cast: &CastExpr) -> Cow<'static, str> {
    if cast.to.array { format!("{}[]", cast.to.base.name()).into() } else { cast.to.base.name().into() }
}
