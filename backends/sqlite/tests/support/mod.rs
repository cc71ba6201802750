//! What the tests on SQLite share.
#![allow(dead_code, unused_imports, reason = "each test takes what it needs")]

#[path = "../../../driver/testing/statements.rs"]
mod statements;

use std::path::PathBuf;

pub(crate) use statements::{number, plain, with};

pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A file of its own, which is gone with it.
pub(crate) struct File(pub(crate) PathBuf);

impl File {
    pub(crate) fn new(name: &str) -> Self {
        let file = Self(std::env::temp_dir().join(format!("isogloss-{name}-{}.db", std::process::id())));
        file.remove();
        file
    }

    pub(crate) fn remove(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", self.0.display()));
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        self.remove();
    }
}
