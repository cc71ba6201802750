//! All contestants take turns; their times are medians.

use std::path::Path;
use std::time::Duration;

use lexopt::prelude::*;

use crate::pipe::{self, Taken};
use crate::settings::{TIMES, kept, mark, settings};
use crate::{BoxFuture, Contestant, Failure, Outcome, Peer, Work};

/// What the command line says.
pub struct Options<W> {
    /// Engines with their addresses.
    pub engines: Vec<(String, String)>,
    pub only: Vec<W>,
    pub drivers: Vec<String>,
    pub samples: usize,
    pub markdown: bool,
    /// How often a workload is run without being measured: for callgrind.
    pub rounds: Option<usize>,
    /// Only says who takes part, but for those of the other program.
    pub names: bool,
}

impl<W: Work> Options<W> {
    pub fn read() -> Outcome<Self> {
        let (engines, only, drivers) = (Vec::new(), Vec::new(), Vec::new());
        let mut found = Self { engines, only, drivers, samples: 11, markdown: false, rounds: None, names: false };
        let mut parser = lexopt::Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("only") => found.only.push(parser.value()?.string()?.parse()?),
                Long("driver") => found.drivers.push(parser.value()?.string()?),
                Long("samples") => found.samples = parser.value()?.parse()?,
                Long("markdown") => found.markdown = true,
                Long("rounds") => found.rounds = Some(parser.value()?.parse()?),
                Long("names") => found.names = true,
                Long("things") => {
                    println!("{}", parser.value()?.string()?.parse::<W>()?.things());
                    std::process::exit(0);
                }
                Value(engine) => {
                    let engine = engine.string()?;
                    let (engine, url) = engine.split_once('=').unwrap_or((&engine, ""));
                    found.engines.push((engine.to_owned(), url.to_owned()));
                }
                other => return Err(other.unexpected().into()),
            }
        }
        if found.only.is_empty() {
            found.only = W::ALL.to_vec();
        }
        Ok(found)
    }
}

/// What makes the tables ready for a workload.
pub trait Prepare<W>: Send + Sync {
    fn before(&self, workload: W) -> BoxFuture<'_, Outcome<()>>;
}

/// A contestant here, or one in the other program.
enum Seat<W> {
    Here(Box<dyn Contestant<W>>),
    There,
}

/// Measures the contestants, of which the first is the raw driver, and those of the other program if it was built.
pub async fn measure<W: Work>(
    engine: &str,
    url: &str,
    options: &Options<W>,
    server: &dyn Prepare<W>,
    contestants: Vec<Box<dyn Contestant<W>>>,
    program: &Path,
) -> Outcome<()> {
    if options.names {
        contestants.iter().for_each(|contestant| println!("{}", contestant.name()));
        return Ok(());
    }
    let mut seats: Vec<(String, Seat<W>)> = contestants.into_iter().map(|c| (c.name(), Seat::Here(c))).collect();
    let there = if engine == "sqlite" { format!("sqlite://{url}") } else { url.to_owned() };
    let mut peer = match Peer::start(program, engine, &there).await {
        Ok(peer) => {
            seats.extend(peer.names.iter().map(|name| (name.clone(), Seat::There)));
            Some(peer)
        }
        Err(error) => {
            let package = program.file_name().unwrap_or_default().display();
            println!("skipped: sqlx and SeaORM ({error}); build them first: cargo build --release -p {package}");
            None
        }
    };
    if !options.drivers.is_empty() {
        seats.retain(|(name, _)| options.drivers.contains(name));
    }
    for (name, seat) in &mut seats {
        let differs = |error: Failure| format!("{engine} {name}: {error}");
        fair(engine, name, seat, peer.as_mut()).await.map_err(differs)?;
    }
    let mut measured: Vec<Measured<W>> = Vec::new();
    for workload in &options.only {
        let mut times: Vec<Vec<Duration>> = seats.iter().map(|_| Vec::new()).collect();
        let mut allocs: Vec<u64> = vec![0; seats.len()];
        // The first round fills caches, and is not counted; the last counts allocations.
        let last = options.rounds.unwrap_or(options.samples + 1);
        for round in 0..=last {
            for turn in 0..seats.len() {
                let at = (turn + round) % seats.len();
                let (name, seat) = &mut seats[at];
                server.before(*workload).await?;
                let counts = round == last && options.rounds.is_none();
                let found = match (seat, &mut peer) {
                    (Seat::Here(contestant), _) => pipe::run(&mut **contestant, *workload, counts).await,
                    (Seat::There, Some(peer)) => peer.run(name, *workload, counts).await,
                    (Seat::There, None) => Ok(None),
                };
                let said = |error: Failure| format!("{engine} {workload} {name}: {error}");
                let Some(Taken { time, rows, allocs: allocated }) = found.map_err(said)? else { continue };
                if rows != workload.rows() {
                    return Err(format!("{engine} {workload} {name}: {rows} rows").into());
                }
                if counts {
                    allocs[at] = allocated;
                } else if round > 0 {
                    times[at].push(time);
                }
            }
        }
        let nanos = |times: &mut Vec<Duration>| {
            times.sort();
            let median = times.get(times.len() / 2)?;
            Some(median.as_nanos() as f64 / workload.things() as f64)
        };
        let medians: Vec<Option<f64>> = times.iter_mut().map(nanos).collect();
        let raw = medians.first().copied().flatten();
        for (((name, _), median), allocs) in seats.iter().zip(medians).zip(allocs) {
            let (Some(nanos), Some(raw)) = (median, raw) else { continue };
            let allocs = allocs as f64 / workload.rows() as f64;
            measured.push(Measured { workload: *workload, driver: name.clone(), nanos, ratio: nanos / raw, allocs });
        }
    }
    if let Some(peer) = peer {
        peer.end().await?;
    }
    match (options.rounds, options.markdown) {
        (Some(_), _) => {}
        (None, false) => print_times(engine, &measured),
        (None, true) => print_ratios(engine, &measured),
    }
    Ok(())
}

