//! What fits what: an engine would refuse the rest, or convert it in a way of its own.

use crate::error::{ErrorKind, Result};
use crate::expr::{DbType, DbValueType, Family};
use crate::frame::{Scalar, ScalarKind};
use crate::functions::{ArgKind, Func, Signature};
use crate::model::Column;

/// All numbers: every engine compares and converts those alike.
const NUMBER: Family = Family::Decimal;

/// All that has a date.
const DATED: Family = Family::Date;

/// The family of a type, where numbers are one and dates another; none of a type that is not known, of an array, and of what
/// only one engine has.
#[inline]
fn family(ty: Option<DbType>) -> Option<Family> {
    match ty?.family()? {
        Family::Integer | Family::Float => Some(NUMBER),
        Family::DateTime | Family::DateTimeOffset => Some(DATED),
        Family::Other => None,
        family => Some(family),
    }
}

/// Two values that are compared.
#[inline]
pub(super) fn comparable(left: &Scalar<'_, '_>, right: &Scalar<'_, '_>) -> Result<()> {
    match (left.kind, right.kind) {
        (ScalarKind::Row(left), ScalarKind::Row(right)) if left.len() == right.len() => {
            return left.iter().zip(right).try_for_each(|(left, right)| comparable(left, right));
        }
        (ScalarKind::Row(_), _) | (_, ScalarKind::Row(_)) => {
            let why = "it is compared with a row of as many values, and with nothing else";
            return Err(ErrorKind::Misplaced { what: "a row of values".into(), why }.into());
        }
        _ => {}
    }
    let xml = |side: &Scalar<'_, '_>| side.ty.is_some_and(|ty| ty.base == crate::expr::DbValueType::Xml);
    if xml(left) || xml(right) {
        let why = "engines do not compare documents: CAST it to text";
        return Err(ErrorKind::Misplaced { what: "a comparison of XML".into(), why }.into());
    }
    together(left.ty, right.ty, "a comparison", "the engines convert one to the other each in its own way: CAST one")
}

/// The values of a CASE or of a function that gives one of its arguments.
pub(super) fn alike(types: impl Iterator<Item = Option<DbType>>, what: &str) -> Result<()> {
    let mut first = None;
    for ty in types.filter(|ty| family(*ty).is_some()) {
        match first {
            None => first = ty,
            Some(_) => together(first, ty, what, "its values have one type: CAST those that differ")?,
        }
    }
    Ok(())
}

/// The columns of two members of a set operation that stand in one place.
pub(super) fn one_type(left: Option<DbType>, right: Option<DbType>) -> Result<()> {
    together(left, right, "a column of a set operation", "it has one type in all members: CAST those that differ")
}

#[inline]
fn together(left: Option<DbType>, right: Option<DbType>, what: &str, why: &'static str) -> Result<()> {
    match (family(left), family(right), left, right) {
        (Some(a), Some(b), Some(left), Some(right)) if a != b => {
            let what = format!("{what} of {} and {}", left.base.name(), right.base.name());
            Err(ErrorKind::Misplaced { what, why }.into())
        }
        _ => Ok(()),
    }
}

/// A computed value that a column takes, as far as a CAST to the column's type means the same everywhere.
pub(super) fn assignable(given: Option<DbType>, column: &Column) -> Result<()> {
    let Some(given) = given.filter(|given| *given != column.ty) else { return Ok(()) };
    let (from, to) = (family(Some(given)), family(Some(column.ty)));
    let why = match (from, to) {
        _ if given.array != column.ty.array => "an array is no single value: take an item, or give it an array",
        (Some(from), Some(to)) if column.enum_values.is_some() && from != to => {
            "it holds the members of an enumeration: choose one of them by CASE"
        }
        (Some(from), Some(to)) if !convertible(from, to) => NO_CAST,
        (Some(_), Some(Family::Time)) if given.base == DbValueType::Date => NO_CAST,
        _ => return Ok(()),
    };
    let name = |ty: DbType| if ty.array { format!("{} array", ty.base.name()) } else { ty.base.name().to_owned() };
    let (property, ty, given) = (column.name.to_string(), name(column.ty), name(given));
    Err(ErrorKind::BadAssignment { property, ty, given, why }.into())
}

const NO_CAST: &str = "no CAST between the two means the same on every engine: compute a value of the property's type";

/// Whether there is a CAST that means the same on every engine, or one that says why there is none.
fn convertible(from: Family, to: Family) -> bool {
    use Family as F;
    from == to
        || from == F::Text
        || to == F::Text
        || matches!((from, to), (NUMBER, F::Boolean) | (F::Boolean, NUMBER) | (DATED, F::Time))
}

