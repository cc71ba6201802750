//! `isogloss check`: whether saved queries compile, and databases fit their catalog.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use isogloss::Compiler;
use isogloss::dialect::Dialect;
use isogloss::model::Catalog;
use isogloss_migrate::{DiffOptions, Difference, database_differences};
use serde::Serialize;

use crate::catalog::CatalogArgs;
use crate::database::{ConnectArgs, Database};
use crate::dialects;
use crate::failure::{Failure, Found, Result};
use crate::output::{Format, Out, note};
use crate::plan::resolve;
use crate::project::Project;
use crate::text::{counted, masked, visible};
use crate::tree::{self, Asked, AskedArgs};

/// Check saved queries and databases against the catalog
///
/// Each JSON file of the folder is compiled for each dialect. With a database, its tables are compared with the catalog, and its
/// engine is asked for the plan of each query (SQL Server for the columns of its rows), so that it parses the text and resolves
/// every name. The exit status is 1 if anything is amiss.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    catalog: CatalogArgs,
    /// The folder of saved queries [default: `queries` of isogloss.toml]
    #[arg(long, short, value_name = "FOLDER")]
    queries: Option<PathBuf>,
    /// A dialect, as in `postgres` or `oracle:19`, or `all`; can be given several times [default: `dialects` of
    /// isogloss.toml, else `all`]
    #[arg(long = "dialect", short, value_name = "DIALECT")]
    dialects: Vec<String>,
    /// A database; can be given several times
    #[arg(long, short, value_name = "DATABASE")]
    url: Vec<String>,
    /// For people or for programs
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    asked: AskedArgs,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// What was checked, and what is amiss.
#[derive(Debug, Default, Serialize)]
struct Report {
    queries: usize,
    dialects: Vec<String>,
    databases: Vec<String>,
    problems: Vec<Problem>,
}

/// What is amiss.
#[derive(Debug, Serialize)]
struct Problem {
    /// The file of the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    /// The dialect or the database, where it is not amiss everywhere.
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in [&self.query, &self.place].into_iter().flatten() {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.message)
    }
}

pub(crate) async fn run(args: &CheckArgs, project: &Project) -> Result<Found> {
    let folder = args.queries.as_ref().or(project.queries.as_ref());
    if folder.is_none() && args.url.is_empty() {
        return Err(Failure::input("nothing to check: give a folder by --queries, or a database by --url"));
    }
    let dialects = dialects::asked(&args.dialects, project)?;
    let asked = args.asked.asked();
    let mut databases = Vec::new();
    for url in &args.url {
        databases.push(Database::connect(project, url, &args.connect).await?);
    }
    let catalog = args.catalog.load(project, &args.connect, databases.first()).await?;
    asked.check(&catalog)?;
    let compiler = Compiler::new(catalog).with_text(asked.text);
    let mut report = Report {
        dialects: dialects.iter().map(|dialect| dialect.label()).collect(),
        databases: databases.iter().map(Database::title).collect(),
        ..Report::default()
    };
    if let Some(folder) = folder {
        let files = saved(folder)?;
        if files.is_empty() {
            let message =
                format!("the folder `{}` has no saved query, which is a file that ends with `.json`", folder.display());
            if args.queries.is_some() {
                return Err(Failure::input(message));
            }
            note(&message);
        }
        report.queries = files.len();
        for file in &files {
            let mut query = Query { file, asked: &asked, compiler: &compiler, problems: &mut report.problems };
            query.check(&dialects.iter().map(|dialect| &**dialect).collect::<Vec<_>>(), &databases).await?;
        }
    }
    for (database, url) in databases.iter().zip(&args.url) {
        // A catalog that was read from a database fits it.
        if !args.url.first().is_some_and(|first| args.catalog.is_of(project, url, first)) {
            report.problems.extend(misfits(database, compiler.catalog()).await?);
        }
    }
    report.write(args.format)?;
    Ok(Found::amiss(!report.problems.is_empty()))
}

impl Report {
    fn write(&self, format: Format) -> Result<()> {
        let mut out = Out::new();
        match format {
            Format::Json => out.json(self)?,
            Format::Text => {
                for problem in &self.problems {
                    out.line(&visible(&problem.to_string()))?;
                }
                let queries = counted(self.queries, "query", "queries");
                let dialects = counted(self.dialects.len(), "dialect", "dialects");
                let databases = counted(self.databases.len(), "database", "databases");
                let problems = counted(self.problems.len(), "problem", "problems");
                out.line(&format!("{queries}, {dialects}, {databases}: {problems}"))?;
            }
        }
        out.finish()
    }
}

/// A saved query while it is checked.
struct Query<'q> {
    file: &'q Path,
    asked: &'q Asked,
    compiler: &'q Compiler,
    problems: &'q mut Vec<Problem>,
}

impl Query<'_> {
    async fn check(&mut self, dialects: &[&dyn Dialect], databases: &[Database]) -> Result<()> {
        let tree = match tree::read(self.file) {
            Ok(tree) => tree,
            Err(error) => {
                // The message names the file.
                self.problems.push(Problem { query: None, place: None, message: error.to_string() });
                return Ok(());
            }
        };
        for dialect in dialects {
            match self.asked.compile(&tree, &self.compiler.target(*dialect)) {
                Ok(_) => {}
                // The message names the dialect.
                Err(refused @ Failure::Refused(_)) => self.amiss(None, &refused),
                Err(wrong) => {
                    // It would be so in each.
                    self.amiss(None, &wrong);
                    return Ok(());
                }
            }
        }
        for database in databases {
            let statement_of = database.target(self.compiler, self.asked.text);
            let resolved = match self.asked.compile(&tree, &statement_of) {
                Ok(statement) => resolve(database, &tree, &statement).await,
                Err(error) => Err(error),
            };
            match resolved {
                Ok(None) => {}
                Ok(Some(why)) => note(&format!("{}: {why}", self.file.display())),
                Err(Failure::Database { place, error }) => self.amiss(Some(place), &error),
                Err(error @ (Failure::Refused(_) | Failure::Input(_))) => {
                    self.amiss(Some(database.label.clone()), &error);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn amiss(&mut self, place: Option<String>, error: &dyn fmt::Display) {
        let query = Some(self.file.display().to_string());
        self.problems.push(Problem { query, place, message: masked(&error.to_string()) });
    }
}

/// What a database has otherwise than the catalog says. What the catalog does not name does no harm.
async fn misfits(database: &Database, catalog: &Catalog) -> Result<Vec<Problem>> {
    let found = database_differences(&*database.backend, catalog, &DiffOptions::default()).await;
    let found = found.map_err(Failure::migrating(&database.label))?;
    let misfits = found.iter().filter(|one| one.wanted.is_some());
    let problem =
        |one: &Difference| Problem { query: None, place: Some(database.label.clone()), message: one.to_string() };
    Ok(misfits.map(problem).collect())
}

/// The JSON files of a folder and the folders in it, in the order of their names.
fn saved(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    find(folder, &mut found, &mut BTreeSet::new())?;
    Ok(found)
}

/// A folder is read once, however many links lead to it.
fn find(folder: &Path, found: &mut Vec<PathBuf>, known: &mut BTreeSet<PathBuf>) -> Result<()> {
    let unread = |error| Failure::unread("folder", folder, error);
    if !known.insert(folder.canonicalize().map_err(unread)?) {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(unread)?.map(|entry| Ok(entry?.path()));
    let mut paths: Vec<PathBuf> = entries.collect::<io::Result<_>>().map_err(unread)?;
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find(&path, found, known)?;
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) {
            found.push(path);
        }
    }
    Ok(())
}
