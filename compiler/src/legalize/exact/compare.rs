//! Comparisons and IN.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::Value;
use crate::frame::{Call, Compare, CompareOp, In, InList, Param, Part, Pred, Scalar, ScalarKind, TextForm};
use crate::legalize::{Cx, call, logic, parts, query, repeated, volatile};
use crate::model::{Collation, TextMode};
use crate::render::Prec;

use super::mode::{beside_of, exact, ignores_blanks, known, noted, shows, text_mode};
use super::query::{columns_beside, exact_query};
use super::value::exact_value;
use super::{Beside, For, Standing, Told, exact_values, is_text};

pub(super) fn exact_compare<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    node: &Compare<'a, 'e>,
    group: &[Scalar<'a, 'e>],
    at: Standing,
) -> Result<Pred<'a, 'e>> {
    let plain = [exact_value(cx, node.left, group)?, exact_value(cx, node.right, group)?];
    let use_of = match node.op {
        CompareOp::Equal | CompareOp::NotEqual | CompareOp::Distinct | CompareOp::NotDistinct => For::Equal,
        _ => For::Order,
    };
    let mut sides = plain.map(repeated);
    if let [ScalarKind::Row(left), ScalarKind::Row(right)] = sides.map(|side| side.kind) {
        let (mut l, mut r) = (cx.copied(left), cx.copied(right));
        for (l, r) in l.iter_mut().zip(&mut r) {
            let mut pair = [*l, *r];
            exact_sides(cx, &mut pair, use_of, TextForm::Key)?;
            [*l, *r] = pair;
        }
        let [left, right] = sides;
        let left = Scalar { kind: ScalarKind::Row(l.into_bump_slice()), ..left };
        let right = Scalar { kind: ScalarKind::Row(r.into_bump_slice()), ..right };
        return Ok(Pred::Compare(cx.node(Compare { left, op: node.op, right })));
    }
    let changed = exact_sides(cx, &mut sides, use_of, TextForm::Key)?;
    let [left, right] = sides;
    if !changed {
        let [left, right] = plain;
        return Ok(Pred::Compare(cx.node(Compare { left, op: node.op, right })));
    }
    if at == Standing::Elsewhere || node.op != CompareOp::Equal {
        return Ok(Pred::Compare(cx.node(Compare { left, op: node.op, right })));
    }
    // An index serves the comparison by the collation; it is true wherever the exact one is.
    let [l, r] = plain;
    let exact = Pred::Compare(cx.node(Compare { left, op: node.op, right }));
    let served = match (indexed(cx, &l), indexed(cx, &r)) {
        (Some(a), Some(b)) if is_column(&l) && is_column(&r) && may_differ(a, b) => None,
        (Some(_), Some(_)) if [l, r].iter().all(|side| is_column(side) && side.column.is_some()) => Some((l, r)),
        (Some(_), Some(_)) if (is_column(&l) || is_column(&r)) && of_one_collation(cx, &[l, r]) => Some((l, r)),
        (Some(column), None) if query::is_constant(cx, &r) && !shows(cx, &r, false) => {
            Some((l, beside(cx, &repeated(r), column)?))
        }
        (None, Some(column)) if query::is_constant(cx, &l) && !shows(cx, &l, false) => {
            Some((beside(cx, &repeated(l), column)?, r))
        }
        _ => None,
    };
    Ok(match served {
        Some((left, right)) => {
            let by_index = Pred::Compare(cx.node(Compare { left, op: node.op, right }));
            // First, as a parameter has the type of its first place, which is no text beside a column of another type.
            logic::all(cx, &[exact, by_index])
        }
        None => exact,
    })
}

