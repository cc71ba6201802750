//! DDL from a catalog: the statements that create and change its tables on each engine.
//!
//! With the feature `ddl`, every dialect implements [`Ddl`] by way of `Spelling`. Statements are built by `sea_query`,
//! which supports PostgreSQL, MySQL and SQLite. For SQL Server and Oracle its builder traits are implemented here, as
//! they are for indexes in a schema on MySQL and SQLite, where its own builders panic.
//!
//! Column types follow from the catalog:
//!
//! - A text or binary column without a length has 255 characters or bytes. A length over 4,000 makes it a large object.
//!   A fixed length is treated as a maximum: texts are never padded.
//! - A row of MySQL and MariaDB holds 65,535 bytes, with 4 for each character of text. If the columns need more, the
//!   longest texts and binaries without an index become `TEXT` and `BLOB`, which do not enforce the column's length.
//! - A text on Oracle that is not a large object holds 4,000 bytes whatever its length is. More than 1,000 characters
//!   fit only if some of them take fewer than 4 bytes.
//! - A decimal without a precision is `DECIMAL(18, 2)`, `Currency` is `DECIMAL(19, 4)`, and `VarNumeric` the widest decimal of the
//!   engine: `numeric` on PostgreSQL, `NUMBER` on Oracle, `DECIMAL(65, 30)` on MySQL and MariaDB, `decimal(38, 10)` on SQL Server and
//!   DuckDB.
//! - A time without a precision has 6 fractional digits, 7 on SQL Server. SQLite stores times as text.
//! - A type that an engine lacks is replaced by the nearest one that holds all of its values: an unsigned 32-bit number
//!   is a `bigint`, and an array is JSON on all engines but PostgreSQL.
//! - An identity column on PostgreSQL is a `bigint` even if it is declared as `UInt64` or as a decimal. Such a column
//!   is compared as a decimal, for which the key's index is not used: declare identity keys as `Int64`.
//! - The default of a boolean may be written `0`, `1`, `TRUE` or `FALSE` on all engines.
//!
//! Texts compare by the database's collation. The exceptions are MySQL and MariaDB, whose default treats `'a'` and
//! `'A'` as equal: there tables are `utf8mb4` with a binary collation without padding. To sort texts alike on all
//! engines, create the database with a code point collation (`C.UTF-8` on PostgreSQL, `Latin1_General_100_BIN2` on SQL
//! Server), or let statements compare by code points whatever the collations are:
//! [`TextMode::Exact`](isogloss_compiler::model::TextMode).
//!
//! A key or index that the engine cannot have is refused before anything is sent: on a large object, JSON or XML,
//! unless the engine supports it; on more than 3,072 bytes (768 characters) on MySQL and MariaDB; on more than 6,398
//! bytes on Oracle with blocks of 8 KiB, where a text takes 4 bytes for each character, at most 4,000.
//!
//! Rows with NULL in a column of a unique index are equal to none: SQL Server's index leaves them out by its filter, Oracle's over
//! several columns has no key for them.
//!
//! The name of an index is `IX_` with the names of its table and column. If it is too long for the engine, or two
//! tables of the catalog would get the same one, it ends in a hash of the full name.
//!
//! A join of a catalog describes queries. Foreign keys that the database keeps are declared by
//! [`constraint`](isogloss_compiler::model::TableDef::constraint), and [`Ddl::add_constraints`] adds them when all tables are there,
//! as they may refer to each other in a circle; SQLite has them in the text of the table only. Checks are part of the table.
//!
//! [Comments](isogloss_compiler::model::TableDef::comment) on tables and columns are made with them, on SQL Server as the extended
//! property `MS_Description`. SQLite has no comments, and they are left out there.

#[cfg(feature = "ddl")]
mod builder;
#[cfg(feature = "ddl")]
mod constraints;
#[cfg(feature = "ddl")]
mod diff;
mod difference;
#[cfg(feature = "ddl")]
mod draft;
mod inspect;
#[cfg(feature = "ddl")]
mod spelling;
#[cfg(feature = "ddl")]
mod statement;

use std::fmt::Debug;

use isogloss_compiler::compact_str::CompactString;
use isogloss_compiler::model::{Catalog, EntityId};

use crate::Result;
use crate::introspect::{Introspection, SchemaReport};
#[cfg(feature = "ddl")]
use draft::Draft;

#[cfg(feature = "ddl")]
pub use builder::{IndexSchema, Style};
#[cfg(feature = "ddl")]
pub use diff::{Change, InTheWay, declared, squeezed};
pub use difference::{DiffOptions, Difference, Impact, Lock, Part};
pub use inspect::{ForeignKeysOff, Inspection, SessionLock, SyncLock, Wanted, asked};
#[cfg(feature = "ddl")]
pub use spelling::{ColumnOf, Number, ReferenceEvent, Spelling, comment_on, digits, is_literal, length, quoted, timed};
#[cfg(feature = "ddl")]
pub use statement::{Statement, UniqueNulls};

/// Generates the statements that create and change the tables of a catalog. For a view, they are those of its table.
///
/// Each method takes the table arguments of a sharded table, and returns statements to run in order.
///
/// # Errors
/// The entity or column does not exist, a table argument is missing or invalid, the table's name has more parts than
/// the engine supports, or the engine lacks a type or a kind of numbering.
pub trait Ddl: Debug + Send + Sync {
    /// `CREATE TABLE`, and `CREATE INDEX` for each of the table's indexes.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn create_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>>;

