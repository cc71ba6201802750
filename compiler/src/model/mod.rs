//! What the tables are: columns, keys, relations, fixed filters, shards. It knows no dialect.

mod build;
mod catalog;
mod column;
mod define;
mod entity;
mod error;
mod names;
mod table_name;

pub use build::CatalogBuilder;
pub use catalog::{Catalog, EntityId};
pub use column::{Column, ColumnMode, Computed, ComputedPart, EnumDef, EnumMember, EnumStorage, Identity};
pub use define::{ColumnDef, ForeignColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
pub use entity::{Entity, ForeignColumn, Join, Property, Relation, SyncTableMode};
pub use error::{CatalogError, CatalogErrors};
pub use table_name::{BadTableName, ShardError, TableName};
