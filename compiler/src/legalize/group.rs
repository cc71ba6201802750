//! The keys of groups, and what stands in the select list, HAVING and the order beside them.

use isogloss_lexis::{Lexis, Notation, Scanner, Token};

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{TableJoinType, Value};
use crate::frame::{
    Body, BuiltJoin, Call, ColumnRef, Item, Items, Join, Literal, Order, Param, Part, Pred, Query, Scalar, ScalarKind,
    Select, Source, Window,
};
use crate::functions::{Class, Func};

use super::listed::Values;
use super::parts::{Fate, Seen};
use super::query::column_of;
use super::{Cx, Rule, call, parts, query, subquery};

/// The key of a group that holds a parameter and stands elsewhere as well, by itself or inside of something: its
/// second writing has a parameter of its own, so that most engines take it for another expression.
///
/// ```sql
/// -- before
/// SELECT UPPER(COALESCE(a, $1)), COUNT(*) FROM t GROUP BY COALESCE(a, $2) HAVING COALESCE(a, $3) > 'x'
/// -- after, where a parameter may stand twice
/// SELECT UPPER(COALESCE(a, $1)), COUNT(*) FROM t GROUP BY COALESCE(a, $1) HAVING COALESCE(a, $1) > 'x'
/// -- after, where every row of the group has to say the same
/// SELECT UPPER(MIN(COALESCE(a, ?))), COUNT(*) FROM t GROUP BY COALESCE(a, ?) HAVING MIN(COALESCE(a, ?)) > 'x'
/// -- after, where the key is computed beside the row
/// SELECT UPPER(g."c0"), COUNT(*) FROM t CROSS APPLY (SELECT COALESCE(a, $1) AS "c0") g
/// GROUP BY g."c0" HAVING g."c0" > 'x'
/// ```
///
/// A key that is an item by itself is meant by its place, `GROUP BY 1`, rather than found by MIN. All exact.
///
/// A key with a subquery is treated in the same way, since its second writing has other aliases.
pub(crate) fn group_parameters<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
) -> Result<&'a [Order<'a, 'e>]> {
    if !select.group.iter().any(|key| lacks_repeated(cx, key).is_some()) {
        return Ok(order);
    }
    let mut group = cx.copied(select.group);
    let mut keys = order;
    let mut taken = cx.vec(group.len());
    for place in 0..group.len() {
        let Some(key) = group.get(place).copied() else { continue };
        let Some(feature) = lacks_repeated(cx, &key) else { continue };
        if !stands_elsewhere(cx, select, keys, &key) {
            continue;
        }
        let support = cx.target.support(feature);
        let (meant, elsewhere, by_place) = match support {
            Support::Expand(Rule::GroupByPosition) => {
                // A key that is given twice may be two items, each of which must be meant.
                let item = match select.items {
                    Items::List(items) => {
                        let mut same = (0..).zip(items).filter(|(_, item)| same(cx, &item.value, &key));
                        let first = same.next().map(|(n, _)| n);
                        let next = first.into_iter().chain(same.map(|(n, _)| n)).find(|n| !taken.contains(n));
                        next.or(first)
                    }
                    _ => None,
                };
                taken.extend(item);
                let number = |n| Scalar { kind: ScalarKind::Literal(Literal::Int(n)), ..key };
                let number = item.map(|n: i64| number(n.saturating_add(1)));
                let least = Scalar { nullable: key.nullable, ..call::call(cx, Func::Min, &[key], key.ty)? };
                if number.is_some() {
                    cx.rule_for(feature)?;
                }
                (number.unwrap_or(key), least, number)
            }
            Support::Expand(Rule::GroupByShared) => {
                cx.rule_for(feature)?;
                let shared = shared(cx, &key)?;
                (shared, shared, None)
            }
            _ => {
                cx.rule_for(feature)?;
                let column = beside_the_rows(cx, select, &key)?;
                (column, column, None)
            }
        };
        let mut inside = false;
        keys = in_groups(cx, select, keys, &mut |cx, value, whole| {
            if same(cx, value, &key) {
                return Ok(match (whole, by_place) {
                    (Whole::Item, Some(_)) => Fate::Leave,
                    (Whole::Order, Some(place)) => Fate::Becomes(place),
                    _ => {
                        inside = true;
                        Fate::Becomes(elsewhere)
                    }
                });
            }
            let value = behind_prefix(cx, value, &key, elsewhere);
            inside |= value.is_some();
            Ok(value.map_or(Fate::Into, Fate::Again))
        })?;
        if inside && support == Support::Expand(Rule::GroupByPosition) {
            cx.note(feature, Rule::GroupByLeast);
        }
        if let Some(slot) = group.get_mut(place) {
            *slot = meant;
        }
    }
    no_bare_columns(cx, select, keys)?;
    select.group = group.into_bump_slice();
    Ok(keys)
}

