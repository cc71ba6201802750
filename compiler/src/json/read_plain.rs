//! Reads plain values: literals, lists, dictionaries, and values wrapped with their type.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta};
use compact_str::CompactString;
use uuid::Uuid;

use super::base64;
use super::error::{Fault, JsonErrorKind, Result, nearest, shown};
use super::reader::{Key, Object, Reader};
use super::scan::{Scanner, underflows};
use super::words::{self, NATIVES, Native};
use crate::expr::{Decimal, Value};

impl Reader<'_> {
    /// Reads a value that holds no node.
    #[inline]
    pub(super) fn plain(&mut self) -> Result<Value> {
        match self.scan.peek()? {
            b'"' => Ok(Value::Text(CompactString::from(self.scan.string()?))),
            b'-' | b'0'..=b'9' => self.scan.number(),
            _ => self.rare_plain(),
        }
    }

    #[inline(never)]
    fn rare_plain(&mut self) -> Result<Value> {
        match self.scan.peek()? {
            b'n' => self.scan.word("null").map(|()| Value::Null),
            b't' => self.scan.word("true").map(|()| Value::Bool(true)),
            b'f' => self.scan.word("false").map(|()| Value::Bool(false)),
            b'[' => Ok(Value::List(self.list(Self::plain)?.into())),
            b'{' => self.plain_object(),
            _ => Err(Fault::syntax(self.scan.at, "neither a value nor its end")),
        }
    }

    /// `{"$datetime":..}` and its like, or a dictionary.
    #[inline(never)]
    fn plain_object(&mut self) -> Result<Value> {
        let mut object = self.object("a dictionary")?;
        let Some(key) = self.key(&mut object)? else { return Ok(Value::Map([].into())) };
        if !words::is_marker(&key.text) {
            return self.dictionary(object, Some(key), false);
        }
        let native = NATIVES.iter().find(|(name, _)| *name == key.text).map(|(_, native)| *native);
        let Some(native) = native else {
            if words::KEYS.iter().any(|(name, _)| *name == key.text) || key.text == "$" {
                return Err(Fault::new(key.at, JsonErrorKind::ReservedKey { key: shown(&key.text) }));
            }
            let near = nearest(&key.text, NATIVES.iter().map(|(name, _)| *name));
            return Err(Fault::new(key.at, JsonErrorKind::UnknownMarker { marker: shown(&key.text), near }));
        };
        let value = self.native(native)?;
        self.finish(&mut object)?;
        Ok(value)
    }

    /// A typed value in a slot for nodes.
    #[inline(never)]
    pub(super) fn native_node(&mut self, mut object: Object, native: Native) -> Result<Value> {
        let value = self.native(native)?;
        self.finish(&mut object)?;
        Ok(value)
    }

    /// Takes the entries of a dictionary, the first of which may have been begun.
    fn dictionary(&mut self, mut object: Object, first: Option<Key<'_>>, any_key: bool) -> Result<Value> {
        let mut entries: Vec<(CompactString, Value)> = Vec::new();
        if let Some(key) = first {
            entries.push((CompactString::from(key.text), self.plain()?));
        }
        while let Some(key) = self.key(&mut object)? {
            if !any_key && words::is_marker(&key.text) {
                return Err(Fault::new(key.at, JsonErrorKind::ReservedKey { key: shown(&key.text) }));
            }
            entries.push((CompactString::from(key.text), self.plain()?));
        }
        let mut keys: Vec<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
        keys.sort_unstable();
        match keys.windows(2).find(|pair| pair.first() == pair.last()).and_then(|pair| pair.first()) {
            Some(key) => Err(Fault::new(object.at, JsonErrorKind::DuplicateKey { key: shown(key) })),
            None => Ok(Value::Map(entries.into())),
        }
    }

    /// Takes what a type marker holds.
    fn native(&mut self, native: Native) -> Result<Value> {
        let at = self.place()?;
        if native == Native::Map {
            let object = self.object("a dictionary")?;
            return self.dictionary(object, None, true);
        }
        let number = matches!(self.scan.byte(), Some(b'-' | b'0'..=b'9'));
        if number && matches!(native, Native::Decimal | Native::Double) {
            return self.number_as(native, at);
        }
        let text = self.text("a text")?;
        let bad = |what, why| Fault::bad_value(at, what, why);
        Ok(match native {
            // Older clients write a Z behind a time that is in UTC; it is one without an offset nevertheless.
            Native::DateTime => Value::DateTime(parse(text.strip_suffix('Z').unwrap_or(&text)).ok_or_else(|| {
                match DateTime::parse_from_rfc3339(&text) {
                    Ok(_) => bad("datetime", "it has no offset; one with an offset is a $datetimeoffset"),
                    Err(_) => bad("datetime", "it looks like 2024-01-31T10:20:30.5"),
                }
            })?),
            Native::DateTimeOffset => Value::DateTimeOffset(
                parse(&text).ok_or_else(|| bad("datetimeoffset", "it looks like 2024-01-31T10:20:30.5+02:00"))?,
            ),
            Native::Date => {
                Value::Date(parse::<NaiveDate>(&text).ok_or_else(|| bad("date", "it looks like 2024-01-31"))?)
            }
            Native::Time => {
                Value::Time(parse::<NaiveTime>(&text).ok_or_else(|| bad("time", "it looks like 10:20:30.5"))?)
            }
            Native::TimeSpan => Value::TimeSpan(
                timespan(&text).ok_or_else(|| bad("timespan", "it looks like [-][days.]hh:mm:ss[.fffffff]"))?,
            ),
            Native::Guid => Value::Uuid(
                Uuid::parse_str(&text)
                    .map_err(|_| bad("guid", "it looks like 00000000-0000-0000-0000-000000000000"))?,
            ),
            Native::Bytes => {
                Value::Bytes(base64::decode(&text).ok_or_else(|| bad("bytes", "it is base64 with padding"))?.into())
            }
            Native::Decimal => {
                text.parse::<Decimal>().map_err(|_| bad("decimal", "it is a number of at most 38 digits"))?.into()
            }
            Native::Double => Value::Float(match &*text {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                digits => double_text(digits)
                    .ok_or_else(|| bad("double", "it is a number, \"NaN\", \"Infinity\" or \"-Infinity\""))?,
            }),
            Native::Json => {
                self.check_json(&text).ok_or_else(|| bad("json", "it is the text of a JSON document"))?;
                Value::Json(text.into())
            }
            Native::Map => Value::Null,
        })
    }

    /// Takes a number with its type.
    fn number_as(&mut self, native: Native, at: usize) -> Result<Value> {
        let negative = self.scan.byte() == Some(b'-');
        let value = self.scan.number()?;
        if native == Native::Double {
            let double = match &value {
                Value::Float(double) => *double,
                other => other.to_decimal().map_or(f64::NAN, |exact| exact.to_f64()),
            };
            // A zero of a decimal has no sign.
            return Ok(Value::Float(if negative && double == 0.0 { -0.0 } else { double }));
        }
        let exact = value.to_decimal().filter(|_| !matches!(value, Value::Float(_)));
        exact.map(Value::from).ok_or_else(|| Fault::bad_value(at, "decimal", "it is a number of at most 38 digits"))
    }

    /// Whether a text is a JSON document, within the limit of depth.
    fn check_json(&self, text: &str) -> Option<()> {
        let mut inner = Reader::new(text, &self.limits());
        inner.skip().ok()?;
        Scanner { text, at: inner.scan.at }.end().ok()
    }
}

