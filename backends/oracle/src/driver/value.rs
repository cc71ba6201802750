//! Values on their way to the server: as what a parameter is bound.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use isogloss_compiler::expr::{DbType, DbValueType as T, Value};
use isogloss_driver::{Error, ErrorKind, Result};
use oracle::Connection;
use oracle::SqlValue;
use oracle::sql_type::{IntervalDS, OracleType, Timestamp, ToSql};

/// The bytes of the longest text, and of the longest bytes, that are no large object.
const SHORT_TEXT: usize = 4_000;
const SHORT_BYTES: usize = 2_000;

/// What a text that comes back by `RETURNING` has room for.
const RETURNED: u32 = 32_767;

/// A parameter: what is sent, and as what.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bind {
    pub(super) data: Data,
    pub(super) ty: OracleType,
}

/// What the crate has a form for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    Null,
    Bool(bool),
    Int(i64),
    /// A number as its text, so that it keeps all of its digits.
    Number(String),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
    At(Timestamp),
    Span(IntervalDS),
}

impl ToSql for Bind {
    fn oratype(&self, _: &Connection) -> oracle::Result<OracleType> {
        Ok(self.ty.clone())
    }

    fn to_sql(&self, slot: &mut SqlValue<'_>) -> oracle::Result<()> {
        match &self.data {
            Data::Null => slot.set_null(),
            Data::Bool(truth) => slot.set(truth),
            Data::Int(number) => slot.set(number),
            Data::Number(text) | Data::Text(text) => slot.set(text),
            Data::Double(number) => slot.set(number),
            Data::Bytes(bytes) => slot.set(bytes),
            Data::At(at) => slot.set(at),
            Data::Span(span) => slot.set(span),
        }
    }
}

/// How parameters are bound on a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binder {
    /// Whether the server has truth values: from 23ai on. Before, they are 1 and 0.
    pub(super) booleans: bool,
    /// How large a value may be, in bytes.
    pub(super) value_bytes: usize,
}

impl Binder {
    /// A parameter of that type.
    ///
    /// # Errors
    /// [`ErrorKind::BadValue`] for what Oracle has no room for, and for what is too large.
    pub(super) fn bind(self, value: &Value, ty: Option<DbType>) -> Result<Bind> {
        let bind = |data, ty| Bind { data, ty };
        Ok(match value {
            Value::Null => bind(Data::Null, self.column_type(ty, 1)),
            Value::Bool(truth) if self.booleans => bind(Data::Bool(*truth), OracleType::Boolean),
            Value::Bool(truth) => bind(Data::Int((*truth).into()), OracleType::Int64),
            Value::Int(number) => bind(Data::Int(*number), OracleType::Int64),
            Value::UInt(number) => bind(Data::Number(number.to_string()), NUMBER),
            Value::Decimal(decimal) => bind(Data::Number(decimal.to_string()), NUMBER),
            Value::Float(number) if ty.is_some_and(|ty| ty.base == T::Single) => {
                bind(Data::Double(*number), OracleType::BinaryFloat)
            }
            Value::Float(number) => bind(Data::Double(*number), OracleType::BinaryDouble),
            Value::Text(text) => self.text(text, ty)?,
            Value::Json(text) => self.text(text, None)?,
            Value::Bytes(bytes) => {
                self.sized(bytes.len())?;
                let ty = match u32::try_from(bytes.len()) {
                    Ok(len) if bytes.len() <= SHORT_BYTES => OracleType::Raw(len.max(1)),
                    _ => OracleType::BLOB,
                };
                bind(Data::Bytes(bytes.to_vec()), ty)
            }
            Value::Uuid(uuid) => bind(Data::Bytes(uuid.as_bytes().to_vec()), OracleType::Raw(16)),
            Value::Date(day) => bind(Data::At(at(day.and_time(NaiveTime::MIN))?), OracleType::Date),
            Value::DateTime(moment) => bind(Data::At(at(*moment)?), OracleType::Timestamp(9)),
            Value::DateTimeOffset(moment) => bind(Data::At(zoned(*moment)?), OracleType::TimestampTZ(9)),
            Value::Time(time) => {
                let span = time.with_nanosecond(nanos(*time)).unwrap_or(*time).signed_duration_since(NaiveTime::MIN);
                bind(Data::Span(interval(span)?), OracleType::IntervalDS(2, 9))
            }
            Value::TimeSpan(span) => bind(Data::Span(interval(*span)?), OracleType::IntervalDS(9, 9)),
            other => return Err(bad(format!("Oracle has nothing for a {}", other.kind()))),
        })
    }

