//! Values as MySQL and MariaDB store them, and back. The forms are those that the dialect's texts reckon with.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike, Utc};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Kind, Result, Row};
use mysql_async::Value as Sent;
use mysql_async::consts::ColumnType as C;
use uuid::Uuid;

/// A date and time as text, as computed ones come.
const DATE_TIME: &str = "%Y-%m-%d %H:%M:%S%.f";
const TIME: &str = "%H:%M:%S%.f";

/// The character set of what is bytes, not text.
const BINARY: u16 = 63;

/// A parameter as it is sent.
///
/// # Errors
/// For what the engines have no room for, and for what is over `most` bytes long.
pub(crate) fn bound(value: &Value, ty: Option<DbType>, most: usize) -> Result<Sent> {
    let bad = |what: String| Err(Error::new(ErrorKind::BadValue, what));
    let sized = |bytes: &[u8]| too_long(bytes.len(), most).map(|()| Sent::Bytes(bytes.to_vec()));
    Ok(match value {
        Value::Null => Sent::NULL,
        Value::Bool(truth) => Sent::Int((*truth).into()),
        Value::Int(number) => Sent::Int(*number),
        Value::UInt(number) => Sent::UInt(*number),
        Value::Float(number) if !number.is_finite() => {
            return bad(format!("{number}: MySQL and MariaDB have no NaN and no infinities"));
        }
        Value::Float(number) => float(*number, ty),
        Value::Decimal(number) => Sent::Bytes(number.to_string().into_bytes()),
        Value::Text(text) => return sized(text.as_bytes()),
        Value::Json(text) => return sized(text.as_bytes()),
        Value::Bytes(bytes) => return sized(bytes),
        Value::Date(date) => return dated(date.and_time(NaiveTime::MIN)),
        Value::Time(time) => of_clock(*time),
        Value::TimeSpan(span) => timed(*span)?,
        Value::DateTime(at) => return dated(*at),
        Value::DateTimeOffset(at) => return dated(at.naive_utc()),
        other => match other.word() {
            Some(word) => Sent::Bytes(word.to_string().into_bytes()),
            None => return bad(format!("MySQL and MariaDB have nothing for a {}", other.kind())),
        },
    })
}

/// The error for a value of more bytes than may be.
pub(crate) fn too_long(bytes: usize, most: usize) -> Result<()> {
    if bytes <= most {
        return Ok(());
    }
    Err(Error::new(ErrorKind::BadValue, format!("a value has {bytes} bytes, over {most}")))
}

/// A double; what meets a column of single floats is one, else it would equal none of them.
#[allow(clippy::cast_possible_truncation, reason = "the nearest single float is meant")]
fn float(number: f64, ty: Option<DbType>) -> Sent {
    let single = number as f32;
    let is_single = ty.is_some_and(|ty| ty.base == T::Single && !ty.array) && single.is_finite();
    if is_single { Sent::Float(single) } else { Sent::Double(number) }
}

/// A date and time, to the microsecond.
fn dated(at: NaiveDateTime) -> Result<Sent> {
    let small = |part: u32| u8::try_from(part).unwrap_or(u8::MAX);
    match u16::try_from(at.year()) {
        Ok(year @ 1..=9999) => {
            let (month, day) = (small(at.month()), small(at.day()));
            let (hour, minute, second) = (small(at.hour()), small(at.minute()), small(at.second()));
            Ok(Sent::Date(year, month, day, hour, minute, second, micros(at.nanosecond())))
        }
        _ => Err(Error::new(ErrorKind::BadValue, format!("{at}: MySQL and MariaDB have the years 1 to 9999"))),
    }
}

/// A leap second, which has more than 1,000,000, is the last one of its minute.
fn micros(nanos: u32) -> u32 {
    (nanos / 1000).min(999_999)
}

/// A time of day.
fn of_clock(time: NaiveTime) -> Sent {
    let part = |part: u32| u8::try_from(part).unwrap_or(u8::MAX);
    Sent::Time(false, 0, part(time.hour()), part(time.minute()), part(time.second()), micros(time.nanosecond()))
}

