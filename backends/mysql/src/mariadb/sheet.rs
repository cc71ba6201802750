//! The data sheet: what MariaDB has and lacks beside MySQL 8.0.17.

use isogloss_compiler::dialect::{Feature, Sheet, Since, Support};
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use super::functions::FUNCTIONS;

/// The data sheet of MariaDB.
pub static MARIADB_SHEET: Sheet =
    Sheet { name: "mariadb", native: NATIVE, support: MARIADB_SUPPORT, functions: FUNCTIONS, ..crate::SHEET };

pub(super) const NO_RETURNING: &str = "MariaDB gives back rows that it left as they were, too: query them by key";
const NO_JSON: &str = "MariaDB compares JSON by its text before 10.7: compare JsonValue at a path";
pub(super) const NO_WITH: &str = "MariaDB has WITH in front of SELECT only: write the query where it is used";

/// What MySQL lacks and MariaDB has.
const NATIVE: &[Feature] = features![
    NullBesideTexts ArrayInJoin AggregateOrder Intersect Except SetGroupParentheses SetGroupNulls SetZeroSign
    GroupKeyInside SubqueryInJoin ColumnSeconds RegexAny InsertReturning DeleteReturning SelfSubquery
];

/// What differs from MySQL, and since which version.
pub const MARIADB_SUPPORT: &[(Feature, Since)] = &[
    // a = ?                             =>  a = ? AND a COLLATE utf8mb4_nopad_bin = ?
    (Feature::ExactText, Support::Expand(Rule::ExactText).always()),
    (Feature::Lateral, Support::Refuse("MariaDB has no LATERAL: use scalar subqueries or a window").always()),
    // (SELECT a ..) IN (SELECT b ..)    =>  COALESCE((SELECT a ..)) IN (SELECT b ..)
    (Feature::QueryInQuery, Support::Expand(Rule::QueryInCoalesced).always()),
    (Feature::RowOfQueryInQuery, Support::Refuse("MariaDB takes none: compare each value by EXISTS").always()),
    (Feature::OuterInDerived, Support::Refuse("MariaDB has it nowhere: use EXISTS, or a window").always()),
    // DELETE .. IN (?, ?, ...)          =>  the same: a table of the list would be read again for each row
    (Feature::ArrayInChange, Support::Expand(Rule::ListOneByOne).always()),
    // WITH c AS (..) DELETE .. IN (..)  =>  DELETE .. IN (WITH c AS (..) ..)
    (Feature::ChangeWith, Support::Expand(Rule::WriteWith).always()),
    // DELETE FROM t WHERE EXISTS (..)   =>  DELETE T0 FROM t T0 WHERE EXISTS (..)
    (Feature::ExistsInChange, Support::Expand(Rule::ChangeOfTables).always()),
    (Feature::ExistsInChange, Support::Native.since((11, 1, 0))),
    (Feature::LockOf, Support::Expand(Rule::LockJoined).always()),
    (Feature::JsonEqual, Support::Refuse(NO_JSON).always()),
    // data = ?                          =>  JSON_EQUALS(data, ?)
    (Feature::JsonEqual, Support::Native.since((10, 7, 0))),
    // RANK() OVER ()                    =>  RANK() OVER (ORDER BY NULL)
    (Feature::WindowWithoutOrder, Support::Expand(Rule::WindowOrderNull).always()),
];
