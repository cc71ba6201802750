//! Selects: what they sort and group, and what of them is compared from outside.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbValueType, SelectSetType};
use crate::frame::{Body, ColumnRef, Item, Items, Order, Part, Query, Scalar, ScalarKind, Select, Source, TextForm};
use crate::functions::Func;
use crate::legalize::group::is_place;
use crate::legalize::parts::Seen;
use crate::legalize::{Cx, Rule, call, group, grouped, parts, query};

use super::compare::exact_sides;
use super::mode::{beside_of, by_points, ignores_blanks, one_collation, texts_exact};
use super::value::{exact_pred, exact_value};
use super::{
    Beside, For, Standing, Told, all_by_points, exact_ctes, exact_filter, exact_joins, exact_source, exact_values,
    is_text,
};

pub(super) fn exact_query<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    query: &'a Query<'a, 'e>,
    told: Told<'a>,
) -> Result<&'a Query<'a, 'e>> {
    let ctes = exact_ctes(cx, query.ctes)?;
    let (body, order) = match query.body {
        Body::Select(select) => {
            let (select, order) = exact_select(cx, select, query.order, told)?;
            (Body::Select(cx.node(select)), order)
        }
        Body::Set { op, left, right } => {
            // It is sorted by its columns, which have the collation of the members.
            let sorted = query.order.iter().any(|key| is_text(key.value.ty));
            let compared = op != SelectSetType::UnionAll || sorted;
            let told = match told {
                Told::Rows => {
                    // Of two collations, an engine may not know which one the column has.
                    let beside = columns_beside(cx, query);
                    let whole = compared || beside.iter().any(|column| column.clash);
                    if whole { Told::Values(beside) } else { told }
                }
                told => told,
            };
            if op != SelectSetType::UnionAll && !told.is_keys() && texts_exact(cx) && ignores_blanks(cx) {
                cx.note(Feature::ExactText, Rule::BlanksAlike);
            }
            let (left, right) = (exact_query(cx, left, told)?, exact_query(cx, right, told)?);
            let (left, right) = one_collation_of(cx, left, right);
            (Body::Set { op, left, right }, query.order)
        }
    };
    Ok(cx.node(Query { ctes, body, order, ..*query }))
}

/// Two members of a set operation, whose columns are values that are made of two texts each.
fn one_collation_of<'a, 'e>(
    cx: &Cx<'a, 'e>,
    left: &'a Query<'a, 'e>,
    right: &'a Query<'a, 'e>,
) -> (&'a Query<'a, 'e>, &'a Query<'a, 'e>) {
    let unchanged = (left, right);
    let (Body::Select(one), Body::Select(other)) = (left.body, right.body) else { return unchanged };
    let (Items::List(ones), Items::List(others)) = (one.items, other.items) else { return unchanged };
    let (mut ones, mut others) = (cx.copied(ones), cx.copied(others));
    for (one, other) in ones.iter_mut().zip(&mut others) {
        one_collation(cx, [&mut one.value, &mut other.value].into_iter());
    }
    let with = |query: &Query<'a, 'e>, select: &Select<'a, 'e>, items: BumpVec<'a, Item<'a, 'e>>| {
        let items = Items::List(items.into_bump_slice());
        let body = Body::Select(cx.node(Select { items, ..*select }));
        cx.node(Query { body, ..*query })
    };
    (with(left, one, ones), with(right, other, others))
}

/// What each column of a query is to what it is compared with.
pub(super) fn columns_beside<'a, 'e>(cx: &Cx<'a, 'e>, query: &Query<'a, 'e>) -> &'a [Beside<'a>] {
    let mut columns = cx.vec(4);
    add_columns_beside(cx, query, &mut columns);
    columns.into_bump_slice()
}

