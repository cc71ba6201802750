//! `isogloss generate`: entities, definitions and pictures of a database that exists.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use isogloss_generate::{CrateOptions, Mapping, Model, Options};

use crate::database::{ConnectArgs, Database};
use crate::failure::{Failure, Found, Result};
use crate::output::{Out, note};
use crate::project::Project;

/// Generate entities, definitions or a picture from a database
///
/// What has no place in them is told on standard error.
#[derive(Debug, Args)]
pub(crate) struct GenerateArgs {
    /// What is generated [default: what the ending of --out says, else rust]
    #[arg(value_enum)]
    what: Option<Generated>,
    /// The database [default: the only one of isogloss.toml]
    #[arg(long, short, value_name = "DATABASE")]
    url: Option<String>,
    /// A schema; can be given several times [default: the one of the connection]
    #[arg(long, value_name = "SCHEMA")]
    schema: Vec<String>,
    /// A TOML file with the names that are chosen by hand
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// Keep the plural of tables: `orders` is `Orders`, not `Order`
    #[arg(long)]
    plural: bool,
    /// The file that is written, of a crate the folder [default: standard output]
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Replace files that have something else in them
    #[arg(long, requires = "out")]
    force: bool,
    /// Write nothing; the exit status is 1 if a file would change
    #[arg(long, requires = "out", conflicts_with = "force")]
    check: bool,
    #[command(flatten)]
    connect: ConnectArgs,
}

/// What is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Generated {
    /// A module of entities
    Rust,
    /// A crate of entities
    Crate,
    /// Definitions as TOML
    Toml,
    /// Definitions as JSON
    Json,
    /// A diagram of the relations for Mermaid
    Mermaid,
    /// A diagram of the relations for Graphviz
    Dot,
}

impl Generated {
    /// What a file of that name has in it.
    fn of_file(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("toml") => Self::Toml,
            Some("json") => Self::Json,
            Some("mmd" | "mermaid") => Self::Mermaid,
            Some("dot" | "gv") => Self::Dot,
            _ => Self::Rust,
        }
    }
}

pub(crate) async fn run(args: &GenerateArgs, project: &Project) -> Result<Found> {
    let mapping = match &args.mapping {
        Some(path) => read_mapping(path)?,
        None => Mapping::default(),
    };
    let url = project.only(args.url.as_deref())?;
    let database = Database::connect(project, url, &args.connect).await?;
    let report = database.introspect(&args.schema).await?;
    let model = Model::new(&report, &mapping, &Options::default().plural(args.plural));
    for finding in model.findings() {
        note(&finding.to_string());
    }
    let failed = |error: isogloss_generate::Error| Failure::input(error.to_string());
    let by_file = || args.out.as_deref().map_or(Generated::Rust, Generated::of_file);
    let text = match args.what.unwrap_or_else(by_file) {
        Generated::Rust => model.to_rust().map_err(failed)?,
        Generated::Toml => model.to_toml(),
        Generated::Json => model.to_json(),
        Generated::Mermaid => model.to_mermaid(),
        Generated::Dot => model.to_dot(),
        Generated::Crate => {
            let folder = args.out.as_ref().ok_or_else(|| Failure::input("a crate has a folder: give one by --out"))?;
            let options = CrateOptions::new(crate_name(folder)?).feature(&database.engine);
            let files = model.to_crate(&options).map_err(failed)?;
            return save(args, files.into_iter().map(|(path, text)| (folder.join(path), text)).collect());
        }
    };
    match &args.out {
        Some(path) => save(args, vec![(path.clone(), text)]),
        None => {
            let mut out = Out::new();
            out.data(text.trim_end())?;
            out.finish()?;
            Ok(Found::Well)
        }
    }
}

fn read_mapping(path: &Path) -> Result<Mapping> {
    let text = fs::read_to_string(path).map_err(|error| Failure::unread("mapping", path, error))?;
    Mapping::from_toml(&text).map_err(|error| Failure::input(format!("the mapping `{}`: {error}", path.display())))
}

/// That of the folder.
fn crate_name(folder: &Path) -> Result<String> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let name =
        name.ok_or_else(|| Failure::input(format!("`{}` has no name that a crate could have", folder.display())))?;
    Ok(name.to_owned())
}

/// Writes the files that are not there yet, or none if another one has something else in it.
fn save(args: &GenerateArgs, files: Vec<(PathBuf, String)>) -> Result<Found> {
    let mut changed = Vec::new();
    for (path, text) in files {
        match fs::read(&path) {
            Ok(there) if there == text.as_bytes() => {}
            Ok(_) if !args.force && !args.check => {
                let message = format!("`{}` has something else in it: --force replaces it", path.display());
                return Err(Failure::input(message));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::unread("file", &path, error)),
            _ => changed.push((path, text)),
        }
    }
    let mut out = Out::new();
    for (path, text) in &changed {
        if args.check {
            out.line(&format!("{} would change", path.display()))?;
            continue;
        }
        let unwritten = |error| Failure::input(format!("cannot write `{}`: {error}", path.display()));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text)).map_err(unwritten)?;
        out.line(&format!("{} is written", path.display()))?;
    }
    out.finish()?;
    Ok(Found::amiss(args.check && !changed.is_empty()))
}
