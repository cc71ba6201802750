//! Samples of a schema are read, so that it takes no more than the reader.

use std::collections::HashMap;

use isogloss_compiler::json::{self, JsonErrorKind, schema};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::string::string_regex;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::{Map, Value};

use super::validator;

/// Makes documents that a schema takes.
struct Sampler<'s> {
    definitions: &'s Map<String, Value>,
    /// How many objects and lists the least document of a definition has in each other.
    heights: HashMap<&'s str, usize>,
    runner: TestRunner,
}

const NONE: usize = usize::MAX / 2;

impl<'s> Sampler<'s> {
    fn new(schema: &'s Value) -> Self {
        let definitions = schema["$defs"].as_object().unwrap();
        let config = ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() };
        let mut sampler = Self { definitions, heights: HashMap::new(), runner: TestRunner::new(config) };
        for _ in 0..definitions.len() {
            for (name, definition) in definitions {
                let height = sampler.height(definition);
                sampler.heights.insert(name, height);
            }
        }
        sampler
    }

    fn height(&self, schema: &Value) -> usize {
        if let Some(name) = schema.get("$ref") {
            return *self.heights.get(&name.as_str().unwrap()["#/$defs/".len()..]).unwrap_or(&NONE);
        }
        if let Some(choices) = schema.get("anyOf") {
            return choices.as_array().unwrap().iter().map(|choice| self.height(choice)).min().unwrap();
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let properties = required.filter_map(|key| schema["properties"].get(key.as_str().unwrap()));
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default() as usize;
        let items = schema.get("prefixItems").and_then(Value::as_array).into_iter().flatten().take(least);
        let named = schema.get("patternProperties").filter(|_| schema.get("minProperties").is_some());
        let named = named.and_then(Value::as_object).into_iter().flat_map(|named| named.values());
        1 + properties.chain(items).chain(named).map(|inner| self.height(inner)).max().unwrap_or_default()
    }

    fn below(&mut self, limit: usize) -> usize {
        (0..limit).new_tree(&mut self.runner).unwrap().current()
    }

    fn text(&mut self, pattern: &str) -> String {
        let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
        // What is looked ahead for is left to chance: names that are another node's are rare.
        let plain = match pattern.split_once("(?!(?:") {
            Some((before, rest)) => format!("{before}{}", rest.split_once(")$)").unwrap().1),
            None => pattern.to_owned(),
        };
        let plain = if plain == r"(?!\$|[#@!]$)" { "[a-z]{0,3}".to_owned() } else { plain };
        string_regex(&plain).unwrap().new_tree(&mut self.runner).unwrap().current()
    }

    fn sample(&mut self, schema: &Value, left: usize) -> Value {
        let definitions = self.definitions;
        if let Some(name) = schema.get("$ref") {
            return self.sample(&definitions[&name.as_str().unwrap()["#/$defs/".len()..]], left);
        }
        if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
            let fits = |choice: &&Value| self.height(choice) <= left;
            let mut fitting: Vec<&Value> = choices.iter().filter(fits).collect();
            if fitting.is_empty() {
                fitting.extend(choices.iter().min_by_key(|choice| self.height(choice)));
            }
            let at = self.below(fitting.len());
            return self.sample(fitting[at], left);
        }
        if let Some(only) = schema.get("const") {
            return only.clone();
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return words[self.below(words.len())].clone();
        }
        let inner = left.saturating_sub(1);
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[self.below(kinds.len())].as_str().unwrap(),
            kind => kind.as_str().unwrap(),
        };
        match kind {
            "null" => Value::Null,
            "boolean" => (self.below(2) == 0).into(),
            "integer" => {
                let least = schema.get("minimum").and_then(Value::as_i64).unwrap_or(-5).max(-5);
                (least + i64::try_from(self.below(10)).unwrap()).into()
            }
            "number" => ((self.below(100) as f64) / 4.0).into(),
            "string" => match schema.get("pattern") {
                Some(pattern) => self.text(pattern.as_str().unwrap()).into(),
                None => "[]".into(),
            },
            "array" => self.list(schema, inner),
            _ => self.object(schema, inner),
        }
    }

    fn list(&mut self, schema: &Value, left: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default() as usize;
        let places: &[Value] = schema.get("prefixItems").and_then(Value::as_array).map_or(&[], Vec::as_slice);
        let item = schema.get("items").filter(|items| items.is_object());
        let most =
            schema.get("maxItems").and_then(Value::as_u64).map_or(least + 2, |most| (most as usize).min(least + 2));
        let mut items = Vec::new();
        let count = least + self.below(most - least + 1);
        while items.len() < count {
            let Some(schema) = places.get(items.len()).or(item) else { break };
            if items.len() >= least && self.height(schema) > left {
                break;
            }
            items.push(self.sample(schema, left));
        }
        items.into()
    }

    fn object(&mut self, schema: &Value, left: usize) -> Value {
        let none = Map::new();
        let of = |key: &str| schema.get(key).and_then(Value::as_object).unwrap_or(&none);
        let is_required =
            |key: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|other| other == key));
        let mut object = Map::new();
        for (key, held) in of("properties") {
            if is_required(key) || self.height(held) <= left && self.below(3) == 0 {
                object.insert(key.clone(), self.sample(held, left));
            }
        }
        for (pattern, held) in of("patternProperties") {
            let name = self.text(pattern);
            object.insert(name, self.sample(held, left));
        }
        object.into()
    }
}

/// Whether it is what a schema cannot see, of a text in small letters.
fn is_unseen(kind: &JsonErrorKind, text: &str) -> bool {
    match kind {
        JsonErrorKind::RowLength { .. } => true,
        // Which items of a CASE are conditions.
        JsonErrorKind::WrongNode { .. } if text.contains("case") => true,
        JsonErrorKind::BadValue { what, .. } if ["date", "datetime", "datetimeoffset", "decimal"].contains(what) => {
            true
        }
        // That the name stands before the arguments; a sample has its keys in the order of the alphabet.
        _ => text.contains(r#""functionname":"over""#),
    }
}

#[test]
fn every_sample_is_read() {
    for schema in [schema::notation(), schema::canonical()] {
        let validator = validator(&schema);
        let mut sampler = Sampler::new(&schema);
        let mut read = 0;
        for round in 0..1_500 {
            let sample = sampler.sample(&schema, 3 + round % 8);
            // A name that another node has, and the like.
            if !validator.is_valid(&sample) {
                continue;
            }
            let text = sample.to_string();
            match json::from_str(&text) {
                Ok(_) => read += 1,
                Err(error) => assert!(is_unseen(&error.kind, &text.to_lowercase()), "{error}: {text}"),
            }
        }
        assert!(read > 500, "{read}");
    }
}