fn add_columns_beside<'a, 'e>(cx: &Cx<'a, 'e>, query: &Query<'a, 'e>, columns: &mut BumpVec<'a, Beside<'a>>) {
    let select = match query.body {
        Body::Select(select) => select,
        Body::Set { left, right, .. } => {
            add_columns_beside(cx, left, columns);
            return add_columns_beside(cx, right, columns);
        }
    };
    match (select.items, select.from) {
        (Items::List(items), _) => {
            columns.resize(columns.len().max(items.len()), Beside::default());
            for (column, item) in columns.iter_mut().zip(items) {
                column.add(beside_of(cx, &item.value));
            }
        }
        (Items::Text(_), Some(Source::Derived { query, .. })) => add_columns_beside(cx, query, columns),
        _ => {}
    }
}

pub(super) fn exact_select<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &Select<'a, 'e>,
    order: &'a [Order<'a, 'e>],
    told: Told<'a>,
) -> Result<(Select<'a, 'e>, &'a [Order<'a, 'e>])> {
    let mut select = *select;
    let all = matches!(select.items, Items::Text("*"));
    if let Some(from) = select.from {
        select.from = Some(exact_source(cx, from, if all { told } else { Told::Rows })?);
    }
    select.joins = exact_joins(cx, select.joins)?;
    select.filter = exact_filter(cx, select.filter)?;
    let (keys, group) = exact_keys(cx, &select, order)?;
    select.group = group;
    if let Some(having) = select.having {
        select.having = Some(exact_pred(cx, &having, keys, Standing::Elsewhere)?);
    }
    let whole = select.distinct || told != Told::Rows;
    let item_form = if told.is_keys() { TextForm::Key } else { TextForm::Value };
    let use_of = if order.is_empty() { For::Equal } else { For::Order };
    let mut aliases = cx.vec(0);
    let mut lengths = cx.vec(0);
    if let Items::List(items) = select.items {
        let mut list = cx.vec(items.len());
        for (index, item) in items.iter().enumerate() {
            let mut value = exact_value(cx, item.value, keys)?;
            // `GROUP BY 2` means the item, and so does `ORDER BY "name"`.
            let by_place = select.group.iter().any(|key| is_place(key, index));
            let by_name = order
                .iter()
                .any(|key| item.alias.is_some() && key.value.kind.as_column().map(ColumnRef::text) == item.alias);
            if (whole || by_place || by_name) && is_text(value.ty) {
                let use_of = if by_name { For::Order } else { use_of };
                let beside = told.beside(index);
                if told != Told::Rows && beside == Beside::default() {
                    // No member of the set operation has a text with a collation, so each names it.
                    exact_sides(cx, std::slice::from_mut(&mut value), use_of, item_form)?;
                } else {
                    value = by_points(cx, value, beside, use_of, item_form)?;
                }
            }
            let alias = item.alias.or_else(|| match (item.value.kind, value.kind) {
                (ScalarKind::Column(column), ScalarKind::Exact(..)) => Some(column.name()),
                _ => None,
            });
            if by_name {
                aliases.extend(item.alias);
            }
            if select.distinct && !told.is_keys() && ignores_blanks(cx) && matches!(value.kind, ScalarKind::Exact(..)) {
                lengths.push(call::call(cx, Func::ByteLength, &[item.value], Some(DbValueType::Int32.into()))?);
            }
            list.push(Item { value, alias });
        }
        select.items = Items::List(list.into_bump_slice());
    }
    if !lengths.is_empty() {
        distinct_by_length(cx, &mut select, lengths);
    }
    select.distinct_on = {
        let keys_of = exact_values(cx, select.distinct_on, keys)?;
        all_by_points(cx, keys_of, use_of, TextForm::Value)?
    };
    // What sorts distinct rows stands in their list.
    let form = if select.distinct || !select.distinct_on.is_empty() { TextForm::Value } else { TextForm::Key };
    let mut list = cx.copied(order);
    for key in &mut list {
        if key.value.kind.as_column().is_some_and(|column| aliases.contains(&column.text())) {
            continue;
        }
        let value = exact_value(cx, key.value, keys)?;
        key.value = by_points(cx, value, Beside::default(), For::Order, form)?;
    }
    let order = grouped::keys_inside(cx, &mut select, list.into_bump_slice())?;
    Ok((select, order))
}

