//! The guide: a page for each topic, with examples that run.
//!
//! Newcomers find a way through the topics in the book, which is in the repository's `docs`.
//!
//! The examples use one small shop:
//!
//! ```
#![doc = include_str!("shop.rs")]
//! # fn main() { assert!(shop().is_ok()); }
//! ```
//!
//! The portable functions are listed at [`functions`](crate::functions), the JSON notation is described at
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
