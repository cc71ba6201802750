//! Values and predicates in which texts are compared.

use crate::dialect::Feature;
use crate::error::Result;
use crate::frame::{Call, Case, Match, MatchKind, Pred, Scalar, ScalarKind, TextForm, Window};
use crate::functions::{Class, Func};
use crate::legalize::parts::Fate;
use crate::legalize::{Cx, group, parts};

use super::compare::{exact_compare, exact_in, exact_sides};
use super::mode::{by_letters, by_points, one_collation, shows};
use super::query::exact_query;
use super::{Beside, For, Standing, Told, all_by_points, exact_orders, exact_values};

/// A value in which texts are compared as they should be. What is one of the group's keys becomes the key that the
/// group is made by.
pub(super) fn exact_value<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: Scalar<'a, 'e>,
    group: &[Scalar<'a, 'e>],
) -> Result<Scalar<'a, 'e>> {
    if value.is_plain() {
        return Ok(value);
    }
    let changed = parts::map_scalar(cx, &value, &mut |cx, part| exact_step(cx, part, group))?;
    Ok(changed.unwrap_or(value))
}

pub(super) fn exact_step<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    part: &Scalar<'a, 'e>,
    group: &[Scalar<'a, 'e>],
) -> Result<Fate<'a, 'e>> {
    if group.iter().any(|key| group::same(cx, key, part)) {
        let inner = exact_value(cx, *part, &[])?;
        return Ok(Fate::Becomes(by_points(cx, inner, Beside::default(), For::Equal, TextForm::Value)?));
    }
    let kind = match part.kind {
        ScalarKind::Query(query) => ScalarKind::Query(exact_query(cx, query, Told::Rows)?),
        ScalarKind::Truth(pred) => {
            let pred = exact_pred(cx, pred, group, Standing::Elsewhere)?;
            ScalarKind::Truth(cx.node(pred))
        }
        ScalarKind::Case(case) => {
            let mut cases = cx.copied(case.cases);
            for (cond, value) in &mut cases {
                *cond = exact_pred(cx, cond, group, Standing::Elsewhere)?;
                *value = exact_value(cx, *value, group)?;
            }
            let mut otherwise = case.otherwise.map(|value| exact_value(cx, value, group)).transpose()?;
            one_collation(cx, cases.iter_mut().map(|(_, value)| value).chain(&mut otherwise));
            ScalarKind::Case(cx.node(Case { cases: cases.into_bump_slice(), otherwise }))
        }
        ScalarKind::Concat(items) => {
            let items = exact_values(cx, items, group)?;
            let mut items = cx.copied(items);
            one_collation(cx, items.iter_mut());
            ScalarKind::Concat(items.into_bump_slice())
        }
        ScalarKind::Call(call) => {
            let call = exact_call(cx, call, group)?;
            ScalarKind::Call(cx.node(call))
        }
        ScalarKind::Window(window) => {
            let partition = exact_values(cx, window.partition, group)?;
            let window = Window {
                call: exact_call(cx, &window.call, group)?,
                partition: all_by_points(cx, partition, For::Equal, TextForm::Key)?,
                order: exact_orders(cx, window.order, group, TextForm::Key)?,
                frame: window.frame,
            };
            ScalarKind::Window(cx.node(window))
        }
        _ => return Ok(Fate::Into),
    };
    Ok(Fate::Becomes(Scalar { kind, ..*part }))
}

