//! Rows on their way to the engine.

use isogloss_compiler::expr::Value;

use crate::Result;

/// What gives rows of values, one after the other. It is owned by the statement while that runs, perhaps on another
/// thread.
pub trait RowSource: Send {
    /// Puts the values of the next row into `row`, which is empty. `false`: there is none.
    ///
    /// # Errors
    /// What keeps the row from being given. The statement ends with that error.
    fn next(&mut self, row: &mut Vec<Value>) -> Result<bool>;
}

/// The rows of an iterator.
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