/// The feature that the engine lacks to find a key of a group again in the select list, HAVING or the order.
fn lacks_repeated<'a, 'e>(cx: &Cx<'a, 'e>, key: &Scalar<'a, 'e>) -> Option<Feature> {
    let feature = if subquery::has_subquery(cx, key) {
        Feature::GroupSubqueryRepeated
    } else if has_parameter(cx, key) {
        Feature::GroupParameter
    } else {
        return None;
    };
    (!cx.target.has(feature)).then_some(feature)
}

/// The keys of DISTINCT ON with their parameters, where the order says them again.
///
/// ```sql
/// -- before
/// SELECT DISTINCT ON (COALESCE(a, $1)) ... ORDER BY COALESCE(a, $2)
/// -- after
/// SELECT DISTINCT ON (COALESCE(a, $1)) ... ORDER BY COALESCE(a, $1)
/// ```
pub(crate) fn distinct_parameters<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
) -> Result<&'a [Order<'a, 'e>]> {
    if !select.distinct_on.iter().any(|key| has_parameter(cx, key)) {
        return Ok(order);
    }
    let mut keys = cx.copied(order);
    let mut on = cx.copied(select.distinct_on);
    for key in &mut on {
        let shared = shared(cx, key)?;
        for order in keys.iter_mut().filter(|order| same(cx, &order.value, key)) {
            order.value = shared;
        }
        *key = shared;
    }
    select.distinct_on = on.into_bump_slice();
    Ok(keys.into_bump_slice())
}

/// Distinct rows in the order of an item that holds a parameter: the item is meant by its place.
///
/// ```sql
/// -- before                                             -- after
/// SELECT DISTINCT COALESCE(a, $1) ... ORDER BY COALESCE(a, $2)   SELECT DISTINCT COALESCE(a, $1) ... ORDER BY 1
/// ```
pub(crate) fn ordered_by_place<'a, 'e>(
    cx: &Cx<'a, 'e>,
    items: Items<'a, 'e>,
    order: &'a [Order<'a, 'e>],
) -> &'a [Order<'a, 'e>] {
    let Items::List(items) = items else { return order };
    if !order.iter().any(|key| has_parameter(cx, &key.value)) {
        return order;
    }
    let mut keys = cx.copied(order);
    let values = Values::of(items.iter().enumerate().map(|(place, item)| (item.value, place)));
    for key in keys.iter_mut().filter(|key| has_parameter(cx, &key.value)) {
        let place = values.find(cx, &key.value);
        if let Some(place) = place.and_then(|place| i64::try_from(place).ok()) {
            key.value.kind = ScalarKind::Literal(Literal::Int(place.saturating_add(1)));
        }
    }
    keys.into_bump_slice()
}

