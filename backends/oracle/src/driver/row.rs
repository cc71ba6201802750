//! Rows of the server, in the crate's own memory; and rows of what `RETURNING` has filled.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Kind, Result, Row};
use oracle::SqlValue;
use oracle::sql_type::{FromSql, InnerValue, IntervalDS, Timestamp};
use uuid::Uuid;

use super::error::error;
use super::value::{moment, span};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cell<'c> {
    Null,
    Bool(bool),
    Int(i64),
    /// A number in digits.
    Number(&'c str),
    Double(f64),
    Single(f32),
    Text(&'c str),
    Bytes(&'c [u8]),
    At(Timestamp),
    Span(IntervalDS),
    Other,
}

/// The columns of a row, wherever they lie.
pub(super) trait Cells {
    fn count(&self) -> usize;
    fn name(&self, index: usize) -> Option<&str>;
    /// The column; nothing where there is none.
    fn cell(&self, index: usize) -> Option<Result<Cell<'_>>>;
}

/// A row.
pub(super) struct OracleRow<C>(pub(super) C);

impl Cells for &oracle::Row {
    fn count(&self) -> usize {
        self.sql_values().len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.column_info().get(index).map(oracle::ColumnInfo::name)
    }

    fn cell(&self, index: usize) -> Option<Result<Cell<'_>>> {
        self.sql_values().get(index).map(|value| cell(value).map_err(error))
    }
}

fn cell<'v>(value: &'v SqlValue<'_>) -> oracle::Result<Cell<'v>> {
    if value.is_null()? {
        return Ok(Cell::Null);
    }
    Ok(match value.as_inner_value()? {
        InnerValue::Boolean(truth) => Cell::Bool(truth),
        InnerValue::Int64(number) => Cell::Int(number),
        InnerValue::Number(digits) => Cell::Number(digits),
        InnerValue::Double(number) => Cell::Double(number),
        InnerValue::Float(number) => Cell::Single(number),
        InnerValue::Char(bytes) => std::str::from_utf8(bytes).map_or(Cell::Bytes(bytes), Cell::Text),
        InnerValue::Raw(bytes) => Cell::Bytes(bytes),
        InnerValue::Timestamp(_) => Cell::At(value.get()?),
        InnerValue::IntervalDS(_) => Cell::Span(value.get()?),
        _ => Cell::Other,
    })
}

/// A value that is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kept {
    Number(String),
    Text(String),
    Bytes(Vec<u8>),
    Plain(Cell<'static>),
}

impl FromSql for Kept {
    fn from_sql(value: &SqlValue<'_>) -> oracle::Result<Self> {
        Ok(match cell(value)? {
            Cell::Number(digits) => Self::Number(digits.to_owned()),
            Cell::Text(text) => Self::Text(text.to_owned()),
            Cell::Bytes(bytes) => Self::Bytes(bytes.to_owned()),
            Cell::Null => Self::Plain(Cell::Null),
            Cell::Bool(truth) => Self::Plain(Cell::Bool(truth)),
            Cell::Int(number) => Self::Plain(Cell::Int(number)),
            Cell::Double(number) => Self::Plain(Cell::Double(number)),
            Cell::Single(number) => Self::Plain(Cell::Single(number)),
            Cell::At(at) => Self::Plain(Cell::At(at)),
            Cell::Span(span) => Self::Plain(Cell::Span(span)),
            Cell::Other => Self::Plain(Cell::Other),
        })
    }
}

impl Kept {
    fn cell(&self) -> Cell<'_> {
        match self {
            Self::Number(digits) => Cell::Number(digits),
            Self::Text(text) => Cell::Text(text),
            Self::Bytes(bytes) => Cell::Bytes(bytes),
            Self::Plain(cell) => *cell,
        }
    }
}

/// A row of outputs: the values of one place in each.
pub(super) struct Returned<'r> {
    pub(super) names: &'r [String],
    pub(super) columns: &'r [Vec<Kept>],
    pub(super) place: usize,
}

impl Cells for Returned<'_> {
    fn count(&self) -> usize {
        self.columns.len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.names.get(index).map(String::as_str)
    }

    fn cell(&self, index: usize) -> Option<Result<Cell<'_>>> {
        let column = self.columns.get(index)?;
        Some(match column.get(self.place) {
            Some(kept) => Ok(kept.cell()),
            None => Err(Error::new(ErrorKind::Other, "an output has fewer values than rows were written")),
        })
    }
}

