//! The program `isogloss`: the chapter about it, its use in a shell, and its use with servers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

#[cfg(all(feature = "postgres", feature = "mysql", feature = "sqlite", feature = "sqlserver", feature = "oracle"))]
mod chapter;
#[cfg(all(feature = "postgres", feature = "mysql", feature = "sqlite", feature = "sqlserver", feature = "oracle"))]
mod program;
#[cfg(all(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod servers;
#[cfg(all(feature = "postgres", feature = "mysql", feature = "sqlite"))]
mod support;
