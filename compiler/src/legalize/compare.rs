//! Comparisons, also of rows, with NULL and with the empty text.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbValueType, Value};
use crate::frame::{Call, Compare, CompareOp, Literal, Pred, Scalar, ScalarKind};
use crate::functions::Func;

use super::json::is_json;
use super::{Cx, cast, dates, json, logic, repeated, sorted, type_by, typed_by};

/// A comparison.
pub(crate) fn compare<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    op: CompareOp,
    right: Scalar<'a, 'e>,
) -> Result<Pred<'a, 'e>> {
    if let (ScalarKind::Row(l), ScalarKind::Row(r)) = (left.kind, right.kind) {
        return compare_rows(cx, l, op, r);
    }
    if matches!(left.kind, ScalarKind::Row(_)) || matches!(right.kind, ScalarKind::Row(_)) {
        let why = "it is compared with a row of as many values, and with nothing else";
        return Err(crate::ErrorKind::Misplaced { what: "a row of values".into(), why }.into());
    }
    let (left_null, right_null) = (cx.is_null(&left), cx.is_null(&right));
    if left_null || right_null {
        let negated = match op {
            CompareOp::Equal | CompareOp::NotDistinct => Some(false),
            CompareOp::NotEqual | CompareOp::Distinct => Some(true),
            _ => None,
        };
        if let Some(negated) = negated {
            return Ok(is_null_pred(cx, if left_null { right } else { left }, negated));
        }
    }
    if is_json(left.ty) || is_json(right.ty) {
        return json::compare_json(cx, left, op, right);
    }
    if let Some(pred) = compare_empty(cx, &left, op, &right)? {
        return Ok(pred);
    }
    sorted::no_large_value(cx, "a comparison", &left)?;
    sorted::no_large_value(cx, "a comparison", &right)?;
    if matches!(op, CompareOp::Distinct | CompareOp::NotDistinct) {
        return null_safe(cx, left, op, right);
    }
    let (mut left, mut right, mut op) = (left, right, op);
    if op == CompareOp::NotEqual
        && let Some(Value::Bool(truth)) = cx.class_of(&right)
    {
        // What is not true is false: an index finds that.
        let other = Value::Bool(!truth);
        right = cast::made_like(cx, &right, other, right.ty.unwrap_or_default());
        op = CompareOp::Equal;
    }
    type_by(&mut left, &right);
    type_by(&mut right, &left);
    if left.ty != right.ty {
        let mut sides = [left, right];
        dates::same_dates(cx, &mut sides)?;
        [left, right] = sides;
    }
    if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
        (left, right) = (sorted::sorted(cx, left)?, sorted::sorted(cx, right)?);
    }
    for side in [&mut left, &mut right] {
        if matches!(side.kind, ScalarKind::Literal(_)) {
            *side = bit(cx, *side);
        }
    }
    let (op, right) = logic::other_bit(op, right);
    Ok(Pred::Compare(cx.node(Compare { left, op, right })))
}

/// A constant truth value in a comparison, on an engine without TRUE and FALSE: `paid = 1`.
fn bit<'a, 'e>(cx: &Cx<'a, 'e>, scalar: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    match (scalar.kind, cx.value_of(&scalar)) {
        (ScalarKind::Literal(Literal::Bool(b)), _) | (ScalarKind::Literal(_), Some(&Value::Bool(b)))
            if !cx.target.has(Feature::BooleanLiteral) =>
        {
            Scalar { ty: scalar.ty, ..cx.int(b.into()) }
        }
        _ => scalar,
    }
}

/// `IS NULL`, or `IS NOT NULL`.
pub(crate) fn is_null_pred<'a, 'e>(cx: &Cx<'a, 'e>, scalar: Scalar<'a, 'e>, negated: bool) -> Pred<'a, 'e> {
    if cx.is_null(&scalar) {
        return Pred::Const(!negated);
    }
    let null_here =
        |value: &Value| matches!(value, Value::Text(t) if t.is_empty() && !cx.target.has(Feature::EmptyString));
    if cx.class_of(&scalar).is_some_and(|value| !null_here(value)) {
        return Pred::Const(negated);
    }
    Pred::Null(cx.node(scalar), negated)
}

/// A comparison with the empty text, on an engine that stores NULL for it.
///
/// ```sql
/// -- before        -- after
/// "Note" = ''      "Note" IS NULL
/// "Note" <> ''     "Note" IS NOT NULL
/// "Note" > ''      "Note" IS NOT NULL
/// ```
fn compare_empty<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: &Scalar<'a, 'e>,
    op: CompareOp,
    right: &Scalar<'a, 'e>,
) -> Result<Option<Pred<'a, 'e>>> {
    if cx.target.has(Feature::EmptyString) {
        return Ok(None);
    }
    let (other, op) = match (cx.is_empty(left), cx.is_empty(right)) {
        (_, true) => (*left, op),
        (true, false) => (*right, flip(op)),
        (false, false) => return compare_coalesced(cx, left, op, right),
    };
    cx.rule_for(Feature::EmptyString)?;
    Ok(Some(match op {
        CompareOp::Equal | CompareOp::NotDistinct | CompareOp::LessOrEqual | CompareOp::JsonEqual => {
            is_null_pred(cx, other, false)
        }
        CompareOp::NotEqual | CompareOp::Distinct | CompareOp::Greater | CompareOp::JsonNotEqual => {
            is_null_pred(cx, other, true)
        }
        // Nothing is less than the empty text, and everything is at least it.
        CompareOp::Less => Pred::Const(false),
        CompareOp::GreaterOrEqual => Pred::Const(true),
    }))
}

