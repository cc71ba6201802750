//! Part B of the specification: the endpoints of a controller, each test named by the number of its requirement.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]
#![allow(missing_docs, reason = "a test says what they are for")]

mod controllers;
mod endpoints;
mod engines;
mod errors;
mod page;
#[path = "../writes/places.rs"]
mod places;
mod rows;
mod served;
#[path = "../support/mod.rs"]
mod support;
