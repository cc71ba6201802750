//! Isogloss' cases: one expression, its SQL in five dialects, and the checks that hold it.
//!
//! A case is a name, an expression over the [sample catalog](isogloss_compiler::model::sample) and what is asked of
//! it. Its [snapshot](stone::stone) is one file in the repository's `snapshots` folder, to be read like code: text
//! that an expert in the engine would not write by hand is a defect.

#[cfg(feature = "engines")]
pub mod calls;
#[cfg(feature = "engines")]
mod case;
#[cfg(feature = "engines")]
pub mod cases;
pub mod data;
pub mod evaluator;
pub mod generate;
#[cfg(feature = "engines")]
pub mod judge;
#[cfg(feature = "engines")]
pub mod stone;
pub mod suite;
#[cfg(feature = "engines")]
mod targets;
#[cfg(feature = "engines")]
pub mod tpch;

#[cfg(feature = "engines")]
pub use case::{Case, case};
#[cfg(feature = "engines")]
pub use targets::{Target, other_versions, targets};
