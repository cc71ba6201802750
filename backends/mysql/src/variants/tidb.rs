//! TiDB, 6.5 and later: a variant of MySQL.
//!
//! What it shares with MySQL is what MySQL 8.0.17 has, and before its collation `utf8mb4_0900_bin`, 8.0.16: it takes no
//! `INSERT .. AS new`. Its grammar wants a literal behind ESCAPE and SEPARATOR, and its regular expressions are RE2's.

use std::borrow::Cow;

use isogloss_compiler::Result;
use isogloss_compiler::dialect::{Dialect, Feature, RowsSource, RowsWrite, Sense, Sheet, Since, Support, Version};
use isogloss_compiler::expr::DbType;
use isogloss_compiler::features;
use isogloss_compiler::frame::{Lock, Scalar};
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::render::Writer;

use super::{inherited, label};
use crate::MySql;
use crate::dialect::{escaped, regexp_operator};
use crate::functions::{REGEXP_COUNT, REGEXP_REPLACE, REGEXP_SUBSTR};

/// The data sheet of TiDB.
pub static TIDB_SHEET: Sheet = Sheet {
    name: "tidb",
    native: features![Intersect Except RegexBorder ExistsInChange],
    support: TIDB_SUPPORT,
    functions: &[REGEXP_REPLACE, REGEXP_SUBSTR, REGEXP_COUNT],
    ..crate::SHEET
};

const NO_SHARE: &str = "TiDB's FOR SHARE locks nothing: lock for update";
const NO_SKIP: &str = "TiDB has no SKIP LOCKED: fail at once by NOWAIT, and try another row";
const NO_ROUND: &str = "TiDB's rounds take plain rows and no more: do the rest outside of the recursion";
const NO_RE2: &str = "its regular expressions are RE2's, which have none: compare in the program";

/// What differs from MySQL, and since which version.
pub const TIDB_SUPPORT: &[(Feature, Since)] = &[
    // Since 8.5.7 it reads the word, and refuses to plan it.
    (Feature::Lateral, Support::Refuse("TiDB runs no LATERAL: use scalar subqueries or a window").always()),
    (Feature::OuterInDerived, Support::Refuse("TiDB has it nowhere: use EXISTS, or a window").always()),
    // a IN (SELECT v FROM JSON_TABLE(?, ...))  =>  a IN (?, ?, ...)
    (Feature::ArrayParameter, Support::Expand(Rule::ListOneByOne).always()),
    (Feature::SubqueryInJoin, Support::Refuse("TiDB takes no subquery behind ON: put it into the filter").always()),
    (Feature::RecursiveClauses, Support::Refuse(NO_ROUND).always()),
    (Feature::LockShare, Support::Refuse(NO_SHARE).always()),
    (Feature::LockSkipLocked, Support::Refuse(NO_SKIP).always()),
    // FOR UPDATE OF T0                         =>  FOR UPDATE
    (Feature::LockOf, Support::Expand(Rule::LockJoined).always()),
    (Feature::RegexLook, Support::Refuse(NO_RE2).always()),
    (Feature::RegexReference, Support::Refuse(NO_RE2).always()),
];

/// TiDB in a version: what [`tidb`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TiDb {
    version: Version,
    pub(crate) base: MySql,
}

/// TiDB in a version of its own: 8.5 is what says `8.0.11-TiDB-v8.5.1` of itself.
///
/// ```
/// use isogloss_compiler::dialect::Dialect;
/// use isogloss_mysql::tidb;
///
/// assert_eq!(tidb(8, 5).label(), "tidb 8.5");
/// ```
#[must_use]
pub const fn tidb(major: u16, minor: u16) -> TiDb {
    // `utf8mb4_0900_bin` came with 7.4.
    let old = major < 7 || major == 7 && minor < 4;
    TiDb { version: (major, minor, 0), base: MySql::new(8, 0, if old { 16 } else { 17 }) }
}

impl Dialect for TiDb {
    fn sheet(&self) -> &'static Sheet {
        &TIDB_SHEET
    }

    fn label(&self) -> String {
        label(&TIDB_SHEET, self.version)
    }

    inherited!();

    /// It has no other lock.
    fn lock(&self, w: &mut Writer<'_, '_>, lock: Lock<'_>) {
        w.text(" FOR UPDATE");
        w.lock_wait(lock.wait);
    }

    /// Behind ESCAPE stands a literal, whose backslash hangs on the mode of the session; without it, the escape is one in any mode.
    fn like_escape(&self) -> &'static str {
        ""
    }

    /// Behind SEPARATOR stands a literal. A backslash is doubled, as the default mode has it.
    fn bare_text(&self, w: &mut Writer<'_, '_>, text: &str) {
        w.text_literal(&text.replace('\\', "\\\\"));
    }

    fn regex<'e>(
        &self,
        w: &mut Writer<'_, 'e>,
        text: &Scalar<'_, 'e>,
        pattern: &Scalar<'_, 'e>,
        sense: Sense,
    ) -> Result<()> {
        regexp_operator(w, text, pattern, sense)
    }

    /// It takes `\1` for a group.
    fn regexp_replacement<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        Some(escaped(text, &['\\']))
    }

    /// It has no JSON_TABLE.
    fn rows_source(&self, _: RowsWrite, _: &[DbType]) -> Result<Option<RowsSource>> {
        Ok(None)
    }

    fn materialize_hint(&self, _alias: &str) -> Option<String> {
        None
    }
}
