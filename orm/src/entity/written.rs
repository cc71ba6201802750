//! Rows that are written without their static type.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::Value;

use super::{FieldError, Table};

/// Values of a row that is written. Columns are numbered as those of a [`Table`].
pub trait Writable: Send + Sync {
    /// Whether the row has a value for a column.
    fn has(&self, _column: usize) -> bool {
        true
    }

    /// The value of a column.
    ///
    /// # Errors
    /// A value that cannot be stored; or there is no such column.
    fn stored(&self, column: usize) -> Result<Value, FieldError>;

    /// Sets the value of a column.
    ///
    /// # Errors
    /// A value that does not fit; or there is no such column.
    fn store(&mut self, column: usize, value: &Value) -> Result<(), FieldError>;

    /// The table arguments of the row's shard, if the row determines them.
    fn shard(&self) -> Vec<String> {
        Vec::new()
    }

    /// The largest number of the version column.
    fn last_version(&self) -> i64 {
        i64::MAX
    }
}

/// A row that is written: a struct, or values by column.
pub trait Written: Writable + Any {}

impl<W: Writable + Any> Written for W {}

impl<T: Table> Writable for T {
    fn stored(&self, column: usize) -> Result<Value, FieldError> {
        self.value(column)
    }

    fn store(&mut self, column: usize, value: &Value) -> Result<(), FieldError> {
        self.set(column, value)
    }

    fn shard(&self) -> Vec<String> {
        self.table_args()
    }

    fn last_version(&self) -> i64 {
        T::LAST_VERSION
    }
}

/// Creates an empty row.
pub type MakeRow = fn() -> Box<dyn Written>;

/// Creates rows of a struct whose type is unknown to the caller: `Blank::<T>::ROW`. The constant exists for structs
/// that are `Clone` and `Default`; for all others [`NotBlank`] has it.
pub struct Blank<T>(PhantomData<fn() -> T>);

impl<T: Table + Clone + Default> Blank<T> {
    /// Creates a row by its `Default`.
    pub const ROW: Option<MakeRow> = Some(|| Box::new(T::default()));
}

/// Structs without `Clone` or `Default`, of which no rows are created.
pub trait NotBlank {
    /// There is no such function.
    const ROW: Option<MakeRow> = None;
}

impl<T> NotBlank for Blank<T> {}

impl<T> fmt::Debug for Blank<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blank")
    }
}