pub(super) fn exact_in<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    node: &In<'a, 'e>,
    group: &[Scalar<'a, 'e>],
    at: Standing,
) -> Result<Pred<'a, 'e>> {
    let left = exact_value(cx, node.left, group)?;
    let columns = match left.kind {
        ScalarKind::Row(columns) => columns,
        _ => cx.slice(&[left]),
    };
    // What each column is compared with, itself among it.
    let mut met = cx.vec(columns.len());
    met.extend(columns.iter().map(|column| beside_of(cx, column)));
    let list = match node.list {
        // It is told as the values that it gives, whatever they are looked up by.
        InList::Query(inner) => {
            for (column, inside) in met.iter_mut().zip(columns_beside(cx, inner)) {
                column.add(*inside);
            }
            let told = columns.iter().any(|column| is_text(column.ty));
            let told = if told { Told::Keys(cx.slice(&met)) } else { Told::Rows };
            InList::Query(exact_query(cx, inner, told)?)
        }
        InList::Scalars(items) => {
            let items = exact_values(cx, items, group)?;
            for (index, column) in met.iter_mut().enumerate() {
                items.iter().for_each(|item| column.add(beside_of(cx, of_row(item, index))));
            }
            InList::Scalars(items)
        }
        InList::Array(param, ty, n) => InList::Array(Param { repeated: true, ..param }, ty, n),
        values @ InList::Values(..) => values,
    };
    let plain = Pred::In(cx.node(In { left, list, negated: node.negated, exact: None }));
    let (exact_left, exact) = {
        let mut columns = cx.copied(columns);
        let mut changed = false;
        for (index, column) in columns.iter_mut().enumerate() {
            let beside = met.get(index).copied().unwrap_or_default();
            changed |= exact_beside(cx, std::slice::from_mut(column), beside, For::Equal, TextForm::Key)?;
        }
        if !changed {
            return Ok(plain);
        }
        let left = match left.kind {
            ScalarKind::Row(_) => Scalar { kind: ScalarKind::Row(columns.into_bump_slice()), ..left },
            _ => columns.first().copied().unwrap_or(left),
        };
        let list = exact_list(cx, list, &left)?;
        (left, Pred::In(cx.node(In { left, list, negated: node.negated, exact: None })))
    };
    let (true, Some(column)) = (at == Standing::Filter && !node.negated, indexed(cx, &left)) else { return Ok(exact) };
    let served = match list {
        InList::Values(values, ty) if fit_twice(cx, values.len()) => {
            let mut items = cx.vec(values.len());
            for value in values.iter().filter(|value| !value.is_null()) {
                items.push(beside(cx, &repeated(parts::listed(cx, value, ty)), column)?);
            }
            InList::Scalars(items.into_bump_slice())
        }
        InList::Scalars(items) if fit_twice(cx, items.len()) && items.iter().all(Scalar::is_plain) => {
            let mut list = cx.vec(items.len());
            for item in items {
                list.push(beside(cx, &repeated(*item), column)?);
            }
            InList::Scalars(list.into_bump_slice())
        }
        InList::Array(param, ty, n) if column.is_none_or(|known| known.charset.is_none()) => {
            let list = InList::Array(param, ty, n);
            if cx.target.dialect().joins_array() {
                let exact = Some(cx.node(exact_left));
                return Ok(Pred::In(cx.node(In { left, list, negated: false, exact })));
            }
            list
        }
        _ => return Ok(exact),
    };
    if matches!(served, InList::Scalars([])) {
        return Ok(exact);
    }
    let by_index = Pred::In(cx.node(In { left, list: served, negated: false, exact: None }));
    Ok(logic::all(cx, &[exact, by_index]))
}

/// Whether the parameters of a list may be bound once more.
fn fit_twice<'a, 'e>(cx: &Cx<'a, 'e>, count: usize) -> bool {
    cx.params.get().saturating_add(count) <= cx.target.dialect().sheet().limits.parameters
}

/// The list that an exact text is looked up in: on an engine whose `=` ignores blanks at the end, each of its texts has
/// to be such a key, too; elsewhere those that are no parameters.
pub(super) fn exact_list<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    list: InList<'a, 'e>,
    left: &Scalar<'a, 'e>,
) -> Result<InList<'a, 'e>> {
    let all = ignores_blanks(cx);
    Ok(match list {
        InList::Values(values, ty) => {
            let mut items = cx.vec(values.len());
            for value in values {
                items.push(match value {
                    Value::Null => cx.null(Some(ty)),
                    _ if all => exact(cx, repeated(parts::listed(cx, value, ty)), TextForm::Key),
                    _ => repeated(parts::listed(cx, value, ty)),
                });
            }
            cx.params.set(cx.params.get() + values.len());
            InList::Scalars(items.into_bump_slice())
        }
        InList::Scalars(items) => {
            let exact = |cx: &Cx<'a, 'e>, item: Scalar<'a, 'e>, column: &Scalar<'a, 'e>| {
                let is = matches!(column.kind, ScalarKind::Exact(..)) && !cx.is_null(&item);
                if is && (all || !item.is_plain()) { exact(cx, repeated(item), TextForm::Key) } else { repeated(item) }
            };
            let mut list = cx.vec(items.len());
            for item in items {
                list.push(match (item.kind, left.kind) {
                    (ScalarKind::Row(values), ScalarKind::Row(columns)) => {
                        let mut row = cx.vec(values.len());
                        row.extend(values.iter().zip(columns).map(|(item, column)| exact(cx, *item, column)));
                        Scalar { kind: ScalarKind::Row(row.into_bump_slice()), ..*item }
                    }
                    _ => exact(cx, *item, left),
                });
            }
            InList::Scalars(list.into_bump_slice())
        }
        other => other,
    })
}

/// A text beside a column, so that an index on the column serves it.
pub(super) fn beside<'a, 'e>(
    cx: &Cx<'a, 'e>,
    text: &Scalar<'a, 'e>,
    column: Option<&Collation>,
) -> Result<Scalar<'a, 'e>> {
    let spelled = column.and_then(|collation| cx.target.dialect().beside_column(collation));
    let (Some(template), false) = (spelled, cx.is_null(text)) else { return Ok(*text) };
    let (spelling, args) = (call::made_spelling(cx, &template)?, cx.slice(&[*text]));
    let call = Call::spelled(spelling, Prec::Atom, args);
    Ok(Scalar { kind: ScalarKind::Call(cx.node(call)), ..*text })
}