/// A comparison of what is the empty text where it would be NULL, on an engine that knows no empty text.
///
/// ```sql
/// -- before                         -- after
/// COALESCE("Note", '') = 'x'        "Note" = 'x' AND "Note" IS NOT NULL
/// COALESCE("Note", '') <> 'x'       "Note" <> 'x' OR "Note" IS NULL
/// ```
///
/// Exact, also under NOT: it is never unknown.
fn compare_coalesced<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: &Scalar<'a, 'e>,
    op: CompareOp,
    right: &Scalar<'a, 'e>,
) -> Result<Option<Pred<'a, 'e>>> {
    let (text, op, other) = match (without_empty(cx, left), without_empty(cx, right)) {
        (Some(text), None) => (text, op, *right),
        (None, Some(text)) => (text, flip(op), *left),
        _ => return Ok(None),
    };
    if other.nullable {
        return Ok(None);
    }
    cx.rule_for(Feature::EmptyString)?;
    let compared = compare(cx, text, op, other)?;
    Ok(Some(match op {
        CompareOp::NotEqual | CompareOp::Less | CompareOp::LessOrEqual => {
            logic::any(cx, &[compared, is_null_pred(cx, text, false)])
        }
        CompareOp::Equal | CompareOp::Greater | CompareOp::GreaterOrEqual => {
            logic::all(cx, &[compared, is_null_pred(cx, text, true)])
        }
        CompareOp::Distinct | CompareOp::NotDistinct | CompareOp::JsonEqual | CompareOp::JsonNotEqual => compared,
    }))
}

/// What `COALESCE(a, b, '')` is without the empty text behind.
fn without_empty<'a, 'e>(cx: &mut Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> Option<Scalar<'a, 'e>> {
    let ScalarKind::Call(call) = scalar.kind else { return None };
    let (last, rest) = call.args.split_last().filter(|_| call.func == Some(Func::Coalesce))?;
    if !cx.is_empty(last) {
        return None;
    }
    match rest {
        [one] => Some(*one),
        _ => {
            let call = cx.node(Call { args: rest, ..*call });
            Some(Scalar { kind: ScalarKind::Call(call), nullable: true, ..*scalar })
        }
    }
}

/// `IS [NOT] DISTINCT FROM` on an engine without it.
///
/// ```sql
/// -- before                    -- after
/// a IS NOT DISTINCT FROM 5     a = 5 AND a IS NOT NULL
/// a IS DISTINCT FROM 5         a <> 5 OR a IS NULL
/// a IS DISTINCT FROM b         what the dialect writes for two columns
/// a IS DISTINCT FROM b + 1     CASE WHEN a = b + 1 OR a IS NULL AND b + 1 IS NULL THEN 0 ELSE 1 END = 1
/// ```
///
/// Exact, and never unknown. An index serves columns and what is not NULL.
fn null_safe<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    op: CompareOp,
    right: Scalar<'a, 'e>,
) -> Result<Pred<'a, 'e>> {
    if !left.nullable && !right.nullable {
        let plain = if op == CompareOp::Distinct { CompareOp::NotEqual } else { CompareOp::Equal };
        return compare(cx, left, plain, right);
    }
    let column = |side: &Scalar<'a, 'e>| side.nullable && matches!(side.kind, ScalarKind::Column(_));
    if cx.rule_for(Feature::NullSafeEqual)?.is_none() || column(&left) && column(&right) {
        let mut sides = [typed_by(left, &right), typed_by(right, &left)];
        dates::same_dates(cx, &mut sides)?;
        let [left, right] = sides;
        return Ok(Pred::Compare(cx.node(Compare { left, op, right })));
    }
    null_safe_case(cx, left, op, right)
}

/// [`null_safe`], written out.
pub(super) fn null_safe_case<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    op: CompareOp,
    right: Scalar<'a, 'e>,
) -> Result<Pred<'a, 'e>> {
    if !left.nullable || !right.nullable {
        return null_safe_beside(cx, left, op, right);
    }
    let equal = compare(cx, left, CompareOp::Equal, right)?;
    let both = logic::all(cx, &[is_null_pred(cx, left, false), is_null_pred(cx, right, false)]);
    let same = logic::any(cx, &[equal, both]);
    let case = logic::case_when(cx, &[(same, cx.int(0))], Some(cx.int(1)), Some(DbValueType::Int32.into()));
    let wanted = cx.int(i64::from(op == CompareOp::Distinct));
    Ok(Pred::Compare(cx.node(Compare { left: case, op: CompareOp::Equal, right: wanted })))
}

