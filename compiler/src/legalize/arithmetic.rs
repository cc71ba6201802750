//! Arithmetic and concatenation.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Arith, CompareOp, Literal, Pred, Scalar, ScalarKind};
use crate::functions::{Func, NullRule};

use super::cast::is_text;
use super::{Cx, Rule, call, cast, compare, digits, logic, typed_by, volatile};

/// `NULLIF` of a number and one of a wider kind: the first stays what it is, where PostgreSQL and Oracle give it as the
/// second's kind.
///
/// ```sql
/// -- before              -- after
/// NULLIF(qty, price)     CASE WHEN qty = price THEN NULL ELSE qty END
/// ```
pub(super) fn null_if_narrower<'a, 'e>(cx: &mut Cx<'a, 'e>, args: &[Scalar<'a, 'e>]) -> Result<Option<Scalar<'a, 'e>>> {
    let [left, right] = args else { return Ok(None) };
    let width = |side: &Scalar<'a, 'e>| match side.ty.filter(|ty| !ty.array)?.base {
        ty if ty.is_integer() => Some(0),
        ty if ty.is_decimal() => Some(1),
        ty if ty.is_float() => Some(2),
        _ => None,
    };
    let (Some(first), Some(second)) = (width(left), width(right)) else { return Ok(None) };
    if first >= second {
        return Ok(None);
    }
    null_if_case(cx, *left, *right).map(Some)
}

/// `NULLIF` as a CASE, which has the type of its first argument on every engine.
pub(super) fn null_if_case<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    right: Scalar<'a, 'e>,
) -> Result<Scalar<'a, 'e>> {
    volatile::no_volatile(cx, "NullIf", std::slice::from_ref(&left))?;
    let same = compare::compare(cx, left, CompareOp::Equal, right)?;
    let null = cx.null(left.ty);
    Ok(logic::case_when(cx, &[(same, null)], Some(left), left.ty))
}

/// Arithmetic on two values.
pub(crate) fn arithmetic<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    op: Arith,
    left: Scalar<'a, 'e>,
    right: Scalar<'a, 'e>,
) -> Result<Scalar<'a, 'e>> {
    for side in [&left, &right] {
        if let Some(ty) = side.ty.filter(|ty| ty.array || !ty.base.is_number()) {
            let why = if ty.base.is_date() {
                "dates are reckoned by functions: AddDays, AddMonths, DateDiffDays, ..."
            } else if ty.base.is_text() {
                "texts are joined by a concatenation, numbers in them read by a CAST"
            } else {
                "it takes numbers"
            };
            return Err(Cx::misplaced("arithmetic", why));
        }
    }
    if [&left, &right].iter().all(|side| side.ty.is_none() && cx.is_null(side)) {
        // Of NULLs without a type, an engine cannot tell which operator is meant.
        return Ok(left);
    }
    let whole = is_whole(&left) && is_whole(&right);
    let ty = widest(left.ty, right.ty);
    if op == Arith::Modulo && ty.is_some_and(|ty| ty.base.is_float()) {
        // The nearest doubles to 0.3 and 0.1 leave 0.0999.. or 0, by how an engine computes it.
        let why = "engines compute that of doubles in different ways: cast both sides to decimals first";
        return Err(Cx::misplaced("a remainder", why));
    }
    let (dividend, divisor) = (left, right);
    let (mut left, mut right) = (typed_by(left, &right), typed_by(right, &left));
    if op == Arith::Divide && ty.is_some_and(|ty| ty.base.is_decimal()) {
        left = wide_dividend(cx, left)?;
    }
    let mut nullable = left.nullable || right.nullable;
    if matches!(op, Arith::Divide | Arith::Modulo) && !is_number_but_zero(cx, &right) {
        nullable = true;
        if cx.rule_for(Feature::DivisionByZero)?.is_some()
            || cx.writes && cx.rule_for(Feature::DivisionInWrite)?.is_some()
        {
            let zero = cx.int(0);
            right = call::call(cx, Func::NullIf, &[right, zero], ty)?;
        }
    }
    if ty.is_some_and(|ty| ty.base.is_decimal() && !ty.array) && !cx.target.has(Feature::DecimalDigits) {
        match op {
            Arith::Add | Arith::Subtract => (left, right) = digits::same_scale(cx, left, right)?,
            Arith::Multiply if is_short_product(cx, &left, &right) => {}
            Arith::Divide | Arith::Multiply => _ = cx.rule_for(Feature::DecimalDigits)?,
            Arith::DivideInt | Arith::Modulo => {}
        }
    }
    let scalar = |cx: &Cx<'a, 'e>, op, l, r| Scalar {
        kind: ScalarKind::Binary(op, cx.node([l, r])),
        ty,
        nullable,
        column: None,
        text: None,
    };
    match op {
        Arith::Divide | Arith::DivideInt if whole => {
            if cx.rule_for(Feature::IntegerDivision)?.is_none() {
                return Ok(scalar(cx, Arith::DivideInt, left, right));
            }
            let quotient = scalar(cx, Arith::Divide, left, right);
            call::call(cx, Func::Truncate, &[quotient], ty)
        }
        Arith::Modulo => {
            if cx.rule_for(Feature::Modulo)?.is_some() || !whole && !cx.target.has(Feature::FractionModulo) {
                return call::call(cx, Func::Mod, &[dividend, divisor], ty);
            }
            Ok(scalar(cx, op, left, right))
        }
        _ => Ok(scalar(cx, op, left, right)),
    }
}

