//! Isogloss for Oracle Database: how its SQL is spelled.

mod dialect;
mod functions;

pub use dialect::*;
