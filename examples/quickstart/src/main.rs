//! TPC-H in an embedded SQLite, a question as a tree, its SQL and its rows.
//!
//! ```text
//! cargo run -p quickstart
//! cargo run -p quickstart -- --dialect all
//! cargo run -p quickstart -- '{"$":">","Left":{"#":"TotalPrice"},"Right":300000}' --take 5 --dialect oracle
//! ```
//!
//! What there is to see of Isogloss is in three files: `entities` says what the tables are, `query` goes from a filter to a
//! query, and `main` runs it. The others read the command line (`args`), make the data (`tpch`), and print (`report`, with
//! `layout` and `table`).

mod args;
mod entities;
mod layout;
mod query;
mod report;
mod table;
mod tpch;

use std::error::Error;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use isogloss::config::DataSourceConfig;
use isogloss::dao::{DataTable, DataViewDao};
use isogloss::expr::Expr;
use isogloss::prelude::json;
use isogloss::session::Purpose;
use isogloss::{OrmContext, OrmResult};

use crate::args::{Args, Command, Dialects};
use crate::entities::OrderView;
use crate::report::Report;

/// A bad command line, as is the custom.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let args = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Run(args)) => args,
        Ok(Command::Help) => return finish(io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into)),
        Err(error) => {
            eprintln!("error: {error}\ntry `quickstart --help`");
            return ExitCode::from(USAGE);
        }
    };
    finish(run(args))
}

fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let filter = args.filter.read()?;
    let context = OrmContext::new(isogloss::entity::catalog()?.clone());
    let compiler = context.compiler();
    let question =
        if filter.is_none() { query::QUESTION } else { "The orders that your filter lets through; the dearest first." };
    let filter = query::filter(filter.as_deref(), compiler)?;
    let tree = json::to_string(&Expr::from(filter.clone()));
    let query = query::orders(filter, args.page);
    let dialects = query::dialects()?;
    let mut report = Report { out: &mut io::stdout().lock(), compiler, query: &query, width: table::terminal_width() };

    // Before the data is loaded: a bad filter is told at once.
    compiler.compile(&query, &*dialects[0])?;
    report.question(question, &tree)?;
    for dialect in dialects.iter().filter(|dialect| args.dialects.has(dialect.sheet().name)) {
        report.sql(&**dialect)?;
    }
    if args.sql_only {
        return Ok(());
    }
    let loaded = tpch::open(args.db.as_deref(), args.scale, &tpch::progress_bar(args.scale))?;
    let (verb, time) = (if loaded.reused { "reused" } else { "loaded" }, table::duration(loaded.elapsed));
    eprintln!("TPC-H at scale {}: {} rows {verb} in {time}", args.scale, loaded.rows);
    context.add_data_source(DataSourceConfig::new("tpch", "sqlite", &loaded.place))?;
    let (found, time) = search(&context, query.clone())?;
    report.rows(&query::SHOWN, &found.rows().collect::<Vec<_>>(), time)?;
    if args.dialects == Dialects::Run {
        report.rules(&dialects)?;
    }
    Ok(())
}

/// Runs the query in a session: a unit of work, with a connection of its own while it needs one.
#[tokio::main(flavor = "current_thread")]
async fn search(context: &OrmContext, query: Expr) -> OrmResult<(DataTable, Duration)> {
    let session = context.create_session()?;
    // The connection is opened now, and is none of the query's time.
    session.lease(None, Purpose::Read).await?;
    let start = Instant::now();
    // The query selects some columns of the view. Without a list, `ObjectViewDao` gives the structs themselves.
    let rows = DataViewDao::<OrderView>::new(&session).search(query).await?;
    Ok((rows, start.elapsed()))
}

/// A reader that has seen enough (`| head`) is no failure.
fn finish(result: Result<(), Box<dyn Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
