//! The attacks, for some seconds each, on SQLite and on the servers that the environment names.

use std::env;

use isogloss_attacks::shop::policy;
use isogloss_attacks::{mutation, noninterference};

#[test]
fn no_changed_text_panics() {
    let counts = mutation::run(20_000, 1).unwrap();
    assert!(counts.trees > 500 && counts.passed > 100 && counts.compiled > 300, "{counts:?}");
}

/// What the test is worth: a policy that lets a stranger ask for the rows of others, or for what is hidden, is found out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_policy_that_says_too_much_is_found_out() {
    let root_again = policy().allow_entity("Document");
    let audit = policy().allow_entity("Audit");
    for (wide, what) in [(root_again, "the rows of others"), (audit, "a hidden table")] {
        let found = noninterference::run("sqlite", "", &wide, 20_000, 1).await;
        assert!(found.is_err_and(|error| error.to_string().contains("tells the databases apart")), "{what}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_tree_tells_two_databases_apart_by_its_rows() {
    let mut engines = vec![("sqlite".to_owned(), String::new())];
    for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
        let urls = env::var(variable).unwrap_or_default();
        if urls.trim().is_empty() {
            println!("skipped: no {variable}");
        }
        engines.extend(urls.split_whitespace().map(|url| (provider.to_owned(), url.to_owned())));
    }
    for (provider, url) in engines {
        let counts = noninterference::run(&provider, &url, &policy(), 6_000, 1).await.unwrap();
        println!("{provider}: {counts:?}");
        assert!(counts.answered > 1_000, "{provider}: {counts:?}");
    }
}
