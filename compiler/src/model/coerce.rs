//! Values take the type of the column they meet.
//!
//! | column | takes, besides its own kind |
//! |---|---|
//! | integers | whole decimals and floats, text of a number, true and false as 1 and 0; `Int64` a timespan as 100 ns ticks; all within the type's range |
//! | decimals | integers as they are, finite floats by their shortest text, text of a number |
//! | floats | every number, text of a number |
//! | Boolean | 1 and 0; true/false, 1/0, Y/N, T/F as text |
//! | text | numbers, UUIDs, dates and times of day as their usual text |
//! | Date | a datetime at midnight; ISO text |
//! | Time | a timespan; `HH:mm[:ss[.f]]` and .NET's `[-][d.]HH:mm:ss[.f]` as text |
//! | DateTime, DateTime2 | a date, as its midnight; a datetime at offset zero; ISO text |
//! | DateTimeOffset | a date or datetime, at UTC; ISO text, at UTC if it has no offset |
//! | Guid | text, 16 bytes |
//! | Binary | a UUID; base64 text |
//! | Json, Jsonb | text as the document's text, numbers and truth values |
//! | an enumeration | a name, a number |
//!
//! An integer that meets a decimal column stays as it is: the parameter has the column's type, and a driver widens it.
//! A list is taken item by item. NULL fits everywhere. A text that is longer than the column is just not equal to
//! anything in it.

use std::borrow::Cow;
use std::fmt::Write as _;

use chrono::{NaiveTime, TimeDelta, Timelike};
use compact_str::{CompactString, ToCompactString, format_compact};
use uuid::Uuid;

use super::{Column, EnumDef, EnumStorage, temporal};
use crate::expr::{DbType, DbValueType as T, Decimal, Name, Value};

/// A value that does not fit its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadValue(Box<Misfit>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Misfit {
    property: Option<Name>,
    ty: DbType,
    value: String,
    why: Cow<'static, str>,
}

impl BadValue {
    /// The most characters of a value that a message shows.
    pub const SHOWN: usize = 40;

    pub(super) fn new(value: &Value, ty: DbType, why: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Misfit { property: None, ty, value: show(value), why: why.into() }))
    }

    /// The same, saying which property it was meant for.
    #[must_use]
    pub fn of(mut self, property: &Name) -> Self {
        self.0.property = Some(property.clone());
        self
    }

    /// The property that the value was meant for, where one is known.
    pub fn property(&self) -> Option<&Name> {
        self.0.property.as_ref()
    }

    /// The type that it does not fit.
    pub fn ty(&self) -> DbType {
        self.0.ty
    }

    /// What the value is, its text cut to [`BadValue::SHOWN`] characters.
    pub fn value(&self) -> &str {
        &self.0.value
    }

    /// Why it does not fit.
    pub fn why(&self) -> &str {
        &self.0.why
    }
}

impl std::fmt::Display for BadValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Misfit { property, ty, value, why } = &*self.0;
        write!(f, "{value} does not fit ")?;
        if let Some(property) = property {
            write!(f, "`{property}`, ")?;
        }
        write!(f, "{}{}: {why}", ty.base.name(), if ty.array { "[]" } else { "" })
    }
}

impl std::error::Error for BadValue {}

impl Column {
    /// The value in the column's type.
    ///
    /// ```
    /// use isogloss_compiler::expr::{DbValueType, Value};
    /// use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
    /// let order = TableDef::new("Order").column(ColumnDef::new("ShipDate", DbValueType::Date));
    /// let catalog = Catalog::builder().table(order).build()?;
    /// let (_, order) = catalog.entity("Order").ok_or("no entity")?;
    /// let (_, shipped) = order.column("ShipDate").ok_or("no column")?;
    /// assert!(matches!(*shipped.coerce(&"2024-01-31".into())?, Value::Date(_)));
    /// let error = shipped.coerce(&"soon".into()).unwrap_err();
    /// assert_eq!(error.to_string(), r#"text "soon" does not fit `ShipDate`, Date: expected yyyy-MM-dd"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When the value does not fit.
    pub fn coerce<'v>(&self, value: &'v Value) -> Result<Cow<'v, Value>, BadValue> {
        coerce(value, self.ty, self.enum_values.as_ref()).map_err(|bad| bad.of(&self.name))
    }
}

/// The value in that type, by the table at the top of this module. A value that is of the type already is borrowed.
///
/// # Errors
/// When the value does not fit.
pub fn coerce<'v>(value: &'v Value, ty: DbType, members: Option<&EnumDef>) -> Result<Cow<'v, Value>, BadValue> {
    match value {
        Value::Null => Ok(Cow::Borrowed(value)),
        Value::List(items) => list(value, items, ty, members),
        _ => scalar(value, ty, members),
    }
}

