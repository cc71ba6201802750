//! Looking names up without regard to ASCII case and without building a key, and the nearest of them.

use crate::work;

/// The hash of a name: equal for names that differ in ASCII case only.
///
/// Setting bit 5 of every byte folds the letters' case. It also folds a few other bytes into each other, which costs a
/// comparison and no correctness, as whoever looks a name up compares it exactly. Eight bytes a step.
pub(crate) fn hash(name: &str) -> u64 {
    work::count(1);
    const FOLD: u64 = 0x2020_2020_2020_2020;
    const SEED: u64 = 0x51_7c_c1_b7_27_22_0a_95;
    let mix = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(SEED);
    let bytes = name.as_bytes();
    let mut hash = bytes.len() as u64;
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        // The last eight bytes may overlap with those before, which saves a loop over the rest.
        hash = mix(hash, u64::from_le_bytes(*first) | FOLD);
        if bytes.len() > 16 {
            for word in bytes.as_chunks::<8>().0.iter().skip(1) {
                hash = mix(hash, u64::from_le_bytes(*word) | FOLD);
            }
        }
        hash = mix(hash, u64::from_le_bytes(*last) | FOLD);
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let halves = u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
        hash = mix(hash, halves | FOLD);
    } else {
        let word = bytes.iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
        hash = mix(hash, word | FOLD);
    }
    hash ^ hash >> 32
}

/// Whether two names are the same. Most are written as they are defined, so that comes first.
#[inline]
pub(crate) fn same(a: &str, b: &str) -> bool {
    equal(a, b) || (a.len() == b.len() && same_but_case(a, b))
}

#[cold]
fn same_but_case(a: &str, b: &str) -> bool {
    a.eq_ignore_ascii_case(b)
}

/// Whether an alias is of the compiler's own form: `T` with a number, or `excluded`.
pub(crate) fn is_reserved_alias(alias: &str) -> bool {
    let number = alias.strip_prefix(['T', 't']).unwrap_or_default();
    alias.eq_ignore_ascii_case("excluded") || !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// `a == b` for names. Most have 4 to 16 bytes: then two words from either end, which may overlap, save the call of
/// `memcmp`.
#[inline]
pub(crate) fn equal(a: &str, b: &str) -> bool {
    work::count(1);
    let (a, b) = (a.as_bytes(), b.as_bytes());
    match (a.len() == b.len(), a.len()) {
        (false, _) => false,
        (true, 8..=16) => a.first_chunk::<8>() == b.first_chunk::<8>() && a.last_chunk::<8>() == b.last_chunk::<8>(),
        (true, 4..8) => a.first_chunk::<4>() == b.first_chunk::<4>() && a.last_chunk::<4>() == b.last_chunk::<4>(),
        _ => a == b,
    }
}

/// Places in a list, found by the hash of what stands there.
///
/// Open addressing over at least twice as many slots as places: most look-ups see one slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashIndex {
    /// The upper half of a hash, and the place plus one; 0 is a free slot.
    slots: Box<[(u32, u32)]>,
}

impl HashIndex {
    /// An index of `hashes`; the first of several places that are the same is found.
    pub(crate) fn new(hashes: &[u64]) -> Self {
        let mut slots = vec![(0, 0); (hashes.len() * 2).next_power_of_two()].into_boxed_slice();
        let mask = slots.len() - 1;
        for (place, hash) in hashes.iter().enumerate() {
            let mut at = slot(*hash) & mask;
            while slots.get(at).is_some_and(|slot| slot.1 != 0) {
                at = (at + 1) & mask;
            }
            if let Some(free) = slots.get_mut(at) {
                *free = (upper(*hash), u32::try_from(place + 1).unwrap_or(0));
            }
        }
        Self { slots }
    }

    /// The place of that hash for which `same` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u64, same: impl Fn(usize) -> bool) -> Option<usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = slot(hash) & mask;
        loop {
            let (other, place) = *self.slots.get(at)?;
            let place = (place as usize).checked_sub(1)?;
            if other == upper(hash) && same(place) {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
    }
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "any bits of a hash will do")]
fn slot(hash: u64) -> usize {
    hash as usize
}

#[inline]
#[allow(clippy::cast_possible_truncation, reason = "the upper half has 32 bits")]
fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Names and the numbers that stand for them.
#[derive(Debug, Clone, Default)]
pub(crate) struct NameTable {
    names: Vec<(Box<str>, usize)>,
    index: HashIndex,
}

impl NameTable {
    /// Adds a name, unless it is there. Gives the number that it already stood for.
    pub(crate) fn insert(&mut self, name: &str, number: usize) -> Option<usize> {
        let found = self.get(name);
        if found.is_none() {
            self.extend([(name, number)]);
        }
        found
    }

