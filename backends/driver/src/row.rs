//! A row in the driver's own memory.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use uuid::Uuid;

use crate::decode::single;
use crate::{Error, ErrorKind, Result};

/// A row that a connection is giving out. It borrows from the driver, and is gone with the next one.
///
/// Each method reads a column, counted from 0, as a type; `None` is NULL. A driver takes every spelling that its
/// engine has for the type (SQLite keeps a date as text), and an error says what the column holds instead.
pub trait Row {
    /// How many columns it has.
    fn len(&self) -> usize;

    /// Whether it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The name of a column.
    fn name(&self, index: usize) -> Option<&str>;

    /// What a column holds, as far as the engine tells.
    ///
    /// # Errors
    /// There is no such column.
    fn kind(&self, index: usize) -> Result<Kind>;

    /// A truth value.
    ///
    /// # Errors
    /// There is no such column, or it holds something else; so for all that follow.
    fn bool(&self, index: usize) -> Result<Option<bool>>;

    /// A whole number.
    #[allow(missing_docs, clippy::missing_errors_doc, reason = "as above")]
    fn i64(&self, index: usize) -> Result<Option<i64>>;

    /// A whole number that is not negative.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn u64(&self, index: usize) -> Result<Option<u64>> {
        match self.i64(index)? {
            Some(n) => u64::try_from(n).map(Some).map_err(|_| self.bad(index, "a whole number that is not negative")),
            None => Ok(None),
        }
    }

    /// A number that is not exact: the double that is nearest to an exact one, whole ones over 2^53 among them. One that is
    /// larger than any double does not fit.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn f64(&self, index: usize) -> Result<Option<f64>>;

    /// An exact number.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn decimal(&self, index: usize) -> Result<Option<Decimal>>;

    /// Text.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn text(&self, index: usize) -> Result<Option<&str>>;

    /// Bytes.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn bytes(&self, index: usize) -> Result<Option<&[u8]>>;

    /// A date.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn date(&self, index: usize) -> Result<Option<NaiveDate>>;

    /// A time of day.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn time(&self, index: usize) -> Result<Option<NaiveTime>>;

    /// A date and time without an offset.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>>;

    /// A date and time with its offset from UTC.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>>;

    /// A UUID.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn uuid(&self, index: usize) -> Result<Option<Uuid>>;

    /// The text of a JSON document.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn json(&self, index: usize) -> Result<Option<&str>> {
        self.text(index)
    }

    /// The column as a value of the tree, of the type that the engine says.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn own_value(&self, index: usize) -> Result<Value>;

    /// The column as a value of the tree, of a type that is known of it.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn typed_value(&self, index: usize, ty: DbType) -> Result<Value> {
        Ok(match ty.base {
            _ if ty.array => match self.own_value(index)? {
                list @ (Value::Null | Value::List(_)) => list,
                _ => return Err(self.bad(index, "an array")),
            },
            T::Boolean => self.bool(index)?.into(),
            T::Date => self.date(index)?.into(),
            T::Time => self.time(index)?.into(),
            T::DateTime | T::DateTime2 => self.datetime(index)?.into(),
            T::DateTimeOffset => self.datetime_offset(index)?.into(),
            T::Guid => self.uuid(index)?.into(),
            T::Binary => self.bytes(index)?.into(),
            T::Json | T::Jsonb => self.json(index)?.map_or(Value::Null, |text| Value::Json(text.into())),
            T::UInt64 => self.u64(index)?.into(),
            base if base.is_decimal() => self.decimal(index)?.into(),
            base if base.is_float() => match self.f64(index)? {
                Some(number) => float_number(base, number).ok_or_else(|| self.bad(index, base.name()))?,
                None => Value::Null,
            },
            base if base.is_integer() => match self.i64(index)? {
                Some(number) => whole_number(base, number.into()).ok_or_else(|| self.bad(index, base.name()))?,
                None => Value::Null,
            },
            base if base.is_text() => self.text(index)?.into(),
            _ => self.own_value(index)?,
        })
    }

    /// The column as a value of the tree, of the type that is known of it, else of the engine's.
    #[allow(clippy::missing_errors_doc, reason = "as above")]
    fn value(&self, index: usize, ty: Option<DbType>) -> Result<Value> {
        match ty {
            Some(ty) => self.typed_value(index, ty),
            None => self.own_value(index),
        }
    }

    /// The error for a column that does not hold what is asked for.
    fn bad(&self, index: usize, wanted: &str) -> Error {
        let name = self.name(index).unwrap_or("?");
        let holds = self.kind(index).map_or("nothing", Kind::title);
        Error::new(ErrorKind::Decode, format!("column {index} `{name}` holds {holds}, not {wanted}"))
    }

    /// The error for a column that is not there.
    fn missing(&self, index: usize) -> Error {
        let count = self.len();
        Error::new(ErrorKind::Decode, format!("there is no column {index}: the row has {count}, counted from 0"))
    }
}

/// A whole number as a value of a type of whole numbers; nothing where it is out of the type's range.
#[must_use]
pub fn whole_number(ty: T, number: i128) -> Option<Value> {
    let signed = |fits: bool| i64::try_from(number).ok().filter(|_| fits).map(Value::Int);
    match ty {
        T::SByte => signed(i8::try_from(number).is_ok()),
        T::Byte => signed(u8::try_from(number).is_ok()),
        T::Int16 => signed(i16::try_from(number).is_ok()),
        T::UInt16 => signed(u16::try_from(number).is_ok()),
        T::Int32 => signed(i32::try_from(number).is_ok()),
        T::UInt32 => signed(u32::try_from(number).is_ok()),
        T::Int64 => signed(true),
        T::UInt64 => u64::try_from(number).ok().map(Value::from),
        _ => None,
    }
}

/// A number as a value of a type of floats; nothing where it is out of the type's range. A single one keeps its digits.
#[must_use]
pub fn float_number(ty: T, number: f64) -> Option<Value> {
    let fits = ty != T::Single || single(number).is_some();
    fits.then_some(Value::Float(number))
}

/// What a column holds.
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
    /// What a message calls it.
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
