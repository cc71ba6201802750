//! `FULL JOIN` on an engine without it, or without one by an inequality.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{SelectSetType, TableJoinType};
use crate::frame::{
    Body, BuiltJoin, ColumnRef, CompareOp, Item, Items, Join, Order, Part, Pred, Query, Scalar, ScalarKind, Select,
    Source,
};

use super::parts::Fate;
use super::{Cx, compare, group, logic, parts, query};

/// Why a FULL JOIN is not expanded.
const ALONE: &str = "only a FULL JOIN of two tables can be expanded, without DISTINCT ON, a row lock, or a subquery or raw SQL \
                     in a grouped or sorted query: select from it as a derived table first";

/// A left join, and the rows of the right side that have no partner.
///
/// ```sql
/// -- before                                  -- after
/// SELECT a.x, b.y FROM a FULL JOIN b ON p    SELECT a.x, b.y FROM a LEFT JOIN b ON p
///                                            UNION ALL
///                                            SELECT a.x, b.y FROM a RIGHT JOIN b ON p WHERE a.key IS NULL
/// ```
///
/// Grouping, sorting, DISTINCT and paging apply to the union as a derived table. `key` gives a column of the left side that is never
/// NULL; `simple` is true if the select has none of these, and `locked` if it locks rows.
pub(crate) fn full_join<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    key: impl FnOnce(&Cx<'a, 'e>) -> Option<Scalar<'a, 'e>>,
    simple: bool,
    locked: bool,
) -> Result<(Body<'a, 'e>, &'a [Order<'a, 'e>])> {
    let Some(feature) = full_join_feature(cx, &select) else { return Ok((Body::Select(cx.node(select)), order)) };
    if cx.rule_for(feature)?.is_none() {
        return Ok((Body::Select(cx.node(select)), order));
    }
    let (Some(key), [Join::Built(join)], false) = (key(cx), select.joins, locked) else {
        return Err(cx.target.refused("FULL JOIN", ALONE));
    };
    if simple {
        return Ok((both_sides(cx, select, key, join), order));
    }
    over_its_rows(cx, select, order, key, join)
}

fn both_sides<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: Select<'a, 'e>,
    key: Scalar<'a, 'e>,
    join: &'a BuiltJoin<'a, 'e>,
) -> Body<'a, 'e> {
    let with = |kind| Join::Built(cx.node(BuiltJoin { kind, ..*join }));
    let left = Select { joins: cx.slice(&[with(TableJoinType::Left)]), ..select };
    let lonely = compare::is_null_pred(cx, Scalar { nullable: true, ..key }, false);
    let filter = match select.filter {
        Some(filter) => logic::all(cx, &[filter, lonely]),
        None => lonely,
    };
    let right = Select { joins: cx.slice(&[with(TableJoinType::Right)]), filter: Some(filter), ..select };
    Body::Set {
        op: SelectSetType::UnionAll,
        left: query::select_query(cx, left),
        right: query::select_query(cx, right),
    }
}

