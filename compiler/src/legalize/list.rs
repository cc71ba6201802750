//! IN.

use std::fmt::Write as _;

use crate::dialect::{Feature, Spelling};
use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, Value};
use crate::frame::{Bound, CompareOp, In, InList, Param, Pred, Query, Scalar, ScalarKind};
use crate::functions::Func;

use super::{Cx, Rule, call, compare, dates, logic, parts, query, sorted, subquery, typed_by};

/// `left IN (values)`, the values plain and of the type already.
pub(crate) fn in_values<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    values: &'e [Value],
    ty: DbType,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    if values.is_empty() {
        return Ok(Pred::Const(negated));
    }
    let list = if packs(cx, &left, values.len(), ty, negated) { array(cx, values, ty)? } else { None };
    if let Some(list) = list {
        return Ok(in_node(cx, left, list, negated));
    }
    let limit = cx.target.dialect().sheet().limits.in_items;
    if values.len() <= limit {
        return Ok(in_node(cx, left, InList::Values(values, ty), negated));
    }
    // Only the predicate is split, inside of the statement: OR for IN, AND for NOT IN.
    let mut parts = cx.vec(values.len() / limit.max(1) + 1);
    for chunk in values.chunks(limit.max(1)) {
        parts.push(in_node(cx, left, InList::Values(chunk, ty), negated));
    }
    Ok(if negated { logic::all(cx, &parts) } else { logic::any(cx, &parts) })
}

/// `left IN (values)` for values that had to be converted.
pub(crate) fn in_made<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    values: Vec<Value>,
    ty: DbType,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    sorted::no_large_in(cx, "a list", &values, ty)?;
    let count = values.len();
    if packs(cx, &left, count, ty, negated) {
        match cx.rule_for(Feature::ArrayParameter)? {
            None => {
                let array = Value::List(values.into());
                let list = InList::Array(made_param(cx, array), ty, count);
                return Ok(in_node(cx, left, list, negated));
            }
            Some(Rule::ArrayAsJson) => {
                let json = json_list(cx, &values, ty)?;
                let list = InList::Array(made_param(cx, json), ty, count);
                return Ok(in_node(cx, left, list, negated));
            }
            Some(_) => {}
        }
    }
    let mut scalars = cx.vec(values.len());
    for value in values {
        let scalar = match value {
            Value::Null => cx.null(Some(ty)),
            value if cx.sent_as_text(ty) => cx.made(value, Some(ty)),
            value => super::typed(cx.made(value, Some(ty))),
        };
        scalars.push(scalar);
    }
    in_scalars(cx, left, scalars.into_bump_slice(), negated)
}

/// `left IN ('', values)`, on an engine that stores NULL for the empty text.
///
/// ```sql
/// -- before                 -- after
/// a IN ('x', '')            a IN ('x') OR a IS NULL
/// a NOT IN ('x', '')        a NOT IN ('x') AND a IS NOT NULL
/// ```
///
/// As it stood, the second one would be true of no row.
pub(crate) fn in_with_empty<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    rest: Vec<Value>,
    ty: DbType,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    cx.rule_for(Feature::EmptyString)?;
    let listed = if rest.is_empty() { Pred::Const(negated) } else { in_made(cx, left, rest, ty, negated)? };
    let empty = compare::is_null_pred(cx, left, negated);
    Ok(if negated { logic::all(cx, &[listed, empty]) } else { logic::any(cx, &[listed, empty]) })
}

