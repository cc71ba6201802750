//! Trees as text, changed at random: each is refused with a place, or means something, and nothing panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use isogloss::dialect::Dialect;
use isogloss::expr::if_else;
use isogloss::prelude::*;
use isogloss::{Compiler, Request, json};

use crate::Outcome;
use crate::chance::Chance;
use crate::shop::{catalog, policy};
use crate::strangers;

/// Pieces of the notation, and what is special somewhere.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\u0000",
    "null",
    "1e999",
    "-0",
    "99999999999999999999",
    "\"$\"",
    "\"#\"",
    "\"$select\"",
    "\"$foreign\"",
    "\"Selects\"",
    "'",
    "--",
    "/*",
    "\\",
    "\u{2028}",
    "{\"$param\":1}",
    "\"Left\":",
    "0.1",
    "true",
    "$",
    "\u{0}",
];

/// How deep the nests are.
const DEPTH: usize = 60;

/// What was tried.
#[derive(Debug, Default)]
pub struct Counts {
    /// Texts that were read.
    pub tried: u64,
    /// Those that are trees.
    pub trees: u64,
    /// Those that the policy lets pass.
    pub passed: u64,
    /// Those that compile, for each of five engines.
    pub compiled: u64,
    /// How long one took at most.
    pub slowest: Duration,
}

/// Changes so many texts, for no longer than `time`. Each is read, looked at, and compiled for five engines within `deadline`.
///
/// # Errors
/// One that panics, that takes too long, or that is refused at a place that it does not have.
pub fn run(count: u64, time: Duration, deadline: Duration, seed: u64) -> Outcome<Counts> {
    let (compiler, policy, mut counts) = (Compiler::new(catalog()?), policy("Document"), Counts::default());
    let scope = Scope::new().column("Tenant", 1);
    let request = Request::default().scope(&scope);
    let begun = Instant::now();
    for number in (0..count).take_while(|_| begun.elapsed() < time) {
        let mut chance = Chance::new(seed.wrapping_add(number));
        let tree = match number % 16 {
            0 => nested(&mut chance),
            _ => strangers::filter(&mut chance, "Document", 2),
        };
        let mut text = json::to_string(&tree);
        let changes = if number % 32 == 0 { 0 } else { 1 + chance.below(3) };
        for _ in 0..changes {
            match chance.below(4) {
                0 => change(&mut text, &mut chance),
                _ => exchange(&mut text, &mut chance),
            }
        }
        counts.tried += 1;
        let tree_begun = Instant::now();
        let tried = catch_unwind(AssertUnwindSafe(|| {
            let tree = match json::read::<LogicExpr>(&text, &json::ReadLimits::DEFAULT) {
                Ok(tree) => tree,
                Err(error) => {
                    assert!(is_place(error.path.as_str(), &text), "{error}");
                    return (0, 0, 0);
                }
            };
            if policy.check(&tree, compiler.catalog()).is_err() {
                return (1, 0, 0);
            }
            let query = from("Document").filter(prop("Tenant").eq(1)).filter(tree);
            let compiles = |dialect: &&&dyn Dialect| {
                // A scope neither refuses a tree nor makes one.
                let alone = compiler.compile(&query, **dialect).is_ok();
                assert_eq!(alone, compiler.compile_with(&query, &request, **dialect).is_ok(), "{text}");
                alone
            };
            let compiled = isogloss::DIALECTS.iter().filter(compiles).count();
            (1, 1, u64::try_from(compiled).unwrap_or(0))
        }));
        let Ok((trees, passed, compiled)) = tried else {
            return Err(format!("text {number} of seed {seed} panics: {text}").into());
        };
        let took = tree_begun.elapsed();
        if took > deadline {
            return Err(format!("text {number} of seed {seed} took {took:?}: {text}").into());
        }
        counts.slowest = counts.slowest.max(took);
        counts.trees += trees;
        counts.passed += passed;
        counts.compiled += compiled;
    }
    Ok(counts)
}

