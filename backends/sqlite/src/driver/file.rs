//! Whether a path leads to the file that was opened there.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

use isogloss_driver::{Error, ErrorKind, Result};

/// Identifies an open file. After it is deleted or replaced, writes go to a file that no path leads to. In WAL mode SQLite
/// does not notice.
#[derive(Debug)]
pub(super) struct OpenFile {
    path: PathBuf,
    identity: Identity,
}

/// Which file it is.
type Identity = (u64, u64);

impl OpenFile {
    /// That at a path, where the system tells one file from another.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        Some(Self { path: path.to_owned(), identity: identity(&found)? })
    }

    /// # Errors
    /// Another file is at its path, or none.
    pub(super) fn is_there(&self) -> Result<()> {
        let what = match std::fs::metadata(&self.path) {
            Ok(found) if identity(&found) == Some(self.identity) => return Ok(()),
            Ok(_) => "replaced",
            Err(error) if error.kind() == io::ErrorKind::NotFound => "deleted",
            // Nothing is known of it.
            Err(_) => return Ok(()),
        };
        let message = format!(
            "the file was {what} while it was open: what is written now would be lost. Close the data source, and open it \
             again on the file that shall be used"
        );
        Err(Error::new(ErrorKind::Connect, message).at(self.path.display()))
    }
}

#[cfg(unix)]
fn identity(file: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((file.dev(), file.ino()))
}

/// Elsewhere, a file that is open cannot be deleted.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<Identity> {
    None
}
