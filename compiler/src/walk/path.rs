//! The place of a node: the steps from the root, printed as a JSON path.

use std::borrow::Cow;
use std::fmt;

/// The place of a node in a tree, by the keys of the JSON notation: `$.Where.$and[2].Left`.
///
/// Every error about a tree has one, and shows it in the same way: what is wrong, ` at `, the path, and what may have been
/// meant. Its length is bounded, as a [`Trail`]'s.
///
/// ```
/// use isogloss_compiler::json;
/// let error = json::from_str(r##"{"$":"==","Left":{"#":"Age"},"Wrong":5}"##).unwrap_err();
/// assert_eq!(error.to_string(), r#"unknown key "Wrong" at $"#);
/// assert_eq!(error.path, "$");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(Box<str>);

impl Path {
    /// The path of the root, `$`.
    #[must_use]
    pub fn root() -> Self {
        Self("$".into())
    }

    pub(crate) fn of<S: fmt::Display>(steps: impl ExactSizeIterator<Item = S>) -> Self {
        let mut text = String::new();
        // A `String` takes everything.
        let _ = write_path(&mut text, steps);
        Self(text.into())
    }

    /// The path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl AsRef<str> for Path {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for Path {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Path {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl From<Path> for String {
    fn from(path: Path) -> Self {
        path.0.into()
    }
}

impl From<&Trail<'_>> for Path {
    fn from(trail: &Trail<'_>) -> Self {
        Self::of(trail.0.iter())
    }
}

/// How many steps at either end of a long path are printed.
const ENDS: usize = 24;

fn write_path<S: fmt::Display>(out: &mut impl fmt::Write, steps: impl ExactSizeIterator<Item = S>) -> fmt::Result {
    out.write_char('$')?;
    let skipped = steps.len().saturating_sub(2 * ENDS);
    for (at, step) in steps.enumerate() {
        if skipped == 0 || at < ENDS || at >= ENDS + skipped {
            write!(out, "{step}")?;
        } else if at == ENDS {
            out.write_str(".…")?;
        }
    }
    Ok(())
}

/// A step of a path that has no node at hand: to what is under a key, or to an item of a list.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Hop<'a> {
    Key(Cow<'a, str>),
    Item(usize),
}

impl fmt::Display for Hop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hop::Key(key) => PathKey(key).fmt(f),
            Hop::Item(index) => write!(f, "[{index}]"),
        }
    }
}

/// One step from a node to its child, by the key of the JSON notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The child has the same place in JSON as its parent: a query as a value, a predicate as a value and the reverse.
    Same,
    /// `.Left`
    Key(&'a str),
    /// `.$and[2]`
    Item(&'a str, usize),
    /// `.Sets[2].Amount`
    Entry(&'a str, usize, &'a str),
}

impl<'a> Step<'a> {
    /// The step to the item at that index of the list that this step leads to.
    pub(super) fn item(self, index: usize) -> Step<'a> {
        match self {
            Step::Key(key) => Step::Item(key, index),
            other => other,
        }
    }
}

/// The steps from a root to a node. `Display` formats them as a JSON path: `$.Where.$and[2].Left`.
///
/// The length of the text is bounded, as it is shown in messages about trees of untrusted clients: long keys are
/// shortened, and of a deep path only the ends are shown.
///
/// ```
/// use isogloss_compiler::walk::{Step, Trail};
/// let trail: Trail<'_> = [Step::Key("Where"), Step::Item("$and", 2), Step::Key("Left")].into_iter().collect();
/// assert_eq!(trail.to_string(), "$.Where.$and[2].Left");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trail<'a>(Vec<Step<'a>>);

impl<'a> Trail<'a> {
    /// The steps.
    pub fn steps(&self) -> &[Step<'a>] {
        &self.0
    }

    /// Makes `step` the step number `depth`: what lay behind it is forgotten.
    pub(super) fn enter(&mut self, depth: usize, step: Step<'a>) {
        self.0.truncate(depth);
        self.0.push(step);
    }

    /// Goes back to the node that is `depth` steps below the root's own.
    pub(super) fn leave(&mut self, depth: usize) {
        self.0.truncate(depth.saturating_add(1));
    }
}

impl<'a> FromIterator<Step<'a>> for Trail<'a> {
    fn from_iter<I: IntoIterator<Item = Step<'a>>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_path(f, self.0.iter())
    }
}

impl fmt::Display for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Step::Same => Ok(()),
            Step::Key(key) => PathKey(key).fmt(f),
            Step::Item(key, index) => write!(f, "{}[{index}]", PathKey(key)),
            Step::Entry(key, index, name) => write!(f, "{}[{index}]{}", PathKey(key), PathKey(name)),
        }
    }
}

/// A key in a path: behind a dot, or cut and in quotes if it holds more than letters, digits and the marks of the notation.
struct PathKey<'k>(&'k str);

impl PathKey<'_> {
    /// How many characters of it are printed.
    const MOST: usize = 64;
}

impl fmt::Display for PathKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(key) = self;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'!' | b'#' | b'@');
        if (1..=Self::MOST).contains(&key.len()) && key.bytes().all(is_plain) {
            write!(f, ".{key}")
        } else {
            let cut: String = key.chars().take(Self::MOST).collect();
            write!(f, "[{cut:?}]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_and_long_keys_are_quoted_and_cut() {
        let long = "x".repeat(1000);
        let trail: Trail<'_> = [Step::Key("a\"b"), Step::Key(&long)].into_iter().collect();
        let text = trail.to_string();
        assert!(text.starts_with(r#"$["a\"b"]["xxx"#), "{text}");
        assert!(text.len() < 100);
    }

    #[test]
    fn a_deep_path_prints_its_ends() {
        let trail: Trail<'_> = (0..1_000_000).map(|n| Step::Item("$and", n)).collect();
        let text = trail.to_string();
        assert!(text.starts_with("$.$and[0].$and[1]") && text.ends_with(".$and[999999]") && text.contains(".…."));
        assert!(text.len() < 1000);
    }
}
