//! The tests that a dialect of one's own has.

mod suite;
mod tables;