/// A span of time: some 35 days either way.
fn timed(span: TimeDelta) -> Result<Sent> {
    const MOST: TimeDelta = TimeDelta::seconds(838 * 3600 + 59 * 60 + 59);
    let length = span.abs();
    if length > MOST {
        return Err(Error::new(ErrorKind::BadValue, format!("{span}: a TIME has 838:59:59 at most")));
    }
    let part = |part: i64| u8::try_from(part).unwrap_or(u8::MAX);
    let days = u32::try_from(length.num_days()).unwrap_or(u32::MAX);
    let (hours, minutes) = (part(length.num_hours() % 24), part(length.num_minutes() % 60));
    let seconds = part(length.num_seconds() % 60);
    let micros = micros(u32::try_from(length.subsec_nanos()).unwrap_or(0));
    Ok(Sent::Time(span < TimeDelta::zero(), days, hours, minutes, seconds, micros))
}

/// The number in 38 digits, where those that are too many stand after the point: an average has up to 38 of them there,
/// whatever stands before it.
fn rounded(digits: &str) -> Option<Decimal> {
    const MOST: usize = 38;
    let (whole, fraction) = digits.split_once('.')?;
    let kept = MOST.checked_sub(whole.trim_start_matches(['-', '0']).len())?;
    let (fraction, rest) = fraction.split_at_checked(kept)?;
    let number: Decimal = format!("{whole}.{fraction}").parse().ok()?;
    let up = match rest.bytes().next() {
        Some(b'5'..) if digits.starts_with('-') => -1,
        Some(b'5'..) => 1,
        _ => 0,
    };
    Decimal::new(number.mantissa() + up, number.scale()).ok()
}

/// A row as the driver holds it.
pub(crate) struct MySqlRow<'r>(pub(crate) &'r mysql_async::Row);

impl MySqlRow<'_> {
    #[inline]
    fn column(&self, index: usize) -> Result<&Sent> {
        self.0.as_ref(index).ok_or_else(|| self.missing(index))
    }

    fn ty(&self, index: usize) -> C {
        self.0.columns_ref().get(index).map_or(C::MYSQL_TYPE_NULL, mysql_async::Column::column_type)
    }

    /// The text of a column that is a text, or of a number that has more digits than a machine's.
    fn digits(&self, index: usize) -> Option<&str> {
        match self.column(index) {
            Ok(Sent::Bytes(bytes)) if !self.is_bits(index) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    fn is_bits(&self, index: usize) -> bool {
        self.ty(index) == C::MYSQL_TYPE_BIT
    }

    /// Whether it is no table's column.
    fn is_computed(&self, index: usize) -> bool {
        self.0.columns_ref().get(index).is_some_and(|column| column.org_table_ref().is_empty())
    }

    fn is_decimal(&self, index: usize) -> bool {
        matches!(self.ty(index), C::MYSQL_TYPE_DECIMAL | C::MYSQL_TYPE_NEWDECIMAL)
    }

    /// A column's text, as another type.
    fn parsed<V>(&self, index: usize, wanted: &str, parse: impl FnOnce(&str) -> Option<V>) -> Result<Option<V>> {
        let parsed = match self.kind(index)? {
            Kind::Text | Kind::Bytes => self.digits(index).and_then(parse),
            _ => None,
        };
        parsed.map(Some).ok_or_else(|| self.bad(index, wanted))
    }

    /// A whole number, which may stand in a decimal (a SUM is one) or in bits.
    pub(super) fn whole(&self, index: usize, wanted: &str) -> Result<Option<i128>> {
        let number = match self.column(index)? {
            Sent::NULL => return Ok(None),
            Sent::Int(number) => Some((*number).into()),
            Sent::UInt(number) => Some((*number).into()),
            Sent::Bytes(bits) if self.is_bits(index) && bits.len() <= 8 => {
                Some(bits.iter().fold(0, |number, byte| number << 8 | i128::from(*byte)))
            }
            Sent::Bytes(_) if self.is_decimal(index) => self.digits(index).and_then(|digits| {
                let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
                fraction.bytes().all(|digit| digit == b'0').then(|| whole.parse().ok())?
            }),
            _ => None,
        };
        number.map(Some).ok_or_else(|| self.bad(index, wanted))
    }

    /// A date and time of the engine's own type; `None` is another type.
    fn moment(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        let Sent::Date(year, month, day, hour, minute, second, micros) = *self.column(index)? else { return Ok(None) };
        let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
        let at = date.and_then(|date| date.and_hms_micro_opt(hour.into(), minute.into(), second.into(), micros));
        // `0000-00-00`, and days that no month has.
        at.map(Some).ok_or_else(|| self.bad(index, "a day that there is"))
    }

    /// A span of time; `None` is another type.
    fn span(&self, index: usize) -> Result<Option<TimeDelta>> {
        let Sent::Time(negative, days, hours, minutes, seconds, micros) = *self.column(index)? else {
            return Ok(None);
        };
        let seconds = ((i64::from(days) * 24 + i64::from(hours)) * 60 + i64::from(minutes)) * 60 + i64::from(seconds);
        let span = micros
            .checked_mul(1000)
            .and_then(|nanos| TimeDelta::new(seconds, nanos))
            .ok_or_else(|| self.bad(index, "a span of time"))?;
        Ok(Some(if negative { -span } else { span }))
    }
}

impl MySqlRow<'_> {
    /// A TIME; one that is no time of a day is a span.
    fn time_value(&self, index: usize) -> Result<Value> {
        Ok(match self.span(index)? {
            Some(span) => of_day(span).map_or(Value::TimeSpan(span), Value::Time),
            None => self.time(index)?.into(),
        })
    }
}