/// An aggregate of a subquery or of columns of two queries, and a group by a subquery, on an engine without them.
///
/// ```sql
/// -- before
/// SELECT COUNT(CASE WHEN EXISTS (SELECT ...) THEN 1 END) FROM t
/// -- after
/// SELECT COUNT(g."c0") FROM t CROSS APPLY (SELECT CASE WHEN EXISTS (SELECT ...) THEN 1 END AS "c0") g
/// ```
///
/// Exact.
pub(crate) fn aggregated_subqueries<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
) -> Result<&'a [Order<'a, 'e>]> {
    let in_aggregates = !cx.target.has(Feature::SubqueryInAggregate);
    let in_keys = !cx.target.has(Feature::SubqueryInGroup);
    if !in_aggregates && !in_keys {
        return Ok(order);
    }
    let rows = *select;
    let aggregates = |cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| match part {
        Part::Scalar(Scalar { kind: ScalarKind::Call(call), .. }) if is_aggregate(call) => reaches_out(cx, call, &rows),
        Part::Scalar(Scalar { kind: ScalarKind::Window(window), .. }) => reaches_out(cx, &window.call, &rows),
        _ => false,
    };
    let items = if let Items::List(items) = select.items { items } else { &[] };
    let found = in_aggregates
        && (items.iter().any(|item| parts::any_part(cx, &item.value, &mut { aggregates }))
            || order.iter().any(|key| parts::any_part(cx, &key.value, &mut { aggregates }))
            || select.having.is_some_and(|having| parts::any_part(cx, &having, &mut { aggregates })));
    let keyed = in_keys && select.group.iter().any(|key| subquery::has_subquery(cx, key));
    if !found && !keyed {
        return Ok(order);
    }
    let mut keys = order;
    let mut group = cx.copied(select.group);
    for key in &mut group {
        if in_keys && subquery::has_subquery(cx, &*key) {
            cx.rule_for(Feature::SubqueryInGroup)?;
            let (was, column) = (*key, beside_the_rows(cx, select, key)?);
            keys = in_groups(cx, select, keys, &mut |cx, value, _| {
                Ok(if same(cx, value, &was) { Fate::Becomes(column) } else { Fate::Into })
            })?;
            *key = column;
        }
    }
    select.group = group.into_bump_slice();
    if !found {
        return Ok(keys);
    }
    // What is computed beside the rows, and the column that it is there.
    let mut found: Vec<(Scalar<'a, 'e>, Scalar<'a, 'e>)> = Vec::new();
    let grouped = !select.group.is_empty();
    let mut source = *select;
    keys = in_all(cx, select, keys, &mut |cx, value, _| {
        let (call, window) = match value.kind {
            ScalarKind::Call(call) if is_aggregate(call) => (*call, None),
            ScalarKind::Window(window) if !grouped => (window.call, Some(*window)),
            _ => return Ok(Fate::Into),
        };
        if !reaches_out(cx, &call, &rows) {
            return Ok(if window.is_some() { Fate::Into } else { Fate::Leave });
        }
        let mut column = |cx: &mut Cx<'a, 'e>, arg: &Scalar<'a, 'e>| -> Result<Scalar<'a, 'e>> {
            let Some(feature) = out_of_rows(cx, arg, &rows) else { return Ok(*arg) };
            cx.rule_for(feature)?;
            if let Some((_, known)) = found.iter().find(|(known, _)| same(cx, known, arg)) {
                return Ok(*known);
            }
            let column = beside_the_rows(cx, &mut source, arg)?;
            found.push((*arg, column));
            Ok(column)
        };
        let mut args = cx.vec(call.args.len());
        for arg in call.args {
            args.push(column(cx, arg)?);
        }
        let mut order = cx.copied(call.order);
        for key in &mut order {
            key.value = column(cx, &key.value)?;
        }
        let call = Call { args: args.into_bump_slice(), order: order.into_bump_slice(), ..call };
        let kind = match window {
            Some(window) => ScalarKind::Window(cx.node(Window { call, ..window })),
            None => ScalarKind::Call(cx.node(call)),
        };
        Ok(Fate::Becomes(Scalar { kind, ..*value }))
    })?;
    select.joins = source.joins;
    Ok(keys)
}

/// `CROSS APPLY (SELECT value AS "c0") T1`, and the column of it.
fn beside_the_rows<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    value: &Scalar<'a, 'e>,
) -> Result<Scalar<'a, 'e>> {
    if select.from.is_none() {
        let reason = "it stands beside the rows of a table, and there is none: aggregate a derived table";
        return Err(cx.target.refused("an aggregate of a subquery", reason));
    }
    let alias = cx.next_alias();
    let name = cx.quoted(&["c0"]);
    let query = query::select_query(
        cx,
        Select {
            distinct: false,
            distinct_on: &[],
            items: Items::List(cx.slice(&[Item { value: *value, alias: Some(name) }])),
            from: None,
            joins: &[],
            filter: None,
            group: &[],
            having: None,
        },
    );
    let source = Source::Derived { query, alias };
    let join =
        query::join(cx, BuiltJoin { kind: TableJoinType::Cross, lateral: true, source, on: None, in_order: false })?;
    let mut joins = cx.vec(select.joins.len() + 1);
    joins.extend(select.joins.iter().copied());
    joins.push(join);
    select.joins = joins.into_bump_slice();
    Ok(column_of(cx, alias, name, value))
}

