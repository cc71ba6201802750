//! Tests that are data, one for each case and engine: the conformance suite, TPC-H, the functions and the drivers.
//!
//! `cargo test -p isogloss-conformance --test live 'suite sqlite'` runs the suite on SQLite. The names of the tests are not
//! known when Rust compiles, so they have a main function of their own.

mod calls;
mod drivers;
mod edges;
mod suite;
mod tpch;

use libtest_mimic::{Arguments, Trial};

/// How many tests run at once by default: most of the time they wait for servers.
const THREADS: usize = 8;

fn main() {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(THREADS);
    let (queries, tpch) = tpch::trials();
    let trials = [calls::trials(), drivers::trials(), edges::trials(), suite::trials(), queries]
        .into_iter()
        .flatten()
        .collect::<Vec<Trial>>();
    let conclusion = libtest_mimic::run(&arguments, trials);
    tpch.clear();
    conclusion.exit();
}
