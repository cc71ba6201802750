//! Rows as JSON.

use std::sync::Arc;

use isogloss::driver::{Result, Row};
use isogloss::expr::{DbType, DbValueType as T, Family, Value};
use isogloss::json::to_base64;
use isogloss::model::EnumStorage;
use serde::Serialize;
use serde::de::IgnoredAny;

use super::text::{date, datetime, datetime_offset, plain, put, time};
use super::{RowWriter, Shape, ShapeColumn};
use crate::Int64;

/// Writes a row as an object.
#[derive(Debug)]
pub(crate) struct JsonRow {
    /// What stands before each value, and how that is written.
    columns: Vec<(Vec<u8>, Form)>,
}

/// How a column is written.
#[derive(Debug, Clone)]
pub(super) enum Form {
    Bool,
    Int,
    UInt,
    /// A whole number that JavaScript may round, as a text.
    IntText,
    UIntText,
    Decimal,
    DecimalText,
    Float,
    /// Of 32 bits.
    Single,
    Text,
    Bytes,
    Date,
    Time,
    DateTime,
    DateTimeOffset,
    Uuid,
    Json,
    /// The members of an enumeration, with their names in quotes.
    Members(Vec<(i64, Vec<u8>)>),
    Value(Option<DbType>, Int64),
}

impl JsonRow {
    /// One of rows of that shape.
    pub(crate) fn new(shape: &Shape, int64: Int64) -> Self {
        let column = |(place, column): (usize, &ShapeColumn)| {
            let mut before = vec![if place == 0 { b'{' } else { b',' }];
            write(&column.member, &mut before);
            before.push(b':');
            (before, Form::of(column, int64))
        };
        Self { columns: shape.columns().iter().enumerate().map(column).collect() }
    }

    /// A row.
    pub(crate) fn write(&self, row: &dyn Row, out: &mut Vec<u8>) -> Result<()> {
        for (index, (before, form)) in self.columns.iter().enumerate() {
            out.extend_from_slice(before);
            form.write(row, index, out)?;
        }
        out.extend_from_slice(if self.columns.is_empty() { b"{}" } else { b"}" });
        Ok(())
    }
}

impl Form {
    pub(super) fn of(column: &ShapeColumn, int64: Int64) -> Self {
        let Some(ty) = column.ty.filter(|ty| !ty.array) else { return Self::Value(column.ty, int64) };
        if let Some(members) = column.members.as_ref().filter(|members| members.stored == EnumStorage::Number) {
            let member = |member: &isogloss::model::EnumMember| {
                let mut name = Vec::new();
                write(member.name.as_str(), &mut name);
                (member.number, name)
            };
            return Self::Members(members.members.iter().map(member).collect());
        }
        let texts = int64 == Int64::String;
        match ty.base.family() {
            Family::Boolean => Self::Bool,
            Family::Integer => match ty.base {
                T::Int64 if texts => Self::IntText,
                T::UInt64 if texts => Self::UIntText,
                T::UInt64 => Self::UInt,
                _ => Self::Int,
            },
            Family::Decimal if texts => Self::DecimalText,
            Family::Decimal => Self::Decimal,
            Family::Float if ty.base == T::Single => Self::Single,
            Family::Float => Self::Float,
            Family::Binary => Self::Bytes,
            Family::Date => Self::Date,
            Family::Time => Self::Time,
            Family::DateTime => Self::DateTime,
            Family::DateTimeOffset => Self::DateTimeOffset,
            Family::Guid => Self::Uuid,
            Family::Json => Self::Json,
            Family::Text => Self::Text,
            _ => Self::Value(Some(ty), int64),
        }
    }

    pub(super) fn write(&self, row: &dyn Row, index: usize, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Bool => or_null(row.bool(index)?, out, |value, out| write(&value, out)),
            Self::Int => or_null(row.i64(index)?, out, |value, out| write(&value, out)),
            Self::UInt => or_null(row.u64(index)?, out, |value, out| write(&value, out)),
            Self::IntText => or_null(row.i64(index)?, out, |value, out| quoted(out, |out| write(&value, out))),
            Self::UIntText => or_null(row.u64(index)?, out, |value, out| quoted(out, |out| write(&value, out))),
            Self::Decimal => or_null(row.decimal(index)?, out, put),
            Self::DecimalText => or_null(row.decimal(index)?, out, |value, out| quoted(out, |out| put(value, out))),
            Self::Float => or_null(row.f64(index)?, out, float),
            Self::Single => or_null(row.f64(index)?, out, single),
            Self::Text => or_null(row.text(index)?, out, write),
            Self::Bytes => or_null(row.bytes(index)?, out, |value, out| write(&to_base64(value), out)),
            Self::Date => or_null(row.date(index)?, out, |value, out| quoted(out, |out| date(value, out))),
            Self::Time => or_null(row.time(index)?, out, |value, out| quoted(out, |out| time(value, out))),
            Self::DateTime => {
                or_null(row.datetime(index)?, out, |value, out| quoted(out, |out| datetime(value, out)));
            }
            Self::DateTimeOffset => {
                or_null(row.datetime_offset(index)?, out, |value, out| quoted(out, |out| datetime_offset(value, out)));
            }
            Self::Uuid => or_null(row.uuid(index)?, out, |value, out| quoted(out, |out| put(value.hyphenated(), out))),
            Self::Json => or_null(row.json(index)?, out, document),
            Self::Members(members) => or_null(row.i64(index)?, out, |value, out| {
                match members.iter().find(|(number, _)| *number == value) {
                    Some((_, name)) => out.extend_from_slice(name),
                    // A set of flags, or what no member has.
                    None => write(&value, out),
                }
            }),
            Self::Value(ty, int64) => value(&row.value(index, *ty)?, *ty, *int64, out),
        }
        Ok(())
    }
}