/// Whether a product has no more than 6 digits after the point, so that nothing is cut.
fn is_short_product<'a, 'e>(cx: &Cx<'a, 'e>, left: &Scalar<'a, 'e>, right: &Scalar<'a, 'e>) -> bool {
    let scale = |scalar: &Scalar<'a, 'e>| match (scalar.column, cx.kind_of(scalar)) {
        (_, Some(Value::Decimal(n))) => Some(n.scale()),
        (_, Some(Value::Int(_) | Value::UInt(_))) => Some(0),
        (Some(column), _) if column.ty.base.is_decimal() => column.scale,
        _ => match scalar.kind {
            ScalarKind::Cast(from, _) if is_whole(from) => Some(0),
            _ if is_whole(scalar) => Some(0),
            _ => None,
        },
    };
    matches!((scale(left), scale(right)), (Some(l), Some(r)) if l.saturating_add(r) <= 6)
}

/// The dividend of a quotient of decimals, on an engine that gives fewer digits than the others otherwise.
///
/// ```sql
/// -- before             -- after
/// amount / qty          CAST(amount AS DECIMAL(65, 30)) / qty, where four digits more than the dividend's are given
/// amount / qty          CAST(amount AS REAL) / qty, where a whole decimal is stored as a whole number
/// ```
fn wide_dividend<'a, 'e>(cx: &mut Cx<'a, 'e>, dividend: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    let Support::Expand(rule) = cx.target.support(Feature::DecimalDivision) else { return Ok(dividend) };
    let wide = match dividend.kind {
        // A quotient has come through here.
        ScalarKind::Binary(op, _) => op == Arith::Divide,
        ScalarKind::Cast(_, to) => to.base.is_decimal() || rule == Rule::DivisionReal,
        ScalarKind::Param(param) => param.cast && rule == Rule::DivisionWide,
        _ => false,
    };
    if wide {
        return Ok(dividend);
    }
    cx.note(Feature::DecimalDivision, rule);
    if rule == Rule::DivisionReal {
        return Ok(Scalar { ty: dividend.ty, ..cast::cast(cx, dividend, DbValueType::Double.into())? });
    }
    let ty = DbType::from(DbValueType::Decimal);
    Ok(Scalar { kind: ScalarKind::Cast(cx.node(dividend), ty), ty: Some(ty), column: None, ..dividend })
}

pub(super) fn is_number_but_zero<'a, 'e>(cx: &Cx<'a, 'e>, scalar: &Scalar<'a, 'e>) -> bool {
    match scalar.kind {
        ScalarKind::Literal(Literal::Int(n)) => n != 0,
        _ => cx.asks(scalar, |value| match value {
            Value::Int(n) => *n != 0,
            Value::UInt(n) => *n != 0,
            Value::Float(n) => *n != 0.0,
            Value::Decimal(n) => n.mantissa() != 0,
            _ => false,
        }),
    }
}

/// `-value`
pub(crate) fn negative<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Scalar<'a, 'e> {
    Scalar { kind: ScalarKind::Negative(cx.node(value)), column: None, ..value }
}