pub(super) fn exact_call<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    call: &Call<'a, 'e>,
    group: &[Scalar<'a, 'e>],
) -> Result<Call<'a, 'e>> {
    use Func as F;
    let aggregate = call.func.is_some_and(|func| func.signature().class == Class::Aggregate);
    let group = if aggregate { &[] } else { group };
    let mut args = cx.copied(call.args);
    for arg in &mut args {
        *arg = exact_value(cx, *arg, group)?;
    }
    // What knows letters from others does so by a collation that knows them.
    if let Some(F::Lower | F::Upper | F::RegexpReplace | F::RegexpSubstr | F::RegexpCount) = call.func
        && let Some((text, further)) = args.split_first_mut()
    {
        *text = by_letters(cx, *text);
        for arg in further.iter_mut().filter(|arg| shows(cx, arg, false)) {
            *arg = by_letters(cx, *arg);
        }
    }
    // What looks into texts, or compares them.
    let (count, use_of, form) = match call.func {
        Some(F::Replace) => (3, For::Equal, TextForm::Value),
        Some(F::IndexOf | F::NullIf) => (2, For::Equal, TextForm::Value),
        Some(F::Trim | F::TrimStart | F::TrimEnd) if args.len() > 1 => (1, For::Equal, TextForm::Value),
        Some(F::Greatest | F::Least) => (args.len(), For::Order, TextForm::Value),
        Some(F::Min | F::Max) => (1, For::Order, TextForm::Value),
        Some(F::Count) if call.distinct => (1, For::Equal, TextForm::Key),
        Some(_) if call.distinct => (1, if call.order.is_empty() { For::Equal } else { For::Order }, TextForm::Value),
        _ => (0, For::Equal, TextForm::Value),
    };
    if let Some(sides) = args.get_mut(..count.min(call.args.len())) {
        exact_sides(cx, sides, use_of, form)?;
    }
    one_collation(cx, args.iter_mut());
    let form = if call.distinct { TextForm::Value } else { TextForm::Key };
    Ok(Call {
        args: args.into_bump_slice(),
        order: exact_orders(cx, call.order, group, form)?,
        filter: call.filter.map(|filter| exact_pred(cx, &filter, group, Standing::Elsewhere)).transpose()?,
        ..*call
    })
}

pub(super) fn exact_pred<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    pred: &Pred<'a, 'e>,
    group: &[Scalar<'a, 'e>],
    at: Standing,
) -> Result<Pred<'a, 'e>> {
    cx.may_change()?;
    Ok(match *pred {
        Pred::Compare(node) => return exact_compare(cx, node, group, at),
        Pred::Match(node) => {
            let text = exact_value(cx, node.text, group)?;
            let pattern = exact_value(cx, node.pattern, group)?;
            let mut sides = [text, pattern];
            match node.kind {
                MatchKind::ILike { .. } | MatchKind::Regex => {
                    let pattern = if shows(cx, &pattern, false) { by_letters(cx, pattern) } else { pattern };
                    sides = [by_letters(cx, text), pattern];
                }
                // Where LIKE never follows a collation, it compares code points; and so does GLOB.
                MatchKind::Like { .. } if cx.target.has(Feature::LikeCollation) => {
                    exact_sides(cx, &mut sides, For::Equal, TextForm::Value)?;
                }
                MatchKind::Like { .. } | MatchKind::Glob => {}
            }
            let [text, pattern] = sides;
            Pred::Match(cx.node(Match { text, pattern, ..*node }))
        }
        Pred::In(node) => return exact_in(cx, node, group, at),
        Pred::Exists(query, negated) => Pred::Exists(exact_query(cx, query, Told::Rows)?, negated),
        Pred::And(items) => Pred::And(exact_preds(cx, items, group, at)?),
        Pred::Or(items) => Pred::Or(exact_preds(cx, items, group, at)?),
        Pred::Not(inner) => {
            let inner = exact_pred(cx, inner, group, Standing::Elsewhere)?;
            Pred::Not(cx.node(inner))
        }
        Pred::Null(value, negated) => {
            let value = exact_value(cx, *value, group)?;
            Pred::Null(cx.node(value), negated)
        }
        Pred::IsTrue(value) => {
            let value = exact_value(cx, *value, group)?;
            Pred::IsTrue(cx.node(value))
        }
        Pred::Const(_) | Pred::Text(_) | Pred::Fragment(_) => *pred,
    })
}

pub(super) fn exact_preds<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    items: &[Pred<'a, 'e>],
    group: &[Scalar<'a, 'e>],
    at: Standing,
) -> Result<&'a [Pred<'a, 'e>]> {
    let mut list = cx.vec(items.len());
    for item in items {
        let item = exact_pred(cx, item, group, at)?;
        // What became two conditions is two of this list.
        list.push(item);
    }
    Ok(list.into_bump_slice())
}
