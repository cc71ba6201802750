//! What a stranger can do with a tree that passes a policy, and with one that does not.
//!
//! [`noninterference`]: of two databases that differ only in what a stranger may not see, no tree tells which one it was
//! asked of. [`injection`]: a hostile text is data wherever it may come in, or refused. [`mutation`]: a tree that is changed at random, byte by byte, is refused or runs, and nothing panics.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a program that tests"
)]

pub mod chance;
pub mod injection;
pub mod mutation;
pub mod noninterference;
pub mod payloads;
#[path = "../../src/servers.rs"]
pub mod servers;
pub mod shop;
pub mod strangers;

use std::error::Error;

/// What an attack comes to: what was tried, or what came through.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;