/// Whether it is the empty text on an engine that stores NULL for it.
fn is_empty_here<'a, 'e>(cx: &Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> bool {
    matches!(cx.class_of(scalar), Some(Value::Text(text)) if text.is_empty()) && !cx.target.has(Feature::EmptyString)
}

/// Rows of a list that hold the empty text, on an engine that stores NULL for it: compared column by column.
///
/// ```sql
/// -- before                          -- after
/// (a, b) IN ((1, ''), (2, 'x'))      (a, b) IN ((2, 'x')) OR a = 1 AND b IS NULL
/// ```
fn in_rows_with_empty<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    columns: &'a [Scalar<'a, 'e>],
    rows: &'a [Scalar<'a, 'e>],
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    let mut rest = cx.vec(rows.len());
    let mut any = cx.vec(1);
    for row in rows {
        match row.kind {
            ScalarKind::Row(items) if items.iter().any(|item| is_empty_here(cx, item)) => {
                let mut all = cx.vec(items.len());
                for (column, item) in columns.iter().zip(items) {
                    all.push(compare::compare(cx, *column, CompareOp::Equal, *item)?);
                }
                any.push(logic::all(cx, &all));
            }
            _ => rest.push(*row),
        }
    }
    if !rest.is_empty() {
        any.push(in_rows(cx, left, columns, rest.into_bump_slice(), false)?);
    }
    let pred = logic::any(cx, &any);
    Ok(if negated { logic::not(cx, pred) } else { pred })
}

/// `left IN (expressions)`.
pub(crate) fn in_scalars<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    items: &'a [Scalar<'a, 'e>],
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    if items.is_empty() {
        return Ok(Pred::Const(negated));
    }
    if let ScalarKind::Row(columns) = left.kind {
        return in_rows(cx, left, columns, items, negated);
    }
    for item in items {
        sorted::no_large_value(cx, "a list", item)?;
    }
    if items.iter().any(|item| is_empty_here(cx, item)) {
        cx.rule_for(Feature::EmptyString)?;
        let mut rest = cx.vec(items.len());
        rest.extend(items.iter().copied().filter(|item| !is_empty_here(cx, item)));
        let listed = in_scalars(cx, left, rest.into_bump_slice(), negated)?;
        let empty = compare::is_null_pred(cx, left, negated);
        return Ok(if negated { logic::all(cx, &[listed, empty]) } else { logic::any(cx, &[listed, empty]) });
    }
    let mut left = left;
    let items = {
        let mut list = cx.vec(items.len() + 1);
        list.extend(items.iter().map(|item| typed_by(*item, &left)));
        if items.iter().any(|item| item.ty != left.ty) {
            list.push(left);
            dates::same_dates(cx, &mut list)?;
            left = list.pop().unwrap_or(left);
        }
        list.into_bump_slice()
    };
    let limit = cx.target.dialect().sheet().limits.in_items.max(1);
    let mut parts = cx.vec(items.len() / limit + 1);
    for chunk in items.chunks(limit) {
        parts.push(in_node(cx, left, InList::Scalars(chunk), negated));
    }
    Ok(if negated { logic::all(cx, &parts) } else { logic::any(cx, &parts) })
}

/// `(a, b) IN ((1, 2), (3, 4))`
///
/// ```sql
/// -- after
/// a = 1 AND b = 2 OR a = 3 AND b = 4
/// ```
///
/// Exact. The statement grows with the list.
fn in_rows<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    columns: &'a [Scalar<'a, 'e>],
    rows: &'a [Scalar<'a, 'e>],
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    let mut typed_rows = cx.vec(rows.len());
    for row in rows {
        match row.kind {
            ScalarKind::Row(items) if items.len() == columns.len() => {
                let mut list = cx.vec(items.len());
                items.iter().try_for_each(|item| sorted::no_large_value(cx, "a list", item))?;
                list.extend(items.iter().zip(columns).map(|(item, column)| typed_by(*item, column)));
                typed_rows.push(Scalar { kind: ScalarKind::Row(list.into_bump_slice()), ..*row });
            }
            _ => return Err(Cx::misplaced("a list of rows", "each item needs as many values as the left side")),
        }
    }
    let rows = typed_rows.into_bump_slice();
    let with_empty = |row: &Scalar<'a, 'e>| matches!(row.kind, ScalarKind::Row(items) if items.iter().any(|item| is_empty_here(cx, item)));
    if rows.iter().any(with_empty) {
        return in_rows_with_empty(cx, left, columns, rows, negated);
    }
    if cx.rule_for(Feature::TupleIn)?.is_none() {
        cx.rule_for(Feature::TupleInList)?;
        let limit = cx.target.dialect().sheet().limits.in_items.max(1);
        let mut parts = cx.vec(rows.len() / limit + 1);
        for chunk in rows.chunks(limit) {
            parts.push(in_node(cx, left, InList::Scalars(chunk), negated));
        }
        return Ok(if negated { logic::all(cx, &parts) } else { logic::any(cx, &parts) });
    }
    let mut any = cx.vec(rows.len());
    for row in rows {
        let ScalarKind::Row(items) = row.kind else { continue };
        let mut all = cx.vec(items.len());
        for (column, item) in columns.iter().zip(items) {
            all.push(compare::compare(cx, *column, CompareOp::Equal, *item)?);
        }
        any.push(logic::all(cx, &all));
    }
    let pred = logic::any(cx, &any);
    Ok(if negated { logic::not(cx, pred) } else { pred })
}

