//! The program from outside: what it answers, and with which exit code.

#![allow(clippy::unwrap_used, reason = "a helper of tests may panic as they do")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

fn quickstart(args: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quickstart"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_first_run_shows_rows_their_time_and_the_sql() {
    let output = quickstart(&["--scale", "0.001", "--take", "5"], "");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.contains("\n5 rows in "), "{out}");
    assert!(out.contains("\nsqlite\n  SELECT "), "{out}");
    assert!(err.starts_with("TPC-H at scale 0.001: "), "{err}");
}

#[test]
fn sql_only_loads_nothing() {
    let output = quickstart(&["--sql-only", "--dialect", "sqlite"], "");
    assert!(output.status.success());
    assert!(text(&output.stdout).starts_with("\nsqlite\n  SELECT "));
    assert!(output.stderr.is_empty());
}

#[test]
fn bad_usage_is_two_and_help_is_none() {
    let bad = quickstart(&["--take", "many"], "");
    assert_eq!(bad.status.code(), Some(2));
    assert!(text(&bad.stderr).starts_with("error: --take wants a number of rows, not `many`\n"));
    assert!(bad.stdout.is_empty());

    let help = quickstart(&["--help"], "");
    assert_eq!(help.status.code(), Some(0));
    assert!(text(&help.stdout).contains("Usage: quickstart"));
}

#[test]
fn a_filter_that_was_promised_must_come() {
    let output = quickstart(&["-"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no filter on standard input"));
}
