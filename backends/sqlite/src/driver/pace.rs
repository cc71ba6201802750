//! How quick each statement has been, and what it could come to: where it runs next time.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::time::Duration;

use foldhash::fast::RandomState;

/// What a statement may take on an async thread.
pub(crate) const QUICK: Duration = Duration::from_micros(200);

/// How many statements are known. Beyond, all are forgotten: a program with more texts than that has no usual ones.
const KNOWN: usize = 4096;

/// How often a statement that has been quick runs until the clock looks at it again: it takes a tenth of its time.
const SELDOM: u32 = 16;

/// What a statement does, as far as its time goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// It reads, and can be given up at any time.
    Reads,
    /// It writes, and its text bounds how much.
    Bounded,
    /// It writes, and as much as there may be. Given up in a transaction, it would take all of that back.
    Open,
    /// It has a step that cannot be given up, and is as long as a table.
    Whole,
}

/// What is known of a statement.
#[derive(Debug, Clone, Copy)]
struct Known {
    quick: bool,
    /// Nothing if nobody has looked yet.
    work: Option<Work>,
    /// How often SQLite had prepared it anew when that was looked at: the tables may have changed.
    prepared: i32,
    runs: u32,
}

/// How a statement is to run where the caller stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Here {
    /// Whether the time that it takes is due to be looked at.
    pub(crate) due: bool,
    pub(crate) work: Work,
}

/// What is known of statements, by the hash of their text. Two of one hash share a verdict, which costs time only.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    known: HashMap<u64, Known, RandomState>,
    hasher: RandomState,
}

impl Pace {
    pub(crate) fn key(&self, sql: &str) -> u64 {
        self.hasher.hash_one(sql)
    }

    /// Whether a statement runs here, and how. One that is not known is tried if `tries` says so.
    ///
    /// `prepared` is how often SQLite has prepared it anew; it is asked for writes in a transaction only, which nothing
    /// can end once they run.
    pub(crate) fn here(
        &mut self,
        key: u64,
        in_transaction: bool,
        prepared: impl FnOnce() -> i32,
        tries: impl FnOnce() -> bool,
    ) -> Option<Here> {
        let Some(known) = self.known.get_mut(&key) else {
            return tries().then_some(Here { due: true, work: Work::Reads });
        };
        let work = known.work.filter(|_| known.quick)?;
        match work {
            Work::Reads => {}
            Work::Bounded if in_transaction && known.prepared != prepared() => {
                self.known.remove(&key);
                return None;
            }
            Work::Bounded => {}
            Work::Open if !in_transaction => {}
            Work::Open | Work::Whole => return None,
        }
        known.runs = known.runs.wrapping_add(1);
        Some(Here { due: known.runs.is_multiple_of(SELDOM), work })
    }

    /// What a statement was found to do.
    pub(crate) fn work(&self, key: u64) -> Option<Work> {
        self.known.get(&key).and_then(|known| known.work)
    }

    /// A statement took so long.
    pub(crate) fn took(&mut self, key: u64, time: Duration, work: Option<Work>, prepared: impl FnOnce() -> i32) {
        if let Some(known) = self.known.get_mut(&key) {
            known.quick = time <= QUICK;
            if known.work != work {
                (known.work, known.prepared) = (work, prepared());
            }
            return;
        }
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        self.known.insert(key, Known { quick: time <= QUICK, work, prepared: prepared(), runs: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(3);
    const LONG: Duration = Duration::from_millis(3);

    fn runs_here(pace: &mut Pace, key: u64, in_transaction: bool) -> bool {
        pace.here(key, in_transaction, || 0, || false).is_some()
    }

    #[test]
    fn a_statement_earns_its_place_and_loses_it() {
        let mut pace = Pace::default();
        let key = pace.key("SELECT 1");
        assert!(pace.here(key, false, || 0, || true).is_some_and(|here| here.due));
        assert!(!runs_here(&mut pace, key, false));
        pace.took(key, SHORT, Some(Work::Reads), || 0);
        assert!(runs_here(&mut pace, key, true));
        pace.took(key, LONG, Some(Work::Reads), || 0);
        assert!(!runs_here(&mut pace, key, false));
    }

    #[test]
    fn a_write_that_nothing_could_end_runs_elsewhere() {
        let mut pace = Pace::default();
        for (work, alone, in_transaction) in [
            (Some(Work::Bounded), true, true),
            (Some(Work::Open), true, false),
            (Some(Work::Whole), false, false),
            (None, false, false),
        ] {
            let key = pace.key(&format!("{work:?}"));
            pace.took(key, SHORT, work, || 0);
            let found = (runs_here(&mut pace, key, false), runs_here(&mut pace, key, true));
            assert_eq!(found, (alone, in_transaction), "{work:?}");
        }
        // The tables are others than those that were looked at.
        let key = pace.key("Bounded");
        pace.took(key, SHORT, Some(Work::Bounded), || 0);
        assert!(pace.here(key, true, || 1, || false).is_none());
        assert_eq!(pace.work(key), None);
    }

    #[test]
    fn each_statement_is_timed_now_and_then() {
        let mut pace = Pace::default();
        let keys: Vec<u64> = (0..16).map(|n| pace.key(&format!("SELECT {n}"))).collect();
        for key in &keys {
            pace.took(*key, SHORT, Some(Work::Reads), || 0);
        }
        let mut due = vec![0; keys.len()];
        for _ in 0..32 {
            for (key, due) in keys.iter().zip(&mut due) {
                *due += u32::from(pace.here(*key, false, || 0, || false).is_some_and(|here| here.due));
            }
        }
        assert_eq!(due, [2; 16]);
    }
}
