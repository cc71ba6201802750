//! JSON documents, which can be the same but have no order.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Call, Compare, CompareOp, Literal, Pred, Scalar, ScalarKind};
use crate::functions::Func;
use crate::render::Prec;

use super::{Cx, Rule, arguments, cast, compare, logic, sorted, typed_by};

/// Values that become members of a JSON document.
pub(super) fn json_members<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
    if args.iter().any(|arg| arg.ty.is_some_and(|ty| ty.base == DbValueType::Binary)) {
        let why = "JSON has no bytes, and engines write them in different ways: use Hex";
        return Err(cx.target.refused("bytes in JSON", why));
    }
    let args = arguments::typed_cases(cx, args);
    let args = json_truths(cx, args)?;
    json_dates(cx, args)
}

/// Refuses a document among the members of another one, on an engine that would make a text of it. What a JSON function
/// gives is JSON on every engine; a column may be text that would be quoted.
pub(super) fn json_inside<'a, 'e>(cx: &Cx<'a, 'e>, args: &[Scalar<'a, 'e>]) -> Result<()> {
    let json = |arg: &Scalar<'a, 'e>| {
        arg.ty.is_some_and(|ty| ty.base.is_json()) && !matches!(arg.kind, ScalarKind::Call(_)) && !is_document(cx, arg)
    };
    if args.iter().any(json) { cx.need(Feature::NestedJson) } else { Ok(()) }
}

/// Truth values that become part of JSON, on an engine where they are numbers.
///
/// ```sql
/// -- before             -- after
/// JSON_ARRAY(paid)      JSON_ARRAY(paid = 1)
///                       JSON_ARRAY(CASE WHEN paid = 1 THEN 'true' ELSE 'false' END FORMAT JSON)
/// ```
fn json_truths<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
    let truth = |s: &Scalar<'a, 'e>| {
        s.ty.is_some_and(|ty| ty.base == DbValueType::Boolean && !ty.array) && !matches!(s.kind, ScalarKind::Truth(_))
    };
    if !args.iter().any(truth) {
        return Ok(args);
    }
    let Some(rule) = cx.rule_for(Feature::JsonBoolean)? else { return Ok(args) };
    let mut list = cx.vec(args.len());
    for arg in args {
        if !truth(arg) || rule == Rule::JsonTruth && matches!(arg.kind, ScalarKind::Literal(_)) {
            list.push(*arg);
            continue;
        }
        if rule == Rule::JsonTruthText {
            list.push(truth_word(cx, *arg)?);
            continue;
        }
        let one = Scalar { ty: arg.ty, ..cx.int(1) };
        let pred = compare::compare(cx, *arg, CompareOp::Equal, one)?;
        list.push(Scalar { kind: ScalarKind::Truth(cx.node(pred)), column: None, ..*arg });
    }
    Ok(list.into_bump_slice())
}

/// Dates and times that become part of JSON, which has none: texts, as a CAST writes them.
///
/// ```sql
/// -- before           -- after
/// JSON_ARRAY(day)     JSON_ARRAY(TO_CHAR(day, 'YYYY-MM-DD'))
/// ```
fn json_dates<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &'a [Scalar<'a, 'e>]) -> Result<&'a [Scalar<'a, 'e>]> {
    let dated =
        |s: &Scalar<'a, 'e>| s.ty.is_some_and(|ty| !ty.array && (ty.base.is_date() || ty.base == DbValueType::Time));
    if !args.iter().any(dated) {
        return Ok(args);
    }
    let mut list = cx.vec(args.len());
    for arg in args {
        list.push(if dated(arg) { cast::as_text(cx, *arg)? } else { *arg });
    }
    Ok(list.into_bump_slice())
}

/// `true` or `false` as JSON. A CASE of truth values gets them in their places.
pub(super) fn truth_word<'a, 'e>(cx: &mut Cx<'a, 'e>, truth: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    let json = DbType::from(DbValueType::Json);
    let word =
        |cx: &Cx<'a, 'e>, b: bool| Scalar { ty: Some(json), ..cx.literal_text(if b { &"true" } else { &"false" }) };
    let literal = |s: &Scalar<'a, 'e>| match s.kind {
        ScalarKind::Literal(Literal::Bool(b)) => Some(b),
        ScalarKind::Literal(Literal::Tree(Value::Bool(b))) => Some(*b),
        _ => None,
    };
    if let Some(known) = literal(&truth) {
        return Ok(word(cx, known));
    }
    if let ScalarKind::Case(case) = truth.kind
        && case.cases.iter().all(|(_, value)| literal(value).is_some())
        && case.otherwise.is_none_or(|value| literal(&value).is_some())
    {
        let mut cases = cx.vec(case.cases.len());
        for (pred, value) in case.cases {
            cases.push((*pred, word(cx, literal(value).unwrap_or_default())));
        }
        let otherwise = case.otherwise.map(|value| word(cx, literal(&value).unwrap_or_default()));
        return Ok(Scalar { nullable: truth.nullable, ..logic::case_when(cx, &cases, otherwise, Some(json)) });
    }
    let (yes, no) = (word(cx, true), word(cx, false));
    cast::by_truth(cx, truth, yes, no, json)
}

