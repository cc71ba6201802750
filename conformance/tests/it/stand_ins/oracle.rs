//! What Oracle's functions give, as the SQL Language Reference says.
//!
//! `docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/NAME.html` is the page of each function; what a line says
//! beyond it has its source beside it. The empty text is NULL wherever it comes from.

use std::cmp::Ordering;

use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive as _, Zero as _};
use isogloss_compiler::chrono::{Datelike as _, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _};

use super::evaluate::{Row, StandIn};
use super::sqlserver::slice;
use super::value::{R, Stop, V, add_months, arithmetic, exact, fault, last_day, round, truncate, unknown};

/// Oracle in any version: a function that a version lacks is not in a text for it.
pub struct PlSql;

impl StandIn for PlSql {
    fn call(&self, row: &Row<'_>, name: &str, args: &[V]) -> R<V> {
        let skips = matches!(name, "NVL2" | "REPLACE" | "REGEXP_REPLACE") || name.starts_with("JSON");
        if !skips && args.iter().any(V::is_null) {
            return Ok(V::Null);
        }
        let real = |place: usize| args[place].real();
        let of_first = |value: f64| -> R<V> {
            match args.first() {
                Some(V::Real(_)) => Ok(V::Real(value)),
                _ => Ok(V::Dec(exact(value)?)),
            }
        };
        Ok(match (name, args) {
            ("NVL2", [value, then, otherwise]) => if value.is_null() { otherwise } else { then }.clone(),
            ("LENGTH", [text]) => number(text.chars()?.len()),
            ("LENGTHB", [text]) => number(text.text()?.len()),
            ("DBMS_LOB.GETLENGTH", [V::Bytes(bytes)]) => number(bytes.len()),
            ("LOWER", [text]) => V::Text(text.text()?.to_lowercase()),
            ("UPPER", [text]) => V::Text(text.text()?.to_uppercase()),
            ("TRIM", [text]) => V::from(text.text()?.trim_matches(' ')),
            ("LTRIM", [text]) => V::from(text.text()?.trim_start_matches(' ')),
            ("LTRIM", [text, set]) => V::from(text.text()?.trim_start_matches(&set.chars()?[..])),
            ("RTRIM", [text]) => V::from(text.text()?.trim_end_matches(' ')),
            ("RTRIM", [text, set]) => V::from(text.text()?.trim_end_matches(&set.chars()?[..])),
            // A position of 0 is 1, a negative one counts from the end; NULL of a length below 1.
            ("SUBSTR", [text, start]) => substring(&text.chars()?, start.count()?, i64::MAX),
            ("SUBSTR", [text, start, count]) => match count.count()? {
                ..1 => V::Null,
                count => substring(&text.chars()?, start.count()?, count),
            },
            ("INSTR", [text, part]) => position(&text.chars()?, &part.chars()?, 1)?,
            ("INSTR", [text, part, start]) => position(&text.chars()?, &part.chars()?, start.count()?)?,
            // A text to search for that is NULL is found nowhere; with a NULL all of them are taken away.
            ("REPLACE", [text, ..]) if text.is_null() => V::Null,
            ("REPLACE", [text, old, ..]) if old.is_null() => text.clone(),
            ("REPLACE", [text, old, new @ ..]) => {
                let new = new.first().filter(|new| !new.is_null()).map_or(Ok(String::new()), V::text)?;
                V::Text(text.text()?.replace(&old.text()?, &new))
            }
            // A longer text is cut; NULL of a length below 1.
            ("LPAD" | "RPAD", [text, count, fill @ ..]) => {
                let (chars, fill) = (text.chars()?, fill.first().map_or(Ok(vec![' ']), V::chars)?);
                let count = usize::try_from(count.count()?).unwrap_or(0);
                let fill: String = fill.iter().cycle().take(count.saturating_sub(chars.len())).collect();
                let text: String = chars.iter().take(count).collect();
                V::Text(if name == "LPAD" { fill + &text } else { text + &fill })
            }
            ("ASCII", [text]) => text.chars()?.first().map_or(V::Null, |c| V::Dec(u32::from(*c).into())),
            ("CHR", [code]) => match u32::try_from(code.int()?).ok().and_then(char::from_u32) {
                Some(c) => V::Text(c.to_string()),
                None => return fault("no character"),
            },
            ("RAWTOHEX", [V::Bytes(bytes)]) => V::Text(bytes.iter().map(|byte| format!("{byte:02X}")).collect()),
            ("RAWTOHEX", [text]) => V::Text(text.text()?.bytes().map(|byte| format!("{byte:02X}")).collect()),
            // Only the pattern `b` is asked for, which is a text as well. A pattern that is NULL matches nowhere.
            ("REGEXP_REPLACE", [text, pattern, ..]) if text.is_null() || pattern.is_null() => text.clone(),
            ("REGEXP_REPLACE", [text, pattern, new, ..]) => {
                let new = if new.is_null() { String::new() } else { new.text()? };
                V::Text(text.text()?.replace(&pattern.text()?, &new))
            }
            ("TO_CLOB", [text]) => text.clone(),
            ("REGEXP_SUBSTR", [text, pattern, ..]) => {
                if text.text()?.contains(&pattern.text()?) {
                    pattern.clone()
                } else {
                    V::Null
                }
            }
            ("REGEXP_COUNT", [text, pattern, ..]) => number(text.text()?.matches(&pattern.text()?).count()),
            ("ABS", [V::Real(number)]) => V::Real(number.abs()),
            ("ABS", [number]) => V::Dec(number.decimal()?.abs()),
            // Of a BINARY_DOUBLE 0 it is 1.
            ("SIGN", [V::Real(number)]) => V::Dec(if *number < 0.0 { (-1).into() } else { 1.into() }),
            ("SIGN", [number]) => V::Dec((number.decimal()?.cmp(&BigDecimal::zero()) as i64).into()),
            ("CEIL", [number]) => round(number, 0, RoundingMode::Ceiling)?,
            ("FLOOR", [number]) => round(number, 0, RoundingMode::Floor)?,
            ("ROUND", [number @ V::Real(_)]) => round(number, 0, RoundingMode::HalfEven)?,
            ("ROUND", [number]) => round(number, 0, RoundingMode::HalfUp)?,
            ("ROUND", [number, digits]) => round(number, digits.count()?.clamp(-40, 40), RoundingMode::HalfUp)?,
            // Of a date, its midnight or the beginning of a unit, as a DATE: of a time with an offset, at that offset.
            ("TRUNC", [V::Dec(_) | V::Real(_)]) => round(&args[0], 0, RoundingMode::Down)?,
            ("TRUNC", [number @ (V::Dec(_) | V::Real(_)), digits]) => {
                round(number, digits.count()?.clamp(-40, 40), RoundingMode::Down)?
            }
            ("TRUNC", [time]) => V::Day(truncate(time.local()?, "day")?),
            ("TRUNC", [time, V::Text(unit)]) => V::Day(truncate(
                time.local()?,
                match unit.as_str() {
                    "YYYY" => "year",
                    "Q" => "quarter",
                    "MM" => "month",
                    "IW" => "iso_week",
                    "HH24" => "hour",
                    "MI" => "minute",
                    other => other,
                },
            )?),
            ("SQRT", [_]) => of_first(in_domain(real(0)? >= 0.0, real(0)?.sqrt())?)?,
            ("POWER", [V::Dec(base), V::Dec(exponent)]) if base.is_integer() && exponent.is_integer() => {
                let power = exponent.to_u32().and_then(|exponent| base.to_i128()?.checked_pow(exponent));
                V::Dec(power.map_or_else(|| fault("a power too large"), |power| Ok(power.into()))?)
            }
            // Of BINARY_DOUBLEs it is infinite, or not a number, where others fail.
            ("POWER", [_, _]) => of_first(real(0)?.powf(real(1)?))?,
            ("EXP", [_]) => of_first(real(0)?.exp())?,
            ("LN", [_]) => of_first(in_domain(real(0)? > 0.0, real(0)?.ln())?)?,
            // LOG(base, number); a BINARY_DOUBLE on either side makes it one.
            ("LOG", [_, V::Real(_)]) => V::Real(in_domain(real(1)? > 0.0, real(1)?.log(real(0)?))?),
            ("LOG", [_, _]) => V::Dec(exact(in_domain(real(1)? > 0.0, real(1)?.log(real(0)?))?)?),
            ("SIN", [_]) => of_first(real(0)?.sin())?,
            ("COS", [_]) => of_first(real(0)?.cos())?,
            ("TAN", [_]) => of_first(real(0)?.tan())?,
            ("ASIN", [_]) => of_first(in_domain(real(0)?.abs() <= 1.0, real(0)?.asin())?)?,
            ("ACOS", [_]) => of_first(in_domain(real(0)?.abs() <= 1.0, real(0)?.acos())?)?,
            ("ATAN", [_]) => of_first(real(0)?.atan())?,
            ("ATAN2", [_, _]) => of_first(in_domain(real(0)? != 0.0 || real(1)? != 0.0, real(0)?.atan2(real(1)?))?)?,
            // MOD(a, 0) is a; it has the sign of a.
            ("MOD", [a, b]) if b.decimal()?.is_zero() => a.clone(),
            ("MOD", [a, b]) => V::Dec(a.decimal()? % b.decimal()?),
            ("BITAND", [a, b]) => V::Dec((a.int()? & b.int()?).into()),
            // NULL if any is.
            ("GREATEST" | "LEAST", [first, rest @ ..]) => {
                let mut best = first;
                for arg in rest {
                    let wanted = if name == "GREATEST" { Ordering::Greater } else { Ordering::Less };
                    if self.compare(arg, best)? == wanted {
                        best = arg;
                    }
                }
                best.clone()
            }
            // The parts of a time with an offset are those at UTC; those of a DATE are its year, month and day only.
            ("EXTRACT FROM", [V::Text(part), value]) => extract(part, value)?,
            ("TO_CHAR", [time, V::Text(format), ..]) => to_char(row, time, format)?,
            ("TO_NUMBER", [text]) => V::Dec(text.decimal()?),
            ("TO_DATE", [text, V::Text(format)]) if format == "YYYY-MM-DD" => {
                let text = text.text()?;
                let mut parts = text.split('-').map(|part| part.parse::<u32>());
                match (parts.next(), parts.next(), parts.next()) {
                    (Some(Ok(year)), Some(Ok(month)), Some(Ok(day))) => {
                        match NaiveDate::from_ymd_opt(i32::try_from(year).unwrap_or(0), month, day) {
                            Some(date) => V::Day(date.and_time(NaiveTime::MIN)),
                            None => return fault(format!("{text:?} is no date")),
                        }
                    }
                    _ => return fault(format!("{text:?} is no date")),
                }
            }
            ("SYS_EXTRACT_UTC", [time]) => V::Moment(time.utc()?),
            ("FROM_TZ", [time, V::Text(zone)]) if zone == "UTC" => V::Instant(time.local()?.and_utc().fixed_offset()),
            // The last day of a month becomes the last of the other, and a day that the month lacks too.
            ("ADD_MONTHS", [time, months]) => {
                let (time, months) = (time.local()?, months.count()?);
                let moved = add_months(time, months)?;
                let is_last = time.day() == last_day(time.year(), time.month())?;
                let last = last_day(moved.year(), moved.month())?;
                V::Day(if is_last { moved.with_day(last).unwrap_or(moved) } else { moved })
            }
            // Only of the firsts of months, of which it is a whole number.
            ("MONTHS_BETWEEN", [a, b]) => {
                let months = |time: NaiveDateTime| i64::from(time.year()) * 12 + i64::from(time.month0());
                let (a, b) = (a.local()?, b.local()?);
                if a.day() != 1 || b.day() != 1 {
                    return unknown("MONTHS_BETWEEN of days that are no firsts");
                }
                V::Dec((months(a) - months(b)).into())
            }
            ("LAST_DAY", [time]) => {
                let time = time.local()?;
                V::Day(time.with_day(last_day(time.year(), time.month())?).unwrap_or(time))
            }
            ("NUMTODSINTERVAL", [count, V::Text(unit)]) => {
                let seconds = match unit.as_str() {
                    "DAY" => 86_400_i64,
                    "HOUR" => 3_600,
                    "MINUTE" => 60,
                    _ => 1,
                };
                let micros = (count.decimal()? * BigDecimal::from(seconds * 1_000_000)).to_i64();
                V::Span(TimeDelta::microseconds(micros.unwrap_or(i64::MAX)))
            }
            ("SYS_GUID", []) => row.draw(V::Bytes(vec![7; 16]))?,
            // NULL where there is nothing at the path, too.
            ("JSON_VALUE" | "JSON_QUERY", [document, ..]) if document.is_null() => V::Null,
            ("JSON_VALUE" | "JSON_QUERY", [_, ..]) => row.vaguely(V::from("{}"))?,
            // A condition; of NULL it is false.
            ("JSON_EXISTS", [document, ..]) => row.vaguely(V::Bit(!document.is_null()))?,
            ("JSON_TRANSFORM", [document, ..]) if document.is_null() => V::Null,
            ("JSON_TRANSFORM" | "JSON_OBJECT" | "JSON_ARRAY", [..]) => row.vaguely(V::from("{}"))?,
            _ => return unknown(format!("{name} of {} arguments", args.len())),
        })
    }

