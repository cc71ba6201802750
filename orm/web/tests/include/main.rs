//! Related rows in rows: `include` of pages, lists and rows. What is the same on every engine also runs on PostgreSQL and
//! MySQL, where `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL` say where they are.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, reason = "a test says what they are for")]

mod described;
mod hostile;
mod keys;
mod limits;
mod lists;
mod mounts;
mod pages;
#[path = "../writes/places.rs"]
mod places;
mod readers;
mod rows;
mod shop;
#[path = "../support/mod.rs"]
#[allow(dead_code, reason = "others use the rest of it")]
mod support;
