//! Every scenario, for some seconds each, on SQLite and on the servers that the environment names.

use std::path::PathBuf;

use isogloss_faults::{Scale, run, servers};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_breaks_loses_nothing() {
    let scale = Scale::short(PathBuf::from(env!("CARGO_BIN_EXE_faults")));
    let findings = run(&servers::engines(), &[], &scale).await.unwrap();
    let failed: Vec<_> = findings.iter().filter(|finding| finding.outcome.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
