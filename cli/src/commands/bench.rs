//! `isogloss bench`: how long a tree takes on several databases.

use std::time::{Duration, Instant};

use clap::Args;
use isogloss::driver::{AnyConnection, ConnectionExt as _, Flow, Result as Driven, Row, RowSink};
use isogloss::{Compiled, Compiler};
use serde::Serialize;

use crate::catalog::CatalogArgs;
use crate::database::{ConnectArgs, Database};
use crate::failure::{Failure, Found, Result};
use crate::output::{Format, Out};
use crate::project::Project;
use crate::rows::table::table;
use crate::tree::{TreeArgs, writes};

/// Measure a tree on databases
///
/// The tree is compiled once; measured is the time from sending the statement to the last value of its rows. Only reads are
/// measured.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// A database; can be given several times [default: the only one of isogloss.toml]
    #[arg(long, short, value_name = "DATABASE")]
    url: Vec<String>,
    /// How many runs are not counted
    #[arg(long, value_name = "RUNS", default_value_t = 3)]
    warm_up: u32,
    /// How many runs are counted at most
    #[arg(long, value_name = "RUNS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,
    /// How long a database is measured at most, in seconds or as in 500ms; one run is counted whatever it takes
    #[arg(long, value_name = "TIME", default_value = "5", value_parser = crate::database::time)]
    time: Duration,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

pub(crate) async fn run(args: &BenchArgs, project: &Project) -> Result<Found> {
    let (tree, asked) = (args.tree.read()?, args.tree.asked());
    if writes(&tree) {
        return Err(Failure::input("the tree writes, and only reads are measured"));
    }
    let databases = Database::connect_all(project, &args.url, &args.connect).await?;
    let catalog = args.catalog.load(project, &args.connect, databases.first()).await?;
    asked.check(&catalog)?;
    let compiler = Compiler::new(catalog);
    let mut results = Vec::new();
    for database in databases {
        let statement_of = database.target(&compiler, asked.text);
        let statement = asked.compile(&tree, &statement_of)?;
        let (rows, samples) = database.reading(async |connection| samples(args, connection, &statement).await).await?;
        results.push(Measured::of(&database, rows, samples));
    }
    let mut out = Out::new();
    match args.format {
        Format::Text => out.line(&text(&results))?,
        Format::Json => out.json(&results)?,
    }
    out.finish()?;
    Ok(Found::Well)
}

/// The number of rows, and the time of each run.
async fn samples(
    args: &BenchArgs,
    connection: &mut AnyConnection,
    statement: &Compiled<'_>,
) -> Driven<(usize, Vec<Duration>)> {
    let begin = Instant::now();
    let mut rows = 0;
    let mut samples = Vec::new();
    for run in 0..args.warm_up.saturating_add(args.samples) {
        let is_late = begin.elapsed() >= args.time;
        if is_late && !samples.is_empty() {
            break;
        }
        let start = Instant::now();
        rows = connection.query_into(statement, Counted(0)).await?.0;
        if run >= args.warm_up || is_late {
            samples.push(start.elapsed());
        }
    }
    Ok((rows, samples))
}

/// Reads each value, and keeps none.
struct Counted(usize);

impl RowSink for Counted {
    fn row(&mut self, row: &dyn Row) -> Driven<Flow> {
        for index in 0..row.len() {
            std::hint::black_box(row.own_value(index)?);
        }
        self.0 += 1;
        Ok(Flow::More)
    }
}

/// What was measured, in milliseconds.
#[derive(Debug, Serialize)]
struct Measured {
    database: String,
    dialect: String,
    rows: usize,
    runs: usize,
    median: f64,
    /// A tenth of the runs took less, and a tenth more.
    p10: f64,
    p90: f64,
}

impl Measured {
    fn of(database: &Database, rows: usize, mut samples: Vec<Duration>) -> Self {
        samples.sort_unstable();
        let [p10, median, p90] = [10, 50, 90].map(|percent| percentile(&samples, percent).as_secs_f64() * 1e3);
        let (label, dialect) = (database.label.clone(), database.backend.dialect().label());
        Self { database: label, dialect, rows, runs: samples.len(), median, p10, p90 }
    }
}

/// The nearest rank, of times in their order.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or_default()
}

fn text(results: &[Measured]) -> String {
    let names = ["database", "dialect", "rows", "runs", "median ms", "10 % ms", "90 % ms"];
    let rows = results.iter().map(|one| {
        let times = [one.median, one.p10, one.p90].map(|time| (format!("{time:.3}"), true));
        let counts = [one.rows, one.runs].map(|count| (count.to_string(), true));
        let places = [&one.database, &one.dialect].map(|text| (text.clone(), false));
        places.into_iter().chain(counts).chain(times).collect()
    });
    table(&names, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let times: Vec<Duration> = (1..=10).map(Duration::from_millis).collect();
        assert_eq!([10, 50, 90, 100].map(|percent| percentile(&times, percent).as_millis()), [1, 5, 9, 10]);
        assert_eq!(percentile(&times[..1], 90).as_millis(), 1);
        assert_eq!(percentile(&[], 50), Duration::ZERO);
    }
}
