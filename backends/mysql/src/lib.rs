//! Isogloss for MySQL and MariaDB, and for servers that speak as they do: how their SQL is spelled.
//!
//! [`MySql`] and [`MariaDb`] are dialects; [`galera()`], [`tidb()`], [`vitess()`] and [`aurora_mysql()`] are variants of them.
//! [`by_version()`] chooses by what a server says of itself.
#![cfg_attr(feature = "driver", doc = "With feature `driver`, which is on here, statements also run: see [`driver`].")]

#[cfg(feature = "ddl")]
mod alter;
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
#[cfg(feature = "ddl")]
mod introspect;
mod mariadb;
mod product;
#[cfg(feature = "sea-query")]
pub mod sea_query;
mod sheet;
#[cfg(feature = "sqlx")]
pub mod sqlx;
mod variants;

pub use dialect::*;
pub use mariadb::*;
pub use product::by_version;
pub use sheet::*;
pub use variants::*;
