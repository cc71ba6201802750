//! Rows as DuckDB gives them.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use duckdb::Statement;
use duckdb::arrow::datatypes::DataType;
use duckdb::core::LogicalTypeId;
use duckdb::types::{TimeUnit, Value as Owned, ValueRef};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Kind, Result, Row};
use uuid::Uuid;

/// What is known of a column.
#[derive(Debug)]
pub(super) struct Column {
    name: String,
    shape: Shape,
}

/// What a value does not say of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    /// A date and time with an offset.
    Zoned,
    /// A text that is a UUID.
    Uuid,
    /// A time with an offset, which is none of the portable types.
    ZonedTime,
}

/// The columns of a statement that has been run.
pub(super) fn columns(statement: &Statement<'_>) -> Vec<Column> {
    let shape = |index: usize| match statement.column_logical_type(index).id() {
        LogicalTypeId::Uuid => Shape::Uuid,
        LogicalTypeId::TimestampTZ => Shape::Zoned,
        LogicalTypeId::TimeTZ => Shape::ZonedTime,
        // Of the items.
        LogicalTypeId::List => match statement.column_type(index) {
            DataType::List(item) if matches!(item.data_type(), DataType::Timestamp(_, Some(_))) => Shape::Zoned,
            _ => Shape::Plain,
        },
        _ => Shape::Plain,
    };
    let column = |(index, name)| Column { name, shape: shape(index) };
    statement.column_names().into_iter().enumerate().map(column).collect()
}

/// A row.
pub(super) struct DuckDbRow<'r> {
    pub(super) row: &'r duckdb::Row<'r>,
    pub(super) columns: &'r [Column],
}

impl DuckDbRow<'_> {
    fn column(&self, index: usize) -> Result<(ValueRef<'_>, Shape)> {
        let column = self.columns.get(index).ok_or_else(|| self.missing(index))?;
        Ok((self.row.get_ref(index).map_err(|_| self.missing(index))?, column.shape))
    }

    /// A column; NULL is none.
    fn read<'r, V>(
        &'r self,
        index: usize,
        wanted: &str,
        read: impl FnOnce(ValueRef<'r>, Shape) -> Option<V>,
    ) -> Result<Option<V>> {
        match self.column(index)? {
            (ValueRef::Null, _) => Ok(None),
            (value, shape) => read(value, shape).map(Some).ok_or_else(|| self.bad(index, wanted)),
        }
    }
}

/// A whole number of any length.
fn whole(value: ValueRef<'_>) -> Option<i128> {
    Some(match value {
        ValueRef::TinyInt(number) => number.into(),
        ValueRef::SmallInt(number) => number.into(),
        ValueRef::Int(number) => number.into(),
        ValueRef::BigInt(number) => number.into(),
        ValueRef::HugeInt(number) => number,
        ValueRef::UTinyInt(number) => number.into(),
        ValueRef::USmallInt(number) => number.into(),
        ValueRef::UInt(number) => number.into(),
        ValueRef::UBigInt(number) => number.into(),
        ValueRef::UHugeInt(number) => i128::try_from(number).ok()?,
        ValueRef::Decimal(number) => {
            let number = exact(number)?.normalize();
            if number.scale() != 0 {
                return None;
            }
            number.mantissa()
        }
        _ => return None,
    })
}

/// A decimal as the tree has it.
fn exact(number: duckdb::types::Decimal) -> Option<Decimal> {
    Decimal::new(number.value(), number.scale()).ok()
}

fn number(value: ValueRef<'_>) -> Option<Decimal> {
    match value {
        ValueRef::Decimal(number) => exact(number),
        // The shortest text that reads as the same number again.
        ValueRef::Double(number) => number.to_string().parse().ok(),
        ValueRef::Float(number) => number.to_string().parse().ok(),
        other => Decimal::new(whole(other)?, 0).ok(),
    }
}

#[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
fn double(value: ValueRef<'_>) -> Option<f64> {
    match value {
        ValueRef::Double(number) => Some(number),
        ValueRef::Float(number) => Some(number.into()),
        ValueRef::Decimal(number) => Some(exact(number)?.to_f64()),
        other => whole(other).map(|number| number as f64),
    }
}

/// Microseconds since 1970 as a date and time. An infinite one is none.
fn moment(unit: TimeUnit, number: i64) -> Option<DateTime<Utc>> {
    match unit {
        TimeUnit::Second => DateTime::from_timestamp(number, 0),
        TimeUnit::Millisecond => DateTime::from_timestamp_millis(number),
        TimeUnit::Microsecond => DateTime::from_timestamp_micros(number),
        TimeUnit::Nanosecond => Some(DateTime::from_timestamp_nanos(number)),
    }
}

fn date(days: i32) -> Option<NaiveDate> {
    DateTime::UNIX_EPOCH.date_naive().checked_add_signed(TimeDelta::days(days.into()))
}

fn time(unit: TimeUnit, number: i64) -> Option<NaiveTime> {
    let moment = moment(unit, number)?;
    (moment.date_naive() == DateTime::UNIX_EPOCH.date_naive()).then(|| moment.time())
}

fn text(value: ValueRef<'_>) -> Option<&str> {
    match value {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok(),
        ValueRef::Enum(..) => value.as_str().ok(),
        _ => None,
    }
}

