//! What the tables are: columns, keys, relations, fixed filters, shards. It knows no dialect.

mod build;
mod catalog;
mod coerce;
mod column;
mod columns;
mod define;
#[cfg(feature = "definitions")]
pub mod definitions;
mod entity;
mod error;
mod foreign;
mod joins;
mod names;
#[cfg(any(test, feature = "sample"))]
#[doc(hidden)]
pub mod sample;
mod table_name;
mod temporal;

pub use build::CatalogBuilder;
pub use catalog::{Catalog, EntityId};
pub use coerce::{BadValue, coerce};
pub use column::{Column, ColumnMode, Computed, ComputedPart, EnumDef, EnumMember, EnumStorage, Identity};
pub use define::{ColumnDef, ForeignColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
pub use entity::{Entity, ForeignColumn, Join, Property, Relation, SyncTableMode};
pub use error::{CatalogError, CatalogErrors, Near};
pub use table_name::{BadTableName, ShardError, TableName};
