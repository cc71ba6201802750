//! Random trees of any types, prepared by an engine: what the compiler takes, the engine takes as well.

use std::collections::BTreeMap;

use isogloss_compiler::Compiler;
use isogloss_compiler::dialect::Dialect;
use isogloss_compiler::model::sample;
use isogloss_compiler::render::Parameter;
use isogloss_conformance::generate::{self, Choices};
use isogloss_testkit::random::{count, number, seed};

/// What an engine refuses though the compiler does not, by a part of its message, and why that is left to it.
const ACCEPTED: &[(&str, &str)] = &[
    ("invalid input syntax for type json", "whether a constant text is JSON is the engine's to say"),
    ("Unknown table _ in SELECT", "MariaDB: a derived table without a FROM that looks at the query around it"),
    ("Illegal mix of collations", "the collations of the database, which the compiler does not know"),
    ("uses ungrouped column", "a scalar subquery in a group that is only a column of the query around it"),
];

/// How many of 1,000 texts an engine may refuse.
const BAR: usize = 2;

/// Hands the texts of random trees to the engine.
///
/// `ISOGLOSS_GARBAGE` is the number of trees (4,000, and 20,000 in the nightly tier), a twelfth of which compiles, and
/// `ISOGLOSS_SEED` their seed.
///
/// # Errors
/// If the engine refuses more than 0.2% of the texts.
pub fn check(
    dialect: &dyn Dialect,
    mut prepare: impl FnMut(&str, &[Parameter<'_>]) -> Result<(), String>,
) -> Result<(), String> {
    let compiler = Compiler::new(sample::catalog());
    let target = compiler.target(dialect);
    let (mut taken, mut refused) = (0, 0);
    let mut kinds: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let mut state = seed().wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for _ in 0..number("ISOGLOSS_GARBAGE").unwrap_or(count(4_000, 20_000)) {
        let list: Vec<u32> = (0..160)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) as u32
            })
            .collect();
        let tree = generate::garbage(&mut Choices::new(&list));
        let Ok(compiled) = target.compile(&tree) else { continue };
        taken += 1;
        if let Err(error) = prepare(&compiled.sql, &compiled.params) {
            refused += 1;
            let kind = kinds.entry(kind_of(&error)).or_default();
            kind.0 += 1;
            if kind.1.len() < 3 && compiled.sql.len() < 900 {
                kind.1.push(format!("{error}\n      {}", compiled.sql));
            }
        }
    }
    let mut list: Vec<_> = kinds.into_iter().collect();
    list.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let label = dialect.label();
    println!("{label}: {taken} texts of random trees, {refused} refused by the engine");
    for (kind, (count, examples)) in &list {
        let why = ACCEPTED.iter().find(|(part, _)| kind.contains(part)).map_or("NOT KNOWN", |(_, why)| why);
        println!("  {count} x {kind} ({why})");
        for example in examples {
            println!("    {example}");
        }
    }
    if taken > 0 && refused * 1_000 <= taken * BAR {
        Ok(())
    } else {
        Err(format!("{label}: {refused} of {taken} texts of random trees refused by the engine"))
    }
}

/// A message without names and numbers.
fn kind_of(error: &str) -> String {
    let mut kind = String::new();
    let mut quoted = None;
    for c in error.chars().take(160) {
        match quoted {
            Some(quote) if c == quote => quoted = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => {
                quoted = Some(c);
                kind.push('_');
            }
            None if c.is_ascii_digit() => {}
            None => kind.push(c),
        }
    }
    kind
}
