//! Breaks what stands between a program and its databases, and says what holds. See the README beside.
#![allow(clippy::print_stdout, reason = "it is for people to read")]

use std::env;
use std::process::ExitCode;

use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss_faults::rows::Row;
use isogloss_faults::servers::{self, engine};
use isogloss_faults::{Finding, Outcome, Scale, child, run, scenarios};
use lexopt::prelude::*;

const HELP: &str = "\
faults [--long] [--only NAME].. [--markdown] [--engine sqlite|postgres=URL|mysql=URL]..

Without --engine: SQLite, and the servers of ISOGLOSS_POSTGRES_URL and ISOGLOSS_MYSQL_URL.";

#[tokio::main]
async fn main() -> Outcome<ExitCode> {
    let program = env::current_exe()?;
    let mut scale = Scale::short(program.clone());
    let (mut wanted, mut engines, mut markdown) = (Vec::new(), Vec::new(), false);
    let mut args = lexopt::Parser::from_env();
    while let Some(arg) = args.next()? {
        match arg {
            Long("child") => {
                let mut text = || args.value().and_then(|value| value.parse::<String>());
                let (what, provider, url, number) = (text()?, text()?, text()?, text()?.parse()?);
                return child_of(&what, &provider, &url, number).await;
            }
            Long("long") => scale = Scale::long(program.clone()),
            Long("only") => wanted.push(args.value()?.parse::<String>()?),
            Long("markdown") => markdown = true,
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
    println!("\n{}", table(&findings, markdown));
    Ok(if findings.iter().all(|finding| finding.outcome.is_ok()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn child_of(what: &str, provider: &str, url: &str, number: i64) -> Outcome<ExitCode> {
    let context = OrmContext::new(Catalog::builder().entity::<Row>().build()?);
    context.add_data_source(DataSourceConfig::new("main", provider, url), true)?;
    match what {
        "write" => child::write(context, number).await?,
        _ => child::count(context, number).await?,
    }
    Ok(ExitCode::SUCCESS)
}

fn table(findings: &[Finding], markdown: bool) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    if markdown {
        table.load_style(comfy_table::presets::ASCII_MARKDOWN);
    }
    table.set_header(["", "engine", "", "s"]);
    for Finding { scenario, engine, outcome, took } in findings {
        let said = match outcome {
            Ok(said) => said.clone(),
            Err(why) => format!("FAILED: {why}"),
        };
        table.add_row([(*scenario).to_owned(), engine.clone(), said, format!("{:.0}", took.as_secs_f64())]);
    }
    table
}
