//! Rows of values.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{DbValueType as T, Decimal, Value};
use isogloss_compiler::model::coerce;
use isogloss_driver::{Error, Kind, Result, Row};
use uuid::Uuid;

/// A recorded row, whose values convert as those of engines do: a text with a date in it is read as a date, say.
pub(crate) struct RecordedRow<'r> {
    pub(crate) columns: &'r [String],
    pub(crate) values: &'r [Value],
}

/// Reads a value as a type; `None` is NULL.
macro_rules! reads {
    ($($method:ident -> $of:ty, $ty:ident, $wanted:literal, $pattern:pat => $value:expr;)*) => {$(
        fn $method(&self, index: usize) -> Result<Option<$of>> {
            match &*coerce(self.at(index)?, T::$ty.into(), None).map_err(|_| self.bad(index, $wanted))? {
                Value::Null => Ok(None),
                $pattern => Ok(Some($value)),
                _ => Err(self.bad(index, $wanted)),
            }
        }
    )*};
}

impl RecordedRow<'_> {
    fn at(&self, index: usize) -> Result<&Value> {
        self.values.get(index).ok_or_else(|| self.missing(index))
    }
}

impl Row for RecordedRow<'_> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.columns.get(index).map(String::as_str)
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        Ok(match self.at(index)? {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Bool,
            Value::Int(_) | Value::UInt(_) => Kind::Int,
            Value::Float(_) => Kind::Float,
            Value::Decimal(_) => Kind::Decimal,
            Value::Text(_) => Kind::Text,
            Value::Bytes(_) => Kind::Bytes,
            Value::Date(_) => Kind::Date,
            Value::Time(_) => Kind::Time,
            Value::DateTime(_) => Kind::DateTime,
            Value::DateTimeOffset(_) => Kind::DateTimeOffset,
            Value::Uuid(_) => Kind::Uuid,
            Value::Json(_) => Kind::Json,
            Value::List(_) => Kind::Array,
            _ => Kind::Other,
        })
    }

    reads! {
        bool -> bool, Boolean, "a truth value", Value::Bool(truth) => *truth;
        i64 -> i64, Int64, "a whole number", Value::Int(number) => *number;
        f64 -> f64, Double, "a float", Value::Float(number) => *number;
        date -> NaiveDate, Date, "a date", Value::Date(date) => *date;
        time -> NaiveTime, Time, "a time", Value::Time(time) => *time;
        datetime -> NaiveDateTime, DateTime2, "a date and time", Value::DateTime(time) => *time;
        datetime_offset -> DateTime<FixedOffset>, DateTimeOffset, "a date and time with an offset", Value::DateTimeOffset(time) => *time;
        uuid -> Uuid, Guid, "a UUID", Value::Uuid(id) => *id;
    }

    fn u64(&self, index: usize) -> Result<Option<u64>> {
        let bad = || self.bad(index, "a whole number that is not negative");
        match &*coerce(self.at(index)?, T::UInt64.into(), None).map_err(|_| bad())? {
            Value::Null => Ok(None),
            Value::UInt(number) => Ok(Some(*number)),
            Value::Int(number) => u64::try_from(*number).map(Some).map_err(|_| bad()),
            _ => Err(bad()),
        }
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        let bad = || self.bad(index, "a decimal");
        match &*coerce(self.at(index)?, T::Decimal.into(), None).map_err(|_| bad())? {
            Value::Null => Ok(None),
            Value::Decimal(number) => Ok(Some(**number)),
            Value::Int(number) => Ok(Some(Decimal::from(*number))),
            Value::UInt(number) => Ok(Some(Decimal::from(*number))),
            _ => Err(bad()),
        }
    }

    fn text(&self, index: usize) -> Result<Option<&str>> {
        match self.at(index)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text)),
            Value::Json(text) => Ok(Some(text)),
            _ => Err(self.bad(index, "text")),
        }
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        match self.at(index)? {
            Value::Null => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes)),
            _ => Err(self.bad(index, "bytes")),
        }
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        self.at(index).cloned()
    }
}

/// The rows of an answer that have more or fewer values than it has columns.
pub(crate) fn uneven(columns: &[String], rows: &[Vec<Value>]) -> Option<Error> {
    let (at, row) = rows.iter().enumerate().find(|(_, row)| row.len() != columns.len())?;
    let message =
        format!("row {} of the recorded answer has {} values for {} columns", at + 1, row.len(), columns.len());
    Some(Error::new(isogloss_driver::ErrorKind::Decode, message))
}
