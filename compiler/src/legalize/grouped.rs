//! What a grouped query may say of a row: only what all rows of a group have in common.

use crate::dialect::Feature;
use crate::error::{Error, ErrorKind, Result};
use crate::expr::DbValueType;
use crate::frame::{
    Body, Call, ColumnRef, CompareOp, Item, Items, Order, Part, Pred, Query, Scalar, ScalarKind, Select, Source, Window,
};
use crate::functions::{Class, Func};

use super::group::{Whole, is_aggregate};
use super::parts::{Fate, Seen};
use super::{Cx, Rule, arguments, call, compare, group, logic, parts, query, volatile};

/// Removes outer columns from GROUP BY and ORDER BY on an engine that does not accept them there. `own` are the quoted aliases of
/// the query's own tables.
///
/// ```sql
/// -- before
/// (SELECT COUNT(*) FROM u GROUP BY t.a, u.b ORDER BY t.c)     (SELECT COUNT(*) FROM u GROUP BY t.a)
/// -- after
/// (SELECT COUNT(*) FROM u GROUP BY u.b)                       (SELECT COUNT(*) FROM u GROUP BY NULL), or
///                                                             (SELECT COUNT(*) FROM u HAVING COUNT(*) > 0)
/// ```
///
/// Exact: such a key is the same in all rows. One that has columns of the query's own tables as well is refused.
pub(crate) fn outer_keys<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    own: &[&str],
) -> Result<&'a [Order<'a, 'e>]> {
    let (group_only, any_key) = (Feature::OuterGroup, Feature::OuterInKey);
    let (no_group, no_key) = (!cx.target.has(group_only), !cx.target.has(any_key));
    let reach = |cx: &Cx<'a, 'e>, key: &Scalar<'a, 'e>| match reach(cx, [Part::from(key)], own) {
        Reach::Outer if volatile::is_volatile(cx, key) => Reach::Both,
        reach => reach,
    };
    let mut group = cx.vec(select.group.len());
    for key in select.group {
        match reach(cx, key) {
            Reach::Outer if no_group => {}
            Reach::Both if no_key => return Err(of_two_queries(cx, any_key)),
            _ => group.push(*key),
        }
    }
    let mut keys = cx.vec(order.len());
    for key in order {
        match reach(cx, &key.value) {
            Reach::Outer if no_key => {}
            Reach::Both if no_key => return Err(of_two_queries(cx, any_key)),
            _ => keys.push(*key),
        }
    }
    if keys.len() < order.len() {
        cx.rule_for(any_key)?;
    }
    let rule = if group.len() < select.group.len() { cx.rule_for(group_only)? } else { None };
    if rule == Some(Rule::OuterKeyIsNull) && group.is_empty() {
        group.push(cx.null(None));
    } else if rule.is_some() && group.is_empty() {
        // Without rows, GROUP BY gives no row, but a bare aggregate gives one.
        let count = call::call(cx, Func::Count, &[], Some(DbValueType::Int64.into()))?;
        let some = compare::compare(cx, count, CompareOp::Greater, cx.int(0))?;
        let mut having = cx.vec(2);
        having.extend(select.having);
        having.push(some);
        select.having = Some(logic::all(cx, &having));
    }
    select.group = group.into_bump_slice();
    Ok(keys.into_bump_slice())
}

/// Asks HAVING of a query without groups in a derived table, on an engine that needs an aggregate in its select list.
///
/// ```sql
/// -- before
/// SELECT ? FROM t HAVING COUNT(*) > ?
/// -- after
/// SELECT ? FROM (SELECT COUNT(*) FROM t HAVING COUNT(*) > ?) "T1"
/// ```
///
/// Exact: the items are constants, and the derived table has the one row of the group, or none.
pub(crate) fn having_over_constants<'a, 'e>(cx: &mut Cx<'a, 'e>, select: Select<'a, 'e>) -> Result<Select<'a, 'e>> {
    let items = match select.items {
        Items::List(items) => items,
        Items::One => &[],
        Items::Text(_) => return Ok(select),
    };
    if items.iter().any(|item| arguments::has_aggregate(cx, &item.value))
        || cx.rule_for(Feature::HavingOverConstants)?.is_none()
    {
        return Ok(select);
    }
    let value = call::call(cx, Func::Count, &[], Some(DbValueType::Int64.into()))?;
    let count = cx.slice(&[Item { value, alias: None }]);
    let rows = Select { distinct: false, distinct_on: &[], items: Items::List(count), ..select };
    let from = Some(Source::Derived { query: query::select_query(cx, rows), alias: cx.next_alias() });
    Ok(Select { from, joins: &[], filter: None, having: None, ..select })
}

fn of_two_queries(cx: &Cx<'_, '_>, feature: Feature) -> Error {
    let reason =
        "the key combines columns of both queries: select it in a derived table, and group or sort by its alias";
    cx.target.refused(feature.title(), reason)
}

