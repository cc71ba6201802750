//! Rows as CSV: RFC 4180, with a header.

use csv::{Terminator, Writer, WriterBuilder};
use isogloss::driver::{Result, Row};
use isogloss::expr::DbValueType;

use super::plain::Plain;
use super::{RowWriter, Shape, ShapeColumn};
use crate::accept::Format;

/// Writes a row as a record. NULL is an empty field, as an empty text is.
#[derive(Debug)]
pub(crate) struct CsvRows {
    columns: Vec<(String, CsvCell)>,
    /// Whether a text that a spreadsheet would take for a formula is written behind a `'`.
    guards: bool,
    field: String,
}

/// How a column is written.
#[derive(Debug)]
enum CsvCell {
    /// A text of somebody's.
    Text,
    /// A document as it is.
    Json,
    /// What cannot be a formula.
    Plain(Plain),
    /// What may begin as a formula does: of a type that is not known, or bytes, as Base64 has a `+`.
    Guarded(Plain),
}

impl CsvRows {
    /// One of rows of that shape. With `guards`, a `'` stands before a text that a spreadsheet would take for a formula.
    pub(crate) fn new(shape: &Shape, guards: bool) -> Self {
        let columns = shape.columns().iter().map(|column| (column.member.clone(), CsvCell::of(column)));
        Self { columns: columns.collect(), guards, field: String::new() }
    }
}

impl RowWriter for CsvRows {
    fn content_type(&self) -> &'static str {
        Format::Csv.content_type()
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        // Writing to a `Vec` cannot fail, here and below.
        let _ = writer(out).write_record(self.columns.iter().map(|(name, _)| name));
    }

    fn row(&mut self, row: &dyn Row, out: &mut Vec<u8>) -> Result<()> {
        let mut csv = writer(out);
        for (index, (_, cell)) in self.columns.iter().enumerate() {
            self.field.clear();
            let may_be_formula = cell.write(row, index, &mut self.field)?;
            if self.guards && may_be_formula && self.field.starts_with(FORMULA) {
                self.field.insert(0, '\'');
            }
            let _ = csv.write_field(&self.field);
        }
        let _ = csv.write_record(None::<&[u8]>);
        Ok(())
    }
}

/// What a formula begins with. The last four are of full width, which some spreadsheets take for the usual ones.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

impl CsvCell {
    fn of(column: &ShapeColumn) -> Self {
        match column.ty {
            Some(ty) if !ty.array && ty.base.is_text() => Self::Text,
            Some(ty) if !ty.array && ty.base.is_json() => Self::Json,
            Some(ty) if ty.array || ty.base != DbValueType::Binary => Self::Plain(Plain::of(column)),
            _ => Self::Guarded(Plain::of(column)),
        }
    }

    /// Writes the field, and says whether it may begin as a formula does.
    fn write(&self, row: &dyn Row, index: usize, field: &mut String) -> Result<bool> {
        match self {
            Self::Text => field.push_str(row.text(index)?.unwrap_or_default()),
            Self::Json => field.push_str(row.json(index)?.unwrap_or_default()),
            Self::Plain(plain) | Self::Guarded(plain) => {
                plain.write(row, index, field)?;
            }
        }
        Ok(!matches!(self, Self::Plain(_)))
    }
}

fn writer(out: &mut Vec<u8>) -> Writer<&mut Vec<u8>> {
    WriterBuilder::new().terminator(Terminator::CRLF).buffer_capacity(1024).from_writer(out)
}
