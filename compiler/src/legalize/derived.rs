//! Derived tables that read a column of an outer query, on an engine that does not allow it.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::frame::{Body, Part, Query, Scalar, ScalarKind, Select, Statement};

use super::{Cx, group, parts};

/// Refuses a statement with a derived table that reads a column from outside of it, as in
/// `EXISTS (SELECT 1 FROM (SELECT a FROM u WHERE u.id = t.id) d)`.
pub(crate) fn closed_derived<'a, 'e>(cx: &Cx<'a, 'e>, statement: &Statement<'a, 'e>) -> Result<()> {
    let Support::Refuse(reason) = cx.target.support(Feature::OuterInDerived) else { return Ok(()) };
    let mut found = None;
    // A query directly in a write is joined to its table, or a common table expression.
    let is_write = matches!(statement, Statement::Update(_) | Statement::Delete(_));
    statement.any_part(|part| {
        found = column_from_outside(cx, part, None, is_write && matches!(part, Part::Query(_)));
        found.is_some()
    });
    match found {
        Some(column) => {
            let title = Feature::OuterInDerived.title();
            Err(cx.target.refused(title, format!("{reason}; here it reads {column}")))
        }
        None => Ok(()),
    }
}

/// A query whose parts are looked at, and the queries around it.
struct Scope<'s, 'a, 'e> {
    /// Its select; `None` for a set operation, whose members have scopes of their own.
    select: Option<&'s Select<'a, 'e>>,
    outer: Option<&'s Scope<'s, 'a, 'e>>,
    /// It is a derived table.
    derived: bool,
}

/// Returns a column that a derived table in `part` reads from outside of it.
fn column_from_outside<'a, 'e>(
    cx: &Cx<'a, 'e>,
    part: Part<'_, 'a, 'e>,
    scope: Option<&Scope<'_, 'a, 'e>>,
    derived: bool,
) -> Option<String> {
    if !cx.may_look(1) {
        return None;
    }
    match part {
        Part::Query(Query { body, .. }) => {
            let select = if let Body::Select(select) = body { Some(*select) } else { None };
            let scope = Scope { select, outer: scope, derived };
            let mut found = None;
            part.any_child(|child| {
                // A query directly in a select is one of its sources or common table expressions.
                let derived = select.is_some() && matches!(child, Part::Query(_));
                found = column_from_outside(cx, child, Some(&scope), derived);
                found.is_some()
            });
            return found;
        }
        Part::Scalar(Scalar { kind: ScalarKind::Column(column), .. }) => {
            return column.qualifier().filter(|table| is_outside(scope, table, true)).map(|_| column.text().to_owned());
        }
        _ => {}
    }
    let mut found = None;
    // A text may name a schema in front of a table of its own.
    parts::any_column(cx, part, |table, column| {
        found = table.filter(|table| is_outside(scope, table, false)).map(|table| format!("{table}.{column}"));
        found.is_some()
    });
    if found.is_none() {
        part.any_child(|child| {
            found = column_from_outside(cx, child, scope, false);
            found.is_some()
        });
    }
    found
}

/// Returns whether the table with that quoted alias is outside of a derived table around the column. `unknown` is the answer
/// for an alias that no query around the column has, as that of a table that is written.
fn is_outside(scope: Option<&Scope<'_, '_, '_>>, alias: &str, unknown: bool) -> bool {
    let (mut next, mut crossed) = (scope, false);
    while let Some(scope) = next {
        if scope.select.is_some_and(|select| group::has_alias(select, alias)) {
            return crossed;
        }
        crossed |= scope.derived;
        next = scope.outer;
    }
    crossed && unknown
}
