//! The conformance suite beside the evaluator, and on every engine that is at hand: a test for each group and engine.
//!
//! SQLite is there always, and DuckDB with the feature of that name. The others are asked where their URLs are given, several of them parted by blanks or commas:
//! `ISOGLOSS_POSTGRES_URL`, `ISOGLOSS_MYSQL_URL` (MariaDB, too), `ISOGLOSS_SQLSERVER_URL`, `ISOGLOSS_ORACLE_URL`. An
//! engine without one is listed as ignored.

use std::collections::HashSet;
use std::env;
use std::sync::Arc;

use isogloss_compiler::expr::{LogicExpr, LogicOperator, ValueTypeExpr};
use isogloss_compiler::functions::Func;
use isogloss_compiler::json;
use isogloss_compiler::walk::{ExprRef, ExprType, VisitOrder, visit};
use isogloss_conformance::suite::{self, Brownfield, By, ENGINES, REQUIREMENTS, Suite, Verdict};
use libtest_mimic::{Failed, Trial};

/// A test for each group beside the evaluator, and on each engine.
pub fn trials() -> Vec<Trial> {
    if env::var_os("ISOGLOSS_BLESS").is_some() {
        match suite::bless(Suite::folder()) {
            Ok(count) => println!("{count} cases have got their rows: read them"),
            Err(error) => panic!("{error}"),
        }
    }
    let suite = match Suite::own() {
        Ok(suite) => Arc::new(suite.with_mirrors()),
        Err(error) => panic!("{error}"),
    };
    let evaluated = |group: &suite::Group| {
        let (suite, name) = (Arc::clone(&suite), group.name.clone());
        Trial::test(format!("suite evaluator {name}"), move || evaluate(&suite, &name))
    };
    let whole = Arc::clone(&suite);
    let mut trials = vec![Trial::test("suite coverage", move || coverage(&whole))];
    trials.extend(suite.groups.iter().map(evaluated));
    for (engine, _) in ENGINES {
        let variable = format!("ISOGLOSS_{}_URL", engine.to_uppercase());
        let given = env::var(&variable).unwrap_or_default();
        let urls: Vec<String> = given.split([' ', ',']).filter(|url| !url.is_empty()).map(str::to_owned).collect();
        if matches!(*engine, "sqlite" | "duckdb") {
            trials.extend(all_groups(&suite, engine, None));
        } else if urls.is_empty() {
            let name = format!("suite {engine}: skipped, {variable} is not set");
            trials.push(Trial::test(name, || Ok(())).with_ignored_flag(true));
        }
        for url in &urls {
            trials.extend(all_groups(&suite, engine, Some(url)));
        }
    }
    trials
}

fn all_groups(suite: &Arc<Suite>, engine: &'static str, url: Option<&str>) -> Vec<Trial> {
    let all = [None, Some(Brownfield::Exact), Some(Brownfield::ExactKnown), Some(Brownfield::ExactColumns)];
    let mut trials: Vec<Trial> = all.into_iter().flat_map(|on| groups(suite, engine, url, on)).collect();
    let (suite, own) = (Arc::clone(suite), url.map(str::to_owned));
    let name = format!("suite {engine}{} brownfield is none by code points", port(url));
    trials.push(Trial::test(name, move || is_brownfield(&suite, engine, own.as_deref())));
    trials
}

/// What tells engines of one kind apart in the name of a test.
fn port(url: Option<&str>) -> String {
    url.and_then(|url| url.rsplit_once(':')).map(|(_, rest)| format!("@{rest}")).unwrap_or_default()
}

/// Where statements compare as the tables do, cases about the case of letters fail.
fn is_brownfield(suite: &Suite, engine: &str, url: Option<&str>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        let engine = suite::brownfield(suite::connect(engine, url).await?, Brownfield::Database);
        suite::run(&*engine, suite, |case| case.name == "case_counts", |_| {}).await
    })?;
    match report.failures().count() {
        0 => Err("texts compare by code points there".into()),
        _ => Ok(()),
    }
}

/// A test for each group on an engine.
fn groups(suite: &Arc<Suite>, engine: &'static str, url: Option<&str>, on: Option<Brownfield>) -> Vec<Trial> {
    let port = port(url);
    let tables = match on {
        None => "",
        Some(Brownfield::ExactKnown) => " brownfield known",
        Some(Brownfield::ExactColumns) => " brownfield columns",
        Some(_) => " brownfield",
    };
    let test = |group: &suite::Group| {
        let (suite, url, name) = (Arc::clone(suite), url.map(str::to_owned), group.name.clone());
        Trial::test(format!("suite {engine}{port}{tables} {name}"), move || {
            run(&suite, engine, url.as_deref(), &name, on)
        })
    };
    suite.groups.iter().map(test).collect()
}

fn run(suite: &Suite, engine: &str, url: Option<&str>, group: &str, on: Option<Brownfield>) -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(async {
        let mut engine = suite::connect(engine, url).await?;
        if let Some(on) = on {
            engine = suite::brownfield(engine, on);
        }
        let wanted = |case: &suite::Case| case.group == group && (on.is_none() || !case.is_mirror);
        suite::run(&*engine, suite, wanted, |_| {}).await
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

/// Every kind of node, operator, function and requirement occurs, and there are as many cases as there should be.
fn coverage(suite: &Suite) -> Result<(), Failed> {
    let (mut names, mut kinds, mut operators) = (HashSet::new(), HashSet::new(), HashSet::new());
    let (mut functions, mut requirements) = (HashSet::new(), HashSet::new());
    for case in suite.cases().filter(|case| !case.is_mirror) {
        let name = format!("{}/{}", case.group, case.name);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !case.name.chars().all(plain) || !names.insert(name.clone()) {
            return Err(format!("{name}: a name has small letters, digits and `_`, and is there once").into());
        }
        requirements.extend(case.requires.iter().map(|requirement| requirement.name));
        // A case of the notation may be no tree.
        let Ok(expr) = json::from_str(&case.expr) else { continue };
        visit(&expr, VisitOrder::Pre, |node| {
            kinds.insert(node.kind());
            let function = match node {
                ExprRef::Function(function) => Some(function),
                ExprRef::Value(ValueTypeExpr::Function(function)) => Some(&**function),
                ExprRef::Logic(LogicExpr::Binary(comparison)) => {
                    operators.insert(comparison.operator);
                    None
                }
                _ => None,
            };
            functions.extend(function.and_then(|function| Func::from_name(function.name.as_str())));
        });
    }
    // A lambda is a tree before it comes here.
    missing("kind", ExprType::ALL.iter().filter(|kind| **kind != ExprType::Lambda && !kinds.contains(kind)))?;
    missing("operator", LogicOperator::ALL.iter().filter(|operator| !operators.contains(operator)))?;
    missing("function", Func::ALL.iter().filter(|func| !functions.contains(func)))?;
    missing("requirement", REQUIREMENTS.iter().filter(|known| !requirements.contains(known.name)))?;
    let mirrors = suite.cases().filter(|case| case.is_mirror).count();
    println!("{} cases with {mirrors} mirrors in {} groups", names.len(), suite.groups.len());
    if mirrors < names.len() {
        return Err(format!("only {mirrors} mirrors").into());
    }
    if names.len() < 500 { Err(format!("only {} cases", names.len()).into()) } else { Ok(()) }
}

fn missing<T: std::fmt::Debug>(what: &str, items: impl Iterator<Item = T>) -> Result<(), Failed> {
    let items: Vec<T> = items.collect();
    if items.is_empty() { Ok(()) } else { Err(format!("no case has the {what} {items:?}").into()) }
}
