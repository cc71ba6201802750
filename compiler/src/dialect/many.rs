//! How an engine takes the values of many rows in one statement.

/// What the source of [`Dialect::rows_source`](super::Dialect::rows_source) is called.
pub const ROWS: &str = "given_rows";

/// What its columns are called, before their numbers.
pub const ROWS_COLUMN: &str = "value_";

/// Its columns in the text of a statement, before their numbers.
pub(crate) const ROWS_VALUE: &str = "given_rows.value_";

/// What writes many rows by one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsWrite {
    /// `INSERT INTO t (..) SELECT .. FROM` the rows.
    Insert,
    /// `UPDATE t SET ..` of the rows that the filter finds for each of them.
    Update,
}

/// A table of parameters in a statement.
#[derive(Debug, Clone)]
pub struct RowsSource {
    /// Its text.
    pub text: String,
    /// How it takes the rows.
    pub form: RowsForm,
}

/// How a statement of many rows takes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowsForm {
    /// A parameter for each column: an array of what the rows have there.
    Arrays,
    /// One parameter: a JSON array of the rows, each an array of its values. Whole numbers are bare, truth values 0 and 1,
    /// bytes are hexadecimal digits, and anything else is text. No index may find a row by a text of it, whatever the collation of the column is.
    Json,
}