    /// As what a NULL is bound, or what comes back by `RETURNING`, with room for a text of so many bytes.
    fn column_type(self, ty: Option<DbType>, room: u32) -> OracleType {
        match ty.filter(|ty| !ty.array).map(|ty| ty.base) {
            Some(T::Boolean) if self.booleans => OracleType::Boolean,
            Some(T::Double) => OracleType::BinaryDouble,
            Some(T::Single) => OracleType::BinaryFloat,
            Some(T::Date) => OracleType::Date,
            Some(T::Time) => OracleType::IntervalDS(9, 9),
            Some(T::DateTime | T::DateTime2) => OracleType::Timestamp(9),
            Some(T::DateTimeOffset) => OracleType::TimestampTZ(9),
            Some(T::Guid) => OracleType::Raw(16),
            Some(T::Binary) => OracleType::Raw(room),
            Some(base) if base.is_integer() || base.is_decimal() || base == T::Boolean => NUMBER,
            _ => OracleType::Varchar2(room),
        }
    }

    /// As what an output is bound.
    pub(super) fn output(self, ty: Option<DbType>) -> OracleType {
        self.column_type(ty, RETURNED)
    }

    /// As what a column of many rows is bound; texts grow by themselves.
    pub(super) fn column(self, ty: DbType) -> OracleType {
        self.column_type(Some(ty), 32)
    }

    /// A VARCHAR2, never an NVARCHAR2, which is what a column would be compared as, without its index. Beside a CHAR it is
    /// one, too: only two of them are compared without the blanks that fill them.
    fn text(self, text: &str, ty: Option<DbType>) -> Result<Bind> {
        self.sized(text.len())?;
        let fixed = matches!(ty, Some(DbType { base: T::StringFixedLength | T::AnsiStringFixedLength, array: false }));
        let ty = match u32::try_from(text.len()) {
            Ok(len) if fixed && text.len() <= SHORT_BYTES => OracleType::Char(len.max(1)),
            Ok(len) if text.len() <= SHORT_TEXT => OracleType::Varchar2(len.max(1)),
            _ => OracleType::CLOB,
        };
        // Oracle takes the empty text for NULL anyhow.
        let data = if text.is_empty() { Data::Null } else { Data::Text(text.to_owned()) };
        Ok(Bind { data, ty })
    }

    fn sized(self, len: usize) -> Result<()> {
        match len {
            len if len > self.value_bytes => Err(bad(format!("a value has {len} bytes, over {}", self.value_bytes))),
            _ => Ok(()),
        }
    }
}

/// A NUMBER of any precision.
const NUMBER: OracleType = OracleType::Number(0, 0);

/// The error for a value that cannot be sent.
pub(super) fn bad(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::BadValue, what)
}

/// Whether a value is bound as a large object, which many rows at once cannot be.
pub(super) fn is_large(bind: &Bind) -> bool {
    matches!(bind.ty, OracleType::CLOB | OracleType::BLOB)
}

/// The nanoseconds of a second. A leap second, which has more, is the last microsecond before it.
fn nanos(time: NaiveTime) -> u32 {
    if time.nanosecond() < 1_000_000_000 { time.nanosecond() } else { 999_999_000 }
}

/// A date and time of the years that Oracle knows.
fn at(moment: NaiveDateTime) -> Result<Timestamp> {
    let (day, time) = (moment.date(), moment.time());
    // Before the year 1 is the year -1.
    let year = if day.year() > 0 { day.year() } else { day.year() - 1 };
    if !(-4_712..=9_999).contains(&year) {
        return Err(bad(format!("{day}: Oracle's dates are those of the years 4712 BC to 9999")));
    }
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let made = Timestamp::new(year, day.month(), day.day(), hour, minute, second, nanos(time));
    made.map_err(|_| bad(format!("{moment}: Oracle has no such moment")))
}

/// A date and time on the clock of its offset, which is one of whole minutes.
fn zoned(moment: DateTime<FixedOffset>) -> Result<Timestamp> {
    let offset = moment.offset().local_minus_utc();
    let made = at(moment.naive_local())?.and_tz_offset(offset);
    made.ok().filter(|_| offset % 60 == 0).ok_or_else(|| bad(format!("{moment}: Oracle's offsets are whole minutes")))
}

