//! Pieces of schemas.

use serde_json::{Map, Value, json};

/// An object of these keys and no others.
#[derive(Clone, Default)]
pub(super) struct Closed {
    keys: Map<String, Value>,
    required: Vec<String>,
}

impl Closed {
    /// With a key that must be there.
    pub(super) fn must(mut self, key: &str, held: Value) -> Self {
        self.required.push(key.to_owned());
        self.may(key, held)
    }

    /// With a key that may be there.
    pub(super) fn may(mut self, key: &str, held: Value) -> Self {
        self.keys.insert(key.to_owned(), held);
        self
    }

    pub(super) fn schema(self) -> Value {
        json!({
            "type": "object",
            "properties": self.keys,
            "required": self.required,
            "additionalProperties": false,
        })
    }
}

/// One of several; the one itself where it is alone, and nothing at all where there is none.
pub(in crate::json) fn any_of(mut schemas: Vec<Value>) -> Value {
    match schemas.pop() {
        None => Value::Bool(false),
        Some(only) if schemas.is_empty() => only,
        Some(last) => {
            schemas.push(last);
            json!({ "anyOf": schemas })
        }
    }
}

/// A list of items that are all of one sort.
pub(super) fn list(item: Value) -> Value {
    json!({ "type": "array", "items": item })
}

/// A list whose items each have their place; of the last ones, some may be left out.
pub(super) fn tuple(items: Vec<Value>, least: usize) -> Value {
    let most = items.len();
    if most == 0 {
        return json!({ "type": "array", "maxItems": 0 });
    }
    json!({ "type": "array", "prefixItems": items, "items": false, "minItems": least, "maxItems": most })
}

pub(super) fn nullable(schema: Value) -> Value {
    any_of(vec![schema, json!({ "type": "null" })])
}

pub(super) fn boolean() -> Value {
    json!({ "type": "boolean" })
}

/// One of these texts, as they stand.
pub(in crate::json) fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> Value {
    let words: Vec<&str> = words.into_iter().collect();
    match words.as_slice() {
        [] => Value::Bool(false),
        [only] => json!({ "const": only }),
        _ => json!({ "enum": words }),
    }
}

/// A text of that pattern, from its first character to its last.
pub(in crate::json) fn text(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^(?:{pattern})$") })
}

/// A pattern of these words, whatever the case of their letters.
pub(super) fn any_case(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut pattern = String::new();
    for word in words {
        if !pattern.is_empty() {
            pattern.push('|');
        }
        for c in word.as_ref().chars() {
            match c {
                letter if letter.is_ascii_alphabetic() => {
                    pattern.extend(['[', letter.to_ascii_lowercase(), letter.to_ascii_uppercase(), ']']);
                }
                sign if r"\.+*?()|[]{}^$".contains(sign) => pattern.extend(['\\', sign]),
                other => pattern.push(other),
            }
        }
    }
    pattern
}