/// The collation of a column that an index may be on, as far as it is known.
fn indexed<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Option<Option<&'a Collation>> {
    match value.kind {
        ScalarKind::Column(_) => Some(value.collation()),
        // There are indexes on functions of columns, too: not on those of texts by code points, which are compared by
        // nothing else.
        ScalarKind::Call(_) if !shows(cx, value, false) && may_stand_twice(cx, value) => {
            let mut columns = 0;
            parts::any_part(cx, value, &mut |_, part| {
                columns += usize::from(matches!(part, Part::Scalar(scalar) if is_column(scalar) && is_text(scalar.ty)));
                false
            });
            (columns == 1 || columns > 1 && of_one_collation(cx, &[*value])).then_some(None)
        }
        _ => None,
    }
}

/// Whether all text columns that values read are known to have one collation: an engine may refuse to compare what is
/// made of two.
fn of_one_collation<'a, 'e>(cx: &Cx<'a, 'e>, values: &[Scalar<'a, 'e>]) -> bool {
    let mut first: Option<&str> = None;
    !values.iter().any(|value| {
        parts::any_part(cx, value, &mut |_, part| match part {
            Part::Scalar(scalar) if is_column(scalar) && is_text(scalar.ty) => match scalar.collation() {
                Some(known) => *first.get_or_insert(known.name.as_str()) != known.name.as_str(),
                None => true,
            },
            _ => false,
        })
    })
}

/// Whether a value is the same if it is computed twice, and has no query in it, which would be written twice for each
/// level of such.
fn may_stand_twice<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    !volatile::is_volatile(cx, value)
        && !parts::any_part(cx, value, &mut |_, part| {
            part.is_query()
                || matches!(
                    part,
                    Part::Scalar(Scalar { kind: ScalarKind::Fragment(_), .. }) | Part::Pred(Pred::Fragment(_))
                )
        })
}

/// Texts that are compared with each other, as they should be; whether something had to be done about it.
pub(super) fn exact_sides<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    sides: &mut [Scalar<'a, 'e>],
    use_of: For,
    form: TextForm,
) -> Result<bool> {
    exact_beside(cx, sides, Beside::default(), use_of, form)
}

/// [`exact_sides`], with others beside them.
pub(super) fn exact_beside<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    sides: &mut [Scalar<'a, 'e>],
    beside: Beside<'_>,
    use_of: For,
    form: TextForm,
) -> Result<bool> {
    if !sides.iter().any(|side| is_text(side.ty))
        || sides.iter().any(|side| side.ty.is_some_and(|ty| !is_text(Some(ty))))
    {
        return Ok(false);
    }
    let mode = sides.iter().filter_map(|side| text_mode(cx, side)).max_by_key(|mode| *mode == TextMode::Exact);
    if !beside.exact && mode.unwrap_or(cx.target.text()) == TextMode::Database {
        sides.iter().for_each(|side| noted(cx, side, use_of));
        return Ok(false);
    }
    let mut names = cx.vec(sides.len());
    names.extend(sides.iter().filter(|side| !side.is_plain()).map(|side| known(side)));
    let served = |name: &Option<&Collation>| name.is_some_and(|collation| use_of.serves(collation));
    let one = names.windows(2).all(|pair| matches!(pair, [Some(a), Some(b)] if a.name == b.name));
    if !names.is_empty() && names.iter().all(served) && one && !beside.mixed {
        return Ok(false);
    }
    cx.rule_for(Feature::ExactText)?;
    let all = form == TextForm::Key && ignores_blanks(cx);
    let none = sides.iter().all(Scalar::is_plain);
    for (index, side) in sides.iter_mut().enumerate() {
        if !cx.is_null(side) && (all || !side.is_plain() || none && index == 0) {
            // Of parameters alone, one has to say what they are compared by.
            if none && index == 0 && all {
                *side = Scalar { kind: ScalarKind::Exact(cx.node(*side), TextForm::Value), ..*side };
                *side = Scalar { kind: ScalarKind::Exact(cx.node(*side), form), ..*side };
            } else {
                *side = exact(cx, *side, form);
            }
        }
    }
    Ok(true)
}

/// Whether two columns may have two collations as far as these are known, so that the engine may not compare their texts.
fn may_differ(one: Option<&Collation>, other: Option<&Collation>) -> bool {
    one.map(|collation| &collation.name) != other.map(|collation| &collation.name)
}

fn is_column(value: &Scalar<'_, '_>) -> bool {
    matches!(value.kind, ScalarKind::Column(_))
}

/// What a row has at that place; a value by itself is the only one.
fn of_row<'s, 'a, 'e>(value: &'s Scalar<'a, 'e>, index: usize) -> &'s Scalar<'a, 'e> {
    match value.kind {
        ScalarKind::Row(items) => items.get(index).unwrap_or(value),
        _ => value,
    }
}
