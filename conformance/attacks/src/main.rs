//! Attacks what stands between a stranger's tree and a database, and counts. See the README beside.
#![allow(clippy::print_stdout, reason = "it is for people to read")]

use std::env;
use std::process::ExitCode;

use isogloss_attacks::shop::policy;
use isogloss_attacks::{Outcome, mutation, noninterference};
use lexopt::prelude::*;

const HELP: &str = "\
attacks [--trees N] [--texts N] [--seed N] [--engine sqlite|postgres=URL|mysql=URL]..

Without --engine: SQLite, and the servers of ISOGLOSS_POSTGRES_URL and ISOGLOSS_MYSQL_URL.";

#[tokio::main]
async fn main() -> Outcome<ExitCode> {
    let (mut trees, mut texts, mut seed, mut engines) = (20_000, 200_000, 1, Vec::new());
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("trees") => trees = args.value()?.parse()?,
            Long("texts") => texts = args.value()?.parse()?,
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
        engines.push(engine("sqlite"));
        for (variable, provider) in [("ISOGLOSS_POSTGRES_URL", "postgres"), ("ISOGLOSS_MYSQL_URL", "mysql")] {
            let urls = env::var(variable).unwrap_or_default();
            engines.extend(urls.split_whitespace().map(|url| (provider.to_owned(), url.to_owned())));
        }
    }
    println!("mutation: {:?}", mutation::run(texts, seed)?);
    for (provider, url) in engines {
        println!(
            "noninterference on {provider}: {:?}",
            noninterference::run(&provider, &url, &policy(), trees, seed).await?
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn engine(text: &str) -> (String, String) {
    let (provider, url) = text.split_once('=').unwrap_or((text, ""));
    (provider.to_owned(), url.to_owned())
}
