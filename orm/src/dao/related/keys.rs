//! The keys that rows are asked by, and which key a row belongs to.
//!
//! Where the engine tells all texts of a column apart, a row belongs to the key that it equals. Elsewhere a collation decides
//! which rows a key has, and a row may have another text than the key: `'ABC '` where `'abc'` was asked for. Two keys that
//! a collation may take for one never stand in one query there, so that a row belongs to the one key of its query that it
//! is [alike](Key::alike) to.

use std::collections::HashMap;
use std::sync::Arc;

use isogloss_compiler::expr::Value;

/// The values of a key's columns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Key {
    One(Value),
    Several(Box<[Value]>),
}

impl Key {
    pub(super) fn new<E>(mut values: impl ExactSizeIterator<Item = Result<Value, E>>) -> Result<Self, E> {
        match (values.len(), values.next()) {
            (1, Some(value)) => Ok(Self::One(value?)),
            (_, first) => Ok(Self::Several(first.into_iter().chain(values).collect::<Result<_, E>>()?)),
        }
    }

    pub(super) fn values(&self) -> &[Value] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Several(values) => values,
        }
    }

    fn is_null(&self) -> bool {
        self.values().iter().any(Value::is_null)
    }

    /// The key without what collations may not tell apart.
    fn alike(mut self) -> Self {
        let values = match &mut self {
            Self::One(value) => std::slice::from_mut(value),
            Self::Several(values) => values,
        };
        for value in values {
            if let Value::Text(text) = value {
                *value = super::alike::alike(text).into();
            }
        }
        self
    }
}

/// The keys of some parents.
pub(super) struct Asked {
    /// Each key once.
    pub(super) keys: Vec<Key>,
    /// The number of each parent's key. A key with a NULL in it is none.
    pub(super) of_rows: Vec<Option<usize>>,
    pub(super) rounds: Vec<Round>,
}

impl Asked {
    /// The keys of parents, in as few rounds as keep those apart that may be alike: one, if `exact`.
    pub(super) fn new<E>(rows: impl ExactSizeIterator<Item = Result<Key, E>>, exact: bool) -> Result<Self, E> {
        let mut known: HashMap<Key, usize> = HashMap::with_capacity(rows.len());
        let (mut keys, mut of_rows) = (Vec::new(), Vec::with_capacity(rows.len()));
        for key in rows {
            let key = key?;
            of_rows.push((!key.is_null()).then(|| {
                *known.entry(key).or_insert_with_key(|key| {
                    keys.push(key.clone());
                    keys.len() - 1
                })
            }));
        }
        let rounds = if exact { Round::only(known) } else { Round::apart(&keys) };
        Ok(Self { keys, of_rows, rounds })
    }
}

/// The keys of one query, or of several where they are too many for one.
pub(super) struct Round {
    /// Their numbers.
    pub(super) numbers: Vec<usize>,
    pub(super) index: Arc<Index>,
}

impl Round {
    fn only(keys: HashMap<Key, usize>) -> Vec<Self> {
        if keys.is_empty() {
            return Vec::new();
        }
        vec![Self { numbers: (0..keys.len()).collect(), index: Arc::new(Index { exact: true, keys }) }]
    }

    fn apart(keys: &[Key]) -> Vec<Self> {
        let mut of_rounds: Vec<HashMap<Key, usize>> = Vec::new();
        let mut times: HashMap<Key, usize> = HashMap::with_capacity(keys.len());
        for (number, key) in keys.iter().enumerate() {
            let key = key.clone().alike();
            let round = times.entry(key.clone()).or_default();
            match of_rounds.get_mut(*round) {
                Some(of_round) => drop(of_round.insert(key, number)),
                None => of_rounds.push(HashMap::from([(key, number)])),
            }
            *round += 1;
        }
        let round = |keys: HashMap<Key, usize>| {
            let mut numbers: Vec<usize> = keys.values().copied().collect();
            numbers.sort_unstable();
            Self { numbers, index: Arc::new(Index { exact: false, keys }) }
        };
        of_rounds.into_iter().map(round).collect()
    }
}

/// The numbers of keys, by what the keys of their rows are.
pub(super) struct Index {
    exact: bool,
    keys: HashMap<Key, usize>,
}

impl Index {
    /// The number of the key that a row has, or is alike to.
    pub(super) fn number(&self, key: &Key) -> Option<usize> {
        if self.exact { self.keys.get(key).copied() } else { self.keys.get(&key.clone().alike()).copied() }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

    use std::convert::Infallible;

    use super::*;

    fn asked<V: Into<Value>>(values: impl IntoIterator<Item = V>, exact: bool) -> Asked {
        let keys: Vec<_> = values.into_iter().map(|value| Ok::<_, Infallible>(Key::One(value.into()))).collect();
        Asked::new(keys.into_iter(), exact).unwrap()
    }

    fn rounds(asked: &Asked) -> Vec<&[usize]> {
        asked.rounds.iter().map(|round| round.numbers.as_slice()).collect()
    }

    #[test]
    fn keys_that_a_collation_may_take_for_one_are_apart() {
        assert_eq!(rounds(&asked(["a", "b", "a"], false)), [[0, 1]]);
        assert_eq!(rounds(&asked(["a", "A", "b", "a ", "B"], false)), [vec![0, 2], vec![1, 4], vec![3]]);
        assert_eq!(rounds(&asked(["a", "A", "b", "a ", "B"], true)), [[0, 1, 2, 3, 4]]);
        assert!(asked(Vec::<Value>::new(), false).rounds.is_empty());
        let numbers = asked([1.into(), Value::Null, 2.into(), 1.into()], true);
        assert_eq!(rounds(&numbers), [[0, 1]]);
        assert_eq!(numbers.of_rows, [Some(0), None, Some(1), Some(0)]);
    }

    #[test]
    fn a_row_belongs_to_the_key_that_it_is_alike_to() {
        let loose = asked(["abc", "x"], false);
        let number = |asked: &Asked, value: Value| asked.rounds[0].index.number(&Key::One(value));
        assert_eq!(number(&loose, "ABC ".into()), Some(0));
        assert_eq!(number(&asked(["abc", "x"], true), "ABC ".into()), None);
        assert_eq!(number(&asked([1, 2], true), 2.0.into()), Some(1));
    }
}