/// A value whose parameters are bound once, however often it is written.
fn shared<'a, 'e>(cx: &mut Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    let fragment = parts::any_part(cx, value, &mut |cx, part| match part {
        Part::Scalar(Scalar { kind: ScalarKind::Fragment(fragment), .. }) => binds(cx, fragment.index),
        Part::Pred(Pred::Fragment(fragment)) => binds(cx, fragment.index),
        _ => false,
    });
    if fragment {
        let reason = "it holds a fragment with values, which are bound anew wherever it stands: select it in a \
                      derived table, and group by its column";
        return Err(cx.target.refused("a parameter in the key of a group", reason));
    }
    let shared = parts::map_scalar(cx, value, &mut |_, part| match part.kind {
        ScalarKind::Param(param) => {
            let kind = ScalarKind::Param(Param { shared: true, ..param });
            Ok(Fate::Becomes(Scalar { kind, ..*part }))
        }
        _ => Ok(Fate::Into),
    })?;
    Ok(shared.unwrap_or(*value))
}

/// `a || $1 || b`, where `a || $1` is meant otherwise.
fn behind_prefix<'a, 'e>(
    cx: &Cx<'a, 'e>,
    value: &Scalar<'a, 'e>,
    key: &Scalar<'a, 'e>,
    meant: Scalar<'a, 'e>,
) -> Option<Scalar<'a, 'e>> {
    let (ScalarKind::Concat(items), ScalarKind::Concat(first)) = (value.kind, key.kind) else { return None };
    let (before, rest) = items.split_at_checked(first.len())?;
    if rest.is_empty() || !before.iter().zip(first).all(|(a, b)| same(cx, a, b)) {
        return None;
    }
    let mut items = cx.vec(rest.len() + 1);
    items.push(meant);
    items.extend(rest.iter().copied());
    Some(Scalar { kind: ScalarKind::Concat(items.into_bump_slice()), ..*value })
}

/// A column of a key with a parameter that stands outside of it and of every aggregate has no value for the group.
fn no_bare_columns<'a, 'e>(cx: &mut Cx<'a, 'e>, select: &Select<'a, 'e>, order: &'a [Order<'a, 'e>]) -> Result<()> {
    let mut inside: Vec<&ColumnRef<'a>> = Vec::new();
    for key in select.group {
        match key.kind {
            // The other columns of its row follow from it.
            ScalarKind::Column(_) if key.column.is_some_and(|column| column.primary_key) => return Ok(()),
            ScalarKind::Column(_) => {}
            _ => {
                _ = parts::any_part(cx, key, &mut |_, part| {
                    if let Part::Scalar(value) = part {
                        inside.extend(value.kind.as_column());
                    }
                    false
                })
            }
        }
    }
    let group = select.group;
    in_groups(cx, &mut select.clone(), order, &mut |cx, value, _| match value.kind {
        _ if group.iter().any(|key| same(cx, key, value)) => Ok(Fate::Leave),
        ScalarKind::Column(column) if inside.contains(&column) => {
            let why = "it is not what the rows were grouped by: select the whole key, aggregate the column, or group \
                       a derived table that has the key as a column";
            Err(Cx::misplaced(&format!("the column {} outside of the key of its group", column.text()), why))
        }
        _ => Ok(Fate::Into),
    })?;
    Ok(())
}

/// Whether a key stands in the select list, HAVING or the order, by itself or inside of something.
fn stands_elsewhere<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    key: &Scalar<'a, 'e>,
) -> bool {
    let mut found = false;
    // Nothing fails in it, and nothing is changed.
    let _ = in_groups(cx, &mut select.clone(), order, &mut |cx, value, _| {
        found |= same(cx, value, key) || behind_prefix(cx, value, key, *key).is_some();
        Ok(if found { Fate::Leave } else { Fate::Into })
    });
    found
}