    /// `ALTER TABLE` that adds the column of a property, and `CREATE INDEX` if it has an index.
    ///
    /// Existing rows get the column's default. Without one, a column that is never NULL is filled with 0, the empty
    /// text, or the first of January 1900.
    ///
    /// # Errors
    /// See [`Ddl`]. These columns cannot be added: a key, an identity column, and a unique column that is never NULL
    /// and has no default, as all rows would have the same value. On Oracle, where the empty text is NULL, a text or
    /// binary column that is never NULL and not a large object needs a default. On SQLite a default must be a constant.
    fn add_column(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        property: &str,
        table_args: &[CompactString],
    ) -> Result<Vec<String>>;

    /// `CREATE INDEX` on the column of a property, or `CREATE UNIQUE INDEX` if the catalog says so.
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

    /// `ALTER TABLE` that adds each foreign key that the database keeps, to run when all tables are there. On SQLite there is
    /// none: they are part of the table from [`create_table`](Self::create_table) on.
    ///
    /// # Errors
    /// See [`Ddl`]. The engine has no such action, or defers no foreign keys.
    fn add_constraints(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString])
    -> Result<Vec<String>>;

    /// `DROP TABLE`.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn drop_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>>;

    /// The queries that tell which columns and indexes the table has.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn inspect(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Inspection>;

    /// How concurrent changes of tables are prevented.
    fn sync_lock(&self) -> SyncLock;

    /// The lock that excludes [`sync_lock`](Self::sync_lock) of others over several transactions; `None` if the engine has none.
    fn session_lock(&self) -> Option<SessionLock> {
        None
    }

    /// How foreign keys are turned off while a table is replaced; `None` where `ALTER TABLE` changes what a table has.
    fn foreign_keys_off(&self) -> Option<ForeignKeysOff> {
        None
    }

    /// What introspection would say of the tables of a catalog, sharded ones left out: types are as they are declared.
    ///
    /// # Errors
    /// See [`Ddl`].
    fn expected(&self, catalog: &Catalog, options: &DiffOptions) -> Result<SchemaReport>;

    /// What a database has otherwise than a catalog says, and the statements that mend it. What names `old` the catalog of the
    /// report compares two catalogs: see [`catalog_differences`].
    ///
    /// # Errors
    /// See [`Ddl`].
    fn differences(
        &self,
        now: &SchemaReport,
        old: Option<&Catalog>,
        catalog: &Catalog,
        options: &DiffOptions,
    ) -> Result<Vec<Difference>>;

    /// The queries that [`introspect`](crate::introspect::introspect) asks; none for an engine whose catalog it does not read.
    fn introspection(&self) -> Option<Introspection> {
        None
    }
}

/// What a database has otherwise than a catalog says, by a report of [`introspect`](crate::introspect::introspect).
///
/// Tables, columns, types, whether they may hold NULL, defaults, numbering, primary keys and indexes are compared, by what the
/// engine says of a table that [`Ddl::create_table`] made, and comments where the catalog has one: what the database says by itself
/// was written by hand. What a generated column is computed from is not: engines write its expression anew. Columns, indexes and tables that the catalog does not name are told, and dropped if [`DiffOptions`] say so.
/// Sharded tables are left out.
///
/// # Errors
/// See [`Ddl`].
pub fn differences(
    ddl: &dyn Ddl,
    now: &SchemaReport,
    catalog: &Catalog,
    options: &DiffOptions,
) -> Result<Vec<Difference>> {
    ddl.differences(now, None, catalog, options)
}

/// What makes the tables of one catalog those of another one, without a database. What the new one does not name is dropped.
///
/// # Errors
/// See [`Ddl`].
pub fn catalog_differences(
    ddl: &dyn Ddl,
    old: &Catalog,
    new: &Catalog,
    options: &DiffOptions,
) -> Result<Vec<Difference>> {
    ddl.differences(&ddl.expected(old, options)?, Some(old), new, &options.clone().drop_extra(true))
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

    fn add_constraints(
        &self,
        catalog: &Catalog,
        entity: EntityId,
        table_args: &[CompactString],
    ) -> Result<Vec<String>> {
        Draft::new(self, catalog, entity, table_args)?.constraints()
    }

    fn drop_table(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Vec<String>> {
        Ok(Draft::new(self, catalog, entity, table_args)?.drop())
    }

    fn inspect(&self, catalog: &Catalog, entity: EntityId, table_args: &[CompactString]) -> Result<Inspection> {
        Ok(Draft::new(self, catalog, entity, table_args)?.inspect())
    }

    fn sync_lock(&self) -> SyncLock {
        Spelling::lock(self)
    }

    fn session_lock(&self) -> Option<SessionLock> {
        Spelling::session_lock(self)
    }

    fn foreign_keys_off(&self) -> Option<ForeignKeysOff> {
        Spelling::foreign_keys_off(self)
    }

    fn expected(&self, catalog: &Catalog, options: &DiffOptions) -> Result<SchemaReport> {
        diff::expected(self, catalog, options)
    }

    fn differences(
        &self,
        now: &SchemaReport,
        old: Option<&Catalog>,
        catalog: &Catalog,
        options: &DiffOptions,
    ) -> Result<Vec<Difference>> {
        diff::Diff { spelling: self, now, old, catalog, options }.all()
    }

    fn introspection(&self) -> Option<Introspection> {
        Spelling::questions(self)
    }
}