/// The computed keys of a group inside of other values and in HAVING, on an engine that knows them again as a whole item
/// or key of an order only.
///
/// ```sql
/// -- before
/// SELECT ABS(a + 1) FROM t GROUP BY a + 1 HAVING a + 1 > ?
/// -- after
/// SELECT ABS(MIN(a + 1)) FROM t GROUP BY a + 1 HAVING MIN(a + 1) > ?
/// ```
///
/// Exact: all rows of a group have the same.
pub(crate) fn keys_inside<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
) -> Result<&'a [Order<'a, 'e>]> {
    let (inside, having) = (Feature::GroupKeyInside, Feature::GroupKeyInHaving);
    if cx.target.has(inside) && cx.target.has(having) {
        return Ok(order);
    }
    let mut keys = cx.copied(select.group);
    keys.retain(|key| !matches!(key.kind, ScalarKind::Column(_) | ScalarKind::Literal(_)));
    if keys.is_empty() {
        return Ok(order);
    }
    group::in_groups(cx, select, order, &mut |cx, value, whole| key_inside(cx, value, whole, &keys))
}

fn key_inside<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: &Scalar<'a, 'e>,
    whole: Whole,
    keys: &[Scalar<'a, 'e>],
) -> Result<Fate<'a, 'e>> {
    if keys.iter().any(|key| group::same(cx, key, value)) {
        let feature = match whole {
            Whole::Item | Whole::Order => return Ok(Fate::Leave),
            Whole::Having => Feature::GroupKeyInHaving,
            Whole::No => Feature::GroupKeyInside,
        };
        if cx.rule_for(feature)?.is_none() {
            return Ok(Fate::Leave);
        }
        let least = call::call(cx, Func::Min, &[*value], value.ty)?;
        return Ok(Fate::Becomes(Scalar { nullable: value.nullable, ..least }));
    }
    // The keys of a window are whole ones, too.
    let ScalarKind::Window(window) = value.kind else { return Ok(Fate::Into) };
    let mut change = |cx: &mut Cx<'a, 'e>, value: &Scalar<'a, 'e>, whole| match value.kind {
        ScalarKind::Call(call) if is_aggregate(call) => Ok(Fate::Leave),
        _ => key_inside(cx, value, whole, keys),
    };
    let mut call = window.call;
    let (mut args, mut partition, mut order) =
        (cx.copied(call.args), cx.copied(window.partition), cx.copied(window.order));
    for arg in &mut args {
        *arg = group::map_whole(cx, arg, Whole::No, &mut change)?.unwrap_or(*arg);
    }
    for key in &mut partition {
        *key = group::map_whole(cx, key, Whole::Order, &mut change)?.unwrap_or(*key);
    }
    for key in &mut order {
        key.value = group::map_whole(cx, &key.value, Whole::Order, &mut change)?.unwrap_or(key.value);
    }
    call.args = args.into_bump_slice();
    let (partition, order) = (partition.into_bump_slice(), order.into_bump_slice());
    let window = cx.node(Window { call, partition, order, ..*window });
    Ok(Fate::Becomes(Scalar { kind: ScalarKind::Window(window), ..*value }))
}

/// Refuses a column of the query's own tables that is neither a key of the group nor inside an aggregate: some engines
/// read it from an arbitrary row. `own` are the quoted aliases of those tables, `keys` the keys of the group as the tree
/// has them.
///
/// Refuses an aggregate over columns of an outer query alone as well: see [`of_outer`](of_outer).
pub(crate) fn only_grouped<'a, 'e>(
    cx: &Cx<'a, 'e>,
    select: &Select<'a, 'e>,
    keys: &[Scalar<'a, 'e>],
    order: &[Order<'a, 'e>],
    own: &[&str],
) -> Result<()> {
    let mut found = None;
    let mut outer = None;
    let is_key = |column: &ColumnRef<'a>| keys.iter().any(|key| key.kind.as_column() == Some(column));
    let columns_only = select.group.iter().chain(keys).all(|key| key.kind.as_column().is_some());
    let mut look = |cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| {
        let value = match part {
            Part::Scalar(value) => value,
            Part::Query(_) => {
                let column = column_below(cx, part, own, &is_key);
                found = column.map(|column| (column, true));
                return if found.is_some() { Seen::Found } else { Seen::Past };
            }
            Part::Pred(_) => return Seen::Into,
        };
        match value.kind {
            ScalarKind::Param(_) | ScalarKind::Literal(_) => Seen::Past,
            ScalarKind::Column(column) if is_key(column) => Seen::Past,
            _ if !columns_only && select.group.iter().chain(keys).any(|key| group::same(cx, key, value)) => Seen::Past,
            ScalarKind::Call(call) => match call.func.map(crate::functions::Func::signature) {
                Some(signature) if signature.class == Class::Aggregate => {
                    if of_outer(cx, call, own) {
                        outer = Some(signature.name);
                    }
                    Seen::Past
                }
                _ => Seen::Into,
            },
            ScalarKind::Column(column) if own.iter().any(|own| column.is_of(own)) => {
                found = Some((column.text(), false));
                Seen::Found
            }
            _ => Seen::Into,
        }
    };
    let items = if let Items::List(items) = select.items { items } else { &[] };
    let stray = items.iter().any(|item| parts::finds_inside(cx, &item.value, &mut look))
        || select.having.iter().any(|pred| parts::finds_inside(cx, pred, &mut look))
        || select.distinct_on.iter().any(|key| parts::finds_inside(cx, key, &mut look))
        || order.iter().any(|key| parts::finds_inside(cx, &key.value, &mut look));
    if let Some(name) = outer {
        let what = format!("aggregate `{name}` over columns of a query around it only");
        let why = "SQL takes it for an aggregate of that query, and some engines do not: aggregate a column of this \
                   query, or compute it in that one";
        return Err(ErrorKind::Misplaced { what, why }.into());
    }
    match found {
        Some((column, false)) if stray => {
            let what = format!("the column {column} beside groups or aggregates");
            let why = "each group has many rows: group by it too, or take its Min or Max";
            Err(ErrorKind::Misplaced { what, why }.into())
        }
        Some((column, true)) if stray => {
            let what = format!("the column {column} inside a subquery of a grouped query");
            let why = "each group has many rows, and the subquery reads only columns that are keys of the group: group \
                       by the column too, or group a derived table that selects the subquery";
            Err(ErrorKind::Misplaced { what, why }.into())
        }
        _ => Ok(()),
    }
}

