//! Isogloss for PostgreSQL: how its SQL is spelled.

mod dialect;
#[cfg(feature = "driver")]
pub mod driver;
mod functions;

pub use dialect::*;
pub use functions::FUNCTIONS;
