//! Tests of the whole: texts in every dialect, random trees, and statements on the engines that are at hand.
//!
//! `cargo test -p isogloss-conformance --test it kept::` runs one module. SQLite always runs; the servers are those of
//! `ISOGLOSS_POSTGRES_URL` and `ISOGLOSS_MYSQL_URL`, with blanks between several.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by them"
)]

mod architecture;
mod assignments;
mod bind;
mod columns;
mod condition;
mod coverage;
mod ddl;
mod engines;
mod generate;
mod generated;
mod hostile;
mod judges;
mod kept;
mod lexis;
mod linear;
mod many_rows;
mod paths;
mod places;
mod policy;
mod readme;
mod refusals;
mod regex;
mod runner;
mod schema;
mod scopes;
mod sheets;
mod stand_ins;
mod support;
