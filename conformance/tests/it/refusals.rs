//! Each text of a refusal or an error of the compiler and its dialects is seen in a snapshot or a test.
//!
//! The texts are those of the sources: literals of three words or more, with holes or without. One is seen where the
//! longest part of it between holes stands in a snapshot, in a case of the suite or in a literal of a test, or where a
//! test asks for a part of it. What no test sees stands in `refusals.txt`, which may only become shorter.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A part of a message that a test asks for is at least as long.
const PART: usize = 15;

/// Whose literals are names and documentation, not messages.
const NAMES: [&str; 4] = [
    "compiler/src/functions.rs",
    "compiler/src/dialect/feature.rs",
    "compiler/src/legalize/rule.rs",
    "compiler/src/json/words.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder that end so.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, end, found);
        } else if path.to_str().is_some_and(|path| path.ends_with(end)) {
            found.push(path);
        }
    }
}

/// The texts between quotes, without comments, as they are when the program runs.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['/', '"', '\'', 'r']) {
        let (before, here) = rest.split_at(at);
        let word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = here.strip_prefix('r').map_or(0, |after| after.len() - after.trim_start_matches('#').len());
        rest = if here.starts_with("//") {
            here.split_once('\n').map_or("", |(_, after)| after)
        } else if !word && hashes > 0 && here.get(1 + hashes..).is_some_and(|after| after.starts_with('"')) {
            let end = format!("\"{}", "#".repeat(hashes));
            let (text, after) = here[2 + hashes..].split_once(&end).unwrap_or_default();
            found.push(text.to_owned());
            after
        } else if let Some(text) = here.strip_prefix('"') {
            let (text, after) = unescaped(text);
            // The reason of an attribute, documentation, what a panic would say, and the statements of a lock and of the
            // checks of foreign keys, which are SQL in small letters.
            let ahead = &source[..source.len() - here.len()];
            let function = ahead.rfind("\n    fn ").map_or("", |at| ahead[at..].split('{').next().unwrap_or_default());
            let line = ahead.rsplit('\n').next().unwrap_or_default();
            let said = ahead.ends_with("reason = ") && !ahead.ends_with("let reason = ")
                || ["doc = ", "expect(", "unreachable!("].iter().any(|word| ahead.ends_with(word))
                || line.trim_start().starts_with("debug_assert")
                || ["SyncLock", "SessionLock", "SessionLock>", "ForeignKeysOff>"]
                    .iter()
                    .any(|of| function.trim_end().ends_with(of));
            if !said {
                found.push(text);
            }
            after
        } else if here.starts_with("'\\") {
            here.get(3..).and_then(|after| after.split_once('\'')).map_or("", |(_, after)| after)
        } else if here.starts_with('\'') && here.chars().nth(2) == Some('\'') {
            here.splitn(3, '\'').nth(2).unwrap_or_default()
        } else {
            &here[1..]
        };
    }
    found
}

/// The text up to the quote that ends it, and what is behind that.
fn unescaped(literal: &str) -> (String, &str) {
    let mut text = String::new();
    let mut chars = literal.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (text, &literal[at + 1..]),
            '\\' => match chars.next() {
                // The next line goes on where its first word is.
                Some((_, '\n')) => {
                    let after = chars.as_str();
                    let blanks = after.len() - after.trim_start().len();
                    chars.by_ref().take(after[..blanks].chars().count()).for_each(drop);
                }
                Some((_, 'n')) => text.push('\n'),
                Some((_, other)) => text.push(other),
                None => break,
            },
            other => text.push(other),
        }
    }
    (text, "")
}

/// Whether it is a sentence or a part of one, not SQL.
fn is_prose(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (all, upper) = letters.fold((0, 0), |(all, upper), c| (all + 1, upper + usize::from(c.is_uppercase())));
    let words = text.split(|c: char| !c.is_ascii_lowercase()).filter(|word| word.len() > 1).count();
    text.matches(' ').count() > 1 && words > 2 && all > 9 && upper * 10 < all * 3
}