impl<C: Cells> OracleRow<C> {
    fn column(&self, index: usize) -> Result<Cell<'_>> {
        self.0.cell(index).unwrap_or_else(|| Err(self.missing(index)))
    }

    /// A column; NULL is none.
    fn read<'r, V>(
        &'r self,
        index: usize,
        wanted: &str,
        read: impl FnOnce(Cell<'r>) -> Option<V>,
    ) -> Result<Option<V>> {
        match self.column(index)? {
            Cell::Null => Ok(None),
            cell => read(cell).map(Some).ok_or_else(|| self.bad(index, wanted)),
        }
    }
}

/// A whole number of any length.
fn whole(digits: &str) -> Option<i128> {
    let number = digits.parse::<Decimal>().ok()?.normalize();
    (number.scale() == 0).then(|| number.mantissa())
}

impl<C: Cells> Row for OracleRow<C> {
    fn len(&self) -> usize {
        self.0.count()
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.0.name(index)
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        Ok(match self.column(index)? {
            Cell::Null => Kind::Null,
            Cell::Bool(_) => Kind::Bool,
            Cell::Int(_) => Kind::Int,
            Cell::Number(_) => Kind::Decimal,
            Cell::Double(_) | Cell::Single(_) => Kind::Float,
            Cell::Text(_) => Kind::Text,
            Cell::Bytes(_) => Kind::Bytes,
            Cell::At(at) if at.with_tz() => Kind::DateTimeOffset,
            Cell::At(_) => Kind::DateTime,
            Cell::Span(_) => Kind::Time,
            Cell::Other => Kind::Other,
        })
    }

    /// A BOOLEAN, or a NUMBER that is 1 or 0.
    fn bool(&self, index: usize) -> Result<Option<bool>> {
        self.read(index, "a truth value: 1 or 0", |cell| match cell {
            Cell::Bool(truth) => Some(truth),
            Cell::Int(0) => Some(false),
            Cell::Int(1) => Some(true),
            Cell::Number(digits) => match whole(digits)? {
                0 => Some(false),
                1 => Some(true),
                _ => None,
            },
            _ => None,
        })
    }

    fn i64(&self, index: usize) -> Result<Option<i64>> {
        self.read(index, "a whole number", |cell| match cell {
            Cell::Int(number) => Some(number),
            Cell::Number(digits) => i64::try_from(whole(digits)?).ok(),
            _ => None,
        })
    }

    fn u64(&self, index: usize) -> Result<Option<u64>> {
        self.read(index, "a whole number that is not negative", |cell| match cell {
            Cell::Int(number) => u64::try_from(number).ok(),
            Cell::Number(digits) => u64::try_from(whole(digits)?).ok(),
            _ => None,
        })
    }

    #[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
    fn f64(&self, index: usize) -> Result<Option<f64>> {
        self.read(index, "a number", |cell| match cell {
            Cell::Double(number) => Some(number),
            Cell::Single(number) => Some(number.into()),
            Cell::Int(number) => Some(number as f64),
            Cell::Number(digits) => digits.parse().ok(),
            _ => None,
        })
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        self.read(index, "a decimal of at most 38 digits", |cell| match cell {
            Cell::Int(number) => Some(Decimal::from(number)),
            Cell::Number(digits) => digits.parse().ok(),
            // The shortest text that reads as the same number again.
            Cell::Double(number) => number.to_string().parse().ok(),
            Cell::Single(number) => number.to_string().parse().ok(),
            _ => None,
        })
    }