/// A computed argument, or a column, in the place of one. In the place of text it becomes text.
pub(super) fn argument(signature: &Signature, kind: ArgKind, given: Option<DbType>) -> Result<()> {
    let (Some(family), Some(ty)) = (family(given), given) else { return Ok(()) };
    let wanted = match kind {
        ArgKind::Number | ArgKind::Int if family != NUMBER => "a number",
        ArgKind::Date if family != DATED => "a date, or a date and time",
        ArgKind::Moment if !matches!(family, DATED | Family::Time) => "a date, a time or both",
        ArgKind::Bool if family != Family::Boolean => "a truth value",
        ArgKind::Text if ty.base == crate::expr::DbValueType::Xml => "text",
        ArgKind::Json if !matches!(family, Family::Json | Family::Text) => "JSON, or text that holds it",
        _ => return Ok(()),
    };
    Err(wrong_argument(signature.name, ty, wanted))
}

fn wrong_argument(name: &str, ty: DbType, wanted: &str) -> crate::Error {
    let what = format!("a value of {} in function `{name}`, which takes {wanted},", ty.base.name());
    ErrorKind::Misplaced { what, why: "the engines convert it each in its own way: CAST it" }.into()
}

/// A value that a CAST turns into another type: where one engine does, and another refuses or makes something else of
/// it, none is asked.
pub(super) fn castable(value: &Scalar<'_, '_>, to: DbType) -> Result<()> {
    use crate::expr::DbValueType as T;
    let Some(into) = family(Some(to)) else {
        if to.array {
            return Ok(());
        }
        let what = format!("a CAST to {}", to.base.name());
        return Err(ErrorKind::Misplaced { what, why: "not every engine has values of that type" }.into());
    };
    let (Some(from), Some(ty)) = (family(value.ty), value.ty) else { return Ok(()) };
    let fits = match (from, into) {
        (DATED, Family::Time) => ty.base.is_date_and_time(),
        (NUMBER, Family::Boolean) | (Family::Boolean, NUMBER) => true,
        _ if ty.base == T::Xml || to.base == T::Xml => from == Family::Text && into == Family::Text,
        _ => from == into || from == Family::Text || into == Family::Text,
    };
    if fits {
        return Ok(());
    }
    let what = format!("a CAST of {} to {}", ty.base.name(), to.base.name());
    Err(ErrorKind::Misplaced { what, why: "not every engine has one: use a function that says what is meant" }.into())
}

/// Whether a value of that type is a whole number of at most 64 bits, one of them for the sign.
fn has_bits(ty: DbType) -> bool {
    ty.base.is_integer() && ty.base != crate::expr::DbValueType::UInt64
}

/// The operand of a sign, or of a bitwise NOT, which is of whole numbers.
pub(super) fn signed(value: &Scalar<'_, '_>, bits: bool) -> Result<()> {
    let fits = |ty: DbType| !ty.array && if bits { has_bits(ty) } else { ty.base.is_number() };
    if matches!(value.kind, ScalarKind::Row(_)) || value.ty.is_some_and(|ty| !fits(ty)) {
        let (what, why) = if bits {
            let why = "it takes a whole number; a truth value is negated as a predicate: `!prop(\"Paid\").is_true()`";
            ("a bitwise NOT", why)
        } else {
            ("a sign", "it takes a number: CAST a text to one")
        };
        return Err(ErrorKind::Misplaced { what: what.into(), why }.into());
    }
    Ok(())
}

/// The type of a NULL that has none, in the place of an argument: without one, an engine cannot tell which of its
/// functions is meant.
pub(super) fn of_null(kind: ArgKind) -> Option<DbType> {
    use crate::expr::DbValueType as T;
    match kind {
        ArgKind::Number | ArgKind::Int => Some(T::Int32.into()),
        ArgKind::Date | ArgKind::Moment => Some(T::DateTime2.into()),
        _ => None,
    }
}

/// The arguments of a function that gives one of them, or compares them.
pub(super) fn arguments(func: Func, args: &[Scalar<'_, '_>]) -> Result<()> {
    let name = func.signature().name;
    match func {
        Func::Coalesce | Func::NullIf | Func::Greatest | Func::Least => alike(args.iter().map(|arg| arg.ty), name),
        Func::BitAnd | Func::BitOr | Func::BitXor | Func::ShiftLeft | Func::ShiftRight => {
            let broken = |ty: &DbType| !ty.array && ty.base.is_number() && !has_bits(*ty);
            match args.iter().filter_map(|arg| arg.ty).find(broken) {
                Some(ty) => Err(wrong_argument(name, ty, "whole numbers")),
                None => Ok(()),
            }
        }
        // The offset stands between the value and its default.
        Func::Lag | Func::Lead => alike(args.iter().step_by(2).map(|arg| arg.ty), name),
        _ => Ok(()),
    }
}

/// A value that is used as a predicate.
pub(super) fn truth(value: &Scalar<'_, '_>) -> Result<()> {
    match (family(value.ty), value.ty) {
        (Some(family), Some(ty)) if family != Family::Boolean => {
            let what = format!("a value of {} as a predicate", ty.base.name());
            Err(ErrorKind::Misplaced { what, why: "only a truth value is one: compare it with something" }.into())
        }
        _ => Ok(()),
    }
}
