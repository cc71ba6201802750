//! Dates of different kinds side by side: those without a time, with one, and with an offset.
//!
//! A date counts as its midnight, a date and time without an offset as one at UTC. So one with an offset is an instant,
//! whose parts are those at UTC.

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Scalar, ScalarKind};
use crate::functions::Func;

use super::{CallParts, Cx, arithmetic, call, cast};

/// Casts dates that stand side by side to the widest kind among them, where the engine would compare their texts or
/// ask the session for its zone.
///
/// ```sql
/// -- before                                   -- after
/// "ShipDate" = "CreatedTime"                  "ShipDate" || ' 00:00:00' = "CreatedTime"
/// COALESCE("CreatedTime", "UpdatedTime")      COALESCE(TIMEZONE('UTC', "CreatedTime"), "UpdatedTime")
/// ```
pub(crate) fn same_dates<'a, 'e>(cx: &mut Cx<'a, 'e>, values: &mut [Scalar<'a, 'e>]) -> Result<()> {
    brought_to_one(cx, values, Feature::DateKinds)
}

/// Values of which a CASE, a COALESCE or a GREATEST gives one, brought to one kind of date as [`same_dates`] does.
pub(crate) fn one_date<'a, 'e>(cx: &mut Cx<'a, 'e>, values: &mut [Scalar<'a, 'e>]) -> Result<()> {
    brought_to_one(cx, values, Feature::DateValues)
}

fn brought_to_one<'a, 'e>(cx: &mut Cx<'a, 'e>, values: &mut [Scalar<'a, 'e>], feature: Feature) -> Result<()> {
    let Some(widest) = widest_date(cx, values, feature)? else { return Ok(()) };
    for value in values {
        if date_kind(value.ty).is_some_and(|kind| Some(kind) != date_kind(Some(widest))) {
            *value = cast::cast(cx, *value, widest)?;
        }
    }
    Ok(())
}

/// The type to which dates of different kinds have to be cast; none if they are of one kind, or if the engine takes
/// them as they are.
fn widest_date<'a, 'e>(cx: &mut Cx<'a, 'e>, values: &[Scalar<'a, 'e>], feature: Feature) -> Result<Option<DbType>> {
    let mut least = u8::MAX;
    let mut widest: Option<DbType> = None;
    for value in values {
        let Some(kind) = date_kind(value.ty) else { continue };
        least = least.min(kind);
        if date_kind(widest).is_none_or(|known| known < kind) {
            widest = value.ty;
        }
    }
    match date_kind(widest) {
        Some(kind) if kind > least => Ok(mixes(cx, least, kind, feature)?.then_some(widest).flatten()),
        _ => Ok(None),
    }
}

/// Whether two kinds of dates have to be brought to one: to be compared, or to be one value.
fn mixes(cx: &mut Cx<'_, '_>, one: u8, other: u8, feature: Feature) -> Result<bool> {
    if one == other {
        return Ok(false);
    }
    let feature = match one.max(other) {
        OFFSET => Feature::OffsetKinds,
        _ if !cx.target.has(Feature::DateKinds) => Feature::DateKinds,
        _ => feature,
    };
    Ok(cx.rule_for(feature)?.is_some())
}

/// `NULLIF` of dates of different kinds: the first stays as it is.
///
/// ```sql
/// -- before                             -- after
/// NULLIF("ShipDate", "CreatedTime")     CASE WHEN "ShipDate" || ' 00:00:00' = "CreatedTime" THEN NULL ELSE "ShipDate" END
/// ```
pub(super) fn null_if_same_date<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    args: &[Scalar<'a, 'e>],
) -> Result<Option<Scalar<'a, 'e>>> {
    let [left, right] = args else { return Ok(None) };
    let (Some(one), Some(other)) = (date_kind(left.ty), date_kind(right.ty)) else { return Ok(None) };
    if !mixes(cx, one, other, Feature::DateValues)? {
        return Ok(None);
    }
    arithmetic::null_if_case(cx, *left, *right).map(Some)
}

/// Dates in a column, which are of one kind where the engine takes them for texts.
pub(crate) fn one_kind(cx: &mut Cx<'_, '_>, what: &str, left: Option<DbType>, right: Option<DbType>) -> Result<()> {
    no_mixture(cx, what, left, right, Feature::DateValues)
}

/// An error if a date is looked for among those of a subquery that are of another kind, where the engine tells them apart.
pub(crate) fn one_kind_in_query(cx: &mut Cx<'_, '_>, left: Option<DbType>, right: Option<DbType>) -> Result<()> {
    no_mixture(cx, "IN of a subquery", left, right, Feature::DateKinds)
}

fn no_mixture(
    cx: &mut Cx<'_, '_>,
    what: &str,
    left: Option<DbType>,
    right: Option<DbType>,
    feature: Feature,
) -> Result<()> {
    match (date_kind(left), date_kind(right)) {
        (Some(one), Some(other)) if mixes(cx, one, other, feature)? => {
            let why = "they are of different kinds, with and without a time or an offset: CAST one of them";
            Err(cx.target.refused(format!("dates in {what}"), why))
        }
        _ => Ok(()),
    }
}

/// A given date that is moved by a given number of days, weeks, months, quarters or years is a given date, too.
///
/// ```sql
/// -- before                                                            -- after
/// "OrderDate" < CAST($1::date + $2::integer * INTERVAL '1 month' AS date)     "OrderDate" < $1
/// ```
pub(super) fn moved_date<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Option<Scalar<'a, 'e>> {
    let [date, number] = args else { return None };
    let Some(Value::Int(count)) = cx.value_of(number) else { return None };
    let moved = match cx.value_of(date)? {
        Value::Date(date) => moved(*date, func, *count)?.into(),
        Value::DateTime(at) => moved(at.date(), func, *count)?.and_time(at.time()).into(),
        _ => return None,
    };
    // In the text only if both are.
    let like = if matches!(number.kind, ScalarKind::Param(_)) { number } else { date };
    Some(cast::made_like(cx, like, moved, ty?))
}

