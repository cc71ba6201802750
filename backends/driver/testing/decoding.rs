//! What a decoder may give: one cell beside every type that it can be asked as.
//!
//! Each backend includes this file in its tests and says of its cells what is in them. A cell that is asked as a type gives
//! exactly its value in that type, or an error that names the column; and what is of the asked type has to be given.
//!
//! What counts as the value:
//!
//! - A whole number is asked of any exact number without a fraction that is in the type's range.
//! - `f64` and `f32` are the nearest to an exact number, also to whole ones over 2^53; a number over their range is an
//!   error, and never infinite.
//! - A decimal is all digits of an exact number, or the shortest text that reads as the same float again.
//! - A date and time is a date where it is midnight; a date is a date and time at midnight.
//! - An instant is the date and time that a clock in UTC shows, and the other way round where an engine keeps it so.
//! - Text is what it says where all of it says so. 16 bytes are a UUID.
#![allow(dead_code, clippy::unwrap_used, reason = "each backend takes what it needs")]

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _, Utc};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{ErrorKind, Flow, FromColumn, Result, Row, RowSink};
use uuid::Uuid;

/// What is in a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Truth {
    Null,
    Bool(bool),
    /// An exact number, by its digits.
    Number(String),
    Double(f64),
    Single(f32),
    Text(String),
    Json(String),
    Bytes(Vec<u8>),
    Date(NaiveDate),
    Time(NaiveTime),
    Span(TimeDelta),
    DateTime(NaiveDateTime),
    Instant(DateTime<FixedOffset>),
    Uuid(Uuid),
    /// What no type here can hold: a date that is infinite, a shape.
    Nothing,
    /// A type of the engine's own: it is given as the engine's bytes, if at all.
    Foreign,
}

pub(crate) fn number(digits: impl ToString) -> Truth {
    Truth::Number(digits.to_string())
}

pub(crate) fn text(text: &str) -> Truth {
    Truth::Text(text.to_owned())
}

pub(crate) fn date(text: &str) -> Truth {
    Truth::Date(text.parse().unwrap())
}

pub(crate) fn time(text: &str) -> Truth {
    Truth::Time(text.parse().unwrap())
}

/// `2024-02-29T10:20:30`.
pub(crate) fn datetime(text: &str) -> Truth {
    Truth::DateTime(text.parse().unwrap())
}

/// `2024-02-29T10:20:30+01:00`.
pub(crate) fn instant(text: &str) -> Truth {
    Truth::Instant(DateTime::parse_from_rfc3339(text).unwrap())
}

/// Whole numbers around the ends of each type.
pub(crate) fn whole_numbers() -> Vec<i128> {
    let ends = [0, 7, 8, 15, 16, 31, 32, 53, 63, 64].map(|bits| 1_i128 << bits);
    let mut all: Vec<i128> = ends.iter().flat_map(|end| [end - 1, *end, end + 1, 1 - end, -end, -end - 1]).collect();
    all.extend([42, 10_i128.pow(18), -(10_i128.pow(18))]);
    all.sort_unstable();
    all.dedup();
    all
}

/// Numbers with and without fractions, in digits.
pub(crate) fn decimals() -> Vec<String> {
    let fractions = ["", ".0", ".25", ".50", ".99999999", ".00000001"];
    whole_numbers().iter().flat_map(|whole| fractions.map(|fraction| format!("{whole}{fraction}"))).collect()
}

/// Floats of every kind that an engine has.
pub(crate) fn floats() -> Vec<f64> {
    let large = [1e15, 9_007_199_254_740_993.0, 1e19, 1e38, 3.5e38, 1e300];
    let small = [0.0, 0.1, 0.5, 1.0, 2.5, 1e-7, 1e-200];
    large.into_iter().chain(small).flat_map(|float| [float, -float]).collect()
}

/// Checks the columns of one row.
pub(crate) struct Checks {
    pub(crate) truths: Vec<(String, Truth)>,
    pub(crate) wrong: Vec<String>,
    pub(crate) rows: usize,
}

impl Checks {
    /// Of columns: how each was made, and what it is.
    pub(crate) fn of(truths: Vec<(String, Truth)>) -> Self {
        Self { truths, wrong: Vec::new(), rows: 0 }
    }
}

impl RowSink for Checks {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.rows += 1;
        assert_eq!(row.len(), self.truths.len(), "columns");
        for (index, (made, truth)) in self.truths.iter().enumerate() {
            self.wrong.extend(check(row, index, truth).into_iter().map(|wrong| format!("{made}: {wrong}")));
        }
        Ok(Flow::More)
    }
}