    fn word(&self, row: &Row<'_>, word: &str) -> R<V> {
        match word {
            "TRUE" => Ok(V::Bit(true)),
            "FALSE" => Ok(V::Bit(false)),
            "SYSDATE" => row.vaguely(V::Day(NaiveDateTime::default())),
            "SYSTIMESTAMP" => row.vaguely(V::Instant(NaiveDateTime::default().and_utc().fixed_offset())),
            "DBMS_RANDOM.VALUE" => row.draw(V::Dec(BigDecimal::zero())),
            _ => unknown(format!("the word {word}")),
        }
    }

    fn cast(&self, value: V, ty: &str) -> R<V> {
        let name = ty.split('(').next().unwrap_or_default().trim();
        Ok(match (name, &value) {
            ("NUMBER" | "INTEGER", value) => {
                let number = value.decimal()?;
                V::Dec(if ty.ends_with(",0)") || ty.ends_with(", 0)") || name == "INTEGER" {
                    number.with_scale_round(0, RoundingMode::HalfUp)
                } else {
                    number
                })
            }
            ("BINARY_DOUBLE", value) => V::Real(value.real()?),
            ("VARCHAR2" | "NVARCHAR2" | "CHAR", value) => V::Text(value.text()?),
            ("DATE", value) => V::Day(value.local()?),
            _ if ty.contains("TIME ZONE") => match value {
                V::Instant(time) => V::Instant(time),
                value => V::Instant(value.local()?.and_utc().fixed_offset()),
            },
            ("TIMESTAMP", value) => V::Moment(value.local()?),
            _ => return unknown(format!("a CAST to {ty}")),
        })
    }

