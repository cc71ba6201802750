//! Processes that are killed while they migrate, and processes that migrate at once.
//!
//! This program is an executable of its own because it starts itself again as such a process. The process writes a line for each
//! step, waits where it is told to, and is killed with SIGKILL.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]
#![allow(clippy::print_stdout, reason = "a child says where it is")]

#[path = "it/support/mod.rs"]
mod support;

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use isogloss_driver::ConnectionExt as _;
use isogloss_driver::ddl::asked;
use isogloss_migrate::{Migration, Migrations, Migrator, State};
use libtest_mimic::{Arguments, Failed, Trial};
use support::{Outcome, Place, engines, open, tables};

/// What the process does, what it says, and where.
const CHILD: &str = "ISOGLOSS_MIGRATE_CHILD";

fn migrations() -> Migrations {
    let first = Migration::new(
        1,
        "add_customers",
        "CREATE TABLE customers (id integer PRIMARY KEY, name varchar(50));
         INSERT INTO customers VALUES (1, 'a'), (2, 'b; c');
         UPDATE customers SET id = id + 10;
         CREATE INDEX by_name ON customers (name);
         ALTER TABLE customers ADD COLUMN points integer DEFAULT 0;",
    )
    .down("DROP TABLE customers");
    let second = Migration::new(
        2,
        "add_orders",
        "CREATE TABLE orders (id integer PRIMARY KEY, customer integer);
         INSERT INTO orders SELECT id, id FROM customers;
         ALTER TABLE customers RENAME COLUMN points TO score;",
    )
    .down(
        "ALTER TABLE customers RENAME COLUMN score TO points;
         UPDATE customers SET points = points + 1;
         DROP TABLE orders;",
    );
    Migrations::new([first, second]).unwrap()
}

/// Where a child writes a line. It always writes one when it is done.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    /// At this step, where it waits.
    At(usize),
    /// At each step, and goes on.
    EachStep,
    /// At none.
    Done,
}

impl Lines {
    fn text(self) -> String {
        match self {
            Self::At(step) => step.to_string(),
            Self::EachStep => "each".to_owned(),
            Self::Done => "done".to_owned(),
        }
    }

    fn parse(text: &str) -> Outcome<Self> {
        Ok(match text {
            "each" => Self::EachStep,
            "done" => Self::Done,
            step => Self::At(step.parse()?),
        })
    }
}

/// What the child does: `up` or `down`, with these lines.
async fn child(task: &str) -> Outcome {
    let mut parts = task.splitn(3, ' ');
    let (direction, lines, url) = (parts.next().unwrap(), Lines::parse(parts.next().unwrap())?, parts.next().unwrap());
    let (backend, migrations, count) = (open(url).await?, migrations(), AtomicUsize::new(0));
    let migrator = Migrator::new(&*backend, &migrations).on_progress(move |at| {
        let waits = lines == Lines::At(count.fetch_add(1, Ordering::Relaxed));
        if waits || lines == Lines::EachStep {
            println!("at {at}");
        }
        if waits {
            loop {
                thread::park();
            }
        }
    });
    let done = if direction == "up" { migrator.run(None).await? } else { migrator.down(0).await? };
    println!("done {}", done.len());
    Ok(())
}

/// A child, which is killed when it is dropped.
struct Killable(Child, BufReader<ChildStdout>);

impl Drop for Killable {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Killable {
    fn start(direction: &str, lines: Lines, url: &str) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.env(CHILD, format!("{direction} {} {url}", lines.text())).stdout(Stdio::piped()).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self(child, out)
    }

    /// The next line that it writes.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.1.read_line(&mut line).unwrap();
        line.trim().to_owned()
    }

    /// Kills it, and returns whether it was still running.
    fn kill(&mut self) -> bool {
        self.0.kill().unwrap();
        !self.0.wait().unwrap().success()
    }
}

/// The rows of both tables, and that each is there as often as it should be.
async fn check_up(url: &str) -> Outcome<String> {
    let backend = open(url).await?;
    let mut connection = backend.connect().await?;
    let rows: Vec<(i64, String, i64)> =
        connection.fetch(&asked("SELECT id, name, score FROM customers ORDER BY id", &[])).await?;
    assert_eq!(rows, [(11, "a".to_owned(), 0), (12, "b; c".to_owned(), 0)]);
    let orders: Vec<(i64,)> = connection.fetch(&asked("SELECT id FROM orders ORDER BY id", &[])).await?;
    assert_eq!(orders, [(11,), (12,)]);
    let migrations = migrations();
    let status = Migrator::new(&*backend, &migrations).status().await?;
    assert!(status.iter().all(|one| one.state == State::Applied && one.applied_at.is_some()), "{status:?}");
    Ok(format!("{:?}", tables(&mut connection, &*backend).await?))
}