/// `IS [NOT] DISTINCT FROM` on an engine without it, where one of the sides is never NULL.
fn null_safe_beside<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    op: CompareOp,
    right: Scalar<'a, 'e>,
) -> Result<Pred<'a, 'e>> {
    let differs = op == CompareOp::Distinct;
    let plain = if differs { CompareOp::NotEqual } else { CompareOp::Equal };
    let null = is_null_pred(cx, if left.nullable { left } else { right }, !differs);
    // Beside the test for NULL, the comparison being unknown makes no difference.
    let known = |side: Scalar<'a, 'e>| Scalar { nullable: false, ..side };
    let compared = compare(cx, known(left), plain, known(right))?;
    Ok(if differs { logic::any(cx, &[compared, null]) } else { logic::all(cx, &[compared, null]) })
}

/// A comparison of rows.
///
/// ```sql
/// -- before              -- after
/// (a, b) > (1, 2)        a >= 1 AND (a > 1 OR b > 2)
/// (a, b) = (1, 2)        a = 1 AND b = 2
/// ```
///
/// Exact, with NULLs as well: where `a` is NULL, both are unknown or false alike. An index on `a` gives the range.
fn compare_rows<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: &'a [Scalar<'a, 'e>],
    op: CompareOp,
    right: &'a [Scalar<'a, 'e>],
) -> Result<Pred<'a, 'e>> {
    if left.len() != right.len() || left.is_empty() {
        let why = "both rows need the same number of values, at least one";
        return Err(crate::ErrorKind::Misplaced { what: "a comparison of rows".into(), why }.into());
    }
    let row = |items: &'a [Scalar<'a, 'e>]| Scalar {
        kind: ScalarKind::Row(items),
        ty: None,
        nullable: items.iter().any(|s| s.nullable),
        column: None,
        text: None,
    };
    let plain = !matches!(op, CompareOp::Distinct | CompareOp::NotDistinct);
    let ordered = !matches!(op, CompareOp::Equal | CompareOp::NotEqual);
    let feature = if ordered { Feature::TupleOrder } else { Feature::TupleCompare };
    // NULL in the tree is asked for by IS NULL, also in a row.
    let asked = !ordered && left.iter().chain(right).any(|value| cx.is_null(value));
    if plain && !asked && cx.target.has(feature) {
        let typed = |cx: &Cx<'a, 'e>, a: &[Scalar<'a, 'e>], b: &[Scalar<'a, 'e>]| {
            let mut items = cx.vec(a.len());
            items.extend(a.iter().zip(b).map(|(a, b)| typed_by(*a, b)));
            items.into_bump_slice()
        };
        let (mut l, mut r) = (typed(cx, left, right), typed(cx, right, left));
        if l.iter().zip(r).any(|(l, r)| l.ty != r.ty) {
            let (mut left, mut right) = (cx.copied(l), cx.copied(r));
            for (l, r) in left.iter_mut().zip(&mut right) {
                let mut sides = [*l, *r];
                dates::same_dates(cx, &mut sides)?;
                [*l, *r] = sides;
            }
            (l, r) = (left.into_bump_slice(), right.into_bump_slice());
        }
        return Ok(Pred::Compare(cx.node(Compare { left: row(l), op, right: row(r) })));
    }
    if plain && !asked {
        cx.rule_for(feature)?;
    }
    let pairs = left.iter().copied().zip(right.iter().copied());
    match op {
        CompareOp::Equal | CompareOp::NotDistinct => {
            let mut all = cx.vec(left.len());
            for (l, r) in pairs {
                all.push(compare(cx, l, op, r)?);
            }
            Ok(logic::all(cx, &all))
        }
        CompareOp::NotEqual | CompareOp::Distinct => {
            let mut any = cx.vec(left.len());
            for (l, r) in pairs {
                any.push(compare(cx, l, op, r)?);
            }
            Ok(logic::any(cx, &any))
        }
        _ => compare_rows_in_order(cx, left, op, right),
    }
}

fn compare_rows_in_order<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: &'a [Scalar<'a, 'e>],
    op: CompareOp,
    right: &'a [Scalar<'a, 'e>],
) -> Result<Pred<'a, 'e>> {
    let (Some((l, left)), Some((r, right))) = (left.split_first(), right.split_first()) else {
        return Ok(Pred::Const(matches!(op, CompareOp::LessOrEqual | CompareOp::GreaterOrEqual)));
    };
    if left.is_empty() {
        return compare(cx, *l, op, *r);
    }
    let (l, r) = (&repeated(*l), &repeated(*r));
    let strict = match op {
        CompareOp::LessOrEqual => CompareOp::Less,
        CompareOp::GreaterOrEqual => CompareOp::Greater,
        other => other,
    };
    let loose = if strict == CompareOp::Less { CompareOp::LessOrEqual } else { CompareOp::GreaterOrEqual };
    let range = compare(cx, *l, loose, *r)?;
    let before = compare(cx, *l, strict, *r)?;
    let rest = compare_rows_in_order(cx, left, op, right)?;
    let later = logic::any(cx, &[before, rest]);
    Ok(logic::all(cx, &[range, later]))
}

pub(crate) fn flip(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
        other => other,
    }
}
