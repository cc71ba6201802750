//! MariaDB Galera, a cluster whose nodes all take writes: a variant of MariaDB.
//!
//! Its SQL is MariaDB's. What differs is when others see a write, and which transactions fail: see the driver.

use isogloss_compiler::dialect::{Dialect, Sheet};

use super::{inherited, label};
use crate::MariaDb;

/// The data sheet of MariaDB Galera, which differs from MariaDB in nothing.
pub static GALERA_SHEET: Sheet =
    Sheet { name: "galera", native: &[], support: &[], functions: &[], ..crate::MARIADB_SHEET };

/// MariaDB Galera in a version of MariaDB: what [`galera`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Galera {
    version: isogloss_compiler::dialect::Version,
    pub(crate) base: MariaDb,
}

/// MariaDB Galera in a version of MariaDB. Its SQL is MariaDB's; its tables are made without a lock by name, which is one of each
/// node.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// use isogloss_mysql::galera;
///
/// assert_eq!(galera(10, 11).label(), "galera 10.11");
/// ```
#[must_use]
pub const fn galera(major: u16, minor: u16) -> Galera {
    Galera { version: (major, minor, 0), base: MariaDb::new(major, minor) }
}

impl Dialect for Galera {
    fn sheet(&self) -> &'static Sheet {
        &GALERA_SHEET
    }

    fn label(&self) -> String {
        label(&GALERA_SHEET, self.version)
    }

    inherited!();
}
