//! Values as people read them in a log: never as SQL.

use std::fmt::{self, Write as _};

use super::Value;

/// How many levels of lists and maps are shown.
const LEVELS: usize = 8;

/// The most items of a list that are shown.
const ITEMS: usize = 12;

/// The longest text that is shown, in characters.
const CHARS: usize = 200;

/// For people: text in quotes, long lists and texts shortened, control characters replaced. It is no SQL: bind values,
/// never print them into a statement.
///
/// ```
/// use isogloss_compiler::expr::Value;
/// assert_eq!(Value::from("it's").to_string(), "'it''s'");
/// assert_eq!(Value::List([1.into(), Value::Null].into()).to_string(), "[1, NULL]");
/// ```
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Bool(truth) => truth.fmt(f),
            Value::Int(number) => number.fmt(f),
            Value::UInt(number) => number.fmt(f),
            Value::Float(number) => number.fmt(f),
            Value::Decimal(number) => number.fmt(f),
            Value::Text(text) => quoted(f, text),
            Value::Json(text) => quoted(f, text),
            Value::Date(date) => write!(f, "'{date}'"),
            Value::Time(time) => write!(f, "'{time}'"),
            Value::DateTime(time) => write!(f, "'{time}'"),
            Value::DateTimeOffset(time) => write!(f, "'{}'", time.to_rfc3339()),
            Value::TimeSpan(span) => span.fmt(f),
            Value::Bytes(bytes) => write!(f, "of {} bytes", bytes.len()),
            Value::List(_) | Value::Map(_) => nested(f, self, 0),
            _ => self.word().map_or(Ok(()), |word| write!(f, "'{word}'")),
        }
    }
}

/// A list or a map in so many others.
fn nested(f: &mut fmt::Formatter<'_>, value: &Value, levels: usize) -> fmt::Result {
    match value {
        Value::List(_) if levels == LEVELS => f.write_str("[..]"),
        Value::Map(_) if levels == LEVELS => f.write_str("{..}"),
        Value::List(items) => listed(f, items.iter(), ['[', ']'], |item, f| nested(f, item, levels + 1)),
        Value::Map(entries) => listed(f, entries.iter(), ['{', '}'], |(name, value), f| {
            quoted(f, name)?;
            f.write_str(": ")?;
            nested(f, value, levels + 1)
        }),
        plain => fmt::Display::fmt(plain, f),
    }
}

fn listed<T>(
    f: &mut fmt::Formatter<'_>,
    items: impl ExactSizeIterator<Item = T>,
    [open, close]: [char; 2],
    mut show: impl FnMut(T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let more = items.len().saturating_sub(ITEMS);
    f.write_char(open)?;
    for (index, item) in items.take(ITEMS).enumerate() {
        f.write_str(if index > 0 { ", " } else { "" })?;
        show(item, f)?;
    }
    if more > 0 {
        write!(f, ", and {more} more")?;
    }
    f.write_char(close)
}

/// A control character must not reach a terminal.
fn quoted(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let mut chars = text.chars();
    f.write_char('\'')?;
    for c in chars.by_ref().take(CHARS) {
        match c {
            '\'' => f.write_str("''")?,
            c if c.is_control() => f.write_char('\u{fffd}')?,
            c => f.write_char(c)?,
        }
    }
    f.write_str(if chars.next().is_some() { "..'" } else { "'" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_well_and_stay_short() {
        let long = Value::List((0..14).map(Value::from).collect());
        assert!(long.to_string().ends_with("10, 11, and 2 more]"));
        assert_eq!(Value::from("a\u{1b}[31m").to_string(), "'a\u{fffd}[31m'");
        assert_eq!(Value::from("x".repeat(300)).to_string().len(), CHARS + 4);
        assert_eq!(Value::from(vec![1_u8, 2]).to_string(), "of 2 bytes");
        let map = Value::Map([("a".into(), 1.into()), ("b".into(), Value::Null)].into());
        assert_eq!(map.to_string(), "{'a': 1, 'b': NULL}");
    }
}
