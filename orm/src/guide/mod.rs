//! How to: pages of examples that run.
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
pub mod drivers;
pub mod queries;
#[cfg(all(feature = "driver", feature = "sqlite"))]
pub mod running;
pub mod sql;
#[cfg(all(feature = "ddl", feature = "sqlite"))]
pub mod tables;
pub mod web;
pub mod writes;
