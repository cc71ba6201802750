//! Dates and times.
//!
//! A date is its midnight where a time is due, and an instant is seen at UTC. The whole months between two moments are
//! those whose day and time of day have come: from the 31st of January to the 29th of February it is none.

use chrono::{DateTime, Datelike, FixedOffset, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use isogloss_compiler::expr::Value;
use isogloss_compiler::functions::Func;

use super::scope::Kind;
use super::{Result, fault, unsupported};

/// The moment that a date or time is.
pub(crate) fn moment(value: &Value) -> Result<NaiveDateTime> {
    match value {
        Value::Date(date) => Ok(date.and_time(NaiveTime::MIN)),
        Value::DateTime(time) => Ok(*time),
        Value::DateTimeOffset(time) => Ok(time.naive_utc()),
        other => unsupported(format!("{} as a date", other.kind())),
    }
}

fn instant(time: NaiveDateTime) -> DateTime<FixedOffset> {
    time.and_utc().fixed_offset()
}

/// A date as one of a wider kind.
pub(crate) fn widen(value: &Value, kind: Kind) -> Result<Value> {
    match kind {
        Kind::DateTime => Ok(moment(value)?.into()),
        Kind::Instant => Ok(instant(moment(value)?).into()),
        _ => Ok(value.clone()),
    }
}

/// A CAST of a date.
pub(crate) fn cast(value: &Value, kind: Kind) -> Result<Value> {
    match kind {
        Kind::Date => Ok(moment(value)?.date().into()),
        Kind::Time => Ok(moment(value)?.time().into()),
        Kind::DateTime | Kind::Instant => widen(value, kind),
        _ => unsupported("a CAST of a date"),
    }
}

/// A function of dates, none of whose arguments is NULL; none if it is no such function.
pub(crate) fn function(func: Func, args: &[Value]) -> Result<Option<Value>> {
    Ok(Some(match (func, args) {
        (Func::MakeDate, [Value::Int(year), Value::Int(month), Value::Int(day)]) => {
            let parts = (i32::try_from(*year), u32::try_from(*month), u32::try_from(*day));
            match parts {
                (Ok(year @ 1..=9999), Ok(month), Ok(day)) => match NaiveDate::from_ymd_opt(year, month, day) {
                    Some(date) => date.into(),
                    None => return unsupported("a date that is none"),
                },
                _ => return unsupported("a date that is none"),
            }
        }
        (Func::FromUnixSeconds, [Value::Int(seconds)]) => match DateTime::from_timestamp(*seconds, 0) {
            Some(time) => time.naive_utc().into(),
            None => return fault("a date out of range"),
        },
        (_, [date]) => match one(func, date)? {
            Some(value) => value,
            None => return Ok(None),
        },
        (_, [date, Value::Int(count)]) => match added(func, date, *count)? {
            Some(value) => value,
            None => return Ok(None),
        },
        (_, [first, second]) => match difference(func, first, second)? {
            Some(count) => count.into(),
            None => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// A part of a date, or the beginning of one.
fn one(func: Func, date: &Value) -> Result<Option<Value>> {
    use Func as F;
    let number = |number: u32| Value::Int(number.into());
    if let (Value::Time(time), F::Hour | F::Minute | F::Second | F::Millisecond) = (date, func) {
        return Ok(Some(number(clock(func, *time))));
    }
    if !matches!(
        func,
        F::Year
            | F::Quarter
            | F::Month
            | F::Week
            | F::Day
            | F::DayOfYear
            | F::DayOfWeek
            | F::Hour
            | F::Minute
            | F::Second
            | F::Millisecond
            | F::Date
            | F::TimeOfDay
            | F::TruncYear
            | F::TruncQuarter
            | F::TruncMonth
            | F::TruncWeek
            | F::TruncDay
            | F::TruncHour
            | F::TruncMinute
            | F::LastDay
            | F::ToUnixSeconds
    ) {
        return Ok(None);
    }
    let time = moment(date)?;
    let day = time.date();
    let midnight = |day: Option<NaiveDate>| day.map(|day| day.and_time(NaiveTime::MIN));
    let start = match func {
        F::Year => return Ok(Some(Value::Int(day.year().into()))),
        F::Quarter => return Ok(Some(number(day.month0() / 3 + 1))),
        F::Month => return Ok(Some(number(day.month()))),
        F::Week => return Ok(Some(number(day.iso_week().week()))),
        F::Day => return Ok(Some(number(day.day()))),
        F::DayOfYear => return Ok(Some(number(day.ordinal()))),
        F::DayOfWeek => return Ok(Some(number(day.weekday().num_days_from_sunday()))),
        F::Date => return Ok(Some(day.into())),
        F::TimeOfDay => return Ok(Some(time.time().into())),
        F::LastDay => {
            let next = day.with_day(1).and_then(|first| first.checked_add_months(Months::new(1)));
            return Ok(Some(next.and_then(|next| next.pred_opt()).into()));
        }
        F::ToUnixSeconds => return Ok(Some(time.and_utc().timestamp().into())),
        F::TruncYear => midnight(NaiveDate::from_ymd_opt(day.year(), 1, 1)),
        F::TruncQuarter => midnight(NaiveDate::from_ymd_opt(day.year(), day.month0() / 3 * 3 + 1, 1)),
        F::TruncMonth => midnight(day.with_day(1)),
        F::TruncWeek => midnight(day.checked_sub_signed(TimeDelta::days(day.weekday().num_days_from_monday().into()))),
        F::TruncDay => midnight(Some(day)),
        F::TruncHour => day.and_hms_opt(time.hour(), 0, 0),
        F::TruncMinute => day.and_hms_opt(time.hour(), time.minute(), 0),
        _ => return Ok(Some(number(clock(func, time.time())))),
    };
    match start {
        Some(start) => like(date, start).map(Some),
        None => fault("a date out of range"),
    }
}

fn clock(func: Func, time: NaiveTime) -> u32 {
    match func {
        Func::Hour => time.hour(),
        Func::Minute => time.minute(),
        Func::Second => time.second(),
        _ => time.nanosecond() / 1_000_000,
    }
}

/// A moment in the kind of another value.
fn like(value: &Value, time: NaiveDateTime) -> Result<Value> {
    Ok(match value {
        Value::Date(_) => time.date().into(),
        Value::DateTimeOffset(_) => instant(time).into(),
        _ => time.into(),
    })
}

/// A date so much later.
fn added(func: Func, date: &Value, count: i64) -> Result<Option<Value>> {
    use Func as F;
    let months = match func {
        F::AddYears => Some(12),
        F::AddQuarters => Some(3),
        F::AddMonths => Some(1),
        _ => None,
    };
    let milliseconds = match func {
        F::AddWeeks => Some(604_800_000_i64),
        F::AddDays => Some(86_400_000),
        F::AddHours => Some(3_600_000),
        F::AddMinutes => Some(60_000),
        F::AddSeconds => Some(1_000),
        F::AddMilliseconds => Some(1),
        _ => None,
    };
    if months.is_none() && milliseconds.is_none() {
        return Ok(None);
    }
    let time = moment(date)?;
    let later = match (months, milliseconds) {
        (Some(months), _) => {
            let Ok(count) = i32::try_from(count) else { return fault("a date out of range") };
            let count = count.saturating_mul(months);
            let span = Months::new(count.unsigned_abs());
            if count < 0 { time.checked_sub_months(span) } else { time.checked_add_months(span) }
        }
        (_, Some(unit)) => {
            let span = unit.checked_mul(count).and_then(TimeDelta::try_milliseconds);
            span.and_then(|span| time.checked_add_signed(span))
        }
        _ => None,
    };
    let Some(later) = later.filter(|later| (1..=9999).contains(&later.year())) else {
        return fault("a date out of range");
    };
    // A date to which hours are added becomes a date and time.
    let by_clock = matches!(func, F::AddHours | F::AddMinutes | F::AddSeconds | F::AddMilliseconds);
    Ok(Some(if by_clock && matches!(date, Value::Date(_)) { later.into() } else { like(date, later)? }))
}

/// The whole units from the second date to the first, toward zero.
fn difference(func: Func, first: &Value, second: &Value) -> Result<Option<i64>> {
    use Func as F;
    let unit = match func {
        F::DateDiffYears | F::DateDiffMonths => TimeDelta::zero(),
        F::DateDiffDays => TimeDelta::days(1),
        F::DateDiffHours => TimeDelta::hours(1),
        F::DateDiffMinutes => TimeDelta::minutes(1),
        F::DateDiffSeconds => TimeDelta::seconds(1),
        F::DateDiffMilliseconds => TimeDelta::milliseconds(1),
        _ => return Ok(None),
    };
    let (to, from) = (moment(first)?, moment(second)?);
    if unit.is_zero() {
        let month = |time: NaiveDateTime| i64::from(time.year()) * 12 + i64::from(time.month0());
        let place = |time: NaiveDateTime| (time.day(), time.time());
        let mut months = month(to) - month(from);
        if months > 0 && place(to) < place(from) {
            months -= 1;
        } else if months < 0 && place(to) > place(from) {
            months += 1;
        }
        return Ok(Some(if func == F::DateDiffYears { months / 12 } else { months }));
    }
    let micros = |span: TimeDelta| span.num_microseconds().unwrap_or(i64::MAX);
    Ok(Some(micros(to - from) / micros(unit)))
}
