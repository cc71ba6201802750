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
fn a_first_run_asks_a_question_and_shows_its_rows() {
    let output = quickstart(&["--take", "5"], "");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.starts_with("question\n  Which orders from Europe"), "{out}");
    assert!(out.contains("\nfilter, as JSON\n  {\"$and\":["), "{out}");
    // One dialect, that of the rows, and behind them which others lack what.
    assert!(out.contains("\nsqlite 3.") && out.contains("\n  ?1 = date '1995-01-01'\n"), "{out}");
    assert!(!out.contains("\npostgres 15") && out.contains("\n5 rows in "), "{out}");
    let (_, rules) = out.split_once("\neach engine").unwrap();
    assert!(
        rules.contains("sqlite  postgres  mysql") && rules.contains('●') && rules.contains("--dialect all"),
        "{out}"
    );
    assert!(err.starts_with("TPC-H at scale 0.01: "), "{err}");
}

#[test]
fn all_dialects_are_shown_where_it_is_asked() {
    let output = quickstart(&["--sql-only", "--dialect", "all"], "");
    let out = text(&output.stdout);
    for dialect in ["sqlite 3.", "postgres 15", "mysql 8.0", "mariadb 10.11", "sqlserver 2019", "oracle 19c"] {
        let (_, sql) = out.split_once(&format!("\n\n{dialect}")).unwrap();
        assert!(sql.contains("\n  SELECT "), "{out}");
    }
    assert!(out.contains("\n  $1 = date '1995-01-01'\n"), "{out}");
}

#[test]
fn sql_only_loads_nothing() {
    let output = quickstart(&["--sql-only", "--dialect", "mariadb"], "");
    assert!(text(&output.stdout).contains("\nmariadb 10.11\n"));
    let output = quickstart(&["--sql-only"], "");
    assert!(output.status.success());
    let out = text(&output.stdout);
    assert!(out.contains("\nsqlite 3.") && !out.contains("postgres"), "{out}");
    assert!(output.stderr.is_empty());
}

#[test]
fn a_filter_comes_as_an_argument_or_on_standard_input() {
    let filter = r##"{"$and":[{"$":"in","Left":{"#":"NationName"},"Right":["FRANCE","GERMANY"]},
        {"$":">","Left":{"#":"TotalPrice"},"Right":100000.5},{"$":"==","Left":{"#":"Status"},"Right":"F"}]}"##;
    let options = ["--scale", "0.001", "--take", "3"];
    let argument = quickstart(&[&[filter][..], &options].concat(), "");
    let (out, err) = (text(&argument.stdout), text(&argument.stderr));
    assert!(argument.status.success(), "{err}");
    assert!(out.contains("\n3 rows in "), "{out}");
    assert!(out.contains("FRANCE") || out.contains("GERMANY"), "{out}");
    assert!(out.contains("\n  ?1 = text 'FRANCE'\n") && out.contains(" = decimal 100000.5\n"), "{out}");

    let stdin = quickstart(&[&["-", "--sql-only"][..], &options].concat(), filter);
    let sql = |out: &str| out.split_once("filter, as JSON\n").unwrap().1.to_owned();
    assert!(sql(out).starts_with(&sql(text(&stdin.stdout))), "{out}");
}

#[test]
fn rows_come_from_a_file_and_from_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.db");
    for (db, said) in [(":memory:", "loaded"), (file.to_str().unwrap(), "loaded"), (file.to_str().unwrap(), "reused")] {
        let output = quickstart(&["--scale", "0.001", "--take", "1", "--db", db], "");
        assert!(text(&output.stdout).contains("\n1 row in "), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
    // Nothing is left beside it.
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

#[test]
fn a_bad_filter_says_where() {
    for (filter, message) in [
        (r##"{"$and":[{"$":"==","Left":{"#":"Status"},"Wrong":1}]}"##, r#"unknown key "Wrong" at $.$and[0]"#),
        (r##"{"$":"==","Left":{"#":"Status"},"Right":"X"}"##, "at $.Right"),
        (r##"{"$":"==","Left":{"#":"OrderDate"},"Right":"soon"}"##, "at $.Right"),
        ("5", "expected a logic expression, found a number at $"),
    ] {
        let output = quickstart(&["--", filter], "");
        assert_eq!(output.status.code(), Some(1), "{filter}");
        let error = text(&output.stderr);
        assert!(error.starts_with("error: ") && error.contains(message), "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_denied_property_reads_as_one_that_is_not_there() {
    let balance = r##"{"$":">","Left":{"#":"AccountBalance"},"Right":0}"##;
    for (filter, message) in [
        // The column says so, also where a view shows it.
        (
            r##"{"$":"startswith","Left":{"#":"CustomerAddress"},"Right":"x"}"##.to_owned(),
            "`CustomerAddress` is not available on `OrderView` at $.Left",
        ),
        (
            r##"{"$":"==","Left":{"#":"Nope"},"Right":1}"##.to_owned(),
            "`Nope` is not available on `OrderView` at $.Left",
        ),
        // The policy says so.
        (
            format!(r##"{{"$foreign":"Customer","AutoRelated":true,"InnerExpr":{balance}}}"##),
            "`AccountBalance` is not available on `Customer` at $.InnerExpr.Left",
        ),
    ] {
        let output = quickstart(&[&filter], "");
        assert_eq!(output.status.code(), Some(1), "{filter}");
        assert_eq!(text(&output.stderr), format!("error: {message}\n"));
    }
}

#[test]
fn bad_usage_is_two_and_help_is_none() {
    let bad = quickstart(&["--take", "many"], "");
    assert_eq!(bad.status.code(), Some(2));
    assert!(text(&bad.stderr).starts_with("error: --take wants a number of rows, not `many`\ntry `"));
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
