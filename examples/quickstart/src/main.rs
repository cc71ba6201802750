//! TPC-H in an embedded SQLite, one filter, and its SQL in five dialects.
//!
//! ```text
//! cargo run -p quickstart
//! cargo run -p quickstart -- '{"$":">","Left":{"#":"TotalPrice"},"Right":300000}' --take 5 --dialect oracle
//! ```
//!
//! `args` reads the command line, `tpch` makes the data, `table` prints an answer. What there is to see of Isogloss is in
//! three files: `entities` says what the tables are, `query` goes from a filter to SQL, and `main` runs it.

mod args;
mod entities;
mod query;
mod table;
mod tpch;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use isogloss::config::DataSourceConfig;
use isogloss::dao::{DataTable, DataViewDao};
use isogloss::prelude::{Compiler, Dialect, Expr, json};
use isogloss::session::Purpose;
use isogloss::{OrmContext, OrmResult};
use isogloss_mysql::MySql;

use crate::args::{Args, Command};
use crate::entities::OrderView;

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
    let query = query::read(filter.as_deref(), args.page, compiler)?;
    let dialects = query::dialects()?;
    let [here, ..] = &dialects;
    let mut out = io::stdout().lock();

    // Before the data is loaded: a bad filter is told at once.
    compiler.compile(&query, &**here)?;
    writeln!(out, "expr\n  {}", json::to_string(&query))?;
    for dialect in &dialects {
        if wanted(args.dialect, compiler, &query, &**dialect) {
            write_sql(&mut out, compiler, &query, &**dialect)?;
        }
    }

    // The rows come last: they are what one looks at first.
    if !args.sql_only {
        let loaded = tpch::open(args.db.as_deref(), args.scale, &tpch::progress_bar(args.scale))?;
        let (verb, time) = (if loaded.reused { "reused" } else { "loaded" }, table::duration(loaded.elapsed));
        eprintln!("TPC-H at scale {}: {} rows {verb} in {time}", args.scale, loaded.rows);
        context.add_data_source(DataSourceConfig::new("tpch", "sqlite", &loaded.place), true)?;
        let (found, time) = search(&context, query)?;
        let rows: Vec<_> = found.rows().collect();
        writeln!(out)?;
        table::write(&mut out, &query::SHOWN, &rows, time, table::terminal_width())?;
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

/// Whether a dialect's SQL is shown: MariaDB's, unless it is asked for, only where MySQL's is another.
fn wanted(asked: Option<&str>, compiler: &Compiler, query: &Expr, dialect: &dyn Dialect) -> bool {
    let name = dialect.sheet().name;
    match asked {
        Some(wanted) => wanted == name,
        None if name == query::MARIADB.sheet().name => {
            let sql = |dialect| compiler.compile(query, dialect).map(|compiled| compiled.sql);
            sql(dialect) != sql(&MySql::V8_0)
        }
        None => true,
    }
}

/// The SQL, what is bound to it, and what was expressed by something else. A refusal is shown in its place.
fn write_sql(
    out: &mut dyn Write,
    compiler: &Compiler,
    query: &Expr,
    dialect: &dyn Dialect,
) -> Result<(), Box<dyn Error>> {
    writeln!(out, "\n{}", dialect.label())?;
    let compiled = match compiler.compile(query, dialect) {
        Err(error) if error.is_refused() => return Ok(writeln!(out, "  {error}")?),
        compiled => compiled?,
    };
    for line in compiled.pretty().lines() {
        writeln!(out, "  {line}")?;
    }
    for (number, parameter) in (1..).zip(&compiled.params) {
        writeln!(out, "  {} = {}", query::placeholder(dialect, number), parameter)?;
    }
    for note in &compiled.notes {
        writeln!(out, "  note: {note}")?;
    }
    Ok(())
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