    fn binary(&self, left: &V, operator: &str, right: &V) -> R<V> {
        let days = |number: &V| -> R<TimeDelta> {
            let micros =
                (number.decimal()? * BigDecimal::from(86_400_000_000_i64)).with_scale_round(0, RoundingMode::HalfUp);
            Ok(TimeDelta::microseconds(micros.to_i64().unwrap_or(i64::MAX)))
        };
        Ok(match (left, operator, right) {
            (V::Day(time), "+", V::Dec(_)) => V::Day(*time + days(right)?),
            (V::Day(time), "-", V::Dec(_)) => V::Day(*time - days(right)?),
            // A number beside a TIMESTAMP makes it a DATE, without its fraction.
            (V::Moment(time), "+", V::Dec(_)) => V::Day(time.with_nanosecond(0).unwrap_or(*time) + days(right)?),
            (V::Day(a), "-", V::Day(b)) => V::Dec(
                BigDecimal::from((*a - *b).num_microseconds().unwrap_or(i64::MAX))
                    / BigDecimal::from(86_400_000_000_i64),
            ),
            (V::Day(_) | V::Moment(_), "-", V::Day(_) | V::Moment(_)) => V::Span(left.local()? - right.local()?),
            (V::Instant(_), "-", V::Instant(_) | V::Day(_) | V::Moment(_))
            | (V::Day(_) | V::Moment(_), "-", V::Instant(_)) => V::Span(left.utc()? - right.utc()?),
            (V::Day(time), "+", V::Span(span)) => V::Day(*time + *span),
            (V::Moment(time), "+", V::Span(span)) => V::Moment(*time + *span),
            (V::Instant(time), "+", V::Span(span)) => V::Instant(*time + *span),
            (V::Span(a), "-", V::Span(b)) => V::Span(*a - *b),
            (V::Span(a), "+", V::Span(b)) => V::Span(*a + *b),
            (V::Text(_), _, _) => self.binary(&V::Dec(left.decimal()?), operator, right)?,
            (_, _, V::Text(_)) => self.binary(left, operator, &V::Dec(right.decimal()?))?,
            _ => arithmetic(left, operator, right, false)?,
        })
    }

