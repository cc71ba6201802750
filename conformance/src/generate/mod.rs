//! Random typed trees and rows: what the engines and the [evaluator](crate::evaluator) must agree about.
//!
//! A generator draws from a list of [`Choices`], and takes the simplest alternative where the list says 0 or has ended.
//! So a shorter list, or one of smaller numbers, is a smaller tree of the same rules, and whoever shrinks lists of
//! numbers shrinks trees.
//!
//! What the engines may do differently is not made, so that every difference that is found is a defect:
//!
//! - Arithmetic does not overflow: each number comes with how many bits it may need, and is not computed with further
//!   when it comes near the limit of 32 bits, of a double's 53 where there are digits after the point.
//! - Decimals and doubles are multiples of a quarter, which SQLite's doubles hold exactly. What has other digits (a
//!   quotient, an average, a root) stands in a select list only, never where it is compared.
//! - Letters beyond ASCII have no case, as SQLite folds those of ASCII only.
//! - An order says where NULL goes, and ends with a key.

pub mod catalog;
mod garbage;
mod logic;
mod number;
mod query;
mod region;
mod rows;
mod scalar;
mod scope;
mod write;

pub use garbage::garbage;
pub use query::query;
pub use region::{Region, region};
pub use rows::rows;
pub use scope::Scope;
pub use write::{insert, predicate, write};

/// How many items a list of the trees has at most before it is to be bound as one parameter: a limit for the compiler
/// that makes such lists short enough to be read.
pub const IN_LIST: usize = 4;

/// What a generator draws from.
#[derive(Debug)]
pub struct Choices<'c> {
    list: &'c [u32],
    at: usize,
    aliases: u32,
}

impl<'c> Choices<'c> {
    /// Choices from a list.
    #[must_use]
    pub fn new(list: &'c [u32]) -> Self {
        Self { list, at: 0, aliases: 0 }
    }

    /// A number below `count`; 0 where the list has ended.
    pub fn below(&mut self, count: usize) -> usize {
        let next = self.list.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        usize::try_from(next).unwrap_or(0).checked_rem(count).unwrap_or(0)
    }

    /// Whether something happens that does so in `times` of a hundred cases.
    pub fn chance(&mut self, times: usize) -> bool {
        self.below(100) >= 100 - times.min(100)
    }

    /// A number from `least` to `most`, the least at first.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        let count = usize::try_from(most - least + 1).unwrap_or(1);
        least + i64::try_from(self.below(count)).unwrap_or(0)
    }

    /// One of the items, the first where the list has ended.
    ///
    /// # Panics
    /// Never: an empty list gives the default.
    pub fn pick<T: Clone + Default>(&mut self, items: &[T]) -> T {
        let at = self.below(items.len());
        items.get(at).cloned().unwrap_or_default()
    }

    /// An alias that no other table of the tree has.
    fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("a{}", self.aliases)
    }
}
