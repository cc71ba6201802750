//! The rows that were found, and whose they are.

use std::mem;
use std::sync::Arc;

use isogloss_driver::{ReadRow, Result, Row};

use super::keys::{Asked, Index, Key};
use super::query::KeyPlace;

/// Which key a row belongs to.
#[derive(Clone)]
pub(super) struct Whose {
    places: Vec<KeyPlace>,
    index: Arc<Index>,
    /// The one key that was asked for.
    only: Option<usize>,
}

impl Whose {
    /// That of rows whose keys stand at these places, and are among those that were asked for.
    pub(super) fn new(places: Vec<KeyPlace>, index: &Arc<Index>, asked: &[usize]) -> Self {
        let only = if let [only] = asked { Some(*only) } else { None };
        Self { places, index: Arc::clone(index), only }
    }

    fn key(&self, row: &dyn Row) -> Result<Key> {
        Key::new(self.places.iter().map(|(place, ty)| row.value(*place, Some(*ty))))
    }

    /// The number of the row's key; none if it is alike to none of several.
    #[cfg(feature = "services")]
    pub(super) fn number(&self, row: &dyn Row) -> Result<Option<usize>> {
        Ok(if self.only.is_some() { self.only } else { self.index.number(&self.key(row)?) })
    }
}

/// Reads a row, and the number of the key that it belongs to; none if it is alike to none of several.
#[derive(Clone)]
pub(super) struct Keyed<R> {
    whose: Whose,
    /// The key of the row before, which many have.
    last: Option<(Key, Option<usize>)>,
    read: R,
}

impl<R> Keyed<R> {
    pub(super) const fn new(whose: Whose, read: R) -> Self {
        Self { whose, last: None, read }
    }

    fn number(&mut self, row: &dyn Row) -> Result<Option<usize>> {
        if self.whose.only.is_some() {
            return Ok(self.whose.only);
        }
        let key = self.whose.key(row)?;
        if let Some((last, number)) = &self.last
            && *last == key
        {
            return Ok(*number);
        }
        let number = self.whose.index.number(&key);
        self.last = Some((key, number));
        Ok(number)
    }
}

impl<T, R: ReadRow<T>> ReadRow<(Option<usize>, T)> for Keyed<R> {
    fn read(&mut self, row: &dyn Row) -> Result<(Option<usize>, T)> {
        Ok((self.number(row)?, self.read.read(row)?))
    }
}

/// The rows of all parents, each with the number of its key.
pub(super) struct Found<T> {
    pub(super) rows: Vec<T>,
    pub(super) keys: Vec<usize>,
}

impl<T: Clone> Found<T> {
    /// The rows of each parent. Parents of one key all get them.
    pub(super) fn share(self, asked: &Asked) -> impl Iterator<Item = Vec<T>> {
        let sizes = counts(asked.keys.len(), self.keys.iter().copied());
        let mut groups: Vec<Vec<T>> = sizes.into_iter().map(Vec::with_capacity).collect();
        for (row, key) in self.rows.into_iter().zip(self.keys) {
            if let Some(group) = groups.get_mut(key) {
                group.push(row);
            }
        }
        let mut uses = counts(asked.keys.len(), asked.of_rows.iter().copied().flatten());
        asked.of_rows.iter().map(move |key| {
            let Some((group, left)) = key.and_then(|key| Some((groups.get_mut(key)?, uses.get_mut(key)?))) else {
                return Vec::new();
            };
            *left -= 1;
            if *left == 0 { mem::take(group) } else { group.clone() }
        })
    }
}

/// How often each number is there.
fn counts(numbers: usize, all: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut counts = vec![0; numbers];
    for number in all {
        if let Some(count) = counts.get_mut(number) {
            *count += 1;
        }
    }
    counts
}