/// A span: days and parts of a day, all of one sign.
fn interval(span: TimeDelta) -> Result<IntervalDS> {
    let wrong = |_| bad(format!("a span of {span}: Oracle's intervals have at most 999,999,999 days"));
    let part = |number: i64| i32::try_from(number).map_err(|_| bad(format!("a span of {span} is too long")));
    let seconds = span.num_seconds();
    IntervalDS::new(
        part(seconds / 86_400)?,
        part(seconds / 3_600 % 24)?,
        part(seconds / 60 % 60)?,
        part(seconds % 60)?,
        span.subsec_nanos(),
    )
    .map_err(wrong)
}

/// A moment out of the crate's parts, on its own clock.
pub(super) fn moment(at: &Timestamp) -> Option<NaiveDateTime> {
    let time = NaiveTime::from_hms_nano_opt(at.hour(), at.minute(), at.second(), at.nanosecond())?;
    let year = if at.year() > 0 { at.year() } else { at.year() + 1 };
    Some(NaiveDate::from_ymd_opt(year, at.month(), at.day())?.and_time(time))
}

/// A span out of the crate's parts.
pub(super) fn span(span: &IntervalDS) -> TimeDelta {
    TimeDelta::days(span.days().into())
        + TimeDelta::hours(span.hours().into())
        + TimeDelta::minutes(span.minutes().into())
        + TimeDelta::seconds(span.seconds().into())
        + TimeDelta::nanoseconds(span.nanoseconds().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINDER: Binder = Binder { booleans: false, value_bytes: 1 << 20 };

    fn ty(value: impl Into<Value>, base: T) -> OracleType {
        BINDER.bind(&value.into(), Some(base.into())).unwrap().ty
    }

    #[test]
    fn a_parameter_is_bound_as_what_it_meets() {
        assert_eq!(ty("abc", T::String), OracleType::Varchar2(3));
        assert_eq!(ty("é".repeat(2_001), T::String), OracleType::CLOB);
        assert_eq!(ty("ab", T::StringFixedLength), OracleType::Char(2));
        assert_eq!(ty("a".repeat(2_001), T::AnsiStringFixedLength), OracleType::Varchar2(2_001));
        assert_eq!(ty(true, T::Boolean), OracleType::Int64);
        assert_eq!(ty(0.5, T::Single), OracleType::BinaryFloat);
        assert_eq!(ty(Value::Null, T::Guid), OracleType::Raw(16));
        assert_eq!(ty(Value::Null, T::DateTimeOffset), OracleType::TimestampTZ(9));
        assert_eq!(ty(Value::Null, T::Int32), NUMBER);
        assert_eq!(ty(Value::Bytes(vec![0; 2_001].into()), T::Binary), OracleType::BLOB);
        let newer = Binder { booleans: true, ..BINDER };
        assert_eq!(newer.bind(&true.into(), None).unwrap().ty, OracleType::Boolean);
        assert_eq!(BINDER.bind(&"".into(), None).unwrap().data, Data::Null);
        let digits = format!("0.{}", "1234567890".repeat(3));
        let decimal: isogloss_compiler::expr::Decimal = digits.parse().unwrap();
        assert_eq!(BINDER.bind(&decimal.into(), None).unwrap().data, Data::Number(digits));
    }

    #[test]
    fn times_come_back_as_they_were_sent() {
        let now = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap().and_hms_nano_opt(23, 59, 58, 123_456_789).unwrap();
        assert_eq!(moment(&at(now).unwrap()), Some(now));
        let there = DateTime::parse_from_rfc3339("2024-02-29T23:59:58.5-03:30").unwrap();
        let sent = zoned(there).unwrap();
        assert_eq!((moment(&sent), sent.tz_offset()), (Some(there.naive_local()), -(3 * 60 + 30) * 60));
        for some in
            [TimeDelta::nanoseconds(-1), TimeDelta::days(-3) - TimeDelta::hours(5), TimeDelta::milliseconds(86_399_999)]
        {
            assert_eq!(span(&interval(some).unwrap()), some);
        }
    }

    #[test]
    fn what_has_no_room_is_refused() {
        let tight = Binder { value_bytes: 8, ..BINDER };
        let far = NaiveDate::from_ymd_opt(10_000, 1, 1).unwrap();
        for value in ["nine bytes".into(), far.into(), Value::TimeSpan(TimeDelta::MAX), Value::List([].into())] {
            assert_eq!(tight.bind(&value, None).unwrap_err().kind(), ErrorKind::BadValue, "{value}");
        }
    }
}
