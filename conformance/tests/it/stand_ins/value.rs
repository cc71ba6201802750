//! Values as engines have them, whose types are not quite those of the portable ones.

use std::cmp::Ordering;

use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive as _, Zero as _};
use isogloss_compiler::chrono::{
    DateTime, Datelike as _, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _,
};
use isogloss_compiler::expr::{DbType, Decimal, Family, Value};
use isogloss_compiler::uuid::Uuid;

/// A value of an engine.
#[derive(Debug, Clone, PartialEq)]
pub enum V {
    Null,
    Bit(bool),
    Int(i128),
    Dec(BigDecimal),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
    Guid(Uuid),
    Date(NaiveDate),
    Time(NaiveTime),
    Moment(NaiveDateTime),
    Instant(DateTime<FixedOffset>),
    /// Oracle's DATE, which has a time of day.
    Day(NaiveDateTime),
    Span(TimeDelta),
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// The engine has an error.
    Fault(String),
    /// A double has no such root, logarithm or angle.
    Domain,
    /// There is no stand-in for it.
    Unknown(String),
}

pub type R<T> = Result<T, Stop>;

pub fn fault<T>(why: impl Into<String>) -> R<T> {
    Err(Stop::Fault(why.into()))
}

pub fn unknown<T>(why: impl Into<String>) -> R<T> {
    Err(Stop::Unknown(why.into()))
}

impl From<&str> for V {
    fn from(text: &str) -> V {
        V::Text(text.to_owned())
    }
}

/// The text of a number, without zeros at its end.
fn digits(number: &BigDecimal) -> String {
    number.normalized().to_plain_string()
}

impl V {
    pub fn is_null(&self) -> bool {
        *self == V::Null
    }

    pub fn int(&self) -> R<i128> {
        match self {
            V::Int(number) => Ok(*number),
            V::Bit(bit) => Ok(i128::from(*bit)),
            V::Dec(number) => match number.with_scale_round(0, RoundingMode::Down).to_i128() {
                Some(number) => Ok(number),
                None => fault("a number too large"),
            },
            V::Real(number) => V::Dec(exact(*number)?).int(),
            V::Text(text) => text.trim().parse().or_else(|_| fault(format!("{text:?} is no whole number"))),
            other => fault(format!("{other:?} as a whole number")),
        }
    }

    pub fn count(&self) -> R<i64> {
        self.int()?.try_into().or_else(|_| fault("a count too large"))
    }

    pub fn real(&self) -> R<f64> {
        match self {
            V::Real(number) => Ok(*number),
            V::Int(number) => Ok(number.to_f64().unwrap_or(f64::NAN)),
            V::Dec(number) => Ok(number.to_f64().unwrap_or(f64::NAN)),
            other => fault(format!("{other:?} as a number")),
        }
    }

    pub fn decimal(&self) -> R<BigDecimal> {
        match self {
            V::Int(number) => Ok(BigDecimal::from(*number)),
            V::Bit(bit) => Ok(BigDecimal::from(i128::from(*bit))),
            V::Dec(number) => Ok(number.clone()),
            V::Real(number) => exact(*number),
            V::Text(text) => text.trim().parse().or_else(|_| fault(format!("{text:?} is no number"))),
            other => fault(format!("{other:?} as a number")),
        }
    }

    /// The text, which a number has by itself.
    pub fn text(&self) -> R<String> {
        match self {
            V::Text(text) => Ok(text.clone()),
            V::Int(number) => Ok(number.to_string()),
            V::Dec(number) => Ok(digits(number)),
            V::Date(date) => Ok(date.format("%Y-%m-%d").to_string()),
            other => unknown(format!("the text of {other:?}")),
        }
    }

    pub fn chars(&self) -> R<Vec<char>> {
        Ok(self.text()?.chars().collect())
    }

    /// The date and time, an instant's at its own offset.
    pub fn local(&self) -> R<NaiveDateTime> {
        match self {
            V::Date(date) => Ok(date.and_time(NaiveTime::MIN)),
            V::Day(time) | V::Moment(time) => Ok(*time),
            V::Instant(time) => Ok(time.naive_local()),
            V::Text(text) => match text.parse::<NaiveDate>() {
                Ok(date) => Ok(date.and_time(NaiveTime::MIN)),
                Err(_) => fault(format!("{text:?} is no date")),
            },
            other => fault(format!("{other:?} as a date")),
        }
    }

