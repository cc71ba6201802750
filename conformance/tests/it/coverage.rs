//! The cases speak of everything that there is, and the snapshots of nothing else.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use isogloss_cases::{Case, Target, cases, stone, targets};
use isogloss_compiler::dialect::{Feature, Form, Support};
use isogloss_compiler::expr::{LogicOperator, SqlSegment, Value, ValueTypeExpr};
use isogloss_compiler::functions::Func;
use isogloss_compiler::legalize::Rule;
use isogloss_compiler::walk::{ExprRef, ExprType, VisitOrder, visit, visit_while};
use isogloss_compiler::{ErrorKind, json};
use isogloss_conformance::tpch;

/// What a dialect lacks without a word: it is a matter of spelling, or another refusal comes first.
const QUIET: &[&str] = &[
    // A CAST around the parameter.
    "an untyped parameter",
    "an untyped parameter in a function",
    "a decimal or JSON parameter",
    // A CAST around the NULL.
    "NULL beside bound texts",
    // No column of the sample is as long.
    "a comparison of long texts",
    // `1 = 1`
    "TRUE and FALSE",
    // Its order is there by then.
    "paging without an order",
    // A row of the function table.
    "the remainder of numbers that are not whole",
    // SQLite refuses the lock itself.
    "NOWAIT",
    "SKIP LOCKED",
    // No statement asks for it: an INSERT names its columns.
    "an INSERT without values",
];

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots"))
}

fn each_case(mut f: impl FnMut(&'static str, &Case)) {
    for (topic, cases) in cases::all() {
        cases.iter().for_each(|case| f(topic, case));
    }
}

/// Every target that a case is compiled for.
fn every_target() -> Vec<Target> {
    let mut all = targets();
    each_case(|_, case| all.extend(case.targets.iter().flatten().cloned()));
    all
}

fn missing<T: std::fmt::Debug>(what: &str, items: impl IntoIterator<Item = T>) {
    let items: Vec<T> = items.into_iter().collect();
    assert!(items.is_empty(), "{what} that no case has: {items:?}");
}

#[test]
fn names_are_unique_and_there_are_many() {
    let mut names = HashSet::new();
    each_case(|topic, case| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(case.name.chars().all(plain), "a snapshot's name is a file's: {}", case.name);
        assert!(names.insert(format!("{topic}/{}", case.name)), "twice: {topic}/{}", case.name);
    });
    assert!(names.len() >= 250, "{}", names.len());
}

#[test]
fn every_snapshot_belongs_to_a_case() {
    let mut wanted = BTreeSet::new();
    each_case(|topic, case| {
        wanted.insert(format!("{topic}/{}.snap", case.name));
    });
    wanted.extend(tpch::cases().iter().map(|case| format!("tpch/{}.snap", case.name)));
    let mut found = BTreeSet::new();
    files(&folder(), &folder(), &mut found);
    // Tables, single calls and data sheets are no cases: `ddl.rs`, `calls.rs` and `sheets` look after theirs.
    found.retain(|file| !["ddl/", "calls/", "sheets/", "growth/"].iter().any(|folder| file.starts_with(folder)));
    missing("snapshots", found.difference(&wanted));
    let absent: Vec<_> = wanted.difference(&found).collect();
    assert!(absent.is_empty(), "cases without a snapshot: {absent:?}");
}

