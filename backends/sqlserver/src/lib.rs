//! Isogloss for SQL Server: how its SQL is spelled.

mod cast;
mod concat;
#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;
#[cfg(feature = "ddl")]
mod introspect;
mod list;
mod sheet;

pub use dialect::*;
pub use sheet::*;
