//! What stops a migration.

use std::path::PathBuf;

use isogloss_driver::Error as DriverError;

use crate::Direction;

/// The result of a call of this crate.
pub type Result<T, E = MigrateError> = std::result::Result<T, E>;

/// What stops a migration. The text says what happened, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// A file or a folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file or a folder of migrations is not called as one.
    #[error("{}: {why}", path.display())]
    FileName {
        /// The file or folder.
        path: PathBuf,
        /// What is expected.
        why: &'static str,
    },
    /// Two migrations have one version.
    #[error("version {version} is both `{first}` and `{second}`: give one of them another number")]
    Twice {
        /// The version.
        version: u64,
        /// The name of one.
        first: String,
        /// The name of the other.
        second: String,
    },
    /// A migration has no file that this engine runs.
    #[error(
        "migration {migration} has no `{wanted}` for {engine}: write one, which may be empty if there is nothing to do"
    )]
    NoFile {
        /// The migration.
        migration: String,
        /// The file that is looked for.
        wanted: String,
        /// The engine.
        engine: String,
    },
    /// The text of a migration cannot be cut into statements.
    #[error("migration {migration}, line {line}: {why}")]
    Text {
        /// The migration.
        migration: String,
        /// The line, counted from 1.
        line: usize,
        /// The reason.
        why: String,
    },
    /// A migration that was applied has no file any more.
    #[error(
        "migration {version} `{name}` was applied to this database and has no files: get them back, or deploy the newer program"
    )]
    Missing {
        /// The version.
        version: u64,
        /// Its name when it was applied.
        name: String,
    },
    /// The file of a migration that was applied has changed since.
    #[error(
        "migration {migration} was changed after it was applied{}: put back what it was, and write a new migration for the change",
        if *unfinished { " in part; only statements that have not run may change" } else { "" }
    )]
    Changed {
        /// The migration.
        migration: String,
        /// Whether only some of its statements have run.
        unfinished: bool,
    },
    /// A migration that was not applied comes before one that was.
    #[error(
        "migration {migration} was not applied, and version {applied} after it was: give it a number above {applied}"
    )]
    OutOfOrder {
        /// The migration that was not applied.
        migration: String,
        /// The newest version that was.
        applied: u64,
    },
    /// There is no migration of that version.
    #[error("there is no migration {version}: {known}")]
    Unknown {
        /// The version that was asked for.
        version: u64,
        /// What there is.
        known: String,
    },
    /// A migration cannot be reverted: it has no down file.
    #[error("migration {migration} cannot be reverted: it has no down file for {engine}")]
    NoDown {
        /// The migration.
        migration: String,
        /// The engine.
        engine: String,
    },
    /// A migration was broken off in the other direction.
    #[error("migration {migration} was broken off {}: finish that first", direction.while_())]
    Unfinished {
        /// The migration.
        migration: String,
        /// The direction in which it was going.
        direction: Direction,
    },
    /// A migration was begun, and the engine has no lock that says whether somebody is still at it.
    #[error(
        "migration {migration} was begun and has not ended, and {engine} cannot tell whether it still runs: make sure that nobody \
             runs it, then resume it"
    )]
    InProgress {
        /// The migration.
        migration: String,
        /// The engine.
        engine: String,
    },
    /// A statement was begun, and nothing says whether it has run.
    #[error(
        "statement {statement} of migration {migration} was begun, and it is not known whether it took effect: look for it in the \
             database, and say so to `resolve`\n{sql}"
    )]
    InDoubt {
        /// The migration.
        migration: String,
        /// The statement's number, counted from 1.
        statement: usize,
        /// The statement.
        sql: String,
        /// What running it once more gave, if that was tried.
        #[source]
        source: Option<DriverError>,
    },
    /// Nothing of that migration is to be resolved.
    #[error("migration {migration} was not broken off: there is nothing to resolve")]
    Settled {
        /// The migration.
        migration: String,
    },
    /// A statement failed.
    #[error("statement {statement} of migration {migration} failed, and {}: {source}\n{sql}",
            if *undone { "nothing of the migration has happened" } else { "those before it stay: correct it and run again" })]
    Statement {
        /// The migration.
        migration: String,
        /// The statement's number, counted from 1.
        statement: usize,
        /// The statement.
        sql: String,
        /// Whether the migration was rolled back.
        undone: bool,
        /// What the engine says.
        source: DriverError,
    },
    /// A row refers to one that is not there, after foreign keys were turned off for a migration. It was rolled back.
    #[error(
        "migration {migration} was rolled back: it leaves rows in `{table}` that refer to rows which are not there"
    )]
    Dangling {
        /// The migration.
        migration: String,
        /// The table whose rows refer to nothing.
        table: String,
    },
    /// The migration wants what the engine does not have.
    #[error("migration {migration}: {why}")]
    Unsupported {
        /// The migration.
        migration: String,
        /// What it lacks.
        why: String,
    },
    /// Another process has been migrating for longer than is waited.
    #[error("another process has been changing the tables of this database for {} seconds: wait for it, or allow more time", waited.as_secs())]
    Locked {
        /// How long the lock was waited for.
        waited: std::time::Duration,
    },
    /// The lock was lost while a migration ran: the session that held it has ended.
    #[error(
        "the lock of this migration is gone, and another process may have begun: look at the status before running again"
    )]
    LockLost,
    /// An error of the database.
    #[error(transparent)]
    Database(#[from] DriverError),
}
