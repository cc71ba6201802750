//! The tests of the facade, a module a topic. What derives register at link time is shared by all of them, so each test
//! builds its catalog from the entities that it names.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test stops where it fails"
)]
#![allow(clippy::print_stdout, reason = "tests say where they run, and why they are skipped")]
#![allow(unreachable_pub, reason = "entities are public as in a program")]

mod book;
mod calls;
mod condition_rows;
mod conditions;
mod container;
mod dao;
mod entities;
mod relations;
mod requirements;
mod scopes;
mod services;
mod sessions;
mod support;
mod telemetry;
mod ui;