/// A value of the tree; none where it has no such type.
fn value(found: &Owned, shape: Shape) -> Option<Value> {
    Some(match found {
        Owned::Null => Value::Null,
        Owned::Boolean(truth) => (*truth).into(),
        Owned::Float(number) => f64::from(*number).into(),
        Owned::Double(number) => (*number).into(),
        Owned::Decimal(number) => exact(*number)?.into(),
        Owned::Text(text) | Owned::Enum(text) if shape == Shape::Uuid => Uuid::parse_str(text).ok()?.into(),
        Owned::Text(text) | Owned::Enum(text) => text.as_str().into(),
        Owned::Blob(bytes) => bytes.as_slice().into(),
        Owned::Date32(days) => date(*days)?.into(),
        Owned::Time64(unit, number) if shape == Shape::Plain => time(*unit, *number)?.into(),
        Owned::Timestamp(unit, number) if shape == Shape::Zoned => moment(*unit, *number)?.fixed_offset().into(),
        Owned::Timestamp(unit, number) => moment(*unit, *number)?.naive_utc().into(),
        Owned::List(items) | Owned::Array(items) => {
            Value::List(items.iter().map(|item| value(item, shape)).collect::<Option<Vec<_>>>()?.into_iter().collect())
        }
        Owned::TinyInt(_)
        | Owned::SmallInt(_)
        | Owned::Int(_)
        | Owned::BigInt(_)
        | Owned::HugeInt(_)
        | Owned::UTinyInt(_)
        | Owned::USmallInt(_)
        | Owned::UInt(_)
        | Owned::UBigInt(_)
        | Owned::UHugeInt(_) => {
            let number = match found {
                Owned::TinyInt(number) => i128::from(*number),
                Owned::SmallInt(number) => i128::from(*number),
                Owned::Int(number) => i128::from(*number),
                Owned::BigInt(number) => i128::from(*number),
                Owned::HugeInt(number) => *number,
                Owned::UTinyInt(number) => i128::from(*number),
                Owned::USmallInt(number) => i128::from(*number),
                Owned::UInt(number) => i128::from(*number),
                Owned::UBigInt(number) => i128::from(*number),
                Owned::UHugeInt(number) => i128::try_from(*number).ok()?,
                _ => return None,
            };
            match (i64::try_from(number), u64::try_from(number)) {
                (Ok(small), _) => small.into(),
                (_, Ok(large)) => large.into(),
                _ => Decimal::new(number, 0).ok()?.into(),
            }
        }
        _ => return None,
    })
}

impl Row for DuckDbRow<'_> {
    fn len(&self) -> usize {
        self.columns.len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.columns.get(index).map(|column| &*column.name)
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        let (value, shape) = self.column(index)?;
        Ok(match value {
            ValueRef::Null => Kind::Null,
            ValueRef::Boolean(_) => Kind::Bool,
            ValueRef::Float(_) | ValueRef::Double(_) => Kind::Float,
            ValueRef::Decimal(_) => Kind::Decimal,
            ValueRef::Text(_) if shape == Shape::Uuid => Kind::Uuid,
            ValueRef::Text(_) | ValueRef::Enum(..) => Kind::Text,
            ValueRef::Blob(_) => Kind::Bytes,
            ValueRef::Date32(_) => Kind::Date,
            ValueRef::Time64(..) if shape == Shape::Plain => Kind::Time,
            ValueRef::Timestamp(..) if shape == Shape::Zoned => Kind::DateTimeOffset,
            ValueRef::Timestamp(..) => Kind::DateTime,
            ValueRef::List(..) | ValueRef::Array(..) => Kind::Array,
            other if whole(other).is_some() => Kind::Int,
            _ => Kind::Other,
        })
    }

    fn bool(&self, index: usize) -> Result<Option<bool>> {
        self.read(index, "a truth value", |value, _| match value {
            ValueRef::Boolean(truth) => Some(truth),
            _ => None,
        })
    }

    fn i64(&self, index: usize) -> Result<Option<i64>> {
        self.read(index, "a whole number", |value, _| i64::try_from(whole(value)?).ok())
    }

    fn u64(&self, index: usize) -> Result<Option<u64>> {
        self.read(index, "a whole number that is not negative", |value, _| u64::try_from(whole(value)?).ok())
    }

    fn f64(&self, index: usize) -> Result<Option<f64>> {
        self.read(index, "a number", |value, _| double(value))
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        self.read(index, "a decimal of at most 38 digits", |value, _| number(value))
    }

    fn text(&self, index: usize) -> Result<Option<&str>> {
        self.read(index, "text", |value, shape| text(value).filter(|_| shape != Shape::Uuid))
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        self.read(index, "bytes", |value, _| match value {
            ValueRef::Blob(bytes) => Some(bytes),
            _ => None,
        })
    }

    fn date(&self, index: usize) -> Result<Option<NaiveDate>> {
        self.read(index, "a date", |value, _| match value {
            ValueRef::Date32(days) => date(days),
            _ => None,
        })
    }

    fn time(&self, index: usize) -> Result<Option<NaiveTime>> {
        self.read(index, "a time", |value, shape| match value {
            ValueRef::Time64(unit, number) if shape == Shape::Plain => time(unit, number),
            _ => None,
        })
    }

    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        self.read(index, "a date and time", |value, shape| match value {
            ValueRef::Timestamp(unit, number) if shape == Shape::Plain => Some(moment(unit, number)?.naive_utc()),
            _ => None,
        })
    }

    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>> {
        self.read(index, "a date and time with an offset", |value, shape| match value {
            ValueRef::Timestamp(unit, number) if shape == Shape::Zoned => Some(moment(unit, number)?.fixed_offset()),
            _ => None,
        })
    }

    /// A UUID, or the text of one.
    fn uuid(&self, index: usize) -> Result<Option<Uuid>> {
        self.read(index, "a UUID", |value, _| Uuid::parse_str(text(value)?).ok())
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        let (found, shape) = self.column(index)?;
        value(&found.to_owned(), shape).ok_or_else(|| self.bad(index, "a value of the tree"))
    }
}
