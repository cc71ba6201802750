//! The parts of a value or a predicate: looking at them, and rewriting some of them.

use isogloss_lexis::{Notation, Scanner, Token};

use crate::error::Result;
use crate::expr::{DbType, Value};
use crate::frame::{
    Bound, Call, Case, Compare, In, InList, Match, Order, Param, Part, Pred, Scalar, ScalarKind, Window,
};

use super::Cx;

/// What becomes of a part.
pub(super) enum Fate<'a, 'e> {
    /// Its own parts are looked at.
    Into,
    /// It stays as it is.
    Leave,
    /// It is replaced.
    Becomes(Scalar<'a, 'e>),
    /// It is replaced by something whose own parts are looked at.
    Again(Scalar<'a, 'e>),
}

/// Says what becomes of a part.
pub(super) type Change<'c, 'a, 'e> = dyn FnMut(&mut Cx<'a, 'e>, &Scalar<'a, 'e>) -> Result<Fate<'a, 'e>> + 'c;

/// What a look at a part tells.
pub(super) enum Seen {
    /// It is what is looked for.
    Found,
    /// Neither it nor what is in it.
    Past,
    /// Its own parts are looked at.
    Into,
}

type Look<'c, 'a, 'e> = dyn FnMut(&Cx<'a, 'e>, Part<'_, 'a, 'e>) -> Seen + 'c;
type PartTest<'c, 'a, 'e> = dyn FnMut(&Cx<'a, 'e>, Part<'_, 'a, 'e>) -> bool + 'c;

/// Whether a test holds of a value or a predicate, or of one of its parts. What stands inside of a subquery is none.
pub(crate) fn any_part<'a, 'e, 'p>(
    cx: &Cx<'a, 'e>,
    of: impl Into<Part<'p, 'a, 'e>>,
    test: &mut PartTest<'_, 'a, 'e>,
) -> bool
where
    'e: 'a,
    'a: 'p,
{
    finds(cx, of, &mut |cx, part| if test(cx, part) { Seen::Found } else { Seen::Into })
}

/// Whether something is found in a value or a predicate. What stands inside of a subquery is no part of it.
pub(super) fn finds<'a, 'e, 'p>(cx: &Cx<'a, 'e>, of: impl Into<Part<'p, 'a, 'e>>, look: &mut Look<'_, 'a, 'e>) -> bool
where
    'e: 'a,
    'a: 'p,
{
    finds_in(cx, of.into(), false, look)
}

/// Whether something is found in a value, a predicate or a query, or in one of their subqueries.
pub(super) fn finds_inside<'a, 'e, 'p>(
    cx: &Cx<'a, 'e>,
    of: impl Into<Part<'p, 'a, 'e>>,
    look: &mut Look<'_, 'a, 'e>,
) -> bool
where
    'e: 'a,
    'a: 'p,
{
    finds_in(cx, of.into(), true, look)
}

