//! Isogloss for SQL Server: how its SQL is spelled.

mod cast;
mod concat;
mod dialect;
mod functions;
mod list;

pub use dialect::*;