/// Rewrites what is computed for each group: outside of aggregates.
pub(super) fn in_groups<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    change: &mut dyn FnMut(&mut Cx<'a, 'e>, &Scalar<'a, 'e>, Whole) -> Result<Fate<'a, 'e>>,
) -> Result<&'a [Order<'a, 'e>]> {
    in_all(cx, select, order, &mut |cx, value, whole| match value.kind {
        ScalarKind::Call(call) if is_aggregate(call) => Ok(Fate::Leave),
        _ => change(cx, value, whole),
    })
}

/// Rewrites the select list, HAVING and the order: not the items that the group means by their place, which are keys.
fn in_all<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    change: &mut dyn FnMut(&mut Cx<'a, 'e>, &Scalar<'a, 'e>, Whole) -> Result<Fate<'a, 'e>>,
) -> Result<&'a [Order<'a, 'e>]> {
    if let Items::List(items) = select.items {
        let mut list = cx.copied(items);
        for (index, item) in list.iter_mut().enumerate() {
            if select.group.iter().any(|key| is_place(key, index)) {
                continue;
            }
            if let Some(value) = map_whole(cx, &item.value, Whole::Item, change)? {
                item.value = value;
            }
        }
        select.items = Items::List(list.into_bump_slice());
    }
    if let Some(having) = &select.having
        && let Some(changed) = parts::map_pred(cx, having, &mut |cx, value| change(cx, value, Whole::Having))?
    {
        select.having = Some(changed);
    }
    let mut keys = cx.copied(order);
    for key in &mut keys {
        if let Some(value) = map_whole(cx, &key.value, Whole::Order, change)? {
            key.value = value;
        }
    }
    Ok(keys.into_bump_slice())
}

pub(super) fn map_whole<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: &Scalar<'a, 'e>,
    whole: Whole,
    change: &mut dyn FnMut(&mut Cx<'a, 'e>, &Scalar<'a, 'e>, Whole) -> Result<Fate<'a, 'e>>,
) -> Result<Option<Scalar<'a, 'e>>> {
    let mut place = whole;
    parts::map_scalar(cx, value, &mut |cx, part| change(cx, part, std::mem::replace(&mut place, Whole::No)))
}

/// Whether it binds a value.
pub(crate) fn has_parameter<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    parts::any_part(cx, value, &mut |cx, part| match part {
        Part::Scalar(Scalar { kind: ScalarKind::Param(_), .. }) => true,
        Part::Scalar(Scalar { kind: ScalarKind::Fragment(fragment), .. }) => binds(cx, fragment.index),
        Part::Pred(Pred::Fragment(fragment)) => binds(cx, fragment.index),
        _ => false,
    })
}

/// Whether a fragment binds values.
fn binds(cx: &Cx<'_, '_>, index: usize) -> bool {
    cx.fragments.get(index).is_some_and(|text| !text.values.is_empty())
}

/// Whether an argument of a call is more than the engine aggregates.
fn reaches_out<'a, 'e>(cx: &Cx<'a, 'e>, call: &Call<'a, 'e>, rows: &Select<'a, 'e>) -> bool {
    let mut args = call.args.iter().chain(call.order.iter().map(|key| &key.value));
    args.any(|arg| out_of_rows(cx, arg, rows).is_some())
}

/// What the engine lacks to aggregate a value over these rows.
fn out_of_rows<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>, rows: &Select<'a, 'e>) -> Option<Feature> {
    if subquery::has_subquery(cx, value) {
        return Some(Feature::SubqueryInAggregate);
    }
    if cx.target.has(Feature::OuterInAggregate) {
        return None;
    }
    let (mut own, mut outer) = (false, false);
    _ = parts::any_part(cx, value, &mut |_, part| {
        if let Part::Scalar(value) = part
            && let Some(column) = value.kind.as_column()
        {
            let known = column.qualifier().is_none_or(|qualifier| has_alias(rows, qualifier));
            own |= known;
            outer |= !known;
        }
        own && outer
    });
    (own && outer).then_some(Feature::OuterInAggregate)
}

