//! Mirrors of cases: where one direction of a comparison is tried, the others are, too.

use isogloss_compiler::expr::{
    Expr, LogicBinaryExpr, LogicExpr, LogicOperator, Value, ValueExpr, ValueTypeExpr, value,
};
use isogloss_compiler::json;
use isogloss_compiler::walk::{ExprMut, ExprType, VisitOrder, rewrite, visit_while};

use super::case::{By, Case, Expect, Rows, Suite};
use super::run::LIMITS;
use crate::evaluator;

/// More values than a list has one parameter for each of.
const LONG: usize = 100;

/// The longest tree that is mirrored, in bytes of its notation: larger ones are about their size.
const LARGEST: usize = 1 << 16;

/// How many tables a tree has at most that is to mean something else.
const TABLES: usize = 3;

/// Groups whose conditions keep rows away to which a documented limit applies: numbers that overflow, letters beyond ASCII,
/// digits of a quotient. Their trees are only changed to others that mean the same.
const LIMITED: [&str; 5] = ["aggregates", "arithmetic", "code_points", "number_functions", "text_functions"];

/// A change of every comparison of a tree.
struct Mirror {
    /// What is appended to the name of a case.
    name: &'static str,
    /// Changes a comparison, if it is about one of its kind.
    change: fn(&mut LogicBinaryExpr) -> bool,
    /// The tree means the same afterwards. If not, its rows are those that the evaluator gives.
    means_the_same: bool,
}

const MIRRORS: &[Mirror] = &[
    Mirror { name: "swapped", change: swap, means_the_same: true },
    Mirror { name: "opposite", change: negate, means_the_same: false },
    Mirror { name: "opposite_and_swapped", change: |node| negate(node) & swap(node), means_the_same: false },
    Mirror { name: "or_equal", change: or_equal, means_the_same: false },
    Mirror { name: "of_a_long_list", change: lengthen, means_the_same: true },
    Mirror { name: "opposite_of_a_long_list", change: |node| lengthen(node) && negate(node), means_the_same: false },
    Mirror { name: "of_a_list_with_null", change: add_null, means_the_same: false },
    Mirror {
        name: "opposite_of_a_list_with_null",
        change: |node| add_null(node) && negate(node),
        means_the_same: false,
    },
    Mirror { name: "of_a_long_list_with_null", change: |node| lengthen(node) && add_null(node), means_the_same: false },
];

impl Suite {
    /// The suite with mirrors of its cases: comparisons with their sides swapped, with the opposite operator, with and without
    /// the limit itself; lists of IN that are long, and with a NULL at their end.
    ///
    /// Where a mirror means something else, the evaluator gives its rows. A tree that it does not know has no such mirror.
    #[must_use]
    pub fn with_mirrors(mut self) -> Self {
        for group in &mut self.groups {
            let of_case = |case| MIRRORS.iter().filter_map(move |mirror| mirror.of(case));
            let mirrors: Vec<Case> = group.cases.iter().flat_map(of_case).collect();
            group.cases.extend(mirrors);
        }
        self
    }
}

impl Mirror {
    fn of(&self, case: &Case) -> Option<Case> {
        if case.expr.len() > LARGEST {
            return None;
        }
        let mut expr: Expr = json::from_str_with(&case.expr, &LIMITS).ok()?;
        let mut changed = false;
        rewrite(&mut expr, |node| {
            if let ExprMut::Logic(LogicExpr::Binary(node)) = node {
                changed |= (self.change)(node);
            }
        });
        let expect = if changed { self.expected(case, &expr)? } else { return None };
        Some(Case {
            name: format!("{}_{}", case.name, self.name),
            expr: json::to_string(&expr),
            expect,
            by: if self.means_the_same { case.by } else { By::Evaluator },
            is_mirror: true,
            ..case.clone()
        })
    }

    fn expected(&self, case: &Case, expr: &Expr) -> Option<Expect> {
        match &case.expect {
            Expect::Refused(_) | Expect::Fails(_) => None,
            same if self.means_the_same => Some(same.clone()),
            Expect::Rows(rows) if !LIMITED.contains(&&*case.group) && may_differ(expr) => {
                let mut answer =
                    evaluator::evaluate(case.schema.catalog(), &case.rows_before(), expr, &case.request()).ok()?;
                answer.columns.clone_from(&rows.answer.columns);
                answer.ordered = false;
                Some(Expect::Rows(Rows { types: rows.types.clone(), answer }))
            }
            Expect::Rows(_) | Expect::Write { .. } => None,
        }
    }
}

fn swap(node: &mut LogicBinaryExpr) -> bool {
    let Some(operator) = node.operator.reverse() else { return false };
    node.operator = operator;
    std::mem::swap(&mut node.left, &mut node.right);
    true
}

fn negate(node: &mut LogicBinaryExpr) -> bool {
    node.operator = node.operator.opposite();
    true
}

/// `<` becomes `<=`, and `<=` becomes `<`.
fn or_equal(node: &mut LogicBinaryExpr) -> bool {
    use LogicOperator as O;
    node.operator = match node.operator {
        O::LessThan => O::LessThanOrEqual,
        O::LessThanOrEqual => O::LessThan,
        O::GreaterThan => O::GreaterThanOrEqual,
        O::GreaterThanOrEqual => O::GreaterThan,
        _ => return false,
    };
    true
}

/// Repeats the values of a list that has some.
fn lengthen(node: &mut LogicBinaryExpr) -> bool {
    fn repeat<T: Clone>(items: &mut Vec<T>) -> bool {
        let is_short = !items.is_empty() && items.len() < LONG;
        if is_short {
            *items = items.iter().cycle().take(LONG).cloned().collect();
        }
        is_short
    }
    change_list(node, repeat, repeat)
}

/// Appends NULL to a list of plain values.
fn add_null(node: &mut LogicBinaryExpr) -> bool {
    let of_nodes = |items: &mut Vec<ValueTypeExpr>| {
        let are_plain = items.iter().any(|item| matches!(item, ValueTypeExpr::Value(_)));
        items.extend(are_plain.then(|| value(Value::Null).into()));
        are_plain
    };
    let of_values = |items: &mut Vec<Value>| {
        items.push(Value::Null);
        true
    };
    change_list(node, of_nodes, of_values)
}

/// Changes the list of an IN: one of nodes, or one value that is a list.
fn change_list(
    node: &mut LogicBinaryExpr,
    of_nodes: impl FnOnce(&mut Vec<ValueTypeExpr>) -> bool,
    of_values: impl FnOnce(&mut Vec<Value>) -> bool,
) -> bool {
    match (node.operator.positive(), &mut node.right) {
        (LogicOperator::In, ValueTypeExpr::Set(set)) => of_nodes(&mut set.items),
        (LogicOperator::In, ValueTypeExpr::Value(ValueExpr { value: Value::List(list), .. })) => {
            let mut items = list.to_vec();
            let changed = of_values(&mut items);
            *list = items.into();
            changed
        }
        _ => false,
    }
}

/// Returns whether a tree may mean something else: with a page its rows may depend on the order of equal ones, a recursion whose
/// condition is another one may have no end, and many tables that are joined by another condition may have too many rows.
fn may_differ(expr: &Expr) -> bool {
    let mut tables = 0;
    visit_while(expr, VisitOrder::Pre, |node| {
        tables += usize::from(node.kind() == ExprType::Table);
        tables <= TABLES && !matches!(node.kind(), ExprType::Section | ExprType::CommonTable)
    })
}
