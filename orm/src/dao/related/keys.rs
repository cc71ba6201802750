//! The keys that rows are asked by, and which key a row belongs to.
//!
//! The database decides which rows a key has, by its collations. A row is brought back to its key by its own value, which may
//! be another text than the key: `'ABC '` where `'abc'` was asked for. Texts are folded for that, and two keys that
//! are alike when folded never stand in one query, so that a row belongs to the one key of its query that it is alike to. What
//! a collation takes for one beyond that is an error, and never a row less.

use std::collections::HashMap;

use isogloss_compiler::expr::Value;

/// The keys of some rows.
pub(super) struct Asked {
    /// Each key once.
    pub(super) keys: Vec<Vec<Value>>,
    /// The number of each row's key. A key with a NULL in it is none.
    pub(super) of_rows: Vec<Option<usize>>,
}

impl Asked {
    pub(super) fn new(rows: Vec<Vec<Value>>) -> Self {
        let mut known: HashMap<Vec<Value>, usize> = HashMap::with_capacity(rows.len());
        let mut keys: Vec<Vec<Value>> = Vec::new();
        let mut number = |key: Vec<Value>| {
            if key.iter().any(Value::is_null) {
                return None;
            }
            Some(*known.entry(key).or_insert_with_key(|key| {
                keys.push(key.clone());
                keys.len() - 1
            }))
        };
        let of_rows = rows.into_iter().map(&mut number).collect();
        Self { keys, of_rows }
    }

    /// How many rows have each key.
    pub(super) fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.keys.len()];
        for key in self.of_rows.iter().flatten() {
            if let Some(count) = uses.get_mut(*key) {
                *count += 1;
            }
        }
        uses
    }

    /// The keys in as few queries as keep those apart that are alike when folded: one, if none are.
    pub(super) fn rounds(&self) -> Vec<Vec<usize>> {
        if !self.keys.iter().flatten().any(is_folded) {
            return if self.keys.is_empty() { Vec::new() } else { vec![(0..self.keys.len()).collect()] };
        }
        let mut rounds: Vec<Vec<usize>> = Vec::new();
        let mut alike: HashMap<Vec<Value>, usize> = HashMap::with_capacity(self.keys.len());
        for (number, key) in self.keys.iter().enumerate() {
            let round = alike.entry(folded(key.clone())).or_default();
            if rounds.len() <= *round {
                rounds.push(Vec::new());
            }
            if let Some(round) = rounds.get_mut(*round) {
                round.push(number);
            }
            *round += 1;
        }
        rounds
    }

    /// The numbers of some keys by what they are when folded.
    pub(super) fn index(&self, numbers: &[usize]) -> HashMap<Vec<Value>, usize> {
        let key = |number: &usize| Some((folded(self.keys.get(*number)?.clone()), *number));
        numbers.iter().filter_map(key).collect()
    }
}

fn is_folded(value: &Value) -> bool {
    matches!(value, Value::Text(_))
}

/// A key without what most collations do not tell apart: large and small letters, and blanks at the end.
pub(super) fn folded(mut key: Vec<Value>) -> Vec<Value> {
    for value in &mut key {
        if let Value::Text(text) = value {
            *value = text.trim_end_matches(' ').to_lowercase().into();
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(texts: &[&str]) -> Asked {
        Asked::new(texts.iter().map(|text| vec![(*text).into()]).collect())
    }

    #[test]
    fn keys_that_a_collation_may_take_for_one_are_apart() {
        assert_eq!(asked(&["a", "b", "a"]).rounds(), [[0, 1]]);
        assert_eq!(asked(&["a", "A", "b", "a ", "B"]).rounds(), [vec![0, 2], vec![1, 4], vec![3]]);
        assert!(asked(&[]).rounds().is_empty());
        let numbers = Asked::new(vec![vec![1.into()], vec![Value::Null], vec![2.into()], vec![1.into()]]);
        assert_eq!((numbers.rounds(), numbers.uses()), (vec![vec![0, 1]], vec![2, 1]));
        assert_eq!(numbers.of_rows, [Some(0), None, Some(1), Some(0)]);
    }

    #[test]
    fn a_number_is_found_whatever_its_type() {
        let numbers = Asked::new(vec![vec![1.into()], vec![2.into()]]);
        let index = numbers.index(&[0, 1]);
        assert_eq!(index.get(&vec![Value::from(2.0)]), Some(&1));
    }
}
