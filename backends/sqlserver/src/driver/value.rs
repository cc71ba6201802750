//! Values on their way to the server: what a parameter is declared as, and what is sent for it.

use std::borrow::Cow;

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{Error, ErrorKind, Result};
use tiberius::ColumnData;
use tiberius::numeric::Numeric;
use tiberius::time::{Date, DateTime2, DateTimeOffset, Time};

use crate::SqlServer;

/// The digits after the point of a second.
pub(super) const FINEST: u8 = 7;

/// The bytes of the longest varchar or varbinary, and the UTF-16 units of the longest nvarchar, that is no large object.
const SHORT: usize = 8_000;
const SHORT_WIDE: usize = 4_000;

/// What a parameter is declared as, and what is sent. The server turns one into the other.
pub(super) type Bound<'p> = (Cow<'static, str>, ColumnData<'p>);

/// A parameter of that type.
///
/// # Errors
/// [`ErrorKind::BadValue`] for what SQL Server has no room for, and for what is over `most` bytes long.
pub(super) fn bound(value: &Value, ty: Option<DbType>, most: usize) -> Result<Bound<'_>> {
    let base = ty.filter(|ty| !ty.array).map(|ty| ty.base);
    Ok(match value {
        // The wire has a NULL without a type, which turns into any.
        Value::Null => (null_type(base)?.into(), ColumnData::String(None)),
        Value::Bool(truth) => ("bit".into(), ColumnData::Bit(Some(*truth))),
        Value::Int(number) => whole(*number, base),
        Value::UInt(number) => ("decimal(20, 0)".into(), exact(i128::from(*number), 0)),
        Value::Float(number) => float(*number, base)?,
        Value::Decimal(decimal) => (decimal_type(decimal).into(), decimal_data(decimal)),
        Value::Text(text) => {
            let ansi = base.is_some_and(T::is_ansi);
            (text_type(sized(text.as_str(), most)?, ansi).into(), ColumnData::String(Some(Cow::Borrowed(text))))
        }
        Value::Json(text) => {
            (text_type(sized(&**text, most)?, false).into(), ColumnData::String(Some(Cow::Borrowed(text))))
        }
        Value::Bytes(bytes) => {
            let ty = if sized(&**bytes, most)?.len() <= SHORT { "varbinary(8000)" } else { "varbinary(max)" };
            (ty.into(), ColumnData::Binary(Some(Cow::Borrowed(bytes))))
        }
        Value::Date(day) => ("date".into(), ColumnData::Date(Some(date(*day)?))),
        Value::Time(at) => ("time(7)".into(), ColumnData::Time(Some(time(*at, FINEST)))),
        Value::TimeSpan(span) => ("time(7)".into(), ColumnData::Time(Some(time(time_of_day(*span)?, FINEST)))),
        Value::DateTime(at) => ("datetime2(7)".into(), ColumnData::DateTime2(Some(datetime(*at, FINEST)?))),
        Value::DateTimeOffset(at) => {
            ("datetimeoffset(7)".into(), ColumnData::DateTimeOffset(Some(datetime_offset(*at, FINEST)?)))
        }
        Value::Uuid(uuid) => ("uniqueidentifier".into(), ColumnData::Guid(Some(*uuid))),
        other => return Err(bad(format!("SQL Server has nothing for a {}", other.kind()))),
    })
}

/// The error for a value that cannot be sent.
pub(super) fn bad(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadValue, what)
}

/// A text or bytes that are not too long.
pub(super) fn sized<B: AsRef<[u8]> + ?Sized>(bytes: &B, most: usize) -> Result<&B> {
    match bytes.as_ref().len() {
        len if len > most => Err(bad(format!("a value has {len} bytes, over {most}"))),
        _ => Ok(bytes),
    }
}

/// What a NULL of that type is declared as. A decimal has one digit, as the type that several share has those of all.
fn null_type(base: Option<T>) -> Result<&'static str> {
    Ok(match base {
        None => "nvarchar(4000)",
        Some(T::Binary) => "varbinary(8000)",
        Some(T::Decimal | T::VarNumeric) => "decimal(1, 0)",
        Some(base) if base.is_ansi() => "varchar(8000)",
        Some(base) if base.is_text() || base.is_json() => "nvarchar(4000)",
        Some(base) => SqlServer::default().cast_type(base.into())?,
    })
}

