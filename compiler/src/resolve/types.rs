//! What fits what: an engine would refuse the rest, or convert it in a way of its own.

use crate::error::{ErrorKind, Result};
use crate::expr::DbType;
use crate::frame::{Scalar, ScalarKind};
use crate::functions::{ArgKind, Func, Signature};

/// The types between which every engine compares and converts alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Number,
    Text,
    Truth,
    Date,
    Time,
    Guid,
    Binary,
    Json,
}

/// The family of a type; none of one that is not known, of an array, and of what only one engine has.
#[inline]
fn family(ty: Option<DbType>) -> Option<Family> {
    use crate::expr::DbValueType as T;
    let ty = ty.filter(|ty| !ty.array)?.base;
    Some(match ty {
        T::Boolean => Family::Truth,
        T::Time => Family::Time,
        T::Guid => Family::Guid,
        T::Binary => Family::Binary,
        T::Json | T::Jsonb => Family::Json,
        _ if ty.is_number() => Family::Number,
        _ if ty.is_text() => Family::Text,
        _ if ty.is_date() => Family::Date,
        _ => return None,
    })
}

/// Two values that are compared.
#[inline]
pub(super) fn comparable(left: &Scalar<'_, '_>, right: &Scalar<'_, '_>) -> Result<()> {
    if let (ScalarKind::Row(left), ScalarKind::Row(right)) = (left.kind, right.kind) {
        return left.iter().zip(right).try_for_each(|(left, right)| comparable(left, right));
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

/// A computed argument, or a column, in the place of one. In the place of text it becomes text.
pub(super) fn argument(signature: &Signature, kind: ArgKind, given: Option<DbType>) -> Result<()> {
    let (Some(family), Some(ty)) = (family(given), given) else { return Ok(()) };
    let wanted = match kind {
        ArgKind::Number | ArgKind::Int if family != Family::Number => "a number",
        ArgKind::Date if family != Family::Date => "a date, or a date and time",
        ArgKind::Moment if !matches!(family, Family::Date | Family::Time) => "a date, a time or both",
        ArgKind::Bool if family != Family::Truth => "a truth value",
        ArgKind::Json if !matches!(family, Family::Json | Family::Text) => "JSON, or text that holds it",
        _ => return Ok(()),
    };
    let what = format!("a value of {} in function `{}`, which takes {wanted},", ty.base.name(), signature.name);
    Err(ErrorKind::Misplaced { what, why: "the engines convert it each in its own way: CAST it" }.into())
}

/// The arguments of a function that gives one of them, or compares them.
pub(super) fn arguments(func: Func, args: &[Scalar<'_, '_>]) -> Result<()> {
    let name = func.signature().name;
    match func {
        Func::Coalesce | Func::NullIf | Func::Greatest | Func::Least => alike(args.iter().map(|arg| arg.ty), name),
        // The offset stands between the value and its default.
        Func::Lag | Func::Lead => alike(args.iter().step_by(2).map(|arg| arg.ty), name),
        _ => Ok(()),
    }
}

/// A value that is used as a predicate.
pub(super) fn truth(value: &Scalar<'_, '_>) -> Result<()> {
    match (family(value.ty), value.ty) {
        (Some(family), Some(ty)) if family != Family::Truth => {
            let what = format!("a value of {} as a predicate", ty.base.name());
            Err(ErrorKind::Misplaced { what, why: "only a truth value is one: compare it with something" }.into())
        }
        _ => Ok(()),
    }
}
