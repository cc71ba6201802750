//! Isogloss for SQLite: how its SQL is spelled.

mod dialect;
mod functions;

pub use dialect::*;
pub use functions::FUNCTIONS;