/// Whether two values are the same expression.
pub(crate) fn same<'a, 'e>(cx: &Cx<'a, 'e>, a: &Scalar<'a, 'e>, b: &Scalar<'a, 'e>) -> bool {
    use ScalarKind as K;
    // What is shared is not unfolded.
    if a.kind.is_same(&b.kind) {
        return true;
    }
    if !cx.may_look(1) {
        return false;
    }
    let all =
        |a: &[Scalar<'a, 'e>], b: &[Scalar<'a, 'e>]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(cx, a, b));
    match (a.kind, b.kind) {
        (K::Column(a), K::Column(b)) => a == b,
        (K::Param(_), K::Param(_)) => a.ty == b.ty && cx.value_of(a) == cx.value_of(b),
        (K::Literal(Literal::Int(a)), K::Literal(Literal::Int(b))) => a == b,
        (K::Literal(Literal::Bool(a)), K::Literal(Literal::Bool(b))) => a == b,
        (K::Literal(Literal::Text(a)), K::Literal(Literal::Text(b))) => a == b,
        (K::Literal(Literal::Null), K::Literal(Literal::Null)) => true,
        (K::Literal(_), K::Literal(_)) => {
            let value = cx.value_of(a);
            value.is_some_and(|value| !matches!(value, Value::Null)) && value == cx.value_of(b)
        }
        (K::Negative(a), K::Negative(b)) | (K::BitNot(a), K::BitNot(b)) => same(cx, a, b),
        (K::Exact(a, form), K::Exact(b, other)) => form == other && same(cx, a, b),
        (K::Binary(x, a), K::Binary(y, b)) => x == y && all(a, b),
        (K::Concat(a), K::Concat(b)) | (K::Row(a), K::Row(b)) => all(a, b),
        (K::Cast(a, x), K::Cast(b, y)) => x == y && same(cx, a, b),
        (K::Call(a), K::Call(b)) => {
            let plain = |call: &Call<'a, 'e>| call.order.is_empty() && call.filter.is_none();
            a.func == b.func
                && a.spelling == b.spelling
                && a.distinct == b.distinct
                && plain(a)
                && plain(b)
                && all(a.args, b.args)
        }
        (K::Case(a), K::Case(b)) => {
            a.cases.len() == b.cases.len()
                && a.cases.iter().zip(b.cases).all(|((p, x), (q, y))| same_pred(cx, p, q) && same(cx, x, y))
                && match (&a.otherwise, &b.otherwise) {
                    (Some(a), Some(b)) => same(cx, a, b),
                    (None, None) => true,
                    _ => false,
                }
        }
        (K::Truth(a), K::Truth(b)) => same_pred(cx, a, b),
        (K::Query(_), K::Query(_)) | (K::Fragment(_), K::Fragment(_)) => {
            same_text(cx, [a.into(), b.into()], [query::text_of(cx, a), query::text_of(cx, b)])
        }
        _ => false,
    }
}

/// Returns whether two parts have the same text and values. The alias of a table inside them may differ, since a second
/// resolution of the same tree generates another one.
fn same_text<'a, 'e>(cx: &Cx<'a, 'e>, parts: [Part<'_, 'a, 'e>; 2], texts: [Result<(String, Vec<Value>)>; 2]) -> bool {
    let [Ok((a, values)), Ok((b, others))] = texts else { return false };
    if values != others {
        return false;
    }
    if a == b {
        return true;
    }
    let [own, other] = parts.map(|part| tables_inside(cx, part));
    if !own.iter().map(|(table, _)| table).eq(other.iter().map(|(table, _)| table)) {
        return false;
    }
    let lexis = cx.target.dialect().lexis();
    matches!((renamed(&a, lexis, &own), renamed(&b, lexis, &other)), (Some(a), Some(b)) if a == b)
}

/// A token of a text in which the alias of a table is the place of that table.
#[derive(PartialEq, Eq)]
enum Renamed<'t> {
    Alias(usize),
    Token(Token<'t>),
}

/// Returns the tokens of a text, or `None` if it cannot be read. A name after a point is a column's, and no alias.
fn renamed<'t>(text: &'t str, lexis: Lexis, tables: &[(&str, &str)]) -> Option<Vec<Renamed<'t>>> {
    let mut qualified = false;
    let tokens = Scanner::new(text, lexis, Notation::NONE).map(|token| {
        let (_, token) = token.ok()?;
        let place = match token {
            Token::Quoted(name) if !qualified => tables.iter().position(|(_, alias)| *alias == name),
            _ => None,
        };
        qualified = matches!(token, Token::Code(code) if code.ends_with('.'));
        Some(place.map_or(Renamed::Token(token), Renamed::Alias))
    });
    tokens.collect()
}