/// `left IN (SELECT ...)`; the query has been made legal.
pub(crate) fn in_query<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    query: &'a Query<'a, 'e>,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    if let ScalarKind::Row(columns) = left.kind
        && cx.rule_for(Feature::TupleIn)? == Some(Rule::TupleInOr)
    {
        return query::in_query_rows(cx, columns, query, negated);
    }
    let left = looked_for(cx, left)?;
    let query = query::in_subquery(cx, query)?;
    let found = in_node(cx, left, InList::Query(query), negated);
    subquery::over_query(cx, found)
}

/// What `IN` looks for in a query, where it is one itself or holds one.
fn looked_for<'a, 'e>(cx: &mut Cx<'a, 'e>, left: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    match left.kind {
        ScalarKind::Query(_) if cx.rule_for(Feature::QueryInQuery)?.is_some() => {
            Ok(call::spelled(cx, Func::Coalesce, const { &Spelling::new("COALESCE({0})") }, left))
        }
        ScalarKind::Row(_) if parts::any_part(cx, &left, &mut |_, part| part.is_query()) => {
            cx.need(Feature::RowOfQueryInQuery)?;
            Ok(left)
        }
        _ => Ok(left),
    }
}

pub(crate) fn in_node<'a, 'e>(
    cx: &Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    list: InList<'a, 'e>,
    negated: bool,
) -> Pred<'a, 'e> {
    if let InList::Values(values, _) = list {
        cx.params.set(cx.params.get() + values.len());
    }
    Pred::In(cx.node(In { left, list, negated, exact: None }))
}

/// Whether a list is long enough to go into one parameter, and better off there.
fn packs<'a, 'e>(cx: &mut Cx<'a, 'e>, left: &Scalar<'a, 'e>, len: usize, ty: DbType, negated: bool) -> bool {
    if len <= cx.target.limits().in_list || ty.array || !ty.base.survives_json() {
        return false;
    }
    let apart = ty.base.family().may_be_text() && (negated || !cx.context.get().by_and || left.column.is_none());
    let feature = if cx.changes && !cx.target.has(Feature::ArrayInChange) {
        Feature::ArrayInChange
    } else if cx.context.get().in_join && !cx.target.has(Feature::ArrayInJoin) {
        Feature::ArrayInJoin
    } else if apart && !cx.target.has(Feature::ArrayOfTexts) {
        Feature::ArrayOfTexts
    } else {
        return true;
    };
    // The other half is for what else the statement binds.
    if cx.params.get() + len > cx.target.dialect().sheet().limits.parameters / 2 {
        return true;
    }
    cx.note(feature, Rule::ListOneByOne);
    false
}

