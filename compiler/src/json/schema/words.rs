//! The words of the notation, from the tables that its reader looks them up in.

use serde_json::{Value, json};

use super::closed::{any_case, any_of, one_of, text};
use super::{Grammar, Notations};
use crate::expr::{DbValueType, LogicOperator};
use crate::json::words::{self, Marker, WordRow};

impl Grammar {
    /// What stands under `$` for a kind of node.
    pub(super) fn kind(&self, marker: Marker) -> Value {
        match self.spelling {
            Notations::Canonical => {
                one_of(words::KINDS.iter().filter(|(_, of)| *of == marker).map(|(name, _)| *name).take(1))
            }
            Notations::Read => self.kinds(|found| found == marker),
        }
    }

    /// What stands under `$` for a comparison.
    pub(super) fn comparisons(&self) -> Value {
        match self.spelling {
            Notations::Canonical => one_of(LogicOperator::ALL.into_iter().map(LogicOperator::sign)),
            Notations::Read => self.kinds(|marker| matches!(marker, Marker::Compare(_))),
        }
    }

    /// What stands under `$` for arithmetic.
    pub(super) fn computations(&self) -> Value {
        match self.spelling {
            Notations::Canonical => self.word(words::VALUE_OPERATORS),
            Notations::Read => self.kinds(|marker| matches!(marker, Marker::Compute(_))),
        }
    }

    /// Every text that the reader takes for such a kind.
    fn kinds(&self, is: impl Fn(Marker) -> bool) -> Value {
        let texts = words::kinds().map(str::to_owned).chain(numerals());
        text(&any_case(texts.filter(|text| words::kind(text).is_some_and(&is))))
    }

    /// The comparison that `Operator` names.
    pub(super) fn comparison_by_name(&self) -> Value {
        let numbers = LogicOperator::ALL.map(|operator| operator as u8);
        spelled(words::logic_operators(), &numbers)
    }

    /// The comparison that `Operator` names where it may name an operator on values, too, which goes first.
    pub(super) fn comparison_of_two(&self) -> Value {
        let words = words::logic_operators().map(str::to_owned).chain(numerals());
        let is = |word: &String| {
            words::logic_operator(word).is_some() && words::find(words::VALUE_OPERATORS, word).is_none()
        };
        text(&any_case(words.filter(is)))
    }

    /// A word of a table.
    pub(super) fn word<T: Copy + PartialEq>(&self, table: &[WordRow<T>]) -> Value {
        match self.spelling {
            Notations::Canonical => one_of(spellings(self.spelling, table)),
            Notations::Read => {
                let numbers: Vec<u8> =
                    (0..=u8::MAX).filter(|n| words::find_number(table, (*n).into()).is_some()).collect();
                spelled(table.iter().map(|(name, ..)| *name), &numbers)
            }
        }
    }

    /// The type of a CAST.
    pub(super) fn type_name(&self) -> Value {
        let arrays = DbValueType::ALL.map(|ty| format!("{}[]", ty.name()));
        let names = DbValueType::ALL.iter().map(|ty| ty.name()).chain(arrays.iter().map(String::as_str));
        match self.spelling {
            Notations::Canonical => one_of(names),
            Notations::Read => {
                let numbers = DbValueType::ALL.map(|ty| ty as u8);
                let arrays = numbers.map(|number| number | 128);
                spelled(names, &[numbers, arrays].concat())
            }
        }
    }
}

/// The words of a table: the first of each meaning, or all of them.
pub(super) fn spellings<T: Copy + PartialEq>(spelling: Notations, table: &[WordRow<T>]) -> Vec<&'static str> {
    let is_kept = |(name, _, of): &&WordRow<T>| spelling == Notations::Read || words::spell(table, *of) == *name;
    table.iter().filter(is_kept).map(|(name, ..)| *name).collect()
}

/// Every number that may stand for a word, as text.
fn numerals() -> impl Iterator<Item = String> {
    (0..=u8::MAX).map(|number| number.to_string())
}

/// Words in any case, and numbers, also as texts.
fn spelled<'w>(words: impl Iterator<Item = &'w str>, numbers: &[u8]) -> Value {
    let word = text(&any_case(words.map(str::to_owned).chain(numbers.iter().map(u8::to_string))));
    if numbers.is_empty() { word } else { any_of(vec![word, json!({ "enum": numbers })]) }
}
