//! Speed of Isogloss' drivers beside the raw ones and the peers, in one run in which all take turns.
//!
//! ```sh
//! cargo build --release -p drivers-peers   # sqlx and SeaORM
//! cargo run --release -- sqlite postgres=postgres://postgres@127.0.0.1/postgres mysql=mysql://root@127.0.0.1/test
//! cargo run --release -- sqlite --only Key --driver Isogloss --driver rusqlite --samples 21 --markdown
//! ```
//!
//! In the tables, the ratio to the raw driver is followed by the allocations for a row, those of the whole program.
//!
//! Each engine gets the tables `items` and `fresh` in the database that the address names; both are dropped first.

mod contestants;

use workload::{Options, Outcome, Workload, alloc, fill, measure, tables};

#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Outcome<()> {
    // All run on a worker thread, as the handlers of a service do, and not on the one that waits for it.
    tokio::spawn(run(Options::read()?)).await?
}

async fn run(options: Options<Workload>) -> Outcome<()> {
    for (engine, url) in &options.engines {
        let file = std::env::temp_dir().join(format!("isogloss-benches-{}.db", std::process::id()));
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
    let program = std::env::current_exe()?.with_file_name("drivers-peers");
    measure(engine, url, options, &server, contestants::all(engine, url).await?, &program).await
}
