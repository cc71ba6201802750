//! What the rounds of a recursion may hold.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::TableJoinType;
use crate::frame::{Body, Call, InList, Items, Join, Order, Pred, Query, Scalar, ScalarKind, Select, Source};
use crate::functions::Class;

use super::Cx;
use super::parts::{Part, Seen};

/// Something in a query or in one of its subqueries.
enum Clause<'a> {
    Table(&'a str),
    OuterJoin,
    Distinct,
    Page,
    Groups,
}

impl Clause<'_> {
    fn name(&self) -> &'static str {
        match self {
            Clause::Table(_) => "a table",
            Clause::OuterJoin => "an outer join",
            Clause::Distinct => "DISTINCT",
            Clause::Page => "a page",
            Clause::Groups => "a group or an aggregate",
        }
    }
}

type Test<'c, 'a> = dyn FnMut(Clause<'a>) -> bool + 'c;

impl<'a, 'e> Cx<'a, 'e> {
    /// An error if the rounds of a recursive query hold what the engine takes in its first member only.
    pub(crate) fn recursive_clauses(&self, name: &str, query: &'a Query<'a, 'e>) -> Result<()> {
        let Support::Refuse(reason) = self.target.support(Feature::RecursiveClauses) else { return Ok(()) };
        if let Body::Set { left, right, .. } = query.body {
            self.recursive_clauses(name, left)?;
            return self.recursive_clauses(name, right);
        }
        let itself = |clause: Clause<'a>| matches!(clause, Clause::Table(table) if table == name);
        if !self.has_clause(query, &mut { itself }) {
            return Ok(());
        }
        let mut found = None;
        self.has_clause(query, &mut |clause| {
            if !matches!(clause, Clause::Table(_)) {
                found = Some(clause.name());
            }
            found.is_some()
        });
        found.map_or(Ok(()), |clause| {
            Err(self.target.refused(Feature::RecursiveClauses.title(), format!("{reason}; here it is {clause}")))
        })
    }

    /// Whether a test holds of something in a query.
    fn has_clause(&self, query: &Query<'a, 'e>, test: &mut Test<'_, 'a>) -> bool {
        if (query.limit.is_some() || query.offset.is_some()) && test(Clause::Page) {
            return true;
        }
        let body = match query.body {
            Body::Set { left, right, .. } => self.has_clause(left, test) || self.has_clause(right, test),
            Body::Select(select) => self.select_has(select, test),
        };
        body || self.orders_have(query.order, test)
    }

    fn select_has(&self, select: &Select<'a, 'e>, test: &mut Test<'_, 'a>) -> bool {
        let items = if let Items::List(items) = select.items { items } else { &[] };
        select.distinct && test(Clause::Distinct)
            || (!select.group.is_empty() || select.having.is_some()) && test(Clause::Groups)
            || select.from.iter().any(|source| self.source_has(source, test))
            || select.joins.iter().any(|join| match join {
                Join::View(joins) => joins.outer && test(Clause::OuterJoin),
                Join::Built(join) => {
                    let inner = matches!(join.kind, TableJoinType::Inner | TableJoinType::Cross);
                    !inner && test(Clause::OuterJoin)
                        || self.source_has(&join.source, test)
                        || join.on.iter().any(|on| self.pred_has(on, test))
                }
            })
            || items.iter().any(|item| self.value_has(&item.value, test))
            || select.filter.iter().any(|filter| self.pred_has(filter, test))
            || select.group.iter().any(|key| self.value_has(key, test))
            || select.having.iter().any(|having| self.pred_has(having, test))
    }

    fn source_has(&self, source: &Source<'a, 'e>, test: &mut Test<'_, 'a>) -> bool {
        match source {
            Source::Table { name, .. } => test(Clause::Table(name)),
            Source::Derived { query, .. } => self.has_clause(query, test),
        }
    }

    fn orders_have(&self, orders: &[Order<'a, 'e>], test: &mut Test<'_, 'a>) -> bool {
        orders.iter().any(|key| self.value_has(&key.value, test))
    }

    fn value_has(&self, value: &Scalar<'a, 'e>, test: &mut Test<'_, 'a>) -> bool {
        self.finds(value, &mut |cx, part| cx.part_has(&part, test))
    }

    fn pred_has(&self, pred: &Pred<'a, 'e>, test: &mut Test<'_, 'a>) -> bool {
        self.finds_in(pred, &mut |cx, part| cx.part_has(&part, test))
    }

    fn part_has(&self, part: &Part<'_, 'a, 'e>, test: &mut Test<'_, 'a>) -> Seen {
        let found = match part {
            Part::Scalar(Scalar { kind: ScalarKind::Query(query), .. }) | Part::Pred(Pred::Exists(query, _)) => {
                self.has_clause(query, test)
            }
            Part::Pred(Pred::In(node)) => matches!(node.list, InList::Query(query) if self.has_clause(query, test)),
            Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) => aggregates(call) && test(Clause::Groups),
            _ => false,
        };
        if found { Seen::Found } else { Seen::Into }
    }
}

/// Whether a call is an aggregate, or is spelled by one.
fn aggregates(call: &Call<'_, '_>) -> bool {
    call.func.is_some_and(|func| func.signature().class == Class::Aggregate) || call.spelling.aggregates_rows()
}
