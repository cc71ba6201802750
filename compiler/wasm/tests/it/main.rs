//! Asks the functions of the npm package.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]

mod answers;
mod bytes;
