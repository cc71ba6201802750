//! What SQL Server's functions give, as its documentation says.
//!
//! `learn.microsoft.com/sql/t-sql/functions/NAME-transact-sql` is the page of each function; what a line says beyond it
//! has its source beside it.

use std::cmp::Ordering;

use bigdecimal::RoundingMode;
use isogloss_compiler::chrono::{Datelike as _, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _};
use isogloss_compiler::uuid::Uuid;

use super::evaluate::{Row, StandIn};
use super::value::{R, Stop, V, add_months, arithmetic, fault, last_day, round, truncate, unknown};

/// SQL Server in any version: a function that a version lacks is not in a text for it.
pub struct TSql;

/// The first day of the week is the session's: Wednesday, which no default is.
const DATEFIRST: i64 = 3;

impl StandIn for TSql {
    fn call(&self, row: &Row<'_>, name: &str, args: &[V]) -> R<V> {
        // CONCAT_WS, GREATEST and LEAST pass over NULL.
        let skips = matches!(
            name,
            "ISNULL" | "CONCAT_WS" | "GREATEST" | "LEAST" | "JSON_ARRAY" | "JSON_OBJECT" | "JSON_MODIFY"
        );
        if !skips && args.iter().any(V::is_null) {
            return Ok(V::Null);
        }
        let real = |place: usize| args[place].real();
        Ok(match (name, args) {
            // Of the type of the first.
            ("ISNULL", [value, other]) => if value.is_null() { other } else { value }.clone(),
            // Trailing blanks are not counted.
            ("LEN", [text]) => length(text.text()?.trim_end_matches(' ').chars().count()),
            // The bytes of nvarchar are two for each character; of any other text they are as many or fewer.
            ("DATALENGTH", [V::Bytes(bytes)]) => length(bytes.len()),
            ("DATALENGTH", [text]) => length(text.text()?.encode_utf16().count() * 2),
            ("LOWER", [text]) => V::Text(text.text()?.to_lowercase()),
            ("UPPER", [text]) => V::Text(text.text()?.to_uppercase()),
            ("TRIM", [text]) => V::from(text.text()?.trim_matches(' ')),
            // TRIM(characters FROM text).
            ("TRIM FROM", [set, text]) => V::from(text.text()?.trim_matches(&set.chars()?[..])),
            ("LTRIM", [text]) => V::from(text.text()?.trim_start_matches(' ')),
            ("LTRIM", [text, set]) => V::from(text.text()?.trim_start_matches(&set.chars()?[..])),
            ("RTRIM", [text]) => V::from(text.text()?.trim_end_matches(' ')),
            ("RTRIM", [text, set]) => V::from(text.text()?.trim_end_matches(&set.chars()?[..])),
            // A start before 1 takes as many characters less; a negative length is an error.
            ("SUBSTRING", [text, start, count]) => {
                let (start, count) = (start.count()?, count.count()?);
                if count < 0 {
                    return fault("a negative length for SUBSTRING");
                }
                let (from, to) = ((start - 1).max(0), start.saturating_add(count).saturating_sub(1).max(0));
                slice(&text.chars()?, from, to)
            }
            ("LEFT", [text, count]) => match count.count()? {
                ..0 => return fault("a negative length for LEFT"),
                count => slice(&text.chars()?, 0, count),
            },
            ("RIGHT", [text, count]) => match (count.count()?, text.chars()?) {
                (..0, _) => return fault("a negative length for RIGHT"),
                (count, chars) => slice(&chars, i64::try_from(chars.len()).unwrap_or(0) - count, i64::MAX),
            },
            ("REVERSE", [text]) => V::Text(text.chars()?.into_iter().rev().collect()),
            // NULL of a negative count.
            ("REPLICATE", [text, count]) => match usize::try_from(count.count()?) {
                Ok(count) => V::Text(text.text()?.repeat(count)),
                Err(_) => V::Null,
            },
            // The empty text is found nowhere, and replaced by nothing.
            ("REPLACE", [text, old, new]) => match old.text()? {
                old if old.is_empty() => text.clone(),
                old => V::Text(text.text()?.replace(&old, &new.text()?)),
            },
            // 0 of the empty text; a start below 1 is the beginning.
            ("CHARINDEX", [part, text]) => position(&part.chars()?, &text.chars()?, 1),
            ("CHARINDEX", [part, text, start]) => position(&part.chars()?, &text.chars()?, start.count()?),
            // NULL of the empty text.
            ("ASCII", [text]) => match text.chars()?.first() {
                Some(c) => V::Int(u32::from(*c).into()),
                None => V::Null,
            },
            ("NCHAR", [code]) => match u32::try_from(code.int()?).ok().and_then(char::from_u32) {
                Some(c) => V::Text(c.to_string()),
                None => V::Null,
            },
            // A separator that is NULL is the empty text; two values at least.
            ("CONCAT_WS", [separator, first, second, rest @ ..]) => {
                let parts = [first, second].into_iter().chain(rest).filter(|part| !part.is_null());
                let parts = parts.map(V::text).collect::<R<Vec<_>>>()?;
                V::Text(parts.join(&if separator.is_null() { String::new() } else { separator.text()? }))
            }
            // Only the pattern `b` is asked for, which is a text as well.
            ("REGEXP_REPLACE", [text, pattern, new, ..]) => {
                V::Text(text.text()?.replace(&pattern.text()?, &new.text()?))
            }
            ("REGEXP_SUBSTR", [text, pattern, ..]) => {
                if text.text()?.contains(&pattern.text()?) {
                    pattern.clone()
                } else {
                    V::Null
                }
            }
            ("REGEXP_COUNT", [text, pattern, ..]) => length(text.text()?.matches(&pattern.text()?).count()),
            ("ABS", [V::Real(number)]) => V::Real(number.abs()),
            ("ABS", [V::Int(number)]) => V::Int(number.abs()),
            ("ABS", [number]) => V::Dec(number.decimal()?.abs()),
            // It has the type of its argument.
            ("SIGN", [V::Real(number)]) => V::Real(if *number == 0.0 { 0.0 } else { number.signum() }),
            ("SIGN", [number]) => V::Int(number.decimal()?.cmp(&0.into()) as i128),
            ("CEILING", [number]) => round(number, 0, RoundingMode::Ceiling)?,
            ("FLOOR", [number]) => round(number, 0, RoundingMode::Floor)?,
            ("ROUND", [number, digits]) => round(number, digits.count()?.clamp(-40, 40), RoundingMode::HalfUp)?,
            // A third argument that is not 0 cuts.
            ("ROUND", [number, digits, _]) => round(number, digits.count()?.clamp(-40, 40), RoundingMode::Down)?,
            ("SQRT", [_]) => V::Real(in_domain(real(0)? >= 0.0, real(0)?.sqrt())?),
            // It has the type of its first argument.
            ("POWER", [V::Int(base), exponent]) => {
                let power = u32::try_from(exponent.int()?).ok().and_then(|exponent| base.checked_pow(exponent));
                match power.filter(|power| i64::try_from(*power).is_ok()) {
                    Some(power) => V::Int(power),
                    None => return fault("a power over 64 bits"),
                }
            }
            ("POWER", [_, _]) => {
                let power = real(0)?.powf(real(1)?);
                V::Real(in_domain(power.is_finite(), power)?)
            }
            ("EXP", [_]) => V::Real(real(0)?.exp()),
            ("LOG", [_]) => V::Real(in_domain(real(0)? > 0.0, real(0)?.ln())?),
            ("LOG", [_, _]) => V::Real(in_domain(real(0)? > 0.0, real(0)?.log(real(1)?))?),
            ("LOG10", [_]) => V::Real(in_domain(real(0)? > 0.0, real(0)?.log10())?),
            ("SIN", [_]) => V::Real(real(0)?.sin()),
            ("COS", [_]) => V::Real(real(0)?.cos()),
            ("TAN", [_]) => V::Real(real(0)?.tan()),
            ("ASIN", [_]) => V::Real(in_domain(real(0)?.abs() <= 1.0, real(0)?.asin())?),
            ("ACOS", [_]) => V::Real(in_domain(real(0)?.abs() <= 1.0, real(0)?.acos())?),
            ("ATAN", [_]) => V::Real(real(0)?.atan()),
            // Both zero is a domain error.
            ("ATN2", [_, _]) => V::Real(in_domain(real(0)? != 0.0 || real(1)? != 0.0, real(0)?.atan2(real(1)?))?),
            ("DEGREES", [V::Real(number)]) => V::Real(number.to_degrees()),
            ("RADIANS", [V::Real(number)]) => V::Real(number.to_radians()),
            ("PI", []) => V::Real(std::f64::consts::PI),
            ("RAND", [_]) => row.vaguely(V::Real(0.5))?,
            ("CHECKSUM", [_]) => V::Int(7),
            ("NEWID", []) => row.draw(V::Guid(Uuid::from_u128(7)))?,
            // NULL arguments are passed over; NULL if all are.
            ("GREATEST" | "LEAST", args) => {
                let mut best = V::Null;
                for arg in args.iter().filter(|arg| !arg.is_null()) {
                    let wanted = if name == "GREATEST" { Ordering::Greater } else { Ordering::Less };
                    if best.is_null() || self.compare(arg, &best)? == wanted {
                        best = arg.clone();
                    }
                }
                self.of_arms(best, args)?
            }
            ("LEFT_SHIFT", [number, distance]) => match u32::try_from(distance.int()?) {
                Ok(distance @ ..=63) => V::Int(i128::from((number.count()?) << distance)),
                _ => return unknown("a shift out of range"),
            },
            ("RIGHT_SHIFT", [number, distance]) => match u32::try_from(distance.int()?) {
                Ok(distance @ ..=63) => V::Int(number.int()? >> distance),
                _ => return unknown("a shift out of range"),
            },
            ("SYSDATETIME" | "SYSUTCDATETIME", []) => row.vaguely(V::Moment(NaiveDateTime::default()))?,
            ("YEAR", [date]) => V::Int(date.local()?.year().into()),
            ("MONTH", [date]) => V::Int(date.local()?.month().into()),
            ("DAY", [date]) => V::Int(date.local()?.day().into()),
            ("DATEPART", [V::Text(part), time]) => V::Int(date_part(part, time)?.into()),
            // The number is an int; the result has the type of the date.
            ("DATEADD", [V::Text(unit), count, time]) => match i32::try_from(count.int()?) {
                Ok(count) => date_add(unit, count.into(), time)?,
                Err(_) => return fault("a number over 32 bits for DATEADD"),
            },
            // The borders between units that lie between both, at UTC.
            ("DATEDIFF_BIG", [V::Text(unit), from, to]) => {
                V::Int(borders(unit, to.utc()?)? - borders(unit, from.utc()?)?)
            }
            ("DATEFROMPARTS", [year, month, day]) => {
                let part = |part: &V| part.int().map(|part| u32::try_from(part).unwrap_or(u32::MAX));
                let year = i32::try_from(year.int()?).unwrap_or(0);
                match NaiveDate::from_ymd_opt(year, part(month)?, part(day)?).filter(|_| (1..=9999).contains(&year)) {
                    Some(date) => V::Date(date),
                    None => return fault("parts of no date"),
                }
            }
            ("DATETRUNC", [V::Text(unit), time]) => like(time, truncate(time.local()?, unit)?)?,
            ("EOMONTH", [time]) => {
                let day = time.local()?.date();
                V::Date(day.with_day(last_day(day.year(), day.month())?).unwrap_or(day))
            }
            ("SWITCHOFFSET", [V::Instant(time), _]) => V::Instant(time.to_utc().fixed_offset()),
            ("FORMAT", [_, pattern, _]) => row.vaguely(pattern.clone())?,
            // 1 or 0 whether the text is an object or an array; with VALUE, whether it is any JSON.
            ("ISJSON", [text, rest @ ..]) => {
                let document = serde_json::from_str::<serde_json::Value>(&text.text()?);
                let of_kind =
                    |document: serde_json::Value| !rest.is_empty() || document.is_object() || document.is_array();
                V::Int(document.is_ok_and(of_kind).into())
            }
            // NULL where there is nothing at the path, too.
            ("JSON_VALUE" | "JSON_QUERY", [_, _]) => row.vaguely(V::from("{}"))?,
            ("JSON_PATH_EXISTS", [_, _]) => row.vaguely(V::Int(1))?,
            ("JSON_MODIFY", [V::Null, ..]) => V::Null,
            ("JSON_MODIFY" | "JSON_ARRAY" | "JSON_OBJECT", [..]) => row.vaguely(V::from("{}"))?,
            ("STRING_ESCAPE", [text, _]) => row.vaguely(text.clone())?,
            // CONVERT(type, value, style): bytes as hexadecimal digits by style 2, a double with all digits by style 3.
            ("CONVERT", [_, V::Bytes(bytes), _]) => V::Text(bytes.iter().map(|byte| format!("{byte:02X}")).collect()),
            ("CONVERT", [_, value, _]) => row.vaguely(V::Text(format!("{value:?}")))?,
            _ => return unknown(format!("{name} of {} arguments", args.len())),
        })
    }

