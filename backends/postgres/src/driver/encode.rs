//! Values on their way to the server, in the binary form of the type that it wants.

use std::fmt::Write as _;

use bytes::{BufMut, BytesMut};
use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Result};
use tokio_postgres::types::{Format, IsNull, Kind, ToSql, Type};

use super::numeric;

/// 2000-01-01, from which PostgreSQL counts, in days since the year 1.
pub(super) const EPOCH: i32 = 730_120;

/// 4713-11-24 BC, before which PostgreSQL has no date, in its days.
const FIRST_DAY: i32 = -2_451_545;

pub(super) const DAY: i64 = 86_400_000_000;

/// How a type looks on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(super) scalar: Scalar,
    pub(super) array: bool,
}

/// The scalar types that are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    Bool,
    Int2,
    Int4,
    Int8,
    Oid,
    Float4,
    Float8,
    Numeric,
    Text,
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

impl Shape {
    pub(crate) fn of(ty: &Type) -> Self {
        let scalar = match *ty {
            Type::BOOL => Scalar::Bool,
            Type::INT2 => Scalar::Int2,
            Type::INT4 => Scalar::Int4,
            Type::INT8 => Scalar::Int8,
            Type::OID => Scalar::Oid,
            Type::FLOAT4 => Scalar::Float4,
            Type::FLOAT8 => Scalar::Float8,
            Type::NUMERIC => Scalar::Numeric,
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::XML | Type::UNKNOWN => Scalar::Text,
            Type::BYTEA => Scalar::Bytes,
            Type::DATE => Scalar::Date,
            Type::TIME => Scalar::Time,
            Type::TIMESTAMP => Scalar::Timestamp,
            Type::TIMESTAMPTZ => Scalar::TimestampTz,
            Type::INTERVAL => Scalar::Interval,
            Type::UUID => Scalar::Uuid,
            Type::JSON => Scalar::Json,
            Type::JSONB => Scalar::Jsonb,
            _ => match ty.kind() {
                Kind::Enum(_) => Scalar::Text,
                Kind::Domain(base) => return Self::of(base),
                Kind::Array(element) => return Self { scalar: Self::of(element).scalar, array: true },
                // An extension's text without regard to case.
                Kind::Simple if ty.name() == "citext" => Scalar::Text,
                _ => Scalar::Other,
            },
        };
        Self { scalar, array: false }
    }
}

/// The type that the server is told of a parameter that it may prepare for; `UNKNOWN` leaves it to the server.
///
/// What is compared with a text may be of an enum, `citext` or `char(n)`: with a parameter of `text` the server looks for
/// another operator, which is not there, or counts case and blanks, or has no index. Where nothing else tells that it is
/// a text, the compiler has written a cast.
pub(super) fn declared(ty: Option<DbType>) -> Type {
    match told(ty) {
        Type::TEXT | Type::TEXT_ARRAY => Type::UNKNOWN,
        known => known,
    }
}

/// The type of a parameter, as far as it is known.
pub(crate) fn told(ty: Option<DbType>) -> Type {
    let Some(ty) = ty else { return Type::UNKNOWN };
    let (scalar, array) = match ty.base {
        T::Boolean => (Type::BOOL, Type::BOOL_ARRAY),
        T::Byte | T::SByte | T::Int16 => (Type::INT2, Type::INT2_ARRAY),
        T::Int32 | T::UInt16 => (Type::INT4, Type::INT4_ARRAY),
        T::Int64 | T::UInt32 => (Type::INT8, Type::INT8_ARRAY),
        T::UInt64 | T::Decimal | T::Currency | T::VarNumeric => (Type::NUMERIC, Type::NUMERIC_ARRAY),
        T::Double => (Type::FLOAT8, Type::FLOAT8_ARRAY),
        T::Single => (Type::FLOAT4, Type::FLOAT4_ARRAY),
        T::Date => (Type::DATE, Type::DATE_ARRAY),
        T::Time => (Type::TIME, Type::TIME_ARRAY),
        T::DateTime | T::DateTime2 => (Type::TIMESTAMP, Type::TIMESTAMP_ARRAY),
        T::DateTimeOffset => (Type::TIMESTAMPTZ, Type::TIMESTAMPTZ_ARRAY),
        T::Guid => (Type::UUID, Type::UUID_ARRAY),
        T::Binary => (Type::BYTEA, Type::BYTEA_ARRAY),
        // `jsonb` goes into a column of `json`, but not the other way round.
        T::Json | T::Jsonb => (Type::JSONB, Type::JSONB_ARRAY),
        T::Xml => (Type::XML, Type::XML_ARRAY),
        _ => (Type::TEXT, Type::TEXT_ARRAY),
    };
    if ty.array { array } else { scalar }
}

