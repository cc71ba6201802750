//! Logic, and the border between predicates and values.

use bumpalo::collections::Vec as BumpVec;

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Case, Compare, CompareOp, In, Literal, Match, Pred, Scalar, ScalarKind};

use super::arguments::{nulls_are_bytes, text_null};
use super::{Cx, repeated};

/// A truth value used as a predicate.
pub(crate) fn is_true<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Result<Pred<'a, 'e>> {
    if let ScalarKind::Truth(pred) = value.kind {
        return Ok(*pred);
    }
    if let ScalarKind::Case(case) = value.kind
        && let Some(pred) = truth_of(case)
    {
        return Ok(pred);
    }
    match cx.class_of(&value) {
        Some(Value::Bool(b)) => return Ok(Pred::Const(*b)),
        // A parameter by itself would be an untyped condition; NULL is never true.
        Some(Value::Null) => {}
        _ => {}
    }
    let indexed = !matches!(value.kind, ScalarKind::Column(_)) || cx.rule_for(Feature::TruthIndex)?.is_none();
    match cx.rule_for(Feature::BooleanPredicate)? {
        None if indexed => Ok(Pred::IsTrue(cx.node(value))),
        _ => {
            let right = Scalar { ty: Some(DbValueType::Boolean.into()), ..cx.int(1) };
            Ok(Pred::Compare(cx.node(Compare { left: value, op: CompareOp::Equal, right })))
        }
    }
}

/// A predicate used as a value.
///
/// ```sql
/// -- before              -- after
/// SELECT a > 1           SELECT CASE WHEN a > 1 THEN 1 WHEN NOT a > 1 THEN 0 END
/// SELECT a IS NULL       SELECT CASE WHEN a IS NULL THEN 1 ELSE 0 END
/// ```
pub(crate) fn truth<'a, 'e>(cx: &mut Cx<'a, 'e>, pred: Pred<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    let ty = Some(DbValueType::Boolean.into());
    if let Pred::Const(value) = pred {
        let kind = ScalarKind::Literal(Literal::Bool(value));
        return Ok(Scalar { kind, ty, nullable: false, column: None, text: None });
    }
    let nullable = pred_nullable(&pred);
    match cx.rule_for(Feature::BooleanValue)? {
        None => Ok(Scalar { kind: ScalarKind::Truth(cx.node(pred)), ty, nullable, column: None, text: None }),
        Some(_) => {
            let bool = |b| Scalar {
                kind: ScalarKind::Literal(Literal::Bool(b)),
                ty,
                nullable: false,
                column: None,
                text: None,
            };
            let (one, zero) = (bool(true), bool(false));
            if !nullable {
                return Ok(case_when(cx, &[(pred, one)], Some(zero), ty));
            }
            let pred = repeated_pred(cx, pred);
            let not = not(cx, pred);
            Ok(Scalar { nullable: true, ..case_when(cx, &[(pred, one), (not, zero)], None, ty) })
        }
    }
}

/// The predicate that a CASE of [`truth`] holds.
fn truth_of<'a, 'e>(case: &Case<'a, 'e>) -> Option<Pred<'a, 'e>> {
    let is =
        |value: &Scalar<'a, 'e>, wanted| matches!(value.kind, ScalarKind::Literal(Literal::Bool(b)) if b == wanted);
    match (case.cases, case.otherwise) {
        ([(pred, yes)], Some(no)) if is(yes, true) && is(&no, false) && !pred_nullable(pred) => Some(*pred),
        ([(pred, yes), (_, no)], None) if is(yes, true) && is(no, false) && pred_nullable(pred) => Some(*pred),
        _ => None,
    }
}

/// A predicate that a rule writes more than once.
pub(super) fn repeated_pred<'a, 'e>(cx: &Cx<'a, 'e>, pred: Pred<'a, 'e>) -> Pred<'a, 'e> {
    let all = |items: &'a [Pred<'a, 'e>]| {
        let mut list = cx.vec(items.len());
        list.extend(items.iter().map(|item| repeated_pred(cx, *item)));
        list.into_bump_slice()
    };
    match pred {
        Pred::Compare(node) => {
            let (left, right) = (repeated(node.left), repeated(node.right));
            Pred::Compare(cx.node(Compare { left, right, op: node.op }))
        }
        Pred::Match(node) => Pred::Match(cx.node(Match { pattern: repeated(node.pattern), ..*node })),
        Pred::And(items) => Pred::And(all(items)),
        Pred::Or(items) => Pred::Or(all(items)),
        Pred::Not(inner) => Pred::Not(cx.node(repeated_pred(cx, *inner))),
        other => other,
    }
}

/// `CASE WHEN cond THEN value ... ELSE otherwise END`.
pub(crate) fn case_when<'a, 'e>(
    cx: &Cx<'a, 'e>,
    cases: &[(Pred<'a, 'e>, Scalar<'a, 'e>)],
    otherwise: Option<Scalar<'a, 'e>>,
    ty: Option<DbType>,
) -> Scalar<'a, 'e> {
    let nullable = otherwise.is_none_or(|s| s.nullable) || cases.iter().any(|(_, s)| s.nullable);
    let (mut cases, mut otherwise) = (cx.copied(cases), otherwise);
    if nulls_are_bytes(cx, cases.iter().map(|(_, value)| value).chain(&otherwise)) {
        cases.iter_mut().map(|(_, value)| value).chain(&mut otherwise).for_each(|value| *value = text_null(cx, *value));
    }
    let case = cx.node(Case { cases: cases.into_bump_slice(), otherwise });
    Scalar { kind: ScalarKind::Case(case), ty, nullable, column: None, text: None }
}

