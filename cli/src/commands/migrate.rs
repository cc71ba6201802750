//! `isogloss migrate`: numbered SQL files, written, applied and reverted.

use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use indicatif::ProgressBar;
use isogloss::dialect::Dialect;
use isogloss::model::Catalog;
use isogloss_migrate::{
    DiffOptions, Difference, Done, Migrations, Migrator, Ran, State, Step, database_differences, write_migration,
};

use crate::catalog::CatalogArgs;
use crate::database::{ConnectArgs, Database};
use crate::failure::{Failure, Found, Result};
use crate::output::{Out, note};
use crate::project::Project;
use crate::rows::table::table;
use crate::text::{counted, one_line};

/// Write, apply and revert migrations
#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    #[command(subcommand)]
    command: MigrateCommand,
}

#[derive(Debug, Subcommand)]
enum MigrateCommand {
    /// Write the next migration: what makes databases fit the catalog, and what reverts it, to be reviewed
    Diff {
        /// The migration's name
        name: String,
        /// A database, one for each engine; can be given several times [default: all of isogloss.toml]
        #[arg(long, short, value_name = "DATABASE")]
        url: Vec<String>,
        /// The folder of migrations [default: `migrations` of isogloss.toml]
        #[arg(long, short, value_name = "FOLDER")]
        migrations: Option<PathBuf>,
        /// Drop what the catalog does not name
        #[arg(long)]
        drop_extra: bool,
        #[command(flatten)]
        catalog: CatalogArgs,
        #[command(flatten)]
        connect: ConnectArgs,
    },
    /// Show which migrations are applied; the exit status is 1 if one is not
    Status {
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Apply what is not applied
    Run {
        /// The last version that is applied [default: the newest]
        #[arg(long, value_name = "VERSION")]
        to: Option<u64>,
        #[command(flatten)]
        how: HowArgs,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Revert what is above a version, the newest first
    Down {
        /// The version that stays; 0 reverts all
        #[arg(long, value_name = "VERSION")]
        to: u64,
        #[command(flatten)]
        how: HowArgs,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Say whether a statement of a broken off migration took effect, after looking for it in the database
    Resolve {
        /// The migration's version
        version: u64,
        /// Whether the statement took effect
        #[arg(value_enum)]
        ran: Effect,
        #[command(flatten)]
        place: PlaceArgs,
    },
}

/// Whether a statement took effect.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Effect {
    /// It did: go on with the next one
    Ran,
    /// It did not: run it
    NotRun,
}

/// Which migrations, and where.
#[derive(Debug, Args)]
struct PlaceArgs {
    /// The folder of migrations [default: `migrations` of isogloss.toml]
    #[arg(long, short, value_name = "FOLDER")]
    migrations: Option<PathBuf>,
    /// The database [default: the only one of isogloss.toml]
    #[arg(long, short, value_name = "DATABASE")]
    url: Option<String>,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// How migrations are run.
#[derive(Debug, Args)]
struct HowArgs {
    /// Show the statements, and run none
    #[arg(long)]
    dry_run: bool,
    /// How long to wait for another process that migrates, in seconds or as in 500ms
    #[arg(long, value_name = "TIME", default_value = "60", value_parser = crate::database::time)]
    lock_wait: Duration,
    /// Go on with a migration that was broken off, where the engine cannot tell that nobody is at it
    #[arg(long)]
    resume: bool,
}

/// A database and its migrations.
struct Place {
    database: Database,
    migrations: Migrations,
}

impl PlaceArgs {
    async fn open(&self, project: &Project) -> Result<Place> {
        let folder = folder(project, self.migrations.as_deref())?;
        let url = project.only(self.url.as_deref())?;
        let database = Database::connect(project, url, &self.connect).await?;
        let read = Migrations::read(folder, database.backend.dialect());
        let migrations = read.map_err(Failure::migrating(&database.label))?;
        Ok(Place { database, migrations })
    }
}

/// The folder of migrations.
fn folder<'p>(project: &'p Project, said: Option<&'p Path>) -> Result<&'p Path> {
    said.or(project.migrations.as_deref()).ok_or_else(|| {
        Failure::input("no folder of migrations: give one by --migrations, or as `migrations` in `isogloss.toml`")
    })
}

impl Place {
    fn migrator(&self) -> Migrator<'_> {
        Migrator::new(&*self.database.backend, &self.migrations)
    }

    fn migrator_of(&self, how: &HowArgs) -> Migrator<'_> {
        let migrator = self.migrator().lock_wait(how.lock_wait).resume(how.resume);
        if !io::stderr().is_terminal() {
            return migrator;
        }
        let bar = ProgressBar::new_spinner();
        bar.enable_steady_tick(Duration::from_millis(200));
        migrator.on_progress(move |progress| bar.set_message(one_line(&progress.to_string()).into_owned()))
    }

    fn failed(&self) -> impl Fn(isogloss_migrate::MigrateError) -> Failure {
        Failure::migrating(&self.database.label)
    }
}

pub(crate) async fn run(args: &MigrateArgs, project: &Project) -> Result<Found> {
    match &args.command {
        MigrateCommand::Diff { name, url, migrations, drop_extra, catalog, connect } => {
            let folder = folder(project, migrations.as_deref())?;
            let urls = if url.is_empty() { project.databases.keys().cloned().collect() } else { url.clone() };
            let databases = Database::connect_all(project, &urls, connect).await?;
            let catalog = catalog.load(project, connect, None).await?;
            diff(folder, name, &databases, &catalog, &DiffOptions::default().drop_extra(*drop_extra)).await
        }
        MigrateCommand::Status { place } => status(&place.open(project).await?).await,
        MigrateCommand::Run { to, how, place } => {
            let place = place.open(project).await?;
            let migrator = place.migrator_of(how);
            if how.dry_run {
                return planned(&migrator.plan(*to).await.map_err(place.failed())?);
            }
            done(&migrator.run(*to).await.map_err(place.failed())?)
        }
        MigrateCommand::Down { to, how, place } => {
            let place = place.open(project).await?;
            let migrator = place.migrator_of(how);
            if how.dry_run {
                return planned(&migrator.plan_down(*to).await.map_err(place.failed())?);
            }
            done(&migrator.down(*to).await.map_err(place.failed())?)
        }
        MigrateCommand::Resolve { version, ran, place } => {
            let place = place.open(project).await?;
            let ran = match ran {
                Effect::Ran => Ran::Yes,
                Effect::NotRun => Ran::No,
            };
            place.migrator().resolve(*version, ran).await.map_err(place.failed())?;
            Ok(Found::Well)
        }
    }
}

async fn diff(
    folder: &Path,
    name: &str,
    databases: &[Database],
    catalog: &Catalog,
    options: &DiffOptions,
) -> Result<Found> {
    let mut engines: Vec<(&dyn Dialect, Vec<Difference>)> = Vec::new();
    for database in databases {
        let dialect = database.backend.dialect();
        let engine = dialect.sheet().name;
        if engines.iter().any(|(known, _)| known.sheet().name == engine) {
            let message =
                format!("two databases are of {engine}, and a migration has one file for it: give one by --url");
            return Err(Failure::input(message));
        }
        let found = database_differences(&*database.backend, catalog, options).await;
        engines.push((dialect, found.map_err(Failure::migrating(&database.label))?));
    }
    for (database, (_, found)) in databases.iter().zip(&engines) {
        for only_told in found.iter().filter(|one| one.is_only_told()) {
            note(&format!("{}: {only_told}: no statement does it", database.label));
        }
    }
    let written = write_migration(folder, name, &engines).map_err(Failure::migrating(&folder.display().to_string()))?;
    let mut out = Out::new();
    match written {
        None => out.line("nothing to do")?,
        Some(written) => {
            for file in &written.files {
                out.line(&format!("{} is written", file.display()))?;
            }
        }
    }
    out.finish()?;
    Ok(Found::Well)
}

async fn status(place: &Place) -> Result<Found> {
    let found = place.migrator().status().await.map_err(place.failed())?;
    let rows = found.iter().map(|one| {
        let applied = one.applied_at.clone().unwrap_or_default();
        vec![
            (one.version.to_string(), true),
            (one.name.clone(), false),
            (one.state.to_string(), false),
            (applied, false),
        ]
    });
    let mut out = Out::new();
    out.line(&table(&["version", "name", "state", "applied at"], rows))?;
    out.finish()?;
    Ok(Found::amiss(found.iter().any(|one| one.state != State::Applied)))
}

fn planned(steps: &[Step]) -> Result<Found> {
    let mut out = Out::new();
    for step in steps {
        out.data(step.to_string().trim_end())?;
    }
    if steps.is_empty() {
        out.line("-- nothing to do")?;
    }
    out.finish()?;
    Ok(Found::Well)
}

fn done(done: &[Done]) -> Result<Found> {
    let mut out = Out::new();
    for one in done {
        let statements = counted(one.statements, "statement", "statements");
        out.line(&one_line(&format!("{:04}_{} {}: {statements}", one.version, one.name, one.direction)))?;
    }
    if done.is_empty() {
        out.line("nothing to do")?;
    }
    out.finish()?;
    Ok(Found::Well)
}
