//! TPC-H in an embedded SQLite, one filter, and its SQL in five dialects.
//!
//! ```text
//! cargo run -p quickstart
//! cargo run -p quickstart -- '<filter as JSON>' --take 5 --dialect oracle
//! ```
//!
//! `args` reads the command line, `tpch` makes the data, `table` prints an answer; `compile` below is all there is to
//! see of Isogloss.

mod args;
mod table;
mod tpch;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use rusqlite::types::Value;

use crate::args::{Args, Command, Page};
use crate::table::ResultSet;

/// The dialect that runs here; the others are shown.
const HERE: &str = "sqlite";

/// A bad command line, as is the custom.
const USAGE: u8 = 2;

/// The text of one dialect and what is bound to its placeholders, in their order.
struct Compiled {
    dialect: &'static str,
    sql: String,
    params: Vec<Value>,
}

// ---- the compiler goes here -----------------------------------------------------------------------------------------

/// The orders that `filter_json` lets through, dearest first, in every dialect.
fn compile(filter_json: Option<&str>, page: Page) -> Result<Vec<Compiled>, Box<dyn Error>> {
    if filter_json.is_some() {
        return Err("no compiler is plugged in yet, so there is nobody to read the filter".into());
    }
    let sql = "SELECT o.Id, o.OrderDate, o.Status, o.TotalPrice, c.Name AS Customer, n.Name AS Nation FROM Orders o \
               JOIN Customer c ON c.Id = o.CustomerId JOIN Nation n ON n.Id = c.NationId WHERE EXISTS (SELECT 1 FROM \
               LineItem l WHERE l.OrderId = o.Id AND l.Quantity > ?1) ORDER BY o.TotalPrice DESC, o.Id LIMIT ?2 OFFSET ?3";
    let params = [45, page.take.into(), page.skip.into()].map(Value::Integer).to_vec();
    Ok(vec![Compiled { dialect: HERE, sql: sql.to_owned(), params }])
}

// ---------------------------------------------------------------------------------------------------------------------

fn main() -> ExitCode {
    let args = match args::parse(std::env::args_os().skip(1)) {
        Ok(Command::Run(args)) => args,
        Ok(Command::Help) => return finish(io::stdout().write_all(args::HELP.as_bytes()).map_err(Into::into)),
        Err(error) => {
            eprintln!("error: {error}\n\n{}", args::HELP);
            return ExitCode::from(USAGE);
        }
    };
    finish(run(args))
}

fn run(args: Args) -> Result<(), Box<dyn Error>> {
    let filter = args.filter.read()?;
    let statements = compile(filter.as_deref(), args.page)?;
    let mut out = io::stdout().lock();

    if !args.sql_only
        && let Some(here) = statements.iter().find(|statement| statement.dialect == HERE)
    {
        let loaded = tpch::open(args.db.as_deref(), args.scale, &tpch::progress_bar(args.scale))?;
        let (verb, time) = (if loaded.reused { "reused" } else { "loaded" }, table::duration(loaded.elapsed));
        eprintln!("TPC-H at scale {}: {} rows {verb} in {time}", args.scale, loaded.rows);
        // `take` is in the statement already; here it only says that nothing was lost on the way.
        let limit = args.page.take.try_into()?;
        ResultSet::query(&loaded.connection, &here.sql, &here.params, limit)?
            .write(&mut out, table::terminal_width())?;
    }

    for statement in &statements {
        if args.dialect.is_none_or(|wanted| wanted == statement.dialect) {
            write_sql(&mut out, statement)?;
        }
    }
    Ok(())
}

fn write_sql(out: &mut dyn Write, Compiled { dialect, sql, params }: &Compiled) -> io::Result<()> {
    writeln!(out, "\n{dialect}\n  {sql}")?;
    for (number, value) in (1..).zip(params) {
        writeln!(out, "  {number} = {}", table::show(value))?;
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
