//! Windows.

use crate::dialect::Feature;
use crate::error::{ErrorKind, Result};
use crate::expr::{DbValueType, FrameBound, FrameExclude, FrameUnit, Value};
use crate::frame::{Order, Scalar, ScalarKind, Window};
use crate::functions::{Class, Func};

use super::{Cx, Rule, cast, json, query, sorted};

/// The distance of `Lag` and `Lead`, of which engines take no negative one, or go the other way; and the numbers of
/// `NthValue` and `NTile`, which begin with 1.
///
/// ```sql
/// -- before             -- after
/// LAG(a, -1)            LEAD(a, 1)
/// ```
pub(crate) fn row_offset<'a, 'e>(cx: &mut Cx<'a, 'e>, func: Func, args: &mut [Scalar<'a, 'e>]) -> Result<Func> {
    let (place, least) = match func {
        Func::Lag | Func::Lead | Func::NthValue => (1, i64::from(func == Func::NthValue)),
        Func::NTile => (0, 1),
        _ => return Ok(func),
    };
    let Some(slot) = args.get_mut(place) else { return Ok(func) };
    match cx.value_of(slot) {
        Some(Value::Int(n)) if *n >= least => Ok(func),
        Some(Value::Int(n)) if least == 0 && *n > i64::MIN => {
            let back = Value::Int(-*n);
            *slot = cast::made_like(cx, slot, back, slot.ty.unwrap_or_else(|| DbValueType::Int32.into()));
            Ok(if func == Func::Lag { Func::Lead } else { Func::Lag })
        }
        Some(_) => {
            let what = format!("the number of rows of {}", func.signature().name);
            let why = "it is a whole number, of NthValue and NTile at least 1";
            Err(ErrorKind::Misplaced { what, why }.into())
        }
        None if func == Func::NTile => {
            let why = "engines take it from one row of the window, or take none: give a plain value";
            Err(Cx::misplaced("a computed number of buckets of NTile", why))
        }
        None if slot.nullable && matches!(func, Func::Lag | Func::Lead) => {
            let what = format!("a distance of {} that may be NULL", func.signature().name);
            let why = "some engines give NULL then, others the default: put Coalesce around it";
            Err(ErrorKind::Misplaced { what, why }.into())
        }
        None => Ok(func),
    }
}

/// A function over a window.
///
/// ```sql
/// -- before             -- after, where a ranking wants an order
/// RANK() OVER ()        RANK() OVER (ORDER BY NULL)
/// ```
pub(crate) fn window<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    value: Scalar<'a, 'e>,
    partition: &'a [Scalar<'a, 'e>],
    order: &'a [Order<'a, 'e>],
    frame: Option<(FrameUnit, FrameBound, FrameBound, FrameExclude)>,
) -> Result<Scalar<'a, 'e>> {
    cx.need(Feature::Window)?;
    let ScalarKind::Call(call) = value.kind else {
        return Err(Cx::misplaced("a window", "the dialect computes this function from several others"));
    };
    // A constant tells no rows apart; some engines take a number for the place of an item, or refuse it.
    let constant = |value: &Scalar<'a, 'e>| matches!(value.kind, ScalarKind::Literal(_) | ScalarKind::Param(_));
    let (mut partition, mut order) = (partition, order);
    if partition.iter().any(constant) {
        let mut kept = cx.vec(partition.len());
        kept.extend(partition.iter().filter(|key| !constant(key)).copied());
        partition = kept.into_bump_slice();
    }
    if order.iter().any(|key| constant(&key.value)) {
        let mut kept = cx.vec(order.len());
        kept.extend(order.iter().filter(|key| !constant(&key.value)).copied());
        order = kept.into_bump_slice();
    }
    json::no_json(cx, "the partition of a window", partition)?;
    if call.func.is_some_and(|func| func.signature().class == Class::Window) {
        sorted::no_large(cx, "the value of a window", call.args.first().and_then(|value| value.column))?;
    }
    if call.distinct {
        return Err(Cx::misplaced("DISTINCT", "no aggregate over a window takes it on every engine"));
    }
    if call.func == Some(Func::StringAgg) && (!order.is_empty() || frame.is_some()) {
        cx.need(Feature::StringAggWindow)?;
    }
    if let Some((unit, start, end, exclude)) = frame {
        let framed = matches!(call.func, Some(Func::FirstValue | Func::LastValue | Func::NthValue));
        if !framed && call.func.is_some_and(|func| func.signature().class == Class::Window) {
            let why = "a rank or a distance looks at the whole part: leave the frame out";
            return Err(Cx::misplaced("a frame of this function", why));
        }
        if unit == FrameUnit::Groups {
            cx.need(Feature::FrameGroups)?;
        }
        if exclude != FrameExclude::NoOthers {
            cx.need(Feature::FrameExclude)?;
        }
        let offset = |b| matches!(b, FrameBound::Preceding(_) | FrameBound::Following(_));
        if unit == FrameUnit::Range && (offset(start) || offset(end)) {
            cx.need(Feature::FrameRangeOffset)?;
            let number = |key: &Order<'a, 'e>| key.value.ty.is_none_or(|ty| ty.base.is_number() && !ty.array);
            if order.len() != 1 || !order.iter().all(number) {
                let why = "its window is ordered by one number: DateDiffDays or ToUnixSeconds makes one of a date";
                return Err(Cx::misplaced("a RANGE frame with an offset", why));
            }
        }
        if order.is_empty() && unit != FrameUnit::Rows {
            return Err(Cx::misplaced("a frame", "its window needs an order"));
        }
        if bound_rank(start) > bound_rank(end) {
            return Err(Cx::misplaced("a frame", "its start lies behind its end"));
        }
    }
    let ordered = call.func.is_some_and(|func| func.signature().class == Class::Window) || frame.is_some();
    let rule = if order.is_empty() && ordered { cx.rule_for(Feature::WindowWithoutOrder)? } else { None };
    let order = match rule {
        None => order,
        Some(Rule::WindowOrderNull) => {
            cx.slice(&[Order { value: cx.null(None), descending: false, nulls_first: None, sorts_nulls: false }])
        }
        Some(_) => cx.slice(&[query::no_order(cx)]),
    };
    let window = Window { call: *call, partition, order, frame };
    Ok(Scalar { kind: ScalarKind::Window(cx.node(window)), nullable: true, ..value })
}

fn bound_rank(bound: FrameBound) -> i64 {
    match bound {
        FrameBound::UnboundedPreceding => i64::MIN,
        FrameBound::Preceding(n) => -i64::from(n),
        FrameBound::CurrentRow => 0,
        FrameBound::Following(n) => n.into(),
        FrameBound::UnboundedFollowing => i64::MAX,
    }
}