/// What is wrong with a cell, in every type that it can be asked as.
pub(crate) fn check(row: &dyn Row, index: usize, truth: &Truth) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut judge = |asked: &str, of: Asked, got: Result<Value>| {
        if let Err(why) = judged(truth, of, got, row.name(index).unwrap_or("")) {
            wrong.push(format!("as {asked}: {why}"));
        }
    };
    judge("bool()", Asked::Bool, row.bool(index).map(Value::from));
    judge("i64()", Asked::whole::<i64>(), row.i64(index).map(Value::from));
    judge("u64()", Asked::whole::<u64>(), row.u64(index).map(Value::from));
    judge("f64()", Asked::Double, row.f64(index).map(Value::from));
    judge("decimal()", Asked::Decimal, row.decimal(index).map(Value::from));
    judge("text()", Asked::Text, row.text(index).map(Value::from));
    judge("json()", Asked::Text, row.json(index).map(Value::from));
    judge("bytes()", Asked::Bytes, row.bytes(index).map(Value::from));
    judge("date()", Asked::Date, row.date(index).map(Value::from));
    judge("time()", Asked::Time, row.time(index).map(Value::from));
    judge("datetime()", Asked::DateTime, row.datetime(index).map(Value::from));
    judge("datetime_offset()", Asked::Instant, row.datetime_offset(index).map(Value::from));
    judge("uuid()", Asked::Uuid, row.uuid(index).map(Value::from));
    judge("own_value()", Asked::Any, row.own_value(index));
    judge("value(None)", Asked::Any, row.value(index, None));
    macro_rules! columns {
        ($($ty:ty, $asked:expr;)*) => {$(
            judge(stringify!($ty), $asked, <$ty as FromColumn>::read(row, index).map(Value::from));
        )*};
    }
    columns! {
        i8, Asked::whole::<i8>();
        i16, Asked::whole::<i16>();
        i32, Asked::whole::<i32>();
        u8, Asked::whole::<u8>();
        u16, Asked::whole::<u16>();
        u32, Asked::whole::<u32>();
        String, Asked::Text;
    }
    let single = |read: Option<f32>| read.map(f64::from).into();
    judge("f32", Asked::Single, <f32 as FromColumn>::read(row, index).map(single));
    let bytes = |read: Option<Vec<u8>>| read.map_or(Value::Null, |bytes| Value::Bytes(bytes.into()));
    judge("Vec<u8>", Asked::Bytes, <Vec<u8> as FromColumn>::read(row, index).map(bytes));
    let utc = |read: Option<DateTime<Utc>>| read.map(|at| at.fixed_offset()).into();
    judge("DateTime<Utc>", Asked::Instant, <DateTime<Utc> as FromColumn>::read(row, index).map(utc));
    for ty in T::ALL {
        judge(ty.name(), Asked::of(ty), row.value(index, Some(ty.into())));
    }
    judge("an array of Int32", Asked::List, row.value(index, Some(DbType::array_of(T::Int32))));
    wrong
}

/// What a cell is asked as.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    Any,
    Bool,
    Whole(i128, i128),
    Double,
    Single,
    Decimal,
    Text,
    Bytes,
    Date,
    Time,
    DateTime,
    Instant,
    Uuid,
    List,
}

impl Asked {
    fn whole<N: Bounded>() -> Self {
        Self::Whole(N::LEAST, N::MOST)
    }

    fn of(ty: T) -> Self {
        match ty {
            T::Boolean => Self::Bool,
            T::SByte => Self::whole::<i8>(),
            T::Byte => Self::whole::<u8>(),
            T::Int16 => Self::whole::<i16>(),
            T::Int32 => Self::whole::<i32>(),
            T::Int64 => Self::whole::<i64>(),
            T::UInt16 => Self::whole::<u16>(),
            T::UInt32 => Self::whole::<u32>(),
            T::UInt64 => Self::whole::<u64>(),
            T::Double => Self::Double,
            T::Single => Self::Single,
            T::Decimal | T::Currency | T::VarNumeric => Self::Decimal,
            T::Binary => Self::Bytes,
            T::Date => Self::Date,
            T::Time => Self::Time,
            T::DateTime | T::DateTime2 => Self::DateTime,
            T::DateTimeOffset => Self::Instant,
            T::Guid => Self::Uuid,
            T::AnsiString | T::String | T::AnsiStringFixedLength | T::StringFixedLength => Self::Text,
            T::Xml | T::Json | T::Jsonb => Self::Text,
            _ => Self::Any,
        }
    }

