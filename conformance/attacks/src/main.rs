//! Attacks what stands between a stranger's tree and a database, and counts. See the README beside.
#![allow(clippy::print_stdout, reason = "it is for people to read")]

use std::process::ExitCode;
use std::time::Duration;

use isogloss_attacks::noninterference::Counts;
use isogloss_attacks::servers::{self, engine};
use isogloss_attacks::shop::{Guard, ROOTS};
use isogloss_attacks::{Outcome, injection, mutation, noninterference, payloads};
use lexopt::prelude::*;

const HELP: &str = "\
attacks [--trees N (for each root)] [--texts N] [--seconds N] [--seed N] [--engine sqlite|postgres=URL|mysql=URL]..

The lines that stand in docs/src/proof.md are printed at the end; the trees there are those of all roots together.
With --seconds, texts are changed for that time, however many they are.
Without --engine: SQLite, and the servers of ISOGLOSS_POSTGRES_URL and ISOGLOSS_MYSQL_URL.";

#[tokio::main]
async fn main() -> Outcome<ExitCode> {
    let (mut trees, mut texts, mut seed, mut engines) = (20_000, 200_000, 1, Vec::new());
    let mut time = Duration::MAX;
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("trees") => trees = args.value()?.parse()?,
            Long("texts") => texts = args.value()?.parse()?,
            Long("seconds") => (texts, time) = (u64::MAX, Duration::from_secs(args.value()?.parse()?)),
            Long("seed") => seed = args.value()?.parse()?,
            Long("engine") => engines.push(engine(&args.value()?.parse::<String>()?)),
            _ => {
                println!("{HELP}");
                return Ok(if matches!(arg, Long("help") | Short('h')) {
                    ExitCode::SUCCESS
                } else {
                    ExitCode::FAILURE
                });
            }
        }
    }
    if engines.is_empty() {
        engines = servers::engines();
    }
    let changed = mutation::run(texts, time, DEADLINE, seed)?;
    println!("mutation: {changed:?}");
    let mut rows = Vec::new();
    for (provider, url) in engines {
        table(&provider, &injection::run(&provider, &url).await?);
        for guard in Guard::ALL {
            let mut all = Counts::default();
            for root in ROOTS {
                let attack = (root, &guard.policy(root), guard);
                let counts = noninterference::run((&provider, &url), attack, trees, seed).await?;
                println!("noninterference on {provider}, {root}, behind a {guard:?}: {counts:?}");
                all += counts;
            }
            rows.push(row(&all, guard));
        }
    }
    println!("\n{HEAD}\n{}\n", rows.join("\n"));
    let mutation::Counts { tried, trees, passed, .. } = changed;
    println!("Of {tried} changed texts, {trees} were trees still, and {passed} of these passed the policy.");
    Ok(ExitCode::SUCCESS)
}

/// How long a changed text may take: only one that hangs takes so long, also on a busy machine.
const DEADLINE: Duration = Duration::from_secs(60);

const HEAD: &str = "\
| | trees | passed the policy | answered alike | refused by the compiler | failed on both | failed on one |
|:--|--:|--:|--:|--:|--:|--:|";

/// An engine's line in docs/src/proof.md.
fn row(all: &Counts, guard: Guard) -> String {
    let Counts { engine, tried, passed, answered, refused, failed, told_by_errors } = all;
    let guard = if guard == Guard::Scope { ", a scope" } else { "" };
    format!("| {engine}{guard} | {tried} | {passed} | {answered} | {refused} | {failed} | {told_by_errors} |")
}

/// What became of the texts at each entry point.
fn table(provider: &str, found: &injection::Found) {
    let (mut data, mut refused) = (0, 0);
    println!("\n{:<32} {:>8} {:>8}", format!("injection on {provider}"), "data", "refused");
    for (entry, counts) in found {
        println!("{entry:<32} {:>8} {:>8}", counts.data, counts.refused);
        (data, refused) = (data + counts.data, refused + counts.refused);
    }
    let (texts, entries) = (payloads::all().len(), found.len());
    println!("{:<32} {data:>8} {refused:>8}\n", format!("{texts} texts, {entries} entry points"));
}
