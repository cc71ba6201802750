//! YugabyteDB's YSQL, 2025.1 and later: PostgreSQL 15 over a distributed storage.

use isogloss_compiler::dialect::{Feature, Sheet, Since, Support, Variant};

use crate::{Postgres, SHEET};

/// The data sheet of YugabyteDB.
pub static YUGABYTEDB_SHEET: Sheet =
    Sheet { name: "yugabytedb", native: &[], support: YUGABYTEDB_SUPPORT, functions: &[], ..SHEET };

/// What differs from PostgreSQL.
pub const YUGABYTEDB_SUPPORT: &[(Feature, Since)] = &[
    (
        Feature::LockNoWait,
        Support::Refuse(
            "YugabyteDB heeds it in some isolation levels only, and waits in the others: use SKIP LOCKED, or a limit for the \
             statement",
        )
        .always(),
    ),
];

/// YugabyteDB in a version of 2025.1 or later, whose parser and executor are those of PostgreSQL 15.
///
/// Earlier ones are PostgreSQL 11, which is older than any that Isogloss knows: the driver refuses them.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// use isogloss_postgres::{Postgres, yugabytedb};
///
/// let dialect = yugabytedb(2025, 1);
/// assert_eq!(dialect.label(), "yugabytedb 2025.1");
/// assert_eq!(dialect.inherited(), &Postgres::V15);
/// ```
#[must_use]
pub const fn yugabytedb(major: u16, minor: u16) -> Variant<Postgres> {
    Variant::new(&YUGABYTEDB_SHEET, (major, minor, 0), Postgres::V15)
}
