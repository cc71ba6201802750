//! Tables of names that are found without regard to case and without an allocation, and the nearest of them.

use hashbrown::HashTable;

/// Names and the numbers that stand for them.
#[derive(Debug, Clone, Default)]
pub struct NameTable {
    table: HashTable<(Box<str>, usize)>,
}

impl NameTable {
    /// Adds a name, unless it is there. Gives the number that it already stood for.
    pub fn insert(&mut self, name: &str, number: usize) -> Option<usize> {
        let found = self.get(name);
        if found.is_none() {
            self.table.insert_unique(hash(name), (name.into(), number), |(name, _)| hash(name));
        }
        found
    }

    /// The number of a name.
    #[inline]
    pub fn get(&self, name: &str) -> Option<usize> {
        self.table.find(hash(name), |(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, number)| *number)
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
}

/// A hash that takes eight bytes at a time and ignores ASCII case (and, harmlessly, the difference between `@` and
/// `` ` `` and the like: the table compares what it finds).
#[inline]
fn hash(name: &str) -> u64 {
    const CASE: u64 = 0x2020_2020_2020_2020;
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = name.len() as u64;
    let mut mix = |word: u64| hash = (hash.rotate_left(5) ^ (word | CASE)).wrapping_mul(SEED);
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    for word in words {
        mix(u64::from_le_bytes(*word));
    }
    if !rest.is_empty() {
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        mix(u64::from_le_bytes(last));
    }
    hash ^ (hash >> 29)
}

/// The name most like another, if one is like enough: for a "did you mean".
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).max(1);
    names.map(|other| (distance(name, other), other)).filter(|(d, _)| *d <= limit).min_by_key(|(d, _)| *d).map(|(_, n)| n)
}

/// The optimal string alignment distance (Levenshtein with swaps of neighbours), ignoring ASCII case.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| text.chars().take(64).map(|c| c.to_ascii_lowercase()).collect::<Vec<_>>();
    let (a, b) = (fold(a), fold(b));
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_their_case() {
        let mut table = NameTable::default();
        for (number, name) in ["Id", "CustomerName", "CustomerNamf", "a", ""].into_iter().enumerate() {
            assert_eq!(table.insert(name, number), None);
        }
        assert_eq!(table.insert("ID", 9), Some(0));
        assert_eq!(table.get("cUSTOMERnAME"), Some(1));
        assert_eq!(table.get("Customer"), None);
        assert_eq!(table.get(""), Some(4));
    }

    #[test]
    fn the_nearest_name_is_a_slip_away() {
        let names = ["DeptName", "Name", "Age"];
        assert_eq!(nearest("DeptNmae", names.into_iter()), Some("DeptName"));
        assert_eq!(nearest("Password", names.into_iter()), None);
    }
}