/// Whether a test holds of a token of a part that is a text, made in advance or by the program. Nothing else is known of
/// such a text.
pub(super) fn any_token<'a, 'e>(cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>, test: impl Fn(Token<'_>) -> bool) -> bool {
    // Of what cannot be read, anything may hold.
    any_text(cx, part, &mut |mut tokens| tokens.any(|token| token.map_or(true, |(_, token)| test(token))))
}

/// Whether a test holds of a column that such a text names: of what qualifies it, and of its quoted name.
pub(super) fn any_column<'a, 'e>(
    cx: &Cx<'a, 'e>,
    part: Part<'_, 'a, 'e>,
    mut test: impl FnMut(Option<&str>, &str) -> bool,
) -> bool {
    any_text(cx, part, &mut |tokens| {
        let (mut tokens, mut qualifier) = (tokens.peekable(), None);
        while let Some(token) = tokens.next() {
            match token {
                Err(_) => return true,
                Ok((_, Token::Quoted(name))) => {
                    if tokens.next_if(|next| matches!(next, Ok((_, Token::Code("."))))).is_some() {
                        qualifier = Some(name);
                    } else if test(qualifier.take(), name) {
                        return true;
                    }
                }
                Ok(_) => qualifier = None,
            }
        }
        false
    })
}

/// Whether a test holds of the tokens of such a text. A look at it counts by its length.
fn any_text<'a, 'e>(cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>, test: &mut dyn FnMut(Scanner<'_>) -> bool) -> bool {
    let mut any = |text: &str| {
        cx.may_look(text.len() / 8) && test(Scanner::new(text, cx.target.dialect().lexis(), Notation::NONE))
    };
    match part {
        Part::Pred(Pred::Text(text)) => any(text),
        // What a program has registered may name a column.
        Part::Scalar(Scalar { kind: ScalarKind::Call(Call { func: None, spelling, .. }), .. }) => any(spelling.text()),
        Part::Pred(Pred::Fragment(fragment)) | Part::Scalar(Scalar { kind: ScalarKind::Fragment(fragment), .. }) => cx
            .fragments
            .get(fragment.index)
            .is_some_and(|text| text.values.iter().any(|(before, ..)| any(before)) || any(&text.last)),
        _ => false,
    }
}

fn finds_in<'a, 'e>(cx: &Cx<'a, 'e>, of: Part<'_, 'a, 'e>, inside: bool, look: &mut Look<'_, 'a, 'e>) -> bool {
    if !cx.may_look(1) {
        return false;
    }
    match look(cx, of) {
        Seen::Found => true,
        Seen::Past => false,
        Seen::Into => of.any_child(|part| match part {
            Part::Query(_) if !inside => false,
            part => finds_in(cx, part, inside, look),
        }),
    }
}

/// A value with some of its parts replaced; nothing if none is.
pub(super) fn map_scalar<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: &Scalar<'a, 'e>,
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<Scalar<'a, 'e>>> {
    if value.kind.address().is_some() {
        cx.may_change()?;
    }
    let (value, again) = match change(cx, value)? {
        Fate::Becomes(other) => return Ok(Some(other)),
        Fate::Leave => return Ok(None),
        Fate::Again(other) => (other, true),
        Fate::Into => (*value, false),
    };
    let kind = match value.kind {
        ScalarKind::Negative(inner) => map_scalar(cx, inner, change)?.map(|inner| ScalarKind::Negative(cx.node(inner))),
        ScalarKind::BitNot(inner) => map_scalar(cx, inner, change)?.map(|inner| ScalarKind::BitNot(cx.node(inner))),
        ScalarKind::Cast(inner, ty) => map_scalar(cx, inner, change)?.map(|inner| ScalarKind::Cast(cx.node(inner), ty)),
        ScalarKind::Exact(inner, form) => {
            map_scalar(cx, inner, change)?.map(|inner| ScalarKind::Exact(cx.node(inner), form))
        }
        ScalarKind::Binary(op, [left, right]) => {
            let sides = (map_scalar(cx, left, change)?, map_scalar(cx, right, change)?);
            match sides {
                (None, None) => None,
                (l, r) => Some(ScalarKind::Binary(op, cx.node([l.unwrap_or(*left), r.unwrap_or(*right)]))),
            }
        }
        ScalarKind::Concat(items) => map_list(cx, items, change)?.map(ScalarKind::Concat),
        ScalarKind::Row(items) => map_list(cx, items, change)?.map(ScalarKind::Row),
        ScalarKind::Call(call) => map_call(cx, call, change)?.map(|call| ScalarKind::Call(cx.node(call))),
        ScalarKind::Window(window) => map_window(cx, window, change)?,
        ScalarKind::Case(case) => map_case(cx, case, change)?,
        ScalarKind::Truth(pred) => map_pred(cx, pred, change)?.map(|pred| ScalarKind::Truth(cx.node(pred))),
        ScalarKind::Column(_)
        | ScalarKind::Param(_)
        | ScalarKind::Literal(_)
        | ScalarKind::Query(_)
        | ScalarKind::Fragment(_) => None,
    };
    Ok(match kind {
        Some(kind) => Some(Scalar { kind, ..value }),
        None => again.then_some(value),
    })
}

fn map_list<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    items: &'a [Scalar<'a, 'e>],
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<&'a [Scalar<'a, 'e>]>> {
    let mut list = cx.copied(items);
    let mut changed = false;
    for item in &mut list {
        if let Some(other) = map_scalar(cx, item, change)? {
            *item = other;
            changed = true;
        }
    }
    Ok(changed.then(|| list.into_bump_slice()))
}

fn map_orders<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    keys: &'a [Order<'a, 'e>],
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<&'a [Order<'a, 'e>]>> {
    let mut list = cx.copied(keys);
    let mut changed = false;
    for key in &mut list {
        if let Some(other) = map_scalar(cx, &key.value, change)? {
            key.value = other;
            changed = true;
        }
    }
    Ok(changed.then(|| list.into_bump_slice()))
}

fn map_call<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    call: &Call<'a, 'e>,
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<Call<'a, 'e>>> {
    let (args, order) = (map_list(cx, call.args, change)?, map_orders(cx, call.order, change)?);
    let filter = match &call.filter {
        Some(filter) => map_pred(cx, filter, change)?,
        None => None,
    };
    if args.is_none() && order.is_none() && filter.is_none() {
        return Ok(None);
    }
    let (args, order) = (args.unwrap_or(call.args), order.unwrap_or(call.order));
    Ok(Some(Call { args, order, filter: filter.or(call.filter), ..*call }))
}

fn map_window<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    window: &Window<'a, 'e>,
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<ScalarKind<'a, 'e>>> {
    let call = map_call(cx, &window.call, change)?;
    let (partition, order) = (map_list(cx, window.partition, change)?, map_orders(cx, window.order, change)?);
    if call.is_none() && partition.is_none() && order.is_none() {
        return Ok(None);
    }
    Ok(Some(ScalarKind::Window(cx.node(Window {
        call: call.unwrap_or(window.call),
        partition: partition.unwrap_or(window.partition),
        order: order.unwrap_or(window.order),
        frame: window.frame,
    }))))
}

