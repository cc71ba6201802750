//! Controllers as their clients see them, on SQLite, and where `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name servers
//! also on those.
//!
//! Several modules have entities of the same name, so that each builds a catalog of its own.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, unreachable_pub, reason = "nobody else uses a test")]

mod controllers;
mod formats;
mod hostile;
mod include;
#[cfg(feature = "openapi")]
mod openapi;
mod prelude;
mod spec;
mod support;
mod writes;
