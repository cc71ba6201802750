//! The conformance suite beside the evaluator, and on every engine that is at hand: a test for each group and engine.
//!
//! SQLite is there always. The others are asked where their URLs are given, several of them parted by blanks or commas:
//! `ISOGLOSS_POSTGRES_URL`, `ISOGLOSS_MYSQL_URL` (MariaDB, too), `ISOGLOSS_SQLSERVER_URL`, `ISOGLOSS_ORACLE_URL`. An
//! engine without one is listed as ignored.

use std::env;
use std::sync::Arc;

use isogloss_conformance::suite::{self, By, ENGINES, Suite, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    let suite = match Suite::own() {
        Ok(suite) => Arc::new(suite),
        Err(error) => panic!("{error}"),
    };
    let evaluated = |group: &suite::Group| {
        let (suite, name) = (Arc::clone(&suite), group.name.clone());
        Trial::test(format!("evaluator {name}"), move || evaluate(&suite, &name))
    };
    let mut trials: Vec<Trial> = suite.groups.iter().map(evaluated).collect();
    for (engine, _) in ENGINES {
        let variable = format!("ISOGLOSS_{}_URL", engine.to_uppercase());
        let given = env::var(&variable).unwrap_or_default();
        let urls: Vec<String> = given.split([' ', ',']).filter(|url| !url.is_empty()).map(str::to_owned).collect();
        if *engine == "sqlite" {
            trials.extend(groups(&suite, engine, None));
        } else if urls.is_empty() {
            let name = format!("{engine}: skipped, {variable} is not set");
            trials.push(Trial::test(name, || Ok(())).with_ignored_flag(true));
        }
        for url in &urls {
            trials.extend(groups(&suite, engine, Some(url)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A test for each group on an engine.
fn groups(suite: &Arc<Suite>, engine: &'static str, url: Option<&str>) -> Vec<Trial> {
    let port = url.and_then(|url| url.rsplit_once(':')).map(|(_, rest)| format!("@{rest}")).unwrap_or_default();
    let test = |group: &suite::Group| {
        let (suite, url, name) = (Arc::clone(suite), url.map(str::to_owned), group.name.clone());
        Trial::test(format!("{engine}{port} {name}"), move || run(&suite, engine, url.as_deref(), &name))
    };
    suite.groups.iter().map(test).collect()
}

fn run(suite: &Suite, engine: &str, url: Option<&str>, group: &str) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        let engine = suite::connect(engine, url).await?;
        suite::run(&*engine, suite, |case| case.group == group, |_| {}).await
    })?;
    let failures: Vec<String> = report.failures().map(|(case, failure)| format!("{}: {failure}", case.name)).collect();
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!("{} of {} cases on {}\n{}", failures.len(), report.results.len(), report.label, failures.join("\n"))
        .into())
}

/// The rows of a case are those that the evaluator gives; where it is silent, those of a case by hand stand alone.
fn evaluate(suite: &Suite, group: &str) -> Result<(), Failed> {
    let cases: Vec<_> = suite.cases().filter(|case| case.group == group).collect();
    let (mut silent, mut failures) = (0, Vec::new());
    for case in &cases {
        match case.verdict() {
            Verdict::Agrees => {}
            Verdict::Silent(why) if case.by == By::Evaluator => failures.push(format!("{}: {why}", case.name)),
            Verdict::Silent(why) => {
                silent += 1;
                println!("{group}/{}: not evaluated: {why}", case.name);
            }
            Verdict::Differs(why) => failures.push(format!("{}: {why}", case.name)),
        }
    }
    println!("{group}: {} evaluated, {silent} by hand only", cases.len() - silent);
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n").into()) }
}