/// The longest part of a message that is the same whatever stands in its holes.
fn longest(text: &str) -> String {
    let plain = text.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let parts = plain.split('{').enumerate();
    let parts = parts.map(|(index, part)| if index == 0 { part } else { part.split_once('}').map_or("", |(_, p)| p) });
    parts.max_by_key(|part| part.len()).unwrap_or_default().replace('\u{1}', "{").replace('\u{2}', "}")
}

#[test]
fn every_text_of_a_refusal_is_seen() {
    let root = root();
    let mut sources = Vec::new();
    files(&root.join("compiler/src"), ".rs", &mut sources);
    let mut tests = Vec::new();
    for folder in [
        "compiler/tests",
        "conformance/bridges",
        "conformance/cases",
        "conformance/src",
        "conformance/tests",
        "migrate/tests",
        "orm/tests",
    ] {
        files(&root.join(folder), ".rs", &mut tests);
    }
    for backend in ["duckdb", "mysql", "oracle", "postgres", "sqlite", "sqlserver"] {
        let folder = root.join("backends").join(backend);
        let mut own = Vec::new();
        files(&folder.join("src"), ".rs", &mut own);
        sources.extend(own.into_iter().filter(|path| !path.starts_with(folder.join("src/driver"))));
        if folder.join("tests").is_dir() {
            files(&folder.join("tests"), ".rs", &mut tests);
        }
    }

    let (mut texts, mut asked) = (BTreeSet::new(), Vec::new());
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let is_test = path.components().any(|part| part.as_os_str().to_str().is_some_and(|p| p.starts_with("tests")));
        let (own, inner) = match text.find("]\nmod tests {") {
            _ if is_test || path.ends_with("walk/deep_tests.rs") => ("", text.as_str()),
            Some(at) => text.split_at(at),
            None => (text.as_str(), ""),
        };
        asked.extend(literals(inner));
        // Random trees are for tests; a schema describes, and refuses nothing itself; what a catalog is asked is SQL.
        let silent = path.ends_with("json/arbitrary.rs")
            || path.ends_with("src/introspect.rs")
            || path.components().any(|part| part.as_os_str() == "schema");
        if !silent && !NAMES.iter().any(|name| path.ends_with(name)) {
            texts.extend(literals(own).into_iter().filter(|text| is_prose(text)));
        }
    }
    asked.extend(tests.iter().flat_map(|path| literals(&fs::read_to_string(path).unwrap())));

    let mut snapshots = Vec::new();
    files(&root.join("snapshots"), ".snap", &mut snapshots);
    files(&root.join("conformance/suite"), ".json", &mut snapshots);
    let mut seen: String = snapshots.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    seen = seen.replace("\\\"", "\"");
    seen.extend(asked.iter().flat_map(|text| [text.as_str(), "\n"]));
    let parts: Vec<&String> = asked.iter().filter(|text| text.len() >= PART && text.contains(' ')).collect();
    let unseen = texts.iter().filter(|text| {
        let longest = longest(text);
        !seen.contains(longest.trim()) && !parts.iter().any(|part| text.contains(part.as_str()))
    });

    let list = root.join("conformance/tests/refusals.txt");
    let now: Vec<String> = unseen.map(|text| text.escape_debug().to_string()).collect();
    if std::env::var_os("ISOGLOSS_UPDATE_REFUSALS").is_some() {
        fs::write(&list, now.join("\n") + "\n").unwrap();
    }
    let before = fs::read_to_string(&list).unwrap();
    let before: Vec<&str> = before.lines().filter(|line| !line.is_empty()).collect();
    println!("{} texts, {} of them unseen", texts.len(), now.len());
    let new: Vec<_> = now.iter().filter(|text| !before.contains(&text.as_str())).collect();
    assert!(new.is_empty(), "no case has them: {new:#?}");
    let seen: Vec<_> = before.iter().filter(|text| !now.iter().any(|now| now == *text)).collect();
    assert!(seen.is_empty(), "they are seen now; take them out of refusals.txt: {seen:#?}");
}
