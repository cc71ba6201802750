//! Where a node sits: the steps from the root, printed as a JSON path.

use std::fmt;

/// One step from a node to its child, by the key of the wire notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step<'a> {
    /// The child stands for its parent on the wire: a query as a value, a predicate as a value and the reverse.
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

/// The steps from a root to a node. Displays as a JSON path: `$.Where.$and[2].Left`.
///
/// What a path prints is bounded, as it ends up in messages about trees from strangers: long keys are cut, and of a
/// deep path only the ends are printed.
///
/// ```
/// use isogloss_compiler::walk::{Step, Trail};
/// let trail: Trail<'_> = [Step::Key("Where"), Step::Item("$and", 2), Step::Key("Left")].into_iter().collect();
/// assert_eq!(trail.to_string(), "$.Where.$and[2].Left");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trail<'a>(Vec<Step<'a>>);

impl<'a> Trail<'a> {
    /// How many steps at either end of a long path are printed.
    const ENDS: usize = 24;

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
        f.write_str("$")?;
        let skipped = self.0.len().saturating_sub(2 * Self::ENDS);
        for (at, step) in self.0.iter().enumerate() {
            if skipped > 0 && at >= Self::ENDS && at < Self::ENDS + skipped {
                if at == Self::ENDS {
                    f.write_str(".…")?;
                }
                continue;
            }
            match *step {
                Step::Same => {}
                Step::Key(key) => write!(f, "{}", Key(key))?,
                Step::Item(key, index) => write!(f, "{}[{index}]", Key(key))?,
                Step::Entry(key, index, name) => write!(f, "{}[{index}]{}", Key(key), Key(name))?,
            }
        }
        Ok(())
    }
}

/// A key in a path: behind a dot, or cut and in quotes if it holds more than letters, digits and the marks of the notation.
pub(crate) struct Key<'k>(pub(crate) &'k str);

impl Key<'_> {
    /// How many characters of it are printed.
    const MOST: usize = 64;
}

impl fmt::Display for Key<'_> {
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
