//! The JSON Schemas of the notation, both ways: what is read validates, and what is refused does not.
//!
//! The texts are those of the cases, of random trees, of the reader's own tests, and samples of the schema itself.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod sampled;
mod view;

use std::fs;
use std::path::Path;

use isogloss_cases::cases;
use isogloss_compiler::json::{self, JsonErrorKind, schema};
use jsonschema::Validator;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::Value;

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::meta::validate(schema).unwrap();
    jsonschema::draft202012::new(schema).unwrap()
}

#[test]
fn every_case_validates() {
    let [canonical, notation] = [schema::canonical(), schema::notation()].map(|schema| validator(&schema));
    let mut count = 0;
    for (topic, cases) in cases::all() {
        for case in cases {
            let text = json::to_string(&case.expr);
            // Some cases are of what no text can say, such as names that are none.
            if json::from_str(&text).is_ok() {
                count += 1;
                let document = serde_json::to_value(&case.expr).unwrap();
                assert!(canonical.is_valid(&document), "{topic}/{}: {text}", case.name);
                assert!(notation.is_valid(&document), "{topic}/{}: {text}", case.name);
            }
        }
    }
    assert!(count > 1_500, "{count}");
}

#[test]
fn random_trees_validate() {
    let [canonical, notation] = [schema::canonical(), schema::notation()].map(|schema| validator(&schema));
    let mut runner = TestRunner::deterministic();
    let trees = json::arbitrary::expr();
    for _ in 0..2_000 {
        let text = json::to_string(&trees.new_tree(&mut runner).unwrap().current());
        let document: Value = serde_json::from_str(&text).unwrap();
        assert!(canonical.is_valid(&document), "{text}");
        assert!(notation.is_valid(&document), "{text}");
    }
}

/// The raw literals of a source that may be texts of trees.
fn texts(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for hashes in ["##", "#"] {
        let (open, close) = (format!("r{hashes}\""), format!("\"{hashes}"));
        let parts = source.split(&open).skip(1);
        found.extend(parts.filter_map(|part| part.split_once(&close)).map(|(text, _)| text.to_owned()));
    }
    found.retain(|text| text.starts_with('{'));
    found
}

/// Why a schema does not see what is wrong with a text.
fn unseen(text: &str, kind: &JsonErrorKind) -> Option<&'static str> {
    match kind {
        JsonErrorKind::DuplicateKey { .. } => Some("a parser keeps one of two equal keys"),
        JsonErrorKind::RowLength { .. } => Some("the length of one list cannot be compared with that of another"),
        JsonErrorKind::TooDeep { .. } | JsonErrorKind::TooManyNodes { .. } => Some("nothing is counted across nodes"),
        _ => UNSEEN.iter().find(|(other, _)| *other == text).map(|(_, why)| *why),
    }
}

const UNSEEN: &[(&str, &str)] = &[
    (r#"{"@":{"$date":"2024-02-30"}}"#, "a pattern does not know how long a month is"),
    (r#"{"$json":"{"}"#, "a pattern does not know JSON"),
    (
        r##"{"$":"func","CASE":[{"$or":[]},1,{"@":[1,{"a":[2]}]},2]}"##,
        "whether an item of a CASE is a condition depends on how many follow",
    ),
    (
        r#"{"$":"func","Args":[{"$":"func","F":[]}],"FunctionName":"Over"}"#,
        "an object's keys have no order for a schema",
    ),
];

#[test]
fn the_texts_of_the_readers_tests_are_judged_alike() {
    let notation = validator(&schema::notation());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/src/json/tests");
    let (mut read, mut refused, mut unseen_texts) = (0, 0, 0);
    let mut wrong = Vec::new();
    for file in ["canonical.rs", "errors.rs", "lenient.rs"] {
        for text in texts(&fs::read_to_string(folder.join(file)).unwrap()) {
            // A template, or a text that tests syntax.
            let Ok(document) = serde_json::from_str::<Value>(&text) else { continue };
            let valid = notation.is_valid(&document);
            match json::from_str(&text) {
                Ok(_) if valid => read += 1,
                Ok(_) => wrong.push(format!("is read: {text}")),
                Err(_) if !valid => refused += 1,
                Err(error) if unseen(&text, &error.kind).is_some() => unseen_texts += 1,
                Err(error) => wrong.push(format!("validates: {text}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(read > 200 && refused > 80, "{read} read, {refused} refused");
    assert!(unseen_texts < 20, "{unseen_texts}");
}