/// `~value`
pub(crate) fn bit_not<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    match cx.rule_for(Feature::BitNot)? {
        None => Ok(Scalar { kind: ScalarKind::BitNot(cx.node(value)), column: None, ..value }),
        Some(_) => {
            let minus_one = Scalar { ty: value.ty, ..cx.int(-1) };
            arithmetic(cx, Arith::Subtract, minus_one, value)
        }
    }
}

/// The texts one after the other; NULL if any of them is.
pub(crate) fn concat<'a, 'e>(cx: &mut Cx<'a, 'e>, items: &[Scalar<'a, 'e>]) -> Result<Scalar<'a, 'e>> {
    let mut list = cx.vec(items.len());
    for item in items {
        match item.kind {
            ScalarKind::Concat(inner) => list.extend(inner.iter().copied()),
            _ => list.push(*item),
        }
    }
    cast::no_bytes(&list)?;
    for item in &mut list {
        if !is_text(item.ty) {
            *item = cast::as_text(cx, *item)?;
        }
    }
    let items = list.into_bump_slice();
    let ty = Some(DbValueType::String.into());
    let nullable = items.iter().any(|s| s.nullable);
    match items {
        [] => return Ok(cx.literal_text(&"")),
        [one] => return Ok(*one),
        _ => {}
    }
    let whole = Scalar { kind: ScalarKind::Concat(items), ty, nullable, column: None, text: None };
    if !nullable || cx.target.has(Feature::ConcatNull) {
        return Ok(whole);
    }
    cx.note(Feature::ConcatNull, Rule::ConcatNull);
    let mut tests = cx.vec(items.len());
    for item in items {
        null_tests(cx, item, &mut tests);
    }
    let any: Pred<'a, 'e> = logic::any(cx, &tests);
    let null = cx.null(ty);
    Ok(Scalar { nullable: true, ..logic::case_when(cx, &[(any, null)], Some(whole), ty) })
}

/// What has to be asked to know whether a text is NULL, on an engine that takes an empty one for NULL: a function
/// that is NULL where an argument is may come out empty, so its arguments are asked.
///
/// ```sql
/// -- before                        -- after
/// SUBSTR(city, 6) IS NULL          city IS NULL
/// ```
fn null_tests<'a, 'e>(
    cx: &Cx<'a, 'e>,
    scalar: &Scalar<'a, 'e>,
    tests: &mut bumpalo::collections::Vec<'a, Pred<'a, 'e>>,
) {
    if !scalar.nullable {
        return;
    }
    match scalar.kind {
        ScalarKind::Call(call) if call.func.is_some_and(|func| func.signature().null == NullRule::Any) => {
            for arg in call.args {
                null_tests(cx, arg, tests);
            }
        }
        ScalarKind::Cast(inner, _) => null_tests(cx, inner, tests),
        ScalarKind::Column(name) => {
            let same = |p: &Pred<'a, 'e>| matches!(p, Pred::Null(s, false) if matches!(s.kind, ScalarKind::Column(n) if n == name));
            if !tests.iter().any(same) {
                tests.push(compare::is_null_pred(cx, *scalar, false));
            }
        }
        _ => tests.push(compare::is_null_pred(cx, *scalar, false)),
    }
}

fn is_whole(scalar: &Scalar<'_, '_>) -> bool {
    scalar.ty.is_some_and(|ty| ty.base.is_integer() && !ty.array)
}

/// The type of a sum, or of the branches of a CASE: the one that holds the values of both.
pub(crate) fn widest(a: Option<DbType>, b: Option<DbType>) -> Option<DbType> {
    let (Some(x), Some(y)) = (a, b) else { return a.or(b) };
    if x == y || x.array || y.array {
        return Some(x);
    }
    let rank = |ty: DbType| {
        use DbValueType as T;
        match ty.base {
            T::Boolean => 0,
            T::Byte | T::SByte => 1,
            T::Int16 | T::UInt16 => 2,
            T::Int32 | T::UInt32 => 3,
            T::Int64 => 4,
            T::UInt64 => 5,
            T::Decimal | T::Currency | T::VarNumeric => 6,
            T::Single => 7,
            T::Double => 8,
            T::Date => 10,
            T::DateTime => 11,
            T::DateTime2 => 12,
            T::DateTimeOffset => 13,
            _ => 20,
        }
    };
    Some(if rank(x) >= rank(y) { x } else { y })
}
