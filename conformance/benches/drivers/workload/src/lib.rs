//! What the drivers and the data access layer are measured by: rows, workloads, a harness in which all take turns, and a
//! peer on the other side of a pipe.
//!
//! sqlx has SQLite compiled with `SQLITE_ENABLE_UNLOCK_NOTIFY`, which would change what the others measure. So sqlx and SeaORM
//! are a program of their own. The main program asks it through a pipe to run one workload of one contestant, so that all
//! contestants take turns within one run.

pub mod alloc;
pub mod dao;
mod drivers;
mod harness;
mod pipe;
pub mod settings;

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;
use std::time::Duration;

pub use drivers::*;
pub use harness::{Options, Prepare, measure};
pub use pipe::{Peer, serve};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;
pub type Outcome<T> = Result<T, Failure>;
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What is measured, of one kind of contestants.
pub trait Work: Copy + PartialEq + Display + FromStr<Err = Failure> + Send + Sync + 'static {
    const ALL: &'static [Self];

    /// How many things it does: what its time is divided by.
    fn things(self) -> i64;

    /// How many rows it reads or writes.
    fn rows(self) -> i64 {
        self.things()
    }

    fn about(self) -> &'static str;
}

/// A way to reach an engine.
pub trait Contestant<W = Workload>: Send {
    /// What it is called in the table.
    fn name(&self) -> String;

    /// Runs a workload. Gives the time that it took without what goes before, and how many rows it read or wrote.
    fn run(&mut self, workload: W) -> BoxFuture<'_, Outcome<Option<(Duration, i64)>>>;

    /// What `SELECT` gives for an expression of text: on each of its connections, or on the next of its pool.
    fn ask<'a>(&'a mut self, expression: &'a str) -> BoxFuture<'a, Outcome<Vec<String>>>;
}