/// A list for an IN, or for an array column, or a list of arrays for an IN of an array column.
fn list<'v>(
    value: &'v Value,
    items: &'v [Value],
    ty: DbType,
    members: Option<&EnumDef>,
) -> Result<Cow<'v, Value>, BadValue> {
    let item = |item: &'v Value| match item {
        Value::List(inner) if ty.array => list(item, inner, ty.base.into(), members),
        Value::List(_) => Err(BadValue::new(item, ty, "a list inside of a list")),
        Value::Null => Ok(Cow::Borrowed(item)),
        _ => scalar(item, ty, members),
    };
    let mut converted: Vec<Value> = Vec::new();
    for (i, one) in items.iter().enumerate() {
        match item(one).map_err(|bad| bad.at(i))? {
            Cow::Borrowed(one) if converted.is_empty() => _ = one,
            Cow::Borrowed(one) => converted.push(one.clone()),
            Cow::Owned(one) => {
                if converted.is_empty() {
                    converted.reserve_exact(items.len());
                    converted.extend(items.iter().take(i).cloned());
                }
                converted.push(one);
            }
        }
    }
    Ok(if converted.is_empty() { Cow::Borrowed(value) } else { Cow::Owned(converted.into()) })
}

fn scalar<'v>(value: &'v Value, ty: DbType, members: Option<&EnumDef>) -> Result<Cow<'v, Value>, BadValue> {
    if let Some(members) = members {
        return member(value, ty, members);
    }
    let fits = match (value, ty.base) {
        (Value::Text(_), T::String | T::AnsiString | T::AnsiStringFixedLength | T::StringFixedLength | T::Xml)
        | (Value::Int(_), T::Int64 | T::Decimal | T::Currency | T::VarNumeric)
        | (Value::UInt(_), T::UInt64 | T::Decimal | T::Currency | T::VarNumeric)
        | (Value::Decimal(_), T::Decimal | T::Currency | T::VarNumeric)
        | (Value::Float(_), T::Double | T::Single)
        | (Value::Bool(_), T::Boolean)
        | (Value::Date(_), T::Date)
        | (Value::Time(_), T::Time)
        | (Value::DateTime(_), T::DateTime | T::DateTime2)
        | (Value::DateTimeOffset(_), T::DateTimeOffset)
        | (Value::Uuid(_), T::Guid)
        | (Value::Bytes(_), T::Binary)
        | (Value::Json(_), T::Json | T::Jsonb)
        | (_, T::Object) => true,
        (Value::Int(n), T::Int32) => i32::try_from(*n).is_ok(),
        (Value::Int(n), T::Int16) => i16::try_from(*n).is_ok(),
        (Value::Int(n), T::SByte) => i8::try_from(*n).is_ok(),
        (Value::Int(n), T::Byte) => u8::try_from(*n).is_ok(),
        (Value::Int(n), T::UInt16) => u16::try_from(*n).is_ok(),
        (Value::Int(n), T::UInt32) => u32::try_from(*n).is_ok(),
        (Value::Int(n), T::UInt64) => *n >= 0,
        _ => false,
    };
    if fits { Ok(Cow::Borrowed(value)) } else { convert(value, ty) }
}

/// What [`scalar`] does not take as it is.
#[cold]
fn convert(value: &Value, ty: DbType) -> Result<Cow<'_, Value>, BadValue> {
    let refuse = |why: &'static str| BadValue::new(value, ty, why);
    let found = match ty.base {
        base if base.is_integer() => return integer(value, ty),
        T::Decimal | T::Currency | T::VarNumeric => decimal(value).map_err(refuse)?,
        T::Double | T::Single => float(value).ok_or_else(|| refuse("expected a number"))?,
        T::Boolean => boolean(value).ok_or_else(|| refuse("expected true or false"))?,
        base if base.is_text() => text(value).ok_or_else(|| refuse("expected text"))?,
        T::Date => date(value).map_err(refuse)?,
        // A span that is no time of day stays one: some engines' TIME holds it.
        T::Time => time(value).ok_or_else(|| refuse("expected HH:mm:ss"))?,
        T::DateTime | T::DateTime2 => datetime(value).map_err(refuse)?,
        T::DateTimeOffset => offset(value).ok_or_else(|| refuse("expected yyyy-MM-ddTHH:mm:ss and an offset"))?,
        T::Guid => guid(value).ok_or_else(|| refuse("expected a UUID"))?,
        T::Binary => binary(value).ok_or_else(|| refuse("expected bytes, or their base64 text"))?,
        T::Json | T::Jsonb => json(value).ok_or_else(|| refuse("expected a JSON document"))?,
        _ => return Err(refuse("the type takes no parameters")),
    };
    Ok(Cow::Owned(found))
}

