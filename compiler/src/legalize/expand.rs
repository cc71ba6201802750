//! Calls that a dialect lacks, by what it has.

use crate::dialect::Feature;
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType};
use crate::frame::{Arith, CompareOp, Literal, Pred, Scalar, ScalarKind};
use crate::functions::Func;

use super::{CallParts, Cx, Rule, arithmetic, call, compare, logic, repeated, text, volatile};

pub(super) fn expand_call<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    rule: Rule,
    args: &'a [Scalar<'a, 'e>],
    ty: Option<DbType>,
    parts: CallParts<'a, 'e>,
) -> Result<Scalar<'a, 'e>> {
    if !matches!(rule, Rule::ConcatNull | Rule::ConcatCast) {
        // A concatenation notes by itself what it has to do about its items.
        call::notes_call(cx, func, rule);
    }
    match (rule, func) {
        (Rule::GreatestCase, _) => {
            volatile::no_volatile(cx, func.signature().name, args)?;
            let op = if func == Func::Greatest { CompareOp::GreaterOrEqual } else { CompareOp::LessOrEqual };
            greatest(cx, op, args, ty)
        }
        (Rule::ConcatNull | Rule::ConcatCast, _) => arithmetic::concat(cx, args),
        (Rule::ConcatWsCase, _) => concat_ws(cx, args),
        (Rule::ModuloFunction, _) => match args {
            [a, b] => arithmetic::arithmetic(cx, Arith::Modulo, *a, *b),
            _ => Err(ErrorKind::Arity { name: "Mod".into(), expected: "2 arguments".into(), found: args.len() }.into()),
        },
        (Rule::TrimCharacters, _) => text::trim_characters(cx, func, args, ty),
        (Rule::BoolAggregate, _) => bool_aggregate(cx, func, args, parts),
        _ => Err(cx.target.refused(func.signature().name, rule.why())),
    }
}

/// `FILTER (WHERE ...)` on an engine without it.
///
/// ```sql
/// -- before                             -- after
/// SUM(a) FILTER (WHERE p)               SUM(CASE WHEN p THEN a END)
/// COUNT(*) FILTER (WHERE p)             COUNT(CASE WHEN p THEN 1 END)
/// ```
///
/// Exact: an aggregate skips NULLs.
pub(super) fn filter_to_case<'a, 'e>(
    cx: &Cx<'a, 'e>,
    args: &'a [Scalar<'a, 'e>],
    filter: Pred<'a, 'e>,
) -> &'a [Scalar<'a, 'e>] {
    let Some((first, rest)) = args.split_first() else {
        return cx.slice(&[logic::case_when(cx, &[(filter, cx.int(1))], None, Some(DbValueType::Int32.into()))]);
    };
    // Inside of the CASE, nothing says the type of a parameter.
    let value = match (first.kind, first.ty) {
        (ScalarKind::Param(_), Some(ty)) if !cx.target.has(Feature::UntypedParameter) => {
            Scalar { kind: ScalarKind::Cast(cx.node(Scalar { ty: None, ..*first }), ty), ..*first }
        }
        _ => *first,
    };
    let mut list = cx.vec(args.len());
    list.push(logic::case_when(cx, &[(filter, value)], None, first.ty));
    list.extend(rest.iter().copied());
    list.into_bump_slice()
}

/// `GREATEST` and `LEAST` on an engine without them; NULL if an argument is, as everywhere.
///
/// ```sql
/// -- before             -- after
/// GREATEST(a, b, c)     CASE WHEN a >= b AND a >= c THEN a WHEN b >= a AND b >= c THEN b WHEN ... THEN c END
/// ```
///
/// A NULL argument leaves every test unknown, or the ones that are true beside it: each is ANDed over all others.
pub(super) fn greatest<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    op: CompareOp,
    args: &'a [Scalar<'a, 'e>],
    ty: Option<DbType>,
) -> Result<Scalar<'a, 'e>> {
    if args.len() > 16 {
        let why = "it is written out here, each argument against each other: give 16 at most, or nest them";
        return Err(cx.target.refused("Greatest or Least", why));
    }
    let mut cases = cx.vec(args.len());
    let args: Vec<Scalar<'a, 'e>> = args.iter().map(|arg| repeated(*arg)).collect();
    for (i, candidate) in args.iter().enumerate() {
        let mut tests = cx.vec(args.len());
        for (j, other) in args.iter().enumerate() {
            if i != j {
                tests.push(compare::compare(cx, *candidate, op, *other)?);
            }
        }
        cases.push((logic::all(cx, &tests), *candidate));
    }
    let nullable = args.iter().any(|s| s.nullable);
    Ok(Scalar { nullable, ..logic::case_when(cx, &cases, None, ty) })
}

