//! Servers that speak as MySQL or MariaDB does, and differ in some things.
//!
//! Each says in a file of its own what differs, in a data sheet and a few hooks, and has the rest from its base in the version
//! that it follows.

mod galera;
mod tidb;
mod vitess;

use isogloss_compiler::dialect::{Sheet, Variant, Version};

pub use self::galera::{GALERA_SHEET, Galera, galera};
pub use self::tidb::{TIDB_SHEET, TIDB_SUPPORT, TiDb, tidb};
pub use self::vitess::{VITESS_SHEET, VITESS_SUPPORT, Vitess, vitess};
use crate::MySql;

/// What a variant with hooks of its own takes from its base, where the trait has no default that does.
macro_rules! inherited {
    () => {
        fn version(&self) -> isogloss_compiler::dialect::Version {
            self.version
        }

        fn base(&self) -> Option<&dyn isogloss_compiler::dialect::Dialect> {
            Some(&self.base)
        }

        fn cast_type(&self, ty: isogloss_compiler::expr::DbType) -> isogloss_compiler::Result<&'static str> {
            self.base.cast_type(ty)
        }

        fn lexis(&self) -> isogloss_compiler::Lexis {
            self.base.lexis()
        }

        fn in_array<'e>(
            &self,
            w: &mut isogloss_compiler::render::Writer<'_, 'e>,
            node: &isogloss_compiler::frame::In<'_, 'e>,
            array: isogloss_compiler::frame::Param<'e>,
            ty: isogloss_compiler::expr::DbType,
        ) -> isogloss_compiler::Result<()> {
            self.base.in_array(w, node, array, ty)
        }

        fn format_pattern(
            &self,
            pattern: &[isogloss_compiler::dialect::FormatToken<'_>],
        ) -> isogloss_compiler::Result<String> {
            self.base.format_pattern(pattern)
        }
    };
}
use inherited;

/// The label of a variant that counts its versions by two numbers.
fn label(sheet: &Sheet, (major, minor, _): Version) -> String {
    format!("{} {major}.{minor}", sheet.name)
}

/// The data sheet of Aurora MySQL, which differs from MySQL in nothing.
pub static AURORA_MYSQL_SHEET: Sheet =
    Sheet { name: "aurora-mysql", native: &[], support: &[], functions: &[], ..crate::SHEET };

/// Amazon Aurora MySQL in a version of its own, which is in SQL the MySQL that it is compatible with: what `AURORA_VERSION()` and
/// `VERSION()` say of it.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// use isogloss_mysql::{MySql, aurora_mysql};
///
/// let aurora = aurora_mysql(3, 8, MySql::new(8, 0, 39));
/// assert_eq!(aurora.label(), "aurora-mysql 3.8");
/// ```
#[must_use]
pub const fn aurora_mysql(major: u16, minor: u16, base: MySql) -> Variant<MySql> {
    Variant::new(&AURORA_MYSQL_SHEET, (major, minor, 0), base)
}
