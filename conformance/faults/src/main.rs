//! Breaks what stands between a program and its databases, and says what holds. See the README beside.
#![allow(clippy::print_stdout, reason = "it is for people to read")]

use std::env;
use std::fs;
use std::process::ExitCode;

use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss_faults::rows::Row;
use isogloss_faults::servers::{self, engine};
use isogloss_faults::table::{CHAPTER, replaced, table};
use isogloss_faults::{Outcome, Scale, api, child, run, scenarios};
use lexopt::prelude::*;

const HELP: &str = "\
faults [--long | --patient] [--only NAME].. [--book] [--engine sqlite|postgres=URL|mysql=URL]..

Without --engine: SQLite, and the servers of ISOGLOSS_POSTGRES_URL and ISOGLOSS_MYSQL_URL. What was found is printed as a table
in Markdown; with --book it takes the place of the one in docs/src/proof.md. With --patient, a scenario does not fail for what
is late, as in tests.
What each scenario measures:";

#[tokio::main]
async fn main() -> Outcome<ExitCode> {
    let program = env::current_exe()?;
    let mut scale = Scale::short(program.clone());
    let (mut wanted, mut engines, mut book, mut corner) = (Vec::new(), Vec::new(), false, "some seconds of each");
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("child") => {
                let mut text = || args.value().and_then(|value| value.parse::<String>());
                let (what, provider, url, number) = (text()?, text()?, text()?, text()?.parse()?);
                return child_of(&what, &provider, &url, number).await;
            }
            Long("long") => (scale, corner) = (Scale::long(program.clone()), "some minutes of each"),
            Long("patient") => scale = Scale::patient(program.clone()),
            Long("only") => wanted.push(args.value()?.parse::<String>()?),
            Long("book") => book = true,
            Long("engine") => engines.push(engine(&args.value()?.parse::<String>()?)),
            _ => {
                println!("{HELP}\n");
                scenarios::ALL.iter().for_each(|one| println!("  {:<10} {}", one.name, one.what));
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
    let findings = run(&engines, &wanted, &scale).await?;
    let table = table(&findings, corner);
    println!("\n{table}");
    if findings.iter().any(|finding| finding.outcome.is_err()) {
        return Ok(ExitCode::FAILURE);
    }
    if book {
        let text = fs::read_to_string(CHAPTER)?;
        fs::write(CHAPTER, replaced(&text, &table).ok_or("the chapter has no place for the table")?)?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn child_of(what: &str, provider: &str, url: &str, number: i64) -> Outcome<ExitCode> {
    if what == "serve" {
        api::serve(provider, url).await?;
        return Ok(ExitCode::SUCCESS);
    }
    let context = OrmContext::new(Catalog::builder().entity::<Row>().build()?);
    context.add_data_source(DataSourceConfig::new("main", provider, url))?;
    match what {
        "write" => child::write(context, number).await?,
        "read" => child::read(context, number).await?,
        _ => child::count(context, number).await?,
    }
    Ok(ExitCode::SUCCESS)
}
