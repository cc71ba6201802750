//! What is to be done, and what was.

use std::fmt;
use std::time::Duration;

use crate::Migration;
use crate::Migrations;
use crate::error::{MigrateError, Result};
use crate::files::checksum;
use crate::history::Entry;

/// Which way a migration goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It is applied.
    Up,
    /// It is reverted.
    Down,
}

impl Direction {
    pub(crate) fn while_(self) -> &'static str {
        match self {
            Self::Up => "while it was applied",
            Self::Down => "while it was reverted",
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Up => "up",
            Self::Down => "down",
        })
    }
}

/// What is known of a migration, in a program and in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// Its version.
    pub version: u64,
    /// Its name.
    pub name: String,
    /// How far it is.
    pub state: State,
    /// When it was applied, in UTC: `2026-01-31T23:59:59Z`.
    pub applied_at: Option<String>,
    /// How long that took.
    pub duration: Option<Duration>,
}

/// How far a migration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// It is not applied.
    Pending,
    /// It is applied.
    Applied,
    /// It was begun, and has not ended: it runs now, or it was broken off.
    Unfinished {
        /// Which way it goes.
        direction: Direction,
        /// How many of its statements have run.
        done: usize,
        /// Whether one more was begun, of which it is not recorded whether it took effect.
        in_doubt: bool,
    },
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pending => f.write_str("pending"),
            Self::Applied => f.write_str("applied"),
            Self::Unfinished { direction, done, in_doubt } => {
                write!(f, "unfinished ({direction}), {done} statements done")?;
                if *in_doubt { f.write_str(", one more begun") } else { Ok(()) }
            }
        }
    }
}

/// A migration that would be run, with the statements that are left of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// Its version.
    pub version: u64,
    /// Its name.
    pub name: String,
    /// Which way it goes.
    pub direction: Direction,
    /// Whether it runs in a transaction: all of it, or nothing.
    pub transaction: bool,
    /// The statements in order.
    pub statements: Vec<String>,
}

/// The statements, each with its end, under a line that says whose they are.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.transaction { "in a transaction" } else { "statement by statement" };
        // A folder's name may have an end of line, which would end the comment.
        let name = self.name.replace(char::is_control, " ");
        writeln!(f, "-- {:04}_{name} {}, {kind}", self.version, self.direction)?;
        self.statements.iter().try_for_each(|statement| {
            let end = if statement.ends_with(';') { "" } else { ";" };
            writeln!(f, "{statement}{end}")
        })
    }
}

/// A migration that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Done {
    /// Its version.
    pub version: u64,
    /// Its name.
    pub name: String,
    /// Which way it went.
    pub direction: Direction,
    /// How many statements were run.
    pub statements: usize,
    /// How long it took.
    pub duration: Duration,
}

/// Whether a statement of which it was not known took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ran {
    /// It did: go on with the next one.
    Yes,
    /// It did not: run it.
    No,
}

/// Where a migration is when it tells its [observer](crate::Migrator::on_progress).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'p> {
    /// It has the lock, or the engine has none.
    Locked,
    /// A migration begins.
    Begins {
        /// The migration.
        migration: &'p Migration,
        /// Which way it goes.
        direction: Direction,
    },
    /// A statement is about to run.
    Statement {
        /// The statement's number, counted from 1.
        number: usize,
        /// The statement.
        sql: &'p str,
    },
    /// A statement has run, and is not recorded or committed yet.
    Ran {
        /// The statement's number, counted from 1.
        number: usize,
    },
    /// A statement that has run is recorded.
    Recorded {
        /// The statement's number, counted from 1.
        number: usize,
    },
    /// A migration has ended.
    Ended {
        /// The migration.
        migration: &'p Migration,
        /// Which way it went.
        direction: Direction,
    },
}

impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked => f.write_str("locked"),
            Self::Begins { migration, direction } => write!(f, "{migration} {direction}"),
            Self::Statement { number, .. } => write!(f, "statement {number}"),
            Self::Ran { number } => write!(f, "statement {number} has run"),
            Self::Recorded { number } => write!(f, "statement {number} is recorded"),
            Self::Ended { migration, direction } => write!(f, "{migration} {direction} done"),
        }
    }
}

/// What the history and the files say together. It is an error where they contradict each other.
pub(crate) fn compare(migrations: &Migrations, history: &[Entry]) -> Result<()> {
    for entry in history {
        let Some(migration) = migrations.get(entry.version) else {
            return Err(MigrateError::Missing { version: entry.version, name: entry.name.clone() });
        };
        if entry.running.is_none() && migration.checksum() != entry.checksum {
            return Err(MigrateError::Changed { migration: migration.to_string(), unfinished: false });
        }
    }
    let newest = history.iter().map(|entry| entry.version).max().unwrap_or_default();
    let is_begun = |version| history.iter().any(|entry| entry.version == version);
    match migrations.iter().find(|migration| migration.version() < newest && !is_begun(migration.version())) {
        Some(migration) => Err(MigrateError::OutOfOrder { migration: migration.to_string(), applied: newest }),
        None => Ok(()),
    }
}

/// How many statements of a migration have run that was broken off. It is an error if they are others now.
pub(crate) fn resumed(migration: &Migration, statements: &[String], entry: &Entry) -> Result<usize> {
    let before = statements.get(..entry.done);
    match before.filter(|before| statements_checksum(before) == entry.checksum) {
        Some(_) => Ok(entry.done),
        None => Err(MigrateError::Changed { migration: migration.to_string(), unfinished: true }),
    }
}

/// The checksum of statements that have run.
pub(crate) fn statements_checksum(statements: &[String]) -> String {
    checksum(statements.iter().map(String::as_str))
}