    /// Whether a value is of that type, however it came.
    fn is(self, value: &Value) -> bool {
        match value {
            Value::Null => true,
            _ if self == Self::Any => true,
            Value::Bool(_) => self == Self::Bool,
            Value::Int(number) => matches!(self, Self::Whole(from, to) if (from..=to).contains(&(*number).into())),
            Value::UInt(number) => matches!(self, Self::Whole(from, to) if (from..=to).contains(&(*number).into())),
            Value::Float(float) => match self {
                Self::Single => !float.is_finite() || float.abs() <= f64::from(f32::MAX) * (1.0 + 1e-8),
                _ => self == Self::Double,
            },
            Value::Decimal(_) => self == Self::Decimal,
            Value::Text(_) | Value::Json(_) => self == Self::Text,
            Value::Bytes(_) => self == Self::Bytes,
            Value::Date(_) => self == Self::Date,
            // What is no time of a day is a span.
            Value::Time(_) | Value::TimeSpan(_) => self == Self::Time,
            Value::DateTime(_) => self == Self::DateTime,
            Value::DateTimeOffset(_) => self == Self::Instant,
            Value::Uuid(_) => self == Self::Uuid,
            _ => false,
        }
    }

    /// Whether a cell of that truth must be given as that.
    fn is_due(self, truth: &Truth) -> bool {
        match (truth, self) {
            (Truth::Null, _) => true,
            (Truth::Nothing | Truth::Foreign, _) => false,
            (Truth::Number(digits), Self::Whole(from, to)) => {
                whole(digits).is_some_and(|number| (from..=to).contains(&number))
            }
            (Truth::Number(digits), Self::Decimal | Self::Any) => digits.parse::<Decimal>().is_ok(),
            (Truth::Number(_), Self::Double) => true,
            (Truth::Double(_), Self::Double | Self::Any) | (Truth::Single(_), Self::Single | Self::Double) => true,
            (Truth::Double(float), Self::Single) => float.abs() <= f64::from(f32::MAX),
            (Truth::Text(_) | Truth::Json(_), Self::Text | Self::Any) => true,
            (_, Self::Any) => true,
            (Truth::Bool(_), of) => of == Self::Bool,
            (Truth::Bytes(_), of) => of == Self::Bytes,
            (Truth::Date(_), of) => of == Self::Date,
            (Truth::Time(_), of) => of == Self::Time,
            (Truth::DateTime(_), of) => of == Self::DateTime,
            (Truth::Instant(_), of) => of == Self::Instant,
            (Truth::Uuid(_), of) => of == Self::Uuid,
            _ => false,
        }
    }
}

trait Bounded {
    const LEAST: i128;
    const MOST: i128;
}

macro_rules! bounded {
    ($($ty:ty)*) => {$(
        impl Bounded for $ty {
            const LEAST: i128 = <$ty>::MIN as i128;
            const MOST: i128 = <$ty>::MAX as i128;
        }
    )*};
}

bounded! { i8 i16 i32 i64 u8 u16 u32 u64 }

fn judged(truth: &Truth, of: Asked, got: Result<Value>, name: &str) -> Result<(), String> {
    match got {
        Err(error) if error.kind() != ErrorKind::Decode => Err(format!("{error} is no error of decoding")),
        Err(error)
            if !(error.message().contains(&format!("`{name}` (index ")) && error.message().contains(", not ")) =>
        {
            Err(format!("`{error}` does not say which column holds what, and what was asked"))
        }
        Err(error) if of.is_due(truth) => Err(format!("{truth:?} is refused: {error}")),
        Err(_) => Ok(()),
        Ok(value) if !of.is(&value) => Err(format!("{truth:?} is {value:?}, which is of another type")),
        Ok(value) if !says(truth, &value, of) => Err(format!("{truth:?} becomes {value:?}")),
        Ok(_) => Ok(()),
    }
}

