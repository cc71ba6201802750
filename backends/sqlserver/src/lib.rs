//! Isogloss for SQL Server: how its SQL is spelled.

mod dialect;
mod functions;

pub use dialect::*;