/// Asks a contestant for its settings: each is to be what it is for all.
async fn fair<W: Work>(engine: &str, name: &str, seat: &mut Seat<W>, mut peer: Option<&mut Peer>) -> Outcome<()> {
    let mut ask = async |expression: &str| match (&mut *seat, &mut peer) {
        (Seat::Here(contestant), _) => contestant.ask(expression).await,
        (Seat::There, Some(peer)) => peer.ask(name, expression).await,
        (Seat::There, None) => Ok(Vec::new()),
    };
    if let Some(mark) = mark(engine) {
        let mut answers = Vec::new();
        for _ in 0..TIMES {
            answers.extend(ask(mark).await?);
        }
        kept(&answers)?;
    }
    let mariadb = engine == "mysql" && ask("VERSION()").await?.iter().any(|version| version.contains("MariaDB"));
    for setting in settings(engine, mariadb) {
        let answers = ask(setting.expression).await.map_err(|error| format!("{}: {error}", setting.name))?;
        if answers.is_empty() || answers.iter().any(|answer| answer != setting.expected) {
            return Err(format!("{} is {answers:?}, not `{}`", setting.name, setting.expected).into());
        }
    }
    Ok(())
}

/// What a driver took for each thing of a workload, how that compares with the raw driver, and what it allocated for a row.
struct Measured<W> {
    workload: W,
    driver: String,
    nanos: f64,
    ratio: f64,
    allocs: f64,
}

fn print_times<W: Work>(engine: &str, measured: &[Measured<W>]) {
    println!("{:9} {:48} {:28} {:>9} {:>6} {:>9}", "engine", "workload", "driver", "ns", "ratio", "allocs");
    for Measured { workload, driver, nanos, ratio, allocs } in measured {
        println!("{engine:9} {:48} {driver:28} {nanos:>9.0} {ratio:>6.2} {allocs:>9.1}", workload.about());
    }
}

/// A table with a line for each driver, as docs/src/speed.md has it.
fn print_ratios<W: Work>(engine: &str, measured: &[Measured<W>]) {
    let workloads: Vec<_> = W::ALL.iter().filter(|w| measured.iter().any(|m| m.workload == **w)).collect();
    let heads: Vec<_> = workloads.iter().map(|workload| workload.about()).collect();
    println!("| {engine} | {} |\n|:--|{}", heads.join(" | "), "--:|".repeat(heads.len()));
    let mut drivers: Vec<&str> = Vec::new();
    for Measured { driver, .. } in measured {
        if !drivers.contains(&driver.as_str()) {
            drivers.push(driver);
        }
    }
    for driver in drivers {
        let ratio = |workload: &&W| {
            let found = measured.iter().find(|m| m.workload == **workload && m.driver == driver);
            found.map_or("-".to_owned(), |found| format!("{:.2} ({:.1})", found.ratio, found.allocs))
        };
        let ratios: Vec<_> = workloads.iter().map(ratio).collect();
        println!("| {driver} | {} |", ratios.join(" | "));
    }
}
