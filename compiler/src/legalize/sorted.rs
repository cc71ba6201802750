//! What is sorted by another thing than itself.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::Scalar;
use crate::model::Column;

use super::{Cx, cast};

/// The longest text that every engine compares.
const SHORT: u32 = 4_000;

/// What a value is sorted by, and compared with `<` and its kin: a UUID by its text, on an engine that looks at its
/// bytes in another order.
///
/// ```sql
/// -- before          -- after
/// "Token" > $1       LOWER(CAST("Token" AS nvarchar(36))) > $1
/// ```
///
/// Exact: all texts have the same length and their signs at the same places.
#[inline]
pub(crate) fn sorted<'a, 'e>(cx: &mut Cx<'a, 'e>, value: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
    if sorts_itself(cx, &value) || cx.rule_for(Feature::GuidOrder)?.is_none() {
        return Ok(value);
    }
    cast::cast(cx, value, DbValueType::String.into())
}

/// An error if a column of long texts stands in that, on an engine that has them in large objects.
#[inline]
pub(crate) fn no_large(cx: &Cx<'_, '_>, what: &str, column: Option<&Column>) -> Result<()> {
    if column.is_some_and(Column::is_large_text) { large_in(cx, what) } else { Ok(()) }
}

/// An error if a value is a long text, or a column of such, on an engine that has them in large objects.
#[inline]
pub(crate) fn no_large_value<'a, 'e>(cx: &Cx<'a, 'e>, what: &str, value: &Scalar<'a, 'e>) -> Result<()> {
    no_large(cx, what, value.column)?;
    match cx.class_of(value) {
        Some(Value::Text(text)) if text.len() > SHORT as usize => large_in(cx, what),
        _ => Ok(()),
    }
}

/// An error if one of a list's values is a long text, on an engine that has them in large objects.
pub(crate) fn no_large_in(cx: &Cx<'_, '_>, what: &str, values: &[Value], ty: DbType) -> Result<()> {
    let long = |value: &Value| matches!(value, Value::Text(text) if text.len() > SHORT as usize);
    if ty.base.is_text() && !cx.target.has(Feature::LargeText) && values.iter().any(long) {
        return large_in(cx, what);
    }
    Ok(())
}

#[cold]
fn large_in(cx: &Cx<'_, '_>, what: &str) -> Result<()> {
    match cx.target.support(Feature::LargeText) {
        Support::Refuse(reason) => {
            Err(cx.target.refused(Feature::LargeText.title(), format!("{reason}; here it is {what}")))
        }
        _ => Ok(()),
    }
}

/// Whether a value is sorted by itself.
#[inline]
pub(crate) fn sorts_itself<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    value.ty.is_none_or(|ty| ty.base != DbValueType::Guid || ty.array) || cx.target.has(Feature::GuidOrder)
}
