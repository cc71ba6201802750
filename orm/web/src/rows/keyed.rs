//! Rows that others are included in.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use isogloss::OrmError;
use isogloss::driver::{Error, ErrorKind, Result, Row};
use isogloss::expr::{DbType, Value};
use isogloss::service::{AnyRow, ReadAny};

use super::JsonRow;
use crate::{Problem, ProblemKind};

/// A row as JSON, with the values of some columns, which may be others than it shows.
#[derive(Debug)]
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
    read: Arc<AtomicUsize>,
}

impl KeyedReader {
    pub(crate) fn new(writer: Arc<JsonRow>, keys: &[(usize, DbType)], most: usize) -> Self {
        Self { writer, keys: keys.into(), most, read: Arc::default() }
    }

    /// What reads a row.
    pub(crate) fn read(&self) -> ReadAny {
        let reader = self.clone();
        Arc::new(move |row: &dyn Row| {
            let mut text = Vec::new();
            reader.writer.write(row, &mut text)?;
            if reader.read.fetch_add(text.len(), Ordering::Relaxed).saturating_add(text.len()) > reader.most {
                // It ends the query.
                return Err(Error::new(ErrorKind::BadValue, "the answer is too large"));
            }
            let keys = reader.keys.iter().map(|(place, ty)| row.typed_value(*place, *ty));
            Ok(Box::new(KeyedRow { text, keys: keys.collect::<Result<_>>()? }))
        })
    }

    /// What a client is told of a query that has failed.
    pub(crate) fn told(&self, error: OrmError, failed: impl FnOnce(OrmError) -> Problem) -> Problem {
        if self.read.load(Ordering::Relaxed) > self.most {
            return Problem::of(ProblemKind::AnswerTooLarge);
        }
        failed(error)
    }

    /// The rows that were read.
    pub(crate) fn rows(rows: Vec<AnyRow>) -> Vec<KeyedRow> {
        rows.into_iter().filter_map(|row| row.downcast().ok()).map(|row| *row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::KeyedRow;

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
