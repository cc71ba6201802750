//! Whether the condition of a write chooses rows at all.

use std::cmp::Ordering;

use crate::expr::{LogicBinaryExpr, LogicExpr, LogicOperator, SqlSegment, Value, ValueJoinType, ValueTypeExpr};
use crate::walk::{ExprRef, VisitOrder, visit_while};

/// What is known of a predicate before the rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decided {
    True,
    False,
    Null,
    /// It is the same of every row, and it takes the engine to tell what.
    Same,
    /// It looks at the row, or at other tables.
    Row,
}

/// Whether a condition may be true of every row whatever is in it: it names no column, and its constants do not make it
/// false. Constants are compared and joined by AND, OR and NOT; what is computed of them is taken for true, and what names
/// a column is not looked into.
///
/// ```text
/// 1 == 1, NOT 1 == 2, Length('a') > 0, Id == 5 OR 1 == 1    every row
/// 1 == 2, Id == 5, Id == Id, Id == 5 OR 1 == 2              not so
/// ```
pub(super) fn chooses_nothing(condition: &LogicExpr) -> bool {
    matches!(known(condition, false), Decided::True | Decided::Same)
}

/// Whether the answer to that depends on values: a part of the condition has nothing else in it.
pub(super) fn compares_constants(condition: &LogicExpr) -> bool {
    match condition {
        LogicExpr::And(node) => node.items.iter().any(compares_constants),
        LogicExpr::Or(node) => node.items.iter().any(compares_constants),
        LogicExpr::Not(node) => compares_constants(&node.operand),
        LogicExpr::Binary(node) if matches!(node.left, ValueTypeExpr::Property(_)) => false,
        LogicExpr::Binary(_) | LogicExpr::IsTrue(_) => looks_at_nothing(condition),
        LogicExpr::Foreign(_) | LogicExpr::Exists(_) | LogicExpr::Sql(_) => false,
    }
}

/// What is known of a predicate, or of its opposite.
fn known(condition: &LogicExpr, negated: bool) -> Decided {
    let leaf = |found| if negated { opposite(found) } else { found };
    match condition {
        LogicExpr::And(node) => joined(&node.items, negated, negated),
        LogicExpr::Or(node) => joined(&node.items, negated, !negated),
        LogicExpr::Not(node) => known(&node.operand, !negated),
        // What most conditions are.
        LogicExpr::Binary(node) if matches!(node.left, ValueTypeExpr::Property(_)) => Decided::Row,
        LogicExpr::Binary(node) if looks_at_nothing(condition) => leaf(compared(node)),
        LogicExpr::IsTrue(value) if looks_at_nothing(condition) => leaf(match &**value {
            ValueTypeExpr::Value(value) => match &value.value {
                Value::Bool(truth) => of(*truth),
                Value::Null => Decided::Null,
                _ => Decided::Same,
            },
            _ => Decided::Same,
        }),
        LogicExpr::Exists(_) if looks_at_nothing(condition) => Decided::Same,
        _ => Decided::Row,
    }
}

/// Several of them, of which each must hold, or one.
fn joined(items: &[LogicExpr], negated: bool, any: bool) -> Decided {
    let rank = match any {
        true => [Decided::True, Decided::Same, Decided::Row, Decided::Null],
        false => [Decided::False, Decided::Row, Decided::Same, Decided::Null],
    };
    let found: Vec<Decided> = items.iter().map(|item| known(item, negated)).collect();
    rank.into_iter().find(|known| found.contains(known)).unwrap_or(of(!any))
}

fn opposite(known: Decided) -> Decided {
    match known {
        Decided::False => Decided::True,
        Decided::True => Decided::False,
        other => other,
    }
}

fn of(truth: bool) -> Decided {
    if truth { Decided::True } else { Decided::False }
}

/// Whether it is made of constants alone, or of what is computed of them.
fn looks_at_nothing(condition: &LogicExpr) -> bool {
    visit_while(condition, VisitOrder::Pre, |node| match node {
        ExprRef::Segment(SqlSegment::Table(_) | SqlSegment::CommonTable(_)) => false,
        ExprRef::Logic(LogicExpr::Foreign(_) | LogicExpr::Sql(_)) => false,
        ExprRef::Value(value) => !matches!(value, ValueTypeExpr::Property(_) | ValueTypeExpr::Sql(_)),
        _ => true,
    })
}

