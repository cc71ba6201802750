//! Isogloss for MySQL and MariaDB: how their SQL is spelled.

#[cfg(feature = "ddl")]
mod ddl;
mod dialect;
mod functions;

pub use dialect::*;
