//! What controllers and handlers are measured by: the tables and their rows, the requests, the routes of what is written by
//! hand, and the program around a router.

pub mod data;
pub mod handlers;
mod program;
mod requests;

pub use program::{Arguments, run, worker};
pub use requests::{Form, Workload, of};
pub use workload::{Failure, Outcome};

/// How many connections each contestant has to its database.
pub const POOL: usize = 8;
