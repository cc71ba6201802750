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

/// How often in a row a statement that was quick takes its time until it runs elsewhere. Once is nothing: a thread that has to
/// wait for a processor looks as slow as a statement that does much. One that is slow at first has to be quick elsewhere.
const SLOW: u8 = 2;

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

/// What a statement was prepared for. With another schema, its text may be another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    /// That of the schema, by SQLite's count of its changes.
    pub(crate) schema: i32,
    /// How often SQLite had prepared it anew: what is temporary changes without that count.
    pub(crate) prepared: i32,
}

/// What is known of a statement.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// How often in a row it has taken its time.
    slow: u8,
    /// Nothing if nobody has looked yet.
    work: Option<Work>,
    /// Its version when that was looked at; nothing if it was only tried.
    version: Option<Version>,
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
    /// Its version is asked for only where it is a write in a transaction, which nothing can end once it runs.
    pub(crate) fn here(
        &mut self,
        key: u64,
        in_transaction: bool,
        version: impl FnOnce() -> Option<Version>,
        tries: impl FnOnce() -> bool,
    ) -> Option<Here> {
        let Some(known) = self.known.get_mut(&key) else {
            return tries().then_some(Here { due: true, work: Work::Reads });
        };
        let work = known.work.filter(|_| known.slow < SLOW)?;
        match work {
            Work::Reads => {}
            Work::Bounded if in_transaction && known.version != version() => {
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

    /// What a statement of that version was found to do.
    pub(crate) fn work(&self, key: u64, version: Option<Version>) -> Option<Work> {
        self.known.get(&key).filter(|known| known.version == version).and_then(|known| known.work)
    }

    /// A statement took so long where its caller stood. One that was not known was tried, and reads.
    pub(crate) fn took(&mut self, key: u64, time: Duration) {
        match self.known.get_mut(&key) {
            Some(known) if time <= QUICK => known.slow = 0,
            Some(known) => {
                known.slow = known.slow.saturating_add(1);
                // The clock looks at it again at once.
                known.runs = SELDOM - 1;
            }
            None => self.found(key, time, Some(Work::Reads), None),
        }
    }

    /// A statement of that version took so long, and was looked at.
    pub(crate) fn found(&mut self, key: u64, time: Duration, work: Option<Work>, version: Option<Version>) {
        if self.known.len() >= KNOWN && !self.known.contains_key(&key) {
            self.known.clear();
        }
        let slow = if time <= QUICK { 0 } else { SLOW };
        self.known.insert(key, Known { slow, work, version, runs: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_micros(3);
    const LONG: Duration = Duration::from_millis(3);

    const FIRST: Option<Version> = Some(Version { schema: 1, prepared: 0 });
    const SECOND: Option<Version> = Some(Version { schema: 2, prepared: 0 });

    fn runs_here(pace: &mut Pace, key: u64, in_transaction: bool) -> bool {
        pace.here(key, in_transaction, || FIRST, || false).is_some()
    }

    #[test]
    fn a_statement_earns_its_place_and_loses_it() {
        let mut pace = Pace::default();
        let key = pace.key("SELECT 1");
        assert!(pace.here(key, false, || FIRST, || true).is_some_and(|here| here.due));
        assert!(!runs_here(&mut pace, key, false));
        pace.took(key, SHORT);
        assert!(runs_here(&mut pace, key, true));
        // Its thread may have waited for a processor: it is looked at again.
        pace.took(key, LONG);
        assert!(pace.here(key, false, || FIRST, || false).is_some_and(|here| here.due));
        pace.took(key, SHORT);
        pace.took(key, LONG);
        assert!(runs_here(&mut pace, key, false));
        pace.took(key, LONG);
        assert!(!runs_here(&mut pace, key, false));
        pace.found(key, SHORT, Some(Work::Reads), FIRST);
        assert!(runs_here(&mut pace, key, false));
        pace.found(key, LONG, Some(Work::Reads), FIRST);
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
            pace.found(key, SHORT, work, FIRST);
            let found = (runs_here(&mut pace, key, false), runs_here(&mut pace, key, true));
            assert_eq!(found, (alone, in_transaction), "{work:?}");
        }
        // The tables are others than those that were looked at.
        let key = pace.key("Bounded");
        pace.found(key, SHORT, Some(Work::Bounded), FIRST);
        assert_eq!((pace.work(key, FIRST), pace.work(key, SECOND)), (Some(Work::Bounded), None));
        assert!(pace.here(key, true, || SECOND, || false).is_none());
        assert_eq!(pace.work(key, FIRST), None);
    }

    #[test]
    fn each_statement_is_timed_now_and_then() {
        let mut pace = Pace::default();
        let keys: Vec<u64> = (0..16).map(|n| pace.key(&format!("SELECT {n}"))).collect();
        for key in &keys {
            pace.took(*key, SHORT);
        }
        let mut due = vec![0; keys.len()];
        for _ in 0..32 {
            for (key, due) in keys.iter().zip(&mut due) {
                *due += u32::from(pace.here(*key, false, || FIRST, || false).is_some_and(|here| here.due));
            }
        }
        assert_eq!(due, [2; 16]);
    }
}
