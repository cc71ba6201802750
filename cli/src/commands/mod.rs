//! The commands, one a file.

mod bench;
mod check;
mod completions;
mod diff;
mod explain;
mod generate;
mod migrate;
mod run;
mod sql;

use clap::Subcommand;

use crate::failure::{Found, Result};
use crate::project::Project;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Sql(sql::SqlArgs),
    Run(run::RunArgs),
    Check(check::CheckArgs),
    Explain(explain::ExplainArgs),
    Bench(bench::BenchArgs),
    Generate(generate::GenerateArgs),
    Diff(diff::DiffArgs),
    Migrate(migrate::MigrateArgs),
    Completions(completions::CompletionsArgs),
    Man(completions::ManArgs),
}

impl Command {
    pub(crate) async fn run(&self) -> Result<Found> {
        match self {
            Self::Completions(args) => return completions::completions(args),
            Self::Man(args) => return completions::man(args),
            _ => {}
        }
        let project = Project::read()?;
        match self {
            Self::Sql(args) => sql::run(args, &project).await,
            Self::Run(args) => run::run(args, &project).await,
            Self::Check(args) => check::run(args, &project).await,
            Self::Explain(args) => explain::run(args, &project).await,
            Self::Bench(args) => bench::run(args, &project).await,
            Self::Generate(args) => generate::run(args, &project).await,
            Self::Diff(args) => diff::run(args, &project).await,
            Self::Migrate(args) => migrate::run(args, &project).await,
            Self::Completions(_) | Self::Man(_) => Ok(Found::Well),
        }
    }
}