/// Every one of them.
pub(crate) fn all<'a, 'e>(cx: &Cx<'a, 'e>, items: &[Pred<'a, 'e>]) -> Pred<'a, 'e> {
    if items.iter().any(|p| matches!(p, Pred::Const(false))) {
        return Pred::Const(false);
    }
    let mut list = cx.vec(items.len());
    for item in items {
        match item {
            Pred::Const(_) => {}
            Pred::And(inner) => list.extend(inner.iter().copied()),
            other => list.push(*other),
        }
    }
    match list.as_slice() {
        [] => Pred::Const(true),
        [one] => *one,
        _ => Pred::And(list.into_bump_slice()),
    }
}

/// Every one of them, the list made for this.
pub(crate) fn all_owned<'a, 'e>(cx: &Cx<'a, 'e>, items: BumpVec<'a, Pred<'a, 'e>>) -> Pred<'a, 'e> {
    if items.len() > 1 && !items.iter().any(|p| matches!(p, Pred::Const(_) | Pred::And(_))) {
        return Pred::And(items.into_bump_slice());
    }
    all(cx, &items)
}

/// At least one of them.
pub(crate) fn any<'a, 'e>(cx: &Cx<'a, 'e>, items: &[Pred<'a, 'e>]) -> Pred<'a, 'e> {
    if items.iter().any(|p| matches!(p, Pred::Const(true))) {
        return Pred::Const(true);
    }
    let mut list = cx.vec(items.len());
    for item in items {
        match item {
            Pred::Const(_) => {}
            Pred::Or(inner) => list.extend(inner.iter().copied()),
            other => list.push(*other),
        }
    }
    match list.as_slice() {
        [] => Pred::Const(false),
        [one] => *one,
        _ => Pred::Or(list.into_bump_slice()),
    }
}

/// At least one of them, the list made for this.
pub(crate) fn any_owned<'a, 'e>(cx: &Cx<'a, 'e>, items: BumpVec<'a, Pred<'a, 'e>>) -> Pred<'a, 'e> {
    if items.len() > 1 && !items.iter().any(|p| matches!(p, Pred::Const(_) | Pred::Or(_))) {
        return Pred::Or(items.into_bump_slice());
    }
    any(cx, &items)
}

/// The opposite; pushed into a comparison where that is exact.
pub(crate) fn not<'a, 'e>(cx: &Cx<'a, 'e>, pred: Pred<'a, 'e>) -> Pred<'a, 'e> {
    match pred {
        Pred::Const(value) => Pred::Const(!value),
        Pred::Not(inner) => *inner,
        Pred::Null(value, negated) => Pred::Null(value, !negated),
        Pred::Exists(query, negated) => Pred::Exists(query, !negated),
        Pred::Compare(node) => {
            let (op, right) = other_bit(opposite(node.op), node.right);
            Pred::Compare(cx.node(Compare { left: node.left, op, right }))
        }
        Pred::In(node) => Pred::In(cx.node(In { negated: !node.negated, ..*node })),
        Pred::Match(node) => Pred::Match(cx.node(Match { negated: !node.negated, ..*node })),
        other => Pred::Not(cx.node(other)),
    }
}

fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Equal => CompareOp::NotEqual,
        CompareOp::NotEqual => CompareOp::Equal,
        CompareOp::Less => CompareOp::GreaterOrEqual,
        CompareOp::LessOrEqual => CompareOp::Greater,
        CompareOp::Greater => CompareOp::LessOrEqual,
        CompareOp::GreaterOrEqual => CompareOp::Less,
        CompareOp::Distinct => CompareOp::NotDistinct,
        CompareOp::NotDistinct => CompareOp::Distinct,
        CompareOp::JsonEqual => CompareOp::JsonNotEqual,
        CompareOp::JsonNotEqual => CompareOp::JsonEqual,
    }
}

/// `paid <> 1` of a truth value as `paid = 0`: the same, and an index serves it.
pub(super) fn other_bit<'a, 'e>(op: CompareOp, right: Scalar<'a, 'e>) -> (CompareOp, Scalar<'a, 'e>) {
    match right.kind {
        ScalarKind::Literal(Literal::Int(n @ (0 | 1)))
            if op == CompareOp::NotEqual && right.ty.is_some_and(|ty| ty.base == DbValueType::Boolean) =>
        {
            (CompareOp::Equal, Scalar { kind: ScalarKind::Literal(Literal::Int(1 - n)), ..right })
        }
        _ => (op, right),
    }
}

/// Whether a predicate can be unknown.
pub(crate) fn pred_nullable(pred: &Pred<'_, '_>) -> bool {
    match pred {
        Pred::Const(_) | Pred::Null(..) | Pred::Exists(..) => false,
        Pred::Compare(node) => {
            !matches!(node.op, CompareOp::Distinct | CompareOp::NotDistinct)
                && (node.left.nullable || node.right.nullable)
        }
        Pred::Match(node) => node.text.nullable || node.pattern.nullable,
        Pred::And(items) | Pred::Or(items) => items.iter().any(pred_nullable),
        Pred::Not(inner) => pred_nullable(inner),
        Pred::IsTrue(value) => value.nullable,
        Pred::In(_) | Pred::Text(_) | Pred::Fragment(_) => true,
    }
}
