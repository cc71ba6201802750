//! Helpers that the tests of this workspace share. The crate depends on none of the crates under test.

#![allow(clippy::panic, clippy::unwrap_used, reason = "only tests use it")]

pub mod events;
pub mod random;
pub mod servers;
mod skipped;

pub use skipped::skipped;
