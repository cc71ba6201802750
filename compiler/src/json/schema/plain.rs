//! Values that hold no node, and names.

use serde_json::{Value, json};

use super::Grammar;
use super::closed::{Closed, any_of, list, one_of, text};
use crate::expr::Name;
use crate::json::words::{NATIVES, Native};

const YEAR_TO_DAY: &str = "[+-]?[0-9]{4,6}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])";
const TIME: &str = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?";
const OFFSET: &str = "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const NUMBER: &str = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?";

/// The pattern of a name.
pub(super) fn name_pattern() -> String {
    format!("[A-Za-z_][A-Za-z0-9_]{{0,{}}}", Name::MAX_LEN - 1)
}

/// The text of a value of that type.
pub(super) fn native_text(native: Native) -> Value {
    match native {
        Native::Date => text(YEAR_TO_DAY),
        Native::Time => text(TIME),
        Native::DateTime => text(&format!("{YEAR_TO_DAY}T{TIME}Z?")),
        Native::DateTimeOffset => text(&format!("{YEAR_TO_DAY}T{TIME}{OFFSET}")),
        Native::TimeSpan => text(r"-?(?:[0-9]{1,12}\.)?(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,9})?"),
        Native::Guid => text("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
        // The bits that are left over are 0.
        Native::Bytes => text("(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"),
        Native::Decimal => any_of(vec![json!({ "type": "number" }), text(r"-?[0-9]{1,38}(?:\.[0-9]{1,38})?")]),
        Native::Double => {
            any_of(vec![json!({ "type": "number" }), one_of(["NaN", "Infinity", "-Infinity"]), text(NUMBER)])
        }
        Native::Json => json!({ "type": "string", "contentMediaType": "application/json" }),
        Native::Map => json!({ "type": "object" }),
    }
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

        let natives = NATIVES.iter().map(|(marker, native)| {
            let held = match native {
                Native::Map => json!({ "type": "object", "additionalProperties": self.at("Plain") }),
                _ => native_text(*native),
            };
            Closed::default().must(marker, held).schema()
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
