//! Faults that must lose nothing.

#![allow(clippy::indexing_slicing, clippy::print_stdout, clippy::unwrap_used, reason = "a test may fail")]

mod galera;
mod replication;
mod short;
