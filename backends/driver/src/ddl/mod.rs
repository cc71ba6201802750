//! Tables from a catalog: the statements that create and change them, in the spelling of each engine.
//!
//! With the feature `ddl` they are stated as schema statements of `sea_query`, and a dialect is the `Spelling` of its
//! engine, so that it is a [`Ddl`] as well. sea-query spells PostgreSQL, MySQL and SQLite; for SQL Server and Oracle its
//! builder traits are implemented here, and for indexes in a schema on MySQL and SQLite, at which its own builders panic.
//!
//! What the columns are follows from the catalog:
//!
//! - A text or binary column without a length has 255 characters or bytes; over 4,000 characters it is a large object.
//!   A fixed length is a greatest length: texts are never padded.
//! - MySQL and MariaDB have 65,535 bytes for a row, 4 for each character of its texts. Where there are more, the longest
//!   texts and binaries without an index are `TEXT` and `BLOB`, whose length is not limited to that of the column.
//! - Oracle has 4,000 bytes for a text that is no large object, whatever its length: over 1,000 characters it holds that
//!   many only where some of them take fewer than 4 bytes.
//! - A decimal without a precision is `DECIMAL(18, 2)`, `Currency` `DECIMAL(19, 4)`.
//! - A time without a precision has 6 digits behind its seconds, on SQL Server 7. SQLite stores it as text.
//! - A type that an engine lacks is the nearest one that holds all of its values, and that the dialect's statements read
//!   as what it is: an unsigned number of 32 bits is a `bigint`, an array is JSON but on PostgreSQL.
//! - What PostgreSQL numbers is a `bigint` also where it is a `UInt64` or a decimal. Those are compared as decimals, which
//!   the index of the key does not serve: a key that is numbered is better an `Int64`.
//! - The default of a truth value may be written `0`, `1`, `TRUE` or `FALSE` on all engines.
//!
//! Texts compare as the database's collation says, but for MySQL and MariaDB, whose own default would take `'a'` and `'A'`
//! for equal: there the tables are `utf8mb4` with a binary collation without padding. For the same order of texts on all
//! engines create the database with one by code points: `C.UTF-8` on PostgreSQL, `Latin1_General_100_BIN2` on SQL Server; or
//! let statements compare by code points whatever the collations are: [`TextMode::Exact`](isogloss_compiler::model::TextMode).
//!
//! A key or an index is refused before anything is sent where the engine has none on the column: on a large object, JSON
//! or XML, unless the engine has that, on MySQL and MariaDB on more than 3,072 bytes, which are 768 characters, and on Oracle
//! on more than the 6,398 bytes that it has in blocks of 8 KiB, of which a text takes 4 for each character, 4,000 at most.
//!
//! An index is called `IX_` and the names of its table and column. Where a name is too long for the engine, or two tables
//! of the catalog would come to the same one, its end is a number made from all of it.
//!
//! There are no foreign keys, no checks and no comments: a catalog's relations are those of its queries.

#[cfg(feature = "ddl")]
mod builder;
#[cfg(feature = "ddl")]
mod draft;
mod inspect;
#[cfg(feature = "ddl")]
mod spelling;

use std::fmt::Debug;

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::model::{Catalog, EntityId};

use crate::Result;
#[cfg(feature = "ddl")]
use draft::Draft;

#[cfg(feature = "ddl")]
pub use builder::Style;
pub use inspect::{Inspection, SyncLock, Wanted, asked};
#[cfg(feature = "ddl")]
pub use spelling::{Number, Spelling, Statement, digits, is_literal, length, quoted, timed};

/// What makes the statements that create and change the tables of a catalog. Of a view they are those of its table.
///
/// Each takes the arguments of a sharded table, and gives statements to run one after the other.
///
/// # Errors
/// An entity or column that is not there, a table argument that is missing or bad, a name of more parts than the engine
/// has, a type or a numbering that the engine lacks.
pub trait Ddl: Debug + Send + Sync {
    /// `CREATE TABLE`, and `CREATE INDEX` for each of its indexes.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn create_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>>;

    /// `ALTER TABLE` that adds the column of a property, and `CREATE INDEX` if it has one. Rows that are there get its
    /// default; without one, a column that is never NULL gives them 0, the empty text, or the first of January 1900.
    ///
    /// # Errors
    /// See [`Ddl`]. A key and a column that the database numbers are not added, nor is a unique one that is never NULL and
    /// has no default, which would be the same in all rows. On Oracle, where the empty text is NULL, a text or binary that
    /// is never NULL and no large object needs a default, and on SQLite a default has to be a constant.
    fn add_column(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        property: &str,
        table_args: &[CompactString],
    ) -> Result<Vec<String>>;

    /// `CREATE INDEX` on the column of a property: a unique one if the catalog says so.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn create_index(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        property: &str,
        table_args: &[CompactString],
    ) -> Result<Vec<String>>;

    /// `DROP TABLE`.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn drop_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>>;

    /// How to learn what is there of the table.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn inspect(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Inspection>;

    /// What keeps others from changing tables meanwhile.
    fn sync_lock(&self) -> SyncLock;
}

#[cfg(feature = "ddl")]
impl<S: Spelling> Ddl for S {
    fn create_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>> {
        Draft::new(self, catalog, entity, table_args)?.create()
    }

    fn add_column(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        property: &str,
        table_args: &[CompactString],
    ) -> Result<Vec<String>> {
        Draft::new(self, catalog, entity, table_args)?.add_column(property)
    }

    fn create_index(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        property: &str,
        table_args: &[CompactString],
    ) -> Result<Vec<String>> {
        Draft::new(self, catalog, entity, table_args)?.create_index(property)
    }

    fn drop_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>> {
        Ok(vec![Draft::new(self, catalog, entity, table_args)?.drop()])
    }

    fn inspect(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Inspection> {
        Ok(Draft::new(self, catalog, entity, table_args)?.inspect())
    }

    fn sync_lock(&self) -> SyncLock {
        Spelling::lock(self)
    }
}