/// `CONCAT_WS` on an engine without it: each text with the separator before it, without the first separator.
pub(super) fn concat_ws<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
    let Some((separator, texts)) = args.split_first() else { return Ok(cx.literal_text(&"")) };
    let ty = Some(DbType::from(DbValueType::String));
    let separator = &repeated(*separator);
    // Where it is NULL, so is its length, and with it the whole.
    let before = Scalar { nullable: false, ..*separator };
    let mut parts = cx.vec(texts.len());
    for text in texts {
        // The CASE around it sees to a NULL.
        let with = arithmetic::concat(cx, &[before, Scalar { nullable: false, ..*text }])?;
        parts.push(if text.nullable {
            let empty = cx.literal_text(&"");
            let is_null = compare::is_null_pred(cx, *text, false);
            logic::case_when(cx, &[(is_null, empty)], Some(with), ty)
        } else {
            with
        });
    }
    let all = arithmetic::concat(cx, &parts)?;
    if let Some(crate::expr::Value::Text(known)) = cx.value_of(separator) {
        let length = i64::try_from(known.chars().count()).unwrap_or(i64::MAX);
        return if length == 0 { Ok(all) } else { call::call(cx, Func::Substring, &[all, cx.int(length)], ty) };
    }
    let length = call::call(cx, Func::Length, &[*separator], Some(DbValueType::Int32.into()))?;
    call::call(cx, Func::Substring, &[all, length], ty)
}

/// `BOOL_AND` and `BOOL_OR` as the least and the greatest of 1 and 0.
pub(super) fn bool_aggregate<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    args: &'a [Scalar<'a, 'e>],
    parts: CallParts<'a, 'e>,
) -> Result<Scalar<'a, 'e>> {
    let Some(arg) = args.first() else {
        return Err(ErrorKind::Arity { name: "BoolAnd".into(), expected: "1 argument".into(), found: 0 }.into());
    };
    let number = {
        let (one, zero) = (cx.int(1), cx.int(0));
        if let Some(number) = as_numbers(cx, arg) {
            number
        } else if arg.nullable {
            let pred = logic::is_true(cx, *arg)?;
            let not = logic::not(cx, pred);
            logic::case_when(cx, &[(pred, one), (not, zero)], None, Some(DbValueType::Int32.into()))
        } else {
            let pred = logic::is_true(cx, *arg)?;
            logic::case_when(cx, &[(pred, one)], Some(zero), Some(DbValueType::Int32.into()))
        }
    };
    let inner = if func == Func::BoolAnd { Func::Min } else { Func::Max };
    let value = call::call_with(cx, inner, &[number], Some(DbValueType::Boolean.into()), parts)?;
    if cx.target.has(Feature::BooleanLiteral) && cx.target.has(Feature::BooleanValue) {
        let one = Scalar { ty: Some(DbValueType::Boolean.into()), ..cx.int(1) };
        let pred = Pred::Compare(cx.node(crate::frame::Compare { left: value, op: CompareOp::Equal, right: one }));
        return Ok(Scalar {
            kind: ScalarKind::Truth(cx.node(pred)),
            ty: Some(DbValueType::Boolean.into()),
            nullable: true,
            column: None,
            text: None,
        });
    }
    Ok(value)
}

/// A CASE of truth values as one of 1 and 0.
pub(super) fn as_numbers<'a, 'e>(cx: &Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> Option<Scalar<'a, 'e>> {
    let ScalarKind::Case(case) = scalar.kind else { return None };
    let number = |s: &Scalar<'a, 'e>| match s.kind {
        ScalarKind::Literal(Literal::Bool(b)) => Some(cx.int(b.into())),
        _ => None,
    };
    let mut cases = cx.vec(case.cases.len());
    for (pred, value) in case.cases {
        cases.push((*pred, number(value)?));
    }
    let otherwise = match &case.otherwise {
        Some(value) => Some(number(value)?),
        None => None,
    };
    Some(logic::case_when(cx, &cases, otherwise, Some(DbValueType::Int32.into())))
}
