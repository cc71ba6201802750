//! Isogloss for DuckDB: how its SQL is spelled.

#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;
mod sheet;

pub use dialect::*;
pub use functions::FUNCTIONS;
pub use sheet::*;
