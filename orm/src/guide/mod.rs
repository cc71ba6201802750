//! How to: pages of examples that run.
//!
//! Each has all there is to say of its topic. A way through them for a newcomer is the book in the repository's `docs`.
//!
//! They are about one small shop:
//!
//! ```
#![doc = include_str!("shop.rs")]
//! # fn main() { assert!(shop().is_ok()); }
//! ```
//!
//! The portable functions are in a table of their own: [`functions`](crate::functions). The JSON notation is at
//! [`json`](crate::json).

pub mod catalog;
#[cfg(feature = "entities")]
pub mod conditions;
pub mod drivers;
#[cfg(all(feature = "entities", feature = "sqlite"))]
pub mod entities;
pub mod queries;
#[cfg(all(feature = "driver", feature = "sqlite"))]
pub mod running;
#[cfg(all(feature = "orm", feature = "sqlite"))]
pub mod sessions;
pub mod sql;
#[cfg(all(feature = "ddl", feature = "sqlite"))]
pub mod tables;
pub mod web;
pub mod writes;
