//! `isogloss diff`: what a database has otherwise than the catalog says.

use clap::Args;
use isogloss_migrate::{DiffOptions, Difference, database_differences};
use serde::Serialize;

use crate::catalog::CatalogArgs;
use crate::database::{ConnectArgs, Database};
use crate::failure::{Failure, Found, Result};
use crate::output::{Format, Out};
use crate::project::Project;

/// Show what a database has otherwise than the catalog says
///
/// Each difference is told with what mending it does: whether data is lost, rows are written again, others have to wait. The exit
/// status is 1 if the database lacks something of the catalog or has it otherwise; what it has beside the catalog counts with
/// --drop-extra.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// The database [default: the only one of isogloss.toml]
    #[arg(long, short, value_name = "DATABASE")]
    url: Option<String>,
    /// Drop what the catalog does not name
    #[arg(long)]
    drop_extra: bool,
    /// Show the statements that mend it
    #[arg(long)]
    sql: bool,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    connect: ConnectArgs,
}

pub(crate) async fn run(args: &DiffArgs, project: &Project) -> Result<Found> {
    let url = project.only(args.url.as_deref())?;
    let database = Database::connect(project, url, &args.connect).await?;
    let catalog = args.catalog.load(project, &args.connect, None).await?;
    let options = DiffOptions::default().drop_extra(args.drop_extra);
    let found = database_differences(&*database.backend, &catalog, &options).await;
    let found = found.map_err(Failure::migrating(&database.label))?;
    let mut out = Out::new();
    match args.format {
        Format::Json => out.json(&found.iter().map(Told::of).collect::<Vec<_>>())?,
        Format::Text => found.iter().try_for_each(|one| write(&mut out, one, args.sql))?,
    }
    out.finish()?;
    // What the catalog does not name is left alone, unless it is to be dropped.
    let is_amiss = |one: &Difference| args.drop_extra || one.wanted.is_some() || !one.is_only_told();
    Ok(Found::amiss(found.iter().any(is_amiss)))
}

/// With its statements it is SQL with comments.
fn write(out: &mut Out, one: &Difference, sql: bool) -> Result<()> {
    let mark = if sql { "-- " } else { "" };
    out.heading(&format!("{mark}{one}"))?;
    let impact = one.impact.to_string();
    if !impact.is_empty() {
        out.aside(&format!("{mark}  {impact}"))?;
    }
    one.up.iter().filter(|_| sql).try_for_each(|statement| out.data(&format!("{statement};")))
}

/// A difference for programs.
#[derive(Serialize)]
struct Told<'d> {
    difference: String,
    table: &'d str,
    now: Option<&'d str>,
    wanted: Option<&'d str>,
    up: &'d [String],
    down: &'d [String],
    loses_data: bool,
    rewrites: bool,
    note: Option<&'d str>,
}

impl<'d> Told<'d> {
    fn of(one: &'d Difference) -> Self {
        Self {
            difference: one.to_string(),
            table: &one.table,
            now: one.now.as_deref(),
            wanted: one.wanted.as_deref(),
            up: &one.up,
            down: &one.down,
            loses_data: one.impact.loses_data,
            rewrites: one.impact.rewrites,
            note: one.impact.note.as_deref(),
        }
    }
}
