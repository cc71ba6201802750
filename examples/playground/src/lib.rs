//! A page: a query tree as JSON, its SQL in every dialect and version, and its rows.
//!
//! `page` has the files that the browser gets, `server` answers it, and `engine` runs queries. The compiler runs in the browser
//! where it has been built for it; the server answers the same otherwise.

pub mod args;
pub mod engine;
pub mod page;
pub mod server;