/// A select over a derived table of the joined rows, and its order.
///
/// ```sql
/// -- before                                                      -- after
/// SELECT a.x, COUNT(b.y) FROM a JOIN b ON p WHERE q GROUP BY a.x   SELECT T2.c0 AS x, COUNT(T2.c1)
///                                                                FROM (SELECT a.x AS c0, b.y AS c1 FROM a JOIN b ON p WHERE q) T2
///                                                                GROUP BY T2.c0
/// ```
fn over_its_rows<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    key: Scalar<'a, 'e>,
    join: &'a BuiltJoin<'a, 'e>,
) -> Result<(Body<'a, 'e>, &'a [Order<'a, 'e>])> {
    let items = match select.items {
        Items::List(items) => items,
        Items::One => &[],
        Items::Text(_) => return Err(cx.target.refused("FULL JOIN", ALONE)),
    };
    let mut columns = Vec::new();
    let mut unknown = false;
    let mut look = |_: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| {
        match part {
            Part::Scalar(value @ Scalar { kind: ScalarKind::Column(column), .. }) => {
                let is_own = column.qualifier().is_some_and(|qualifier| group::has_alias(&select, qualifier));
                if is_own && !columns.iter().any(|known: &Scalar<'a, 'e>| known.kind.as_column() == Some(*column)) {
                    columns.push(*value);
                }
            }
            Part::Scalar(Scalar { kind: ScalarKind::Fragment(_), .. })
            | Part::Pred(Pred::Text(_) | Pred::Fragment(_)) => {
                unknown = true;
            }
            part => unknown |= part.is_query(),
        }
        unknown
    };
    for value in items.iter().map(|item| &item.value).chain(select.group).chain(order.iter().map(|key| &key.value)) {
        parts::any_part(cx, value, &mut look);
    }
    if let Some(having) = &select.having {
        parts::any_part(cx, having, &mut look);
    }
    if unknown || !select.distinct_on.is_empty() {
        return Err(cx.target.refused("FULL JOIN", ALONE));
    }
    if columns.is_empty() {
        columns.push(key);
    }
    let alias = cx.next_alias();
    let mut inner = cx.vec(columns.len());
    let mut renamed = Vec::with_capacity(columns.len());
    for (index, value) in columns.into_iter().enumerate() {
        let name = cx.quoted(&[&format!("c{index}")]);
        inner.push(Item { value, alias: Some(name) });
        renamed.push((value, query::column_of(cx, alias, name, &value)));
    }
    let mut rename = |_: &mut Cx<'a, 'e>, value: &Scalar<'a, 'e>| {
        let column = value.kind.as_column();
        let known = renamed.iter().find(|(was, _)| column.is_some() && was.kind.as_column() == column);
        Ok(known.map_or(Fate::Into, |(_, column)| Fate::Becomes(*column)))
    };
    let mut items = cx.copied(items);
    for Item { value, alias } in &mut items {
        *alias = alias.or_else(|| value.kind.as_column().map(ColumnRef::name));
        *value = parts::map_scalar(cx, value, &mut rename)?.unwrap_or(*value);
    }
    let mut keys = cx.copied(select.group);
    for value in &mut keys {
        *value = parts::map_scalar(cx, value, &mut rename)?.unwrap_or(*value);
    }
    let mut order = cx.copied(order);
    for key in &mut order {
        key.value = parts::map_scalar(cx, &key.value, &mut rename)?.unwrap_or(key.value);
    }
    let having = match &select.having {
        Some(having) => parts::map_pred(cx, having, &mut rename)?.or(select.having),
        None => None,
    };
    let rows =
        Select { distinct: false, items: Items::List(inner.into_bump_slice()), group: &[], having: None, ..select };
    let body = both_sides(cx, rows, key, join);
    let query = cx.node(Query { body, ..*query::select_query(cx, rows) });
    let over = Select {
        items: if matches!(select.items, Items::One) { Items::One } else { Items::List(items.into_bump_slice()) },
        from: Some(Source::Derived { query, alias }),
        joins: &[],
        filter: None,
        group: keys.into_bump_slice(),
        having,
        ..select
    };
    Ok((Body::Select(cx.node(over)), order.into_bump_slice()))
}

/// The feature that the FULL JOINs of a select need: an equality of both sides is enough for every engine that has them.
fn full_join_feature<'a, 'e>(cx: &Cx<'a, 'e>, select: &Select<'a, 'e>) -> Option<Feature> {
    let mut full = select.joins.iter().filter_map(|join| match join {
        Join::Built(join) if join.kind == TableJoinType::Full => Some(*join),
        _ => None,
    });
    let first = full.next()?;
    let equal = std::iter::once(first).chain(full).all(|join| {
        let (Source::Table { alias: Some(own), .. }
        | Source::Table { name: own, .. }
        | Source::Derived { alias: own, .. }) = join.source;
        join.on.is_some_and(|on| equates_sides(cx, &on, own))
    });
    Some(if equal { Feature::FullJoin } else { Feature::FullJoinCondition })
}

/// Returns whether a condition holds only where a value of the table `own` equals a value of other tables.
fn equates_sides<'a, 'e>(cx: &Cx<'a, 'e>, on: &Pred<'a, 'e>, own: &str) -> bool {
    // Whether all of a value's columns are of that table: `None` if it has no column.
    let of_own = |value: &Scalar<'a, 'e>| {
        let (mut inside, mut outside) = (false, false);
        parts::any_part(cx, value, &mut |_, part| {
            if let Part::Scalar(Scalar { kind: ScalarKind::Column(column), .. }) = part {
                if column.is_of(own) { inside = true } else { outside = true }
            }
            part.is_query()
        });
        (inside != outside).then_some(inside)
    };
    match on {
        Pred::And(items) => items.iter().any(|item| equates_sides(cx, item, own)),
        Pred::Compare(node) if node.op == CompareOp::Equal => {
            matches!((of_own(&node.left), of_own(&node.right)), (Some(left), Some(right)) if left != right)
        }
        _ => false,
    }
}

/// Refuses a FULL JOIN in a select that becomes a part of another one, on an engine without it.
pub(crate) fn no_full_join_inside<'a, 'e>(cx: &Cx<'a, 'e>, select: &Select<'a, 'e>) -> Result<()> {
    if full_join_feature(cx, select).is_some_and(|feature| !cx.target.has(feature)) {
        return Err(cx.target.refused("FULL JOIN", ALONE));
    }
    Ok(())
}
