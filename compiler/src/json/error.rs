//! Errors of reading JSON, with their place.

use std::borrow::Cow;

use super::scan::Scanner;
use crate::expr::BadName;
use crate::walk::{Hop, Path};

/// Why a text cannot be read as a tree, and the place in the text.
///
/// ```
/// use isogloss_compiler::json;
/// let error = json::from_str(r##"{"$":"==","Left":{"#":"Age"},"Right":{"!":{"#":"Active"}}}"##).unwrap_err();
/// assert_eq!(error.to_string(), "expected a logic expression, found a property at $.Right.!");
/// assert_eq!(error.path, "$.Right.!");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{kind} at {path}{}", kind.hint())]
pub struct JsonError {
    /// The place of the invalid value.
    pub path: Path,
    /// What is wrong.
    pub kind: JsonErrorKind,
}

/// The kind of a [`JsonError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text is not JSON.
    #[error("{what} (byte {offset})")]
    Syntax {
        /// What was found, or is missing.
        what: &'static str,
        /// The offset from the beginning of the text, in bytes.
        offset: usize,
    },
    /// A node or literal of a kind that is not accepted in this place.
    #[error("expected {expected}, found {found}")]
    WrongNode {
        /// What is accepted.
        expected: &'static str,
        /// What was found.
        found: &'static str,
    },
    /// A key that the node does not have.
    #[error("unknown key {key:?}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The most similar key of the node.
        near: Option<&'static str>,
    },
    /// A marker that no node has.
    #[error("unknown {} {marker:?}", if marker.starts_with('$') { "marker" } else { "operator or kind of node" })]
    UnknownMarker {
        /// The marker: a key with `$`, or the text under the key `$`.
        marker: String,
        /// The most similar marker.
        near: Option<&'static str>,
    },
    /// An object without a marker, which would say what node it is.
    #[error(
        "an object without a marker: no key `$`, `#`, `@`, `!`, `$and`, ... A comparison is written \
         {{\"$\":\"==\",\"Left\":{{\"#\":\"Name\"}},\"Right\":5}}"
    )]
    NoMarker,
    /// A marker as the key of a dictionary.
    #[error("the dictionary key {key:?} looks like a marker: write the dictionary as {{\"$map\":{{..}}}}")]
    ReservedKey {
        /// The key.
        key: String,
    },
    /// The same key twice in one object.
    #[error("duplicate key {key:?}")]
    DuplicateKey {
        /// The key.
        key: String,
    },
    /// A key that the node requires.
    #[error("missing key {key:?}")]
    MissingKey {
        /// The key.
        key: &'static str,
    },
    /// A word that is not accepted in this place: an operator, a kind of join, a type and so on.
    #[error("unknown {what} {word:?}")]
    UnknownWord {
        /// What the word stands for.
        what: &'static str,
        /// The word.
        word: String,
        /// The most similar word.
        near: Option<&'static str>,
    },
    /// A name with characters that names do not have.
    #[error(transparent)]
    BadName(#[from] BadName),
    /// A value that does not fit the type that it is marked with.
    #[error("bad {what}: {why}")]
    BadValue {
        /// The type.
        what: &'static str,
        /// The expected form.
        why: &'static str,
    },
    /// A row of an INSERT with more or fewer values than columns.
    #[error("a row of {found} values for {expected} columns")]
    RowLength {
        /// The number of columns.
        expected: usize,
        /// The number of values.
        found: usize,
    },
    /// Objects and lists that are nested more deeply than the limit.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// More nodes than the limit.
    #[error("more than {limit} nodes")]
    TooManyNodes {
        /// The limit.
        limit: usize,
    },
    /// A longer text than the limit.
    #[error("longer than {limit} bytes")]
    TooManyBytes {
        /// The limit.
        limit: usize,
    },
    /// A list with more items than the limit.
    #[error("a list of more than {limit} items")]
    TooLong {
        /// The limit.
        limit: usize,
    },
}

impl JsonError {
    /// What is wrong, without the path.
    #[must_use]
    pub fn message(&self) -> String {
        format!("{}{}", self.kind, self.kind.hint())
    }
}

impl JsonErrorKind {
    fn hint(&self) -> String {
        match self {
            Self::UnknownKey { near: Some(near), .. }
            | Self::UnknownMarker { near: Some(near), .. }
            | Self::UnknownWord { near: Some(near), .. } => match near.starts_with('{') {
                // A whole form has quotes of its own.
                true => format!(" (did you mean `{near}`?)"),
                false => format!(" (did you mean {near:?}?)"),
            },
            _ => String::new(),
        }
    }
}

/// An error in progress. Its path is built once, at the end.
#[derive(Debug)]
pub struct Fault {
    pub(super) at: usize,
    pub(super) kind: JsonErrorKind,
}

/// Boxed, so that a result is as small as the node in it.
pub(super) type Result<T, E = Box<Fault>> = std::result::Result<T, E>;

impl Fault {
    #[cold]
    pub(super) fn new(at: usize, kind: impl Into<JsonErrorKind>) -> Box<Self> {
        Box::new(Self { at, kind: kind.into() })
    }

    #[cold]
    pub(super) fn syntax(offset: usize, what: &'static str) -> Box<Self> {
        Self::new(offset, JsonErrorKind::Syntax { what, offset })
    }

    #[cold]
    pub(super) fn wrong(at: usize, expected: &'static str, found: &'static str) -> Box<Self> {
        Self::new(at, JsonErrorKind::WrongNode { expected, found })
    }

    #[cold]
    pub(super) fn bad_value(at: usize, what: &'static str, why: &'static str) -> Box<Self> {
        Self::new(at, JsonErrorKind::BadValue { what, why })
    }