/// The name or number of an enumeration's member, as it is stored.
fn member<'v>(value: &'v Value, ty: DbType, members: &EnumDef) -> Result<Cow<'v, Value>, BadValue> {
    let number = match value {
        Value::Text(name) => match members.by_name(name.trim()) {
            Some(member) if members.stored == EnumStorage::Text && member.name.as_str() == name => {
                return Ok(Cow::Borrowed(value));
            }
            Some(member) => Some(member.number),
            None => name.trim().parse().ok().or_else(|| sum(name, members)),
        },
        _ => whole(value).and_then(|n| i64::try_from(n).ok()),
    };
    let stored = number.filter(|n| members.has_number(*n)).and_then(|number| match (members.stored, value) {
        (EnumStorage::Number, Value::Int(_)) => Some(Cow::Borrowed(value)),
        (EnumStorage::Number, _) => Some(Cow::Owned(Value::Int(number))),
        (EnumStorage::Text, _) => {
            members.by_number(number).map(|member| Cow::Owned(Value::Text(member.name.as_str().into())))
        }
    });
    stored.ok_or_else(|| {
        let mut why = "expected ".to_owned();
        for (i, member) in members.members.iter().take(12).enumerate() {
            let _ = write!(why, "{}`{}`", if i == 0 { "" } else { ", " }, member.name);
        }
        why.push_str(if members.members.len() > 12 { ", ..." } else { "" });
        BadValue::new(value, ty, why)
    })
}

/// `Read, Write`, for flags.
fn sum(names: &str, members: &EnumDef) -> Option<i64> {
    if !members.flags {
        return None;
    }
    names.split(',').try_fold(0, |all, name| Some(all | members.by_name(name.trim())?.number))
}

/// The largest float up to which every whole number is one.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The exact whole number that the value is.
fn whole(value: &Value) -> Option<i128> {
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
    let (low, high): (i128, i128) = match ty.base {
        T::Byte => (0, u8::MAX.into()),
        T::SByte => (i8::MIN.into(), i8::MAX.into()),
        T::Int16 => (i16::MIN.into(), i16::MAX.into()),
        T::Int32 => (i32::MIN.into(), i32::MAX.into()),
        T::UInt16 => (0, u16::MAX.into()),
        T::UInt32 => (0, u32::MAX.into()),
        T::UInt64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    let number = match value {
        Value::TimeSpan(span) if ty.base == T::Int64 => ticks(*span),
        _ => whole(value),
    };
    let Some(number) = number else {
        return Err(BadValue::new(value, ty, "expected a whole number"));
    };
    if !(low..=high).contains(&number) {
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
        Value::Int(n) => n.to_compact_string(),
        Value::UInt(n) => n.to_compact_string(),
        Value::Float(n) if n.is_finite() => n.to_compact_string(),
        Value::Decimal(n) => n.to_compact_string(),
        Value::Uuid(id) => id.hyphenated().to_compact_string(),
        Value::Date(date) => date.format("%Y-%m-%d").to_compact_string(),
        Value::Time(time) => time.format("%H:%M:%S%.f").to_compact_string(),
        Value::Json(json) => CompactString::new(json),
        _ => return None,
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
    Some(time.filter(|t| t.nanosecond() < 1_000_000_000).map_or(Value::TimeSpan(span), Value::Time))
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

fn display(value: &Value) -> CompactString {
    match value {
        Value::Null => "null".into(),
        Value::Bool(v) => v.to_compact_string(),
        Value::Int(v) => v.to_compact_string(),
        Value::UInt(v) => v.to_compact_string(),
        Value::Float(v) => v.to_compact_string(),
        Value::Decimal(v) => v.to_compact_string(),
        Value::Date(v) => v.to_compact_string(),
        Value::Time(v) => v.to_compact_string(),
        Value::DateTime(v) => v.to_compact_string(),
        Value::DateTimeOffset(v) => v.to_compact_string(),
        Value::TimeSpan(v) => v.to_compact_string(),
        Value::Uuid(v) => v.to_compact_string(),
        Value::Text(v) => format_compact!("{:?}", cut(v)),
        Value::Json(v) => cut(v),
        Value::Bytes(v) => format_compact!("of {} bytes", v.len()),
        Value::List(v) => format_compact!("of {} items", v.len()),
        Value::Map(v) => format_compact!("of {} names", v.len()),
    }
}

/// The kind of a value and its text, cut.
fn show(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        _ => format!("{} {}", value.kind(), display(value)),
    }
}

fn cut(text: &str) -> CompactString {
    match text.char_indices().nth(BadValue::SHOWN) {
        Some((end, _)) => format_compact!("{}...", text.get(..end).unwrap_or_default()),
        None => text.into(),
    }
}

impl BadValue {
    /// The same, saying which item of a list it was.
    fn at(mut self, item: usize) -> Self {
        self.0.value = format!("item {item} of the list, {},", self.0.value);
        self
    }
}
