//! What texts are compared by, and what is known of a column's collation.

use std::fmt;
use std::str::FromStr;

use compact_str::CompactString;

/// What texts are compared, sorted and grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TextMode {
    /// The engine's collations: `'a' = 'A'` is true on one database and false on another.
    #[default]
    Database,
    /// Code points, on every engine: two texts are alike if every character of them is the same, blanks at the end among
    /// them.
    Exact,
}

impl TextMode {
    /// The word for it: `database` or `exact`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TextMode::Database => "database",
            TextMode::Exact => "exact",
        }
    }
}

impl fmt::Display for TextMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for TextMode {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = [TextMode::Database, TextMode::Exact];
        let found = known.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(word));
        found.ok_or_else(|| format!("`{word}` is no mode of texts: they are `database` or `exact`"))
    }
}

/// What the engine's catalog says of a column of texts.
///
/// What a collation does with control characters is not looked at: one that ignores or reorders those only counts as one
/// by code points.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Collation {
    /// Its name, as the engine writes it behind COLLATE.
    pub name: CompactString,
    /// Whether texts are equal to it only if every character of them is the same, blanks at the end among them.
    pub equal: bool,
    /// Whether it sorts by code points.
    pub order: bool,
    /// The character set of the column, if that lacks characters.
    pub charset: Option<CompactString>,
}

impl Collation {
    /// A collation by code points.
    pub fn exact(name: impl Into<CompactString>) -> Self {
        Self { name: name.into(), equal: true, order: true, charset: None }
    }

    /// A collation that tells all texts apart, and sorts them otherwise than by code points.
    pub fn sorted(name: impl Into<CompactString>) -> Self {
        Self { order: false, ..Self::exact(name) }
    }

    /// A collation that takes some texts for equal that are not the same.
    pub fn loose(name: impl Into<CompactString>) -> Self {
        Self { equal: false, ..Self::sorted(name) }
    }

    /// For a column whose character set lacks characters.
    #[must_use]
    pub fn charset(self, charset: impl Into<CompactString>) -> Self {
        Self { charset: Some(charset.into()), ..self }
    }

    /// Whether it compares and sorts by code points.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.equal && self.order
    }
}

/// What the engine's catalog says of the collation of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnCollation {
    /// The schema or database of the table; none for the one in which a name without a schema is found.
    pub schema: Option<CompactString>,
    /// The table.
    pub table: CompactString,
    /// The column.
    pub column: CompactString,
    /// Its collation.
    pub collation: Collation,
}

impl ColumnCollation {
    /// The collation of a column of a table.
    pub fn new(
        schema: Option<CompactString>,
        table: impl Into<CompactString>,
        column: impl Into<CompactString>,
        collation: Collation,
    ) -> Self {
        Self { schema, table: table.into(), column: column.into(), collation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_by_its_word() {
        assert_eq!("Exact".parse(), Ok(TextMode::Exact));
        assert_eq!("database".parse(), Ok(TextMode::Database));
        assert!("binary".parse::<TextMode>().is_err_and(|error| error.contains("`exact`")));
        assert_eq!(TextMode::Exact.to_string(), "exact");
    }

    #[test]
    fn a_collation_may_tell_texts_apart_and_sort_them_otherwise() {
        assert!(Collation::exact("C").is_exact());
        assert!(Collation::sorted("en_US").equal && !Collation::sorted("en_US").is_exact());
        assert!(!Collation::loose("latin1_swedish_ci").charset("latin1").equal);
    }
}