/// A whole number as the type that it meets, or wider if that does not hold it.
fn whole(number: i64, base: Option<T>) -> Bound<'static> {
    let narrow = |name: &'static str, data: Option<ColumnData<'static>>| data.map(|data| (name.into(), data));
    let fitting = match base {
        Some(T::Byte) => narrow("tinyint", u8::try_from(number).ok().map(|n| ColumnData::U8(Some(n)))),
        Some(T::SByte | T::Int16) => narrow("smallint", i16::try_from(number).ok().map(|n| ColumnData::I16(Some(n)))),
        Some(T::UInt16 | T::Int32) => narrow("int", i32::try_from(number).ok().map(|n| ColumnData::I32(Some(n)))),
        Some(base) if base.is_decimal() => narrow("decimal(19, 0)", Some(exact(i128::from(number), 0))),
        _ => None,
    };
    fitting.unwrap_or(("bigint".into(), ColumnData::I64(Some(number))))
}

/// A double; beside a column of single precision a single, if it is one: the column would be compared as a double
/// otherwise, and no index on it would serve.
#[allow(clippy::cast_possible_truncation, reason = "looked at whether it is the same number")]
fn float(number: f64, base: Option<T>) -> Result<Bound<'static>> {
    if !number.is_finite() {
        return Err(bad(format!("{number}: SQL Server's float holds no NaN and no infinity")));
    }
    let single = number as f32;
    Ok(match base {
        Some(T::Single) if f64::from(single) == number => ("real".into(), ColumnData::F32(Some(single))),
        _ => ("float".into(), ColumnData::F64(Some(number))),
    })
}

fn exact(mantissa: i128, scale: u8) -> ColumnData<'static> {
    ColumnData::Numeric(Some(Numeric::new_with_scale(mantissa, scale)))
}

/// A decimal with the digits that it has: with more, a product of it would have too many.
fn decimal_type(decimal: &Decimal) -> String {
    let digits = decimal.mantissa().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
    // One before the point, if there is room for it: the wire has it, too.
    let whole = u32::from(decimal.scale()) + u32::from(decimal.scale() < 38);
    format!("decimal({}, {})", digits.max(whole), decimal.scale())
}

/// The wire's form of a decimal; with 38 digits after the point it has one too many, so that goes as text.
pub(super) fn decimal_data(decimal: &Decimal) -> ColumnData<'static> {
    match decimal.scale() {
        38.. => ColumnData::String(Some(decimal.to_string().into())),
        scale => exact(decimal.mantissa(), scale),
    }
}

/// As the dialect's constants: a varchar beside a varchar column, if the code page does not matter. A longer text is one
/// of any length, whatever a varchar has room for: in rows of VALUES and in lists where another one is an nvarchar, all
/// are, of 4,000 characters at most unless one has any length. No key of an index is as long.
fn text_type(text: &str, ansi: bool) -> &'static str {
    if ansi && text.is_ascii() {
        return if text.len() <= SHORT_WIDE { "varchar(8000)" } else { "varchar(max)" };
    }
    let short = text.len() <= SHORT_WIDE || text.encode_utf16().count() <= SHORT_WIDE;
    if short { "nvarchar(4000)" } else { "nvarchar(max)" }
}

/// A day of the years 1 to 9999.
pub(super) fn date(day: NaiveDate) -> Result<Date> {
    match u32::try_from(day.num_days_from_ce() - 1) {
        Ok(days) if day.year() <= 9_999 => Ok(Date::new(days)),
        _ => Err(bad(format!("{day}: SQL Server's dates are those of the years 1 to 9999"))),
    }
}

/// A time of day, with so many digits after the point of the second; finer ones are cut off.
pub(super) fn time(at: NaiveTime, scale: u8) -> Time {
    // A leap second is the last microsecond before it.
    let nanos = if at.nanosecond() < 1_000_000_000 { at.nanosecond() } else { 999_999_000 };
    let all = u64::from(at.num_seconds_from_midnight()) * 1_000_000_000 + u64::from(nanos);
    Time::new(all / 10_u64.pow(u32::from(9 - scale.min(9))), scale)
}

