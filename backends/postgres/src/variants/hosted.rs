//! PostgreSQL itself over another storage. It has names of its own for labels, traces and replicas, and inherits all else.

use isogloss_compiler::dialect::{Sheet, Variant};

use crate::{Postgres, SHEET};

/// The data sheet of Aurora PostgreSQL.
pub static AURORA_POSTGRES_SHEET: Sheet =
    Sheet { name: "aurora_postgres", native: &[], support: &[], functions: &[], ..SHEET };

/// The data sheet of AlloyDB.
pub static ALLOYDB_SHEET: Sheet = Sheet { name: "alloydb", native: &[], support: &[], functions: &[], ..SHEET };

/// The data sheet of Neon.
pub static NEON_SHEET: Sheet = Sheet { name: "neon", native: &[], support: &[], functions: &[], ..SHEET };

/// Amazon Aurora PostgreSQL, by the version of PostgreSQL that it is.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// use isogloss_postgres::{Postgres, aurora_postgres};
///
/// let dialect = aurora_postgres(16, 6);
/// assert_eq!(dialect.label(), "aurora_postgres 16.6");
/// assert_eq!(dialect.inherited(), &Postgres::V16);
/// ```
#[must_use]
pub const fn aurora_postgres(major: u16, minor: u16) -> Variant<Postgres> {
    Variant::new(&AURORA_POSTGRES_SHEET, (major, minor, 0), Postgres::new(major))
}

/// Google AlloyDB, by the version of PostgreSQL that it is.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// assert_eq!(isogloss_postgres::alloydb(16, 3).label(), "alloydb 16.3");
/// ```
#[must_use]
pub const fn alloydb(major: u16, minor: u16) -> Variant<Postgres> {
    Variant::new(&ALLOYDB_SHEET, (major, minor, 0), Postgres::new(major))
}

/// Neon, by the version of PostgreSQL that it is.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// assert_eq!(isogloss_postgres::neon(17, 2).label(), "neon 17.2");
/// ```
#[must_use]
pub const fn neon(major: u16, minor: u16) -> Variant<Postgres> {
    Variant::new(&NEON_SHEET, (major, minor, 0), Postgres::new(major))
}
