//! Isogloss for Oracle Database: how its SQL is spelled.

mod dialect;
mod functions;
#[cfg(test)]
mod tests;

pub use dialect::*;
