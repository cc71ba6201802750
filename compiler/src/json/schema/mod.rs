//! JSON Schemas (draft 2020-12) of the notation, generated from the tables that the reader uses.
//!
//! - [`canonical`] describes what [`to_string`](super::to_string) writes and clients should write: each node in its short
//!   form, each word in its first spelling.
//! - [`notation`] describes what [`from_str`](super::from_str) reads, including the forms of older clients. A word in
//!   another case, or given by its number, is described by a pattern.
//! - [`of_view`] describes what clients of one view may ask for.
//!
//! ```
//! use isogloss_compiler::json::schema;
//! let schema = schema::notation();
//! assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
//! let operators = &schema::canonical()["$defs"]["Comparison"]["properties"]["$"]["enum"];
//! assert!(operators.as_array().is_some_and(|all| all.iter().any(|operator| operator == "notin")));
//! ```
//!
//! Each node is a closed object with its own marker, and each choice is a plain `anyOf`. No schema is combined from
//! others, so that code generators produce union types.
//!
//! # What a schema cannot see
//!
//! The reader refuses more:
//! - a duplicate key in an object, and text that is not JSON;
//! - text that exceeds a limit of depth, nodes, bytes or items of a list;
//! - a number with a decimal point instead of a whole number (`1.0` is one for a schema), or one that no double can
//!   represent;
//! - a row of an INSERT with more or fewer values than columns;
//! - a further condition of a CASE that is not a condition;
//! - a value that its type's pattern does not exclude: the 30th of February, the text of `$json`, more than 38 digits;
//! - an entity's name with a part that is too long, and a wrong order of keys in an older form that requires one.
//!
//! It accepts more in a few spellings that our writers do not use: dates and times as leniently as their parser, the
//! other notations of a `$guid`, the number of a word with a sign or leading zeros, and `{"$":"value","Value":x}`
//! around a node where only one kind of node is accepted.

mod call;
pub(super) mod closed;
mod literal;
mod node;
mod plain;
mod query;
mod statement;
mod unroll;
mod view;
mod words;

use std::collections::HashSet;

use serde_json::{Map, Value, json};

use closed::any_of;
pub use unroll::unrolled;
pub use view::of_view;

/// Where definitions are.
const DEFINITIONS: &str = "#/$defs/";

/// Which spellings a schema takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notations {
    /// Those that are written.
    Canonical,
    /// Those that are read.
    Read,
}

/// The definitions of a schema, as they are made.
struct Grammar {
    spelling: Notations,
    /// What follows the names of the definitions that are made now.
    scope: String,
    definitions: Map<String, Value>,
}

impl Grammar {
    fn new(spelling: Notations) -> Self {
        Self { spelling, scope: String::new(), definitions: Map::new() }
    }

    fn reads(&self) -> bool {
        self.spelling == Notations::Read
    }

    /// A reference to a definition.
    fn at(&self, name: &str) -> Value {
        json!({ "$ref": format!("#/$defs/{name}{}", self.scope) })
    }

    /// References to definitions.
    fn each(&self, names: &[&str]) -> Vec<Value> {
        names.iter().map(|name| self.at(name)).collect()
    }

    fn define(&mut self, name: &str, forms: Vec<Value>) {
        self.definitions.insert(format!("{name}{}", self.scope), any_of(forms));
    }

    fn schema(mut self, title: &str, root: &str) -> Value {
        self.prune(root);
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
            "$ref": format!("#/$defs/{root}"),
            "$defs": self.definitions,
        })
    }

    /// Leaves out what the root does not lead to.
    fn prune(&mut self, root: &str) {
        let kept = leads_to(&self.definitions, root);
        let kept = self.definitions.iter().filter(|(name, _)| *name == root || kept.contains(name.as_str()));
        self.definitions = kept.map(|(name, definition)| (name.clone(), definition.clone())).collect();
    }
}

/// The definitions that one leads to, itself among them only if it leads back.
fn leads_to<'s>(definitions: &'s Map<String, Value>, root: &str) -> HashSet<&'s str> {
    let (mut found, mut waiting) = (HashSet::new(), Vec::new());
    let mut look_at = definitions.get(root);
    while let Some(definition) = look_at {
        references(definition, &mut waiting);
        look_at = std::iter::from_fn(|| waiting.pop())
            .find(|name| found.insert(*name))
            .and_then(|name| definitions.get(name));
    }
    found
}

/// The definitions that a schema refers to.
fn references<'s>(schema: &'s Value, found: &mut Vec<&'s str>) {
    match schema {
        Value::Object(keys) => {
            found.extend(keys.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix(DEFINITIONS)));
            keys.values().for_each(|held| references(held, found));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

/// The schema of every text that can be read as a tree, as far as a schema can express it.
#[must_use]
pub fn notation() -> Value {
    whole(Notations::Read, "An expression tree, in any spelling that is read")
}

/// The schema of the canonical form of trees.
#[must_use]
pub fn canonical() -> Value {
    whole(Notations::Canonical, "An expression tree, as it is written")
}

fn whole(spelling: Notations, title: &str) -> Value {
    let mut grammar = Grammar::new(spelling);
    grammar.define_plain();
    grammar.define_values();
    grammar.define_calls();
    grammar.define_logic();
    grammar.define_queries();
    grammar.define_statements();
    grammar.define_root();
    grammar.schema(title, "Expr")
}