    fn word(&self, _: &Row<'_>, word: &str) -> R<V> {
        match word {
            "@@DATEFIRST" => Ok(V::Int(DATEFIRST.into())),
            _ => unknown(format!("the word {word}")),
        }
    }

    fn cast(&self, value: V, ty: &str) -> R<V> {
        let name = ty.split('(').next().unwrap_or_default().trim();
        Ok(match (name, &value) {
            ("NVARCHAR" | "VARCHAR" | "CHAR", V::Guid(key)) => V::Text(key.to_string().to_uppercase()),
            ("NVARCHAR" | "VARCHAR" | "CHAR", V::Bit(bit)) => V::Text(u8::from(*bit).to_string()),
            ("NVARCHAR" | "VARCHAR" | "CHAR", value) => V::Text(value.text()?),
            ("BIGINT" | "INT" | "TINYINT" | "SMALLINT", value) => V::Int(value.int()?),
            ("BIT", value) => V::Bit(value.int()? != 0),
            ("FLOAT", value) => V::Real(match value {
                V::Text(text) => text.trim().parse().or_else(|_| fault("no number"))?,
                value => value.real()?,
            }),
            ("DECIMAL" | "NUMERIC", value) => V::Dec(value.decimal()?),
            ("DATE", value) => V::Date(value.local()?.date()),
            ("TIME", value) => V::Time(value.clock()?),
            ("DATETIME2", value) => V::Moment(value.local()?),
            ("DATETIMEOFFSET", V::Instant(time)) => V::Instant(*time),
            ("DATETIMEOFFSET", value) => V::Instant(value.local()?.and_utc().fixed_offset()),
            ("UNIQUEIDENTIFIER", V::Guid(key)) => V::Guid(*key),
            ("UNIQUEIDENTIFIER", value) => match value.text()?.parse() {
                Ok(key) => V::Guid(key),
                Err(_) => return fault("no uniqueidentifier"),
            },
            _ => return unknown(format!("a CAST to {ty}")),
        })
    }

