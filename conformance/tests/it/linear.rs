//! A text grows with its tree: what is nested is written once, in each dialect and mode.
//!
//! Some functions are spelled by what repeats an argument, so that a call inside of another is written several times. Which
//! ones those are is a snapshot, and by code points there are no others.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use isogloss_cases::calls::calls;
use isogloss_cases::targets;
use isogloss_compiler::functions::Class;
use isogloss_compiler::model::TextMode;
use isogloss_compiler::{Target, json};
use isogloss_conformance::suite::{Schema, Suite};
use serde_json::{Value as Json, json as tree};

/// The length of a statement's text, unless it is refused.
fn length(target: &Target, query: &Json) -> Option<usize> {
    let expr = json::from_str(&query.to_string()).unwrap_or_else(|error| panic!("{error}: {query}"));
    Some(target.compile(&expr).ok()?.sql.len())
}

/// The lengths at some depths, if they grow faster than the depth.
fn growth(target: &Target, nested: &dyn Fn(usize) -> Json) -> Option<[usize; 3]> {
    // What doubles with each level is never nested deep.
    for depths in [[1, 2, 3], [2, 4, 6], [4, 8, 12]] {
        let [a, b, c] = depths.map(|depth| length(target, &nested(depth)));
        let (a, b, c) = (a?, b?, c?);
        let (first, then) = (b.saturating_sub(a), c.saturating_sub(b));
        if then > first + first / 4 + 40 {
            return Some([a, b, c]);
        }
    }
    None
}

/// A compiler for each dialect, in both modes.
fn each_target(mut look: impl FnMut(&str, TextMode, &Target)) {
    let schema = Schema::load(&Suite::folder().join("schemas"), "calls").unwrap();
    for target in targets() {
        for mode in [TextMode::Database, TextMode::Exact] {
            look(&target.label(), mode, &schema.compiler.target_of(&*target.dialect, mode, &[]));
        }
    }
}

fn selected(value: &Json) -> Json {
    tree!({"$select": {"$table": "Row"}, "Selects": [{"Alias": "V", "Value": value}]})
}

fn word() -> Json {
    tree!({"#": "Word"})
}

/// `(SELECT MAX(Word) FROM Row WHERE <condition>)`
fn query(condition: &Json) -> Json {
    let rows = tree!({"$where": {"$table": "Row"}, "Where": condition});
    tree!({"$select": rows, "Selects": [{"Alias": "V", "Value": {"$": "func", "Max": [word()], "IsAggregate": true}}]})
}

/// A text that is nested so deep in what `make` makes of it.
fn deep(depth: usize, make: &dyn Fn(Json) -> Json) -> Json {
    (0..depth).fold(word(), |inner, _| make(inner))
}

#[test]
fn what_is_nested_is_written_once() {
    let compared = |op: &'static str| move |left: Json, right: Json| tree!({"$": op, "Left": left, "Right": right});
    let mut found = Vec::new();
    each_target(|label, mode, target| {
        let mut linear = |name: &str, make: &dyn Fn(Json) -> Json| {
            if let Some(lengths) = growth(target, &|depth| selected(&deep(depth, make))) {
                found.push(format!("{label} {mode}: {name}: {lengths:?}"));
            }
        };
        for op in ["==", "!=", "<", ">="] {
            let compare = compared(op);
            linear(&format!("{op} of a subquery"), &|inner| query(&compare(word(), inner)));
            linear(&format!("a subquery {op}"), &|inner| query(&compare(inner, word())));
            let joined = |inner: Json| tree!({"$": "func", "Lower": [{"$": "func", "Coalesce": [word(), inner]}]});
            linear(&format!("{op} of a text with a subquery"), &|inner| query(&compare(joined(inner), word())));
            linear(&format!("{op} of a text and a value"), &|inner| query(&compare(joined(inner), tree!({"@": "a"}))));
            let case = |test: Json| tree!({"$": "func", "CASE": [test, {"@": "a"}, word()]});
            linear(&format!("{op} in a case"), &|inner| case(compare(inner, word())));
        }
        linear("in a list", &|inner| query(&tree!({"$": "in", "Left": inner, "Right": ["a", "b"]})));
        linear("in a query", &|inner| {
            query(
                &tree!({"$": "in", "Left": word(), "Right": query(&tree!({"$": "==", "Left": inner, "Right": word()}))}),
            )
        });
        linear("like", &|inner| query(&tree!({"$": "like", "Left": inner, "Right": {"@": "a%"}})));
        linear("concatenated", &|inner| tree!({"$": "set", "Concat": [inner, {"@": "a"}]}));
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn functions_that_repeat_an_argument_are_known() {
    let mut repeat: BTreeMap<(String, &str), BTreeSet<&str>> = BTreeMap::new();
    each_target(|label, mode, target| {
        let mut seen = HashSet::new();
        for call in calls().into_iter().filter(|call| call.func.signature().class == Class::Scalar) {
            let query: Json = serde_json::from_str(&json::to_string(&call.query)).unwrap();
            let item = &query["Selects"][1]["Value"];
            let Some((name, args)) = item.as_object().and_then(|call| call.iter().find(|(key, _)| *key != "$")) else {
                continue;
            };
            let Some(args) = args.as_array().filter(|args| seen.insert((call.func, args.len()))) else { continue };
            for place in 0..args.len() {
                let nested = |depth: usize| {
                    let nest = |inner: Option<Json>| {
                        let mut node = item.clone();
                        if let Some(inner) = inner {
                            node[name][place] = inner;
                        }
                        node
                    };
                    selected(&(1..depth).fold(nest(None), |inner, _| nest(Some(inner))))
                };
                if growth(target, &nested).is_some() {
                    repeat.entry((label.to_owned(), mode.name())).or_default().insert(call.func.signature().name);
                }
            }
        }
    });
    let mut text = String::new();
    for ((label, mode), functions) in &repeat {
        if *mode == TextMode::Exact.name() {
            assert_eq!(Some(functions), repeat.get(&(label.clone(), TextMode::Database.name())), "{label}");
        } else {
            let functions: Vec<&str> = functions.iter().copied().collect();
            text.push_str(&format!("{label}\n    {}\n", functions.join("\n    ")));
        }
    }
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../snapshots/growth"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("functions_that_repeat_an_argument", text));
}
