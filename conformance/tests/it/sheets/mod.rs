//! Each row of each data sheet, and each condition of a row, shows in a snapshot.
//!
//! A dialect with one row left out, or with one condition of a row less, compiles the cases and the calls of functions.
//! Where all are what they were, no snapshot would notice a mistake in that row: it takes a case, or it does nothing.
//!
//! A row that counts from a version on shows before that version and in it. Both texts stand in `snapshots/sheets`, so
//! that a version that moves is seen, too.

mod altered;
mod corpus;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

pub use altered::Altered;
use altered::{Alteration, gates, limits, rows};
use corpus::{CORPUS, Corpus};
use isogloss_compiler::dialect::{Dialect, Identity as _, Sheet, Version, check};
use isogloss_duckdb::DuckDb;
use isogloss_mysql::{MariaDb, MySql, tidb, vitess};
use isogloss_oracle::Oracle;
use isogloss_postgres::{CockroachDb, Postgres, citus, yugabytedb};
use isogloss_sqlite::Sqlite;
use isogloss_sqlserver::SqlServer;

/// What no snapshot shows: of which dialect, or of any, how its line begins, and why.
const UNSEEN: &[(&str, &str, &str)] = &[
    // A remainder is written as `%`; that there is a row says that the engine has the function.
    ("postgres", "Mod Text", "`%` is written"),
    ("mysql", "Mod Text", "`%` is written"),
    ("sqlserver", "Mod Text", "`%` is written"),
    // The tables of the README name what SQLite lacks; another of its rows is asked first.
    ("sqlite", "Regex", "it has no regular expressions at all"),
    ("sqlite", "LockSkipLocked", "it has no locks at all"),
    ("sqlite", "LockNoWait", "it has no locks at all"),
    ("duckdb", "LockSkipLocked", "it has no locks at all"),
    ("duckdb", "LockNoWait", "it has no locks at all"),
    ("sqlite", "DateValues", "DateKinds is asked first"),
    // A name of the tree is of ASCII letters, and at most 128: this is about tables and templates.
    ("", "identifier_bytes", "templates have tests of their own"),
    ("", "quote_in_name", "templates have tests of their own"),
    ("sqlserver", "identifier 128: 129", "no name is longer"),
    ("oracle", "identifier 128: 129", "no name is longer"),
    // The hook that writes an INSERT looks at its own.
    ("sqlserver", "StringAggWindow", "the function's own row refuses it over any window"),
    ("sqlserver", "rows_in_values", "the dialect's own sheet is asked"),
    ("oracle", "rows_in_values", "the dialect's own sheet is asked"),
];

impl Corpus {
    /// Whether a snapshot of a dialect with that sheet shows an alteration.
    fn notices(&self, alteration: &Alteration, of: impl Fn(&Sheet) -> bool) -> bool {
        let places = self.dialects.iter().enumerate();
        places.filter(|(_, dialect)| of(dialect.sheet()) && alteration.counts(dialect.version())).any(
            |(place, dialect)| {
                let altered = alter(dialect, alteration);
                self.difference(alteration.about, dialect, Some(place), &altered).is_some()
            },
        )
    }
}

fn alter(dialect: &Arc<dyn Dialect>, alteration: &Alteration) -> Arc<dyn Dialect> {
    Arc::new(Altered { dialect: Arc::clone(dialect), sheet: alteration.sheet(dialect.sheet()) })
}

#[test]
fn tables_are_complete() {
    for dialect in &CORPUS.dialects {
        if let Err(faults) = check(&**dialect) {
            panic!("{}:\n{faults}", dialect.label());
        }
    }
}

fn every_row_shows(name: &str) {
    let corpus = &*CORPUS;
    let mut sheets: Vec<&'static Sheet> = Vec::new();
    for sheet in corpus.dialects.iter().map(|dialect| dialect.sheet()).filter(|sheet| sheet.name == name) {
        if !sheets.iter().any(|other| std::ptr::eq(*other, sheet)) {
            sheets.push(sheet);
        }
    }
    // What a variant has of its base is the base's to show.
    let of_name = corpus.dialects.iter().find(|dialect| dialect.sheet().name == name);
    let base = of_name.and_then(|dialect| dialect.base()).map(Dialect::sheet);
    let is_variant = base.is_some();
    let mut unseen = Vec::new();
    // Sheets of one name differ in their limits only.
    for alteration in sheets.first().map(|sheet| rows(sheet, is_variant)).unwrap_or_default() {
        if !corpus.notices(&alteration, |sheet| sheet.name == name) {
            unseen.push(alteration.what);
        }
    }
    for (index, sheet) in sheets.iter().copied().enumerate() {
        let others: Vec<_> = sheets.iter().copied().take(index).chain(base).collect();
        for alteration in limits(sheet, &others) {
            if !corpus.notices(&alteration, |other| std::ptr::eq(other, sheet)) {
                unseen.push(alteration.what);
            }
        }
    }
    let known: Vec<_> = UNSEEN.iter().filter(|(dialect, ..)| [name, ""].contains(dialect)).collect();
    for (_, part, _) in known.iter().filter(|(dialect, ..)| !dialect.is_empty()) {
        let listed = unseen.iter().any(|what| what.starts_with(part));
        assert!(listed, "{name}: {part} shows now: it need not be listed");
    }
    unseen.retain(|what| !known.iter().any(|(_, part, _)| what.starts_with(part)));
    assert!(unseen.is_empty(), "{} of {name} that no snapshot shows:\n{}", unseen.len(), unseen.join("\n"));
}

