//! A page: a query tree as JSON, its SQL in every dialect and version, and its rows.
//!
//! ```text
//! cargo run -p playground
//! cargo run -p playground -- --engine postgres=postgres://postgres@127.0.0.1/postgres
//! ```

use std::error::Error;
use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use isogloss_compiler::Compiler;
use isogloss_tpch as tpch;
use playground::args::{self, Args, Command};
use playground::engine::{Engine, Place, Tables};
use playground::page::{Page, built_wasm};
use playground::server::{World, router};
use tokio::net::TcpListener;

/// A bad command line, as is the custom.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let done = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Help) => io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into),
        Ok(Command::Export { folder, wasm }) => match wasm.or_else(built_wasm) {
            Some(wasm) => Page::new(Some(&wasm), false).and_then(|page| page.export(&folder)).map_err(Into::into),
            None => Err("there is no compiler for browsers: run compiler/wasm/build.sh first".into()),
        },
        Ok(Command::Serve(args)) => serve(args),
        Err(error) => {
            eprintln!("error: {error}\ntry `playground --help`");
            return ExitCode::from(USAGE);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn serve(args: Args) -> Result<(), Box<dyn Error>> {
    let wasm = args.wasm.or_else(built_wasm);
    let compiler = Compiler::new(tpch::catalog()?);
    let mut engines = Vec::new();
    let tables = Tables { scale: args.scale, schema: "isogloss_playground".to_owned() };
    for place in [Place::Memory].into_iter().chain(args.engines) {
        engines.push(Engine::open(place, tables.clone(), &compiler).await?);
    }
    let world = Arc::new(World { page: Page::new(wasm.as_deref(), true)?, engines });
    // Nobody but this machine: the page runs what it is given.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
    let where_compiled =
        if wasm.is_some() { "in the browser" } else { "by this server: compiler/wasm/build.sh was not run" };
    eprintln!("trees are compiled {where_compiled}");
    writeln!(io::stdout(), "http://{}/", listener.local_addr()?)?;

    // The page is there at once; its first rows wait for the data.
    let filling = Arc::clone(&world);
    tokio::spawn(async move {
        for engine in &filling.engines {
            let start = Instant::now();
            match engine.prepare().await {
                Ok(()) => eprintln!(
                    "{}: TPC-H at scale {} after {:.1} s",
                    engine.label(),
                    args.scale,
                    start.elapsed().as_secs_f64()
                ),
                Err(error) => eprintln!("{}: {error}", engine.label()),
            }
        }
    });
    let end = async { _ = tokio::signal::ctrl_c().await };
    Ok(axum::serve(listener, router(world)).with_graceful_shutdown(end).await?)
}
