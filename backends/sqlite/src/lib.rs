//! Isogloss for SQLite: how its SQL is spelled.

#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
#[cfg(feature = "diesel")]
pub mod diesel;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;
#[cfg(feature = "ddl")]
mod introspect;
#[cfg(feature = "sea-query")]
pub mod sea_query;
mod sheet;
#[cfg(feature = "sqlx")]
pub mod sqlx;
mod times;

pub use dialect::*;
pub use functions::FUNCTIONS;
pub use sheet::*;
