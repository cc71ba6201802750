//! Every scenario, for some seconds each, on SQLite and on the servers that the environment names.

use std::path::PathBuf;

use futures_util::future::try_join_all;
use isogloss_faults::scenarios::ALL;
use isogloss_faults::table::{CHAPTER, MARKS};
use isogloss_faults::{Outcome, Scale, run, servers};
use isogloss_testkit::random::is_long;
use isogloss_testkit::skipped;
use tokio::process::Command;

/// The engines at once, each in a task of its own: most of the time they wait. `soak` is a process of its own, as it measures
/// the memory of the process. What starts servers is for the first engine of each provider, and for all with `ISOGLOSS_LONG=1`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_breaks_loses_nothing() {
    let program = env!("CARGO_BIN_EXE_faults");
    let scale = Scale::patient(PathBuf::from(program));
    let engines = servers::engines();
    let at_once = engines.iter().enumerate().map(|(index, engine)| {
        let (earlier, _) = engines.split_at(index);
        let all = is_long() || earlier.iter().all(|(provider, _)| *provider != engine.0);
        let wanted = ALL.iter().filter(|one| one.name != "soak" && (all || !one.starts_servers));
        let wanted: Vec<String> = wanted.map(|one| one.name.to_owned()).collect();
        let (engine, scale) = (engine.clone(), scale.clone());
        tokio::spawn(async move { run(&[engine], &wanted, &scale).await })
    });
    let done = try_join_all(at_once.collect::<Vec<_>>()).await.unwrap();
    let findings = done.into_iter().collect::<Outcome<Vec<_>>>().unwrap().concat();
    assert!(findings.len() > engines.len(), "{findings:?}");
    let failed: Vec<_> = findings.iter().filter(|finding| finding.outcome.is_err()).collect();
    assert!(failed.is_empty(), "{failed:#?}");
    for finding in &findings {
        if let Ok(why) = &finding.outcome
            && why.starts_with("not run")
        {
            skipped(format_args!("{} on {}: {why}", finding.scenario, finding.engine));
        }
    }

    let soak = Command::new(program).args(["--patient", "--only", "soak"]).output().await.unwrap();
    assert!(soak.status.success(), "{}", String::from_utf8_lossy(&soak.stdout));
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
