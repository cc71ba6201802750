//! Entities and views as structs, and the traits that their derives implement.
//!
//! [`Entity`] is a struct that rows are read as, [`Table`] one that is also written. Each has [`Entity::Columns`], a
//! struct with a typed [`Column`] for every field, which conditions are built from, and a [`Definition`] for the
//! catalog.

/// Implements what is for tuples of up to twelve items: of each the names of two types.
macro_rules! for_tuples {
    ($implement:ident) => {
        $implement! {
            A Ta;
            A Ta B Tb;
            A Ta B Tb C Tc;
            A Ta B Tb C Tc D Td;
            A Ta B Tb C Tc D Td E Te;
            A Ta B Tb C Tc D Td E Te F Tf;
            A Ta B Tb C Tc D Td E Te F Tf G Tg;
            A Ta B Tb C Tc D Td E Te F Tf G Tg H Th;
            A Ta B Tb C Tc D Td E Te F Tf G Tg H Th J Tj;
            A Ta B Tb C Tc D Td E Te F Tf G Tg H Th J Tj K Tk;
            A Ta B Tb C Tc D Td E Te F Tf G Tg H Th J Tj K Tk L Tl;
            A Ta B Tb C Tc D Td E Te F Tf G Tg H Th J Tj K Tk L Tl M Tm;
        }
    };
}

mod among;
mod captured;
mod column;
mod condition;
mod date;
mod decode;
mod field;
mod filters;
mod function;
mod hole;
mod json;
mod log;
mod number;
mod operand;
#[doc(hidden)]
pub mod ops;
mod optional;
mod query;
mod register;
mod relation;
mod scope;
mod selection;
mod tables;
mod text;
mod typed;
mod update;
mod window;
mod written;

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{TableDef, ViewDef};

pub use column::Column;
pub use condition::{Condition, Predicate, Truth};
pub use date::{Calendar, Clock, Difference};
pub use field::{Converter, Field, FieldError, NullWith, Ordered};
pub use filters::ScopeExt;
pub use function::{count, now, today, utc_now};
pub use isogloss_derive::{DbEnum, Entity, Field, FromRow, View};
pub use isogloss_driver::FromRow;
pub use json::{Json, JsonConverter, JsonText};
pub use log::{LogText, Logable};
pub use number::{Minus, Mix, Mixed, Number, Perhaps, Plus, Whole};
pub use operand::{Admits, Arithmetic, Comparison, Exact, Members, NeverNull, Operand};
pub use query::{Item, Items, Query};
#[cfg(feature = "services")]
pub(crate) use register::registered;
pub use register::{Linked, Registered, catalog, linked};
#[cfg(feature = "orm")]
pub(crate) use relation::Terms;
pub use relation::{Many, NotLoaded, One, Related, Relation};
pub use scope::{Beside, Both, Takes};
pub use selection::{All, Fields, SelectItem, Selection, Untyped, all};
pub use tables::{Cte, Gives, Source, Tables, Unselected, of};
pub use typed::{Property, Selected, Sorted, Typed};
pub use update::{Columns, Fits, Insert, Update, insert, update};
pub use window::{
    Aggregate, Window, WindowFunction, WindowKeys, cume_dist, dense_rank, ntile, percent_rank, rank, row_number,
};
#[cfg(feature = "services")]
pub(crate) use written::MakeRow;
#[cfg(feature = "orm")]
pub(crate) use written::Writable;
#[cfg(feature = "services")]
pub(crate) use written::Written;

/// Called by derived code. It is not part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use inventory;
    pub use isogloss_compiler::model::TextMode;
    pub use isogloss_derive::{expr, query, sql};

    pub use super::decode::*;
    pub use super::log::probe;
    pub use super::scope::{Layer, Nothing};
    pub use super::written::{Blank, MakeRow, NotBlank};
}

