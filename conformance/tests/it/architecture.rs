//! What ARCHITECTURE.md calls invariant, as far as the sources show it.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use isogloss_compiler::expr::DbValueType;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

/// The lines of code of a folder, without comments and what follows `#[cfg(test)]`.
fn code(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    sources(&root().join(folder), &mut files);
    assert!(!files.is_empty(), "{folder}");
    let lines = files.into_iter().filter(|(path, _)| !path.ends_with("tests.rs")).flat_map(|(path, text)| {
        let own = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
        let code: Vec<_> = own.lines().filter(|line| !line.trim_start().starts_with("//")).map(str::to_owned).collect();
        code.into_iter().map(move |line| (path.clone(), line))
    });
    lines.collect()
}

/// The crates of this workspace that one depends on, but for its tests.
fn needs(folder: &str) -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
    let own = manifest.split("\n[dependencies]").nth(1).unwrap_or_default().split("\n[").next().unwrap_or_default();
    let names = own.lines().filter_map(|line| line.split([' ', '.', '=']).next());
    names.filter(|name| name.starts_with("isogloss")).map(str::to_owned).collect()
}

#[test]
fn crates_depend_on_each_other_as_drawn() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let backends = ["postgres", "mysql", "sqlite", "sqlserver", "oracle"];
    assert_eq!(needs("compiler/lexis"), set(&[]));
    assert_eq!(needs("compiler"), set(&["isogloss-lexis"]));
    assert_eq!(needs("orm/derive"), set(&["isogloss-lexis"]));
    assert_eq!(needs("backends/driver"), set(&["isogloss-compiler"]));
    for backend in backends {
        let mut below = set(&["isogloss-compiler", "isogloss-driver"]);
        // The texts of its tables are read.
        below.extend((backend == "sqlite").then(|| "isogloss-lexis".to_owned()));
        assert_eq!(needs(&format!("backends/{backend}")), below, "{backend}");
    }
    let duckdb = ["isogloss-compiler", "isogloss-driver", "isogloss-postgres"];
    assert_eq!(needs("backends/duckdb"), set(&duckdb));
    assert_eq!(needs("backends/testing"), set(&["isogloss-compiler", "isogloss-driver"]));
    assert_eq!(needs("migrate"), set(&["isogloss-compiler", "isogloss-driver", "isogloss-lexis"]));
    let mut below = set(&["isogloss-compiler", "isogloss-derive", "isogloss-driver"]);
    below.extend(backends.map(|backend| format!("isogloss-{backend}")));
    assert!(needs("orm").is_superset(&below));
    assert_eq!(needs("orm/web"), set(&["isogloss"]));
    assert_eq!(needs("generate"), set(&["isogloss-compiler", "isogloss-driver"]));
    assert_eq!(needs("cli"), set(&["isogloss", "isogloss-generate", "isogloss-migrate"]));
}

/// A crate of macros does not depend on the compiler, so that it has the names of the types once more.
#[test]
fn the_macros_know_each_type() {
    let table = fs::read_to_string(root().join("orm/derive/src/types.rs")).unwrap();
    let named = |line: &str| line.trim().strip_prefix("(\"").and_then(|rest| Some(rest.split_once('"')?.0.to_owned()));
    let names: Vec<String> = table.lines().filter_map(named).collect();
    assert_eq!(names, DbValueType::ALL.map(|ty| ty.name().to_owned()));
}

#[test]
fn what_users_link_is_held_by_the_lints() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(workspace.contains("unsafe_code = \"forbid\""));
    let crates = [
        "compiler",
        "compiler/lexis",
        "compiler/wasm",
        "backends/driver",
        "backends/testing",
        "cli",
        "generate",
        "migrate",
        "orm",
        "orm/derive",
        "orm/web",
    ]
    .map(str::to_owned);
    let backends =
        ["postgres", "mysql", "sqlite", "sqlserver", "oracle", "duckdb"].map(|name| format!("backends/{name}"));
    for folder in crates.iter().chain(&backends) {
        let manifest = fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        let lints = manifest.split("\n[lints").nth(1).unwrap_or_default();
        let held = lints.starts_with("]\nworkspace = true") || lints.contains("unsafe_code = \"forbid\"");
        assert!(held, "{folder}");
    }
}

#[test]
fn the_compiler_does_no_io_and_knows_no_dialect() {
    const IO: [&str; 7] = ["std::fs", "std::net", "std::process", "std::env", "thread::spawn", "tokio", "std::os"];
    const DIALECTS: [&str; 6] =
        ["\"postgres\"", "\"mysql\"", "\"mariadb\"", "\"sqlite\"", "\"sqlserver\"", "\"oracle\""];
    let found: Vec<_> = code("compiler/src")
        .into_iter()
        .chain(code("compiler/lexis/src"))
        .filter(|(_, line)| IO.iter().chain(&DIALECTS).any(|word| line.contains(word)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

/// What a hook may ask of its own dialect: what a variant has its own of, or nothing of the writer is at hand for.
const OWN: [&str; 3] = ["label", "sheet", "version"];

#[test]
fn hooks_ask_each_other_through_the_writer() {
    let hooks = fs::read_to_string(root().join("compiler/src/dialect.rs")).unwrap();
    let hooks =
        hooks.split_once("pub trait Dialect").and_then(|(_, rest)| rest.split_once("\n}")).unwrap().0.to_owned();
    let names: Vec<String> = hooks
        .lines()
        .filter_map(|line| line.strip_prefix("    fn "))
        .filter_map(|rest| rest.split(['(', '<']).next())
        .filter(|name| !OWN.contains(name))
        .flat_map(|name| [format!("self.{name}(w"), format!("w.text(self.{name}(")])
        .collect();
    assert!(names.len() > 40, "{names:?}");
    for folder in ["compiler/src/dialect", "backends/postgres/src", "backends/mysql/src", "backends/sqlite/src"] {
        check(folder, &names);
    }
    check("backends/duckdb/src", &names);
    check("backends/sqlserver/src", &names);
    check("backends/oracle/src", &names);
}

fn check(folder: &str, names: &[String]) {
    let found: Vec<_> = code(folder)
        .into_iter()
        .filter(|(path, line)| {
            path.components().all(|part| part.as_os_str() != "driver") && names.iter().any(|name| line.contains(name))
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}
