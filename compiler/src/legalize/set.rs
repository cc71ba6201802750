//! Set operations.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::SelectSetType;
use crate::frame::{Arith, Body, ColumnRef, Item, Items, Literal, Query, Scalar, ScalarKind, Select, Source};

use super::{Cx, group, query};

/// A set operation.
pub(crate) fn set_operation<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    op: SelectSetType,
    left: &'a Query<'a, 'e>,
    right: &'a Query<'a, 'e>,
) -> Result<Body<'a, 'e>> {
    match op {
        SelectSetType::Intersect => cx.need(Feature::Intersect)?,
        SelectSetType::Except => cx.need(Feature::Except)?,
        _ => {}
    }
    let (left, right) = match op {
        SelectSetType::Intersect | SelectSetType::Except => (zeros_alike(cx, left)?, zeros_alike(cx, right)?),
        _ => (left, right),
    };
    let left = set_member(cx, left, op, false)?;
    let right = set_member(cx, right, op, true)?;
    Ok(Body::Set { op, left, right })
}

/// A member of a set operation that has clauses of its own, or is a set operation.
fn set_member<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    query: &'a Query<'a, 'e>,
    op: SelectSetType,
    right: bool,
) -> Result<&'a Query<'a, 'e>> {
    let tail = !query.order.is_empty() || query.limit.is_some() || query.offset.is_some();
    let (group, compared) = match (&query.body, op) {
        (Body::Select(_), _) => (false, false),
        // Without parentheses, `a INTERSECT b INTERSECT c` is one list of three.
        (Body::Set { op: inner, .. }, SelectSetType::Intersect) => (right, right || *inner != op),
        (Body::Set { .. }, SelectSetType::Except) => (right, right),
        (Body::Set { .. }, _) => (right, false),
    };
    let derived = tail && cx.rule_for(Feature::SetMemberParentheses)?.is_some()
        || group && cx.rule_for(Feature::SetGroupParentheses)?.is_some()
        || compared && cx.rule_for(Feature::SetGroupNulls)?.is_some();
    Ok(if derived { query::derived(cx, query) } else { query })
}

/// A member of INTERSECT or EXCEPT where these compare doubles bit by bit: no zero of it is negative.
///
/// ```sql
/// -- before
/// SELECT Id, Score FROM a EXCEPT SELECT Id, Score * ? FROM b
/// -- after
/// SELECT Id, Score + 0 AS Score FROM a EXCEPT SELECT Id, Score * ? + 0 FROM b
/// ```
fn zeros_alike<'a, 'e>(cx: &mut Cx<'a, 'e>, query: &'a Query<'a, 'e>) -> Result<&'a Query<'a, 'e>> {
    if cx.target.has(Feature::SetZeroSign) {
        return Ok(query);
    }
    let select = match query.body {
        // Its own members have it already.
        Body::Set { op: SelectSetType::Intersect | SelectSetType::Except, .. } => return Ok(query),
        Body::Set { op, left, right } => {
            let body = Body::Set { op, left: zeros_alike(cx, left)?, right: zeros_alike(cx, right)? };
            return Ok(cx.node(Query { body, ..*query }));
        }
        Body::Select(select) => select,
    };
    if let (Items::Text(_), Some(Source::Derived { query: inner, alias })) = (select.items, select.from) {
        let from = Some(Source::Derived { query: zeros_alike(cx, inner)?, alias });
        return Ok(cx.node(Query { body: Body::Select(cx.node(Select { from, ..*select })), ..*query }));
    }
    let Items::List(items) = select.items else { return Ok(query) };
    let is_float = |value: &Scalar<'_, '_>| value.ty.is_some_and(|ty| ty.base.is_float());
    if !items.iter().any(|item| is_float(&item.value)) || cx.rule_for(Feature::SetZeroSign)?.is_none() {
        return Ok(query);
    }
    let (mut list, mut order) = (cx.copied(items), cx.copied(query.order));
    for Item { value, alias } in list.iter_mut().filter(|item| is_float(&item.value)) {
        let zero = Scalar { kind: ScalarKind::Literal(Literal::Int(0)), column: None, nullable: false, ..*value };
        let kind = ScalarKind::Binary(Arith::Add, cx.node([*value, zero]));
        let positive = Scalar { kind, column: None, ..*value };
        // What sorts distinct rows stands in their list.
        for key in order.iter_mut().filter(|key| select.distinct && group::same(cx, &key.value, value)) {
            key.value = positive;
        }
        *alias = alias.or_else(|| value.kind.as_column().map(ColumnRef::name));
        *value = positive;
    }
    let body = Body::Select(cx.node(Select { items: Items::List(list.into_bump_slice()), ..*select }));
    Ok(cx.node(Query { body, order: order.into_bump_slice(), ..*query }))
}
