//! Writes: what is special about them stands in the hooks of the dialects; here is what a value in one needs.

use std::collections::HashMap;

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType};
use crate::frame::{Assign, Call, CompareOp, Item, Items, Part, Pred, Scalar, ScalarKind, Select, Source};
use crate::functions::Func;
use crate::model::Column;

use super::parts::Seen;
use super::query::column_of;
use super::{Cx, arithmetic, call, cast, compare, digits, logic, parts, query, subquery, volatile};

/// A value that a column takes. An assignment is a CAST to the column's type, and is written as one where the engine's
/// own conversion gives something else, or none.
///
/// ```sql
/// -- before               -- after
/// SET qty = price         SET qty = CAST(TRUNC(price) AS integer)
/// SET day = created       SET day = DATE(created)
/// SET price = price / 3   SET price = ROUND(price / 3, 2)
/// SET qty = other_qty     SET qty = other_qty
/// SET at = NOW(6)         SET at = NOW(6) - INTERVAL MICROSECOND(NOW(6)) MICROSECOND
/// ```
pub(crate) fn stored<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>, column: &Column) -> Result<Scalar<'a, 'e>> {
    let Some(from) = value.ty.filter(|_| !cx.is_null(&value)) else { return Ok(value) };
    if column.ty.base == DbValueType::Single && from.base.is_number() {
        cx.rule_for(Feature::SingleCast)?;
    }
    let cut = column.seconds().filter(|digits| !has_seconds(cx, &value, column, *digits));
    let value = if converts(cx, from, column.ty) {
        value
    } else {
        cx.rule_for(Feature::Assignment)?;
        cast::cast(cx, value, column.ty)?
    };
    if let Some(digits) = cut {
        return seconds_cut(cx, value, column.ty, digits);
    }
    match column.fraction().filter(|digits| !digits::has_scale(cx, &value, *digits)) {
        Some(digits) if cx.rule_for(Feature::ColumnScale)?.is_some() => {
            let digits = cx.int(digits.into());
            once(cx, value, |cx, value| call::call(cx, Func::Round, &[value, digits], value.ty))
        }
        _ => Ok(value),
    }
}

/// A computed time in as many digits behind its seconds as its column has, as a value of the program is: cut to them.
fn seconds_cut<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>, ty: DbType, digits: u8) -> Result<Scalar<'a, 'e>> {
    if cx.target.has(Feature::ColumnSeconds) {
        return Ok(value);
    }
    let Some((template, prec)) = cx.target.dialect().cut_seconds(ty.base, digits) else { return Ok(value) };
    cx.rule_for(Feature::ColumnSeconds)?;
    let spelling = call::made_spelling(cx, &template)?;
    volatile::no_volatile_twice(cx, "the seconds", spelling, &[value])?;
    once(cx, value, |cx, value| {
        let args = cx.slice(&[value]);
        let call = Call::spelled(spelling, prec, args);
        Ok(Scalar { kind: ScalarKind::Call(cx.node(call)), column: None, ..value })
    })
}

/// Whether a time certainly has no more digits behind its seconds than a column.
fn has_seconds<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>, column: &Column, digits: u8) -> bool {
    if let Some(known) = cx.value_of(value) {
        return column.cut(known).is_none();
    }
    let own = value.column.filter(|_| matches!(value.kind, ScalarKind::Column(_)));
    value.ty.is_some_and(|ty| ty.base == DbValueType::Date)
        || matches!(value.kind, ScalarKind::Call(Call { func: Some(func), .. }) if func.begins_a_unit())
        || own.and_then(Column::seconds).is_some_and(|own| own <= digits)
}

/// What a spelling makes of a value, which it may repeat: one with a subquery in it is written and computed once.
///
/// ```sql
/// -- before                       -- after
/// ROUND((SELECT ..) * .., 2)     (SELECT ROUND(T1.c0 * .., 2) FROM (SELECT (SELECT ..) AS c0) T1)
/// ```
fn once<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: Scalar<'a, 'e>,
    make: impl FnOnce(&mut Cx<'a, 'e>, Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>>,
) -> Result<Scalar<'a, 'e>> {
    if !subquery::has_subquery(cx, &value) {
        return make(cx, value);
    }
    let one_row = |from, items| Select {
        distinct: false,
        distinct_on: &[],
        items: Items::List(items),
        from,
        joins: &[],
        filter: None,
        group: &[],
        having: None,
    };
    let (alias, name) = (cx.next_alias(), cx.quoted(&["c0"]));
    let items = cx.slice(&[Item { value, alias: Some(name) }]);
    let query = query::select_query(cx, one_row(None, items));
    let made = make(cx, column_of(cx, alias, name, &value))?;
    let items = cx.slice(&[Item { value: made, alias: None }]);
    let query = query::select_query(cx, one_row(Some(Source::Derived { query, alias }), items));
    Ok(Scalar { kind: ScalarKind::Query(query), column: None, ..made })
}

/// An error for a subquery in what is done about a row that is there, on an engine that takes none.
pub(crate) fn in_conflict<'a, 'e, 'p>(cx: &Cx<'a, 'e>, of: impl Into<Part<'p, 'a, 'e>>) -> Result<()>
where
    'e: 'a,
    'a: 'p,
{
    let refused = !cx.target.has(Feature::ConflictSubquery) && subquery::may_have_subquery(cx, of);
    if refused { cx.need(Feature::ConflictSubquery) } else { Ok(()) }
}