/// A struct that rows of a table or a view are read as. Implement it by `#[derive(Entity)]` or `#[derive(View)]`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use isogloss::entity::Linked as _;
/// use isogloss::prelude::*;
/// use isogloss::{Compiler, POSTGRES};
///
/// #[derive(Debug, Clone, PartialEq, Default, Entity)]
/// #[table(name = "tasks", columns = "snake_case")]
/// struct Task {
///     #[column(primary_key, identity)]
///     id: i64,
///     #[column(length = 100)]
///     title: String,
/// }
///
/// let catalog = Catalog::builder().entity::<Task>().build()?;
/// let query = query!(|t: Task| t.filter(t.title.starts_with("A")).order_by(t.id));
/// # #[cfg(feature = "postgres")]
/// assert_eq!(
///     Compiler::new(catalog).compile(&query, &POSTGRES)?.sql,
///     r#"SELECT "T0"."id" AS "Id", "T0"."title" AS "Title" FROM "tasks" "T0" WHERE "T0"."title" LIKE $1 ORDER BY "T0"."id""#
/// );
/// # Ok(()) }
/// ```
pub trait Entity:
    FromRow
    + Logable
    + Send
    + Sync
    + Sized
    + 'static
    + Takes<Self>
    + Takes<()>
    + Beside<Self, Both = Self>
    + Beside<(), Both = Self>
{
    /// The name of the entity in trees and in the catalog.
    const NAME: &'static str;

    /// A struct with a typed column for each field, for conditions on `S`: the entity itself, a view of it, or another
    /// entity whose condition has an EXISTS over it. That of a view dereferences to that of its entity.
    type Columns<S>;

    /// The columns of the table with this alias; without an alias, a name refers to the innermost table.
    fn columns(alias: Option<&'static str>) -> Self::Columns<Self> {
        Self::columns_in(alias)
    }

    /// The columns of the table with this alias, for conditions on `S`.
    fn columns_in<S>(alias: Option<&'static str>) -> Self::Columns<S>;

    /// The definition of the entity for the catalog.
    fn definition() -> Definition;

    /// Appends the columns that logs show: all but those with `#[log(skip)]`.
    fn log_columns(&self, _text: &mut LogText) {}
}

/// The definition of a struct's table or view, for the catalog.
#[derive(Debug, Clone)]
pub enum Definition {
    /// A table.
    Table(TableDef),
    /// A view of a table.
    View(ViewDef),
}

/// An entity that can be written: a value of the struct is one row of the table.
///
/// Columns are numbered from 0 in the order of their definition, as in
/// [`Entity::columns`](isogloss_compiler::model::Entity::columns) of the catalog.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no table",
    label = "rows of it cannot be written",
    note = "`#[derive(Entity)]` with `#[table(..)]` makes a table; a view is read by `ObjectViewDao`, and written through its table's entity"
)]
pub trait Table: Entity {
    /// The largest number of the version column; the next version after it is 1.
    const LAST_VERSION: i64 = i64::MAX;

    /// The value of a column.
    ///
    /// # Errors
    /// A value that the field's converter cannot store; or there is no such column.
    fn value(&self, column: usize) -> Result<Value, FieldError>;

    /// Sets a column to a value that was read from the database, such as an identity key, a version or a default.
    ///
    /// # Errors
    /// A value that does not fit the field; or there is no such column.
    fn set(&mut self, column: usize, value: &Value) -> Result<(), FieldError>;

    /// The table arguments of the row's shard, for `{0}`, `{1}` and so on in the table's name, if the row determines
    /// them: see [`Arged`].
    fn table_args(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A struct that rows of an entity are read as: a view of the entity, or the entity itself.
pub trait View: Entity {
    /// The entity of the view.
    type Of: Table;

    /// The row of the entity: its field of the view, or the entity itself.
    fn row(&self) -> &Self::Of;

    /// The row of the entity, to be changed.
    fn row_mut(&mut self) -> &mut Self::Of;
}

/// An entity whose rows know their shard. `#[table(arged)]` makes the derive use it.
pub trait Arged {
    /// The table arguments for `{0}`, `{1}` and so on in the table's name.
    fn table_args(&self) -> Vec<String>;
}
