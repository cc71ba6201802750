//! Comparisons of a part of a column's time, or of a time beside it, become comparisons of the column itself: an index on it
//! serves them.
//!
//! ```sql
//! -- before                       -- after
//! YEAR(at) = 2024                 at >= '2024-01-01' AND at < '2025-01-01'
//! YEAR(at) > 2024                 at >= '2025-01-01'
//! at + INTERVAL 30 DAY > ?        at > ?                       with a value 30 days before
//! ```
//!
//! Exact, but for a time that would leave the calendar: what engines answer differently, or with an error, is compared then.

use chrono::{Days, NaiveDate, NaiveDateTime, TimeDelta};

use crate::error::{At, Result};
use crate::expr::{DbValueType as T, FunctionExpr, LogicBinaryExpr, Value, ValueTypeExpr};
use crate::frame::{CompareOp, Pred};
use crate::functions::Func;
use crate::legalize::{compare, logic, typed};
use crate::model::coerce;

use super::Resolver;
use super::scope::NameScope;

/// Where a function of a column begins and ends being a value, or what the column is compared with in its place.
enum Period {
    /// It has the value from the first on, and before the second.
    Between(Value, Value),
    /// It compares as the column does with this.
    Beside(Value),
}

impl<'a, 'e> Resolver<'_, '_, 'a, 'e> {
    /// A comparison of a function of a column with a plain value, as one of the column, if it is one of those.
    pub(super) fn of_period(
        &mut self,
        scope: &NameScope<'_, 'a>,
        node: &'e LogicBinaryExpr,
        op: CompareOp,
    ) -> Result<Option<Pred<'a, 'e>>> {
        let (ValueTypeExpr::Function(function), ValueTypeExpr::Value(value)) = (&node.left, &node.right) else {
            return Ok(None);
        };
        if !self.context().in_filter || self.cx.constants_only {
            // A key of a group is known again by what it is.
            return Ok(None);
        }
        let plain = op.is_of_order() || matches!(op, CompareOp::Equal | CompareOp::NotEqual);
        let Some(ValueTypeExpr::Property(property)) = function.args.first().filter(|_| plain && !value.is_const) else {
            return Ok(None);
        };
        if self.cx.target.registry().find_function(function.name.as_str()).is_some() {
            return Ok(None);
        }
        let Some(func) =
            Func::from_name(function.name.as_str()).filter(|func| *func == Func::Year || step(*func).is_some())
        else {
            return Ok(None);
        };
        let column = self.property(scope, property).at_index(0).at(function.name.as_str()).at("Left")?;
        let plain = function.order_by.is_empty() && function.filter.is_none();
        let Some(ty) = column.column.and(column.ty).map(|ty| ty.base).filter(|ty| plain && is_of_calendar(*ty)) else {
            return Ok(None);
        };
        // Whether it becomes another comparison, and with what, depends on the values.
        self.cx.looked.set(true);
        let Some(period) = period(func, function, &value.value, ty) else { return Ok(None) };
        let mut beside = |op, value| {
            let value = self.cx.made(value, column.ty);
            compare::compare(self.cx, column, op, typed(value))
        };
        use CompareOp as O;
        Ok(Some(match (period, op) {
            (Period::Beside(value), op) => beside(op, value)?,
            (Period::Between(first, _), O::Less | O::GreaterOrEqual) => beside(op, first)?,
            (Period::Between(_, next), O::LessOrEqual) => beside(O::Less, next)?,
            (Period::Between(_, next), O::Greater) => beside(O::GreaterOrEqual, next)?,
            (Period::Between(first, next), O::NotEqual) => {
                let sides = [beside(O::Less, first)?, beside(O::GreaterOrEqual, next)?];
                logic::any(self.cx, &sides)
            }
            (Period::Between(first, next), _) => {
                let sides = [beside(O::GreaterOrEqual, first)?, beside(O::Less, next)?];
                logic::all(self.cx, &sides)
            }
        }))
    }
}

/// How long one of what a function adds is, in seconds.
fn step(func: Func) -> Option<i64> {
    Some(match func {
        Func::AddDays => 86_400,
        Func::AddHours => 3_600,
        Func::AddMinutes => 60,
        Func::AddSeconds => 1,
        _ => return None,
    })
}

/// Whether values of the type have a place in the calendar, whatever the time is elsewhere.
fn is_of_calendar(ty: T) -> bool {
    matches!(ty, T::Date | T::DateTime | T::DateTime2)
}

fn period(func: Func, function: &FunctionExpr, value: &Value, ty: T) -> Option<Period> {
    let is_day = ty == T::Date;
    match (func, function.args.as_slice(), value) {
        (Func::Year, [_], Value::Int(year @ 1..9_999)) => {
            let first = |year: i64| {
                let day = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, 1, 1)?;
                Some(if is_day { Value::Date(day) } else { Value::DateTime(day.and_hms_opt(0, 0, 0)?) })
            };
            Some(Period::Between(first(*year)?, first(year + 1)?))
        }
        (_, [_, ValueTypeExpr::Value(count)], value) => {
            let Value::Int(count) = count.value else { return None };
            let seconds = count.checked_mul(step(func)?)?;
            match (coerce(value, ty.into(), None).ok()?.as_ref(), value) {
                (Value::Date(day), Value::Date(_) | Value::Text(_)) if func == Func::AddDays => {
                    let days = Days::new(count.unsigned_abs());
                    let before = if count < 0 { day.checked_add_days(days) } else { day.checked_sub_days(days) };
                    before.filter(in_calendar).map(|day| Period::Beside(Value::Date(day)))
                }
                (Value::DateTime(at), Value::DateTime(_) | Value::Text(_)) => {
                    let before: NaiveDateTime = at.checked_sub_signed(TimeDelta::try_seconds(seconds)?)?;
                    Some(before).filter(|at| in_calendar(&at.date())).map(|at| Period::Beside(Value::DateTime(at)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether all engines have the day.
fn in_calendar(day: &NaiveDate) -> bool {
    use chrono::Datelike as _;
    (1..=9_999).contains(&day.year())
}
