//! The data sheet: names, limits, and what an engine has.

use super::{Feature, Quotes, Row};
use crate::legalize::Rule;

/// A version of an engine: major, minor, patch.
pub type Version = (u16, u16, u16);

/// What an engine is called, what it can take, what it has, and how it spells functions.
///
/// That of a variant names what differs from its [base](super::Dialect::base), and takes the rest from it:
///
/// ```
/// use isogloss_compiler::dialect::{Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet, Support};
///
/// static ENGINE: Sheet = Sheet {
///     name: "engine",
///     quotes: Quotes('"', '"'),
///     placeholder: Placeholder::Question,
///     null_order: NullOrder::Least,
///     limits: Limits::NONE,
///     distribution: Distribution::None,
///     native: Feature::ALL,
///     support: &[],
///     functions: &[],
/// };
///
/// static FORK: Sheet = Sheet {
///     name: "fork",
///     native: &[],
///     support: &[(Feature::Lateral, Support::Refuse("the fork has no LATERAL: use a scalar subquery").always())],
///     ..ENGINE
/// };
/// # let _ = &FORK;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sheet {
    /// The dialect's name, as snapshots and errors give it.
    pub name: &'static str,
    /// How identifiers are quoted.
    pub quotes: Quotes,
    /// How parameters stand in the text.
    pub placeholder: Placeholder,
    /// Where NULLs stand in an order that does not say.
    pub null_order: NullOrder,
    /// What it can take.
    pub limits: Limits,
    /// How it distributes the rows of a table over servers.
    pub distribution: Distribution,
    /// The features that it has in every version. Those of a variant are the ones that its base lacks.
    pub native: &'static [Feature],
    /// What else there is to say of a feature. Of several rows for one feature the last whose version fits counts.
    pub support: &'static [(Feature, Since)],
    /// How functions are spelled. Of several rows that fit, the first counts; behind them come those of the base.
    pub functions: &'static [Row],
}

impl Sheet {
    /// The sheet, which says something of each feature in each version: for one without a base.
    ///
    /// # Panics
    /// A feature stands neither among the native ones nor in a row for every version, or in both. In a `static`, that is an error
    /// of Rust's compiler: a new feature does not compile until each sheet says whether its engine has it.
    ///
    /// ```compile_fail,E0080
    /// use isogloss_compiler::dialect::{Distribution, Feature, Limits, NullOrder, Placeholder, Quotes, Sheet};
    ///
    /// static ENGINE: Sheet = Sheet {
    ///     name: "engine",
    ///     quotes: Quotes('"', '"'),
    ///     placeholder: Placeholder::Question,
    ///     null_order: NullOrder::Least,
    ///     limits: Limits::NONE,
    ///     distribution: Distribution::None,
    ///     native: &[Feature::Lateral],
    ///     support: &[],
    ///     functions: &[],
    /// }
    /// .complete();
    /// # let _ = &ENGINE;
    /// ```
    #[allow(clippy::panic, clippy::indexing_slicing, reason = "a sheet is made when Rust compiles")]
    pub const fn complete(self) -> Self {
        let mut index = 0;
        while index < Feature::COUNT {
            let feature = Feature::ALL[index];
            match self.mentions(feature) {
                1 => {}
                0 => panic!("{}", feature.unsaid()),
                _ => panic!("{}", feature.said_twice()),
            }
            index += 1;
        }
        self
    }

    /// How often it says what every version has of a feature.
    #[allow(clippy::indexing_slicing, reason = "a const fn has no other way, and the places are counted")]
    pub(super) const fn mentions(&self, feature: Feature) -> usize {
        let (mut found, mut index) = (0, 0);
        while index < self.native.len() {
            found += (self.native[index] as usize == feature as usize) as usize;
            index += 1;
        }
        index = 0;
        while index < self.support.len() {
            let (of, since) = &self.support[index];
            found += (*of as usize == feature as usize && matches!(since.version, (0, 0, 0))) as usize;
            index += 1;
        }
        found
    }
}

/// Where NULLs stand in an order that does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NullOrder {
    /// Before all values: last if descending.
    Least,
    /// Behind all values: first if descending.
    Greatest,
    /// Last, whatever the direction.
    Last,
}

/// How parameters stand in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placeholder {
    /// `?`
    Question,
    /// A prefix and the parameter's number from 1: `$1`, `@P1`, `:1`.
    Numbered(&'static str),
}

/// How an engine distributes the rows of a table over servers, by the column that the table
/// [declares](crate::model::ColumnDef::distribution_key).
///
/// One that does so needs the column's value in each INSERT, and does not change it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distribution {
    /// It does not, or by a key of its own choice: what a table declares means nothing to it.
    None,
    /// By a statement behind CREATE TABLE, in which `{table}` and `{column}` stand for the names as literals.
    Statement(&'static str),
    /// By what its operator has said outside of SQL.
    Elsewhere,
}

/// What an engine can take at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Parameters of a statement.
    pub parameters: usize,
    /// Rows of a VALUES list, or of the query that stands in its place.
    pub rows_in_values: usize,
    /// Items of an IN list.
    pub in_items: usize,
    /// Members of a set operation.
    pub set_members: usize,
    /// Tables of a FROM, the joined ones among them.
    pub joined_tables: usize,
    /// Arguments of a function.
    pub arguments: usize,
    /// Items of AND, OR or a concatenation side by side: each is one level of the tree that the engine makes of them.
    /// Longer lists are written in groups.
    pub side_by_side: usize,
    /// Length of an identifier.
    pub identifier: usize,
    /// Whether that length counts bytes (true) or characters.
    pub identifier_bytes: bool,
    /// Whether a name may hold the quote that ends it, doubled.
    pub quote_in_name: bool,
    /// Bytes of a regular expression.
    pub regex: usize,
}

impl Limits {
    /// No limits.
    pub const NONE: Limits = Limits {
        parameters: usize::MAX,
        rows_in_values: usize::MAX,
        in_items: usize::MAX,
        set_members: usize::MAX,
        joined_tables: usize::MAX,
        arguments: usize::MAX,
        side_by_side: usize::MAX,
        identifier: usize::MAX,
        identifier_bytes: false,
        quote_in_name: true,
        regex: usize::MAX,
    };

    /// How long an identifier is, in what its limit counts.
    pub fn length_of(&self, name: &str) -> usize {
        if self.identifier_bytes { name.len() } else { name.chars().count() }
    }

    /// Why a name cannot be written in those quotes, if it cannot.
    pub fn no_name(&self, name: &str, quotes: Quotes) -> Option<&'static str> {
        (!self.quote_in_name && name.contains(quotes.1)).then_some("no name holds a quote there")
    }
}

/// Whether an engine has a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// It has.
    Native,
    /// It has not; the rule expresses the same by what it has.
    Expand(Rule),
    /// It has not, and nothing expresses the same: why.
    Refuse(&'static str),
}

/// A support and the version of the engine from which it counts.
#[derive(Debug, Clone, Copy)]
pub struct Since {
    /// The version.
    pub version: Version,
    /// The support.
    pub support: Support,
}

impl Support {
    /// In every version.
    pub const fn always(self) -> Since {
        Since { version: (0, 0, 0), support: self }
    }

    /// From that version on.
    pub const fn since(self, version: Version) -> Since {
        Since { version, support: self }
    }
}
