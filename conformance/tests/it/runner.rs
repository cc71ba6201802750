//! The runner's command line.

use std::process::{Command, Output};

fn runner(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_isogloss-conformance")).args(args).output().unwrap()
}

#[test]
fn asking_for_nothing_is_an_error() {
    for args in [["--group", "nothing"], ["--case", "no_such_case"]] {
        let ran = runner(&[&["--engine", "sqlite"], &args[..]].concat());
        assert_eq!(ran.status.code(), Some(2), "{ran:?}");
        assert!(String::from_utf8_lossy(&ran.stderr).starts_with("error: no "), "{ran:?}");
        assert!(ran.stdout.is_empty(), "{ran:?}");
        assert_eq!(runner(&[&["--list"], &args[..]].concat()).status.code(), Some(2));
    }
    assert_eq!(runner(&["--engine", "sqlite", "--group", "nulls", "--group", "nothing"]).status.code(), Some(2));
    let ran = runner(&["--engine", "sqlite", "--group", "nulls"]);
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
}
