//! Isogloss for Oracle Database: how its SQL is spelled.

#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;
#[cfg(feature = "ddl")]
mod introspect;
mod sheet;
#[cfg(test)]
mod tests;

pub use dialect::*;
pub use sheet::*;