    #[cold]
    pub(super) fn into_error(self, text: &str) -> JsonError {
        JsonError { path: path_to(text, self.at), kind: self.kind }
    }
}

enum JsonStep<'a> {
    /// In an object, after the colon of that key; `None` where a key is due.
    Key(Option<Cow<'a, str>>),
    /// In a list, at that item.
    Item(usize),
}

/// The JSON path of the value that begins at `at`, or that `at` lies in. Everything before `at` has been read already.
fn path_to(text: &str, at: usize) -> Path {
    let mut scanner = Scanner { text, at: 0 };
    let mut steps = Vec::new();
    let mut last = Cow::default();
    while scanner.at < at
        && let Some(byte) = scanner.byte()
    {
        match (byte, steps.last_mut()) {
            (b'"', _) => match scanner.string() {
                Ok(string) => {
                    last = string;
                    continue;
                }
                Err(_) => break,
            },
            (b'{', _) => steps.push(JsonStep::Key(None)),
            (b'[', _) => steps.push(JsonStep::Item(0)),
            (b'}' | b']', _) => {
                steps.pop();
            }
            (b':', Some(JsonStep::Key(key))) => *key = Some(std::mem::take(&mut last)),
            (b',', Some(JsonStep::Key(key))) => *key = None,
            (b',', Some(JsonStep::Item(item))) => *item += 1,
            _ => {}
        }
        scanner.at += 1;
    }
    let hops = steps.into_iter().filter_map(|step| match step {
        JsonStep::Key(key) => key.map(Hop::Key),
        JsonStep::Item(item) => Some(Hop::Item(item)),
    });
    Path::of(hops.collect::<Vec<_>>().into_iter())
}

/// A foreign text for a message: not all of it.
#[cold]
pub(super) fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}

/// What the operators and functions of other notations are here.
#[cold]
pub(super) fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "eq" | "=" | "$eq" => "==",
        "ne" | "neq" | "<>" | "$ne" => "!=",
        "gt" | "$gt" => ">",
        "lt" | "$lt" => "<",
        "ge" | "gte" | "$gte" => ">=",
        "le" | "lte" | "$lte" => "<=",
        "nin" | "not in" | "$nin" => "notin",
        "$func" | "$function" => r#"{"$":"func","Length":[..]}"#,
        _ => return None,
    })
}

/// The candidate that is most like the word, if one is alike at all.
#[cold]
pub(super) fn nearest(word: &str, candidates: impl IntoIterator<Item = &'static str>) -> Option<&'static str> {
    if word.len() > 64 {
        return None;
    }
    let (given, word): (&str, Vec<char>) = (word, word.to_lowercase().chars().collect());
    candidates
        .into_iter()
        .filter(|candidate| *candidate != given)
        .map(|candidate| (edits(&word, &candidate.to_lowercase()), candidate))
        .filter(|(edits, candidate)| *edits <= 1 + candidate.len() / 4 && *edits < candidate.len())
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be put in, left out, changed or swapped with their neighbour (Damerau, restricted).
fn edits(a: &[char], b: &str) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=a.len()).collect();
    let mut left_of = None;
    for (row, b) in b.chars().enumerate() {
        let mut line = vec![row + 1];
        for (column, a_here) in a.iter().enumerate() {
            let get = |line: &[usize], at: usize| line.get(at).copied().unwrap_or(usize::MAX - 1);
            let mut cost = (get(&above, column) + usize::from(*a_here != b))
                .min(get(&above, column + 1) + 1)
                .min(get(&line, column) + 1);
            let swapped = column > 0 && left_of == Some(*a_here) && a.get(column - 1) == Some(&b);
            if swapped {
                cost = cost.min(get(&before, column - 1) + 1);
            }
            line.push(cost);
        }
        left_of = Some(b);
        before = std::mem::replace(&mut above, line);
    }
    above.last().copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_to_the_place() {
        let text = r#"{"a":[1,{"b c":{"d":2,"e":3}}],"f":4}"#;
        for (mark, path) in [
            ("1,", "$.a[0]"),
            ("2,", r#"$.a[1]["b c"].d"#),
            ("\"e\"", r#"$.a[1]["b c"]"#),
            ("3}", r#"$.a[1]["b c"].e"#),
            ("4}", "$.f"),
            ("{\"a", "$"),
        ] {
            assert_eq!(path_to(text, text.find(mark).unwrap()), path, "{mark}");
        }
    }

    /// A refused text and a refused tree tell a place alike.
    #[test]
    fn a_key_reads_as_in_the_path_of_a_node() {
        use crate::walk::{Step, Trail};
        let long = "x".repeat(100);
        let keys = [
            "Left", "$and", "#", "@", "!", "", "b c", "a-b", "a\"b", "a\\b", "a.b", "a[0]", "\n", "\u{7f}é", "==",
            &long,
        ];
        for key in keys {
            let text = format!("{{{}:7}}", serde_json::to_string(key).unwrap());
            let trail: Trail<'_> = [Step::Key(key)].into_iter().collect();
            assert_eq!(path_to(&text, text.find('7').unwrap()), Path::from(&trail), "{text}");
        }
        // However it is written.
        assert_eq!(path_to(r#"{"\u0061-\/":7}"#, 13), r#"$["a-/"]"#);
    }

    #[test]
    fn the_nearest_name_is_found() {
        let names = ["Left", "Right", "IsAggregate", "$and"];
        assert_eq!(nearest("left", names), Some("Left"));
        assert_eq!(nearest("Rihgt", names), Some("Right"));
        assert_eq!(nearest("isagregate", names), Some("IsAggregate"));
        assert_eq!(nearest("$adn", names), Some("$and"));
        assert_eq!(nearest("Elephant", names), None);
    }
}
