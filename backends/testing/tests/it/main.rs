//! The doubles of databases, through the public API of the crate.

mod doubles;
