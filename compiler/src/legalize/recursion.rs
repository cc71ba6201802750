//! What the rounds of a recursion may hold.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::TableJoinType;
use crate::frame::{Body, Call, Join, Part, Query, Scalar, ScalarKind, Select, Source};
use crate::functions::Class;

use super::parts::Seen;
use super::{Cx, parts};

/// Something in a query or in one of its subqueries.
enum RecursiveClause<'a> {
    Table(&'a str),
    OuterJoin,
    Distinct,
    Page,
    Groups,
}

impl RecursiveClause<'_> {
    fn name(&self) -> &'static str {
        match self {
            RecursiveClause::Table(_) => "a table",
            RecursiveClause::OuterJoin => "an outer join",
            RecursiveClause::Distinct => "DISTINCT",
            RecursiveClause::Page => "a page",
            RecursiveClause::Groups => "a group or an aggregate",
        }
    }
}

type ClauseTest<'c, 'a> = dyn FnMut(RecursiveClause<'a>) -> bool + 'c;

/// An error if the rounds of a recursive query hold what the engine takes in its first member only.
pub(crate) fn recursive_clauses<'a, 'e>(cx: &Cx<'a, 'e>, name: &str, query: &'a Query<'a, 'e>) -> Result<()> {
    let Support::Refuse(reason) = cx.target.support(Feature::RecursiveClauses) else { return Ok(()) };
    if let Body::Set { left, right, .. } = query.body {
        recursive_clauses(cx, name, left)?;
        return recursive_clauses(cx, name, right);
    }
    let itself = |clause: RecursiveClause<'a>| matches!(clause, RecursiveClause::Table(table) if table == name);
    if !any_clause(cx, query, &mut { itself }) {
        return Ok(());
    }
    let mut found = None;
    any_clause(cx, query, &mut |clause| {
        if !matches!(clause, RecursiveClause::Table(_)) {
            found = Some(clause.name());
        }
        found.is_some()
    });
    found.map_or(Ok(()), |clause| {
        Err(cx.target.refused(Feature::RecursiveClauses.title(), format!("{reason}; here it is {clause}")))
    })
}

/// Whether a test holds of something in a query.
fn any_clause<'a, 'e>(cx: &Cx<'a, 'e>, query: &Query<'a, 'e>, test: &mut ClauseTest<'_, 'a>) -> bool {
    parts::finds_inside(cx, query, &mut |_, part| if has_clause(part, test) { Seen::Found } else { Seen::Into })
}

/// Whether a test holds of a part itself.
fn has_clause<'a>(part: Part<'_, 'a, '_>, test: &mut ClauseTest<'_, 'a>) -> bool {
    match part {
        Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) => aggregates(call) && test(RecursiveClause::Groups),
        Part::Query(query) => {
            (query.limit.is_some() || query.offset.is_some()) && test(RecursiveClause::Page)
                || matches!(query.body, Body::Select(select) if select_has(select, test))
        }
        _ => false,
    }
}

fn select_has<'a>(select: &Select<'a, '_>, test: &mut ClauseTest<'_, 'a>) -> bool {
    let source_has = |source: &Source<'a, '_>, test: &mut ClauseTest<'_, 'a>| match *source {
        Source::Table { name, .. } => test(RecursiveClause::Table(name)),
        Source::Derived { .. } => false,
    };
    select.distinct && test(RecursiveClause::Distinct)
        || (!select.group.is_empty() || select.having.is_some()) && test(RecursiveClause::Groups)
        || select.from.iter().any(|source| source_has(source, test))
        || select.joins.iter().any(|join| match join {
            Join::View(joins) => joins.outer && test(RecursiveClause::OuterJoin),
            Join::Built(join) => {
                let inner = matches!(join.kind, TableJoinType::Inner | TableJoinType::Cross);
                !inner && test(RecursiveClause::OuterJoin) || source_has(&join.source, test)
            }
        })
}

/// Whether a call is an aggregate, or is spelled by one.
fn aggregates(call: &Call<'_, '_>) -> bool {
    call.func.is_some_and(|func| func.signature().class == Class::Aggregate) || call.spelling.aggregates_rows()
}
