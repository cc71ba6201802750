//! Data access objects: entities in and out of their tables.
//!
//! | | entities | rows of any shape |
//! |:--|:--|:--|
//! | writes | [`ObjectDao`] | [`DataDao`] |
//! | reads | [`ObjectViewDao`] | [`DataViewDao`] |
//!
//! Each holds a [`Session`](crate::session::Session) and costs nothing to make. What the catalog fixes for an entity
//! holds in every operation, by key as well.

mod access;
mod batch;
mod by_key;
mod data;
mod data_table;
mod data_view;
mod entity;
mod failed_row;
#[cfg(feature = "services")]
mod found;
mod held;
mod keys;
mod made;
mod object;
mod plan;
#[cfg(feature = "arrow")]
mod record_batch;
mod rows;
mod search;
mod update;
mod upsert;
mod view;

pub(crate) use by_key::ByKey;
pub use data::DataDao;
pub use data_table::{DataColumn, DataTable};
pub use data_view::DataViewDao;
#[cfg(feature = "services")]
pub(crate) use entity::{entity, has_key, model};
pub use keys::Keys;
pub use object::ObjectDao;
#[cfg(feature = "arrow")]
pub use record_batch::RecordBatchError;
pub use rows::EnumerableResult;
pub use search::{Search, SearchOf, UpdateOf};
pub use upsert::UpdateOrInsertResult;
pub use view::ObjectViewDao;

use compact_str::CompactString;

/// What stands for `{0}`, `{1}`, ... in the name of a sharded table.
pub(crate) type TableArgs = Vec<CompactString>;

/// Arguments for table names, from anything that is text.
pub(crate) fn table_args<A: Into<CompactString>>(args: impl IntoIterator<Item = A>) -> TableArgs {
    args.into_iter().map(Into::into).collect()
}
