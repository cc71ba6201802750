//! Cases: an expression over the [sample catalog](isogloss_compiler::model::sample), and what is asked of it.
//!
//! The [snapshot](stone::stone) of a case is one file in the repository's `snapshots` folder, to be read like code: text
//! that an expert in the engine would not write by hand is a defect.

pub mod calls;
mod case;
pub mod cases;
pub mod stone;
mod targets;

pub use case::{Case, case};
pub use targets::{Target, other_versions, targets};
