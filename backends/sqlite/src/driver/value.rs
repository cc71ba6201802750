//! Values as SQLite stores them, and back. The forms are those that the dialect's texts reckon with.

use std::fmt::Write as _;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Kind, Result, Row};
use rusqlite::types::ValueRef;
use uuid::Uuid;

use super::text;

/// A parameter as SQLite binds it; text and bytes are borrowed, from the parameter or from `scratch`. The forms are
/// those of [`stored`](crate::stored).
///
/// # Errors
/// For what SQLite has no room for, and for what is over `most` bytes long.
pub(crate) fn bound<'p>(value: &'p Value, scratch: &'p mut String, most: usize) -> Result<ValueRef<'p>> {
    let bad = |what: String| Err(Error::new(ErrorKind::BadValue, what));
    let sized = |bytes: &'p [u8]| match bytes.len() {
        len if len > most => Err(Error::new(ErrorKind::BadValue, format!("a value has {len} bytes, over {most}"))),
        _ => Ok(bytes),
    };
    scratch.clear();
    match value {
        Value::Null => return Ok(ValueRef::Null),
        Value::Bool(truth) => return Ok(ValueRef::Integer((*truth).into())),
        Value::Int(number) => return Ok(ValueRef::Integer(*number)),
        Value::UInt(number) => return bad(format!("{number}: SQLite's whole numbers have 63 bits")),
        Value::Float(number) if number.is_nan() => return bad("NaN: SQLite stores NULL for it".into()),
        Value::Float(number) if number.is_infinite() => {
            return bad(format!("{number}: the dialect has no infinities on SQLite"));
        }
        Value::Float(number) => return Ok(ValueRef::Real(*number)),
        Value::Decimal(number) => {
            let double = number.to_f64();
            if double.to_string().parse::<Decimal>().is_ok_and(|same| same == **number) {
                return Ok(ValueRef::Real(double));
            }
            return bad(format!("{number}: SQLite's numbers have 15 digits"));
        }
        Value::Text(text) => return Ok(ValueRef::Text(sized(text.as_bytes())?)),
        Value::Json(text) => return Ok(ValueRef::Text(sized(text.as_bytes())?)),
        Value::Bytes(bytes) => return Ok(ValueRef::Blob(sized(bytes)?)),
        Value::Time(time) => text::push_time(scratch, *time),
        Value::Date(_) | Value::DateTime(_) | Value::DateTimeOffset(_) => {
            if push_date_time(scratch, value).is_none() {
                return bad(format!("{value}: SQLite's dates are those of the years 0 to 9999"));
            }
        }
        _ => match value.word() {
            // Writing to a text does not fail.
            Some(word) => drop(write!(scratch, "{word}")),
            None => return bad(format!("SQLite has nothing for a {}", value.kind())),
        },
    }
    Ok(ValueRef::Text(scratch.as_bytes()))
}

fn push_date_time(out: &mut String, value: &Value) -> Option<()> {
    let (at, offset) = match value {
        Value::Date(date) => return text::push_date(out, *date),
        Value::DateTime(at) => (*at, ""),
        Value::DateTimeOffset(at) => (at.naive_utc(), "+00:00"),
        _ => return None,
    };
    text::push_date(out, at.date())?;
    out.push(' ');
    text::push_time(out, at.time());
    out.push_str(offset);
    Some(())
}

/// A row: what its columns hold, wherever that lies.
pub(crate) struct SqliteRow<C>(pub(crate) C);

/// The columns of a row: of a statement that stands on it, or of one that was kept.
pub(crate) trait Columns {
    fn get(&self, index: usize) -> Option<ValueRef<'_>>;
    fn name(&self, index: usize) -> Option<&str>;
    fn count(&self) -> usize;
}

impl Columns for &rusqlite::Row<'_> {
    #[inline]
    fn get(&self, index: usize) -> Option<ValueRef<'_>> {
        self.get_ref(index).ok()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.as_ref().column_name(index).ok()
    }

    fn count(&self) -> usize {
        self.as_ref().column_count()
    }
}

