//! Each numbered requirement of the services has a test that names its number: `e05_..` is number 5 of the entity services.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

/// How many there are of each kind: entity services, their reads, registration, entity events, calls, transactions,
/// permissions, logs, and what filters of a request are known to miss (`b2_01_..`).
const NUMBERS: &[(&str, u32)] =
    &[("e", 15), ("v", 11), ("g", 11), ("ve", 14), ("i", 12), ("t", 5), ("p", 2), ("l", 5), ("b2_", 32)];

#[test]
fn each_requirement_has_a_test() -> io::Result<()> {
    let mut names = BTreeSet::new();
    for folder in ["services", "calls", "container", "scopes"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(folder), &mut names)?;
    }
    assert!(names.len() > 100, "the tests are not where they were: {names:?}");
    let all = NUMBERS.iter().flat_map(|(kind, last)| (1..=*last).map(move |number| format!("{kind}{number:02}")));
    let missing: Vec<String> = all.filter(|number| !names.iter().any(|name| names_it(name, number))).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
    Ok(())
}

/// Whether the name of a test has a number among those that it begins with: `e02_e03_what_it_shows`.
fn names_it(name: &str, number: &str) -> bool {
    format!("_{name}").contains(&format!("_{number}_"))
}

/// The functions of the tests in a folder.
fn collect(folder: &Path, names: &mut BTreeSet<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, names)?;
            continue;
        }
        let text = fs::read_to_string(&path)?;
        let functions = text.split("fn ").skip(1).filter_map(|rest| rest.split(['(', '<']).next());
        names.extend(functions.map(str::to_owned));
    }
    Ok(())
}
