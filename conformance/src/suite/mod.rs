//! The conformance suite: cases as data, and what runs them on an engine.
//!
//! A [`Case`] is a tree in the JSON notation, and what every engine must answer to it: rows, a refusal, or what a write
//! has done. Groups of cases are the files of a folder, and so are the schemas with their rows; the README beside them
//! says how they are written. What an engine need not have is a [`Requirement`]: it is read off the dialect's own
//! support and function tables, so an engine that lacks it must refuse the case by a typed error.
//!
//! [`run()`] runs a suite on an [`Engine`]: one of those that [`connect`] knows, or a third party's.
//!
//! ```
//! use isogloss_conformance::suite::{self, Suite};
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let engine = suite::connect("sqlite", None).await?;
//! let suite = Suite::own()?;
//! let report = suite::run(&*engine, &suite, |case| case.group == "nulls", |_| {}).await?;
//! assert_eq!(report.failures().count(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod case;
#[cfg(feature = "containers")]
mod containers;
mod ddl;
mod engine;
mod error;
mod evaluate;
#[cfg(feature = "engines")]
mod known;
mod mirror;
mod plan;
mod report;
mod requirement;
mod run;
mod schema;
#[cfg(all(test, feature = "engines"))]
mod tests;
mod value;

pub use case::{By, Case, Check, Expect, Group, Refusal, Rows, Suite};
#[cfg(feature = "containers")]
pub use containers::{CONTAINERS, Container, Running};
pub use engine::Engine;
pub use error::SuiteError;
pub use evaluate::{Verdict, bless};
#[cfg(feature = "engines")]
pub use known::{Brownfield, ENGINES, brownfield, connect, every_version};
pub use plan::{DryRun, dry_run, unasked};
pub use report::{CaseResult, Failure, Matrix, Outcome, Report, Tally, json, junit, visible};
pub use requirement::{REQUIREMENTS, Requirement};
pub use run::{NoAnswer, answers, answers_as, run};
pub use schema::{Schema, SchemaTable};
