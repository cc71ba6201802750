//! Data access objects: they write entities to tables and read them back.
//!
//! | | entities | rows of any shape |
//! |:--|:--|:--|
//! | write | [`ObjectDao`] | [`DataDao`] |
//! | read | [`ObjectViewDao`] | [`DataViewDao`] |
//!
//! Each works in a [`Session`](crate::session::Session), and is cheap to create. Fixed filters of the catalog and the
//! session's scope apply to every operation, also to those by key.

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
mod partial;
mod plan;
#[cfg(feature = "arrow")]
mod record_batch;
mod related;
mod returning;
mod row;
mod rows;
mod search;
mod update;
mod upsert;
mod view;

#[cfg(feature = "services")]
pub(crate) use access::Access;
pub(crate) use by_key::ByKey;
pub use data::DataDao;
pub use data_table::{DataColumn, DataTable};
pub use data_view::DataViewDao;
#[cfg(feature = "services")]
pub(crate) use entity::{has_key, named};
pub use keys::Keys;
pub use object::ObjectDao;
#[cfg(feature = "arrow")]
pub use record_batch::{RecordBatchError, arrow_type, record_batch};
pub(crate) use related::Nested;
#[cfg(feature = "services")]
pub use related::{RelatedQuery, RelatedRows};
pub use rows::Rows;
pub use search::{Search, SearchOf, UpdateOf};
#[cfg(feature = "services")]
pub(crate) use update::constants;
pub use upsert::UpdateOrInsertResult;
pub use view::ObjectViewDao;

use compact_str::CompactString;

/// What stands for `{0}`, `{1}`, ... in the name of a sharded table.
pub(crate) type TableArgs = Vec<CompactString>;

/// Arguments for table names, from anything that is text.
pub(crate) fn table_args<A: Into<CompactString>>(args: impl IntoIterator<Item = A>) -> TableArgs {
    args.into_iter().map(Into::into).collect()
}
