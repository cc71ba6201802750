//! Schemas without recursion.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{DEFINITIONS, leads_to};

/// Unrolls the recursion of a schema of this module, for tools that do not support recursive schemas: a definition that
/// leads back to itself does so at most `depth` times, each time one object or list deeper.
///
/// ```
/// use isogloss_compiler::json::schema;
/// let flat = schema::unrolled(&schema::canonical(), 2);
/// assert_eq!(flat["$ref"], "#/$defs/Expr");
/// assert_eq!(flat["$defs"]["Not_1"]["properties"]["!"]["$ref"], "#/$defs/Logic_0");
/// ```
#[must_use]
pub fn unrolled(schema: &Value, depth: usize) -> Value {
    let none = Map::new();
    let definitions = schema.get("$defs").and_then(Value::as_object).unwrap_or(&none);
    let leads_to = definitions.keys().map(|name| (name.as_str(), leads_to(definitions, name))).collect();
    let mut unroll = Unroll { definitions, leads_to, depth, made: HashMap::new() };
    let at = schema.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix(DEFINITIONS));
    let root = unroll.define(at.unwrap_or_default(), depth);
    let mut schema = schema.clone();
    if let Some(keys) = schema.as_object_mut() {
        let made = unroll.made.into_iter().filter_map(|(name, definition)| Some((name, definition?)));
        keys.insert("$defs".into(), Value::Object(made.collect()));
        keys.insert("$ref".into(), format!("{DEFINITIONS}{}", root.unwrap_or_default()).into());
    }
    schema
}

struct Unroll<'a> {
    definitions: &'a Map<String, Value>,
    /// Where each definition leads to.
    leads_to: HashMap<&'a str, HashSet<&'a str>>,
    depth: usize,
    /// What has been made, by its new name; nothing for what would need more nodes than there may be.
    made: HashMap<String, Option<Value>>,
}

impl<'a> Unroll<'a> {
    fn leads(&self, from: &str, to: &str) -> bool {
        self.leads_to.get(from).is_some_and(|targets| targets.contains(to))
    }

    /// The name of a definition with so many nodes left, if there is anything that it takes.
    fn define(&mut self, name: &str, left: usize) -> Option<String> {
        let own = if self.leads(name, name) { format!("{name}_{left}") } else { name.to_owned() };
        if !self.made.contains_key(&own) {
            let (name, definition) = self.definitions.get_key_value(name)?;
            let made = self.schema(name, definition, Some(left));
            self.made.insert(own.clone(), made);
        }
        self.made.get(&own)?.as_ref().map(|_| own)
    }

    /// What a definition refers to.
    fn refer(&mut self, from: &str, at: &str, left: Option<usize>) -> Option<String> {
        let name = at.strip_prefix(DEFINITIONS)?;
        // What does not lead back begins anew.
        let left = if self.leads(name, from) { left? } else { self.depth };
        Some(format!("{DEFINITIONS}{}", self.define(name, left)?))
    }

    /// A part of a definition, with so many nodes left below the object or list that it is in; `None` where it takes nothing.
    fn schema(&mut self, from: &'a str, schema: &Value, left: Option<usize>) -> Option<Value> {
        let Some(keys) = schema.as_object() else { return Some(schema.clone()).filter(|schema| *schema != false) };
        let inner = left.and_then(|left| left.checked_sub(1));
        let mut out = keys.clone();
        for (key, held) in keys {
            match (key.as_str(), held) {
                ("$ref", Value::String(at)) => {
                    out.insert(key.clone(), self.refer(from, at, left)?.into());
                }
                ("anyOf", Value::Array(choices)) => {
                    let choices: Vec<Value> =
                        choices.iter().filter_map(|choice| self.schema(from, choice, left)).collect();
                    if choices.is_empty() {
                        return None;
                    }
                    out.insert(key.clone(), choices.into());
                }
                ("properties" | "patternProperties", Value::Object(properties)) => {
                    let mut kept = Map::new();
                    for (name, property) in properties {
                        match self.schema(from, property, inner) {
                            Some(property) => drop(kept.insert(name.clone(), property)),
                            None if is_required(keys, name) => return None,
                            None => {}
                        }
                    }
                    out.insert(key.clone(), kept.into());
                }
                ("items" | "additionalProperties", held @ Value::Object(_)) => {
                    out.insert(key.clone(), self.schema(from, held, inner).unwrap_or(Value::Bool(false)));
                }
                ("prefixItems", Value::Array(items)) => {
                    let kept: Vec<Value> = items.iter().map_while(|item| self.schema(from, item, inner)).collect();
                    let least = keys.get("minItems").and_then(Value::as_u64).unwrap_or_default();
                    if usize::try_from(least).is_ok_and(|least| kept.len() < least) {
                        return None;
                    }
                    if kept.len() < items.len() {
                        out.insert("items".into(), false.into());
                        out.insert("maxItems".into(), kept.len().into());
                    }
                    out.insert(key.clone(), kept.into());
                }
                _ => {}
            }
        }
        // An empty list of places is no list of places.
        if out.get("prefixItems").is_some_and(|items| items.as_array().is_some_and(Vec::is_empty)) {
            out.remove("prefixItems");
        }
        Some(out.into())
    }
}

fn is_required(keys: &Map<String, Value>, name: &str) -> bool {
    keys.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|key| key == name))
}