/// The keys of a group that are texts as they were, and the keys as the group is made by. On an engine whose `=`
/// ignores blanks at the end of a text, its length is one more. Where a subquery looks at a column of the group, that
/// is one more, too: it parts no group further, as texts by code points are alike to every collation.
///
/// ```sql
/// -- before       -- after
/// GROUP BY a      GROUP BY a COLLATE "C"
///                 GROUP BY a COLLATE Latin1_General_100_BIN2, DATALENGTH(a)
///                 GROUP BY a COLLATE "C", a
/// ```
#[allow(clippy::type_complexity, reason = "two lists of the same, which one caller takes apart")]
pub(super) fn exact_keys<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &Select<'a, 'e>,
    order: &[Order<'a, 'e>],
) -> Result<(&'a [Scalar<'a, 'e>], &'a [Scalar<'a, 'e>])> {
    let mut texts = cx.vec(0);
    let mut group = cx.vec(select.group.len());
    for key in select.group {
        let inner = exact_value(cx, *key, &[])?;
        let exact = by_points(cx, inner, Beside::default(), For::Equal, TextForm::Value)?;
        group.push(exact);
        if matches!(exact.kind, ScalarKind::Exact(..)) {
            texts.push(*key);
            if let ScalarKind::Column(column) = inner.kind
                && subquery_sees(cx, select, order, column)
            {
                group.push(inner);
            }
            if ignores_blanks(cx) {
                group.push(call::call(cx, Func::ByteLength, &[inner], Some(DbValueType::Int32.into()))?);
            }
        }
    }
    Ok((texts.into_bump_slice(), group.into_bump_slice()))
}

/// Whether a subquery in the select list, HAVING or the order looks at a column.
fn subquery_sees<'a, 'e>(
    cx: &Cx<'a, 'e>,
    select: &Select<'a, 'e>,
    order: &[Order<'a, 'e>],
    column: &ColumnRef<'_>,
) -> bool {
    let look = |cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| match part {
        Part::Scalar(Scalar { kind: ScalarKind::Column(other), .. }) if *other == column => Seen::Found,
        part if parts::any_column(cx, part, |_, name| name == column.name()) => Seen::Found,
        _ => Seen::Into,
    };
    let sees =
        |cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| part.is_query() && parts::finds_inside(cx, part, &mut { look });
    let items = if let Items::List(items) = select.items { items } else { &[] };
    items.iter().any(|item| parts::any_part(cx, &item.value, &mut { sees }))
        || select.having.is_some_and(|having| parts::any_part(cx, &having, &mut { sees }))
        || order.iter().any(|key| parts::any_part(cx, &key.value, &mut { sees }))
}

/// Distinct rows, on an engine whose `=` ignores blanks at the end of a text.
///
/// ```sql
/// -- before                 -- after
/// SELECT DISTINCT a, b      SELECT a, b .. GROUP BY a, b, DATALENGTH(a)
/// ```
///
/// Done where each item is one of a row by itself, without a parameter: a group has no others as its keys.
pub(super) fn distinct_by_length<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    select: &mut Select<'a, 'e>,
    lengths: BumpVec<'a, Scalar<'a, 'e>>,
) {
    let Items::List(items) = select.items else { return };
    let simple = |cx: &Cx<'a, 'e>, item: &Item<'a, 'e>| {
        query::is_of_a_row(cx, &item.value)
            && !query::is_constant(cx, &item.value)
            && !group::has_parameter(cx, &item.value)
            && !parts::any_part(cx, &item.value, &mut |_, part| part.is_query())
    };
    if !select.group.is_empty() || select.having.is_some() || !items.iter().all(|item| simple(cx, item)) {
        cx.note(Feature::ExactText, Rule::BlanksAlike);
        return;
    }
    let mut keys = cx.vec(items.len() + lengths.len());
    keys.extend(items.iter().map(|item| item.value));
    keys.extend(lengths);
    select.group = keys.into_bump_slice();
    select.distinct = false;
}
