//! Every scenario, for some seconds each, on SQLite and on the servers that the environment names.

use std::env;
use std::path::PathBuf;

use isogloss_faults::{Scale, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_breaks_loses_nothing() {
    let mut engines = vec![("sqlite".to_owned(), String::new())];
    for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
        let urls = env::var(variable).unwrap_or_default();
        if urls.trim().is_empty() {
            println!("skipped: no {variable}");
        }
        engines.extend(urls.split_whitespace().map(|url| (provider.to_owned(), url.to_owned())));
    }
    let scale = Scale::short(PathBuf::from(env!("CARGO_BIN_EXE_faults")));
    let findings = run(&engines, &[], &scale).await.unwrap();
    let failed: Vec<_> = findings.iter().filter(|finding| finding.outcome.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