/// Whether a value may be sent at all.
///
/// # Errors
/// What is longer than `most` bytes.
pub(super) fn sized(value: &Value, most: usize) -> Result<()> {
    let len = match value {
        Value::Text(text) => text.len(),
        Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => {
            items.iter().try_for_each(|item| sized(item, most))?;
            items.iter().map(weight).sum()
        }
        _ => return Ok(()),
    };
    if len > most {
        return Err(bad(format!("a value has {len} bytes, over {most}")));
    }
    Ok(())
}

/// How many bytes a value takes, more or less.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => items.iter().map(weight).sum(),
        _ => 8,
    }
}

/// A value as a parameter.
#[derive(Debug)]
pub(super) struct Bound<'v>(pub(super) &'v Value);

impl ToSql for Bound<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(encode(self.0, ty, Shape::of(ty), out)?)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn to_sql_checked(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.to_sql(ty, out)
    }

    fn encode_format(&self, ty: &Type) -> Format {
        if Shape::of(ty).scalar == Scalar::Other { Format::Text } else { Format::Binary }
    }
}

/// Writes a value as a type.
///
/// # Errors
/// What the type does not hold.
pub(crate) fn encode(value: &Value, ty: &Type, shape: Shape, out: &mut BytesMut) -> Result<IsNull> {
    if value.is_null() {
        return Ok(IsNull::Yes);
    }
    if !shape.array {
        scalar(value, ty, shape.scalar, out)?;
    } else if shape.scalar == Scalar::Other {
        return Err(bad(format!("a {} cannot be sent as {}", value.kind(), ty.name())));
    } else {
        array(value, ty, shape.scalar, out)?;
    }
    Ok(IsNull::No)
}

/// The number of dimensions, whether there are NULLs, the elements' type; of the dimension, its length and first index;
/// each element with its length.
fn array(value: &Value, ty: &Type, element: Scalar, out: &mut BytesMut) -> Result<()> {
    let (Value::List(items), Kind::Array(inner)) = (value, ty.kind()) else { return Err(unfit(value, ty)) };
    let len = i32::try_from(items.len()).map_err(|_| bad("a list is too long".into()))?;
    out.put_i32(i32::from(len > 0));
    out.put_i32(items.iter().any(Value::is_null).into());
    out.put_u32(inner.oid());
    if len == 0 {
        return Ok(());
    }
    out.put_i32(len);
    out.put_i32(1);
    for item in items {
        framed(out, |out| match item {
            Value::Null => Ok(IsNull::Yes),
            item => scalar(item, inner, element, out).map(|()| IsNull::No),
        })?;
    }
    Ok(())
}

/// Writes something behind its length.
pub(super) fn framed(out: &mut BytesMut, write: impl FnOnce(&mut BytesMut) -> Result<IsNull>) -> Result<()> {
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

fn scalar(value: &Value, ty: &Type, scalar: Scalar, out: &mut BytesMut) -> Result<()> {
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
        Scalar::Text | Scalar::Json | Scalar::Other => text(value, ty, out)?,
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
fn whole<N: TryFrom<i64> + TryFrom<u64>>(value: &Value, ty: &Type) -> Result<N> {
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
fn text(value: &Value, ty: &Type, out: &mut BytesMut) -> Result<()> {
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
        Value::Uuid(uuid) => return written(out, format_args!("{uuid}")),
        _ => return Err(unfit(value, ty)),
    };
    if text.as_bytes().contains(&0) {
        return Err(bad("a text has a zero byte, which PostgreSQL's texts do not hold".into()));
    }
    out.put_slice(text.as_bytes());
    Ok(())
}

fn written(out: &mut BytesMut, text: std::fmt::Arguments<'_>) -> Result<()> {
    out.write_fmt(text).map_err(|_| bad("a value is too long".into()))
}

/// The days since 2000-01-01.
fn days(date: NaiveDate) -> Option<i32> {
    Some(date.num_days_from_ce() - EPOCH).filter(|days| *days >= FIRST_DAY)
}

/// The microseconds since midnight. What is finer is left out.
fn micros(time: NaiveTime) -> i64 {
    i64::from(time.num_seconds_from_midnight()) * 1_000_000 + i64::from(time.nanosecond() / 1_000)
}

fn timestamp(at: NaiveDateTime) -> Option<i64> {
    Some(i64::from(days(at.date())?) * DAY + micros(at.time()))
}

fn unfit(value: &Value, ty: &Type) -> Error {
    match value {
        Value::Int(_) | Value::UInt(_) | Value::Decimal(_) | Value::Float(_) => {
            bad(format!("{value} is out of range for {}", ty.name()))
        }
        _ => bad(format!("a {} cannot be sent as {}", value.kind(), ty.name())),
    }
}

fn bad(why: String) -> Error {
    Error::new(ErrorKind::BadValue, why)
}
