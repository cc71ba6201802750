//! Isogloss for PostgreSQL: how its SQL is spelled.

#[cfg(feature = "ddl")]
mod alter;
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
mod variants;
#[cfg(any(feature = "driver", feature = "diesel", feature = "sqlx"))]
#[cfg_attr(not(feature = "driver"), allow(dead_code, reason = "only the driver reads values"))]
mod wire;

pub use dialect::*;
pub use functions::FUNCTIONS;
pub use sheet::*;
pub use variants::*;