fn map_case<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    case: &Case<'a, 'e>,
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<ScalarKind<'a, 'e>>> {
    let mut cases = cx.copied(case.cases);
    let mut otherwise = case.otherwise;
    let mut changed = false;
    for (cond, value) in &mut cases {
        if let Some(other) = map_pred(cx, cond, change)? {
            *cond = other;
            changed = true;
        }
        if let Some(other) = map_scalar(cx, value, change)? {
            *value = other;
            changed = true;
        }
    }
    if let Some(value) = &mut otherwise
        && let Some(other) = map_scalar(cx, value, change)?
    {
        *value = other;
        changed = true;
    }
    Ok(changed.then(|| ScalarKind::Case(cx.node(Case { cases: cases.into_bump_slice(), otherwise }))))
}

/// A predicate with some of its values replaced; nothing if none is.
pub(super) fn map_pred<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    pred: &Pred<'a, 'e>,
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<Pred<'a, 'e>>> {
    Ok(match pred {
        Pred::Compare(node) => match (map_scalar(cx, &node.left, change)?, map_scalar(cx, &node.right, change)?) {
            (None, None) => None,
            (left, right) => {
                let (left, right) = (left.unwrap_or(node.left), right.unwrap_or(node.right));
                Some(Pred::Compare(cx.node(Compare { left, op: node.op, right })))
            }
        },
        Pred::Null(value, negated) => map_scalar(cx, value, change)?.map(|value| Pred::Null(cx.node(value), *negated)),
        Pred::IsTrue(value) => map_scalar(cx, value, change)?.map(|value| Pred::IsTrue(cx.node(value))),
        Pred::Match(node) => match (map_scalar(cx, &node.text, change)?, map_scalar(cx, &node.pattern, change)?) {
            (None, None) => None,
            (text, pattern) => {
                let (text, pattern) = (text.unwrap_or(node.text), pattern.unwrap_or(node.pattern));
                Some(Pred::Match(cx.node(Match { text, pattern, ..**node })))
            }
        },
        Pred::In(node) => map_in(cx, node, change)?,
        Pred::And(items) => map_preds(cx, items, change)?.map(Pred::And),
        Pred::Or(items) => map_preds(cx, items, change)?.map(Pred::Or),
        Pred::Not(inner) => map_pred(cx, inner, change)?.map(|inner| Pred::Not(cx.node(inner))),
        Pred::Const(_) | Pred::Exists(..) | Pred::Text(_) | Pred::Fragment(_) => None,
    })
}

fn map_preds<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    items: &[Pred<'a, 'e>],
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<&'a [Pred<'a, 'e>]>> {
    let mut list = cx.copied(items);
    let mut changed = false;
    for item in &mut list {
        if let Some(other) = map_pred(cx, item, change)? {
            *item = other;
            changed = true;
        }
    }
    Ok(changed.then(|| list.into_bump_slice()))
}

fn map_in<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    node: &In<'a, 'e>,
    change: &mut Change<'_, 'a, 'e>,
) -> Result<Option<Pred<'a, 'e>>> {
    let left = map_scalar(cx, &node.left, change)?;
    let list = match node.list {
        InList::Values(values, ty) => {
            let mut items = cx.vec(values.len());
            for value in values {
                items.push(if value.is_null() { cx.null(Some(ty)) } else { listed(cx, value, ty) });
            }
            map_list(cx, items.into_bump_slice(), change)?.map(InList::Scalars)
        }
        InList::Scalars(items) => map_list(cx, items, change)?.map(InList::Scalars),
        InList::Array(param, ty, count) => {
            let kind = ScalarKind::Param(param);
            let array = Scalar { kind, ty: Some(ty), nullable: false, column: None, text: None };
            match map_scalar(cx, &array, change)? {
                Some(Scalar { kind: ScalarKind::Param(param), .. }) => Some(InList::Array(param, ty, count)),
                _ => None,
            }
        }
        InList::Query(_) => None,
    };
    let exact = match node.exact {
        Some(exact) => map_scalar(cx, exact, change)?,
        None => None,
    };
    if left.is_none() && list.is_none() && exact.is_none() {
        return Ok(None);
    }
    let (left, list) = (left.unwrap_or(node.left), list.unwrap_or(node.list));
    let exact = exact.map(|exact| cx.node(exact)).or(node.exact);
    Ok(Some(Pred::In(cx.node(In { left, list, negated: node.negated, exact }))))
}

/// A value of a list as a parameter of its own.
pub(super) fn listed<'a, 'e>(cx: &Cx<'a, 'e>, value: &'e Value, ty: DbType) -> Scalar<'a, 'e> {
    let bound = if cx.open.is_some() { Bound::Open(value) } else { Bound::Tree(value) };
    let param = Param { value: bound, untyped: false, cast: false, shared: false, repeated: false };
    Scalar { kind: ScalarKind::Param(param), ty: Some(ty), nullable: value.is_null(), column: None, text: None }
}
