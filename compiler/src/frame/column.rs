//! Columns as the text has them.

use std::borrow::Cow;

/// A column as the text has it: `"T0"."Name"`, or `"Name"` where nothing qualifies it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct ColumnRef<'a> {
    text: Cow<'a, str>,
    /// How many bytes of the text are the qualifier and its dot.
    qualifier: usize,
}

impl<'a> ColumnRef<'a> {
    /// A name without a qualifier.
    pub(crate) fn bare(name: impl Into<Cow<'a, str>>) -> Self {
        Self { text: name.into(), qualifier: 0 }
    }

    /// A text that begins with a qualifier of so many bytes, behind which is a dot.
    pub(crate) fn behind(qualifier: usize, text: impl Into<Cow<'a, str>>) -> Self {
        Self { text: text.into(), qualifier: qualifier + 1 }
    }

    /// All of it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The quoted name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text.get(self.qualifier..).unwrap_or_default()
    }

    /// The quoted alias or table before it.
    #[must_use]
    pub fn qualifier(&self) -> Option<&str> {
        self.text.get(..self.qualifier.checked_sub(1)?)
    }

    /// Whether it is a column of what has that alias, which is quoted.
    pub(crate) fn is_of(&self, qualifier: &str) -> bool {
        self.qualifier() == Some(qualifier)
    }
}