/// The tables that the queries inside a part read, with their aliases, in the order of the text. A table without a name of
/// its own has an empty one.
fn tables_inside<'a, 'e>(cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>) -> Vec<(&'a str, &'a str)> {
    let named = |source: &Source<'a, 'e>| match *source {
        Source::Table { name, alias } => (name, alias.unwrap_or(name)),
        Source::Derived { alias, .. } => ("", alias),
    };
    let mut tables = Vec::new();
    parts::finds_inside(cx, part, &mut |_, part| {
        if let Part::Query(Query { body: Body::Select(select), .. }) = part {
            tables.extend(select.from.iter().map(named));
            for join in select.joins {
                match join {
                    Join::Built(join) => tables.push(named(&join.source)),
                    Join::View(joins) => tables.extend(joins.aliases.iter().map(|alias| ("", &**alias))),
                }
            }
        }
        Seen::Into
    });
    tables
}

fn same_pred<'a, 'e>(cx: &Cx<'a, 'e>, a: &Pred<'a, 'e>, b: &Pred<'a, 'e>) -> bool {
    if !cx.may_look(1) {
        return false;
    }
    let all = |a: &[Pred<'a, 'e>], b: &[Pred<'a, 'e>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_pred(cx, a, b))
    };
    match (a, b) {
        (Pred::Const(a), Pred::Const(b)) => a == b,
        (Pred::Text(a), Pred::Text(b)) => a == b,
        (Pred::Compare(a), Pred::Compare(b)) => {
            a.op == b.op && same(cx, &a.left, &b.left) && same(cx, &a.right, &b.right)
        }
        (Pred::Null(a, x), Pred::Null(b, y)) => x == y && same(cx, a, b),
        (Pred::Match(a), Pred::Match(b)) => {
            a.kind == b.kind && a.negated == b.negated && same(cx, &a.text, &b.text) && same(cx, &a.pattern, &b.pattern)
        }
        (Pred::And(a), Pred::And(b)) | (Pred::Or(a), Pred::Or(b)) => all(a, b),
        (Pred::Not(a), Pred::Not(b)) => same_pred(cx, a, b),
        (Pred::IsTrue(a), Pred::IsTrue(b)) => same(cx, a, b),
        (Pred::In(_), Pred::In(_)) | (Pred::Exists(..), Pred::Exists(..)) | (Pred::Fragment(_), Pred::Fragment(_)) => {
            same_text(cx, [a.into(), b.into()], [query::text_of_pred(cx, a), query::text_of_pred(cx, b)])
        }
        _ => false,
    }
}

/// Whether a value is one of the whole items or keys of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// It is an item of the select list.
    Item,
    /// It is a key of the order.
    Order,
    /// It is HAVING or a part of it.
    Having,
    /// It stands inside of something.
    No,
}

/// Returns whether a source of a select has that alias, which is quoted.
pub(super) fn has_alias(select: &Select<'_, '_>, qualifier: &str) -> bool {
    let is = |source: &Source<'_, '_>| match source {
        Source::Table { name, alias } => alias.unwrap_or(name) == qualifier,
        Source::Derived { alias, .. } => *alias == qualifier,
    };
    select.from.iter().any(is)
        || select.joins.iter().any(|join| match join {
            Join::View(joins) => joins.aliases.iter().any(|alias| **alias == *qualifier),
            Join::Built(join) => is(&join.source),
        })
}

/// Whether a call is an aggregate.
pub(super) fn is_aggregate(call: &Call<'_, '_>) -> bool {
    call.func.is_some_and(|func| func.signature().class == Class::Aggregate)
}

/// Whether a key of a group means the item at that place.
pub(super) fn is_place(key: &Scalar<'_, '_>, index: usize) -> bool {
    match key.kind {
        ScalarKind::Literal(Literal::Int(place)) => usize::try_from(place).is_ok_and(|place| place == index + 1),
        _ => false,
    }
}
