//! Random trees over random rows: every engine and the evaluator agree.
//!
//! `ISOGLOSS_TREES` is the number of trees (500, and 2,000 in the nightly tier), `ISOGLOSS_SEED` the
//! seed of the first (1). SQLite is there always; PostgreSQL and MySQL or MariaDB are asked where `ISOGLOSS_POSTGRES_URL` and
//! `ISOGLOSS_MYSQL_URL` lead to them. The user must be allowed to create databases; nothing is left behind. The texts for
//! SQL Server and Oracle are judged, with `ISOGLOSS_LONG=1` by their grammars too.
//!
//! Every third batch is asked in mode `exact`, of tables whose texts have collations that take `a` for `A`: the evaluator
//! compares by code points in both modes.
//!
//! Trees are asked within random scopes, too, over tables of several tenants (200 and 600).
//!
//! What is found is shrunk, first the tree, then the rows.

mod case;
mod check;
mod engine;
mod judged;
mod party;
mod report;
mod shrink;
mod world;

use std::sync::Arc;

use isogloss_compiler::model::TextMode;
use isogloss_conformance::generate;
use isogloss_testkit::random::{count, number, seed};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use case::Case;
use party::Party;
use report::Report;
use world::World;

/// How many trees are asked of the same rows.
const BATCH: usize = 50;

/// How many choices a tree has at most.
const CHOICES: usize = 240;

/// After how many failures a run ends.
const ENOUGH: usize = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn engines_and_evaluator_agree() {
    run(&World::plain(), count(500, 2_000)).await;
}

/// Within a scope, rows outside of it are as good as absent: nothing reads them, nothing changes them, and with them taken
/// away each answer is the same without a scope.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_row_outside_of_a_scope_counts() {
    run(&World::tenants(), count(200, 600)).await;
}

async fn run(world: &World, least: u64) {
    let trees = usize::try_from(number("ISOGLOSS_TREES").unwrap_or(least)).unwrap();
    let seed = seed();
    println!("{trees} trees over {}; again with ISOGLOSS_SEED={seed}", world.name);
    let catalog = &world.catalog;
    let mut sides = [Party::all(world, TextMode::Database).await, Party::all(world, TextMode::Exact).await];
    let mut report = Report::default();
    let mut done = 0;
    while done < trees && report.failures.len() < ENOUGH {
        // Each batch has a seed of its own, so that the first one with a failure can be had at once.
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&(seed + done as u64).to_le_bytes());
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let mut draw = |most: usize| {
            let tree = proptest::collection::vec(proptest::num::u32::ANY, most..=most).new_tree(&mut runner).unwrap();
            tree.current()
        };
        let rows = draw(1_000);
        let data = Arc::new(generate::rows(catalog, &mut generate::Choices::new(&rows)));
        let count = BATCH.min(trees - done);
        let cases: Arc<Vec<Case>> = Arc::new((0..count).map(|_| Case::new(world, &data, draw(CHOICES))).collect());
        let side = usize::from(done / BATCH % 3 == 2);
        let parties = &mut sides[side];
        let mut tasks = Vec::new();
        for mut party in parties.drain(..) {
            let (data, cases) = (Arc::clone(&data), Arc::clone(&cases));
            tasks.push(tokio::spawn(async move {
                party.load(&data).await;
                let mut outcomes = Vec::new();
                for case in cases.iter() {
                    outcomes.push(party.check(case).await);
                }
                (party, outcomes)
            }));
        }
        let mut failed = Vec::new();
        for task in tasks {
            let (party, outcomes) = task.await.unwrap();
            for (index, outcome) in outcomes.into_iter().enumerate() {
                if report.count(party.name(), &outcome) {
                    failed.push((parties.len(), index));
                }
            }
            parties.push(party);
        }
        for case in cases.iter() {
            report.count_case(case);
        }
        for (at, index) in failed.into_iter().take(ENOUGH - report.failures.len()) {
            let failure = shrink::shrink(&mut parties[at], world, &data, &cases[index]).await;
            println!("{failure}");
            report.failures.push(failure);
        }
        done += count;
        if done % 5_000 == 0 {
            println!("{done} trees");
        }
    }
    for party in sides.into_iter().flatten() {
        party.leave().await;
    }
    println!("{report}");
    println!("{done} trees");
    assert!(report.failures.is_empty(), "{} failures, see above; ISOGLOSS_SEED={seed}", report.failures.len());
    assert!(report.refused_share() < 0.25, "too many trees are refused");
    assert!(report.unsupported_share() < 0.1, "too many trees are not evaluated");
}
