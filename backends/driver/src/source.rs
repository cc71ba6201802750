//! Rows that are sent to the engine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use isogloss_compiler::expr::{DbType, Value};
use isogloss_compiler::model::{coerce, is_of};
use isogloss_compiler::{BulkInsert, Compiled};

use crate::{Error, ErrorKind, Result};

/// A producer of rows of values. A statement owns it while it runs, possibly on another thread.
pub trait RowSource: Send {
    /// Puts the values of the next row into `row`, which is empty. Returns `false` if there are no more rows.
    ///
    /// # Errors
    /// Any error ends the statement with that error.
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool>;
}

/// The approximate size of a value in transit, in bytes.
#[must_use]
pub fn weight(value: &Value) -> usize {
    let of_leaf = |value: &Value| match value {
        Value::Text(text) => text.len(),
        Value::Json(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        _ => 8,
    };
    value.leaves().map(of_leaf).sum()
}

/// A source with the rows of an iterator.
///
/// ```
/// use isogloss_compiler::expr::Value;
/// let people = vec![("Ann", 31), ("Bob", 28)];
/// let mut rows = isogloss_driver::rows(people.into_iter().map(|(name, age)| [Value::from(name), age.into()]));
/// let mut row = Vec::new();
/// assert!(rows.next(&mut row)? && row == ["Ann".into(), 31.into()]);
/// # Ok::<(), isogloss_driver::Error>(())
/// ```
pub fn rows<I>(rows: I) -> Box<dyn RowSource>
where
    I: IntoIterator<IntoIter: Send + 'static, Item: IntoIterator<Item = Value>>,
{
    Box::new(Rows(rows.into_iter()))
}

struct Rows<I>(I);

impl<I: Iterator<Item: IntoIterator<Item = Value>> + Send> RowSource for Rows<I> {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        let Some(values) = self.0.next() else { return Ok(false) };
        row.extend(values);
        Ok(true)
    }
}

/// Adapts rows to a statement that is run once for each of them: it checks that each row has as many values as the
/// statement has parameters, and converts them to the parameters' types. Without that, an engine might store a value of
/// another type as it is.
pub fn fitted(statement: &Compiled<'_>, rows: Box<dyn RowSource>) -> Box<dyn RowSource> {
    Box::new(Fitted { types: statement.params.iter().map(|param| param.ty).collect(), rows, number: 0 })
}

struct Fitted {
    types: Box<[Option<DbType>]>,
    rows: Box<dyn RowSource>,
    number: u64,
}

impl RowSource for Fitted {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        if !self.rows.next(row)? {
            return Ok(false);
        }
        self.number += 1;
        let bad = |why: String| Error::new(ErrorKind::BadValue, format!("row {}: {why}", self.number));
        if row.len() != self.types.len() {
            return Err(bad(format!("it has {} values, the statement {} parameters", row.len(), self.types.len())));
        }
        for (index, (value, ty)) in row.iter_mut().zip(&self.types).enumerate() {
            let Some(ty) = *ty else { continue };
            if !is_of(value, ty) {
                let fits = coerce(value, ty, None).map_err(|found| bad(format!("value {}: {found}", index + 1)))?;
                *value = fits.into_owned();
            }
        }
        Ok(true)
    }
}

/// Adapts rows to a bulk insert: each is checked, converted to the types of its columns, and completed by what filters
/// determine ([`BulkInsert::complete`]).
pub fn completed(into: &BulkInsert, rows: Box<dyn RowSource>) -> impl RowSource + '_ {
    Completed { into, rows }
}

struct Completed<'b> {
    into: &'b BulkInsert,
    rows: Box<dyn RowSource>,
}

impl RowSource for Completed<'_> {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        let more = self.rows.next(row)?;
        if more {
            self.into.complete(row)?;
        }
        Ok(more)
    }
}

/// How many rows have gone by, and whether their source has failed.
#[derive(Clone, Default)]
pub(crate) struct Steps(Arc<Gone>);

#[derive(Default)]
struct Gone {
    rows: AtomicU64,
    failed: AtomicBool,
}

impl Steps {
    pub(crate) fn count(&self) -> u64 {
        self.0.rows.load(Ordering::Relaxed)
    }

    pub(crate) fn step(&self) {
        self.0.rows.fetch_add(1, Ordering::Relaxed);
    }

    fn fail(&self) {
        self.0.failed.store(true, Ordering::Relaxed);
    }

    #[cfg(feature = "pool")]
    pub(crate) fn have_failed(&self) -> bool {
        self.0.failed.load(Ordering::Relaxed)
    }
}

/// Rows that are counted as they are taken.
pub(crate) struct Counted {
    rows: Box<dyn RowSource>,
    steps: Steps,
}

impl Counted {
    pub(crate) fn of(rows: Box<dyn RowSource>) -> (Box<dyn RowSource>, Steps) {
        let steps = Steps::default();
        (Box::new(Self { rows, steps: steps.clone() }), steps)
    }
}

impl RowSource for Counted {
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool> {
        let given = self.rows.next(row);
        match given {
            Ok(true) => self.steps.step(),
            Ok(false) => {}
            Err(_) => self.steps.fail(),
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use isogloss_compiler::expr::DbValueType as T;
    use isogloss_compiler::render::Parameter;

    use super::*;

    #[test]
    fn a_row_has_the_types_of_the_parameters() {
        let param = |ty: T| Parameter { value: std::borrow::Cow::Owned(Value::Null), ty: Some(ty.into()) };
        let statement = Compiled { params: vec![param(T::Int32), param(T::Date)], ..Compiled::default() };
        let given: Vec<Vec<Value>> = vec![
            vec![1.into(), "2024-01-31".into()],
            vec![Value::Null, Value::Null],
            vec![(1_i64 << 40).into(), Value::Null],
        ];
        let mut fitted = fitted(&statement, rows(given));
        let mut row = Vec::new();
        assert!(fitted.next(&mut row).unwrap() && matches!(row[..], [Value::Int(1), Value::Date(_)]));
        row.clear();
        assert!(fitted.next(&mut row).unwrap() && row == [Value::Null, Value::Null]);
        row.clear();
        let error = fitted.next(&mut row).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadValue);
        assert!(error.message().starts_with("row 3: value 1: "), "{error}");
        let mut narrow = super::fitted(&statement, rows([[Value::Null]]));
        assert!(narrow.next(&mut Vec::new()).unwrap_err().message().contains("it has 1 values"));
    }
}