    /// Adds names. Of two that are the same, the first is found.
    pub(crate) fn extend<'n>(&mut self, names: impl IntoIterator<Item = (&'n str, usize)>) {
        self.names.extend(names.into_iter().map(|(name, number)| (name.into(), number)));
        let hashes: Vec<u64> = self.names.iter().map(|(name, _)| hash(name)).collect();
        self.index = HashIndex::new(&hashes);
    }

    /// The number of a name.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<usize> {
        let named = |place: usize| self.names.get(place);
        let place = self.index.find(hash(name), |place| named(place).is_some_and(|(other, _)| same(other, name)))?;
        named(place).map(|(_, number)| *number)
    }
}

/// The name that another may be a slip of.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    near(name, names).first().copied()
}

/// How many names a message suggests at most.
const SUGGESTIONS: usize = 3;

/// The names that `name` may be a slip of, the nearest first: at most a third of its letters differ, or one is the
/// beginning of the other, or it stands behind an underscore, as in the names that joins get beside others of theirs.
pub(crate) fn near<'a>(name: &str, mut names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    near_of(name, &mut names)
}

/// Once for all iterators: a misspelt name is no time to hurry.
fn near_of<'a>(name: &str, names: &mut dyn Iterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted: Vec<char> = name.chars().take(64).map(|c| c.to_ascii_lowercase()).collect();
    let limit = (wanted.len() + 1) / 3;
    let mut found: Vec<(usize, &str)> = names
        .filter_map(|candidate| {
            let other: Vec<char> = candidate.chars().take(64).map(|c| c.to_ascii_lowercase()).collect();
            let distance = distance(&wanted, &other);
            let begins =
                wanted.len().min(other.len()) >= 3 && (other.starts_with(&wanted) || wanted.starts_with(&other));
            let behind = other.split(|c| *c == '_').skip(1).any(|part| part == wanted);
            (distance <= limit || begins || behind).then_some((distance, candidate))
        })
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

/// How many letters are to be added, dropped, changed or swapped with their neighbour to make `b` of `a`.
fn distance(a: &[char], b: &[char]) -> usize {
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=b.len()).collect());
    let at = |row: &[usize], i: usize| row.get(i).copied().unwrap_or(usize::MAX / 2);
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    at(&last, b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_as_texts_are() {
        let names = ["", "a", "abc", "abcd", "abcx", "xbcd", "abcdefg", "abcdefgh", "abcdefgx", "abcdefghijklmnop"];
        let more = ["abcdefghijklmnoq", "xbcdefghijklmnop", "abcdefghijklmnopq", "abcdefghijklmnopx"];
        for a in names.iter().chain(&more) {
            for b in names.iter().chain(&more) {
                assert_eq!(equal(a, b), a == b, "{a} {b}");
                assert!(!same(a, b) || hash(a) == hash(b));
            }
            assert!(same(a, &a.to_uppercase()) && hash(a) == hash(&a.to_uppercase()));
        }
    }

    #[test]
    fn an_index_finds_what_is_in_it() {
        let names: Vec<String> = (0..300).map(|n| format!("name{n}")).collect();
        let hashes: Vec<u64> = names.iter().map(|name| hash(name)).collect();
        let index = HashIndex::new(&hashes);
        for (place, name) in names.iter().enumerate() {
            assert_eq!(index.find(hash(name), |at| names[at] == *name), Some(place));
        }
        assert_eq!(index.find(hash("other"), |at| names[at] == "other"), None);
        assert_eq!(HashIndex::default().find(1, |_| true), None);
        assert_eq!(HashIndex::new(&[]).find(1, |_| true), None);
    }

    #[test]
    fn case_does_not_change_the_hash() {
        for name in ["", "Id", "CustomerName", "a_rather_long_property_name_1", "Größe"] {
            assert_eq!(hash(name), hash(&name.to_ascii_uppercase()), "{name}");
            assert_eq!(hash(name), hash(&name.to_ascii_lowercase()), "{name}");
        }
        assert_ne!(hash("Id"), hash("Ie"));
        assert_ne!(hash("abcdefgh"), hash("abcdefgi"));
        assert_ne!(hash("ab"), hash("ba"));
    }

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["DeptName", "DeptId", "Name", "Age"];
        assert_eq!(near("DeptNmae", names.into_iter()), ["DeptName"]);
        assert_eq!(near("deptname", names.into_iter()).first(), Some(&"DeptName"));
        assert_eq!(near("Dept", names.into_iter()), ["DeptId", "DeptName"]);
        assert_eq!(
            near("region", ["City", "Home_Region", "Work_Region_2"].into_iter()),
            ["Home_Region", "Work_Region_2"]
        );
        assert!(near("Frobnicate", names.into_iter()).is_empty());
    }
}
