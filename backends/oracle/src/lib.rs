//! Isogloss for Oracle Database: how its SQL is spelled.

#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
mod functions;
#[cfg(test)]
mod tests;

pub use dialect::*;
