//! Isogloss for SQL Server: how its SQL is spelled.

mod dialect;
mod functions;
mod list;

pub use dialect::*;