/// A function of dates with an offset, on an engine that takes their parts in the session's zone.
///
/// ```sql
/// -- before                      -- after
/// EXTRACT(HOUR FROM updated)     EXTRACT(HOUR FROM TIMEZONE('UTC', updated))
/// DATE_TRUNC('day', updated)     TIMEZONE('UTC', DATE_TRUNC('day', TIMEZONE('UTC', updated)))
/// ```
///
/// Not for spans: a difference of instants is one in any zone.
pub(super) fn at_utc<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &[Scalar<'a, 'e>],
    ty: Option<DbType>,
    parts: CallParts<'a, 'e>,
) -> Result<Option<Scalar<'a, 'e>>> {
    use Func as F;
    if !(F::Year..=F::Format).contains(&func) || !has_offset(args) {
        return Ok(None);
    }
    let spans = matches!(
        func,
        F::AddHours
            | F::AddMinutes
            | F::AddSeconds
            | F::AddMilliseconds
            | F::DateDiffDays
            | F::DateDiffHours
            | F::DateDiffMinutes
            | F::DateDiffSeconds
            | F::DateDiffMilliseconds
            | F::ToUnixSeconds
    );
    let alike = args.iter().all(|arg| date_kind(arg.ty).is_none_or(|kind| kind == OFFSET));
    if spans && alike {
        return Ok(None);
    }
    let mut args = cx.copied(args);
    if cx.target.has(Feature::OffsetParts) {
        let before = date_kinds(&args);
        same_dates(cx, &mut args)?;
        if date_kinds(&args) == before {
            return Ok(None);
        }
        return call::call_with(cx, func, &args, ty, parts).map(Some);
    }
    cx.rule_for(Feature::OffsetParts)?;
    let plain = DbType::from(DbValueType::DateTime2);
    for arg in &mut args {
        if date_kind(arg.ty) == Some(OFFSET) {
            *arg = cast::cast(cx, *arg, plain)?;
        }
    }
    let result = if date_kind(ty) == Some(OFFSET) { Some(plain) } else { ty };
    let call = call::call_with(cx, func, &args, result, parts)?;
    match ty {
        Some(ty) if date_kind(Some(ty)) == Some(OFFSET) => cast::cast(cx, call, ty).map(Some),
        _ => Ok(Some(call)),
    }
}

/// A date so many days, weeks, months, quarters or years later; a day that the month lacks becomes its last. Nothing for
/// another function, or where there is no such date of four digits.
fn moved(date: NaiveDate, func: Func, count: i64) -> Option<NaiveDate> {
    let (days, months) = match func {
        Func::AddDays => (1, 0),
        Func::AddWeeks => (7, 0),
        Func::AddMonths => (0, 1),
        Func::AddQuarters => (0, 3),
        Func::AddYears => (0, 12),
        _ => return None,
    };
    let days = Days::new(count.unsigned_abs().checked_mul(days)?);
    let months = Months::new(u32::try_from(count.unsigned_abs().checked_mul(months)?).ok()?);
    let moved = if count < 0 {
        date.checked_sub_months(months)?.checked_sub_days(days)?
    } else {
        date.checked_add_months(months)?.checked_add_days(days)?
    };
    (1..=9_999).contains(&moved.year()).then_some(moved)
}

/// The kind of dates with an offset.
const OFFSET: u8 = 2;

fn date_kinds(values: &[Scalar<'_, '_>]) -> u32 {
    values.iter().fold(0, |all, value| all * 4 + u32::from(date_kind(value.ty).unwrap_or(3)))
}

/// Whether one of them has an offset.
pub(super) fn has_offset(values: &[Scalar<'_, '_>]) -> bool {
    values.iter().any(|value| date_kind(value.ty) == Some(OFFSET))
}

/// Dates, dates and times, and those with an offset are three kinds. A NULL without a type is of none.
fn date_kind(ty: Option<DbType>) -> Option<u8> {
    match ty {
        Some(ty) if ty.array => None,
        Some(ty) => match ty.base {
            DbValueType::Date => Some(0),
            DbValueType::DateTime | DbValueType::DateTime2 => Some(1),
            DbValueType::DateTimeOffset => Some(OFFSET),
            _ => None,
        },
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_move_by_units_and_stay_within_four_digits() {
        let date = |year, month, day| NaiveDate::from_ymd_opt(year, month, day);
        let start = date(2024, 1, 31).unwrap();
        for (func, count, there) in [
            (Func::AddDays, 1, date(2024, 2, 1)),
            (Func::AddDays, -31, date(2023, 12, 31)),
            (Func::AddWeeks, 2, date(2024, 2, 14)),
            (Func::AddMonths, 1, date(2024, 2, 29)),
            (Func::AddMonths, -2, date(2023, 11, 30)),
            (Func::AddQuarters, 1, date(2024, 4, 30)),
            (Func::AddYears, 7_975, date(9999, 1, 31)),
            (Func::AddYears, 7_976, None),
            (Func::AddYears, -2_023, date(1, 1, 31)),
            (Func::AddYears, -2_024, None),
            (Func::AddMonths, i64::MIN, None),
            (Func::AddDays, i64::MAX, None),
            (Func::AddHours, 1, None),
        ] {
            assert_eq!(moved(start, func, count), there, "{func:?} {count}");
        }
    }
}
