//! The tests of SQL Server's driver beside a server that answers what it is told to.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by them")]

mod driver;
mod giving_up;
mod support;