async fn check_down(url: &str) -> Outcome {
    let backend = open(url).await?;
    let mut connection = backend.connect().await?;
    assert_eq!(tables(&mut connection, &*backend).await?.tables, []);
    let migrations = migrations();
    let status = Migrator::new(&*backend, &migrations).status().await?;
    assert!(status.iter().all(|one| one.state == State::Pending), "{status:?}");
    Ok(())
}

async fn finish(url: &str, direction: &str) -> Outcome<usize> {
    let (backend, migrations) = (open(url).await?, migrations());
    let migrator = Migrator::new(&*backend, &migrations);
    let done = if direction == "up" { migrator.run(None).await } else { migrator.down(0).await };
    Ok(done?.len())
}

/// At each step, also between a statement and its record, which the lines prove.
async fn killed_at_each_step(url: &str) -> Outcome {
    finish(url, "up").await?;
    let whole = check_up(url).await?;
    finish(url, "down").await?;
    let mut steps = Vec::new();
    for direction in ["up", "down"] {
        for stop in 0.. {
            if direction == "down" {
                finish(url, "up").await?;
            }
            let mut child = Killable::start(direction, Lines::At(stop), url);
            let line = child.line();
            child.kill();
            let is_done = line.starts_with("done ");
            assert!(is_done || line.starts_with("at "), "{direction} {stop}: {line:?}");
            steps.push(line);
            finish(url, direction).await.map_err(|error| format!("{direction} after {:?}: {error}", steps.last()))?;
            if direction == "up" {
                assert_eq!(check_up(url).await?, whole, "after {:?}", steps.last());
                finish(url, "down").await?;
            }
            check_down(url).await?;
            if is_done {
                break;
            }
        }
    }
    for step in [
        "at statement 4 has run",
        "at statement 3 is recorded",
        "at 0002_add_orders up",
        "at 0001_add_customers down done",
    ] {
        assert!(steps.iter().any(|line| line == step), "{step}: {steps:?}");
    }
    println!("{} kills", steps.len() - 2);
    Ok(())
}

/// While a statement runs, or anything else: the child goes on when it has written a line, and is killed then.
async fn killed_at_any_time(url: &str) -> Outcome {
    let mut broken_off = 0;
    for moment in 0.. {
        let mut child = Killable::start("up", Lines::EachStep, url);
        let is_done = (0..moment).any(|_| child.line().starts_with("done "));
        broken_off += usize::from(child.kill());
        finish(url, "up").await.map_err(|error| format!("after {moment}: {error}"))?;
        check_up(url).await?;
        finish(url, "down").await?;
        check_down(url).await?;
        if is_done {
            break;
        }
    }
    assert!(broken_off > 0);
    Ok(())
}

/// Each migration is run by one of them, and all succeed.
async fn several_at_once(url: &str) -> Outcome {
    for _ in 0..4 {
        for direction in ["up", "down"] {
            let mut children: Vec<_> = (0..3).map(|_| Killable::start(direction, Lines::Done, url)).collect();
            let lines: Vec<String> = children.iter_mut().map(Killable::line).collect();
            for child in &mut children {
                assert!(child.0.wait()?.success());
            }
            let done = lines.iter().map(|line| line.strip_prefix("done ").unwrap().parse::<usize>().unwrap());
            assert_eq!(done.sum::<usize>(), 2, "{lines:?}");
            if direction == "up" { drop(check_up(url).await?) } else { check_down(url).await? }
        }
    }
    Ok(())
}

type Test = for<'u> fn(&'u str) -> std::pin::Pin<Box<dyn Future<Output = Outcome> + 'u>>;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn main() -> ExitCode {
    if let Ok(task) = env::var(CHILD) {
        let done = runtime().block_on(child(&task));
        let _ = std::io::stdout().flush();
        return match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("{error}");
                ExitCode::FAILURE
            }
        };
    }
    let tests: [(&str, Test); 3] = [
        ("killed_at_each_step", |url| Box::pin(killed_at_each_step(url))),
        ("killed_at_any_time", |url| Box::pin(killed_at_any_time(url))),
        ("several_at_once", |url| Box::pin(several_at_once(url))),
    ];
    let trials = engines().into_iter().flat_map(|(engine, server)| {
        tests.map(|(name, test)| {
            let server = server.clone();
            Trial::test(format!("{engine}::{name}"), move || {
                runtime().block_on(async {
                    let place = Place::new(server.as_deref()).await.map_err(Failed::from)?;
                    test(&place.url).await.map_err(Failed::from)
                })
            })
        })
    });
    let trials: Vec<Trial> = trials.collect();
    let mut arguments = Arguments::from_args();
    // They wait for servers and children most of the time, so that all run at once.
    arguments.test_threads = arguments.test_threads.or(Some(trials.len()));
    libtest_mimic::run(&arguments, trials).exit_code()
}
