//! Values on their way to the server, in the binary form of the type that it wants.

use std::fmt::Write as _;

use bytes::{BufMut, BytesMut};
use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Result};
pub(crate) mod numeric;

/// 2000-01-01, from which PostgreSQL counts, in days since the year 1.
pub(crate) const EPOCH: i32 = 730_120;

/// 4713-11-24 BC, before which PostgreSQL has no date, in its days.
const FIRST_DAY: i32 = -2_451_545;

pub(crate) const DAY: i64 = 86_400_000_000;

/// How a type looks on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) scalar: Scalar,
    pub(crate) array: bool,
}

/// The scalar types that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scalar {
    Bool,
    Int2,
    Int4,
    Int8,
    Oid,
    Float4,
    Float8,
    Numeric,
    Text,
    /// A text of a fixed length: the blanks that fill it mean nothing to the server, and are not read.
    Padded,
    Bytes,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Interval,
    Uuid,
    Json,
    Jsonb,
    /// It is sent as text, and not read.
    Other,
}

/// What a parameter is sent as.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot<'t> {
    pub(crate) shape: Shape,
    /// The name of the type, for errors.
    pub(crate) name: &'t str,
    /// The number of the type of an array's elements.
    pub(crate) element: u32,
}

/// A type of the server's own, with its number and that of its arrays.
#[cfg_attr(
    not(any(feature = "diesel", feature = "sqlx")),
    allow(dead_code, reason = "the driver is told by the server how a parameter is sent")
)]
struct Known(Scalar, &'static str, u32, u32);

/// The number of the type that the server finds out.
pub(crate) const UNKNOWN: u32 = 705;

/// The number of `text`.
const TEXT: u32 = 25;

/// The type of that kind.
fn known(base: T) -> Known {
    match base {
        T::Boolean => Known(Scalar::Bool, "bool", 16, 1000),
        T::Byte | T::SByte | T::Int16 => Known(Scalar::Int2, "int2", 21, 1005),
        T::Int32 | T::UInt16 => Known(Scalar::Int4, "int4", 23, 1007),
        T::Int64 | T::UInt32 => Known(Scalar::Int8, "int8", 20, 1016),
        T::UInt64 | T::Decimal | T::Currency | T::VarNumeric => Known(Scalar::Numeric, "numeric", 1700, 1231),
        T::Double => Known(Scalar::Float8, "float8", 701, 1022),
        T::Single => Known(Scalar::Float4, "float4", 700, 1021),
        T::Date => Known(Scalar::Date, "date", 1082, 1182),
        T::Time => Known(Scalar::Time, "time", 1083, 1183),
        T::DateTime | T::DateTime2 => Known(Scalar::Timestamp, "timestamp", 1114, 1115),
        T::DateTimeOffset => Known(Scalar::TimestampTz, "timestamptz", 1184, 1185),
        T::Guid => Known(Scalar::Uuid, "uuid", 2950, 2951),
        T::Binary => Known(Scalar::Bytes, "bytea", 17, 1001),
        // `jsonb` goes into a column of `json`, but not the other way round.
        T::Json | T::Jsonb => Known(Scalar::Jsonb, "jsonb", 3802, 3807),
        T::Xml => Known(Scalar::Text, "xml", 142, 143),
        _ => Known(Scalar::Text, "text", TEXT, 1009),
    }
}

/// The number of the type that the server is told of a parameter, before it has seen the value; [`UNKNOWN`] leaves it to
/// the server.
///
/// What is compared with a text may be of an enum, `citext` or `char(n)`: with a parameter of `text` the server looks for
/// another operator, which is not there, or counts case and blanks, or has no index. Where nothing else tells that it is
/// a text, the compiler has written a cast.
pub(crate) fn declared(ty: Option<DbType>) -> u32 {
    let Some(ty) = ty else { return UNKNOWN };
    match known(ty.base) {
        Known(.., TEXT, _) => UNKNOWN,
        Known(.., array) if ty.array => array,
        Known(.., scalar, _) => scalar,
    }
}

/// A parameter for a library that wants its bytes before the server has said of which type it is.
#[cfg(any(feature = "diesel", feature = "sqlx"))]
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) oid: u32,
    /// `None` is NULL.
    pub(crate) bytes: Option<BytesMut>,
}