/// A version, and the one before it.
fn at(name: &str, (major, minor, patch): Version) -> [Arc<dyn Dialect>; 2] {
    match name {
        "postgres" => [major, major - 1].map(|major| Postgres::new(major).to_shared()),
        "cockroachdb" => {
            let before = if minor > 1 { (major, minor - 1) } else { (major - 1, 99) };
            [(major, minor), before].map(|(major, minor)| CockroachDb::new(major, minor).to_shared())
        }
        "yugabytedb" => [minor, minor - 1].map(|minor| yugabytedb(major, minor).to_shared()),
        "citus" => [major, major - 1].map(|major| citus(major, minor, Postgres::V15).to_shared()),
        "mysql" => {
            let before = if patch > 0 { (major, minor, patch - 1) } else { (major - 1, 99, 99) };
            [(major, minor, patch), before].map(|(a, b, c)| MySql::new(a, b, c).to_shared())
        }
        "mariadb" => {
            let before = if minor > 0 { (major, minor - 1) } else { (major - 1, 99) };
            [(major, minor), before].map(|(major, minor)| MariaDb::new(major, minor).to_shared())
        }
        "tidb" => [minor, minor - 1].map(|minor| tidb(major, minor).to_shared()),
        "vitess" => [major, major - 1].map(|major| vitess(major).to_shared()),
        "sqlite" => [minor, minor - 1].map(|minor| Sqlite::new(minor, 0).to_shared()),
        "sqlserver" => [major, major - 1].map(|major| SqlServer::new(major).to_shared()),
        "oracle" => {
            let before = if minor > 0 { (major, minor - 1) } else { (major - 1, 99) };
            [(major, minor), before].map(|(major, minor)| Oracle::new(major, minor).to_shared())
        }
        "duckdb" => {
            let before = if minor > 0 { (major, minor - 1) } else { (major - 1, 99) };
            [(major, minor), before].map(|(major, minor)| DuckDb::new(major, minor).to_shared())
        }
        other => panic!("{other} is no dialect"),
    }
}

fn gates_are_where_they_were(name: &str) {
    let corpus = &*CORPUS;
    let usual = corpus.dialects.iter().find(|dialect| dialect.sheet().name == name).unwrap();
    let (mut out, mut unseen) = (String::new(), Vec::new());
    let gates = gates(usual.sheet());
    if gates.is_empty() {
        return;
    }
    for gate in gates {
        let [since, before] = at(name, gate.version);
        assert_eq!(since.version(), gate.version);
        let earlier = corpus.difference(gate.about, &before, None, &alter(&before, &gate.earlier));
        let later = corpus.difference(gate.about, &since, None, &alter(&since, &gate.later));
        match (earlier, later) {
            (Some(_), Some((item, now, _))) => {
                let _ = writeln!(out, "{} since {}, in {}", gate.what, since.label(), item.name);
                let then = corpus.outcome(item, &before);
                let _ = writeln!(out, "  before  {}\n  since   {}\n", then.shown, now.shown);
            }
            _ => unseen.push(format!("{} since {:?}", gate.what, gate.version)),
        }
    }
    assert!(unseen.is_empty(), "of {name}, no snapshot shows\n{}", unseen.join("\n"));
    if out.is_empty() {
        return;
    }
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/sheets")));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, out));
}

macro_rules! of_each {
    ($($name:ident),*) => { $(
        mod $name {
            #[test]
            fn every_row_shows() {
                super::every_row_shows(stringify!($name));
            }

            #[test]
            fn gates_are_where_they_were() {
                super::gates_are_where_they_were(stringify!($name));
            }
        }
    )* };
}

of_each!(postgres, cockroachdb, yugabytedb, citus, mysql, mariadb, tidb, vitess, sqlite, sqlserver, oracle, duckdb);