/// A function of a JSON path with an index, on an engine that takes what is no array for an array of itself.
///
/// ```sql
/// -- before                      -- after
/// JSON_VALUE(a, '$.b[0]')        CASE WHEN JSON_TYPE(JSON_EXTRACT(a, '$.b')) = 'ARRAY' THEN JSON_VALUE(a, '$.b[0]') END
/// JSON_EXISTS(a, '$.b[0]')       CASE WHEN .. THEN JSON_EXISTS(a, '$.b[0]') WHEN a IS NOT NULL THEN FALSE END
/// ```
///
/// `lengths` are the lengths of the arrays that the indices look into.
pub(crate) fn json_guard<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    func: Func,
    json: Scalar<'a, 'e>,
    call: Scalar<'a, 'e>,
    lengths: &[Scalar<'a, 'e>],
) -> Scalar<'a, 'e> {
    let mut tests = cx.vec(lengths.len());
    tests.extend(lengths.iter().map(|length| is_array(cx, *length)));
    let arrays = logic::all(cx, &tests);
    let no = Scalar { kind: ScalarKind::Literal(Literal::Bool(false)), nullable: false, column: None, ..call };
    match func {
        Func::JsonSet => logic::case_when(cx, &[(arrays, call)], Some(json), call.ty),
        Func::JsonExists => {
            let known = compare::is_null_pred(cx, json, true);
            logic::case_when(cx, &[(arrays, call), (known, no)], None, call.ty)
        }
        _ => logic::case_when(cx, &[(arrays, call)], None, call.ty),
    }
}

/// Whether there is an array, by its length: that is `CASE WHEN condition THEN length END`, where the condition by
/// itself says it.
pub(super) fn is_array<'a, 'e>(cx: &Cx<'a, 'e>, length: Scalar<'a, 'e>) -> Pred<'a, 'e> {
    if let ScalarKind::Call(call) = length.kind
        && let Some(condition) = call.spelling.condition()
    {
        // It stands by itself or among others with AND, where a comparison needs no parentheses.
        let call = cx.node(Call { spelling: cx.node(condition), prec: Prec::Atom, ..*call });
        let condition = Scalar { kind: ScalarKind::Call(call), ..length };
        return Pred::IsTrue(cx.node(condition));
    }
    compare::is_null_pred(cx, length, true)
}

/// Whether it is a known JSON object or array, which no engine takes for a text.
pub(super) fn is_document<'a, 'e>(cx: &Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> bool {
    matches!(cx.value_of(scalar), Some(Value::Json(json)) if json.trim_start().starts_with(['{', '[']))
}

/// A comparison of JSON: whether both are the same document, whatever their blanks and the order of their members.
pub(super) fn compare_json<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    op: CompareOp,
    right: Scalar<'a, 'e>,
) -> Result<Pred<'a, 'e>> {
    let op = match op {
        CompareOp::Equal | CompareOp::JsonEqual => CompareOp::JsonEqual,
        CompareOp::NotEqual | CompareOp::JsonNotEqual => CompareOp::JsonNotEqual,
        CompareOp::Distinct | CompareOp::NotDistinct => {
            cx.need(Feature::JsonEqual)?;
            return if left.nullable || right.nullable {
                compare::null_safe_case(cx, left, op, right)
            } else {
                let equal = if op == CompareOp::Distinct { CompareOp::NotEqual } else { CompareOp::Equal };
                compare_json(cx, left, equal, right)
            };
        }
        _ => return Err(json_refused(cx, "JSON", "a comparison by order")),
    };
    cx.need(Feature::JsonEqual)?;
    let (left, right) = (typed_by(left, &right), typed_by(right, &left));
    Ok(Pred::Compare(cx.node(Compare { left, op, right })))
}

/// An error if one of them, or an item of a row, is JSON, or what an engine has in a large object.
///
/// Engines compare documents by what they are, by their text, or not at all; only a comparison of two can be brought
/// to one answer.
pub(crate) fn no_json<'a, 'e>(cx: &Cx<'a, 'e>, what: &str, values: &[Scalar<'a, 'e>]) -> Result<()> {
    for value in values {
        match value.kind {
            ScalarKind::Row(items) => no_json(cx, what, items)?,
            _ => {
                no_json_type(cx, what, value.ty)?;
                sorted::no_large_value(cx, what, value)?;
            }
        }
    }
    Ok(())
}

/// An error if the type is that of documents.
pub(crate) fn no_json_type(cx: &Cx<'_, '_>, what: &str, ty: Option<DbType>) -> Result<()> {
    let xml = ty.is_some_and(|ty| ty.base == DbValueType::Xml);
    if xml || is_json(ty) { Err(json_refused(cx, if xml { "XML" } else { "JSON" }, what)) } else { Ok(()) }
}

fn json_refused(cx: &Cx<'_, '_>, kind: &str, what: &str) -> crate::Error {
    let why = "engines neither order nor group documents alike: take a value out by JsonValue";
    cx.target.refused(format!("{kind} in {what}"), why)
}

/// Whether a value of that type is a JSON document.
pub(super) fn is_json(ty: Option<DbType>) -> bool {
    ty.is_some_and(|ty| ty.base.is_json() && !ty.array)
}