    /// The date and time, an instant's at UTC.
    pub fn utc(&self) -> R<NaiveDateTime> {
        match self {
            V::Instant(time) => Ok(time.naive_utc()),
            other => other.local(),
        }
    }

    /// The time of day.
    pub fn clock(&self) -> R<NaiveTime> {
        match self {
            V::Time(time) => Ok(*time),
            V::Span(span) => Ok(NaiveTime::MIN + *span),
            V::Date(_) => fault("a date has no time"),
            other => Ok(other.local()?.time()),
        }
    }

    /// The order of two values that are not NULL.
    pub fn compare(&self, other: &V) -> R<Ordering> {
        let none = || Stop::Fault(format!("{self:?} and {other:?} do not compare"));
        match (self, other) {
            (V::Real(_), V::Int(_) | V::Dec(_) | V::Real(_)) | (V::Int(_) | V::Dec(_), V::Real(_)) => {
                self.real()?.partial_cmp(&other.real()?).ok_or_else(none)
            }
            (V::Int(_) | V::Dec(_) | V::Bit(_), V::Int(_) | V::Dec(_) | V::Bit(_)) => {
                Ok(self.decimal()?.cmp(&other.decimal()?))
            }
            (V::Text(a), V::Text(b)) => Ok(a.cmp(b)),
            (V::Bytes(a), V::Bytes(b)) => Ok(a.cmp(b)),
            (V::Guid(a), V::Guid(b)) => Ok(a.cmp(b)),
            (V::Time(a), V::Time(b)) => Ok(a.cmp(b)),
            (V::Span(a), V::Span(b)) => Ok(a.cmp(b)),
            (
                V::Date(_) | V::Day(_) | V::Moment(_) | V::Instant(_),
                V::Date(_) | V::Day(_) | V::Moment(_) | V::Instant(_),
            ) => Ok(self.utc()?.cmp(&other.utc()?)),
            _ => Err(none()),
        }
    }

    /// The value that a driver reads as that type.
    ///
    /// # Errors
    /// It is of another family.
    pub fn read(&self, ty: DbType) -> Result<Value, String> {
        let whole = |number: &BigDecimal| {
            let whole = number.with_scale_round(0, RoundingMode::Down);
            if whole == *number { whole.to_i64() } else { None }
        };
        let value = match (ty.base.family(), self) {
            (_, V::Null) => Some(Value::Null),
            (Family::Integer, V::Int(number)) => i64::try_from(*number).ok().map(Value::from),
            (Family::Integer, V::Dec(number)) => whole(number).map(Value::from),
            (Family::Boolean, V::Bit(bit)) => Some(Value::from(*bit)),
            (Family::Boolean, V::Int(number @ 0..=1)) => Some(Value::from(*number == 1)),
            (Family::Boolean, V::Dec(number)) => whole(number).map(|number| Value::from(number == 1)),
            (Family::Decimal, V::Int(_) | V::Dec(_)) => {
                let number = self.decimal().map_err(|stop| format!("{stop:?}"))?;
                digits(&number.with_scale_round(20, RoundingMode::HalfUp)).parse::<Decimal>().ok().map(Value::from)
            }
            (Family::Float, V::Real(number)) => Some(Value::from(*number)),
            (Family::Text | Family::Json, V::Text(text)) => Some(Value::from(text.as_str())),
            (Family::Binary, V::Bytes(bytes)) => Some(Value::from(bytes.as_slice())),
            (Family::Guid, V::Guid(key)) => Some(Value::from(*key)),
            (Family::Guid, V::Bytes(bytes)) => Uuid::from_slice(bytes).ok().map(Value::from),
            (Family::Date, V::Date(date)) => Some(Value::from(*date)),
            (Family::Date, V::Day(time)) if time.time() == NaiveTime::MIN => Some(Value::from(time.date())),
            (Family::DateTime, V::Moment(time)) => Some(Value::from(*time)),
            (Family::DateTimeOffset, V::Instant(time)) => Some(Value::from(*time)),
            (Family::Time, V::Time(time)) => Some(Value::from(*time)),
            (Family::Time, V::Span(span)) => Some(Value::from(NaiveTime::MIN + *span)),
            _ => None,
        };
        value.ok_or_else(|| format!("{self:?} is no {}", ty.base.name()))
    }
}

