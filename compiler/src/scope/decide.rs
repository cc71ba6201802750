//! Whether a row satisfies a condition, as far as its plain values tell.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, PropertyExpr, Value, ValueTypeExpr};
use crate::model::Column;
use crate::resolve::fit_equal;

/// What is known of a row's property: its value, and the column that holds it.
pub(crate) type KnownValue<'v> = (&'v Value, &'v Column);

/// How deep a condition is looked into.
const DEPTH: usize = 64;

/// Whether a row satisfies a condition: only said where every engine says so, whatever its texts are compared by. What is
/// unknown to SQL, as NULL makes it, is open too.
pub(crate) fn decide<'v>(condition: &LogicExpr, row: &dyn Fn(&PropertyExpr) -> Option<KnownValue<'v>>) -> Option<bool> {
    decide_at(condition, row, DEPTH)
}

fn decide_at<'v>(
    condition: &LogicExpr,
    row: &dyn Fn(&PropertyExpr) -> Option<KnownValue<'v>>,
    depth: usize,
) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    match condition {
        LogicExpr::And(node) => all(node.items.iter().map(|item| decide_at(item, row, depth))),
        LogicExpr::Or(node) => Some(!all(node.items.iter().map(|item| decide_at(item, row, depth).map(|is| !is)))?),
        LogicExpr::Not(node) => decide_at(&node.operand, row, depth).map(|is| !is),
        LogicExpr::IsTrue(value) => match &**value {
            ValueTypeExpr::Property(property) => match row(property)?.0 {
                Value::Bool(truth) => Some(*truth),
                _ => None,
            },
            _ => None,
        },
        LogicExpr::Binary(node) => compare(node, row),
        LogicExpr::Foreign(_) | LogicExpr::Exists(_) | LogicExpr::Sql(_) => None,
    }
}

/// Whether all are true: open, unless one is false or all are known.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for part in parts {
        match part {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = None,
        }
    }
    known
}

fn compare<'v>(node: &LogicBinaryExpr, row: &dyn Fn(&PropertyExpr) -> Option<KnownValue<'v>>) -> Option<bool> {
    use LogicOperator as O;
    let (property, operator, other) = match (&node.left, &node.right) {
        (ValueTypeExpr::Property(property), ValueTypeExpr::Value(value)) => (property, node.operator, &value.value),
        (ValueTypeExpr::Value(value), ValueTypeExpr::Property(property)) => {
            (property, node.operator.reverse()?, &value.value)
        }
        _ => return None,
    };
    let (value, column) = row(property)?;
    let holds = match operator.positive() {
        O::In => {
            let Value::List(items) = other else { return None };
            let none = all(items.iter().map(|item| order(value, item, column).map(|order| order.is_ne())));
            none.map(|none| !none)
        }
        O::Equal | O::IsNotDistinctFrom if value.is_null() || other.is_null() => {
            // Of an equality, the compiler makes a test for NULL where it is written; where the row has it, it is unknown.
            let known = other.is_null() || operator.positive() == O::IsNotDistinctFrom;
            known.then(|| value.is_null() == other.is_null())
        }
        O::Equal | O::IsNotDistinctFrom => order(value, other, column).map(Ordering::is_eq),
        O::GreaterThan => order(value, other, column).map(Ordering::is_gt),
        O::LessThan => order(value, other, column).map(Ordering::is_lt),
        _ => None,
    };
    holds.map(|holds| holds != operator.is_negated())
}

/// How a value of a row stands to a constant, in the column's type. Of texts and bytes only those that are the same are
/// known to be equal: others may be, to an engine that does not look at case.
fn order(value: &Value, other: &Value, column: &Column) -> Option<Ordering> {
    let fitted = |value| fit_equal(value, Some(column), Some(column.ty)).ok();
    let (value, other): (Cow<'_, Value>, Cow<'_, Value>) = (fitted(value)?, fitted(other)?);
    match (&*value, &*other) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::UInt(a), Value::UInt(b)) => Some(a.cmp(b)),
        (Value::Int(_), Value::UInt(_)) => Some(Ordering::Less),
        (Value::UInt(_), Value::Int(_)) => Some(Ordering::Greater),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Decimal(a), Value::Decimal(b)) => Some(a.cmp(b)),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Some(a.cmp(b)),
        (Value::DateTime(a), Value::DateTime(b)) => Some(a.cmp(b)),
        (Value::DateTimeOffset(a), Value::DateTimeOffset(b)) => Some(a.cmp(b)),
        (Value::TimeSpan(a), Value::TimeSpan(b)) => Some(a.cmp(b)),
        (a, b) => (a == b).then_some(Ordering::Equal),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops where it fails")]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, exists, prop};
    use crate::model::sample;

    fn asked(condition: impl Into<LogicExpr>, values: &[(&str, Value)]) -> Option<bool> {
        let catalog = sample::catalog();
        let (_, user) = catalog.entity("User").unwrap();
        decide(&condition.into(), &|property| {
            let value = values.iter().find(|(name, _)| *name == property.name.as_str());
            Some((&value?.1, user.column(property.name.as_str())?.1))
        })
    }

    #[test]
    fn what_plain_values_decide() {
        let row = [("Age", 30.into()), ("Name", "Ann".into()), ("DeptId", Value::Null)];
        for (condition, answer) in [
            (prop("Age").eq(30), Some(true)),
            (prop("Age").eq(31), Some(false)),
            (prop("Age").ne(31), Some(true)),
            (prop("Age").ge(30) & prop("Age").lt(31), Some(true)),
            (prop("Age").gt(30) | prop("Age").le(29), Some(false)),
            (!prop("Age").eq(30), Some(false)),
            (prop("Age").in_list([1, 30]), Some(true)),
            (prop("Age").in_list([1, 2]), Some(false)),
            (prop("Age").in_list(Vec::<i32>::new()), Some(false)),
            (prop("Age").not_in_list([1, 2]), Some(true)),
            (prop("DeptId").is_null(), Some(true)),
            (prop("DeptId").is_not_null(), Some(false)),
            (prop("Age").is_null(), Some(false)),
            (LogicExpr::Or(std::iter::empty::<LogicExpr>().collect()), Some(false)),
        ] {
            assert_eq!(asked(condition.clone(), &row), answer, "{condition}");
        }
    }

    #[test]
    fn what_an_engine_may_see_otherwise_is_open() {
        let row = [("Age", 30.into()), ("Name", "Ann".into()), ("DeptId", Value::Null)];
        for condition in [
            prop("Name").eq("ANN"),
            prop("Name").ne("ANN"),
            prop("Name").gt("A"),
            prop("DeptId").eq(1),
            !prop("DeptId").eq(1),
            prop("DeptId").not_in_list([1]),
            prop("Id").eq(1),
            prop("Age").eq(prop("Id")),
            exists("Order", prop("Id").eq(1)).into(),
        ] {
            assert_eq!(asked(condition.clone(), &row), None, "{condition}");
        }
        assert_eq!(asked(prop("Id").eq(1) | prop("Age").eq(30), &row), Some(true));
        assert_eq!(asked(prop("Id").eq(1) & prop("Age").eq(31), &row), Some(false));
        assert_eq!(asked(prop("Name").eq("Ann"), &row), Some(true));
    }
}