#[cfg(any(feature = "diesel", feature = "sqlx"))]
impl Sent {
    /// A text, and an array of them, is of the type that the server takes it for: all of those have the same bytes.
    ///
    /// # Errors
    /// What the type of the parameter does not hold.
    pub(crate) fn of(parameter: &isogloss_compiler::render::Parameter<'_>) -> Result<Self> {
        let ty = parameter.ty.or_else(|| usual(&parameter.value));
        let Known(scalar, name, element, _) = known(ty.map_or(T::String, |ty| ty.base));
        let slot = Slot { shape: Shape { scalar, array: ty.is_some_and(|ty| ty.array) }, name, element };
        let mut bytes = BytesMut::new();
        let null = encode(&parameter.value, slot, &mut bytes)?;
        Ok(Self { oid: declared(ty), bytes: matches!(null, IsNull::No).then_some(bytes) })
    }
}

/// The type of a value of which nothing else is known.
#[cfg(any(feature = "diesel", feature = "sqlx"))]
fn usual(value: &Value) -> Option<DbType> {
    let ty = match value {
        Value::Text(_) | Value::TimeSpan(_) => return None,
        Value::UInt(_) => T::Decimal,
        Value::Json(_) => T::Jsonb,
        _ => value.natural_type()?,
    };
    Some(ty.into())
}

/// Whether what was written is NULL, of which nothing is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum IsNull {
    Yes,
    No,
}

/// Writes a value as a type.
///
/// # Errors
/// What the type does not hold.
pub(crate) fn encode(value: &Value, slot: Slot<'_>, out: &mut BytesMut) -> Result<IsNull> {
    let Slot { shape, name, .. } = slot;
    if value.is_null() {
        return Ok(IsNull::Yes);
    }
    if !shape.array {
        scalar(value, name, shape.scalar, out)?;
    } else if shape.scalar == Scalar::Other {
        return Err(bad(format!("a {} cannot be sent as {name}", value.kind())));
    } else {
        array(value, slot, out)?;
    }
    Ok(IsNull::No)
}

/// The number of dimensions, whether there are NULLs, the elements' type; of the dimension, its length and first index;
/// each element with its length.
fn array(value: &Value, slot: Slot<'_>, out: &mut BytesMut) -> Result<()> {
    let Value::List(items) = value else { return Err(unfit(value, slot.name)) };
    let len = i32::try_from(items.len()).map_err(|_| bad("a list is too long".into()))?;
    out.put_i32(i32::from(len > 0));
    out.put_i32(items.iter().any(Value::is_null).into());
    out.put_u32(slot.element);
    if len == 0 {
        return Ok(());
    }
    out.put_i32(len);
    out.put_i32(1);
    for item in items {
        framed(out, |out| match item {
            Value::Null => Ok(IsNull::Yes),
            item => scalar(item, slot.name, slot.shape.scalar, out).map(|()| IsNull::No),
        })?;
    }
    Ok(())
}

/// Writes something behind its length.
pub(crate) fn framed(out: &mut BytesMut, write: impl FnOnce(&mut BytesMut) -> Result<IsNull>) -> Result<()> {
    let at = out.len();
    out.put_i32(-1);
    if let IsNull::No = write(out)? {
        let len = i32::try_from(out.len() - at - 4).map_err(|_| bad("a value is too long".into()))?;
        if let Some(place) = out.get_mut(at..at + 4) {
            place.copy_from_slice(&len.to_be_bytes());
        }
    }
    Ok(())
}

