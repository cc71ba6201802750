//! What becomes of data, connections and callers when something between a program and its database breaks.
//!
//! A [scenario](scenarios) breaks something on one engine, looks at what is left, and says in one line what it has
//! measured; it fails where something was lost, half done, leaked, or held for too long.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a program that tests"
)]

pub mod api;
pub mod child;
pub mod clients;
pub mod load;
pub mod own;
pub mod place;
pub mod proxy;
pub mod rows;
pub mod scenarios;
#[path = "../../src/servers.rs"]
pub mod servers;
pub mod table;

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;

use place::Place;

/// What a scenario comes to: what it has measured, or what did not hold.
pub type Outcome<T = String> = Result<T, Box<dyn Error + Send + Sync>>;

/// What is not done after this time is not done at all, however slow the machine is.
pub const HANG: Duration = Duration::from_secs(120);

/// Calls `attempt` until it succeeds, where nothing is broken and only a slow machine is in the way of a short limit.
///
/// # Errors
/// The last one, after [`HANG`].
pub async fn settled<T, E, F>(mut attempt: impl FnMut() -> F) -> Result<T, E>
where
    F: Future<Output = Result<T, E>>,
{
    let begun = Instant::now();
    loop {
        match attempt().await {
            Err(_) if begun.elapsed() < HANG => tokio::time::sleep(Duration::from_millis(20)).await,
            done => return done,
        }
    }
}

/// How much is done.
#[derive(Debug, Clone)]
pub struct Scale {
    /// How long what runs for a time runs.
    pub time: Duration,
    /// How often what is repeated is repeated.
    pub rounds: usize,
    /// How many clients an API has at once.
    pub clients: u32,
    /// Whether a scenario waits for what is late instead of failing, as on a machine that does other things as well.
    pub is_patient: bool,
    /// The program that child processes run: this one.
    pub program: PathBuf,
}

impl Scale {
    /// Some seconds for each scenario.
    #[must_use]
    pub fn short(program: PathBuf) -> Self {
        Self { time: Duration::from_secs(3), rounds: 3, clients: 100, is_patient: false, program }
    }

    /// The same for a test, which passes on a machine of any speed.
    #[must_use]
    pub fn patient(program: PathBuf) -> Self {
        Self { time: Duration::from_secs(1), is_patient: true, ..Self::short(program) }
    }

    /// Minutes for each scenario.
    #[must_use]
    pub fn long(program: PathBuf) -> Self {
        Self { time: Duration::from_secs(300), rounds: 60, clients: 2_000, is_patient: false, program }
    }

    /// How long something may take that should be done within `bound`.
    #[must_use]
    pub fn at_most(&self, bound: Duration) -> Duration {
        if self.is_patient { bound.max(HANG) } else { bound }
    }
}

/// Something that breaks.
pub struct Scenario {
    /// Its name on the command line.
    pub name: &'static str,
    /// What breaks, and what is measured then: a part of the finding for each part that a semicolon ends.
    pub what: &'static str,
    /// Whether it can break there.
    pub is_for: fn(&Place) -> bool,
    /// Whether it starts servers, which takes most of its time.
    pub starts_servers: bool,
    /// Breaks it.
    pub run: for<'p> fn(&'p Place, &'p Scale) -> BoxFuture<'p, Outcome>,
}

/// What came of a scenario on an engine.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The scenario.
    pub scenario: &'static str,
    /// The engine, with its version.
    pub engine: String,
    /// What it has measured, or why it failed.
    pub outcome: Result<String, String>,
}

/// Runs the scenarios that are wanted on every engine, one after the other.
///
/// # Errors
/// An engine cannot be reached. What does not hold is in the findings.
pub async fn run(engines: &[(String, String)], wanted: &[String], scale: &Scale) -> Outcome<Vec<Finding>> {
    let mut findings = Vec::new();
    for (provider, url) in engines {
        for scenario in scenarios::ALL.iter().filter(|one| wanted.is_empty() || wanted.iter().any(|w| w == one.name)) {
            let place = Place::make(provider, url).await?;
            let (begun, engine) = (Instant::now(), place.engine.clone());
            if !(scenario.is_for)(&place) {
                place.end().await?;
                continue;
            }
            let done = (scenario.run)(&place, scale).await;
            place.end().await?;
            let outcome = done.map_err(|error| error.to_string());
            match &outcome {
                Ok(said) if said.starts_with("not run") => println!("{engine:<15} {:<10} {said}", scenario.name),
                Ok(said) => println!("{engine:<15} {:<10} held: {said} ({:.0?})", scenario.name, begun.elapsed()),
                Err(why) => println!("{engine:<15} {:<10} FAILED: {why}", scenario.name),
            }
            findings.push(Finding { scenario: scenario.name, engine, outcome });
        }
    }
    Ok(findings)
}
