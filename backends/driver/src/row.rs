//! A row in the driver's own memory.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use uuid::Uuid;

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

    /// A number that is not exact.
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
            _ if ty.array => self.own_value(index)?,
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
            base if base.is_float() => self.f64(index)?.into(),
            base if base.is_integer() => self.i64(index)?.into(),
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
