//! JSON as engines take it: paths, and dates in a text.

use std::fmt::{self, Write as _};

use chrono::NaiveDateTime;

use crate::expr::on_clock;
use crate::render::Micros;

/// How a date and time stands in a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JsonDateTime {
    /// `2024-01-31T10:20:30.500000`
    Iso,
    /// `2024-01-31 10:20:30.500`, with three, six or nine digits behind the seconds, or none where they would be zeros.
    Short,
}

impl JsonDateTime {
    pub(crate) fn write(self, text: &mut String, at: NaiveDateTime) -> fmt::Result {
        match self {
            Self::Iso => write!(text, "\"{}T{}\"", at.date(), Micros(at.time())),
            Self::Short => write!(text, "\"{}\"", on_clock(at)),
        }
    }
}

/// A step of a JSON path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep<'p> {
    /// A member of an object.
    Member(&'p str),
    /// An item of an array.
    Item(u32),
}

impl PathStep<'_> {
    /// The path to what holds the place of a path in that notation: `$."a"` for `$."a"[0]`.
    pub fn parent(path: &str) -> &str {
        let inner = path.get(..path.len().saturating_sub(1)).unwrap_or("");
        let step = if path.ends_with(']') { "[" } else { ".\"" };
        inner.rfind(step).and_then(|at| path.get(..at)).unwrap_or(path)
    }

    /// The name or index of the last step of such a path, and whether it is a member; none if the path has no step.
    pub fn last(path: &str) -> Option<(&str, bool)> {
        let step = path.get(PathStep::parent(path).len()..)?;
        let name = |open, close| step.strip_prefix(open).and_then(|step: &str| step.strip_suffix(close));
        name(".\"", "\"").map(|name| (name, true)).or_else(|| name("[", "]").map(|index| (index, false)))
    }

    /// The path in the notation of the SQL standard: `$."a"."b"[0]`.
    pub fn standard(steps: &[PathStep<'_>]) -> String {
        let mut path = String::from("$");
        for step in steps {
            match step {
                PathStep::Member(name) => {
                    path.push_str(".\"");
                    for c in name.chars() {
                        if matches!(c, '"' | '\\') {
                            path.push('\\');
                        }
                        path.push(c);
                    }
                    path.push('"');
                }
                PathStep::Item(index) => {
                    path.push('[');
                    path.push_str(&index.to_string());
                    path.push(']');
                }
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::PathStep;

    #[test]
    fn the_parent_of_a_path_lacks_its_last_step() {
        for (path, parent) in [
            (r#"$."a""#, "$"),
            (r#"$."a"."b.""#, r#"$."a""#),
            (r#"$."a"[0]"#, r#"$."a""#),
            (r#"$[0]."x[1]""#, "$[0]"),
            ("$", "$"),
        ] {
            assert_eq!(PathStep::parent(path), parent);
        }
    }

    #[test]
    fn the_last_step_of_a_path_is_a_member_or_an_item() {
        assert_eq!(PathStep::last(r#"$."a"."b.""#), Some(("b.", true)));
        assert_eq!(PathStep::last(r#"$."a"[12]"#), Some(("12", false)));
        assert_eq!(PathStep::last("$"), None);
    }
}

/// What a place in a JSON document is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonHolder {
    /// The place has a name.
    Object,
    /// The place has an index.
    Array,
}
