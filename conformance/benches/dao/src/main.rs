//! Speed of Isogloss' data access layer beside the raw drivers and the peers, in one run in which all take turns.
//!
//! ```sh
//! cargo run --release -- sqlite postgres=postgres://postgres@127.0.0.1/postgres
//! cargo run --release -- sqlite --only Get --driver Isogloss --driver rusqlite --samples 21
//! ```
//!
//! Each engine gets the tables `dao_orders`, `dao_fresh`, `dao_customers` and `dao_cities` in the database that the
//! address names; they are dropped first and last. The times are medians; the bar is 1.2 times the raw driver, with
//! SQL by hand. Allocations are those of the whole program, counted in a round of its own that is not timed.
//!
//! With `--rounds N`, one contestant does one workload N times and nothing is printed: callgrind counts the instructions
//! of N and of 2N rounds, and the difference is what N rounds take.

mod alloc;
mod contestants;
mod work;

use std::time::Duration;

use lexopt::prelude::*;
use work::{Outcome, Workload, drops, fill, tables};

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

struct Arguments {
    engines: Vec<(String, String)>,
    only: Vec<Workload>,
    drivers: Vec<String>,
    samples: usize,
    rounds: Option<usize>,
}

fn arguments() -> Outcome<Arguments> {
    let mut found = Arguments { engines: Vec::new(), only: Vec::new(), drivers: Vec::new(), samples: 11, rounds: None };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("only") => found.only.push(parser.value()?.string()?.parse()?),
            Long("driver") => found.drivers.push(parser.value()?.string()?),
            Long("samples") => found.samples = parser.value()?.parse()?,
            Long("rounds") => found.rounds = Some(parser.value()?.parse()?),
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

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome<()> {
    // All run on a worker thread, as the handlers of a service do, and not on the one that waits for it.
    tokio::spawn(run(arguments()?)).await?
}

async fn run(arguments: Arguments) -> Outcome<()> {
    for (engine, url) in &arguments.engines {
        let file = std::env::temp_dir().join(format!("isogloss-dao-benches-{}.db", std::process::id()));
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
    let mut seats = contestants::all(engine, url).await?;
    if !arguments.drivers.is_empty() {
        seats.retain(|seat| arguments.drivers.contains(&seat.name()));
    }
    if arguments.rounds.is_none() {
        println!("{:9} {:24} {:28} {:>9} {:>6} {:>9}", "engine", "workload", "driver", "ns", "ratio", "allocs");
    }
    for workload in &arguments.only {
        let mut times: Vec<Vec<Duration>> = seats.iter().map(|_| Vec::new()).collect();
        let mut allocs: Vec<u64> = vec![0; seats.len()];
        // The first round fills caches, and is not counted; the last counts allocations.
        let last = arguments.rounds.unwrap_or(arguments.samples + 1);
        for round in 0..=last {
            for turn in 0..seats.len() {
                let at = (turn + round) % seats.len();
                let seat = &mut seats[at];
                if let Some(before) = workload.before() {
                    server.script("DELETE FROM dao_fresh").await?;
                    if arguments.rounds.is_none() || *workload != Workload::Insert {
                        server
                            .script(&format!("INSERT INTO dao_fresh SELECT * FROM dao_orders WHERE {before}"))
                            .await?;
                    }
                    if engine == "postgres" {
                        server.script("VACUUM dao_fresh").await?;
                    }
                }
                let counts = round == last && arguments.rounds.is_none();
                if counts {
                    alloc::start();
                }
                let found = seat.run(*workload).await;
                let allocated = alloc::stop();
                let (begun, rows) = found.map_err(|error| format!("{engine} {workload} {}: {error}", seat.name()))?;
                let took = begun.elapsed();
                if rows != workload.rows() {
                    return Err(format!("{engine} {workload} {}: {rows} rows", seat.name()).into());
                }
                if counts {
                    allocs[at] = allocated;
                } else if round > 0 {
                    times[at].push(took);
                }
            }
        }
        if arguments.rounds.is_some() {
            continue;
        }
        let nanos = |times: &mut Vec<Duration>| {
            times.sort();
            times[times.len() / 2].as_nanos() as f64 / workload.things() as f64
        };
        let medians: Vec<f64> = times.iter_mut().map(nanos).collect();
        for ((seat, median), allocs) in seats.iter().zip(&medians).zip(allocs) {
            let (ratio, allocs) = (median / medians[0], allocs as f64 / workload.things() as f64);
            let (about, name) = (workload.about(), seat.name());
            println!("{engine:9} {about:24} {name:28} {median:>9.0} {ratio:>6.2} {allocs:>9.1}");
        }
    }
    drop(seats);
    for sql in drops() {
        server.script(&sql).await?;
    }
    Ok(())
}
