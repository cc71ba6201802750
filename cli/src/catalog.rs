//! Catalogs from files of definitions, and from what databases are found to have.

use std::fs;
use std::path::Path;

use clap::Args;
use isogloss::model::{Catalog, CatalogBuilder};
use isogloss_generate::{Mapping, Model, Options};

use crate::database::{ConnectArgs, Database, is_database, is_same};
use crate::failure::{Failure, Result};
use crate::output::note;
use crate::project::Project;
use crate::text::counted;

/// Which catalog a tree is over.
#[derive(Debug, Args)]
pub(crate) struct CatalogArgs {
    /// The catalog: a TOML or JSON file of definitions, or a database that is introspected [default: `catalog` of isogloss.toml,
    /// else the database that a tree is asked of]
    #[arg(long, short, value_name = "FILE|DATABASE")]
    catalog: Option<String>,
}

impl CatalogArgs {
    /// Whether the catalog is what this database is found to have. The first one is that which the command is about.
    pub(crate) fn is_of(&self, project: &Project, url: &str, first: &str) -> bool {
        is_same(project, url, self.said(project).unwrap_or(first))
    }

    fn said<'t>(&'t self, project: &'t Project) -> Option<&'t str> {
        self.catalog.as_deref().or(project.catalog.as_deref())
    }

    /// The catalog. Where nothing is said it is what the database is found to have that the command is about.
    pub(crate) async fn load(
        &self,
        project: &Project,
        connect: &ConnectArgs,
        about: Option<&Database>,
    ) -> Result<Catalog> {
        match (self.said(project), about) {
            (Some(said), _) if is_database(project, said) => {
                introspected(&Database::connect(project, said, connect).await?).await
            }
            (Some(said), _) => from_file(Path::new(said)),
            (None, Some(database)) => introspected(database).await,
            (None, None) => Err(Failure::input(
                "no catalog: give a file of definitions or a database by --catalog, or as `catalog` in `isogloss.toml`",
            )),
        }
    }
}

/// What a database is found to have.
async fn introspected(database: &Database) -> Result<Catalog> {
    let report = database.introspect(&[]).await?;
    let model = Model::new(&report, &Mapping::default(), &Options::default());
    let left_out = model.findings().len();
    if left_out > 0 {
        let things = counted(left_out, "thing", "things");
        note(&format!("the catalog of {} leaves out {things}, which `isogloss generate` tells", database.label));
    }
    model.catalog().map_err(|error| Failure::input(format!("the catalog of {}: {error}", database.label)))
}

/// Reads definitions, as JSON where the file's name ends with `.json`, else as TOML.
fn from_file(path: &Path) -> Result<Catalog> {
    let text = fs::read_to_string(path).map_err(|error| Failure::unread("catalog", path, error))?;
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let read = if is_json { CatalogBuilder::from_json(&text) } else { CatalogBuilder::from_toml(&text) };
    let wrong = |error: &dyn std::fmt::Display| Failure::input(format!("the catalog `{}`: {error}", path.display()));
    read.map_err(|error| wrong(&error))?.build().map_err(|errors| wrong(&errors))
}