fn files(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(root, &path, found);
        } else {
            found.insert(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
}

/// Whether a filter is off at one of its nodes, for which JSON has no word.
fn has_filters_off(case: &Case) -> bool {
    !visit_while(&case.expr, VisitOrder::Pre, |node| match node {
        ExprRef::Table(table) | ExprRef::Segment(SqlSegment::Table(table)) => table.filters_off.is_empty(),
        _ => true,
    })
}

#[test]
fn every_tree_is_read_back_from_its_json() {
    each_case(|topic, case| {
        if has_filters_off(case) {
            return;
        }
        let text = json::to_string(&case.expr);
        let limits = json::ReadLimits::DEFAULT.depth(json::ReadLimits::MAX_DEPTH);
        match json::from_str_with(&text, &limits) {
            // A definition that is used again is a reference, which a stranger's text leaves to the compiler.
            Ok(read) => assert!(read == case.expr || text.contains(r#"{"$cte":""#), "{topic}/{}", case.name),
            // The wire is stricter than the program: about names, rows and depth.
            Err(error) => {
                let why = error.to_string();
                let stricter = ["bad name", "bad table argument", "a row of", "levels"];
                assert!(stricter.iter().any(|s| why.contains(s)), "{topic}/{}: {why}", case.name);
            }
        }
    });
}

/// The program's own trees are what they were, their constants constants: so each has the same text, and the same
/// parameters, in every dialect.
#[test]
fn every_own_tree_compiles_as_before_it_was_written() {
    let compiler = stone::compiler();
    let limits = json::ReadLimits::DEFAULT.depth(json::ReadLimits::MAX_DEPTH);
    each_case(|topic, case| {
        // A double is written as a number, which reads as the decimal of the same digits: other than in its parameter's type.
        let mut doubles = false;
        visit(&case.expr, VisitOrder::Pre, |node| {
            let value = match node {
                ExprRef::Value(ValueTypeExpr::Value(node)) | ExprRef::Constant(node) => &node.value,
                _ => return,
            };
            doubles |= matches!(value, Value::Float(_));
        });
        if doubles || has_filters_off(case) {
            return;
        }
        if let Ok(expr) = json::read_own(&json::to_string(&case.expr), &limits) {
            let again = Case { expr, ..case.clone() };
            let (before, after) = (stone::stone(&compiler, topic, case), stone::stone(&compiler, topic, &again));
            assert!(before == after, "{topic}/{}:\n{before}\n{after}", case.name);
        }
    });
}

#[test]
fn every_kind_operator_and_function_occurs() {
    let mut kinds = HashSet::new();
    let mut operators = HashSet::new();
    let mut functions = HashSet::new();
    each_case(|_, case| {
        visit(&case.expr, VisitOrder::Pre, |node| {
            kinds.insert(node.kind());
            let function = match node {
                ExprRef::Function(function) => Some(function),
                ExprRef::Value(isogloss_compiler::expr::ValueTypeExpr::Function(function)) => Some(&**function),
                ExprRef::Logic(isogloss_compiler::expr::LogicExpr::Binary(comparison)) => {
                    operators.insert(comparison.operator);
                    None
                }
                _ => None,
            };
            functions.extend(function.and_then(|f| Func::from_name(f.name.as_str())));
        });
    });
    // A lambda is a tree before it comes here.
    missing("kinds", ExprType::ALL.iter().filter(|kind| **kind != ExprType::Lambda && !kinds.contains(kind)));
    missing("operators", LogicOperator::ALL.iter().filter(|operator| !operators.contains(operator)));
    missing("functions", Func::ALL.iter().filter(|func| !functions.contains(func)));
}

#[test]
fn every_feature_and_rule_occurs() {
    let compiler = stone::compiler();
    let mut rules = HashSet::new();
    let mut features = BTreeSet::new();
    each_case(|_, case| {
        for target in case.targets() {
            match stone::compile(&compiler, case, &target) {
                Ok(compiled) => {
                    for note in &compiled.notes {
                        rules.insert(note.rule);
                        features.insert(note.feature.to_owned());
                    }
                }
                Err(error) => {
                    if let ErrorKind::Refused { feature, .. } = error.kind() {
                        features.insert(feature.clone());
                    }
                }
            }
        }
    });
    // What some target lacks is seen in a note or in a refusal; what none lacks cannot be seen.
    let mut lacking: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut used = HashSet::new();
    for target in every_target() {
        for (feature, support) in Feature::ALL.iter().zip(target.dialect.support()) {
            if support != Support::Native {
                lacking.entry(feature.title()).or_default().push(target.label());
            }
            if let Support::Expand(rule) = support
                && !QUIET.contains(&feature.title())
            {
                used.insert(rule);
            }
        }
        let rows = Func::ALL.iter().flat_map(|func| target.dialect.rows_of(*func));
        let expanded = rows.filter_map(|row| match row.form {
            Form::Expand(rule) => Some(rule),
            _ => None,
        });
        used.extend(expanded);
    }
    missing(
        "features",
        lacking.iter().filter(|(feature, _)| !features.contains(**feature) && !QUIET.contains(feature)),
    );
    missing("rules in use", Rule::ALL.iter().filter(|rule| used.contains(rule) && !rules.contains(rule)));
    println!(
        "rules that no sheet names: {:?}",
        Rule::ALL.iter().filter(|rule| !used.contains(rule)).collect::<Vec<_>>()
    );
}
