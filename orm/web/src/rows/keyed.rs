//! Rows that others are included in.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use isogloss::OrmError;
use isogloss::driver::{Error, ErrorKind, Result, Row};
use isogloss::expr::{DbType, Value};
use isogloss::service::{AnyRow, ReadAny};

use super::JsonRow;
use crate::{Problem, ProblemKind};

/// A row as JSON, with the values of some columns, which may be others than it shows.
#[derive(Debug, Default)]
pub(crate) struct KeyedRow {
    pub(crate) text: Vec<u8>,
    pub(crate) keys: Vec<Value>,
}

impl KeyedRow {
    /// Adds a member.
    pub(crate) fn put(&mut self, member: &str, value: &[u8]) {
        self.text.pop();
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        // A text is always written, and writing to a `Vec` cannot fail.
        let _ = serde_json::to_writer(&mut self.text, member);
        self.text.push(b':');
        self.text.extend_from_slice(value);
        self.text.push(b'}');
    }
}

/// The texts of rows, with a separator between them.
pub(crate) fn joined(rows: &[KeyedRow], separator: u8) -> Vec<u8> {
    rows.iter().map(|row| row.text.as_slice()).collect::<Vec<_>>().join(&separator)
}

/// Reads rows with the columns at these places, of so many bytes at most.
#[derive(Debug, Clone)]
pub(crate) struct KeyedReader {
    writer: Arc<JsonRow>,
    keys: Arc<[(usize, DbType)]>,
    most: usize,
    tally: Arc<Tally>,
}

/// The bytes of the rows that are there. A run that is given up, as a replica broke, drops its rows, and they count no more.
#[derive(Debug, Default)]
struct Tally {
    bytes: AtomicUsize,
    is_too_large: AtomicBool,
}

/// A row that counts as long as it is there.
struct Counted {
    row: KeyedRow,
    bytes: usize,
    tally: Arc<Tally>,
}

impl Tally {
    /// Counts a row, unless there are too many bytes with it.
    fn count(self: &Arc<Self>, row: KeyedRow, most: usize) -> Option<Counted> {
        let bytes = row.text.len();
        if self.bytes.load(Ordering::Relaxed).saturating_add(bytes) > most {
            self.is_too_large.store(true, Ordering::Relaxed);
            return None;
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        Some(Counted { row, bytes, tally: Arc::clone(self) })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.tally.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl KeyedReader {
    pub(crate) fn new(writer: Arc<JsonRow>, keys: &[(usize, DbType)], most: usize) -> Self {
        Self { writer, keys: keys.into(), most, tally: Arc::default() }
    }

    /// What reads a row.
    pub(crate) fn read(&self) -> ReadAny {
        let reader = self.clone();
        Arc::new(move |row: &dyn Row| {
            let mut text = Vec::new();
            reader.writer.write(row, &mut text)?;
            let keys = reader.keys.iter().map(|(place, ty)| row.typed_value(*place, *ty));
            let row = KeyedRow { text, keys: keys.collect::<Result<_>>()? };
            // It ends the query.
            let too_large = || Error::new(ErrorKind::BadValue, "the answer is too large");
            Ok(Box::new(reader.tally.count(row, reader.most).ok_or_else(too_large)?))
        })
    }

    /// What a client is told of a query that has failed.
    pub(crate) fn told(&self, error: OrmError, failed: impl FnOnce(OrmError) -> Problem) -> Problem {
        if self.tally.is_too_large.load(Ordering::Relaxed) {
            return Problem::of(ProblemKind::AnswerTooLarge);
        }
        failed(error)
    }

    /// The rows that were read.
    pub(crate) fn rows(rows: Vec<AnyRow>) -> Vec<KeyedRow> {
        let row = |row: AnyRow| Some(std::mem::take(&mut row.downcast::<Counted>().ok()?.row));
        rows.into_iter().filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_given_up_does_not_count() {
        let tally = Arc::new(Tally::default());
        let row = || KeyedRow { text: b"{1}".to_vec(), keys: Vec::new() };
        let is_too_large = || tally.is_too_large.load(Ordering::Relaxed);
        let given_up: Vec<Counted> = (0..3).filter_map(|_| tally.count(row(), 9)).collect();
        assert_eq!(given_up.len(), 3);
        drop(given_up);
        let run: Vec<Counted> = (0..3).filter_map(|_| tally.count(row(), 9)).collect();
        assert!(run.len() == 3 && !is_too_large());
        // A run of another query beside it.
        assert!(tally.count(row(), 9).is_none() && is_too_large());
        let rows = KeyedReader::rows(run.into_iter().map(|row| Box::new(row) as AnyRow).collect());
        assert_eq!(rows.iter().map(|row| row.text.as_slice()).collect::<Vec<_>>(), [b"{1}"; 3]);
    }

    #[test]
    fn members_are_added_behind_those_that_are_there() {
        let put = |text: &[u8]| {
            let mut row = KeyedRow { text: text.to_vec(), keys: Vec::new() };
            row.put("a\"b", b"[1]");
            row.put("c", b"null");
            String::from_utf8(row.text).unwrap()
        };
        assert_eq!(put(br#"{"id":1}"#), r#"{"id":1,"a\"b":[1],"c":null}"#);
        assert_eq!(put(b"{}"), r#"{"a\"b":[1],"c":null}"#);
    }
}
