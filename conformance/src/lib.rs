//! The conformance suite: trees in JSON with the rows that every engine must return, and what holds the engines to it.
//!
//! [`suite`] runs the cases, [`evaluator`] computes their rows without an engine, [`generate`] draws random trees, [`edges`]
//! has calls of all functions over NULL and empty arguments, and [`judge`] checks the SQL for engines that cannot be run.

pub mod data;
pub mod edges;
pub mod evaluator;
pub mod generate;
#[cfg(feature = "engines")]
pub mod judge;
pub mod suite;
#[cfg(feature = "engines")]
pub mod tpch;
