//! Isogloss for MySQL and MariaDB: how their SQL is spelled.

mod dialect;
mod functions;

pub use dialect::*;