/// A span of less than a day, as SQL Server keeps spans.
pub(super) fn time_of_day(span: TimeDelta) -> Result<NaiveTime> {
    let (at, days) = NaiveTime::MIN.overflowing_add_signed(span);
    match days {
        0 => Ok(at),
        _ => Err(bad(format!("a span of {span}: SQL Server's time holds those from 0 to less than a day"))),
    }
}

/// A date and time.
pub(super) fn datetime(at: NaiveDateTime, scale: u8) -> Result<DateTime2> {
    Ok(DateTime2::new(date(at.date())?, time(at.time(), scale)))
}

/// A date and time with an offset of whole minutes, up to 14 hours. The wire has it in UTC.
pub(super) fn datetime_offset(at: DateTime<FixedOffset>, scale: u8) -> Result<DateTimeOffset> {
    let seconds = at.offset().local_minus_utc();
    match i16::try_from(seconds / 60) {
        Ok(minutes @ -840..=840) if seconds % 60 == 0 => {
            // Its own clock must show a year that there is, too.
            date(at.date_naive())?;
            Ok(DateTimeOffset::new(datetime(at.naive_utc(), scale)?, minutes))
        }
        _ => Err(bad(format!("{at}: SQL Server's offsets are whole minutes, up to 14 hours"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(value: impl Into<Value>, base: T) -> String {
        bound(&value.into(), Some(base.into()), 1 << 20).unwrap().0.into_owned()
    }

    #[test]
    fn a_parameter_is_declared_as_what_it_meets() {
        assert_eq!(declared("abc", T::AnsiString), "varchar(8000)");
        assert_eq!(declared("a".repeat(4_000), T::AnsiString), "varchar(8000)");
        assert_eq!(declared("a".repeat(4_001), T::AnsiString), "varchar(max)");
        assert_eq!(declared("ł", T::AnsiString), "nvarchar(4000)");
        assert_eq!(declared("abc", T::String), "nvarchar(4000)");
        assert_eq!(declared("é".repeat(4_000), T::String), "nvarchar(4000)");
        assert_eq!(declared("é".repeat(4_001), T::String), "nvarchar(max)");
        assert_eq!(declared(7, T::Int32), "int");
        assert_eq!(declared(i64::MAX, T::Int32), "bigint");
        assert_eq!(declared(-1, T::Byte), "bigint");
        assert_eq!(declared(7, T::Decimal), "decimal(19, 0)");
        assert_eq!(declared(0.5, T::Single), "real");
        assert_eq!(declared(0.1, T::Single), "float");
        assert_eq!(declared(Value::Null, T::DateTimeOffset), "datetimeoffset");
        assert_eq!(declared(Value::Null, T::Guid), "uniqueidentifier");
    }

    #[test]
    fn a_decimal_is_declared_with_its_digits() {
        let decimal = |text: &str| declared(text.parse::<Decimal>().unwrap(), T::Decimal);
        assert_eq!(decimal("0"), "decimal(1, 0)");
        assert_eq!(decimal("12.50"), "decimal(4, 2)");
        assert_eq!(decimal("-0.001"), "decimal(4, 3)");
        assert_eq!(decimal(&"9".repeat(38)), "decimal(38, 0)");
        let small = format!("0.{}1", "0".repeat(37));
        assert_eq!(decimal(&small), "decimal(38, 38)");
        // With all digits behind the point, the wire's own form would have 39.
        assert_eq!(decimal_data(&small.parse().unwrap()), ColumnData::String(Some(small.into())));
    }

    #[test]
    fn what_has_no_room_is_refused() {
        let refused = |value: Value| bound(&value, None, 8).unwrap_err().kind();
        let far = NaiveDate::from_ymd_opt(10_000, 1, 1).unwrap();
        let offset = DateTime::parse_from_rfc3339("2024-01-31T00:00:00+15:00").unwrap();
        let values = [
            f64::NAN.into(),
            "nine bytes".into(),
            Value::Bytes(vec![0; 9].into()),
            far.into(),
            far.and_time(NaiveTime::MIN).into(),
            offset.into(),
            Value::TimeSpan(TimeDelta::days(1)),
            Value::TimeSpan(TimeDelta::seconds(-1)),
            Value::List([Value::Null].into()),
        ];
        for value in values {
            assert_eq!(refused(value.clone()), ErrorKind::BadValue, "{value}");
        }
    }
}
