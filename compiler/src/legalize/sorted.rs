//! What is sorted by another thing than itself.

use crate::dialect::{Feature, Support};
use crate::error::Result;
use crate::expr::{DbType, DbValueType, Value};
use crate::frame::Scalar;
use crate::model::Column;

use super::Cx;

/// The longest text that every engine compares.
const SHORT: u32 = 4_000;

impl<'a, 'e> Cx<'a, 'e> {
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
    pub(crate) fn sorted(&mut self, value: Scalar<'a, 'e>) -> Result<Scalar<'a, 'e>> {
        if self.sorts_itself(&value) || self.rule_for(Feature::GuidOrder)?.is_none() {
            return Ok(value);
        }
        self.cast(value, DbValueType::String.into())
    }

    /// An error if a column of long texts stands in that, on an engine that has them in large objects.
    #[inline]
    pub(crate) fn no_large(&self, what: &str, column: Option<&Column>) -> Result<()> {
        if column.is_some_and(Column::is_large_text) { self.large_in(what) } else { Ok(()) }
    }

    /// The same of a value: a column of long texts, or a text that is long itself.
    #[inline]
    pub(crate) fn no_large_value(&self, what: &str, value: &Scalar<'a, 'e>) -> Result<()> {
        self.no_large(what, value.column)?;
        match self.value_of(value) {
            Some(Value::Text(text)) if text.len() > SHORT as usize => self.large_in(what),
            _ => Ok(()),
        }
    }

    /// The same of the values of a list.
    pub(crate) fn no_large_in(&self, what: &str, values: &[Value], ty: DbType) -> Result<()> {
        let long = |value: &Value| matches!(value, Value::Text(text) if text.len() > SHORT as usize);
        if ty.base.is_text() && !self.target.has(Feature::LargeText) && values.iter().any(long) {
            return self.large_in(what);
        }
        Ok(())
    }

    #[cold]
    fn large_in(&self, what: &str) -> Result<()> {
        match self.target.support(Feature::LargeText) {
            Support::Refuse(reason) => {
                Err(self.target.refused(Feature::LargeText.title(), format!("{reason}; here it is {what}")))
            }
            _ => Ok(()),
        }
    }

    /// Whether a value is sorted by itself.
    #[inline]
    pub(crate) fn sorts_itself(&self, value: &Scalar<'a, 'e>) -> bool {
        value.ty.is_none_or(|ty| ty.base != DbValueType::Guid || ty.array) || self.target.has(Feature::GuidOrder)
    }
}