/// Conditions in each other.
fn nested(chance: &mut Chance) -> LogicExpr {
    (0..DEPTH).fold(strangers::filter(chance, "Document", 0), |inner, _| match chance.below(4) {
        0 => !inner,
        1 => inner & prop("Pages").is_null(),
        2 => prop("Title").contains("a") | inner,
        _ => if_else(inner, 1, 0).eq(1),
    })
}

/// Whether the steps of the path stand in the text, one behind the other.
fn is_place(path: &str, text: &str) -> bool {
    let Some(mut path) = path.strip_prefix('$') else { return false };
    let mut rest = text;
    while !path.is_empty() {
        // The middle of a deep one is left out.
        if let Some(after) = path.strip_prefix(".…") {
            path = after;
            continue;
        }
        let (step, sign) = match path.strip_prefix('.') {
            // A key may hold anything but a dot.
            Some(keyed) => match keyed.find(['.', '[']) {
                Some(end) => (&path[..=end], format!("\"{}\"", &keyed[..end])),
                None => (path, format!("\"{keyed}\"")),
            },
            None if path.starts_with("[\"") => match end_of_quoted(path) {
                // So is a key that is odd; a long one is cut off.
                Some(end) => (&path[..end + 2], path[1..end].to_owned()),
                None => return false,
            },
            None => match path.find(']') {
                Some(end) => (&path[..=end], "[".to_owned()),
                None => return false,
            },
        };
        // What is escaped in a path is written in another way there.
        match rest.find(&sign) {
            Some(at) => rest = &rest[at + 1..],
            None if step.contains('\\') => {}
            None => return false,
        }
        path = &path[step.len()..];
    }
    true
}

/// The place of the quote that closes the one behind the bracket at the beginning.
fn end_of_quoted(path: &str) -> Option<usize> {
    let mut escaped = false;
    let closes = |byte: u8| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    };
    path.bytes().skip(2).position(closes).map(|at| at + 2)
}

/// Puts a word of the text, or another one, in the place of one of its words.
fn exchange(text: &mut String, chance: &mut Chance) {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let words: Vec<(usize, usize)> =
        quotes.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, pair.last()? + 1))).collect();
    let (Some((from, to)), Some((other, end))) = (chance.pick(&words), chance.pick(&words)) else { return };
    let word = match chance.below(3) {
        0 => chance.pick(WORDS).unwrap_or("\"\"").to_owned(),
        _ => text.get(other..end).unwrap_or_default().to_owned(),
    };
    text.replace_range(from..to, &word);
}

/// Words of the notation, of the tables, and of nobody.
const WORDS: &[&str] = &[
    "\"==\"",
    "\"like\"",
    "\"regexp\"",
    "\"Secret\"",
    "\"Title\"",
    "\"Id\"",
    "\"Audit\"",
    "\"$foreign\"",
    "\"$and\"",
    "\"\"",
    "\"T0\"",
    "\"pg_sleep\"",
    "\"Length\"",
    "null",
    "7",
    "[1,\"a\",null]",
    "{\"#\":\"Pages\"}",
    "\"\\u0000\"",
    "\"é\"",
    "1e400",
];

/// Takes something out, puts something in, or doubles a part.
fn change(text: &mut String, chance: &mut Chance) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut place = || chance.pick(&places).unwrap_or(0);
    let (a, b) = (place(), place());
    let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 24));
    let to = places.iter().copied().find(|at| *at >= to).unwrap_or(text.len());
    match chance.below(3) {
        0 => drop(text.drain(from..to)),
        1 => text.insert_str(from, chance.pick(PIECES).unwrap_or("{")),
        _ => {
            let part = text.get(from..to).unwrap_or_default().to_owned();
            text.insert_str(from, &part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_place;

    #[test]
    fn a_place_is_found_whatever_its_keys_are() {
        for (path, text) in [
            (r#"$["]!"].Left"#, r#"{"]!":{"Left":1"#),
            (r#"$["a\"]b"][0]"#, r#"{"a\"]b":[1]"#),
            (r#"$["a\\"].b"#, r#"{"a\\":{"b":1"#),
        ] {
            assert!(is_place(path, text), "{path}");
            assert!(!is_place(&format!("{path}.c"), text), "{path}");
        }
    }
}
