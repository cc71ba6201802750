//! The console blocks of the chapter about the command line. `TRYCMD=overwrite` writes their answers.

use std::fs;

use crate::support::{chapter, write_shop};

#[test]
fn the_chapter_is_current() {
    // The runner finds the files of `x.md` in the folder `x.in` beside it.
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("command-line.in");
    write_shop(&folder);
    let copy = folder.with_extension("md");
    fs::copy(chapter(), &copy).unwrap();
    let cases = trycmd::TestCases::new();
    cases
        .register_bin("isogloss", trycmd::cargo::cargo_bin!("isogloss"))
        .env("NO_COLOR", "")
        .case(copy.to_str().unwrap());
    drop(cases);
    if std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite") {
        fs::copy(&copy, chapter()).unwrap();
    }
}
