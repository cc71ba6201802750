//! Runs statements on SQLite.
//!
//! SQLite answers in a microsecond what a hop to another thread takes twenty for, and may as well take a minute. So a
//! statement earns its place: one that has been quick runs where the caller stands, any other one on a thread for
//! what blocks. One that is not known yet is tried in place if it only reads, under a budget: SQLite gives it up when
//! that is used, and it begins again on the other thread.

mod connection;
mod error;
mod pace;
mod pool;
mod slot;
mod value;

pub use connection::SqliteConnection;
pub use pool::{SqliteBackend, SqliteOptions};
