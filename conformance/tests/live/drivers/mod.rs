//! What every driver must do, through `dyn Backend`: each test on each engine that is at hand.
//!
//! SQLite is there always, and DuckDB with the feature of that name. The servers are those of `ISOGLOSS_POSTGRES_URL`,
//! `ISOGLOSS_MYSQL_URL` (MariaDB, too), `ISOGLOSS_SQLSERVER_URL` and `ISOGLOSS_ORACLE_URL`, with blanks between; an engine without
//! one is listed as ignored, and so is a test that is not for an engine. A name given to the program narrows it: `cargo test -p isogloss-conformance --test live streams::`.
//!
//! A test is an `async fn` over a [`Site`] in the file of its topic, named in the list at the file's beginning; its doc says what
//! must hold. What is special about an engine is a method of [`Engine`](engine::Engine), whose default is the usual case. A
//! driver joins by a file in `engines` that implements it, and a line in `engines::all`.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test fails by them")]

/// The tests of a topic. Those behind `; threads` run with two threads for tasks, the others with their own alone.
macro_rules! tests {
    ($($name:ident)* $(; threads $($threaded:ident)*)?) => {
        pub const TESTS: &[crate::drivers::Test] = &[
            $(crate::drivers::Test { name: stringify!($name), threads: false, run: |site| Box::pin($name(site)) },)*
            $($(crate::drivers::Test { name: stringify!($threaded), threads: true, run: |site| Box::pin($threaded(site)) },)*)?
        ];
    };
}

mod bulk;
mod doubt;
mod drops;
mod endings;
mod engine;
mod engines;
mod errors;
mod faults;
mod introspect;
mod keys;
mod pool;
mod rows;
mod sessions;
mod site;
#[path = "../../../../backends/driver/testing/statements.rs"]
mod statements;
mod streams;
mod times;
mod transactions;
#[path = "../../../../backends/driver/testing/values.rs"]
mod typed;
mod values;

use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use libtest_mimic::{Completion, Failed, Trial};
use tokio::runtime::Builder;
use tokio::time::timeout;

use engines::Found;
use site::Site;

pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Why a test is not for an engine. It is shown as ignored.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotHere(&'static str);

/// Ends a test that is not for the engine.
pub fn not_here<T>(why: &'static str) -> Outcome<T> {
    Err(NotHere(why).into())
}

/// No test takes longer, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(300);

#[derive(Clone, Copy)]
pub struct Test {
    name: &'static str,
    threads: bool,
    run: for<'a> fn(&'a Site) -> LocalBoxFuture<'a, Outcome>,
}

const TOPICS: &[(&str, &[Test])] = &[
    ("bulk", bulk::TESTS),
    ("doubt", doubt::TESTS),
    ("drops", drops::TESTS),
    ("endings", endings::TESTS),
    ("errors", errors::TESTS),
    ("faults", faults::TESTS),
    ("introspect", introspect::TESTS),
    ("keys", keys::TESTS),
    ("pool", pool::TESTS),
    ("rows", rows::TESTS),
    ("sessions", sessions::TESTS),
    ("streams", streams::TESTS),
    ("times", times::TESTS),
    ("transactions", transactions::TESTS),
    ("values", values::TESTS),
];

/// Each test on each engine.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for found in engines::all() {
        match found {
            Ok(found) => {
                let tests = TOPICS.iter().flat_map(|(topic, tests)| tests.iter().map(move |test| (topic, test)));
                trials.extend(tests.map(|(topic, test)| {
                    let (found, test) = (found.clone(), *test);
                    Trial::ignorable_test(format!("drivers {} {topic}::{}", found.name, test.name), move || {
                        run(&found, test)
                    })
                }));
            }
            Err(why) => trials.push(Trial::test(format!("drivers {why}"), || Ok(())).with_ignored_flag(true)),
        }
    }
    trials
}

fn run(found: &Found, test: Test) -> Result<Completion, Failed> {
    let mut runtime = if test.threads { Builder::new_multi_thread() } else { Builder::new_current_thread() };
    let runtime = runtime.worker_threads(2).enable_all().build()?;
    match runtime.block_on(async { timeout(PATIENCE, Site::run(found, test.run)).await })? {
        Ok(()) => Ok(Completion::Completed),
        Err(error) => match error.downcast_ref::<NotHere>() {
            Some(why) => Ok(Completion::ignored_with(why)),
            None => Err(error.into()),
        },
    }
}
