//! SQL text as it stands.

use std::borrow::Cow;

/// SQL text that a template takes over as it stands: no brackets, no braces, no parameters.
///
/// It is for what no hole can hold: a keyword, a direction, a name checked against a list. Check a number's range and
/// look a word up in a list of allowed ones before wrapping it; text from outside of the program must never come here.
/// Static text needs no wrapping: write it in the template.
///
/// It is no node of a tree, so a validator of trees never meets it, and no JSON reads as one:
///
/// ```compile_fail,E0277
/// use isogloss_compiler::RawSql;
/// fn reads<'de, T: serde::Deserialize<'de>>() {}
/// reads::<RawSql>();
/// ```
///
/// ```compile_fail,E0277
/// use isogloss_compiler::RawSql;
/// fn writes<T: serde::Serialize>() {}
/// writes::<RawSql>();
/// ```
///
/// ```compile_fail,E0277
/// use isogloss_compiler::{RawSql, expr::Expr};
/// let expr: Expr = RawSql::new("1 = 1").into();
/// ```
///
/// ```
/// use isogloss_compiler::{ExprString, RawSql};
/// let direction = if true { RawSql::new("DESC") } else { RawSql::new("ASC") };
/// let body = ExprString::parse("ORDER BY [T0].[Amount] {direction}")?.bind("direction", direction);
/// # let _ = body;
/// # Ok::<(), isogloss_compiler::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawSql(Cow<'static, str>);

impl RawSql {
    /// Wraps text.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self(text.into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
