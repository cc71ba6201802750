//! Every scenario, for some seconds each, on SQLite and on the servers that the environment names.

use std::path::PathBuf;

use futures_util::future::try_join_all;
use isogloss_faults::scenarios::ALL;
use isogloss_faults::table::{CHAPTER, MARKS};
use isogloss_faults::{Outcome, Scale, run, servers};

/// The engines at once, each in a task of its own: most of the time they wait, and none may hold up the clocks of another. `soak` is apart, which measures the memory of the process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_breaks_loses_nothing() {
    let scale = Scale::short(PathBuf::from(env!("CARGO_BIN_EXE_faults")));
    let engines = servers::engines();
    let (soak, others): (Vec<String>, Vec<String>) =
        ALL.iter().map(|scenario| scenario.name.to_owned()).partition(|name| name == "soak");
    let at_once = engines.iter().cloned().map(|engine| {
        let (others, scale) = (others.clone(), scale.clone());
        tokio::spawn(async move { run(&[engine], &others, &scale).await })
    });
    let done = try_join_all(at_once.collect::<Vec<_>>()).await.unwrap();
    let mut findings = done.into_iter().collect::<Outcome<Vec<_>>>().unwrap().concat();
    findings.extend(run(&engines, &soak, &scale).await.unwrap());
    assert!(findings.len() > engines.len(), "{findings:?}");
    let failed: Vec<_> = findings.iter().filter(|finding| finding.outcome.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

/// It is the print of a run: `cargo run -p isogloss-faults -- --book` makes it anew.
#[test]
fn the_book_has_what_each_scenario_found() {
    let chapter = std::fs::read_to_string(CHAPTER).unwrap();
    let [begin, end] = MARKS;
    let (_, rest) = chapter.split_once(begin).unwrap();
    let (table, _) = rest.split_once(end).unwrap();
    let mut lines = table.trim().lines();
    let engines: Vec<&str> = lines.next().unwrap().split(" | ").skip(1).collect();
    for (engine, title) in engines.iter().zip(["SQLite", "PostgreSQL", "PostgreSQL", "MariaDB", "MySQL"]) {
        assert!(engine.starts_with(title), "{engine} instead of {title}");
    }
    assert_eq!(engines.len(), 5, "{engines:?}");
    let rows: Vec<&str> = lines.skip(1).collect();
    let whats: Vec<&str> = rows.iter().map(|row| row.split(" |").next().unwrap().trim_start_matches("| ")).collect();
    let wanted: Vec<&str> = ALL.iter().map(|scenario| scenario.what).collect();
    assert_eq!(whats, wanted);
    assert!(!table.contains("failed**"), "{table}");
}
