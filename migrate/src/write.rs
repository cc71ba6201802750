//! Differences of a database, and migrations that are written from them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::Catalog;
use isogloss_driver::Backend;
use isogloss_driver::ddl::{DiffOptions, Difference, differences};
use isogloss_driver::introspect::{IntrospectOptions, introspect};

use crate::error::{MigrateError, Result};
use crate::files::{entries, numbered};
use crate::split::split;

/// What a database has otherwise than a catalog says: see [`differences`]. The schemas are those that the catalog names, and the
/// default one. The table of the history is left alone: if it has a name of its own, use [`Migrator::differences`](crate::Migrator::differences).
///
/// # Errors
/// The engine's catalog is not read, a query fails, or the engine has no table as the catalog wants it.
pub async fn database_differences(
    backend: &dyn Backend,
    catalog: &Catalog,
    options: &DiffOptions,
) -> Result<Vec<Difference>> {
    let (ddl, options) = (backend.ddl(), options.clone().ignore(crate::migrator::TABLE));
    let expected = ddl.expected(catalog, &options)?;
    let schemas: BTreeSet<&str> = expected.tables.iter().map(|table| table.schema.as_str()).collect();
    let mut connection = backend.connect().await?;
    let mut now = introspect(&mut *connection, ddl, &IntrospectOptions::default()).await?;
    for schema in schemas.into_iter().filter(|schema| !schema.is_empty()) {
        let more = introspect(&mut *connection, ddl, &IntrospectOptions::default().schema(schema)).await?;
        for table in more.tables {
            // The default schema has a name, too.
            if !now.tables.iter().any(|known| (&known.schema, &known.name) == (&table.schema, &table.name)) {
                now.tables.push(table);
            }
        }
    }
    Ok(differences(ddl, &now, catalog, &options)?)
}

/// A migration that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Its version.
    pub version: u64,
    /// Its folder.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<PathBuf>,
}

/// Writes the next migration of a folder: a pair of files for each engine, for people to review. What is only told stands there as
/// a comment. Without any statement there is nothing to write.
///
/// # Errors
/// The name is not one of a file, or a file cannot be written.
pub fn write_migration(
    folder: impl AsRef<Path>,
    name: &str,
    engines: &[(&dyn Dialect, Vec<Difference>)],
) -> Result<Option<Written>> {
    if engines.iter().all(|(_, found)| found.iter().all(Difference::is_only_told)) {
        return Ok(None);
    }
    let folder = folder.as_ref();
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
        let why = "a migration's name has letters, digits, `_` and `-`";
        return Err(MigrateError::FileName { path: folder.join(name), why });
    }
    make(folder)?;
    let mut last = 0;
    for path in entries(folder)? {
        last = numbered(&path)?.map_or(last, |(version, _)| last.max(version));
    }
    let version = last + 1;
    let own = folder.join(format!("{version:04}_{name}"));
    make(&own)?;
    let mut files = Vec::new();
    for (dialect, found) in engines {
        let texts = [("up", text(*dialect, found, true)), ("down", text(*dialect, found, false))];
        for (direction, text) in texts {
            // Without a down file it cannot be reverted, which an empty one would not say.
            let Some(text) = text else { continue };
            let path = own.join(format!("{}.{direction}.sql", dialect.sheet().name));
            fs::write(&path, text).map_err(|source| MigrateError::File { path: path.clone(), source })?;
            files.push(path);
        }
    }
    Ok(Some(Written { version, folder: own, files }))
}

fn make(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|source| MigrateError::File { path: folder.to_owned(), source })
}

/// The text of a file; none for what reverts a difference that nothing reverts.
fn text(dialect: &dyn Dialect, found: &[Difference], up: bool) -> Option<String> {
    let irreversible = found.iter().find(|one| !up && !one.is_only_told() && one.down.is_empty());
    if irreversible.is_some() {
        return None;
    }
    let mut text = String::new();
    if found.iter().any(|one| one.replaces && !one.is_only_told()) {
        text.push_str("-- isogloss: foreign-keys-off\n");
    }
    let order: Vec<&Difference> = if up { found.iter().collect() } else { found.iter().rev().collect() };
    for one in order {
        // A writer into a text takes everything. A name may have an end of line, which would end the comment.
        let lines = [one.to_string(), one.impact.to_string()];
        for line in lines.iter().filter(|line| up && !line.is_empty()) {
            let _ = writeln!(text, "-- {}", line.replace(['\n', '\r'], " "));
        }
        for statement in if up { &one.up } else { &one.down } {
            let whole =
                split("", &format!("{statement};"), dialect.lexis()).is_ok_and(|script| script.statements.len() == 1);
            let _ = match whole {
                true => writeln!(text, "{statement};"),
                false => writeln!(text, "-- isogloss: begin\n{statement}\n-- isogloss: end"),
            };
        }
    }
    Some(text)
}
