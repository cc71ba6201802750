//! What the rounds of a recursion may hold.

use crate::dialect::{Feature, Support};
use crate::error::{ErrorKind, Result};
use crate::expr::{SelectSetType, TableJoinType};
use crate::frame::{Body, Call, Items, Join, Part, Query, Scalar, ScalarKind, Select, Source};
use crate::functions::Class;

use super::parts::Seen;
use super::{Cx, parts};

/// Refuses a recursive common table expression that some engine refuses or never finishes: a round reads the rows of the
/// previous round directly in its FROM, once, and neither groups, numbers nor pages them.
///
/// `name` is the quoted name of the expression, `said` its name in messages.
pub(crate) fn recursive_members<'a, 'e>(cx: &Cx<'a, 'e>, name: &str, said: &str, query: &Query<'a, 'e>) -> Result<()> {
    let mut rounds = 0;
    match misplaced(cx, name, query, &mut rounds) {
        Some(why) => Err(ErrorKind::CommonTable { name: said.to_owned(), why }.into()),
        None if rounds > 1 => {
            let why =
                "refers to itself in two members: write one recursive member, with OR or a join of both conditions";
            Err(ErrorKind::CommonTable { name: said.to_owned(), why }.into())
        }
        None => Ok(()),
    }
}

/// Returns why a member of a recursive query cannot run on every engine. Counts the members that read the query itself.
fn misplaced<'a, 'e>(cx: &Cx<'a, 'e>, name: &str, query: &Query<'a, 'e>, rounds: &mut usize) -> Option<&'static str> {
    let select = match query.body {
        Body::Set { op, left, right } => {
            if !matches!(op, SelectSetType::Union | SelectSetType::UnionAll) && reads(cx, query, name) > 0 {
                return Some("refers to itself under EXCEPT or INTERSECT: use UNION ALL, and filter what comes of it");
            }
            return misplaced(cx, name, left, rounds).or_else(|| misplaced(cx, name, right, rounds));
        }
        Body::Select(select) => select,
    };
    let all = reads(cx, query, name);
    if all == 0 {
        return None;
    }
    *rounds += 1;
    if pages(cx, query, name) {
        return Some("takes a page of a round: page what comes of it");
    }
    let itself = |source: &Source<'a, 'e>| matches!(source, Source::Table { name: table, .. } if *table == name);
    let mut direct = usize::from(select.from.iter().any(itself));
    let mut nullable = false;
    for join in select.joins {
        let Join::Built(join) = join else { continue };
        nullable |= match join.kind {
            TableJoinType::Left => itself(&join.source),
            TableJoinType::Right => direct > 0,
            TableJoinType::Full => direct > 0 || itself(&join.source),
            TableJoinType::Inner | TableJoinType::Cross => false,
        };
        direct += usize::from(itself(&join.source));
    }
    let items = if let Items::List(items) = select.items { items } else { &[] };
    let computes = |test: fn(&ScalarKind<'a, 'e>) -> bool| {
        let mut look =
            |_: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| matches!(part, Part::Scalar(value) if test(&value.kind));
        items.iter().any(|item| parts::any_part(cx, &item.value, &mut look))
    };
    let aggregate = |kind: &ScalarKind<'a, 'e>| matches!(kind, ScalarKind::Call(call) if aggregates(call));
    let window = |kind: &ScalarKind<'a, 'e>| matches!(kind, ScalarKind::Window(_));
    if all > direct {
        Some("refers to itself in a subquery or a derived table: join it in the FROM of its member")
    } else if nullable {
        Some("refers to itself on the side of an outer join that may be missing: join it by an inner join")
    } else if !select.group.is_empty() || select.having.is_some() || computes(aggregate) {
        Some("groups or aggregates the rows of a round: group what comes of it")
    } else if computes(window) {
        Some("numbers or sums the rows of a round by a window: use the window over what comes of it")
    } else if select.distinct {
        Some("takes distinct rows of a round: join its members by UNION")
    } else {
        None
    }
}

/// Returns how often a query or one inside it reads the table `name`.
fn reads<'a, 'e>(cx: &Cx<'a, 'e>, query: &Query<'a, 'e>, name: &str) -> usize {
    let mut count = 0;
    any_clause(cx, query, &mut |clause| {
        count += usize::from(matches!(clause, RecursiveClause::Table(table) if table == name));
        false
    });
    count
}

/// Returns whether a query that reads the table `name`, or one inside it that does, has a page.
fn pages<'a, 'e>(cx: &Cx<'a, 'e>, query: &Query<'a, 'e>, name: &str) -> bool {
    parts::finds_inside(cx, query, &mut |cx, part| match part {
        Part::Query(inner) if reads(cx, inner, name) == 0 => Seen::Past,
        Part::Query(Query { limit: None, offset: None, .. }) => Seen::Into,
        Part::Query(_) => Seen::Found,
        _ => Seen::Into,
    })
}

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