/// Assignments so that each one sees the row as it was, on an engine that runs them from left to right, where one sees
/// what those before it have set. `table` is what qualifies the columns of the row, and the filter is asked by each.
///
/// ```sql
/// -- before               -- after
/// SET a = a + 1, b = a    SET b = a, a = a + 1
/// ```
///
/// Exact; refused where each of several reads what another one sets.
pub(crate) fn in_turn<'a, 'e>(
    cx: &Cx<'a, 'e>,
    sets: &'a [Assign<'a, 'e>],
    filter: Option<&Pred<'a, 'e>>,
    table: &str,
) -> Result<&'a [Assign<'a, 'e>]> {
    if sets.len() < 2 || cx.target.has(Feature::CrossAssignment) {
        return Ok(sets);
    }
    let places: HashMap<&str, usize> = sets.iter().enumerate().map(|(at, set)| (set.column, at)).collect();
    let by_all = filter.map_or(Vec::new(), |filter| columns_read(cx, filter.into(), table, &places));
    let reads = sets.iter().map(|set| {
        let mut columns = columns_read(cx, (&set.value).into(), table, &places);
        columns.extend(&by_all);
        columns.sort_unstable();
        columns.dedup();
        columns
    });
    let reads: Vec<Vec<usize>> = reads.collect();
    // How many of the others that are left read a column.
    let mut readers = vec![0_usize; sets.len()];
    let count = |readers: &mut [usize], by: usize, change: fn(usize) -> usize| {
        for column in reads.get(by).into_iter().flatten().filter(|column| **column != by) {
            if let Some(count) = readers.get_mut(*column) {
                *count = change(*count);
            }
        }
    };
    (0..sets.len()).for_each(|by| count(&mut readers, by, |count| count + 1));
    let mut rest: Vec<usize> = (0..sets.len()).collect();
    let mut done = cx.vec(sets.len());
    while !rest.is_empty() {
        let Some(free) = rest.iter().position(|at| readers.get(*at) == Some(&0)) else {
            cx.need(Feature::CrossAssignment)?;
            return Ok(sets);
        };
        let at = rest.remove(free);
        count(&mut readers, at, |count| count - 1);
        done.extend(sets.get(at).copied());
    }
    Ok(done.into_bump_slice())
}

/// Which of these columns of a table are read, by their places.
fn columns_read<'a, 'e>(
    cx: &Cx<'a, 'e>,
    of: Part<'_, 'a, 'e>,
    table: &str,
    places: &HashMap<&str, usize>,
) -> Vec<usize> {
    let mut found = Vec::new();
    let mut look = |cx: &Cx<'a, 'e>, part: Part<'_, 'a, 'e>| {
        match part {
            Part::Scalar(Scalar { kind: ScalarKind::Column(read), .. }) => {
                if read.qualifier().is_none_or(|qualifier| qualifier == table) {
                    found.extend(places.get(read.name()));
                }
            }
            part => {
                let unreadable = parts::any_column(cx, part, |qualifier, name| {
                    // In a text, a schema stands apart.
                    if qualifier.is_none_or(|qualifier| table.ends_with(qualifier)) {
                        found.extend(places.get(name));
                    }
                    false
                });
                if unreadable {
                    found.extend(places.values());
                }
            }
        }
        Seen::Into
    };
    parts::finds_inside(cx, of, &mut look);
    found
}

/// Whether a column takes a value as it is.
pub(crate) fn is_stored<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>, column: &Column) -> bool {
    let Some(from) = value.ty.filter(|_| !cx.is_null(value)) else { return true };
    let (rounded, cut) = (|| cx.target.has(Feature::ColumnScale), || cx.target.has(Feature::ColumnSeconds));
    converts(cx, from, column.ty)
        && column.fraction().is_none_or(|digits| rounded() || digits::has_scale(cx, value, digits))
        && column.seconds().is_none_or(|digits| cut() || has_seconds(cx, value, column, digits))
}

/// Whether the engine converts values of the one type in a column of the other as a CAST does.
fn converts(cx: &Cx<'_, '_>, from: DbType, to: DbType) -> bool {
    from == to || !from.array && !to.array && cx.target.dialect().assigns(from.base, to.base)
}

/// The argument of a logarithm in a write, on an engine that takes one of 0 for a division by zero there.
///
/// ```sql
/// -- before                -- after
/// UPDATE t SET a = LN(b)   UPDATE t SET a = LN(CASE WHEN b > 0 THEN b END)
/// ```
///
/// Exact: outside of its domain, the logarithm is NULL.
pub(crate) fn log_in_write<'a, 'e>(cx: &mut Cx<'a, 'e>, func: Func, args: &mut [Scalar<'a, 'e>]) -> Result<()> {
    if !cx.writes || !matches!(func, Func::Log | Func::Log10 | Func::Log2) {
        return Ok(());
    }
    for arg in args {
        if arithmetic::is_number_but_zero(cx, arg) || cx.rule_for(Feature::DivisionInWrite)?.is_none() {
            continue;
        }
        let zero = Scalar { ty: arg.ty.or(Some(DbValueType::Int32.into())), ..cx.int(0) };
        let positive = compare::compare(cx, *arg, CompareOp::Greater, zero)?;
        *arg = logic::case_when(cx, &[(positive, *arg)], None, arg.ty);
    }
    Ok(())
}
