//! Vitess, and PlanetScale, which is one: a variant of MySQL.
//!
//! What it hands on to one shard is MySQL's. What its planner refuses over shards stands in its data sheet as far as a statement
//! shows it: which tables are in one shard, only Vitess knows.

use isogloss_compiler::Result;
use isogloss_compiler::dialect::{
    Dialect, Distribution, Feature, RowsSource, RowsWrite, Sheet, Since, Support, Version,
};
use isogloss_compiler::expr::DbType;
use isogloss_compiler::features;
use isogloss_compiler::legalize::Rule;

use super::inherited;
use crate::MySql;

/// The data sheet of Vitess with sharded keyspaces.
pub static VITESS_SHEET: Sheet = Sheet {
    name: "vitess",
    // Its VSchema names a primary vindex for each table.
    distribution: Distribution::Elsewhere,
    native: features![ExistsInChange],
    support: VITESS_SUPPORT,
    functions: &[],
    ..crate::SHEET
};

const NO_WINDOW: &str =
    "Vitess has none in a sharded keyspace: compute it in the program, or take MySQL's dialect where none is";
const NO_RECURSION: &str = "Vitess has it since 21, as an experiment: ask for each level";
const NO_LATERAL: &str = "Vitess has none in a sharded keyspace: use a join, or a query of its own";

/// What differs from MySQL where a keyspace is sharded, and since which version it no longer does.
pub const VITESS_SUPPORT: &[(Feature, Since)] = &[
    (Feature::Window, Support::Refuse(NO_WINDOW).always()),
    (Feature::Recursion, Support::Refuse(NO_RECURSION).always()),
    (Feature::Recursion, Support::Native.since((21, 0, 0))),
    (Feature::Lateral, Support::Refuse(NO_LATERAL).always()),
    (Feature::OuterInDerived, Support::Refuse(NO_LATERAL).always()),
    // a IN (SELECT v FROM JSON_TABLE(?, ...))  =>  a IN (?, ?, ...)
    (Feature::ArrayParameter, Support::Expand(Rule::ListOneByOne).always()),
];

/// Vitess in a version: what [`vitess`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Vitess {
    version: Version,
    pub(crate) base: MySql,
}

/// Vitess in a version of its own, with sharded keyspaces. Where none is sharded, it hands statements on as they are: that is
/// [`MySql::V8_0_19`] since 21, and `MySql::new(8, 0, 17)` before.
///
/// ```
/// use isogloss_compiler::dialect::{Dialect, Feature, Support};
/// use isogloss_mysql::vitess;
///
/// let vitess = vitess(22);
/// assert_eq!(vitess.label(), "vitess 22");
/// assert!(matches!((&vitess as &dyn Dialect).support()[Feature::Window as usize], Support::Refuse(_)));
/// ```
#[must_use]
pub const fn vitess(major: u16) -> Vitess {
    // The grammar has `INSERT .. AS new` since 21.
    let base = MySql::new(8, 0, if major < 21 { 17 } else { 19 });
    Vitess { version: (major, 0, 0), base }
}

impl Dialect for Vitess {
    fn sheet(&self) -> &'static Sheet {
        &VITESS_SHEET
    }

    fn label(&self) -> String {
        format!("vitess {}", self.version.0)
    }

    inherited!();

    /// Over shards, it has no JSON_TABLE, and no UPDATE of two tables.
    fn rows_source(&self, _: RowsWrite, _: &[DbType]) -> Result<Option<RowsSource>> {
        Ok(None)
    }
}
