//! Rows as JSON, a line each.

use std::sync::Arc;

use isogloss::driver::{Result, Row};

use super::{JsonRow, KeyedRow, RowWriter, joined};
use crate::accept::Format;

/// Writes a row as an object and a line feed.
#[derive(Debug)]
pub(crate) struct NdJsonRows {
    row: Arc<JsonRow>,
    /// Whether a last line says how many rows there were.
    ends: bool,
    rows: u64,
}

impl NdJsonRows {
    /// One that ends with a line about the rows, or with the last of them.
    pub(crate) fn new(row: Arc<JsonRow>, ends: bool) -> Self {
        Self { row, ends, rows: 0 }
    }
}

impl RowWriter for NdJsonRows {
    fn content_type(&self) -> &'static str {
        Format::NdJson.content_type()
    }

    fn row(&mut self, row: &dyn Row, out: &mut Vec<u8>) -> Result<()> {
        self.row.write(row, out)?;
        out.push(b'\n');
        self.rows += 1;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.ends {
            end(self.rows, out);
        }
        Ok(())
    }
}

/// Rows that are there already, a line each, with a last line about them if that is wanted.
pub(crate) fn ndjson(rows: &[KeyedRow], ends: bool) -> Vec<u8> {
    let mut text = joined(rows, b'\n');
    if !rows.is_empty() {
        text.push(b'\n');
    }
    if ends {
        end(rows.len() as u64, &mut text);
    }
    text
}

/// The line behind the last row.
fn end(rows: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{{\"$end\":{{\"rows\":{rows}}}}}\n").as_bytes());
}
