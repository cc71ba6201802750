//! Values that hold no node, and names.

use serde_json::json;

use super::Grammar;
use super::closed::{Closed, list, text};
use crate::expr::Name;
use crate::json::native::Native;

/// The pattern of a name.
pub(super) fn name_pattern() -> String {
    format!("[A-Za-z_][A-Za-z0-9_]{{0,{}}}", Name::MAX_LEN - 1)
}

impl Grammar {
    /// Adds the values that hold no node, and the names.
    pub(super) fn define_plain(&mut self) {
        let name = name_pattern();
        self.define("Name", vec![text(&name)]);
        let mut entity = text(&format!(r"{name}(?:\.{name})*"));
        if let Some(object) = entity.as_object_mut() {
            object.insert("maxLength".into(), (4 * Name::MAX_LEN).into());
        }
        self.define("Entity", vec![entity]);
        self.define("TableArgs", vec![list(text(&format!("[A-Za-z0-9_]{{1,{}}}", Name::MAX_LEN)))]);

        let natives = Native::ALL.iter().map(|native| {
            let held = match native {
                Native::Map => json!({ "type": "object", "additionalProperties": self.at("Plain") }),
                _ => native.schema(),
            };
            Closed::default().must(native.marker(), held).schema()
        });
        let natives = natives.collect();
        self.define("Typed", natives);
        let scalar = json!({ "type": ["null", "boolean", "number", "string"] });
        self.define("Literal", vec![scalar, list(self.at("Plain")), self.at("Typed")]);
        // No key of a dictionary is one that says which node an object is.
        let dictionary = json!({
            "type": "object",
            "patternProperties": { r"^(?!\$|[#@!]$)": self.at("Plain") },
            "additionalProperties": false,
        });
        self.define("Plain", vec![self.at("Literal"), dictionary]);
    }
}