    /// `+` of texts joins them; a number beside a text is one of the text's.
    fn binary(&self, left: &V, operator: &str, right: &V) -> R<V> {
        match (left, operator, right) {
            (V::Text(a), "+", V::Text(b)) => Ok(V::Text(format!("{a}{b}"))),
            (V::Text(_), _, number) => self.binary(&V::Int(left.int()?), operator, number),
            (number, _, V::Text(_)) => self.binary(number, operator, &V::Int(right.int()?)),
            _ => arithmetic(left, operator, right, true),
        }
    }

    fn concat(&self, _: V, _: V) -> R<V> {
        fault("SQL Server has no ||")
    }

    fn stored(&self, value: V) -> V {
        value
    }

    /// Blanks at the end of texts do not count; a text beside a number or a date is one.
    fn compare(&self, left: &V, right: &V) -> R<Ordering> {
        match (left, right) {
            (V::Text(a), V::Text(b)) => Ok(a.trim_end_matches(' ').cmp(b.trim_end_matches(' '))),
            (V::Text(_), V::Int(_)) => V::Int(left.int()?).compare(right),
            (V::Int(_), V::Text(_)) => left.compare(&V::Int(right.int()?)),
            _ => left.compare(right),
        }
    }

    fn number(&self, digits: &str) -> R<V> {
        if digits.contains(['e', 'E']) {
            return digits.parse().map_or_else(|_| fault(digits), |number| Ok(V::Real(number)));
        }
        if let Ok(number) = digits.parse() {
            return Ok(V::Int(number));
        }
        digits.parse().map_or_else(|_| fault(digits), |number| Ok(V::Dec(number)))
    }