impl<C: Columns> SqliteRow<C> {
    /// A column's text, as another type.
    fn parsed<V>(&self, index: usize, wanted: &str, parse: impl FnOnce(&str) -> Option<V>) -> Result<Option<V>> {
        match self.column(index)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) => {
                let value = std::str::from_utf8(bytes).ok().and_then(parse);
                value.map(Some).ok_or_else(|| self.bad(index, wanted))
            }
            _ => Err(self.bad(index, wanted)),
        }
    }

    #[inline]
    fn column(&self, index: usize) -> Result<ValueRef<'_>> {
        self.0.get(index).ok_or_else(|| self.missing(index))
    }
}

impl<C: Columns> Row for SqliteRow<C> {
    fn len(&self) -> usize {
        self.0.count()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.0.name(index)
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        Ok(match self.column(index)? {
            ValueRef::Null => Kind::Null,
            ValueRef::Integer(_) => Kind::Int,
            ValueRef::Real(_) => Kind::Float,
            ValueRef::Text(_) => Kind::Text,
            ValueRef::Blob(_) => Kind::Bytes,
        })
    }

    fn bool(&self, index: usize) -> Result<Option<bool>> {
        match self.column(index)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(0) => Ok(Some(false)),
            ValueRef::Integer(1) => Ok(Some(true)),
            _ => Err(self.bad(index, "a truth value: 0 or 1")),
        }
    }

    #[inline]
    fn i64(&self, index: usize) -> Result<Option<i64>> {
        match self.column(index)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => Ok(Some(number)),
            _ => Err(self.bad(index, "a whole number")),
        }
    }

    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
    fn f64(&self, index: usize) -> Result<Option<f64>> {
        match self.column(index)? {
            ValueRef::Null => Ok(None),
            ValueRef::Real(number) => Ok(Some(number)),
            ValueRef::Integer(number) => Ok(Some(number as f64)),
            _ => Err(self.bad(index, "a number")),
        }
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        let wanted = "a decimal";
        match self.column(index)? {
            ValueRef::Integer(number) => Ok(Some(Decimal::from(number))),
            // The shortest text that reads as the double again is what was stored.
            ValueRef::Real(number) => number.to_string().parse().map(Some).map_err(|_| self.bad(index, wanted)),
            _ => self.parsed(index, wanted, |text| text.parse().ok()),
        }
    }

    #[inline]
    fn text(&self, index: usize) -> Result<Option<&str>> {
        match self.column(index)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes).map(Some).map_err(|_| self.bad(index, "text in UTF-8")),
            _ => Err(self.bad(index, "text")),
        }
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        match self.column(index)? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(bytes) => Ok(Some(bytes)),
            _ => Err(self.bad(index, "bytes")),
        }
    }

    fn date(&self, index: usize) -> Result<Option<NaiveDate>> {
        self.parsed(index, "a date without a time of day", text::day)
    }

    fn time(&self, index: usize) -> Result<Option<NaiveTime>> {
        self.parsed(index, "a time", text::time)
    }

    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        self.parsed(index, "a date and time", text::date_time)
    }

    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>> {
        self.parsed(index, "a date and time with an offset", |text| {
            let (at, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
            let offset: FixedOffset = offset.parse().ok()?;
            text::date_time(at)?.and_local_timezone(offset).single()
        })
    }

    fn uuid(&self, index: usize) -> Result<Option<Uuid>> {
        match self.column(index)? {
            ValueRef::Blob(bytes) => Uuid::from_slice(bytes).map(Some).map_err(|_| self.bad(index, "a UUID")),
            _ => self.parsed(index, "a UUID", |text| Uuid::parse_str(text).ok()),
        }
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        Ok(match self.column(index)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => Value::Int(number),
            ValueRef::Real(number) => Value::Float(number),
            ValueRef::Text(_) => self.text(index)?.into(),
            ValueRef::Blob(bytes) => bytes.into(),
        })
    }
}
