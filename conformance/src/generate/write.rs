//! Predicates by themselves, and writes with them.

use isogloss_compiler::expr::{Expr, LogicExpr, ValueOps, ValueTypeExpr, prop, table};
use isogloss_compiler::model::Catalog;
use isogloss_compiler::walk::{ExprRef, Order, visit_while};

use super::number::has_column;
use super::scope::Column;
use super::{Choices, Scope, catalog};
use crate::evaluator::Kind;

/// A predicate over the rows of a table or a view, with the name of that.
pub fn predicate(catalog: &Catalog, choices: &mut Choices<'_>) -> (&'static str, LogicExpr) {
    let entity = choices.entity();
    let scope = Scope::new(catalog).over(entity, None, false);
    (entity, choices.logic(&scope, 4))
}

/// A predicate over the rows of a table, and an UPDATE and a DELETE of those for which it holds.
pub fn write(catalog: &Catalog, choices: &mut Choices<'_>) -> (&'static str, LogicExpr, Expr, Expr) {
    let entity = choices.pick(&[catalog::TABLES[1], catalog::TABLES[2], catalog::TABLES[0]]);
    let scope = Scope::new(catalog).over(entity, None, false);
    let filter = Some(choices.logic(&scope, 3)).filter(has_columns).unwrap_or_else(|| prop("Id").gt(2));
    let (name, kind) = match entity {
        "Person" => choices.pick(&[("Age", 0), ("Name", 1), ("Salary", 2), ("Active", 3), ("Born", 4), ("Seen", 5)]),
        "Task" => choices.pick(&[("Hours", 0), ("Label", 1), ("Cost", 2), ("Done", 3), ("Due", 4), ("At", 5)]),
        _ => choices.pick(&[("Title", 1), ("Title", 1), ("Budget", 2), ("Open", 3), ("Founded", 4)]),
    };
    let kinds = [Kind::Int, Kind::Text, Kind::Decimal, Kind::Bool, Kind::Date, Kind::DateTime];
    let kind = kinds.get(kind).copied().unwrap_or(Kind::Int);
    // Of a column that takes no NULL, and has room for what is computed: a literal.
    let value: ValueTypeExpr = match kind {
        _ if entity != "Task" && choices.chance(40) => match other_kind(&scope, kind, choices) {
            Some(column) => column.prop().into(),
            None => choices.literal(kind),
        },
        Kind::Bool | Kind::Date | Kind::DateTime if entity != "Task" => choices.of(&scope, kind, 1),
        _ => choices.literal(kind),
    };
    let update = table(entity).update([(name, value)]).filter(filter.clone());
    let delete = table(entity).delete().filter(filter.clone());
    (entity, filter, Expr::from(update), Expr::from(delete))
}

/// A column of a kind that is cast to another one, where that is stored.
fn other_kind(scope: &Scope<'_>, kind: Kind, choices: &mut Choices<'_>) -> Option<Column> {
    use Kind as K;
    let others: &[Kind] = match kind {
        K::Int => &[K::Decimal, K::Float, K::Bool],
        K::Decimal => &[K::Float, K::Int, K::Bool],
        K::Bool => &[K::Int, K::Decimal, K::Float],
        K::Text => &[K::Int, K::Bool, K::Date, K::DateTime, K::Decimal, K::Guid],
        K::Date => &[K::DateTime],
        K::DateTime => &[K::Date],
        _ => &[],
    };
    let kind = others.get(choices.below(others.len())).copied()?;
    scope.column(choices, kind).filter(|column| column.bits <= 12)
}

/// Whether each comparison has a column in it, each pair of rows that are compared too. MySQL refuses a write over whose
/// table a subquery is known to be empty, wherever that stands and however it is hidden, and constants tell it that
/// (error 1093).
fn has_columns(filter: &LogicExpr) -> bool {
    visit_while(filter, Order::Pre, |node| match node {
        ExprRef::Logic(LogicExpr::Binary(comparison)) => match (&comparison.left, &comparison.right) {
            (ValueTypeExpr::Set(left), ValueTypeExpr::Set(right)) => {
                left.items.iter().zip(&right.items).all(|(left, right)| has_column(left) || has_column(right))
            }
            (left, right) => has_column(left) || has_column(right),
        },
        _ => true,
    })
}
