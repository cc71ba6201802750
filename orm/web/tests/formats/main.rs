//! The forms of a list, the query string of requirement A12, and pages by cursor: case 29 of hostile requests, and part E of
//! what is customary in HTTP. The walks also run on PostgreSQL and MySQL, where `ISOGLOSS_POSTGRES_URL` and
//! `ISOGLOSS_MYSQL_URL` say where they are.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, reason = "a test says what they are for")]

mod counts;
mod cursors;
#[path = "../../../tests/it/support/engines.rs"]
#[allow(dead_code, reason = "others use the rest of it")]
mod engines;
mod items;
mod lists;
mod query_strings;
#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "others use the rest of it")]
mod support;
mod walks;
