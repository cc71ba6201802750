//! Clients that mean no good: what they send, and that it gets them nothing. The numbers of cases are those of a list that
//! was made of what other filter APIs had to mend; `case_07_..` is the seventh of them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, reason = "a test says what they are for")]

mod app;
mod limits;
mod load;
mod logic;
mod names;
mod nodes;
mod objects;
mod size;
#[path = "../support/mod.rs"]
#[allow(dead_code, unreachable_pub, reason = "others use the rest of it")]
mod support;
mod tokens;
mod transport;
mod values;