impl Row for MySqlRow<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn name(&self, index: usize) -> Option<&str> {
        std::str::from_utf8(self.0.columns_ref().get(index)?.name_ref()).ok()
    }

    fn kind(&self, index: usize) -> Result<Kind> {
        if *self.column(index)? == Sent::NULL {
            return Ok(Kind::Null);
        }
        Ok(match self.ty(index) {
            C::MYSQL_TYPE_TINY | C::MYSQL_TYPE_SHORT | C::MYSQL_TYPE_INT24 | C::MYSQL_TYPE_LONG => Kind::Int,
            C::MYSQL_TYPE_LONGLONG | C::MYSQL_TYPE_YEAR | C::MYSQL_TYPE_BIT => Kind::Int,
            C::MYSQL_TYPE_FLOAT | C::MYSQL_TYPE_DOUBLE => Kind::Float,
            C::MYSQL_TYPE_DECIMAL | C::MYSQL_TYPE_NEWDECIMAL => Kind::Decimal,
            C::MYSQL_TYPE_DATE | C::MYSQL_TYPE_NEWDATE => Kind::Date,
            C::MYSQL_TYPE_TIME | C::MYSQL_TYPE_TIME2 => Kind::Time,
            C::MYSQL_TYPE_DATETIME | C::MYSQL_TYPE_DATETIME2 => Kind::DateTime,
            C::MYSQL_TYPE_TIMESTAMP | C::MYSQL_TYPE_TIMESTAMP2 => Kind::DateTime,
            C::MYSQL_TYPE_JSON => Kind::Json,
            C::MYSQL_TYPE_GEOMETRY => Kind::Other,
            _ => match self.0.columns_ref().get(index).map(mysql_async::Column::character_set) {
                Some(BINARY) => Kind::Bytes,
                _ => Kind::Text,
            },
        })
    }

    #[inline]
    fn bool(&self, index: usize) -> Result<Option<bool>> {
        if let Sent::Int(number @ (0 | 1)) = self.column(index)? {
            return Ok(Some(*number == 1));
        }
        let wanted = "a truth value: 0 or 1";
        match self.whole(index, wanted)? {
            None => Ok(None),
            Some(0) => Ok(Some(false)),
            Some(1) => Ok(Some(true)),
            Some(_) => Err(self.bad(index, wanted)),
        }
    }

    #[inline]
    fn i64(&self, index: usize) -> Result<Option<i64>> {
        if let Sent::Int(number) = self.column(index)? {
            return Ok(Some(*number));
        }
        let wanted = "a whole number of 64 bits";
        let number = self.whole(index, wanted)?;
        number.map(|number| i64::try_from(number).map_err(|_| self.bad(index, wanted))).transpose()
    }

    fn u64(&self, index: usize) -> Result<Option<u64>> {
        let wanted = "a whole number that is not negative";
        let number = self.whole(index, wanted)?;
        number.map(|number| u64::try_from(number).map_err(|_| self.bad(index, wanted))).transpose()
    }

    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "a double is asked for")]
    fn f64(&self, index: usize) -> Result<Option<f64>> {
        Ok(Some(match self.column(index)? {
            Sent::NULL => return Ok(None),
            Sent::Double(number) => *number,
            Sent::Float(number) => (*number).into(),
            Sent::Int(number) => *number as f64,
            Sent::UInt(number) => *number as f64,
            Sent::Bytes(_) if self.is_decimal(index) => {
                let number = self.digits(index).and_then(|digits| digits.parse().ok());
                number.ok_or_else(|| self.bad(index, "a number"))?
            }
            Sent::Bytes(_) if self.is_bits(index) => match self.whole(index, "a number")? {
                Some(number) => number as f64,
                None => return Ok(None),
            },
            _ => return Err(self.bad(index, "a number")),
        }))
    }

    fn decimal(&self, index: usize) -> Result<Option<Decimal>> {
        let wanted = "a decimal of up to 38 digits";
        let number = match self.column(index)? {
            Sent::NULL => return Ok(None),
            Sent::Int(number) => Some(Decimal::from(*number)),
            // The shortest text that reads as the float again.
            Sent::Float(number) => number.to_string().parse().ok(),
            Sent::Double(number) => number.to_string().parse().ok(),
            Sent::Bytes(_) if self.is_decimal(index) => self.digits(index).and_then(|digits| {
                // A column has its 30 digits of a fraction whatever the number.
                let digits = if digits.contains('.') { digits.trim_end_matches('0') } else { digits };
                digits.parse().ok().or_else(|| if self.is_computed(index) { rounded(digits) } else { None })
            }),
            Sent::Bytes(_) if matches!(self.kind(index)?, Kind::Text | Kind::Bytes) => {
                self.digits(index).and_then(|text| text.parse().ok())
            }
            _ => self.whole(index, wanted)?.and_then(|number| Decimal::new(number, 0).ok()),
        };
        number.map(Some).ok_or_else(|| self.bad(index, wanted))
    }

    #[inline]
    fn text(&self, index: usize) -> Result<Option<&str>> {
        match self.column(index)? {
            Sent::NULL => Ok(None),
            Sent::Bytes(bytes) => match self.ty(index) {
                C::MYSQL_TYPE_DECIMAL | C::MYSQL_TYPE_NEWDECIMAL | C::MYSQL_TYPE_BIT | C::MYSQL_TYPE_GEOMETRY => {
                    Err(self.bad(index, "text"))
                }
                // A computed text may be of no character set.
                _ => std::str::from_utf8(bytes).map(Some).map_err(|_| self.bad(index, "text in UTF-8")),
            },
            _ => Err(self.bad(index, "text")),
        }
    }

    fn bytes(&self, index: usize) -> Result<Option<&[u8]>> {
        match self.column(index)? {
            Sent::NULL => Ok(None),
            Sent::Bytes(bytes) if !self.is_decimal(index) && !self.is_bits(index) => Ok(Some(bytes)),
            _ => Err(self.bad(index, "bytes")),
        }
    }

    fn date(&self, index: usize) -> Result<Option<NaiveDate>> {
        let wanted = "a date without a time of day";
        match self.moment(index)? {
            Some(at) => day(at).map(Some).ok_or_else(|| self.bad(index, wanted)),
            None if *self.column(index)? == Sent::NULL => Ok(None),
            None => self.parsed(index, wanted, |text| day(datetime(text)?)),
        }
    }

    fn time(&self, index: usize) -> Result<Option<NaiveTime>> {
        match self.span(index)? {
            Some(span) => of_day(span).map(Some).ok_or_else(|| self.bad(index, "a time of one day")),
            None if *self.column(index)? == Sent::NULL => Ok(None),
            None => self.parsed(index, "a time", |text| NaiveTime::parse_from_str(text, TIME).ok()),
        }
    }

    fn datetime(&self, index: usize) -> Result<Option<NaiveDateTime>> {
        match self.moment(index)? {
            Some(at) => Ok(Some(at)),
            None if *self.column(index)? == Sent::NULL => Ok(None),
            None => self.parsed(index, "a date and time", datetime),
        }
    }

    /// Stored in UTC.
    fn datetime_offset(&self, index: usize) -> Result<Option<DateTime<FixedOffset>>> {
        match self.moment(index)? {
            Some(at) => Ok(Some(DateTime::<Utc>::from_naive_utc_and_offset(at, Utc).fixed_offset())),
            None if *self.column(index)? == Sent::NULL => Ok(None),
            None => self.parsed(index, "a date and time with an offset", |text| {
                let (at, offset) = text.split_at_checked(text.len().checked_sub(6)?)?;
                match offset.parse::<FixedOffset>() {
                    Ok(offset) => datetime(at)?.and_local_timezone(offset).single(),
                    Err(_) => Some(DateTime::<Utc>::from_naive_utc_and_offset(datetime(text)?, Utc).fixed_offset()),
                }
            }),
        }
    }

    fn uuid(&self, index: usize) -> Result<Option<Uuid>> {
        match self.column(index)? {
            Sent::NULL => Ok(None),
            Sent::Bytes(bytes) if bytes.len() == 16 && self.kind(index)? == Kind::Bytes => {
                Ok(Uuid::from_slice(bytes).ok())
            }
            _ => self.parsed(index, "a UUID", |text| Uuid::parse_str(text).ok()),
        }
    }

    fn own_value(&self, index: usize) -> Result<Value> {
        Ok(match self.kind(index)? {
            Kind::Int => match self.u64(index) {
                Ok(Some(number)) if number > i64::MAX.unsigned_abs() => Value::UInt(number),
                _ => self.i64(index)?.into(),
            },
            Kind::Float => self.f64(index)?.into(),
            Kind::Decimal => self.decimal(index)?.into(),
            Kind::Date => self.date(index)?.into(),
            Kind::Time => self.time_value(index)?,
            Kind::DateTime => self.datetime(index)?.into(),
            Kind::Json => self.typed_value(index, T::Json.into())?,
            Kind::Text => self.text(index)?.into(),
            Kind::Null => Value::Null,
            _ => self.bytes(index)?.into(),
        })
    }

    fn value(&self, index: usize, ty: Option<DbType>) -> Result<Value> {
        match ty {
            Some(ty) if ty.base == T::Time && !ty.array => self.time_value(index),
            Some(ty) => self.typed_value(index, ty),
            None => self.own_value(index),
        }
    }
}