    /// NULL is the empty text here.
    fn concat(&self, left: V, right: V) -> R<V> {
        let text = |value: &V| if value.is_null() { Ok(String::new()) } else { value.text() };
        Ok(V::Text(text(&left)? + &text(&right)?))
    }

    fn stored(&self, value: V) -> V {
        match value {
            V::Text(text) if text.is_empty() => V::Null,
            V::Bytes(bytes) if bytes.is_empty() => V::Null,
            V::Int(number) => V::Dec(number.into()),
            V::Date(date) => V::Day(date.and_time(NaiveTime::MIN)),
            V::Time(time) => V::Span(time - NaiveTime::MIN),
            V::Guid(key) => V::Bytes(key.as_bytes().to_vec()),
            other => other,
        }
    }

    /// "Oracle Database determines the argument with the highest numeric precedence, implicitly converts the remaining
    /// arguments": BINARY_DOUBLE is the highest.
    fn of_arms(&self, value: V, arms: &[V]) -> R<V> {
        match value {
            V::Dec(_) if arms.iter().any(|arm| matches!(arm, V::Real(_))) => Ok(V::Real(value.real()?)),
            value => Ok(value),
        }
    }

    fn number(&self, digits: &str) -> R<V> {
        if digits.contains(['e', 'E']) {
            return digits.parse().map_or_else(|_| fault(digits), |number| Ok(V::Real(number)));
        }
        digits.parse().map_or_else(|_| fault(digits), |number| Ok(V::Dec(number)))
    }
}

