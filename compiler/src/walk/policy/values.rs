//! Values that engines do not agree on: some take them, some refuse them, some make them another value.

use chrono::{Datelike as _, NaiveDate};

use super::{Broken, PolicyRule};
use crate::expr::{FunctionExpr, UnaryExpr, UnaryOperator, Value, ValueBinaryExpr, ValueOperator, ValueTypeExpr};
use crate::functions::Func;

/// The years of dates that every engine has: 0001-01-01 to 9999-12-31.
const YEARS: std::ops::RangeInclusive<i32> = 1..=9999;

fn broken(message: impl Into<String>) -> Result<(), Broken> {
    Err((PolicyRule::Value, message.into()))
}

/// PostgreSQL refuses a NUL, SQLite's functions end a text there. MySQL has no year 0, PostgreSQL years before it.
pub(super) fn value(value: &Value) -> Result<(), Broken> {
    let has = |date: NaiveDate| YEARS.contains(&date.year());
    let fits = match value {
        Value::Text(text) if text.contains('\0') => return broken("a text has a NUL character"),
        Value::Date(date) => has(*date),
        Value::DateTime(at) => has(at.date()),
        Value::DateTimeOffset(at) => has(at.naive_utc().date()) && has(at.naive_local().date()),
        _ => true,
    };
    if fits { Ok(()) } else { broken("a date is outside of 0001-01-01 to 9999-12-31") }
}

/// A span that leads out of the years from any date in them: NULL on some engines, an error on others.
pub(super) fn span(node: &FunctionExpr) -> Result<(), Broken> {
    use Func as F;
    let (years, days): (i128, i128) = (9_999, 3_652_059);
    let most = match Func::from_name(node.name.as_str()) {
        Some(F::AddYears) => years,
        Some(F::AddQuarters) => years * 4,
        Some(F::AddMonths) => years * 12,
        Some(F::AddWeeks) => days / 7 + 1,
        Some(F::AddDays) => days,
        Some(F::AddHours) => days * 24,
        Some(F::AddMinutes) => days * 24 * 60,
        Some(F::AddSeconds) => days * 24 * 60 * 60,
        Some(F::AddMilliseconds) => days * 24 * 60 * 60 * 1_000,
        _ => return Ok(()),
    };
    match node.args.get(1).and_then(whole) {
        Some(span) if span.abs() >= most => {
            broken(format!("`{}` leads out of the years 1 to 9999 from any date", node.name))
        }
        _ => Ok(()),
    }
}

/// A whole number that has more than 64 bits: an error on most engines, a double on SQLite.
pub(super) fn computed(node: &ValueBinaryExpr) -> Result<(), Broken> {
    let (Some(left), Some(right)) = (whole(&node.left), whole(&node.right)) else { return Ok(()) };
    let result = match node.operator {
        ValueOperator::Add => left.checked_add(right),
        ValueOperator::Subtract => left.checked_sub(right),
        ValueOperator::Multiply => left.checked_mul(right),
        _ => return Ok(()),
    };
    fits(result)
}

pub(super) fn negated(node: &UnaryExpr) -> Result<(), Broken> {
    match whole(&node.operand) {
        Some(number) if node.operator == UnaryOperator::Negative => fits(number.checked_neg()),
        _ => Ok(()),
    }
}

fn fits(result: Option<i128>) -> Result<(), Broken> {
    match result.map(i64::try_from) {
        Some(Ok(_)) => Ok(()),
        _ => broken("a computed number is outside of 64 bits"),
    }
}

/// The whole number that a tree has written out.
fn whole(value: &ValueTypeExpr) -> Option<i128> {
    let ValueTypeExpr::Value(node) = value else { return None };
    match &node.value {
        Value::Int(number) => Some((*number).into()),
        Value::UInt(number) => Some((*number).into()),
        _ => None,
    }
}
