//! Rows without a struct.

use compact_str::CompactString;
use isogloss_compiler::ResultColumn;
use isogloss_compiler::expr::{DbType, Value};

/// The rows of a search with named columns. [`DataViewDao`](super::DataViewDao) returns one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataTable {
    pub(super) columns: Vec<DataColumn>,
    pub(super) values: Vec<Value>,
}

/// A column of a [`DataTable`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataColumn {
    /// The name of the column: the alias or the property. A computed item without an alias is named `C` with its
    /// position, counted from 0. A column of a template's own text has the name that the engine reports.
    pub name: CompactString,
    /// The type of the selected item, if the compiler knows it. Otherwise values have the type that the engine reports.
    pub ty: Option<DbType>,
}

impl DataTable {
    /// A table without rows yet.
    pub(super) fn of(columns: &[ResultColumn]) -> Self {
        let column = |column: &ResultColumn| DataColumn { name: column.name.clone(), ty: column.ty };
        Self { columns: columns.iter().map(column).collect(), values: Vec::new() }
    }

    /// The columns. They are known for a table without rows, too, unless a template writes the select list itself.
    #[must_use]
    pub fn columns(&self) -> &[DataColumn] {
        &self.columns
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.columns.len()).unwrap_or(0)
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Iterates over the rows.
    pub fn rows(&self) -> impl Iterator<Item = &[Value]> {
        self.values.chunks(self.columns.len().max(1))
    }

    /// The value of a row, counted from 0, in the column of a name, without regard to case.
    #[must_use]
    pub fn value(&self, row: usize, column: &str) -> Option<&Value> {
        let place = self.columns.iter().position(|known| known.name.eq_ignore_ascii_case(column))?;
        self.rows().nth(row)?.get(place)
    }
}
