//! The migrations of a program: files of a folder, or texts in the program.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use isogloss_compiler::dialect::Dialect;
use sha2::{Digest as _, Sha256};

use crate::error::{MigrateError, Result};

/// The mark of an encoding (a byte order mark).
pub(crate) const MARK: char = '\u{feff}';

/// A migration: a change of the database's tables for one engine, with a number.
///
/// ```
/// # use isogloss_migrate::Migration;
/// let migration = Migration::new(1, "add_customers", "CREATE TABLE customers (id integer PRIMARY KEY)")
///     .down("DROP TABLE customers");
/// assert_eq!(migration.to_string(), "0001_add_customers");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    version: u64,
    name: String,
    up: String,
    down: Option<String>,
}

impl Migration {
    /// A migration of that version, which cannot be reverted.
    pub fn new(version: u64, name: impl Into<String>, up: impl Into<String>) -> Self {
        Self { version, name: name.into(), up: up.into(), down: None }
    }

    /// Adds the statements that revert it.
    #[must_use]
    pub fn down(self, down: impl Into<String>) -> Self {
        Self { down: Some(down.into()), ..self }
    }

    /// Its number, by which migrations are ordered.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What it is called beside its number.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text that applies it.
    #[must_use]
    pub fn up(&self) -> &str {
        &self.up
    }

    /// The text that reverts it, if it has one.
    #[must_use]
    pub fn down_text(&self) -> Option<&str> {
        self.down.as_deref()
    }

    /// The SHA-256 of the text that applies it, in hexadecimal digits. Line ends count as `\n`, whatever a checkout made of them.
    ///
    /// ```
    /// # use isogloss_migrate::Migration;
    /// let of = |text: &str| Migration::new(1, "a", text).checksum();
    /// assert_eq!(of("SELECT 1;\r\n"), of("SELECT 1;\n"));
    /// assert_ne!(of("SELECT 1;\n"), of("SELECT 2;\n"));
    /// ```
    #[must_use]
    pub fn checksum(&self) -> String {
        checksum([self.up.as_str()])
    }
}

impl fmt::Display for Migration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}_{}", self.version, self.name)
    }
}

/// The SHA-256 of texts, each with its length, in hexadecimal digits.
pub(crate) fn checksum<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        let text = text.replace("\r\n", "\n");
        hash.update(text.len().to_le_bytes());
        hash.update(text);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The migrations for one engine, by their versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Migrations(Vec<Migration>);

impl Migrations {
    /// Migrations whose texts are in the program.
    ///
    /// # Errors
    /// Two of them have one version.
    pub fn new(migrations: impl IntoIterator<Item = Migration>) -> Result<Self> {
        let mut all: Vec<Migration> = migrations.into_iter().collect();
        all.sort_by_key(|migration| migration.version);
        let twice = all.iter().zip(all.iter().skip(1)).find(|(first, second)| first.version == second.version);
        match twice {
            None => Ok(Self(all)),
            Some((first, second)) => {
                let (first, second, version) = (first.name.clone(), second.name.clone(), first.version);
                Err(MigrateError::Twice { version, first, second })
            }
        }
    }

    /// Reads the folders `0001_name`, `0002_other`, .. of a folder, each with the files of a migration: see the
    /// [layout](crate#files).
    ///
    /// # Errors
    /// A file cannot be read or is not called as expected, a migration has none for the engine, or two have one version.
    pub fn read(folder: impl AsRef<Path>, dialect: &dyn Dialect) -> Result<Self> {
        let names = names(dialect);
        let mut all = Vec::new();
        for path in entries(folder.as_ref())? {
            let Some((version, name)) = numbered(&path)? else { continue };
            let files = entries(&path)?;
            if let Some(odd) = files.iter().find(|file| is_sql(file) && direction(file).is_none()) {
                let why =
                    "a file of a migration ends in `up.sql` or `down.sql`, with the engine's name and a dot before";
                return Err(MigrateError::FileName { path: odd.clone(), why });
            }
            let file = |begin: &str, direction: &str| {
                Some(path.join(format!("{begin}{direction}.sql"))).filter(|file| files.contains(file))
            };
            let migration = format!("{version:04}_{name}");
            let begins = names.iter().map(|name| format!("{name}.")).chain([String::new()]);
            let Some((begin, up)) = begins.into_iter().find_map(|begin| file(&begin, "up").map(|up| (begin, up)))
            else {
                let wanted = format!("{}.up.sql", names.first().copied().unwrap_or_default());
                return Err(MigrateError::NoFile { migration, wanted, engine: dialect.label() });
            };
            // What reverts the file of one engine is not that of another.
            let down = file(&begin, "down").map(|down| read(&down)).transpose()?;
            all.push(Migration { version, name, up: read(&up)?, down });
        }
        Self::new(all)
    }

    /// The migrations, by their versions.
    pub fn iter(&self) -> impl Iterator<Item = &Migration> {
        self.0.iter()
    }

    /// The migration of that version.
    #[must_use]
    pub fn get(&self, version: u64) -> Option<&Migration> {
        self.0.iter().find(|migration| migration.version == version)
    }
}

/// The names of an engine's files: its own, then those of what it is a variant of.
pub(crate) fn names(dialect: &dyn Dialect) -> Vec<&'static str> {
    let mut names = vec![dialect.sheet().name];
    let mut base = dialect.base();
    while let Some(dialect) = base {
        names.push(dialect.sheet().name);
        base = dialect.base();
    }
    names.dedup();
    names
}

/// What a folder has, by name.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let file = |source| MigrateError::File { path: folder.to_owned(), source };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(file)? {
        found.push(entry.map_err(file)?.path());
    }
    found.sort();
    Ok(found)
}

/// The text of a file, without the mark of its encoding that some editors put in front.
fn read(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path).map_err(|source| MigrateError::File { path: path.to_owned(), source })?;
    Ok(text.strip_prefix(MARK).map(str::to_owned).unwrap_or(text))
}

fn file_name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn is_sql(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "sql")
}

fn direction(path: &Path) -> Option<&str> {
    let stem = file_name(path).strip_suffix(".sql")?;
    let end = stem.rsplit('.').next()?;
    ["up", "down"].into_iter().find(|direction| *direction == end)
}

/// The number and the name of a migration's folder; none for what is not one, such as a README.
pub(crate) fn numbered(path: &Path) -> Result<Option<(u64, String)>> {
    let odd = |why| Err(MigrateError::FileName { path: path.to_owned(), why });
    if !path.is_dir() {
        return if is_sql(path) { odd("a migration is a folder with its files: `0001_name/up.sql`") } else { Ok(None) };
    }
    let parts = file_name(path).split_once('_');
    match parts.and_then(|(version, name)| Some((version.parse::<u64>().ok()?, name))) {
        // The history's column has 63 bits.
        Some((version, name)) if version > 0 && i64::try_from(version).is_ok() && !name.is_empty() => {
            Ok(Some((version, name.to_owned())))
        }
        _ => odd("a folder of migrations is called by a number above 0 and a name: `0001_add_customers`"),
    }
}
