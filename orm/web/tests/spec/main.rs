//! Part B of the specification: the endpoints of a controller, each test named by the number of its requirement.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, reason = "a test says what they are for")]

mod controllers;
mod endpoints;
mod errors;
mod page;
mod rows;
mod served;
#[path = "../support/mod.rs"]
mod support;
