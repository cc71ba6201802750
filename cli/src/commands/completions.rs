//! `isogloss completions` and `isogloss man`.

use std::io::Write as _;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::Cli;
use crate::failure::{Failure, Found, Result};
use crate::output::Out;

/// Print completions for a shell, to be put where it looks for them
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Found> {
    // The generator panics where it cannot write.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "isogloss", &mut text);
    written(&text)
}

/// Print the manual page, as in `isogloss man run | man -l -`
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command whose page is meant, as in `migrate run`, instead of that of all of them
    command: Vec<String>,
}

pub(crate) fn man(args: &ManArgs) -> Result<Found> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut page = &command;
    for name in &args.command {
        page = page.find_subcommand(name).ok_or_else(|| {
            let names: Vec<&str> = page.get_subcommands().map(clap::Command::get_name).collect();
            let known =
                if names.is_empty() { "it has none".to_owned() } else { format!("they are {}", names.join(", ")) };
            Failure::input(format!("no command of `{}` is called `{name}`: {known}", page.get_name()))
        })?;
    }
    let mut text = Vec::new();
    Man::new(page.clone()).render(&mut text)?;
    written(&text)
}

fn written(text: &[u8]) -> Result<Found> {
    let mut out = Out::new();
    out.write_all(text)?;
    out.finish()?;
    Ok(Found::Well)
}