/// A value whose kind is not known before.
fn value(value: &Value, ty: Option<DbType>, int64: Int64, out: &mut Vec<u8>) {
    let texts = int64 == Int64::String;
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => write(value, out),
        Value::Int(value) if texts => quoted(out, |out| write(value, out)),
        Value::Int(value) => write(value, out),
        Value::UInt(value) if texts => quoted(out, |out| write(value, out)),
        Value::UInt(value) => write(value, out),
        Value::Decimal(value) if texts => quoted(out, |out| put(value, out)),
        Value::Decimal(value) => put(value, out),
        Value::Float(value) if ty.is_some_and(|ty| ty.base == T::Single) => single(*value, out),
        Value::Float(value) => float(*value, out),
        Value::Text(text) => write(text.as_str(), out),
        Value::Bytes(bytes) => write(&to_base64(bytes), out),
        Value::TimeSpan(span) => quoted(out, |out| put(span, out)),
        Value::Json(text) => document(text, out),
        Value::List(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                self::value(item, ty, int64, out);
            }
            out.push(b']');
        }
        other => {
            out.push(b'"');
            if plain(other, out) {
                out.push(b'"');
            } else {
                // No engine gives others.
                out.pop();
                out.extend_from_slice(b"null");
            }
        }
    }
}

fn or_null<V>(value: Option<V>, out: &mut Vec<u8>, write: impl FnOnce(V, &mut Vec<u8>)) {
    match value {
        Some(value) => write(value, out),
        None => out.extend_from_slice(b"null"),
    }
}

/// What JSON has a form for.
fn write<V: Serialize + ?Sized>(value: &V, out: &mut Vec<u8>) {
    // Writing to a `Vec` cannot fail, and these values are always written.
    let _ = serde_json::to_writer(out, value);
}

/// A text that needs no escaping, in quotes.
fn quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    write(out);
    out.push(b'"');
}

/// A float of 32 bits has digits of its own: as one of 64, 0.1 is 0.10000000149011612.
#[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant, and an overflow is looked for")]
fn single(value: f64, out: &mut Vec<u8>) {
    match value as f32 {
        nearest if nearest.is_finite() => write(&nearest, out),
        // Infinite, or one that an engine without floats of 32 bits has stored.
        _ => float(value, out),
    }
}

/// JSON has no NaN and no infinity: they are texts.
fn float(value: f64, out: &mut Vec<u8>) {
    match value {
        _ if value.is_finite() => write(&value, out),
        _ if value.is_nan() => out.extend_from_slice(b"\"NaN\""),
        _ if value > 0.0 => out.extend_from_slice(b"\"Infinity\""),
        _ => out.extend_from_slice(b"\"-Infinity\""),
    }
}

/// A document as it is, on one line; what is none is a text.
fn document(text: &str, out: &mut Vec<u8>) {
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return write(text, out);
    }
    // Outside of its texts alone, as these have none.
    out.extend(text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
}

/// Writes rows as an array.
#[derive(Debug)]
pub(crate) struct JsonArray {
    row: Arc<JsonRow>,
    first: bool,
}

impl JsonArray {
    pub(crate) fn new(row: Arc<JsonRow>) -> Self {
        Self { row, first: true }
    }
}

impl RowWriter for JsonArray {
    fn content_type(&self) -> &'static str {
        "application/json"
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        out.push(b'[');
    }

    fn row(&mut self, row: &dyn Row, out: &mut Vec<u8>) -> Result<()> {
        if !std::mem::take(&mut self.first) {
            out.push(b',');
        }
        self.row.write(row, out)
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.push(b']');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_of_32_bits_has_its_own_digits() {
        let text = |number: f64, ty: DbType| {
            let mut out = Vec::new();
            value(&vec![Value::Float(number)].into(), Some(ty), Int64::Number, &mut out);
            String::from_utf8(out).unwrap()
        };
        let stored = f64::from(0.1_f32);
        assert_eq!(text(stored, DbType::array_of(T::Single)), "[0.1]");
        assert_eq!(text(stored, DbType::array_of(T::Double)), "[0.10000000149011612]");
        for (number, expected) in
            [(1e39, "[1e+39]"), (f64::NAN, "[\"NaN\"]"), (f64::NEG_INFINITY, "[\"-Infinity\"]"), (-0.0, "[-0.0]")]
        {
            assert_eq!(text(number, DbType::array_of(T::Single)), expected);
        }
    }
}
