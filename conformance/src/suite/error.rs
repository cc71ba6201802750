//! What can go wrong around the cases.

use std::path::PathBuf;

/// Why a suite cannot be read, or not be run at all. What a case gives is no error but an [`Outcome`](super::Outcome).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuiteError {
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file that holds something else than it should.
    #[error("{}: {what}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        what: String,
    },
    /// An engine that is not known, or cannot be had in this build.
    #[error("engine `{name}`: {what}")]
    Engine {
        /// Its name.
        name: String,
        /// What is wrong, and what to do.
        what: String,
    },
    /// The engine cannot be reached.
    #[error("{name}: {source}")]
    Connect {
        /// The engine's name.
        name: String,
        /// What its driver says.
        source: isogloss_driver::Error,
    },
    /// A schema cannot be made.
    #[error("{engine}: {why}")]
    Schema {
        /// The engine's name.
        engine: String,
        /// What it says, or the compiler.
        why: String,
    },
}
