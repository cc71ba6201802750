//! Speed of SQL builders beside each other: identical inputs, as equal texts as the builders allow.
//!
//! See `README.md` of this folder for how to run it and what is measured.

pub mod alloc;
pub mod data;
pub mod measure;
pub mod peer;
pub mod peers;
pub mod report;
pub mod tokens;

/// Counts every allocation of the process, whatever contestant asks for it.
#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;
