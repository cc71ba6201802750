//! The driver of Oracle Database, through the public API of the crate.

#[cfg(feature = "driver")]
mod driver;
