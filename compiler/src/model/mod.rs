//! What the tables are: columns, keys, relations, fixed filters, shards. It knows no dialect.

mod bad_value;
mod build;
mod catalog;
mod coerce;
mod collation;
mod column;
mod columns;
mod constraints;
mod convert;
mod define;
#[cfg(feature = "definitions-json")]
pub mod definitions;
mod entity;
mod error;
mod foreign;
mod joins;
mod relations;
#[cfg(any(test, feature = "sample"))]
#[doc(hidden)]
pub mod sample;
mod schema;
mod table_name;
mod temporal;
#[cfg(test)]
mod tests;

pub use bad_value::BadValue;
pub use build::CatalogBuilder;
pub use catalog::{Catalog, EntityId};
pub use coerce::{coerce, is_of};
pub use collation::{Collation, ColumnCollation, TextMode};
pub use column::{Column, ColumnMode, Computed, ComputedPart, EnumDef, EnumMember, EnumStorage, Identity};
pub use constraints::{Constraint, ConstraintDef, IndexDef, ReferenceAction, TableCheck, TableIndex};
pub use define::{ColumnDef, ForeignColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
pub use entity::{Entity, ForeignColumn, Join, Property, Relation, SyncTableMode};
pub use error::{CatalogError, CatalogErrors, Near};
pub use relations::{NamedRelation, RelationDef, RelationKind, Through};
pub use table_name::{BadTableName, ShardError, TableName};
