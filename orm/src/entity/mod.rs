//! Entities and views as structs: what the derives implement.
//!
//! [`Entity`] is a struct that is read; [`Table`] one that is written, too. Each has [`Entity::Columns`], a struct with a
//! typed [`Column`] a field, which conditions are made of, and a [`Definition`] for the catalog.

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
mod scope;
mod text;
mod typed;
mod written;

use isogloss_compiler::expr::Value;
use isogloss_compiler::model::{TableDef, ViewDef};

pub use column::Column;
pub use condition::{Condition, Predicate, Truth};
pub use date::{Calendar, Clock, Difference};
pub use field::{Computed, Converter, Field, FieldError, Ordered};
pub use filters::ScopeExt;
pub use function::{count, now, today, utc_now};
pub use isogloss_derive::{DbEnum, Entity, Field, FromRow, View};
pub use isogloss_driver::FromRow;
pub use json::{Json, JsonConverter, JsonText};
pub use log::{LogText, Logable};
pub use number::{Minus, Mix, Mixed, Number, Plus};
pub use operand::{Admits, Arithmetic, Comparison, Exact, Operand};
pub use query::{Item, Items, Query, Update, update};
#[cfg(feature = "services")]
pub(crate) use register::registered;
pub use register::{Linked, Registered, catalog, linked};
pub use scope::{Beside, Both, Takes};
pub use typed::{Property, Selected, Sorted, Typed};
#[cfg(feature = "services")]
pub(crate) use written::MakeRow;
#[cfg(feature = "orm")]
pub(crate) use written::Written;

/// What derived code calls. Nothing here is for programs.
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

/// A struct that rows are read as: a table or a view. `#[derive(Entity)]` and `#[derive(View)]` implement it.
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
    /// Its name in trees and in the catalog.
    const NAME: &'static str;

    /// A struct with a typed column for each field, for conditions of `S`: of the entity itself, of a view of it, or of
    /// another one whose condition has an EXISTS over it. A view's has those of its entity by `Deref`.
    type Columns<S>;

    /// Its columns, of the table that a name without an alias means, or of the one with that alias.
    fn columns(alias: Option<&'static str>) -> Self::Columns<Self> {
        Self::columns_in(alias)
    }

    /// The same for conditions of `S`.
    fn columns_in<S>(alias: Option<&'static str>) -> Self::Columns<S>;

    /// What the catalog is told of it.
    fn definition() -> Definition;

    /// What a log shows of a row: its columns, but for those with `#[log(skip)]`.
    fn log_columns(&self, _text: &mut LogText) {}
}

/// What a struct says of its table or view.
#[derive(Debug, Clone)]
pub enum Definition {
    /// A table.
    Table(TableDef),
    /// A view over one.
    View(ViewDef),
}

/// An entity that is written: one struct is one row of its table.
///
/// Columns are counted as they are defined, from 0, as [`Entity::columns`](isogloss_compiler::model::Entity::columns) of
/// the catalog has them.
pub trait Table: Entity {
    /// The last number of its version: the next one is 1 again.
    const LAST_VERSION: i64 = i64::MAX;

    /// What a column holds.
    ///
    /// # Errors
    /// A value that the field cannot be stored as, by the field's converter; or there is no such column.
    fn value(&self, column: usize) -> Result<Value, FieldError>;

    /// Takes what the database gave a column: an identity, a version, a default.
    ///
    /// # Errors
    /// The value does not fit the field; or there is no such column.
    fn set(&mut self, column: usize, value: &Value) -> Result<(), FieldError>;

    /// What stands for `{0}`, `{1}`, ... in the name of a sharded table, if the row itself says so: see [`Arged`].
    fn table_args(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A struct that rows of an entity are read as: a view, or the entity itself.
pub trait View: Entity {
    /// The entity that it is over.
    type Of: Table;
}

/// An entity whose rows say which shard they belong to. `#[table(arged)]` makes the derive ask it.
pub trait Arged {
    /// What stands for `{0}`, `{1}`, ... in the table's name.
    fn table_args(&self) -> Vec<String>;
}
