//! Citus, an extension of PostgreSQL: tables whose rows lie on several servers.

use isogloss_compiler::dialect::{Distribution, Feature, Sheet, Since, Support, Variant};

use crate::{Postgres, SHEET};

/// The data sheet of Citus.
pub static CITUS_SHEET: Sheet = Sheet {
    name: "citus",
    // https://docs.citusdata.com/en/stable/develop/api_udf.html#create-distributed-table
    distribution: Distribution::Statement("SELECT create_distributed_table({table}, {column})"),
    native: &[],
    support: CITUS_SUPPORT,
    functions: &[],
    ..SHEET
};

/// What differs from PostgreSQL.
pub const CITUS_SUPPORT: &[(Feature, Since)] = &[
    // NOT EXISTS (SELECT 1 FROM t WHERE x = a)  =>  a NOT IN (SELECT x FROM t), which need not be joined on the distribution column
    (Feature::NotInQuery, Support::Native.always()),
];

/// Citus in a version, on PostgreSQL in another one.
///
/// A table with a [distribution key](isogloss_compiler::model::ColumnDef::distribution_key) is distributed by it when table sync
/// makes it. What Citus cannot do with such tables is refused where a statement shows it: an INSERT without the key, a change of
/// it. Where it depends on other tables, it is an error of the server: a subquery or an outer join on other columns.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// use isogloss_postgres::{Postgres, citus};
///
/// let dialect = citus(13, 0, Postgres::V16);
/// assert_eq!(dialect.label(), "citus 13.0");
/// assert_eq!(dialect.inherited(), &Postgres::V16);
/// ```
#[must_use]
pub const fn citus(major: u16, minor: u16, postgres: Postgres) -> Variant<Postgres> {
    Variant::new(&CITUS_SHEET, (major, minor, 0), postgres)
}