fn scalar(value: &Value, ty: &str, scalar: Scalar, out: &mut BytesMut) -> Result<()> {
    let misfit = || unfit(value, ty);
    match scalar {
        Scalar::Bool => match value {
            Value::Bool(truth) => out.put_u8((*truth).into()),
            Value::Int(number @ 0..=1) => out.put_u8(u8::from(*number == 1)),
            _ => return Err(misfit()),
        },
        Scalar::Int2 => out.put_i16(whole(value, ty)?),
        Scalar::Int4 => out.put_i32(whole(value, ty)?),
        Scalar::Int8 => out.put_i64(whole(value, ty)?),
        Scalar::Oid => out.put_u32(whole(value, ty)?),
        Scalar::Float4 => out.put_f32(single(float(value).ok_or_else(misfit)?).ok_or_else(misfit)?),
        Scalar::Float8 => out.put_f64(float(value).ok_or_else(misfit)?),
        Scalar::Numeric => decimal(value, out).ok_or_else(misfit)?,
        Scalar::Text | Scalar::Padded | Scalar::Json => text(value, ty, out)?,
        Scalar::Other => match value {
            Value::List(items) => literal(items, ty, out)?,
            Value::TimeSpan(span) => clock(span.num_microseconds().ok_or_else(misfit)?, out)?,
            value => text(value, ty, out)?,
        },
        Scalar::Bytes => match value {
            Value::Bytes(bytes) => out.put_slice(bytes),
            _ => return Err(misfit()),
        },
        Scalar::Date => match value {
            Value::Date(date) => out.put_i32(days(*date).ok_or_else(misfit)?),
            _ => return Err(misfit()),
        },
        Scalar::Time => match value {
            Value::Time(time) => out.put_i64(micros(*time)),
            Value::TimeSpan(span) => match span.num_microseconds() {
                Some(micros @ 0..=DAY) => out.put_i64(micros),
                _ => return Err(misfit()),
            },
            _ => return Err(misfit()),
        },
        Scalar::Timestamp | Scalar::TimestampTz => {
            let at = match value {
                Value::DateTime(at) => *at,
                Value::DateTimeOffset(at) => at.naive_utc(),
                Value::Date(date) => date.and_time(NaiveTime::MIN),
                _ => return Err(misfit()),
            };
            out.put_i64(timestamp(at).ok_or_else(misfit)?);
        }
        Scalar::Interval => match value {
            Value::TimeSpan(span) => {
                out.put_i64(span.num_microseconds().ok_or_else(misfit)?);
                // Days and months.
                out.put_i64(0);
            }
            _ => return Err(misfit()),
        },
        Scalar::Uuid => match value {
            Value::Uuid(uuid) => out.put_slice(uuid.as_bytes()),
            Value::Text(text) => out.put_slice(uuid::Uuid::try_parse(text).map_err(|_| misfit())?.as_bytes()),
            _ => return Err(misfit()),
        },
        Scalar::Jsonb => {
            // The version of the form.
            out.put_u8(1);
            text(value, ty, out)?;
        }
    }
    Ok(())
}

/// A whole number, of any kind of number that is one.
fn whole<N: TryFrom<i64> + TryFrom<u64>>(value: &Value, ty: &str) -> Result<N> {
    let found = match value {
        Value::Int(number) => N::try_from(*number).ok(),
        Value::UInt(number) => N::try_from(*number).ok(),
        Value::Bool(truth) => N::try_from(i64::from(*truth)).ok(),
        Value::Decimal(_) | Value::Float(_) => {
            value.to_decimal().and_then(|n| n.to_i64()).and_then(|n| N::try_from(n).ok())
        }
        // In ticks of 100 ns, as the compiler counts them.
        Value::TimeSpan(span) => {
            span.num_nanoseconds().filter(|n| n % 100 == 0).and_then(|n| N::try_from(n / 100).ok())
        }
        _ => None,
    };
    found.ok_or_else(|| unfit(value, ty))
}

#[allow(clippy::cast_precision_loss, reason = "the nearest double is meant")]
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Decimal(number) => Some(number.to_f64()),
        _ => None,
    }
}

/// A float of 32 bits; infinite only where the number is.
#[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant, and an overflow is looked for")]
fn single(number: f64) -> Option<f32> {
    let single = number as f32;
    (single.is_finite() || !number.is_finite()).then_some(single)
}

