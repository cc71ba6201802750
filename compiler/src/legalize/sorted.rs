//! What is sorted by another thing than itself.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::Scalar;
use crate::model::Column;

use super::{Cx, cast};

/// The bytes of the longest text, and of the longest bytes, that every engine compares.
const SHORT_TEXT: usize = 4_000;
const SHORT_BYTES: usize = 2_000;

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

/// An error if a column of long texts or bytes stands in that, on an engine that has them in large objects.
#[inline]
pub(crate) fn no_large(cx: &Cx<'_, '_>, what: &str, column: Option<&Column>) -> Result<()> {
    match column {
        Some(column) if column.is_large_text() => large_in(cx, Feature::LargeText, what),
        Some(column) if column.is_large_binary() => large_in(cx, Feature::LargeBinary, what),
        _ => Ok(()),
    }
}

/// An error if a value is a long text or long bytes, or a column of such, on an engine that has them in large objects.
#[inline]
pub(crate) fn no_large_value<'a, 'e>(cx: &Cx<'a, 'e>, what: &str, value: &Scalar<'a, 'e>) -> Result<()> {
    no_large(cx, what, value.column)?;
    match cx.class_of(value).and_then(large) {
        Some(feature) => large_in(cx, feature, what),
        None => Ok(()),
    }
}

/// An error if one of a list's values is a long text or long bytes, on an engine that has them in large objects.
pub(crate) fn no_large_in(cx: &Cx<'_, '_>, what: &str, values: &[Value], ty: DbType) -> Result<()> {
    let feature = match ty.base {
        DbValueType::Binary => Feature::LargeBinary,
        base if base.is_text() => Feature::LargeText,
        _ => return Ok(()),
    };
    if !cx.target.has(feature) && values.iter().any(|value| large(value) == Some(feature)) {
        return large_in(cx, feature, what);
    }
    Ok(())
}

/// Whether a column's values are sorted and compared: those that an engine has in large objects are not.
pub(crate) fn has_order(cx: &Cx<'_, '_>, column: Option<&Column>) -> bool {
    column.is_none_or(|column| {
        (!column.is_large_text() || cx.target.has(Feature::LargeText))
            && (!column.is_large_binary() || cx.target.has(Feature::LargeBinary))
    })
}

/// What compares a value that is bound as a large object on some engine.
#[inline]
fn large(value: &Value) -> Option<Feature> {
    match value {
        Value::Text(text) if text.len() > SHORT_TEXT => Some(Feature::LargeText),
        Value::Bytes(bytes) if bytes.len() > SHORT_BYTES => Some(Feature::LargeBinary),
        _ => None,
    }
}

#[cold]
fn large_in(cx: &Cx<'_, '_>, feature: Feature, what: &str) -> Result<()> {
    match cx.target.support(feature) {
        Support::Refuse(reason) => Err(cx.target.refused(feature.title(), format!("{reason}; here it is {what}"))),
        _ => Ok(()),
    }
}

/// Whether a value is sorted by itself.
#[inline]
pub(crate) fn sorts_itself<'a, 'e>(cx: &Cx<'a, 'e>, value: &Scalar<'a, 'e>) -> bool {
    value.ty.is_none_or(|ty| ty.base != DbValueType::Guid || ty.array) || cx.target.has(Feature::GuidOrder)
}
