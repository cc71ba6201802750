//! Tests that are data, one for each case and engine: the conformance suite, TPC-H, the functions and the drivers.
//!
//! `cargo test -p isogloss-conformance --test live 'suite sqlite'` runs the suite on SQLite. The names of the tests are not
//! known when Rust compiles, so they have a main function of their own.

mod calls;
mod drivers;
mod edges;
mod keysets;
mod suite;
mod tpch;

use libtest_mimic::{Arguments, Trial};

/// How many tests run at once by default: most of the time they wait for servers.
const THREADS: usize = 8;

/// The engines at hand: what they are called, and where a server is.
fn engines() -> Vec<(&'static str, Option<String>)> {
    let mut engines = vec![("sqlite", None)];
    for (engine, variable) in [("postgres", "ISOGLOSS_POSTGRES_URL"), ("mysql", "ISOGLOSS_MYSQL_URL")] {
        engines.extend(isogloss_testkit::servers::urls(variable).into_iter().map(|url| (engine, Some(url))));
    }
    if cfg!(feature = "duckdb") {
        engines.push(("duckdb", None));
    }
    engines
}

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(THREADS);
    let (queries, tpch) = tpch::trials();
    let trials = [calls::trials(), drivers::trials(), edges::trials(), keysets::trials(), suite::trials(), queries]
        .into_iter()
        .flatten()
        .collect::<Vec<Trial>>();
    let conclusion = libtest_mimic::run(&arguments, trials);
    tpch.clear();
    conclusion.exit();
}