fn number(count: usize) -> V {
    V::Dec(i64::try_from(count).unwrap_or(i64::MAX).into())
}

fn in_domain(holds: bool, number: f64) -> R<f64> {
    if holds { Ok(number) } else { Err(Stop::Domain) }
}

fn substring(text: &[char], start: i64, count: i64) -> V {
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let from = match start {
        0 | 1 => 0,
        2.. => start - 1,
        _ if -start > length => return V::Null,
        _ => length + start,
    };
    slice(text, from, from.saturating_add(count))
}

/// Where a text is first found from a place on, from 1; 0 of a place of 0.
fn position(text: &[char], part: &[char], start: i64) -> R<V> {
    let from = match start {
        0 => return Ok(number(0)),
        1.. => usize::try_from(start - 1).unwrap_or(usize::MAX),
        _ => return unknown("INSTR backwards"),
    };
    Ok(number((from..text.len()).find(|at| text[*at..].starts_with(part)).map_or(0, |at| at + 1)))
}

fn extract(part: &str, value: &V) -> R<V> {
    let seconds = |nanos: i64| V::Dec(BigDecimal::new(nanos.into(), 9));
    if let V::Span(span) = value {
        let nanos = span.num_nanoseconds().unwrap_or(i64::MAX);
        return Ok(match part {
            "day" => V::Dec(span.num_days().into()),
            "hour" => V::Dec((span.num_hours() % 24).into()),
            "minute" => V::Dec((span.num_minutes() % 60).into()),
            "second" => seconds(nanos % 60_000_000_000),
            _ => return fault(format!("EXTRACT({part}) of an interval")),
        });
    }
    let time = value.utc()?;
    let whole = |number: i64| Ok(V::Dec(number.into()));
    match part {
        "year" => whole(time.year().into()),
        "month" => whole(time.month().into()),
        "day" => whole(time.day().into()),
        _ if matches!(value, V::Day(_)) => fault(format!("EXTRACT({part}) of a DATE")),
        "hour" => whole(time.hour().into()),
        "minute" => whole(time.minute().into()),
        "second" => Ok(seconds(i64::from(time.second()) * 1_000_000_000 + i64::from(time.nanosecond()))),
        _ => unknown(format!("EXTRACT({part})")),
    }
}

/// A time as text, at its own offset.
fn to_char(row: &Row<'_>, time: &V, format: &str) -> R<V> {
    let time = time.local()?;
    Ok(V::Text(match format {
        "Q" => (time.month0() / 3 + 1).to_string(),
        "IW" => format!("{:02}", time.iso_week().week()),
        "DDD" => format!("{:03}", time.ordinal()),
        "HH24" => format!("{:02}", time.hour()),
        "MI" => format!("{:02}", time.minute()),
        "SS" => format!("{:02}", time.second()),
        "SSSSS" => time.num_seconds_from_midnight().to_string(),
        "YYYY-MM-DD" | "YYYY\"-\"MM\"-\"DD" => time.format("%Y-%m-%d").to_string(),
        _ => return row.vaguely(V::from(format)),
    }))
}
