//! Isogloss for MySQL and MariaDB: how its SQL is spelled.

mod dialect;
mod functions;

pub use dialect::*;
