//! Speed of Isogloss' data access layer beside the raw drivers and the peers, in one run in which all take turns.
//!
//! ```sh
//! cargo build --release -p dao-peers   # sqlx and SeaORM
//! cargo run --release -- sqlite postgres=postgres://postgres@127.0.0.1/postgres mysql=mysql://root@127.0.0.1/test
//! cargo run --release -- sqlite --only Get --driver Isogloss --driver rusqlite --samples 21 --markdown
//! ```
//!
//! Each engine gets the tables `dao_orders`, `dao_fresh`, `dao_customers` and `dao_cities` in the database that the
//! address names; they are dropped first and last. The times are medians; the bar is 1.2 times the raw driver, with
//! SQL by hand. Allocations are those of the whole program for a row, counted in a round of its own that is not timed.
//! None of them encrypts: where a server offers it, some would, and others not.
//!
//! With `--rounds N`, one contestant does one workload N times and nothing is printed: callgrind counts the instructions
//! of N and of 2N rounds, and the difference is what N rounds take.

mod contestants;

use workload::dao::{Workload, drops, fill, tables};
use workload::{Options, Outcome, alloc, measure};

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome<()> {
    // All run on a worker thread, as the handlers of a service do, and not on the one that waits for it.
    tokio::spawn(run(Options::read()?)).await?
}

async fn run(options: Options<Workload>) -> Outcome<()> {
    for (engine, url) in &options.engines {
        let file = std::env::temp_dir().join(format!("isogloss-dao-benches-{}.db", std::process::id()));
        let url = match engine.as_str() {
            "sqlite" => file.display().to_string(),
            "postgres" => format!("{url}?sslmode=disable"),
            _ => url.clone(),
        };
        let done = on(engine, &url, &options).await;
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
        }
        done?;
    }
    Ok(())
}

async fn on(engine: &str, url: &str, options: &Options<Workload>) -> Outcome<()> {
    let server = contestants::server(engine, url).await?;
    for sql in tables(engine).into_iter().chain(fill(engine)) {
        server.script(&sql).await?;
    }
    // Built into the same folder.
    let program = std::env::current_exe()?.with_file_name("dao-peers");
    measure(engine, url, options, &server, contestants::all(engine, url).await?, &program).await?;
    for sql in drops() {
        server.script(&sql).await?;
    }
    Ok(())
}
