//! What clients write: bodies, constraints and versions, on SQLite, and on the engines of `ISOGLOSS_POSTGRES_URL` and
//! `ISOGLOSS_MYSQL_URL` where those are set. `D.5` in a name is a case of a hostile client.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, reason = "a test says what they are for")]

mod assignment;
mod callers;
mod constraints;
mod insert;
mod late;
mod made;
mod numbers;
mod places;
mod references;
mod replica;
mod shop;
#[allow(dead_code, unreachable_pub, reason = "others use the rest")]
#[path = "../support/mod.rs"]
mod support;
mod unread;
mod update;
mod versions;
