//! Runs the conformance suite on engines, and prints what they gave.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use isogloss_conformance::suite::{self, Case, Engine, Matrix, REQUIREMENTS, Report, Suite, visible};
use lexopt::prelude::{Long, Short, Value, ValueExt};

const HELP: &str = "\
Runs the conformance suite on engines: each case is a tree in JSON, and what every engine must answer to it.

usage: isogloss-conformance --engine ENGINE [--engine ENGINE ...] [options]

  --engine ENGINE       sqlite, sqlite=FILE, postgres=URL, mysql=URL (MariaDB, too), sqlserver=URL, oracle=URL
  --containers          also every engine of compose.yaml, each in a container (feature `containers`)
  --group GROUP         only this group; may be given several times
  --case CASE           only cases whose name has this in it
  --suite FOLDER        another folder of cases
  --junit FILE          writes JUnit's XML
  --json FILE           writes JSON
  --dry-run             asks no engine: lists for each engine and version, or those named so (`--engine oracle`,
                        `--engine 'oracle 19c'`), which cases would be refused or left out, and why
  --list                lists groups, cases and requirements, and runs nothing
  -h, --help            this

The exit code is 0 if every engine answered as it should, 1 if one did not, 2 for a bad command line: also for a group that
is not there, or where no case is left. A FILE that was not there before is removed at the end.
";

/// A bad command line, as is the custom.
const USAGE: u8 = 2;

#[derive(Default)]
struct Args {
    engines: Vec<String>,
    containers: bool,
    groups: Vec<String>,
    case: Option<String>,
    suite: Option<PathBuf>,
    junit: Option<PathBuf>,
    json: Option<PathBuf>,
    list: bool,
    dry_run: bool,
    help: bool,
}

impl Args {
    fn parse() -> Result<Self, lexopt::Error> {
        let mut args = Self::default();
        let mut parser = lexopt::Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Long("engine") => args.engines.push(parser.value()?.string()?),
                Long("containers") => args.containers = true,
                Long("group") => args.groups.push(parser.value()?.string()?),
                Long("case") => args.case = Some(parser.value()?.string()?),
                Long("suite") => args.suite = Some(parser.value()?.into()),
                Long("junit") => args.junit = Some(parser.value()?.into()),
                Long("json") => args.json = Some(parser.value()?.into()),
                Long("list") => args.list = true,
                Long("dry-run") => args.dry_run = true,
                Short('h') | Long("help") => args.help = true,
                Value(value) => {
                    return Err(format!("`{}`: engines stand behind --engine", value.to_string_lossy()).into());
                }
                _ => return Err(arg.unexpected()),
            }
        }
        if args.engines.is_empty() && !args.containers && !args.list && !args.dry_run && !args.help {
            return Err("no engine: give one, such as `--engine sqlite`".into());
        }
        Ok(args)
    }

    fn wants(&self, case: &Case) -> bool {
        (self.groups.is_empty() || self.groups.contains(&case.group))
            && self.case.as_ref().is_none_or(|part| case.name.contains(part.as_str()))
    }

    /// What the command line asks for that the suite does not have: running nothing is no success.
    fn missing(&self, suite: &Suite) -> Option<String> {
        let known = |name: &String| suite.groups.iter().any(|group| group.name == *name);
        if let Some(name) = self.groups.iter().find(|name| !known(name)) {
            return Some(format!("no group is called `{name}`; `--list` shows them"));
        }
        (!suite.cases().any(|case| self.wants(case))).then(|| "no case is left to run; `--list` shows them".to_owned())
    }
}

fn main() -> ExitCode {
    let args = match Args::parse() {
        Ok(args) => args,
        Err(error) => return misused(&error.to_string()),
    };
    run(&args).unwrap_or_else(|error| {
        eprintln!("error: {}", visible(&error.to_string()));
        ExitCode::FAILURE
    })
}

fn misused(why: &str) -> ExitCode {
    eprintln!("error: {}\ntry `isogloss-conformance --help`", visible(why));
    ExitCode::from(USAGE)
}