fn decimal(value: &Value, out: &mut BytesMut) -> Option<()> {
    match value {
        Value::Float(number) if number.is_nan() => numeric::encode_nan(out),
        Value::Float(number) => {
            // The shortest digits that read as the double again: at most 17 of them, and where the point stands.
            let text = format!("{number:e}");
            let (digits, exponent) = text.split_once('e')?;
            let digits: Decimal = digits.parse().ok()?;
            numeric::encode(digits.mantissa(), i32::from(digits.scale()) - exponent.parse::<i32>().ok()?, out);
        }
        Value::Int(number) => numeric::encode((*number).into(), 0, out),
        Value::UInt(number) => numeric::encode((*number).into(), 0, out),
        Value::Decimal(number) => numeric::encode(number.mantissa(), number.scale().into(), out),
        _ => return None,
    }
    Some(())
}

/// A value's text, as the server reads it for any type.
fn text(value: &Value, ty: &str, out: &mut BytesMut) -> Result<()> {
    let text: &str = match value {
        Value::Text(text) => text,
        Value::Json(text) => text,
        Value::Bytes(bytes) => {
            out.put_slice(b"\\x");
            return bytes.iter().try_for_each(|byte| written(out, format_args!("{byte:02x}")));
        }
        Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_) => {
            return written(out, format_args!("{value}"));
        }
        Value::Date(date) => return written(out, format_args!("{date}")),
        Value::Time(time) => return written(out, format_args!("{time}")),
        Value::DateTime(at) => return written(out, format_args!("{at}")),
        Value::DateTimeOffset(at) => return written(out, format_args!("{}", at.to_rfc3339())),
        _ => return written(out, format_args!("{}", value.word().ok_or_else(|| unfit(value, ty))?)),
    };
    if text.as_bytes().contains(&0) {
        return Err(bad("a text has a zero byte, which PostgreSQL's texts do not hold".into()));
    }
    out.put_slice(text.as_bytes());
    Ok(())
}

/// A span of time as a clock shows it, of any number of hours: an interval, or a time of the day.
fn clock(micros: i64, out: &mut BytesMut) -> Result<()> {
    let sign = if micros < 0 { "-" } else { "" };
    let (seconds, fraction) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    written(out, format_args!("{sign}{hours:02}:{minutes:02}:{seconds:02}.{fraction:06}"))
}

/// An array's text: each item in quotes.
fn literal(items: &[Value], ty: &str, out: &mut BytesMut) -> Result<()> {
    let (mut before, mut inner) = (b'{', BytesMut::new());
    for item in items {
        out.put_u8(before);
        before = b',';
        match item {
            Value::Null => out.put_slice(b"NULL"),
            Value::List(items) => literal(items, ty, out)?,
            item => {
                inner.clear();
                text(item, ty, &mut inner)?;
                out.put_u8(b'"');
                for byte in inner.iter().copied() {
                    if matches!(byte, b'"' | b'\\') {
                        out.put_u8(b'\\');
                    }
                    out.put_u8(byte);
                }
                out.put_u8(b'"');
            }
        }
    }
    out.put_slice(if items.is_empty() { b"{}" } else { b"}" });
    Ok(())
}

fn written(out: &mut BytesMut, text: std::fmt::Arguments<'_>) -> Result<()> {
    out.write_fmt(text).map_err(|_| bad("a value is too long".into()))
}

/// The days since 2000-01-01.
fn days(date: NaiveDate) -> Option<i32> {
    Some(date.num_days_from_ce() - EPOCH).filter(|days| *days >= FIRST_DAY)
}

/// The microseconds since midnight. What is finer is left out, and a leap second is the last of them before it.
fn micros(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * 1_000_000 + i64::from((time.nanosecond() / 1_000).min(999_999))
}

fn timestamp(at: NaiveDateTime) -> Option<i64> {
    Some(i64::from(days(at.date())?) * DAY + micros(at.time()))
}

fn unfit(value: &Value, ty: &str) -> Error {
    match value {
        Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Float(_) => {
            bad(format!("{value} is out of range for {}", ty))
        }
        _ => bad(format!("a {} cannot be sent as {}", value.kind(), ty)),
    }
}

fn bad(why: String) -> Error {
    Error::new(ErrorKind::BadValue, why)
}
