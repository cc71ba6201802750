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
        written.begins.push(written.text.len());
        writer.write(row, &mut written.text)?;
        if written.text.len() > most {
            // It ends the query.
            written.is_too_large = true;
            return Err(Error::new(ErrorKind::BadValue, "the answer is too large"));
        }
        written.text.push(b',');
        if keys.is_empty() {
            return Ok(Box::new(()) as AnyRow);
        }
        let values = keys.iter().map(|(place, ty)| row.typed_value(*place, *ty));
        Ok(Box::new(values.collect::<Result<Vec<Value>>>()?))
    });
    let told = |error| {
        if lock(&written).is_too_large { Problem::of(ProblemKind::AnswerTooLarge) } else { failed(error) }
    };
    let mut rows = service.find_any(query, read).await.map_err(told)?;
    let count = rows.len();
    let last = rows.pop().and_then(|row| row.downcast().ok()).map(|values| *values);
    let written = std::mem::take(&mut *lock(&written));
    Ok(Items { text: written.last(count), count, last })
}

#[derive(Default)]
struct WrittenRows {
    text: Vec<u8>,
    /// Where each row begins.
    begins: Vec<usize>,
    is_too_large: bool,
}

impl WrittenRows {
    /// So many rows, the last ones: a query that was run again, as a replica broke, has written some of its rows before.
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
        let last = |count| {
            let written = WrittenRows { text: b"{1},{2},{3},".to_vec(), begins: vec![0, 4, 8], is_too_large: false };
            String::from_utf8(written.last(count)).unwrap()
        };
        assert_eq!([last(3), last(2), last(1), last(0)], ["{1},{2},{3}", "{2},{3}", "{3}", ""]);
        assert!(WrittenRows::default().last(0).is_empty());
    }
}
