//! The digits of decimals, on an engine that gives 38 of them to what is computed and cuts what is left.

use crate::dialect::Feature;
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::{Arith, Body, Call, Items, Literal, Query, Scalar, ScalarKind, Select};
use crate::functions::Func;
use crate::render::Prec;

use super::arithmetic::widest;
use super::{Cx, call};

/// The most digits.
const MOST: u32 = 38;

/// How many digits a number has on each side of the point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digits {
    whole: u32,
    scale: u32,
}

impl Digits {
    const fn of(whole: u32, scale: u32) -> Self {
        Self { whole, scale }
    }

    /// As many as there are of that scale.
    fn all(scale: u32) -> Self {
        Self::of(MOST.saturating_sub(scale), scale)
    }

    /// What the values of a column have in common.
    fn or(self, other: Self) -> Self {
        let whole = self.whole.max(other.whole);
        Self::of(whole, self.scale.max(other.scale).min(MOST.saturating_sub(whole)))
    }

    /// A product or quotient of so many digits: at least 6 of those behind the point are left.
    fn cut(whole: u32, scale: u32) -> Self {
        match MOST.checked_sub(whole) {
            _ if whole + scale <= MOST => Self::of(whole, scale),
            Some(rest @ 6..) => Self::of(whole, scale.min(rest)),
            _ => Self::all(scale.min(6)),
        }
    }
}

/// The sides of a sum of decimals. The engine makes room for the digits before the point first, so that a sum over
/// rows, which has many, would take the digits after it from what is added.
///
/// ```sql
/// -- before                        -- after
/// SUM(price) + AVG(price)          CAST(SUM(price) AS decimal(38, 6)) + AVG(price)
/// ```
pub(super) fn same_scale<'a, 'e>(
    cx: &mut Cx<'a, 'e>,
    left: Scalar<'a, 'e>,
    right: Scalar<'a, 'e>,
) -> Result<(Scalar<'a, 'e>, Scalar<'a, 'e>)> {
    let (Some(l), Some(r)) = (digits(cx, &left), digits(cx, &right)) else {
        cx.rule_for(Feature::DecimalDigits)?;
        return Ok((left, right));
    };
    let scale = l.scale.max(r.scale);
    if l.or(r).scale == scale {
        return Ok((left, right));
    }
    let wide = |cx: &Cx<'a, 'e>, value| -> Result<_> {
        let spelling = call::made_spelling(cx, &cx.target.dialect().wide_decimal(scale))?;
        let args = cx.slice(&[value]);
        let call = Call::spelled(spelling, Prec::Atom, args);
        Ok(Scalar { kind: ScalarKind::Call(cx.node(call)), column: None, ..value })
    };
    Ok(if l.scale < r.scale { (wide(cx, left)?, right) } else { (left, wide(cx, right)?) })
}

/// Notes it if the values of a CASE or of a column of a set operation leave each other too few digits.
pub(crate) fn common_digits<'a, 'e>(cx: &mut Cx<'a, 'e>, values: &[Scalar<'a, 'e>]) -> Result<()> {
    if cx.target.has(Feature::DecimalDigits) {
        return Ok(());
    }
    let decimal = |ty: &DbType| ty.base.is_decimal() && !ty.array;
    if values.iter().fold(None, |ty, value| widest(ty, value.ty)).is_some_and(|ty| decimal(&ty)) {
        let known = || values.iter().filter_map(|value| digits(cx, value));
        let scale = known().map(|digits| digits.scale).max();
        if known().reduce(Digits::or).map(|digits| digits.scale) != scale {
            cx.rule_for(Feature::DecimalDigits)?;
        }
    }
    Ok(())
}

/// Whether a number certainly has no more digits behind its point than these.
pub(super) fn has_scale<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>, most: u8) -> bool {
    digits(cx, value).is_some_and(|digits| digits.scale <= most.into())
}

