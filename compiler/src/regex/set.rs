//! Sets of characters.

/// Characters, as ranges of code points that are sorted, do not touch each other and have no gap between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Set(Vec<(u32, u32)>);

const LAST: u32 = 0x10_FFFF;

/// The letters, digits and `_` of ASCII.
const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];

impl Set {
    pub(crate) fn one(c: char) -> Self {
        Self(vec![(c.into(), c.into())])
    }

    pub(crate) fn range(from: char, to: char) -> Self {
        Self(vec![(from.into(), to.into())])
    }

    pub(crate) fn word() -> Self {
        Self(WORD.to_vec())
    }

    /// A class of POSIX, or `word`, in ASCII.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let ranges: &[(u32, u32)] = match name {
            "alpha" => &[(0x41, 0x5A), (0x61, 0x7A)],
            "digit" => &[(0x30, 0x39)],
            "alnum" => &[(0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)],
            "upper" => &[(0x41, 0x5A)],
            "lower" => &[(0x61, 0x7A)],
            "space" => &[(0x09, 0x0D), (0x20, 0x20)],
            "blank" => &[(0x09, 0x09), (0x20, 0x20)],
            "punct" => &[(0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)],
            "xdigit" => &[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)],
            "word" => WORD,
            _ => return None,
        };
        Some(Self(ranges.to_vec()))
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Its only character.
    pub(crate) fn single(&self) -> Option<char> {
        match *self.0 {
            [(from, to)] if from == to => char::from_u32(from),
            _ => None,
        }
    }

    /// Whether it has the last of all characters: it is shorter by what it lacks.
    pub(crate) fn is_open(&self) -> bool {
        self.0.last().is_some_and(|range| range.1 == LAST)
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        Self::normal(self.0.iter().chain(&other.0).copied().collect())
    }

    /// All other characters. No text has the one of code 0.
    pub(crate) fn negated(&self) -> Self {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut next = 1;
        for &(from, to) in &self.0 {
            if from > next {
                gaps.push((next, from - 1));
            }
            next = next.max(to + 1);
        }
        if next <= LAST {
            gaps.push((next, LAST));
        }
        Self(gaps)
    }

    pub(crate) fn contains(&self, code: u32) -> bool {
        self.0.iter().any(|&(from, to)| from <= code && code <= to)
    }

    /// Without one character.
    pub(crate) fn without(&self, code: u32) -> Self {
        let parts = |&(from, to): &(u32, u32)| {
            if from <= code && code <= to {
                [(from, code.wrapping_sub(1)), (code + 1, to)]
            } else {
                [(from, to), (1, 0)]
            }
        };
        Self(self.0.iter().flat_map(parts).filter(|(from, to)| from <= to).collect())
    }

    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().all(|range| other.0.iter().any(|o| o.0 <= range.0 && range.1 <= o.1))
    }

    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.iter().any(|range| other.0.iter().any(|o| o.0 <= range.1 && range.0 <= o.1))
    }

    /// With the other case of each letter that has one; nothing if it is too large to look at each.
    pub(crate) fn folded(&self) -> Option<Self> {
        let mut all = self.0.clone();
        for &(from, to) in &self.0 {
            if to - from > 0x800 {
                return None;
            }
            for c in (from..=to).filter_map(char::from_u32) {
                all.extend(other_case(c).into_iter().map(|c| (c, c)));
            }
        }
        Some(Self::normal(all))
    }

    fn normal(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut list: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (from, to) in ranges {
            match list.last_mut() {
                Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                _ => list.push((from, to)),
            }
        }
        Self(list)
    }
}

/// The same letter in the other case, where that is one character and leads back.
fn other_case(c: char) -> Option<u32> {
    let (mut lower, mut upper) = (c.to_lowercase(), c.to_uppercase());
    let other = match (lower.next(), lower.next(), upper.next(), upper.next()) {
        (Some(l), None, ..) if l != c && l.to_uppercase().eq([c]) => l,
        (_, _, Some(u), None) if u != c && u.to_lowercase().eq([c]) => u,
        _ => return None,
    };
    Some(other.into())
}