    fn text(&self, index: usize) -> Result<Option<&str>> {
        self.read(index, "text", |cell| match cell {
            Cell::Text(text) => Some(text),
            _ => None,
        })
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        self.read(index, "bytes", |cell| match cell {
            Cell::Bytes(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// A DATE at midnight.
    fn date(&self, index: usize) -> Result<Option<NaiveDate>> {
        self.read(index, "a date: a DATE at midnight", |cell| match cell {
            Cell::At(at) if !at.with_tz() => {
                moment(&at).filter(|moment| moment.time() == NaiveTime::MIN).map(|moment| moment.date())
            }
            _ => None,
        })
    }

    /// An interval of less than a day.
    fn time(&self, index: usize) -> Result<Option<NaiveTime>> {
        self.read(index, "a time: an interval from 0 to less than a day", |cell| match cell {
            Cell::Span(interval) => match NaiveTime::MIN.overflowing_add_signed(span(&interval)) {
                (time, 0) => Some(time),
                _ => None,
            },
            _ => None,
        })
    }

    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        self.read(index, "a date and time", |cell| match cell {
            Cell::At(at) if !at.with_tz() => moment(&at),
            _ => None,
        })
    }

    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>> {
        self.read(index, "a date and time with an offset", |cell| match cell {
            Cell::At(at) if at.with_tz() => {
                moment(&at)?.and_local_timezone(FixedOffset::east_opt(at.tz_offset())?).single()
            }
            _ => None,
        })
    }

    /// A RAW of 16 bytes, or the text of one.
    fn uuid(&self, index: usize) -> Result<Option<Uuid>> {
        self.read(index, "a UUID", |cell| match cell {
            Cell::Bytes(bytes) => Uuid::from_slice(bytes).ok(),
            Cell::Text(text) => Uuid::parse_str(text).ok(),
            _ => None,
        })
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        Ok(match self.column(index)? {
            Cell::Null => Value::Null,
            Cell::Bool(truth) => truth.into(),
            Cell::Int(number) => number.into(),
            Cell::Number(_) => self.decimal(index)?.into(),
            Cell::Double(number) => number.into(),
            Cell::Single(number) => f64::from(number).into(),
            Cell::Text(text) => text.into(),
            Cell::Bytes(bytes) => bytes.into(),
            Cell::At(at) if at.with_tz() => self.datetime_offset(index)?.into(),
            Cell::At(_) => self.datetime(index)?.into(),
            Cell::Span(interval) => Value::TimeSpan(span(&interval)),
            Cell::Other => return Err(self.bad(index, "a value of the tree")),
        })
    }
}

#[cfg(test)]
#[path = "../../../driver/testing/decoding.rs"]
mod decoding;

#[cfg(test)]
mod tests {
    use isogloss_compiler::expr::DbValueType as T;

    use super::super::value::{Binder, Data};
    use super::*;

    /// A row of what parameters would come back as.
    fn with(kept: Kept, test: impl FnOnce(&dyn Row)) {
        let (names, columns) = (["C".to_owned()], [vec![kept]]);
        test(&OracleRow(Returned { names: &names, columns: &columns, place: 0 }));
    }

    fn back(value: impl Into<Value>) -> Kept {
        let binder = Binder { booleans: false, value_bytes: 1 << 20 };
        let bind = binder.bind(&value.into(), None).unwrap();
        match bind.data {
            Data::Null => Kept::Plain(Cell::Null),
            Data::Bool(truth) => Kept::Plain(Cell::Bool(truth)),
            Data::Int(number) => Kept::Plain(Cell::Int(number)),
            Data::Number(digits) => Kept::Number(digits),
            Data::Double(number) => Kept::Plain(Cell::Double(number)),
            Data::Text(text) => Kept::Text(text),
            Data::Bytes(bytes) => Kept::Bytes(bytes),
            Data::At(at) => Kept::Plain(Cell::At(at)),
            Data::Span(span) => Kept::Plain(Cell::Span(span)),
        }
    }

    #[test]
    fn what_is_sent_is_read() {
        let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        let there = DateTime::parse_from_rfc3339("2024-02-29T23:59:58.5-03:30").unwrap();
        let time = NaiveTime::from_hms_micro_opt(23, 59, 58, 7).unwrap();
        let uuid = Uuid::from_u128(7);
        with(back(true), |row| assert_eq!(row.bool(0).unwrap(), Some(true)));
        with(back(u64::MAX), |row| assert_eq!(row.u64(0).unwrap(), Some(u64::MAX)));
        with(back(day), |row| assert_eq!(row.date(0).unwrap(), Some(day)));
        with(back(time), |row| assert_eq!(row.time(0).unwrap(), Some(time)));
        with(back(day.and_time(time)), |row| assert_eq!(row.datetime(0).unwrap(), Some(day.and_time(time))));
        with(back(there), |row| assert_eq!(row.datetime_offset(0).unwrap(), Some(there)));
        with(back(uuid), |row| assert_eq!(row.uuid(0).unwrap(), Some(uuid)));
        with(back(uuid), |row| assert_eq!(row.value(0, Some(T::Guid.into())).unwrap(), uuid.into()));
        with(back(Value::Json("[1]".into())), |row| assert_eq!(row.json(0).unwrap(), Some("[1]")));
        with(back(""), |row| assert_eq!((row.text(0).unwrap(), row.kind(0).unwrap()), (None, Kind::Null)));
    }

    #[test]
    fn a_number_is_read_as_what_it_is_asked_for() {
        let number = |text: &str| Kept::Number(text.into());
        with(number("42"), |row| {
            assert_eq!((row.i64(0).unwrap(), row.f64(0).unwrap()), (Some(42), Some(42.0)));
            assert_eq!(row.value(0, None).unwrap(), 42.into());
        });
        with(number("1"), |row| assert_eq!(row.bool(0).unwrap(), Some(true)));
        with(number("-0.5"), |row| {
            assert_eq!(row.decimal(0).unwrap(), Some("-0.5".parse().unwrap()));
            let error = row.i64(0).unwrap_err();
            assert_eq!(error.to_string(), "cannot decode: column `C` (index 0) holds a decimal, not a whole number");
        });
        with(number("7"), |row| assert!(row.text(0).is_err() && row.i64(1).is_err()));
    }

    /// Every type of the server, asked as every type.
    #[test]
    fn a_cell_is_its_value_in_the_type_that_is_asked_or_an_error() {
        use super::decoding::{Truth, check, decimals, floats, number, text, whole_numbers};
        let mut cells = Vec::new();
        for whole in whole_numbers() {
            if let Ok(small) = i64::try_from(whole) {
                cells.push((Kept::Plain(Cell::Int(small)), number(whole)));
            }
        }
        let long = [40, 126].map(|zeros| format!("1{}", "0".repeat(zeros)));
        for digits in decimals().into_iter().chain(long).chain(["9".repeat(38), "9".repeat(39)]) {
            cells.push((Kept::Number(digits.clone()), number(digits)));
        }
        for float in floats().into_iter().chain([f64::NAN, f64::INFINITY]) {
            cells.push((Kept::Plain(Cell::Double(float)), Truth::Double(float)));
            #[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant")]
            let single = float as f32;
            cells.push((Kept::Plain(Cell::Single(single)), Truth::Single(single)));
        }
        for word in ["12abc", "1.5", "2024-02-29", "00000000-0000-0000-0000-000000001234", "abcdefghijklmnop"] {
            cells.push((Kept::Text(word.into()), text(word)));
        }
        cells.push((back(true), number(1)));
        cells.push((Kept::Plain(Cell::Bool(true)), Truth::Bool(true)));
        cells.push((Kept::Bytes(b"abcdefghijklmnop".into()), Truth::Bytes(b"abcdefghijklmnop".into())));
        cells.push((Kept::Plain(Cell::Other), Truth::Nothing));
        cells.push((Kept::Plain(Cell::Null), Truth::Null));
        // 1 BC is the year 0.
        for day in ["0000-12-31", "-0043-03-15", "-4711-01-01", "0001-01-01", "1582-10-04", "2024-02-29", "9999-12-31"]
        {
            let day: NaiveDate = day.parse().unwrap();
            // Each DATE has a time of day.
            cells.push((back(day), Truth::DateTime(day.and_time(NaiveTime::MIN))));
            let at = day.and_hms_micro_opt(23, 59, 59, 999_999).unwrap();
            cells.push((back(at), Truth::DateTime(at)));
            let there = at.and_local_timezone(FixedOffset::east_opt(-12_600).unwrap()).unwrap();
            cells.push((back(there), Truth::Instant(there)));
        }
        for hours in [-24, -1, 0, 23, 24, 1_000] {
            let length = chrono::TimeDelta::hours(hours);
            cells.push((back(Value::TimeSpan(length)), Truth::Span(length)));
        }
        let mut wrong = Vec::new();
        for (kept, truth) in cells {
            let made = format!("{kept:?}");
            with(kept, |row| wrong.extend(check(row, 0, &truth).into_iter().map(|wrong| format!("{made}: {wrong}"))));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn a_date_with_a_time_is_no_date() {
        let noon = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap().and_hms_opt(12, 0, 0).unwrap();
        with(back(noon), |row| {
            assert!(row.date(0).is_err());
            assert_eq!(row.kind(0).unwrap(), Kind::DateTime);
        });
        with(Kept::Plain(Cell::Span(IntervalDS::new(1, 0, 0, 0, 0).unwrap())), |row| assert!(row.time(0).is_err()));
    }
}
