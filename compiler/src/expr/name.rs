//! Names in a tree, which are compared without regard to ASCII case.

use std::fmt;
use std::hash::{Hash, Hasher};

use compact_str::CompactString;

use crate::work;

/// The name of a property, entity, alias, function or fragment.
///
/// Equality and hash ignore ASCII case. A name of up to 24 bytes, and a `'static` one, needs no allocation.
///
/// ```
/// use isogloss_compiler::expr::Name;
/// assert_eq!(Name::from_static("Amount"), Name::new("AMOUNT"));
/// assert_eq!(Name::new("Amount").as_str(), "Amount");
/// ```
#[derive(Clone, Default)]
pub struct Name(Text);

/// A property as a program names it by a constant: by its entity, too.
///
/// A [`Name`] of it remembers the entity, and compiling refuses it where it would be read as a column of another one. Equality
/// and JSON ignore the entity: it serves this check only.
///
/// ```
/// use isogloss_compiler::expr::{ColumnName, Name};
/// static AMOUNT: ColumnName = ColumnName { entity: "Order", name: "Amount" };
/// assert_eq!(Name::of_column(&AMOUNT), Name::new("Amount"));
/// assert_eq!(Name::of_column(&AMOUNT).entity(), Some("Order"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnName {
    /// The name of the entity.
    pub entity: &'static str,
    /// The name of the property.
    pub name: &'static str,
}

/// No larger than a `CompactString`, as trees have many names.
#[derive(Clone)]
enum Text {
    Own(CompactString),
    Column(&'static ColumnName),
}

const _: () = assert!(size_of::<Text>() == size_of::<CompactString>());

impl Default for Text {
    fn default() -> Self {
        Self::Own(CompactString::default())
    }
}

impl Name {
    /// The maximal length of a name that [`Name::check`] accepts, in bytes.
    pub const MAX_LEN: usize = 128;

    /// A name from any text, without checks: resolving finds the name or refuses it.
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(Text::Own(CompactString::new(text)))
    }

    /// Whether it owns nothing on the heap.
    #[inline]
    pub(super) fn is_inline(&self) -> bool {
        match &self.0 {
            Text::Own(text) => !text.is_heap_allocated(),
            Text::Column(_) => true,
        }
    }

    /// A name from a `'static` text, without allocation.
    pub const fn from_static(text: &'static str) -> Self {
        Self(Text::Own(CompactString::const_new(text)))
    }

    /// The name of a property that remembers its entity, without allocation.
    pub const fn of_column(column: &'static ColumnName) -> Self {
        Self(Text::Column(column))
    }

    /// The entity of a property that was named [by its column](Self::of_column).
    #[inline]
    pub fn entity(&self) -> Option<&'static str> {
        self.column().map(|column| column.entity)
    }

    #[inline]
    pub(crate) const fn column(&self) -> Option<&'static ColumnName> {
        match &self.0 {
            Text::Own(_) => None,
            Text::Column(column) => Some(column),
        }
    }

    /// The name as it was written.
    #[inline]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Text::Own(text) => text.as_str(),
            Text::Column(column) => column.name,
        }
    }

    /// Whether the name can be used as an alias: a letter or `_`, followed by letters, digits and `_`, all of them
    /// ASCII, at most [`Name::MAX_LEN`] bytes.
    pub fn is_plain(text: &str) -> bool {
        let plain = |b: &u8| PLAIN.get(usize::from(*b)).is_some_and(|plain| *plain);
        text.len() <= Self::MAX_LEN
            && text.as_bytes().first().is_some_and(|b| !b.is_ascii_digit())
            && text.as_bytes().iter().all(plain)
    }

    /// Checks that a name [is plain](Name::is_plain).
    ///
    /// # Errors
    /// The text itself, if it is not.
    pub fn check(text: &str) -> Result<Self, BadName> {
        if Self::is_plain(text) { Ok(Self::new(text)) } else { Err(BadName(text.chars().take(40).collect())) }
    }
}

/// Which bytes a plain name has.
#[allow(clippy::cast_possible_truncation, clippy::indexing_slicing, reason = "every byte, at compile time")]
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    plain
};

/// The error for a name with other characters than ASCII letters, digits and `_`, or that is too long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "bad name {0:?}: a name has ASCII letters, digits and `_`, does not begin with a digit, and is at most 128 long"
)]
pub struct BadName(pub String);

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        work::count(1);
        self.as_str().eq_ignore_ascii_case(other.as_str())
    }
}

impl Eq for Name {}

impl Hash for Name {
    fn hash<H: Hasher>(&self, state: &mut H) {
        work::count(1);
        // Eight bytes a step, and the rest with its length.
        let (words, rest) = self.as_str().as_bytes().as_chunks::<8>();
        for word in words {
            state.write_u64(u64::from_le_bytes(word.map(|byte| byte.to_ascii_lowercase())));
        }
        let word = |word: u64, byte: &u8| word << 8 | u64::from(byte.to_ascii_lowercase());
        state.write_u64(rest.iter().fold(rest.len() as u64, word));
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.as_str().eq_ignore_ascii_case(other)
    }
}

impl AsRef<str> for Name {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Self {
        Self(Text::Own(CompactString::from(text)))
    }
}

impl From<&Name> for Name {
    fn from(name: &Name) -> Self {
        name.clone()
    }
}