/// The digits of a number, if they are known.
fn digits<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> Option<Digits> {
    if !cx.may_look(1) {
        return None;
    }
    if let Some(known) = cx.kind_of(value) {
        return match known {
            Value::Int(_) => Some(Digits::of(19, 0)),
            Value::UInt(_) => Some(Digits::of(20, 0)),
            Value::Decimal(n) => {
                let digits = n.mantissa().unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
                let scale = u32::from(n.scale());
                Some(Digits::of(digits.saturating_sub(scale).max(1), scale))
            }
            _ => None,
        };
    }
    match value.kind {
        ScalarKind::Literal(Literal::Int(_)) => return Some(Digits::of(10, 0)),
        ScalarKind::Binary(op, [left, right]) => {
            return computed(op, digits(cx, left)?, digits(cx, right)?);
        }
        ScalarKind::Negative(inner) => return digits(cx, inner),
        ScalarKind::Call(call) => return digits_of_call(cx, call),
        ScalarKind::Window(window) => return digits_of_call(cx, &window.call),
        ScalarKind::Case(case) => {
            let values = case.cases.iter().map(|(_, value)| value).chain(&case.otherwise);
            return common(values.map(|value| digits(cx, value)));
        }
        ScalarKind::Query(Query { body: Body::Select(Select { items: Items::List([item]), .. }), .. })
            if value.column.is_none() =>
        {
            return digits(cx, &item.value);
        }
        ScalarKind::Cast(inner, to) if to.base.is_decimal() => {
            return match inner.ty {
                Some(from) if from.base.is_decimal() || from.base.is_integer() => digits(cx, inner),
                _ => Some(Digits::of(28, 10)),
            };
        }
        _ => {}
    }
    let ty = value.ty.filter(|ty| !ty.array)?;
    match (ty.base, value.column) {
        (DbValueType::Currency, _) => Some(Digits::of(15, 4)),
        (base, Some(column)) if base.is_decimal() => {
            let scale = column.fraction()?;
            let most = column.precision.map_or(MOST, u32::from);
            Some(Digits::of(most.saturating_sub(scale.into()), scale.into()))
        }
        (base, _) => whole(base),
    }
}

fn digits_of_call<'a, 'e>(cx: &Cx<'a, 'e>, call: &Call<'a, 'e>) -> Option<Digits> {
    use Func as F;
    let first = || digits(cx, call.args.first()?);
    match call.func? {
        F::Sum => Some(Digits::all(first()?.scale)),
        F::Avg => Some(Digits::all(first()?.scale.max(6))),
        F::Min | F::Max | F::Abs | F::NullIf | F::Lag | F::Lead | F::FirstValue | F::LastValue => first(),
        F::Round | F::Truncate | F::Ceiling | F::Floor => {
            first().map(|d| Digits::of((d.whole + 1).min(MOST - d.scale), d.scale))
        }
        F::Coalesce | F::Greatest | F::Least => common(call.args.iter().map(|arg| digits(cx, arg))),
        func => match func.signature().result {
            crate::functions::ResultType::Is(ty) => whole(ty),
            _ => None,
        },
    }
}

/// The digits that hold all of the values; none if those of one are not known.
fn common(mut values: impl Iterator<Item = Option<Digits>>) -> Option<Digits> {
    let first = values.next()??;
    values.try_fold(first, |all, digits| Some(all.or(digits?)))
}

/// The digits of what is computed.
fn computed(op: Arith, left: Digits, right: Digits) -> Option<Digits> {
    let precision = |digits: Digits| digits.whole + digits.scale;
    Some(match op {
        Arith::Add | Arith::Subtract => {
            let both = left.or(right);
            Digits::of((both.whole + 1).min(MOST - both.scale), both.scale)
        }
        Arith::Multiply => Digits::cut(left.whole + right.whole + 1, left.scale + right.scale),
        Arith::Divide => Digits::cut(left.whole + right.scale, (left.scale + precision(right) + 1).max(6)),
        Arith::DivideInt | Arith::Modulo => return None,
    })
}

/// The digits of a whole number.
fn whole(base: DbValueType) -> Option<Digits> {
    use DbValueType as T;
    let digits = match base {
        T::Byte | T::SByte => 3,
        T::Int16 | T::UInt16 => 5,
        T::Int32 | T::UInt32 => 10,
        T::Int64 => 19,
        T::UInt64 => 20,
        _ => return None,
    };
    Some(Digits::of(digits, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_has_38_digits() {
        let (sum, average, price) = (Digits::all(2), Digits::all(6), Digits::of(16, 2));
        assert_eq!(sum.or(average), Digits::of(36, 2));
        assert_eq!(computed(Arith::Add, price, price), Some(Digits::of(17, 2)));
        assert_eq!(computed(Arith::Multiply, price, price), Some(Digits::of(33, 4)));
        assert_eq!(computed(Arith::Multiply, sum, average), Some(Digits::of(32, 6)));
        assert_eq!(computed(Arith::Divide, price, price), Some(Digits::of(18, 20)));
    }
}
