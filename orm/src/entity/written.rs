//! Rows without their type.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::Value;

use super::{FieldError, Table};

/// A row that is written: a struct, or values by column. Columns are counted as those of a [`Table`].
pub trait Written: Any + Send + Sync {
    /// Whether it says anything of a column.
    fn has(&self, _column: usize) -> bool {
        true
    }

    /// What a column holds.
    ///
    /// # Errors
    /// A value that cannot be stored, or there is no such column.
    fn stored(&self, column: usize) -> Result<Value, FieldError>;

    /// Gives a column a value.
    ///
    /// # Errors
    /// A value that does not fit, or there is no such column.
    fn store(&mut self, column: usize, value: &Value) -> Result<(), FieldError>;

    /// What stands for `{0}`, `{1}`, ... in the name of its table, if it says so itself.
    fn shard(&self) -> Vec<String> {
        Vec::new()
    }

    /// The last number of its version.
    fn last_version(&self) -> i64 {
        i64::MAX
    }
}

impl<T: Table> Written for T {
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

/// Makes an empty row.
pub type MakeRow = fn() -> Box<dyn Written>;

/// What makes rows of a struct whose type is not known where they are made: `Blank::<T>::ROW`. It is there for what is
/// `Clone` and `Default`; for anything else, [`NotBlank`] has the constant of that name.
pub struct Blank<T>(PhantomData<fn() -> T>);

impl<T: Table + Clone + Default> Blank<T> {
    /// By its `Default`.
    pub const ROW: Option<MakeRow> = Some(|| Box::new(T::default()));
}

/// Of anything else no rows are made.
pub trait NotBlank {
    /// Nothing.
    const ROW: Option<MakeRow> = None;
}

impl<T> NotBlank for Blank<T> {}

impl<T> fmt::Debug for Blank<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blank")
    }
}
