//! Rows without a struct.

use compact_str::CompactString;
use isogloss_compiler::ResultColumn;
use isogloss_compiler::expr::{DbType, Value};

/// The rows of a search, with named columns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataTable {
    pub(super) columns: Vec<DataColumn>,
    pub(super) values: Vec<Value>,
}

/// A column of a [`DataTable`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataColumn {
    /// Its name: the alias, or the property; of a computed item without an alias `C` and its place, counted from 0. In a
    /// template's own text, what the engine calls it.
    pub name: CompactString,
    /// The type of the selected item, where the compiler knows it; else the values have that of the engine.
    pub ty: Option<DbType>,
}

impl DataTable {
    /// A table without rows yet.
    pub(super) fn of(columns: &[ResultColumn]) -> Self {
        let column = |column: &ResultColumn| DataColumn { name: column.name.clone(), ty: column.ty };
        Self { columns: columns.iter().map(column).collect(), values: Vec::new() }
    }

    /// The columns. A table without rows has them, too, unless they are those of a template that writes its select list
    /// itself.
    #[must_use]
    pub fn columns(&self) -> &[DataColumn] {
        &self.columns
    }

    /// How many rows there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.columns.len()).unwrap_or(0)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        self.values.chunks(self.columns.len().max(1))
    }

    /// What a row, counted from 0, has in the column of that name, whatever its case.
    #[must_use]
    pub fn value(&self, row: usize, column: &str) -> Option<&Value> {
        let place = self.columns.iter().position(|known| known.name.eq_ignore_ascii_case(column))?;
        self.rows().nth(row)?.get(place)
    }
}
