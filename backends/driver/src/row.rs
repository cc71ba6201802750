//! Rows in the driver's own memory.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Family, Value};
use isogloss_compiler::model::coerce;
use uuid::Uuid;

use crate::decode::single;
use crate::{Error, ErrorKind, Result};

/// A row of a result, borrowed from the driver until the next row is read.
///
/// Each method reads a column as a type. Columns are counted from 0, and `None` is NULL. A driver accepts every
/// representation that its engine has for the type (SQLite stores a date as text). If a column holds something else,
/// the error says what.
pub trait Row {
    /// The number of columns.
    fn len(&self) -> usize;

    /// Whether the row has no columns.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a column; `None` if there is no such column.
    fn name(&self, index: usize) -> Option<&str>;

    /// The kind of value that a column holds, as far as the engine reports it.
    ///
    /// # Errors
    /// The column does not exist.
    fn kind(&self, index: usize) -> Result<Kind>;

    /// Reads a boolean.
    ///
    /// # Errors
    /// The column does not exist, or holds something else. This applies to all methods that follow.
    fn bool(&self, index: usize) -> Result<Option<bool>>;

    /// Reads a whole number.
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    fn i64(&self, index: usize) -> Result<Option<i64>>;

    /// Reads a whole number that is not negative.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn u64(&self, index: usize) -> Result<Option<u64>> {
        match self.i64(index)? {
            Some(n) => u64::try_from(n).map(Some).map_err(|_| self.bad(index, "a whole number that is not negative")),
            None => Ok(None),
        }
    }

    /// Reads a floating-point number. A number that it cannot represent exactly, such as a whole number over 2^53, is
    /// rounded to the nearest one. A number larger than any double is an error.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn f64(&self, index: usize) -> Result<Option<f64>>;

    /// Reads an exact decimal number.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn decimal(&self, index: usize) -> Result<Option<Decimal>>;

    /// Reads a text.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn text(&self, index: usize) -> Result<Option<&str>>;

    /// Reads bytes.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn bytes(&self, index: usize) -> Result<Option<&[u8]>>;

    /// Reads a date.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn date(&self, index: usize) -> Result<Option<NaiveDate>>;

    /// Reads a time of day.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn time(&self, index: usize) -> Result<Option<NaiveTime>>;

    /// Reads a date and time without an offset.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>>;

    /// Reads a date and time with its offset from UTC.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>>;

    /// Reads a UUID.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn uuid(&self, index: usize) -> Result<Option<Uuid>>;

    /// Reads a JSON document, as its text.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn json(&self, index: usize) -> Result<Option<&str>> {
        self.text(index)
    }

    /// Reads a column as a [`Value`], of the type that the engine reports.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn own_value(&self, index: usize) -> Result<Value>;

    /// Reads a column as a [`Value`] of a known type.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn typed_value(&self, index: usize, ty: DbType) -> Result<Value> {
        Ok(match ty.base.family() {
            _ if ty.array => match self.own_value(index)? {
                list @ (Value::Null | Value::List(_)) => list,
                _ => return Err(self.bad(index, "an array")),
            },
            Family::Boolean => self.bool(index)?.into(),
            Family::Date => self.date(index)?.into(),
            Family::Time => self.time(index)?.into(),
            Family::DateTime => self.datetime(index)?.into(),
            Family::DateTimeOffset => self.datetime_offset(index)?.into(),
            Family::Guid => self.uuid(index)?.into(),
            Family::Binary => self.bytes(index)?.into(),
            Family::Json => self.json(index)?.map_or(Value::Null, |text| Value::Json(text.into())),
            Family::Decimal => self.decimal(index)?.into(),
            Family::Float => match self.f64(index)? {
                Some(number) => float_number(ty.base, number).ok_or_else(|| self.bad(index, ty.base.name()))?,
                None => Value::Null,
            },
            Family::Integer if ty.base == T::UInt64 => self.u64(index)?.into(),
            Family::Integer => match self.i64(index)? {
                Some(number) => whole_number(ty.base, number.into()).ok_or_else(|| self.bad(index, ty.base.name()))?,
                None => Value::Null,
            },
            Family::Text => self.text(index)?.into(),
            Family::Other => self.own_value(index)?,
            // What an engine has no type for, it has a text of.
            _ => match coerce(&self.own_value(index)?, ty, None) {
                Ok(value) => value.into_owned(),
                Err(_) => return Err(self.bad(index, ty.base.name())),
            },
        })
    }

    /// Reads a column as a [`Value`] of the type `ty` if it is known, else of the type that the engine reports.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn value(&self, index: usize, ty: Option<DbType>) -> Result<Value> {
        match ty {
            Some(ty) => self.typed_value(index, ty),
            None => self.own_value(index),
        }
    }

    /// The error for a column that does not hold what is wanted.
    fn bad(&self, index: usize, wanted: &str) -> Error {
        let name = self.name(index).unwrap_or("?");
        let holds = self.kind(index).map_or("nothing", Kind::title);
        Error::new(ErrorKind::Decode, format!("column `{name}` (index {index}) holds {holds}, not {wanted}"))
    }

    /// The error for a column that does not exist.
    fn missing(&self, index: usize) -> Error {
        let count = self.len();
        Error::new(
            ErrorKind::Decode,
            format!("there is no column of index {index}: the row has {count}, the first of index 0"),
        )
    }
}

/// A whole number as a [`Value`] of an integer type; `None` if it is out of the type's range.
#[must_use]
pub fn whole_number(ty: T, number: i128) -> Option<Value> {
    if !ty.holds(number) {
        return None;
    }
    i64::try_from(number).map(Value::Int).or_else(|_| u64::try_from(number).map(Value::UInt)).ok()
}

/// A number as a [`Value`] of a floating-point type; `None` if it is out of the type's range. A `Single` keeps its
/// digits.
#[must_use]
pub fn float_number(ty: T, number: f64) -> Option<Value> {
    let fits = ty != T::Single || single(number).is_some();
    fits.then_some(Value::Float(number))
}

/// The kind of value that a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names say it all")]
pub enum Kind {
    Null,
    Bool,
    Int,
    Float,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    DateTime,
    DateTimeOffset,
    Uuid,
    Json,
    Array,
    Other,
}

impl Kind {
    /// The name of the kind in messages.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Null => "NULL",
            Self::Bool => "a truth value",
            Self::Int => "a whole number",
            Self::Float => "a float",
            Self::Decimal => "a decimal",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Date => "a date",
            Self::Time => "a time",
            Self::DateTime => "a date and time",
            Self::DateTimeOffset => "a date and time with an offset",
            Self::Uuid => "a UUID",
            Self::Json => "JSON",
            Self::Array => "an array",
            Self::Other => "a type of the engine's own",
        }
    }
}
