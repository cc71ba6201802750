//! The shop of the chapter about the command line.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// The chapter.
pub(crate) fn chapter() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/command-line.md")
}

/// A folder of that name with the chapter's files and a database.
pub(crate) fn shop(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
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
    folder
}
