//! TPC-H: the crate of that name, and its queries as cases.

pub use isogloss_tpch::*;

use isogloss_cases::{Case, case};

/// The queries as cases over [`catalog`], by the names of their snapshots in the topic `tpch`.
#[must_use]
pub fn cases() -> Vec<Case> {
    queries(SCALE).into_iter().map(|query| case(query.name(), query.expr)).collect()
}
