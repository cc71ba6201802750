//! What goes wrong, and the exit status that tells it.

use std::fmt::Display;
use std::io;
use std::path::Path;

use isogloss::driver;
use isogloss_migrate::MigrateError;

/// The word before the message of a dialect that refuses a tree.
pub(crate) const REFUSED: &str = "refused";

/// Why a command did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line, or a file that it names.
    #[error("{0}")]
    Input(String),
    /// What a dialect cannot express.
    #[error("{0}")]
    Refused(Box<isogloss::Error>),
    /// What a database or its driver says.
    #[error("{place}: {error}")]
    Database {
        /// The database, as it is shown.
        place: String,
        error: driver::Error,
    },
    /// What stops migrations of a database.
    #[error("{place}: {error}")]
    Migrate {
        /// The database, as it is shown.
        place: String,
        error: Box<MigrateError>,
    },
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl Failure {
    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::Input(message.into())
    }

    /// A file that cannot be read.
    pub(crate) fn unread(what: &str, path: &Path, error: impl Display) -> Self {
        Self::Input(format!("cannot read the {what} `{}`: {error}", path.display()))
    }

    /// An error of a database, to be told with its name.
    pub(crate) fn of(place: &str) -> impl Fn(driver::Error) -> Self {
        move |error| Self::Database { place: place.to_owned(), error }
    }

    /// An error of migrations, to be told with the database's name.
    pub(crate) fn migrating(place: &str) -> impl Fn(MigrateError) -> Self {
        move |error| Self::Migrate { place: place.to_owned(), error: Box::new(error) }
    }

    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::Refused(_) => Found::Amiss.status(),
            Self::Input(_) => 2,
            Self::Migrate { error, .. } => of_migrations(error),
            Self::Database { .. } | Self::Output(_) => 3,
        }
    }

    /// The word before the message.
    pub(crate) fn title(&self) -> &'static str {
        match self {
            Self::Refused(_) => REFUSED,
            _ => "error",
        }
    }

    /// Whether nobody reads the output any more, as behind `| head`.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Files that do not fit the database's history are a difference, files that are wrong by themselves bad input.
fn of_migrations(error: &MigrateError) -> u8 {
    use MigrateError::{Changed, File, FileName, Missing, NoDown, NoFile, OutOfOrder, Settled, Text, Twice, Unknown};
    match error {
        Changed { .. } | Missing { .. } | OutOfOrder { .. } => Found::Amiss.status(),
        File { .. } | FileName { .. } | NoDown { .. } | NoFile { .. } => 2,
        Settled { .. } | Text { .. } | Twice { .. } | Unknown { .. } => 2,
        _ => 3,
    }
}

impl From<isogloss::Error> for Failure {
    /// An error of compiling: a refusal where another dialect may take the tree, else the tree does not fit the catalog.
    fn from(error: isogloss::Error) -> Self {
        use isogloss::ErrorKind::{NameTooLong, Unbindable};
        let of_the_dialect = matches!(error.kind(), NameTooLong { .. } | Unbindable { .. });
        if error.is_refused() || error.is_too_large() || of_the_dialect {
            Self::Refused(Box::new(error))
        } else {
            Self::Input(error.to_string())
        }
    }
}

/// What a command that came to its end has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// All is well.
    Well,
    /// A refusal, a difference, a query that does not compile.
    Amiss,
}

impl Found {
    /// Something amiss, if it is so.
    pub(crate) fn amiss(amiss: bool) -> Self {
        if amiss { Self::Amiss } else { Self::Well }
    }

    pub(crate) fn status(self) -> u8 {
        match self {
            Self::Well => 0,
            Self::Amiss => 1,
        }
    }
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;
