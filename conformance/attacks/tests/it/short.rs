//! The attacks, for some seconds each, on SQLite and on the servers that the environment names.

use std::time::Duration;

use isogloss_attacks::shop::{self, Guard, ROOTS};
use isogloss_attacks::{injection, mutation, noninterference, payloads, servers};
use isogloss_testkit::random::{count, is_long, seed};
use tokio::task::JoinSet;

/// A text that takes so long never ends.
const HANG: Duration = Duration::from_secs(60);

#[test]
fn no_changed_text_panics() {
    let counts = mutation::run(count(20_000, 200_000), Duration::MAX, HANG, seed()).unwrap();
    assert!(counts.trees > 500 && counts.passed > 100 && counts.compiled > 300, "{counts:?}");
}

/// Policies that are found out only after thousands of trees.
const FOUND_LATE: [&str; 2] = ["a relation back to the root", "a view's column of the root"];

/// What the test is worth: a policy that lets a stranger ask for the rows of others, or for what is hidden, is found out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_that_says_too_much_is_found_out() {
    let columns = ["Id", "Title", "Pages", "DepartmentId", "ParentId", "Worth"];
    let policy = || shop::policy("Document");
    let of_view = || shop::policy("DocumentView");
    // What a scope sees to, if the policy does not, is which rows there are.
    let (rows, hidden) = (true, false);
    for (root, wide, what, whose) in [
        ("Document", policy().allow_entity("Document"), "the rows of others", rows),
        ("Document", policy().allow_entity("Audit"), "a hidden table", hidden),
        ("Document", policy().allow_relation("Document", "Parent"), "a parent of another tenant", rows),
        ("Document", policy().allow_relation("Document", "Latest"), "a relation back to the root", rows),
        ("Document", policy().allow_relation("RemarkView", "Document"), "a view's column of the root", rows),
        (
            "Document",
            policy().only_properties("Document", columns),
            "a column that is computed from a hidden one",
            hidden,
        ),
        ("Document", shop::with_terms("Document"), "a column of a view", hidden),
        ("DocumentView", of_view().allow_entity("Document"), "the rows of others behind a view", rows),
        ("DocumentView", of_view().allow_entity("DocumentView"), "the rows of others in a view", rows),
        ("DocumentView", shop::with_terms("DocumentView"), "a column that a view takes through a view", hidden),
    ] {
        if !is_long() && FOUND_LATE.contains(&what) {
            continue;
        }
        let run = async |guard, trees| noninterference::run(("sqlite", ""), (root, &wide, guard), trees, 1).await;
        let told = run(Guard::Filter, 20_000).await.unwrap_err().to_string();
        assert!(told.contains("tells the databases apart"), "{what}: {told}");
        // The trees up to that one, again.
        let number: u64 = told.split(' ').nth(1).unwrap().parse().unwrap();
        let found = run(Guard::Scope, number + 1).await;
        match whose == rows {
            true => drop(found.unwrap_or_else(|error| panic!("{what}, behind a scope: {error}"))),
            false => assert!(found.unwrap_err().to_string().contains("tells the databases apart"), "{what}"),
        }
    }
}

/// With `ISOGLOSS_LONG=1`, servers are asked as many trees as SQLite.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_tree_tells_two_databases_apart_by_its_rows() {
    let mut engines = JoinSet::new();
    for (provider, url) in servers::engines() {
        engines.spawn(async move {
            let trees = if is_long() || provider == "sqlite" { 6_000 } else { 2_000 };
            for (root, guard) in ROOTS.into_iter().flat_map(|root| Guard::ALL.map(|guard| (root, guard))) {
                let policy = guard.policy(root);
                let attack = (root, &policy, guard);
                let counts = noninterference::run((&provider, &url), attack, trees, seed()).await.unwrap();
                println!("{provider} {root} {guard:?}: {counts:?}");
                assert!(counts.answered > trees / 6, "{provider} {root} {guard:?}: {counts:?}");
            }
        });
    }
    engines.join_all().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_text_is_more_than_data() {
    let mut engines = JoinSet::new();
    for (provider, url) in servers::engines() {
        engines.spawn(async move {
            let texts = u64::try_from(payloads::all().len()).unwrap();
            let found = injection::run(&provider, &url).await.unwrap_or_else(|error| panic!("{provider}: {error}"));
            assert!(found.values().all(|counts| counts.data + counts.refused == texts), "{provider}: {found:?}");
            // What can only be data is not refused for being odd.
            for entry in ["=", "value", "IN", "template"] {
                assert!(found[entry].data + 10 > texts, "{provider}: {entry}: {found:?}");
            }
        });
    }
    engines.join_all().await;
}
