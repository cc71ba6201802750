//! The driver of DuckDB, through the public API of the crate.

mod duckdb;