    /// "COALESCE is rewritten by the query optimizer as a CASE expression", "NULLIF is equivalent to a searched CASE",
    /// and a simple CASE is one whose WHENs each compare the operand: all compute it more than once.
    fn writes_out(&self) -> bool {
        true
    }

    /// The type of a CASE is that of the highest precedence among its results
    /// (`t-sql/data-types/data-type-precedence-transact-sql`).
    fn of_arms(&self, value: V, arms: &[V]) -> R<V> {
        let rank = |value: &V| match value {
            V::Null => 0,
            V::Bytes(_) => 1,
            V::Text(_) => 2,
            V::Guid(_) => 3,
            V::Bit(_) => 4,
            V::Int(_) => 5,
            V::Dec(_) => 6,
            V::Real(_) => 7,
            V::Time(_) => 8,
            V::Date(_) => 9,
            V::Moment(_) | V::Day(_) => 10,
            V::Instant(_) | V::Span(_) => 11,
        };
        let highest = arms.iter().max_by_key(|arm| rank(arm));
        match (highest, value) {
            (_, V::Null) | (None, _) => Ok(V::Null),
            (Some(arm), value) if rank(arm) <= rank(&value) => Ok(value),
            (Some(V::Bit(_)), value) => self.cast(value, "BIT"),
            (Some(V::Int(_)), value) => self.cast(value, "INT"),
            (Some(V::Dec(_)), value) => self.cast(value, "DECIMAL"),
            (Some(V::Real(_)), value) => self.cast(value, "FLOAT"),
            (Some(V::Moment(_)), value) => self.cast(value, "DATETIME2"),
            (Some(V::Instant(_)), value) => self.cast(value, "DATETIMEOFFSET"),
            (Some(V::Guid(_)), value) => self.cast(value, "UNIQUEIDENTIFIER"),
            (Some(arm), value) => fault(format!("a CASE of {value:?} and {arm:?}")),
        }
    }
}

