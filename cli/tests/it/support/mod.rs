//! The shop of the chapter about the command line.

use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

/// The chapter.
pub(crate) fn chapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/command-line.md")
}

/// A folder with the chapter's files and a database, which is removed when it is dropped.
pub(crate) struct Shop(TempDir);

impl Deref for Shop {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Shop {
    fn as_ref(&self) -> &Path {
        self
    }
}

/// Creates a shop of its own for a test.
pub(crate) fn shop() -> Shop {
    let folder = tempfile::tempdir().unwrap();
    write_shop(folder.path());
    Shop(folder)
}

/// Writes the chapter's files and a database into `folder`, which it creates if it is missing.
pub(crate) fn write_shop(folder: &Path) {
    let text = fs::read_to_string(chapter()).unwrap();
    let mut lines = text.lines();
    let mut files = 0;
    while let Some(line) = lines.next() {
        // A fence with a language and the name of a file.
        let Some((_, name)) = line.strip_prefix("```").and_then(|fence| fence.split_once(' ')) else { continue };
        let body: String = lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, body).unwrap();
        files += 1;
    }
    assert!(files >= 4, "the chapter has the shop's files");
    let database = Connection::open(folder.join("shop.db")).unwrap();
    database.execute_batch(include_str!("shop.sql")).unwrap();
}