/// The date of a moment that is a midnight.
fn day(at: NaiveDateTime) -> Option<NaiveDate> {
    (at.time() == NaiveTime::MIN).then(|| at.date())
}

/// The time of day after so much of it.
fn of_day(span: TimeDelta) -> Option<NaiveTime> {
    let seconds = u32::try_from(span.num_seconds()).ok()?;
    NaiveTime::from_num_seconds_from_midnight_opt(seconds, u32::try_from(span.subsec_nanos()).ok()?)
}

/// A date and time with a blank or `T` between; without a time it is midnight.
fn datetime(text: &str) -> Option<NaiveDateTime> {
    if text.len() == 10 {
        return text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0);
    }
    let blank = NaiveDateTime::parse_from_str(text, DATE_TIME);
    blank.or_else(|_| NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also one that comes here as it is.
    #[test]
    fn a_leap_second_is_the_last_microsecond_before_it() {
        let leap = NaiveTime::from_hms_nano_opt(23, 59, 59, 1_500_000_000).unwrap();
        let at = NaiveDate::from_ymd_opt(2016, 12, 31).unwrap().and_time(leap);
        let sent = |value| bound(&value, None, 100).unwrap();
        assert_eq!(sent(Value::Time(leap)), Sent::Time(false, 0, 23, 59, 59, 999_999));
        assert_eq!(sent(Value::DateTime(at)), Sent::Date(2016, 12, 31, 23, 59, 59, 999_999));
    }

    #[test]
    fn digits_that_are_too_many_are_rounded_behind_the_point() {
        let nines = "9".repeat(38);
        for (digits, expected) in [
            ("35785.7093069373487496638881419736488303", Some("35785.709306937348749663888141973648830")),
            ("-0.00000000000000000000000000000000000015", Some("-0.00000000000000000000000000000000000015")),
            ("-12345678.0000000000000000000000000000015", Some("-12345678.000000000000000000000000000002")),
            (&format!("{nines}.4"), Some(&nines)),
            (&format!("{nines}.5"), None),
            (&format!("1{nines}.5"), None),
            (&format!("1{nines}"), None),
        ] {
            let expected = expected.map(|text| text.parse::<Decimal>().unwrap());
            assert_eq!(rounded(digits), expected, "{digits}");
        }
    }
}
