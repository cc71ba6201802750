//! Attacks that must not succeed.

#![allow(clippy::panic, clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod short;
mod statements;