fn length(count: usize) -> V {
    V::Int(i128::try_from(count).unwrap_or(i128::MAX))
}

fn in_domain(holds: bool, number: f64) -> R<f64> {
    if holds { Ok(number) } else { Err(Stop::Domain) }
}

/// The characters from a place to another one.
pub fn slice(text: &[char], from: i64, to: i64) -> V {
    let place = |place: i64| usize::try_from(place.max(0)).unwrap_or(usize::MAX).min(text.len());
    V::Text(text.get(place(from)..place(to).max(place(from))).unwrap_or_default().iter().collect())
}

/// Where a text is first found, from 1; 0 if it is nowhere, or empty.
fn position(part: &[char], text: &[char], start: i64) -> V {
    let start = usize::try_from(start.max(1) - 1).unwrap_or(usize::MAX);
    let found = (start..text.len()).find(|at| !part.is_empty() && text[*at..].starts_with(part));
    found.map_or(V::Int(0), |at| length(at + 1))
}

fn date_part(part: &str, time: &V) -> R<i64> {
    if let "hour" | "minute" | "second" | "millisecond" = part {
        let clock = time.clock()?;
        return Ok(match part {
            "hour" => clock.hour().into(),
            "minute" => clock.minute().into(),
            "second" => clock.second().into(),
            _ => (clock.nanosecond() / 1_000_000).into(),
        });
    }
    let day = time.local()?.date();
    Ok(match part {
        "year" => day.year().into(),
        "quarter" => (day.month0() / 3 + 1).into(),
        "month" => day.month().into(),
        "day" => day.day().into(),
        "dayofyear" => day.ordinal().into(),
        "iso_week" => day.iso_week().week().into(),
        "weekday" => (i64::from(day.weekday().number_from_monday()) - DATEFIRST + 7) % 7 + 1,
        _ => return unknown(format!("DATEPART({part})")),
    })
}

/// A date or time of the type of another one.
fn like(kind: &V, time: NaiveDateTime) -> R<V> {
    Ok(match kind {
        V::Date(_) if time.time() == NaiveTime::MIN => V::Date(time.date()),
        V::Moment(_) | V::Text(_) => V::Moment(time),
        V::Instant(of) => match time.and_local_timezone(*of.offset()).single() {
            Some(time) => V::Instant(time),
            None => return fault("no such time"),
        },
        _ => return fault(format!("a time for {kind:?}")),
    })
}

fn date_add(unit: &str, count: i64, time: &V) -> R<V> {
    let local = time.local()?;
    let span = match unit {
        "year" => return like(time, add_months(local, count * 12)?),
        "quarter" => return like(time, add_months(local, count * 3)?),
        "month" => return like(time, add_months(local, count)?),
        "week" => TimeDelta::weeks(count),
        "day" => TimeDelta::days(count),
        // A date takes no units of a time.
        _ if matches!(time, V::Date(_)) => return fault(format!("DATEADD({unit}) of a date")),
        "hour" => TimeDelta::hours(count),
        "minute" => TimeDelta::minutes(count),
        "second" => TimeDelta::seconds(count),
        "millisecond" => TimeDelta::milliseconds(count),
        _ => return unknown(format!("DATEADD({unit})")),
    };
    like(time, local + span)
}

/// How many units began before a time.
fn borders(unit: &str, time: NaiveDateTime) -> R<i128> {
    let micros = i128::from(time.and_utc().timestamp_micros());
    let day = time.date();
    Ok(match unit {
        "month" => i128::from(day.year()) * 12 + i128::from(day.month0()),
        "day" => i128::from(day.num_days_from_ce()),
        "second" => micros.div_euclid(1_000_000),
        "microsecond" => micros,
        _ => return unknown(format!("DATEDIFF_BIG({unit})")),
    })
}
