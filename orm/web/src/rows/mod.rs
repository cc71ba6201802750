//! From the rows of an engine to what is answered, without a value between.

#[cfg(feature = "arrow")]
mod arrow;
mod csv;
mod json;
mod keyed;
mod ndjson;
mod plain;
mod shape;
mod stream;
pub(crate) mod text;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use isogloss::OrmError;
use isogloss::driver::{Error, ErrorKind, Result, Row};
use isogloss::expr::{DbType, Value};
use isogloss::service::{AnyRow, DynamicServiceOps, ReadAny, ServiceQuery};

#[cfg(feature = "arrow")]
pub(crate) use arrow::ArrowRows;
pub(crate) use csv::CsvRows;
pub(crate) use json::{JsonArray, JsonRow};
pub(crate) use keyed::{KeyedReader, KeyedRow, joined};
pub(crate) use ndjson::{NdJsonRows, ndjson};
pub(crate) use shape::{Shape, ShapeColumn};
pub(crate) use stream::streamed;

use crate::{Problem, ProblemKind, WebResult};

/// Writes rows in a format, one after the other.
pub(crate) trait RowWriter: Send + 'static {
    /// The content type of what it writes.
    fn content_type(&self) -> &'static str;

    /// What is before the first row.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// A row.
    fn row(&mut self, row: &dyn Row, out: &mut Vec<u8>) -> Result<()>;

    /// What is behind the last row.
    fn end(&mut self, _out: &mut Vec<u8>) -> Result<()> {
        Ok(())
    }
}

/// Rows as the items of a JSON array, without its brackets.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) text: Vec<u8>,
    pub(crate) count: usize,
    /// The keys of the last row, where they are asked for.
    pub(crate) last: Option<Vec<Value>>,
}

/// The rows that a query finds, of so many bytes at most. Of the last one, the columns at these places are kept as values.
/// `failed` says what the client is told of a query that fails.
pub(crate) async fn items(
    service: &dyn DynamicServiceOps,
    query: ServiceQuery,
    writer: Arc<JsonRow>,
    keys: Vec<(usize, DbType)>,
    most: usize,
    failed: fn(OrmError) -> Problem,
) -> WebResult<Items> {
    let written = Arc::new(Mutex::new(WrittenRows::default()));
    let into = Arc::clone(&written);
    let read: ReadAny = Arc::new(move |row| {
        let written = &mut *lock(&into);
        let run = written.begin();
        writer.write(row, &mut written.text)?;
        if written.text.len() > most {
            // It ends the query.
            written.is_too_large = true;
            return Err(Error::new(ErrorKind::BadValue, "the answer is too large"));
        }
        written.text.push(b',');
        if keys.is_empty() && run.is_none() {
            return Ok(Box::new(()) as AnyRow);
        }
        let keys = keys.iter().map(|(place, ty)| row.typed_value(*place, *ty));
        Ok(Box::new(Item { keys: keys.collect::<Result<_>>()?, _run: run }))
    });
    let told = |error| {
        if lock(&written).is_too_large { Problem::of(ProblemKind::AnswerTooLarge) } else { failed(error) }
    };
    let mut rows = service.find_any(query, read).await.map_err(told)?;
    let count = rows.len();
    let last = rows.pop().and_then(|row| row.downcast::<Item>().ok()).map(|item| item.keys);
    let written = std::mem::take(&mut *lock(&written));
    Ok(Items { text: written.last(count), count, last: last.filter(|keys| !keys.is_empty()) })
}

/// A row that is written: what is asked for of it, and the run that it is the first of.
struct Item {
    keys: Vec<Value>,
    _run: Option<Arc<()>>,
}

#[derive(Default)]
struct WrittenRows {
    text: Vec<u8>,
    /// Where each row begins.
    begins: Vec<usize>,
    is_too_large: bool,
    /// The first row of a run has it, too, as long as the run is not given up.
    run: Arc<()>,
}

impl WrittenRows {
    /// Begins a row. The first one of a run gets something to hold: a query that is run again, as a replica broke, has dropped
    /// the rows from before, and their text goes as well.
    fn begin(&mut self) -> Option<Arc<()>> {
        let first = Arc::strong_count(&self.run) == 1;
        if first {
            self.text.clear();
            self.begins.clear();
        }
        self.begins.push(self.text.len());
        first.then(|| Arc::clone(&self.run))
    }

    /// So many rows, the last ones: of a run that was given up, and found more than the one that is answered, something is left.
    fn last(self, count: usize) -> Vec<u8> {
        let Self { mut text, begins, .. } = self;
        text.pop();
        let begin = begins.len().checked_sub(count).and_then(|again| begins.get(again)).copied();
        text.split_off(begin.unwrap_or(text.len()))
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::WrittenRows;

    #[test]
    fn a_run_that_is_given_up_leaves_nothing() {
        let mut written = WrittenRows::default();
        let row = |written: &mut WrittenRows, text: &[u8]| {
            let run = written.begin();
            written.text.extend_from_slice(text);
            run
        };
        let given_up = [row(&mut written, b"{1},"), row(&mut written, b"{2},")];
        assert_eq!((given_up[0].is_some(), given_up[1].is_some(), &*written.text), (true, false, &b"{1},{2},"[..]));
        drop(given_up);
        let _run = row(&mut written, b"{3},");
        assert_eq!(written.text, b"{3},");
        assert!(row(&mut written, b"{4},").is_none());
        assert_eq!(written.last(2), b"{3},{4}");
    }

    #[test]
    fn the_rows_of_an_answer_are_the_last_ones() {
        let last = |count| {
            let written =
                WrittenRows { text: b"{1},{2},{3},".to_vec(), begins: vec![0, 4, 8], ..WrittenRows::default() };
            String::from_utf8(written.last(count)).unwrap()
        };
        assert_eq!([last(3), last(2), last(1), last(0)], ["{1},{2},{3}", "{2},{3}", "{3}", ""]);
        assert!(WrittenRows::default().last(0).is_empty());
    }
}
