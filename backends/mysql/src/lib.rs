//! Isogloss for MySQL and MariaDB: how their SQL is spelled.
#![cfg_attr(feature = "driver", doc = "With feature `driver`, which is on here, statements also run: see [`driver`].")]

#[cfg(any(feature = "diesel", feature = "sqlx"))]
mod bind;
#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
#[cfg(feature = "diesel")]
pub mod diesel;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;
#[cfg(feature = "sea-query")]
pub mod sea_query;
mod sheet;
#[cfg(feature = "sqlx")]
pub mod sqlx;

pub use dialect::*;
pub use sheet::*;
