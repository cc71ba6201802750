//! Columns as their text, where a format has no types of its own.

use isogloss::driver::{Result, Row};

use super::ShapeColumn;
use super::json::Form;
use crate::Int64;

/// Writes a column as in JSON, without the quotes.
#[derive(Debug)]
pub(super) struct Plain(Form);

impl Plain {
    pub(super) fn of(column: &ShapeColumn) -> Self {
        Self(Form::of(column, Int64::Number))
    }

    /// The text, or nothing of NULL; and which of the two.
    pub(super) fn write(&self, row: &dyn Row, index: usize, out: &mut String) -> Result<bool> {
        let mut json = Vec::new();
        self.0.write(row, index, &mut json)?;
        match json.first() {
            Some(b'"') => out.push_str(&serde_json::from_slice::<String>(&json).unwrap_or_default()),
            _ if json == b"null" => return Ok(false),
            _ => out.push_str(&String::from_utf8_lossy(&json)),
        }
        Ok(true)
    }
}