/// A double from the text of a number.
fn double_text(text: &str) -> Option<f64> {
    let mut scan = Scanner { text, at: 0 };
    scan.skip_number().ok()?;
    text.parse().ok().filter(|n: &f64| scan.at == text.len() && n.is_finite() && !underflows(text, *n))
}

/// A date or time of chrono's notation, which is that of ISO 8601; nothing around it or in between.
fn parse<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().any(|b| b.is_ascii_whitespace()) { None } else { text.parse().ok() }
}

/// `[-][days.]hh:mm:ss[.fffffff]`, the constant format of .NET, with up to 9 digits of a second.
fn timespan(text: &str) -> Option<TimeDelta> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = text.split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let (days, hours) = hours.split_once('.').unwrap_or(("0", hours));
    let (seconds, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let number = |digits: &str, limit: i64| -> Option<i64> {
        let plain = (1..=18).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|n| plain && *n < limit)
    };
    if parts.next().is_some() || fraction.len() > 9 {
        return None;
    }
    let seconds = number(days, i64::MAX)?
        .checked_mul(86_400)?
        .checked_add(number(hours, 24)? * 3_600 + number(minutes, 60)? * 60 + number(seconds, 60)?)?;
    let nanos = format!("{fraction:0<9}");
    let nanos = number(&nanos, 1_000_000_000)?;
    let (seconds, nanos) = match (negative, nanos) {
        (false, _) => (seconds, nanos),
        (true, 0) => (-seconds, 0),
        (true, _) => (-seconds - 1, 1_000_000_000 - nanos),
    };
    TimeDelta::new(seconds, u32::try_from(nanos).ok()?)
}
