//! Predicates by themselves, and writes with them.

use isogloss_compiler::expr::{
    ConflictAction, Expr, LogicExpr, Name, Value, ValueOps, ValueTypeExpr, from, prop, prop_of, table,
};
use isogloss_compiler::model::{Catalog, Column};
use isogloss_compiler::walk::{ExprRef, VisitOrder, visit_while};

use super::number::has_column;
use super::scope::Column as Named;
use super::{Choices, Scope, catalog, rows};
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
    let tenants = catalog.entity(entity).is_some_and(|(_, entity)| entity.column("Tenant").is_some());
    let (name, kind) = if tenants && choices.chance(15) { ("Tenant", 6) } else { (name, kind) };
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

/// An INSERT of a few rows, some of whose keys are there already, and what is done about those; or one of a query's rows.
pub fn insert(catalog: &Catalog, choices: &mut Choices<'_>) -> (&'static str, Expr) {
    let entity = choices.pick(&[catalog::TABLES[1], catalog::TABLES[2], catalog::TABLES[0]]);
    let columns = catalog.entity(entity).map_or(&[][..], |(_, entity)| &entity.columns);
    let given: Vec<_> = columns
        .iter()
        .filter(|column| match column.name.as_str() {
            "State" => choices.chance(10),
            // The compiler may know it.
            "Tenant" => choices.chance(70),
            _ => !column.nullable || choices.chance(40),
        })
        .collect();
    let names: Vec<Name> = given.iter().map(|column| column.name.clone()).collect();
    if choices.chance(20) {
        let source = choices.pick(&[catalog::TABLES[1], catalog::TABLES[2], catalog::TABLES[0]]);
        let scope = Scope::new(catalog).over(source, None, false);
        let items = given.iter().map(|column| match Kind::of_type(column.ty) {
            _ if column.primary_key => prop("Id") + 20,
            Some(kind) => match scope.column(choices, kind).filter(|_| column.nullable) {
                Some(column) => column.prop().into(),
                None => choices.literal(kind),
            },
            None => Value::Null.into(),
        });
        let items: Vec<ValueTypeExpr> = items.collect();
        let query = from(source).filter(choices.logic(&scope, 2)).select(items);
        return (entity, table(entity).insert_query(names, query).into());
    }
    let first = choices.between(1, 12);
    let rows = (first..=first + choices.between(0, 1)).flat_map(|id| {
        let cell = |column: &&Column| match (column.name.as_str(), Kind::of_type(column.ty)) {
            ("Id", _) => id.into(),
            ("Gone", _) => false.into(),
            ("State" | "Tenant", _) => choices.pick(&[1, 1, 2, 3]).into(),
            (_, Some(kind)) => rows::value(choices, kind),
            _ => Value::Null,
        };
        given.iter().map(cell).collect::<Vec<_>>()
    });
    let values: Vec<Value> = rows.collect();
    let insert = table(entity).insert(names, values);
    let insert = match choices.below(4) {
        0 => insert,
        1 => insert.on_conflict_do_nothing(["Id"]),
        2 => insert.on_conflict_update(["Id"]),
        _ => {
            let name = match entity {
                "Person" => choices.pick(&["Name", "Age", "Salary"]),
                "Task" => choices.pick(&["Label", "Hours"]),
                _ => choices.pick(&["Title", "Budget"]),
            };
            let is_given = given.iter().any(|column| column.name.as_str() == name);
            let value = if is_given { prop_of("excluded", name).into() } else { Value::Null.into() };
            insert.conflict(["Id"], ConflictAction::Update(vec![(name.into(), value)]))
        }
    };
    (entity, insert.into())
}

/// A column of a kind that is cast to another one, where that is stored.
fn other_kind(scope: &Scope<'_>, kind: Kind, choices: &mut Choices<'_>) -> Option<Named> {
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
    visit_while(filter, VisitOrder::Pre, |node| match node {
        ExprRef::Logic(LogicExpr::Binary(comparison)) => match (&comparison.left, &comparison.right) {
            (ValueTypeExpr::Set(left), ValueTypeExpr::Set(right)) => {
                left.items.iter().zip(&right.items).all(|(left, right)| has_column(left) || has_column(right))
            }
            (left, right) => has_column(left) || has_column(right),
        },
        _ => true,
    })
}
