//! The npm package answers what this crate does, byte for byte, to the trees of the repository's snapshots.
//!
//! `check.sh` builds the package and runs this. One tree in five is asked for in every version; `ISOGLOSS_WASM_EACH=1` asks for
//! all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

/// The catalog that the snapshots' trees are over.
const CATALOG: &str = include_str!("../sample.json");

/// The tree of each snapshot that shows one whole.
fn trees(folder: &Path, found: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            trees(&path, found);
        } else if let Some(tree) = fs::read_to_string(&path).unwrap().lines().find(|line| line.starts_with('{')) {
            found.push(tree.to_owned());
        }
    }
}

fn questions() -> Vec<[String; 2]> {
    let mut found = Vec::new();
    trees(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../snapshots"), &mut found);
    let exact = json!({"root": "OrderView", "verb": "count", "text": "exact", "dialects": ["postgres", "oracle 23"]})
        .to_string();
    found.into_iter().flat_map(|tree| [[tree.clone(), String::new()], [tree, exact.clone()]]).collect()
}

#[test]
fn most_trees_compile() {
    let usual = json!({"dialects": ["postgres"]}).to_string();
    let questions = questions();
    let compiled = questions.iter().step_by(2).filter(|[tree, _]| {
        let answer: Value = serde_json::from_str(&isogloss_wasm::compile(CATALOG, tree, &usual)).unwrap();
        answer["results"][0]["sql"].is_string()
    });
    let (compiled, all) = (compiled.count(), questions.len() / 2);
    assert!(all > 1_000, "{all} trees");
    assert!(compiled * 10 > all * 7, "{compiled} of {all} trees compile");
}

#[test]
#[ignore = "it needs the package: compiler/wasm/check.sh builds it, and says where it is by ISOGLOSS_WASM"]
fn the_package_answers_the_same() {
    let package = std::env::var_os("ISOGLOSS_WASM").expect("ISOGLOSS_WASM is the folder of the package");
    let every = std::env::var("ISOGLOSS_WASM_EACH").map_or(5, |each| each.parse().unwrap());
    let questions: Vec<_> = questions().chunks(2).step_by(every).flatten().cloned().collect();
    let file = std::env::temp_dir().join(format!("isogloss-wasm-{}.json", std::process::id()));
    fs::write(&file, serde_json::to_string(&questions).unwrap()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers.mjs");
    let catalog = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sample.json");
    let output = Command::new("node").arg(script).arg(package).arg(catalog).arg(&file).output().unwrap();
    fs::remove_file(&file).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    // An answer is one line: a line break in it is written as an escape.
    let theirs = String::from_utf8(output.stdout).unwrap();
    let mut theirs = theirs.lines();
    assert_eq!(theirs.next().unwrap(), isogloss_wasm::catalog(CATALOG));
    assert_eq!(theirs.next().unwrap(), isogloss_wasm::types());
    for [tree, options] in &questions {
        assert_eq!(theirs.next().unwrap(), isogloss_wasm::compile(CATALOG, tree, options), "{tree} {options}");
    }
    assert_eq!(theirs.next(), None);
}