fn compared(node: &LogicBinaryExpr) -> Decided {
    use LogicOperator as O;
    let ValueTypeExpr::Value(left) = &node.left else { return Decided::Same };
    let left = &left.value;
    if node.operator.positive() == O::In {
        let found = match &node.right {
            ValueTypeExpr::Value(list) => match &list.value {
                Value::List(items) => among(left, items.iter()),
                _ => Decided::Same,
            },
            ValueTypeExpr::Set(set) if set.join == ValueJoinType::List => {
                let plain = |item: &ValueTypeExpr| matches!(item, ValueTypeExpr::Value(_));
                if !set.items.iter().all(plain) {
                    return Decided::Same;
                }
                among(
                    left,
                    set.items.iter().filter_map(|item| match item {
                        ValueTypeExpr::Value(item) => Some(&item.value),
                        _ => None,
                    }),
                )
            }
            _ => Decided::Same,
        };
        return if node.operator.is_negated() { opposite(found) } else { found };
    }
    let ValueTypeExpr::Value(right) = &node.right else { return Decided::Same };
    let right = &right.value;
    let ordered = |is: fn(Ordering) -> bool| match ordering(left, right) {
        _ if left.is_null() || right.is_null() => Decided::Null,
        Some(order) => of(is(order)),
        None => Decided::Same,
    };
    match node.operator {
        // A NULL that is given beside `==` is asked for by IS NULL.
        O::Equal | O::NotEqual | O::IsNotDistinctFrom | O::IsDistinctFrom => {
            let same = match (left.is_null(), right.is_null()) {
                (false, false) => equal(left, right),
                (a, b) => of(a == b),
            };
            if node.operator.is_negated() { opposite(same) } else { same }
        }
        O::LessThan => ordered(Ordering::is_lt),
        O::LessThanOrEqual => ordered(Ordering::is_le),
        O::GreaterThan => ordered(Ordering::is_gt),
        O::GreaterThanOrEqual => ordered(Ordering::is_ge),
        _ => Decided::Same,
    }
}

fn among<'v>(value: &Value, items: impl Iterator<Item = &'v Value>) -> Decided {
    let found: Vec<Decided> = items.map(|item| equal(value, item)).collect();
    let rank = [Decided::True, Decided::Same, Decided::Null];
    rank.into_iter().find(|known| found.contains(known)).unwrap_or(Decided::False)
}

fn equal(a: &Value, b: &Value) -> Decided {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => Decided::Null,
        // Which texts are equal to a collation is not known here: those that are the same, and none of other letters.
        (Value::Text(a), Value::Text(b)) if a != b => {
            let fold = |text: &str| text.trim_end().to_lowercase();
            let plain = a.is_ascii() && b.is_ascii();
            if plain && fold(a) != fold(b) { Decided::False } else { Decided::Same }
        }
        _ if a == b => Decided::True,
        _ => match ordering(a, b) {
            Some(order) => of(order.is_eq()),
            None => Decided::Same,
        },
    }
}

/// The order of two values of one kind.
fn ordering(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::UInt(a), Value::UInt(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
        (Value::Time(a), Value::Time(b)) => Some(a.cmp(b)),
        (Value::DateTime(a), Value::DateTime(b)) => Some(a.cmp(b)),
        (Value::DateTimeOffset(a), Value::DateTimeOffset(b)) => Some(a.cmp(b)),
        _ if a == b => Some(Ordering::Equal),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{ValueOps, func, prop, value};

    #[test]
    fn constants_choose_no_rows() {
        let id = || prop("Id").eq(5);
        let every = [
            value(1).eq(1),
            !value(1).eq(2),
            value("a").eq("a"),
            value("a").eq("A"),
            value(2).gt(1),
            value(1).in_list([1, 2]),
            !value(1).in_list([2, 3]),
            value(1).eq(1) & value(2).le(2),
            id() | value(1).eq(1),
            !(!id() & value(1).eq(2)),
            func("Length", ["a"]).gt(0),
            id() | func("Length", ["a"]).gt(0),
            value(Value::Null).is_null(),
            value(true).is_true(),
            !value(1).eq(Value::Null),
        ];
        for condition in every {
            assert!(chooses_nothing(&condition), "{condition:?}");
        }
        let some = [
            id(),
            prop("Id").eq(prop("Id")),
            value(1).eq(2),
            value("a").eq("b"),
            value("x").eq("") | id(),
            value(1).eq(1) & id(),
            value(1).eq(2) | id(),
            !(value(1).eq(1) | id()),
            !value(1).in_list([1, 2]),
            value(1).eq(Value::Null),
            !value(1).lt(Value::Null),
            value(false).is_true(),
        ];
        for condition in some {
            assert!(!chooses_nothing(&condition), "{condition:?}");
        }
    }

    #[test]
    fn values_of_every_kind_have_their_order() {
        let date = |day| chrono::NaiveDate::from_ymd_opt(2024, 1, day).unwrap();
        let noon = chrono::NaiveTime::from_hms_opt(12, 0, 0).unwrap();
        let pairs: [(Value, Value); 8] = [
            (false.into(), true.into()),
            (1.into(), 2.into()),
            (Value::UInt(u64::MAX - 1), Value::UInt(u64::MAX)),
            (0.5.into(), 1.5.into()),
            (date(1).into(), date(2).into()),
            (noon.into(), (noon + chrono::TimeDelta::minutes(1)).into()),
            (date(1).and_time(noon).into(), date(2).and_time(noon).into()),
            (
                date(1).and_time(noon).and_utc().fixed_offset().into(),
                date(2).and_time(noon).and_utc().fixed_offset().into(),
            ),
        ];
        for (less, more) in pairs {
            let of = |value: &Value| crate::expr::value(value.clone());
            for holds in [of(&less).lt(of(&more)), of(&less).le(of(&less)), of(&more).ne(of(&less))] {
                assert!(chooses_nothing(&holds), "{holds:?}");
            }
            for fails in [of(&more).lt(of(&less)), of(&less).ge(of(&more)), of(&less).eq(of(&more))] {
                assert!(!chooses_nothing(&fails) && chooses_nothing(&!fails.clone()), "{fails:?}");
            }
        }
    }
}
