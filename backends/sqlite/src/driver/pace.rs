//! How quick each statement has been: where it runs next time.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::time::Duration;

use foldhash::fast::RandomState;

/// What a statement may take on an async thread.
const QUICK: Duration = Duration::from_micros(200);

/// How many statements are known. Beyond, all are forgotten: a program with more texts than that has no usual ones.
const KNOWN: usize = 4096;

/// Where a statement runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Where the caller stands.
    Here,
    /// The same, under a budget.
    Trial,
    /// On a thread for what blocks.
    Away,
}

/// What is known of a statement.
#[derive(Debug, Clone, Copy)]
struct Known {
    quick: bool,
    reads: bool,
}

/// What is known of statements, by the hash of their text. Two of one hash share a verdict, which costs time only.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    known: HashMap<u64, Known, RandomState>,
    hasher: RandomState,
    /// How many statements have run.
    runs: u32,
}

impl Pace {
    pub(crate) fn key(&self, sql: &str) -> u64 {
        self.hasher.hash_one(sql)
    }

    /// Where a statement runs, and whether it only reads, which `reads` finds out. A write that is not known runs away,
    /// for it cannot be given up half way.
    pub(crate) fn place(&self, key: u64, reads: impl FnOnce() -> bool) -> (Place, bool) {
        match self.known.get(&key) {
            Some(known) => (if known.quick { Place::Here } else { Place::Away }, known.reads),
            None if reads() => (Place::Trial, true),
            None => (Place::Away, false),
        }
    }

    /// Whether the time that a statement takes is due to be looked at: always, but for those that have been quick. The
    /// clock takes a tenth of such a one's time, so one in sixteen is enough.
    pub(crate) fn is_due(&mut self, place: Place) -> bool {
        self.runs = self.runs.wrapping_add(1);
        place != Place::Here || self.runs.is_multiple_of(16)
    }

    /// A statement took so long.
    pub(crate) fn took(&mut self, key: u64, reads: bool, time: Duration) {
        if self.known.len() >= KNOWN && !self.known.contains_key(&key) {
            self.known.clear();
        }
        self.known.insert(key, Known { quick: time <= QUICK, reads });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_earns_its_place_and_loses_it() {
        let mut pace = Pace::default();
        let key = pace.key("SELECT 1");
        assert_eq!((pace.place(key, || true), pace.place(key, || false)), ((Place::Trial, true), (Place::Away, false)));
        pace.took(key, true, Duration::from_micros(3));
        assert_eq!(pace.place(key, || false), (Place::Here, true));
        pace.took(key, true, Duration::from_millis(3));
        assert_eq!(pace.place(key, || false), (Place::Away, true));
    }
}
