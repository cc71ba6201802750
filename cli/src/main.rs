//! The command line of Isogloss.
//!
//! The exit status is 0 if all is well, 1 if a dialect refuses a tree or something differs, 2 for a bad command line, file
//! or tree, and 3 for a database that fails.

mod catalog;
mod commands;
mod database;
mod dialects;
mod failure;
mod output;
mod plan;
mod project;
mod rows;
mod text;
mod tree;

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::commands::Command;
use crate::failure::{Failure, Found, Result};
use crate::output::{Color, tell};

/// One query tree for many SQL engines: its SQL, its rows, its plans, and whether databases fit their catalog
///
/// The exit status is 0 if all is well, 1 if a dialect refuses a tree or something differs, 2 for a bad command line, file or
/// tree, and 3 for a database that fails.
///
/// A database is a URL, `env:NAME` for one in a variable of the environment, or a name in the table `databases` of `isogloss.toml`.
/// Passwords are taken from the variable ISOGLOSS_PASSWORD, or asked for by --password.
#[derive(Debug, Parser)]
#[command(name = "isogloss", version, max_term_width = 100)]
struct Cli {
    /// Run in this folder, whose `isogloss.toml` is read
    #[arg(long, short = 'C', value_name = "FOLDER", global = true)]
    directory: Option<PathBuf>,
    /// When to use colours
    #[arg(long, value_enum, default_value_t, global = true)]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return unread(&error),
    };
    cli.color.apply();
    match run(&cli) {
        Ok(found) => ExitCode::from(found.status()),
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            tell(failure.title(), &text::masked(&failure.to_string()));
            ExitCode::from(failure.status())
        }
    }
}

/// Help, or what is wrong with the command line, which may have a password in it.
fn unread(error: &clap::Error) -> ExitCode {
    let (told, shown) = (error.to_string(), text::masked(&error.to_string()));
    if told == shown {
        // Where nobody reads it, nothing is left to be told.
        let _ = error.print();
    } else {
        eprint!("{shown}");
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn run(cli: &Cli) -> Result<Found> {
    if let Some(folder) = &cli.directory {
        env::set_current_dir(folder).map_err(|error| Failure::unread("folder", folder, error))?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(cli.command.run())
}