/// The list in one parameter, on engines that can.
fn array<'a, 'e>(cx: &mut Cx<'a, 'e>, values: &'e [Value], ty: DbType) -> Result<Option<InList<'a, 'e>>> {
    Ok(match cx.target.support(Feature::ArrayParameter) {
        // Borrowing the whole list: the parameter is the list's own node, found by the caller.
        crate::dialect::Support::Native => None,
        crate::dialect::Support::Expand(Rule::ArrayAsJson) => {
            cx.note(Feature::ArrayParameter, Rule::ArrayAsJson);
            cx.looked.set(true);
            let json = json_list(cx, values, ty)?;
            Some(InList::Array(made_param(cx, json), ty, values.len()))
        }
        _ => None,
    })
}

/// `left IN (list)` where the engine takes an array: the list is bound as it stands in the tree.
pub(crate) fn in_array<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    list: &'e Value,
    values: &'e [Value],
    ty: DbType,
    negated: bool,
) -> Result<Pred<'a, 'e>> {
    sorted::no_large_in(cx, "a list", values, ty)?;
    let long = packs(cx, &left, values.len(), ty, negated);
    if long && cx.target.has(Feature::ArrayParameter) {
        let bound = if cx.open.is_some() { Bound::Open(list) } else { Bound::Tree(list) };
        let param = Param { value: bound, untyped: false, cast: false, shared: false, repeated: false };
        return Ok(in_node(cx, left, InList::Array(param, ty, values.len()), negated));
    }
    if cx.sent_as_text(ty) && !long {
        cx.looked.set(true);
        let mut items = cx.vec(values.len());
        items.extend(values.iter().map(|value| cx.param(value, Some(ty))));
        return in_scalars(cx, left, items.into_bump_slice(), negated);
    }
    in_values(cx, left, values, ty, negated)
}

fn made_param<'e>(cx: &mut Cx<'_, 'e>, value: Value) -> Param<'e> {
    let index = u32::try_from(cx.made.len()).unwrap_or(u32::MAX);
    cx.made.push(value);
    Param { value: Bound::Made(index), untyped: false, cast: false, shared: false, repeated: false }
}

/// An error for a list in the place of one value.
pub(crate) fn no_list() -> crate::Error {
    ErrorKind::Unbindable { kind: "list", hint: ": it stands on the right of IN only, or beside an array" }.into()
}

/// The values as a JSON array: numbers and truth values bare, everything else as text. Decimals are text, too, where
/// a JSON number is a double.
fn json_list(cx: &Cx<'_, '_>, values: &[Value], ty: DbType) -> Result<Value> {
    let (decimals_as_text, dialect) = (cx.sent_as_text(ty), cx.target.dialect());
    let (doubles, date_time) = (dialect.json_doubles(), dialect.json_date_time());
    let mut text = String::with_capacity(values.len() * 8 + 2);
    text.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        let _ = match value {
            Value::Null => write!(text, "null"),
            Value::Bool(b) => write!(text, "{b}"),
            Value::Int(n) => write!(text, "{n}"),
            Value::UInt(n) => write!(text, "{n}"),
            Value::Decimal(n) if decimals_as_text || doubles && n.mantissa().unsigned_abs() >= 10_u128.pow(15) => {
                write!(text, "\"{n}\"")
            }
            Value::Decimal(n) => write!(text, "{n}"),
            Value::Text(t) => {
                json_text(&mut text, t);
                Ok(())
            }
            Value::Date(d) => write!(text, "\"{d}\""),
            Value::DateTime(t) => date_time.write(&mut text, *t),
            other => match other.word() {
                Some(word) => write!(text, "\"{word}\""),
                None => {
                    return Err(
                        ErrorKind::Unbindable { kind: other.kind(), hint: " in a list as one parameter" }.into()
                    );
                }
            },
        };
    }
    text.push(']');
    Ok(Value::Json(text.into()))
}

/// A JSON string.
pub(crate) fn json_text(text: &mut String, value: &str) {
    text.push('"');
    for c in value.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            c if u32::from(c) < 0x20 => {
                let _ = write!(text, "\\u{:04x}", u32::from(c));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}
