//! JSON Schemas (draft 2020-12) of the notation, made from the tables that the reader goes by.
//!
//! [`canonical`] is what [`to_string`](super::to_string) writes and what a client should write: each node in its short
//! form, each word in its first spelling. [`notation`] is what [`from_str`](super::from_str) reads, older clients' forms
//! included: of them, a word in another case or written as its number is told by a pattern. [`of_view`] is what clients of one
//! view may ask.
//!
//! ```
//! use isogloss_compiler::json::schema;
//! let schema = schema::notation();
//! assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
//! let operators = &schema::canonical()["$defs"]["Comparison"]["properties"]["$"]["enum"];
//! assert!(operators.as_array().is_some_and(|all| all.iter().any(|operator| operator == "notin")));
//! ```
//!
//! Each node is an object that is closed and has a marker of its own, and each choice is a plain `anyOf`: no schema is put
//! together of others, so that generators make types of it that are unions.
//!
//! # What a schema cannot see
//!
//! The reader refuses more:
//! - a key that stands twice in an object, and what is no JSON;
//! - what is over a limit: of depth, nodes, bytes, items of a list;
//! - a number written with a point where a whole number is due (`1.0` is one for a schema), or one that no double holds;
//! - a row of an INSERT that is not as long as its columns;
//! - a condition of a CASE behind the first one that is none;
//! - a value of a type that its pattern does not tell: the 30th of February, the text of `$json`, digits over the 38th;
//! - an entity's name of which one part is too long; the order of keys where an older form asks for one.
//!
//! It takes more in a few spellings that no writer of ours uses: dates and times as lenient as their parser, the other
//! notations of a `$guid`, a number of a word with a sign or zeros before it, and `{"$":"value","Value":x}` around a node
//! where one kind of node alone may stand.

mod call;
mod closed;
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
enum Spelling {
    /// Those that are written.
    Canonical,
    /// Those that are read.
    Read,
}

/// The definitions of a schema, as they are made.
struct Grammar {
    spelling: Spelling,
    /// What follows the names of the definitions that are made now.
    scope: String,
    definitions: Map<String, Value>,
}

impl Grammar {
    fn new(spelling: Spelling) -> Self {
        Self { spelling, scope: String::new(), definitions: Map::new() }
    }

    fn reads(&self) -> bool {
        self.spelling == Spelling::Read
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

/// The schema of every text that is read as a tree, as far as a schema can tell.
#[must_use]
pub fn notation() -> Value {
    whole(Spelling::Read, "An expression tree, in any spelling that is read")
}

/// The schema of every text that is written for a tree.
#[must_use]
pub fn canonical() -> Value {
    whole(Spelling::Canonical, "An expression tree, as it is written")
}

fn whole(spelling: Spelling, title: &str) -> Value {
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