/// Whether a value is exactly what is there.
fn says(truth: &Truth, value: &Value, of: Asked) -> bool {
    match (truth, value) {
        (Truth::Null, value) => value.is_null(),
        (Truth::Foreign, value) => of == Asked::Any || matches!(value, Value::Bytes(_)),
        (Truth::Bool(truth), value) => match value {
            Value::Bool(given) => given == truth,
            Value::Int(given) => *given == i64::from(*truth),
            _ => false,
        },
        (Truth::Number(digits), value) => match value {
            Value::Bool(given) => whole(digits) == Some((*given).into()),
            Value::Int(given) => whole(digits) == Some((*given).into()),
            Value::UInt(given) => whole(digits) == Some((*given).into()),
            Value::Decimal(given) => plain(&given.to_string()) == plain(digits),
            Value::Float(given) => given.is_finite() && nearest(digits.parse().unwrap(), *given, of),
            _ => false,
        },
        (Truth::Double(truth), value) => match value {
            Value::Float(given) => nearest(*truth, *given, of),
            Value::Decimal(given) => given.to_f64() == *truth,
            Value::Int(given) => whole(&truth.to_string()) == Some((*given).into()),
            _ => false,
        },
        (Truth::Single(truth), value) => match value {
            Value::Float(given) => nearest((*truth).into(), *given, of),
            Value::Decimal(given) => given.to_string().parse::<f32>().unwrap() == *truth,
            _ => false,
        },
        (Truth::Text(truth) | Truth::Json(truth), value) => reads(truth, value),
        (Truth::Bytes(truth), value) => match value {
            Value::Bytes(given) => **given == **truth,
            Value::Text(given) => given.as_bytes() == *truth,
            Value::Json(given) => given.as_bytes() == *truth,
            Value::Uuid(given) if given.as_bytes() == truth.as_slice() => true,
            // A computed text may be of no character set.
            value => std::str::from_utf8(truth).is_ok_and(|text| reads(text, value)),
        },
        (Truth::Date(truth), Value::Date(given)) => given == truth,
        (Truth::Date(truth), Value::DateTime(given)) => *given == truth.and_time(NaiveTime::MIN),
        (Truth::Date(truth), Value::DateTimeOffset(given)) => given.naive_utc() == truth.and_time(NaiveTime::MIN),
        (Truth::Time(truth), Value::Time(given)) => given == truth,
        (Truth::Time(truth), Value::TimeSpan(given)) => *given == *truth - NaiveTime::MIN,
        (Truth::Span(truth), Value::TimeSpan(given)) => given == truth,
        (Truth::Span(truth), Value::Time(given)) => *truth == *given - NaiveTime::MIN,
        (Truth::DateTime(truth), Value::DateTime(given)) => given == truth,
        (Truth::DateTime(truth), Value::Date(given)) => *truth == given.and_time(NaiveTime::MIN),
        (Truth::DateTime(truth), Value::DateTimeOffset(given)) => given.naive_utc() == *truth,
        (Truth::Instant(truth), Value::DateTimeOffset(given)) => given == truth,
        (Truth::Instant(truth), Value::DateTime(given)) => truth.naive_utc() == *given,
        (Truth::Uuid(truth), Value::Uuid(given)) => given == truth,
        (Truth::Uuid(truth), Value::Bytes(given)) => **given == *truth.as_bytes(),
        _ => false,
    }
}

/// Whether a value is what all of a text says.
fn reads(truth: &str, value: &Value) -> bool {
    let moment = |at: &NaiveDateTime| {
        let (day, clock) = truth.split_at_checked(10).unwrap_or((truth, ""));
        let clock = clock.strip_prefix([' ', 'T']).unwrap_or(clock);
        let clock = clock.split_once('.').map_or(clock.to_owned(), |_| plain(clock));
        let fraction = if at.nanosecond() == 0 { String::new() } else { plain(&format!(".{:09}", at.nanosecond())) };
        day == at.format("%Y-%m-%d").to_string()
            && (clock == format!("{}{fraction}", at.format("%H:%M:%S"))
                || clock.is_empty() && at.time() == NaiveTime::MIN)
    };
    match value {
        Value::Text(given) => given.as_str() == truth,
        Value::Json(given) => **given == *truth,
        Value::Bytes(given) => **given == *truth.as_bytes(),
        Value::Decimal(given) => truth.parse() == Ok(**given),
        Value::Uuid(given) => Uuid::parse_str(truth) == Ok(*given),
        Value::Date(given) => moment(&given.and_time(NaiveTime::MIN)),
        Value::DateTime(given) => moment(given),
        Value::DateTimeOffset(given) => {
            let local = DateTime::parse_from_str(&truth.replace('T', " "), "%Y-%m-%d %H:%M:%S%.f%:z");
            local.is_ok_and(|local| local == *given) || moment(&given.naive_utc())
        }
        Value::Time(given) => truth.parse() == Ok(*given),
        _ => false,
    }
}

fn nearest(truth: f64, given: f64, of: Asked) -> bool {
    #[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant")]
    let single = f64::from(truth as f32);
    given == truth || truth.is_nan() && given.is_nan() || of == Asked::Single && given == single && single.is_finite()
}

/// Digits without the zeros at their end, and without a sign of zero.
fn plain(digits: &str) -> String {
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    if digits == "-0" { "0".to_owned() } else { digits.to_owned() }
}

/// A whole number, if the digits are one.
fn whole(digits: &str) -> Option<i128> {
    plain(digits).parse().ok()
}