/// Returns a column of the tables `own` of a grouped query that one of its subqueries reads and that is not a key of the
/// group. An aggregate does not help there, since it ranges over the rows of the subquery; nor does a computed key,
/// which no engine but SQLite recognizes in a subquery.
fn column_below<'a, 'e>(
    cx: &Cx<'a, 'e>,
    part: Part<'_, 'a, 'e>,
    own: &[&str],
    is_key: &dyn Fn(&ColumnRef<'a>) -> bool,
) -> Option<&'a str> {
    let mut found = None;
    parts::finds_inside(cx, part, &mut |cx, inner| {
        match inner {
            Part::Scalar(Scalar { kind: ScalarKind::Column(column), .. })
                if own.iter().any(|own| column.is_of(own)) && !is_key(column) =>
            {
                found = Some(column.text());
            }
            // A table of the subquery may have the alias of one of the outer query.
            Part::Query(Query { body: Body::Select(select), .. }) => {
                let visible: Vec<&str> = own.iter().copied().filter(|own| !group::has_alias(select, own)).collect();
                if visible.len() < own.len() {
                    inner.any_child(|child| {
                        found = column_below(cx, child, &visible, is_key);
                        found.is_some()
                    });
                    return if found.is_some() { Seen::Found } else { Seen::Past };
                }
            }
            _ => {}
        }
        if found.is_some() { Seen::Found } else { Seen::Into }
    });
    found
}

/// The queries whose columns an expression uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Of a query around this one only.
    Outer,
    Both,
    /// Of this query, of none, or of what is not known.
    Own,
}

/// Whose columns the parts of a query are of. `own` are the quoted aliases of its tables.
fn reach<'p, 'a: 'p, 'e: 'a>(cx: &Cx<'a, 'e>, of: impl IntoIterator<Item = Part<'p, 'a, 'e>>, own: &[&str]) -> Reach {
    let (mut outer, mut inner) = (false, false);
    let mut look = |_: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| {
        match part {
            // What stands in a subquery or in the program's own text is not known.
            _ if part.is_query() => inner = true,
            Part::Scalar(value) => match value.kind {
                ScalarKind::Column(column)
                    if column.qualifier().is_some() && !own.iter().any(|own| column.is_of(own)) =>
                {
                    outer = true;
                }
                ScalarKind::Column(_) | ScalarKind::Fragment(_) => inner = true,
                _ => {}
            },
            Part::Pred(Pred::Text(_) | Pred::Fragment(_)) => inner = true,
            _ => {}
        }
        if part.is_query() { Seen::Past } else { Seen::Into }
    };
    for part in of {
        parts::finds(cx, part, &mut look);
    }
    match (outer, inner) {
        (true, false) => Reach::Outer,
        (true, true) => Reach::Both,
        (false, _) => Reach::Own,
    }
}

/// Returns whether an aggregate is over columns of a query around this one and over nothing of this one.
fn of_outer<'a, 'e>(cx: &Cx<'a, 'e>, call: &Call<'a, 'e>, own: &[&str]) -> bool {
    let args = call.args.iter().map(Part::from);
    let order = call.order.iter().map(|key| Part::from(&key.value));
    reach(cx, args.chain(order).chain(call.filter.iter().map(Part::from)), own) == Reach::Outer
}
