//! The notation's tests: canonical texts, long forms, errors with their paths, and random trees.

mod canonical;
mod errors;
mod lenient;
mod random;

use crate::expr::Expr;
use crate::json::{from_str, to_string};

/// The tree of a text that must be one.
pub(super) fn tree(text: &str) -> Expr {
    from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A text that is the canonical form of a tree: it reads as the tree, and the tree writes it, also by serde.
pub(super) fn canonical(text: &str, expected: impl Into<Expr>) {
    let expected = expected.into();
    assert_eq!(to_string(&expected), text);
    assert_eq!(serde_json::to_string(&expected).unwrap(), text);
    assert_eq!(tree(text), expected, "{text}");
    assert_eq!(serde_json::from_str::<Expr>(text).unwrap(), expected, "{text}");
}