fn run(args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let mut out = io::stdout().lock();
    if args.help {
        out.write_all(HELP.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let suite = args.suite.as_deref().map_or_else(Suite::own, Suite::load)?;
    if let Some(why) = args.missing(&suite) {
        return Ok(misused(&why));
    }
    if args.list {
        list(&mut out, &suite, args)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.dry_run {
        return dry_run(&mut out, &suite, args);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let reports = runtime.block_on(run_all(args, &suite))?;
    writeln!(out, "{}", table(&Matrix::of(&reports)))?;
    for report in &reports {
        for (result, failure) in report.failures() {
            let failure = visible(&failure.to_string());
            writeln!(out, "\n{} {}/{}: {failure}", report.engine, result.group, result.name)?;
        }
    }
    if let Some(path) = &args.junit {
        std::fs::write(path, suite::junit(&reports)?)?;
    }
    if let Some(path) = &args.json {
        std::fs::write(path, serde_json::to_string_pretty(&suite::json(&reports))?)?;
    }
    let right = reports.iter().all(|report| report.failures().next().is_none());
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn run_all(args: &Args, suite: &Suite) -> Result<Vec<Report>, Box<dyn Error>> {
    let mut reports = Vec::new();
    for engine in &args.engines {
        let (name, url) = engine.split_once('=').map_or((engine.as_str(), None), |(name, url)| (name, Some(url)));
        let engine = suite::connect(name, url).await?;
        reports.push(run_one(args, suite, &*engine).await?);
    }
    if args.containers {
        containers(args, suite, &mut reports).await?;
    }
    Ok(reports)
}

async fn run_one(args: &Args, suite: &Suite, engine: &dyn Engine) -> Result<Report, Box<dyn Error>> {
    let count = suite.cases().filter(|case| args.wants(case)).count();
    let bar = ProgressBar::new(count.try_into()?);
    if !io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    bar.set_style(ProgressStyle::with_template("{prefix:16} {bar:40} {pos}/{len} {msg}")?);
    bar.set_prefix(engine.name().to_owned());
    let report = suite::run(
        engine,
        suite,
        |case| args.wants(case),
        |result| {
            bar.set_message(format!("{}/{}", result.group, result.name));
            bar.inc(1);
        },
    );
    let report = report.await?;
    bar.finish_and_clear();
    Ok(report)
}

#[cfg(feature = "containers")]
async fn containers(args: &Args, suite: &Suite, reports: &mut Vec<Report>) -> Result<(), Box<dyn Error>> {
    for container in suite::CONTAINERS {
        let (_running, engine) = container.connect().await?;
        reports.push(run_one(args, suite, &*engine).await?);
    }
    Ok(())
}

#[cfg(not(feature = "containers"))]
async fn containers(_: &Args, _: &Suite, _: &mut Vec<Report>) -> Result<(), Box<dyn Error>> {
    Err("--containers needs the feature: cargo run -p isogloss-conformance --features containers -- --containers"
        .into())
}

fn dry_run(out: &mut dyn Write, suite: &Suite, args: &Args) -> Result<ExitCode, Box<dyn Error>> {
    let named = |label: &str, name: &String| label == name || label.split(' ').next() == Some(name.as_str());
    let mut engines = suite::every_version();
    engines.retain(|engine| args.engines.is_empty() || args.engines.iter().any(|name| named(engine.name(), name)));
    if engines.is_empty() {
        return Ok(misused("no engine and version is called so; `--dry-run` alone shows them all"));
    }
    let mut right = true;
    for engine in engines {
        let found = suite::dry_run(&*engine, suite, |case| args.wants(case));
        writeln!(out, "{}: {} cases would be run", found.label, found.run)?;
        for (title, reasons) in
            [("refused", &found.refused), ("left out", &found.left_out), ("FAILING", &found.failing)]
        {
            for (why, cases) in reasons {
                writeln!(out, "  {title}: {}", visible(&why.replace('\n', " ")))?;
                writeln!(out, "    {}", cases.join(", "))?;
            }
        }
        right &= found.failing.is_empty();
    }
    Ok(if right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn list(out: &mut dyn Write, suite: &Suite, args: &Args) -> io::Result<()> {
    for group in &suite.groups {
        let cases: Vec<&Case> = group.cases.iter().filter(|case| args.wants(case)).collect();
        if !cases.is_empty() {
            writeln!(out, "{}: {}", group.name, visible(&group.about))?;
        }
        for case in cases {
            let requires: Vec<&str> = case.requires.iter().map(|requirement| requirement.name).collect();
            let requires = if requires.is_empty() { String::new() } else { format!(" ({})", requires.join(", ")) };
            writeln!(out, "  {}{requires}", case.name)?;
        }
    }
    writeln!(out, "\nrequirements")?;
    REQUIREMENTS.iter().try_for_each(|requirement| writeln!(out, "  {}: {}", requirement.name, requirement.about))
}

fn table(matrix: &Matrix) -> Table {
    let mut table = Table::new();
    table.force_no_tty().load_style(UTF8_FULL_CONDENSED);
    table.set_header(std::iter::once("group").chain(matrix.engines.iter().map(String::as_str)));
    for (group, tallies) in &matrix.groups {
        table.add_row(std::iter::once(group.clone()).chain(tallies.iter().map(ToString::to_string)));
    }
    table.add_row(std::iter::once("total".to_owned()).chain(matrix.totals.iter().map(ToString::to_string)));
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
