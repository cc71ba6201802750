//! Rows that are kept until their statement has ended: one that is given up and begins again has given none out.

use isogloss_driver::{Flow, Result, RowSink};
use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};

use super::value::{Columns, SqliteRow};

/// How many bytes of rows are kept. More is no short answer.
const MOST: usize = 512 << 10;

/// How many bytes of room are kept for the next statement.
const ROOM: usize = 64 << 10;

/// Where a value is.
#[derive(Debug, Clone, Copy)]
enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    /// From here to there of the bytes.
    Text(usize, usize),
    Blob(usize, usize),
}

/// The rows of a statement.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    cells: Vec<Cell>,
    bytes: Vec<u8>,
    rows: usize,
    /// How many bytes of cells, and of what they point to, there may be.
    room: usize,
}

impl Gathered {
    /// Forgets the rows of the last statement. There is room for a short answer, or for all that comes.
    pub(crate) fn begin(&mut self, short: bool) {
        self.room = if short { MOST } else { usize::MAX };
        self.cells.clear();
        self.bytes.clear();
        self.rows = 0;
        self.cells.shrink_to(ROOM / size_of::<Cell>());
        self.bytes.shrink_to(ROOM);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Keeps a row of so many columns. Whether there was room for it.
    pub(crate) fn push(&mut self, row: &Row<'_>, columns: usize) -> rusqlite::Result<bool> {
        for index in 0..columns {
            let cell = match row.get_ref(index)? {
                ValueRef::Null => Cell::Null,
                ValueRef::Integer(number) => Cell::Integer(number),
                ValueRef::Real(number) => Cell::Real(number),
                ValueRef::Text(text) => match self.put(text) {
                    Some((from, to)) => Cell::Text(from, to),
                    None => return Ok(false),
                },
                ValueRef::Blob(blob) => match self.put(blob) {
                    Some((from, to)) => Cell::Blob(from, to),
                    None => return Ok(false),
                },
            };
            self.cells.push(cell);
        }
        self.rows += 1;
        Ok(self.cells.len() * size_of::<Cell>() <= self.room)
    }

    fn put(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        if bytes.len() > self.room.saturating_sub(self.bytes.len()) {
            return None;
        }
        let from = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        Some((from, self.bytes.len()))
    }

    /// Gives the rows to a sink, until that has enough of them. How many it took.
    pub(crate) fn give(&self, statement: &Statement<'_>, sink: &mut dyn RowSink) -> Result<u64> {
        let width = self.cells.len() / self.rows.max(1);
        let mut count = 0;
        for row in 0..self.rows {
            count += 1;
            let cells = self.cells.get(row * width..(row + 1) * width).unwrap_or_default();
            if sink.row(&SqliteRow(Kept { cells, bytes: &self.bytes, statement }))? == Flow::Enough {
                break;
            }
        }
        Ok(count)
    }
}

/// A row that was kept.
struct Kept<'k> {
    cells: &'k [Cell],
    bytes: &'k [u8],
    statement: &'k Statement<'k>,
}

impl Columns for Kept<'_> {
    #[inline]
    fn get(&self, index: usize) -> Option<ValueRef<'_>> {
        Some(match *self.cells.get(index)? {
            Cell::Null => ValueRef::Null,
            Cell::Integer(number) => ValueRef::Integer(number),
            Cell::Real(number) => ValueRef::Real(number),
            Cell::Text(from, to) => ValueRef::Text(self.bytes.get(from..to)?),
            Cell::Blob(from, to) => ValueRef::Blob(self.bytes.get(from..to)?),
        })
    }

    fn name(&self, index: usize) -> Option<&str> {
        self.statement.column_name(index).ok()
    }

    fn count(&self) -> usize {
        self.cells.len()
    }
}
