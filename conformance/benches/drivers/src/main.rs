//! Speed of Isogloss' drivers beside the raw ones and the peers, in one run in which all take turns.
//!
//! ```sh
//! cargo build --release --manifest-path peers/Cargo.toml   # sqlx and SeaORM: they link another SQLite
//! cargo run --release -- sqlite postgres=postgres://postgres@127.0.0.1/postgres mysql=mysql://root@127.0.0.1/test
//! cargo run --release -- sqlite --only Key --driver Isogloss --driver rusqlite --samples 21 --markdown
//! ```
//!
//! Each engine gets the tables `items` and `fresh` in the database that the address names; both are dropped first.

mod contestants;

use std::path::PathBuf;
use std::time::Duration;

use lexopt::prelude::*;
use workload::{Contestant, Failure, Outcome, Peer, Workload, fill, tables};

struct Arguments {
    engines: Vec<(String, String)>,
    only: Vec<Workload>,
    drivers: Vec<String>,
    samples: usize,
    markdown: bool,
}

fn arguments() -> Outcome<Arguments> {
    let mut found =
        Arguments { engines: Vec::new(), only: Vec::new(), drivers: Vec::new(), samples: 11, markdown: false };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("only") => found.only.push(parser.value()?.string()?.parse()?),
            Long("driver") => found.drivers.push(parser.value()?.string()?),
            Long("samples") => found.samples = parser.value()?.parse()?,
            Long("markdown") => found.markdown = true,
            Value(engine) => {
                let engine = engine.string()?;
                let (engine, url) = engine.split_once('=').unwrap_or((&engine, ""));
                found.engines.push((engine.to_owned(), url.to_owned()));
            }
            other => return Err(other.unexpected().into()),
        }
    }
    if found.only.is_empty() {
        found.only = Workload::ALL.to_vec();
    }
    Ok(found)
}

/// A contestant here, or the name of one in the other program.
enum Seat {
    Here(Box<dyn Contestant>),
    There(String),
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome<()> {
    // All run on a worker thread, as the handlers of a service do, and not on the one that waits for it.
    tokio::spawn(run(arguments()?)).await?
}

async fn run(arguments: Arguments) -> Outcome<()> {
    for (engine, url) in &arguments.engines {
        let file = std::env::temp_dir().join(format!("isogloss-benches-{}.db", std::process::id()));
        let url = if engine == "sqlite" { file.display().to_string() } else { url.clone() };
        let done = measure(engine, &url, &arguments).await;
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
        }
        done?;
    }
    Ok(())
}

async fn measure(engine: &str, url: &str, arguments: &Arguments) -> Outcome<()> {
    let server = contestants::server(engine, url).await?;
    for sql in tables(engine).into_iter().chain(fill(engine)) {
        server.script(&sql).await?;
    }
    let mut seats: Vec<(String, Seat)> = Vec::new();
    for contestant in contestants::all(engine, url).await? {
        seats.push((contestant.name(), Seat::Here(contestant)));
    }
    let program: PathBuf = [env!("CARGO_MANIFEST_DIR"), "peers", "target", "release", "peers"].iter().collect();
    let there = if engine == "sqlite" { format!("sqlite://{url}") } else { url.to_owned() };
    let mut peer = match Peer::start(&program, engine, &there).await {
        Ok(peer) => {
            seats.extend(peer.names.iter().map(|name| (name.clone(), Seat::There(name.clone()))));
            Some(peer)
        }
        Err(error) => {
            println!(
                "skipped: sqlx and SeaORM ({error}); build them first: cargo build --release --manifest-path peers/Cargo.toml"
            );
            None
        }
    };
    if !arguments.drivers.is_empty() {
        seats.retain(|(name, _)| arguments.drivers.contains(name));
    }
    let mut measured: Vec<Measured> = Vec::new();
    for workload in &arguments.only {
        let mut times: Vec<Vec<Duration>> = seats.iter().map(|_| Vec::new()).collect();
        // The first round fills caches, and is not counted.
        for round in 0..=arguments.samples {
            for turn in 0..seats.len() {
                let at = (turn + round) % seats.len();
                let (name, seat) = &mut seats[at];
                if workload.writes() {
                    server
                        .script(if engine == "sqlite" { "DELETE FROM fresh" } else { "TRUNCATE TABLE fresh" })
                        .await?;
                }
                let found = match seat {
                    Seat::Here(contestant) => contestant.run(*workload).await,
                    Seat::There(name) => match &mut peer {
                        Some(peer) => peer.run(name, *workload).await,
                        None => Ok(None),
                    },
                };
                let said = |error: Failure| format!("{engine} {workload} {name}: {error}");
                let Some((time, rows)) = found.map_err(said)? else { continue };
                if rows != workload.things() {
                    return Err(format!("{engine} {workload} {name}: {rows} rows").into());
                }
                if round > 0 {
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
        for ((name, _), median) in seats.iter().zip(medians) {
            let (Some(median), Some(raw)) = (median, raw) else { continue };
            measured.push(Measured { workload: *workload, driver: name.clone(), nanos: median, ratio: median / raw });
        }
    }
    if let Some(peer) = peer {
        peer.end().await?;
    }
    for sql in ["DROP TABLE items", "DROP TABLE fresh"] {
        server.script(sql).await?;
    }
    if arguments.markdown {
        print_ratios(engine, &measured);
    } else {
        print_times(engine, &measured);
    }
    Ok(())
}

/// What a driver took for each thing of a workload, and how that compares with the raw driver.
struct Measured {
    workload: Workload,
    driver: String,
    nanos: f64,
    ratio: f64,
}

fn print_times(engine: &str, measured: &[Measured]) {
    println!("{:9} {:48} {:28} {:>9} {:>6}", "engine", "workload", "driver", "ns", "ratio");
    for Measured { workload, driver, nanos, ratio } in measured {
        println!("{engine:9} {:48} {driver:28} {nanos:>9.0} {ratio:>6.2}", workload.about());
    }
}

/// A table with a line for each driver, as the README has it.
fn print_ratios(engine: &str, measured: &[Measured]) {
    let workloads: Vec<_> = Workload::ALL.into_iter().filter(|w| measured.iter().any(|m| m.workload == *w)).collect();
    let heads: Vec<_> = workloads.iter().map(|workload| workload.about()).collect();
    println!("| {engine} | {} |\n|:--|{}", heads.join(" | "), "--:|".repeat(heads.len()));
    let mut drivers: Vec<&str> = Vec::new();
    for Measured { driver, .. } in measured {
        if !drivers.contains(&driver.as_str()) {
            drivers.push(driver);
        }
    }
    for driver in drivers {
        let ratio = |workload: &Workload| {
            let found = measured.iter().find(|m| m.workload == *workload && m.driver == driver);
            found.map_or("-".to_owned(), |found| format!("{:.2}", found.ratio))
        };
        let ratios: Vec<_> = workloads.iter().map(ratio).collect();
        println!("| {driver} | {} |", ratios.join(" | "));
    }
}
