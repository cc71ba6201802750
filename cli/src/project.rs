//! The project file `isogloss.toml`: what would stand in every command line.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, Result};

const FILE: &str = "isogloss.toml";

/// The keys of the file. Command lines win over it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    /// The definitions' file, or a database that the catalog is read from.
    pub(crate) catalog: Option<String>,
    /// The folder of saved queries.
    pub(crate) queries: Option<PathBuf>,
    /// The folder of migrations.
    pub(crate) migrations: Option<PathBuf>,
    /// The dialects that the project is for.
    #[serde(default)]
    pub(crate) dialects: Vec<String>,
    /// Databases by their names: URLs, or `env:NAME`.
    #[serde(default)]
    pub(crate) databases: BTreeMap<String, String>,
}

impl Project {
    /// Reads the file of the current folder, if it has one.
    pub(crate) fn read() -> Result<Self> {
        let path = Path::new(FILE);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(Failure::unread("project file", path, error)),
        };
        toml::from_str(&text).map_err(|error: toml::de::Error| {
            // What the parser shows of the line may have a password in it.
            let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            Failure::input(format!("the project file `{FILE}`, line {line}: {}", error.message()))
        })
    }

    /// The databases that a command line names; without any, the only one of the project.
    pub(crate) fn said<'t>(&'t self, urls: &'t [String]) -> Result<Vec<&'t str>> {
        match urls {
            [] => Ok(vec![self.only(None)?]),
            urls => Ok(urls.iter().map(String::as_str).collect()),
        }
    }

    /// The database that a command line names; if it names none, the only one of the project.
    pub(crate) fn only<'t>(&'t self, url: Option<&'t str>) -> Result<&'t str> {
        if let Some(url) = url {
            return Ok(url);
        }
        let names: Vec<&str> = self.databases.keys().map(String::as_str).collect();
        match *names {
            [only] => Ok(only),
            [] => {
                Err(Failure::input(format!("no database: give one by --url, or in the table `databases` of `{FILE}`")))
            }
            _ => Err(Failure::input(format!("which database? Give one by --url: {}", names.join(", ")))),
        }
    }
}
