//! Differences between catalogs and databases, and what the runner does with migrations.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod differences;
mod runner;
mod support;
