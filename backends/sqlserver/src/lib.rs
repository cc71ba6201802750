//! Isogloss for SQL Server: how its SQL is spelled.

mod cast;
mod concat;
mod dialect;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;
mod list;

pub use dialect::*;
