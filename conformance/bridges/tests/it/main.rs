//! Compiled statements on connections of diesel and diesel-async, and filters in queries of sea-query.
//!
//! SQLite is always asked. PostgreSQL, MariaDB and MySQL are asked where `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` name
//! servers, separated by blanks.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod diesel;
mod diesel_async;
mod sea_query;