/// The shortest number that reads as that double.
pub fn exact(number: f64) -> R<BigDecimal> {
    number.to_string().parse().or_else(|_| fault("a number that is none"))
}

/// A whole number rounded, or cut, to so many digits after the point; of a double, as it prints.
pub fn round(number: &V, digits: i64, mode: RoundingMode) -> R<V> {
    Ok(match number {
        V::Int(_) => V::Int(number.decimal()?.with_scale_round(digits.min(0), mode).to_i128().unwrap_or_default()),
        V::Real(_) => V::Real(number.decimal()?.with_scale_round(digits, mode).to_f64().unwrap_or(f64::NAN)),
        _ => V::Dec(number.decimal()?.with_scale_round(digits, mode)),
    })
}

/// A sum, a difference, a product, a quotient or a remainder of numbers.
pub fn arithmetic(left: &V, operator: &str, right: &V, whole: bool) -> R<V> {
    if let (V::Int(a), V::Int(b)) = (left, right) {
        let found = match operator {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "/" | "%" if *b == 0 => return fault("a division by zero"),
            "/" if whole => Some(a / b),
            "%" => Some(a % b),
            "&" => Some(a & b),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            _ => return arithmetic(&V::Dec(left.decimal()?), operator, &V::Dec(right.decimal()?), whole),
        };
        return match found {
            Some(number) if i64::try_from(number).is_ok() => Ok(V::Int(number)),
            _ => fault("a whole number over 64 bits"),
        };
    }
    if matches!(left, V::Real(_)) || matches!(right, V::Real(_)) {
        let (a, b) = (left.real()?, right.real()?);
        let found = match operator {
            "+" => a + b,
            "-" => a - b,
            "*" => a * b,
            "/" if b != 0.0 => a / b,
            _ => return fault(format!("{a} {operator} {b}")),
        };
        return if found.is_finite() { Ok(V::Real(found)) } else { fault("a double out of range") };
    }
    let (a, b) = (left.decimal()?, right.decimal()?);
    Ok(V::Dec(match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "%" if b.is_zero() => return fault("a division by zero"),
        "/" => (a / b).with_scale_round(30, RoundingMode::HalfUp),
        "%" => a % b,
        _ => return fault(format!("{left:?} {operator} {right:?}")),
    }))
}

/// A date or time so many months later, where a day that the month lacks becomes its last.
pub fn add_months(time: NaiveDateTime, months: i64) -> R<NaiveDateTime> {
    let all = i64::from(time.year()) * 12 + i64::from(time.month0()) + months;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
    let (Ok(year @ 1..=9999), Ok(month)) = (i32::try_from(year), u32::try_from(month)) else {
        return fault("a date out of range");
    };
    let last = last_day(year, month)?;
    match NaiveDate::from_ymd_opt(year, month, time.day().min(last)) {
        Some(date) => Ok(date.and_time(time.time())),
        None => fault("a date out of range"),
    }
}

/// The last day of a month.
pub fn last_day(year: i32, month: u32) -> R<u32> {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    match NaiveDate::from_ymd_opt(next_year, next, 1).and_then(|first| first.pred_opt()) {
        Some(last) => Ok(last.day()),
        None => fault("a date out of range"),
    }
}

/// The beginning of a unit.
pub fn truncate(time: NaiveDateTime, unit: &str) -> R<NaiveDateTime> {
    let day = time.date();
    let begin = match unit {
        "year" => NaiveDate::from_ymd_opt(day.year(), 1, 1),
        "quarter" => NaiveDate::from_ymd_opt(day.year(), day.month0() / 3 * 3 + 1, 1),
        "month" => NaiveDate::from_ymd_opt(day.year(), day.month(), 1),
        "iso_week" => Some(day - TimeDelta::days(day.weekday().num_days_from_monday().into())),
        "day" => Some(day),
        "hour" | "minute" => {
            let minute = if unit == "hour" { 0 } else { time.minute() };
            let clock = NaiveTime::from_hms_opt(time.hour(), minute, 0).unwrap_or_default();
            return Ok(day.and_time(clock));
        }
        other => return unknown(format!("the beginning of a {other}")),
    };
    Ok(begin.unwrap_or(day).and_time(NaiveTime::MIN))
}
