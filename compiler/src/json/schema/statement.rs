//! INSERT, UPDATE and DELETE.

use serde_json::{Value, json};

use super::Grammar;
use super::closed::{Closed, any_of, boolean, list, nullable};
use super::plain::name_pattern;
use crate::json::words::{CONFLICT_ACTIONS, Marker};

impl Grammar {
    pub(super) fn define_statements(&mut self) {
        let returning = |node: Closed| node.may("Returning", list(self.at("SelectItem")));
        let conflict = if self.reads() { nullable(self.at("Conflict")) } else { self.at("Conflict") };
        let mut insert = Vec::new();
        for (key, source) in [
            ("Values", list(list(self.at("Plain")))),
            ("Rows", list(list(self.at("Value")))),
            ("Query", self.at("Segment")),
        ] {
            let rest = Closed::default().must("Columns", list(self.at("Name"))).must(key, source);
            let rest = returning(rest.may("Conflict", conflict.clone()));
            insert.extend(self.led(Marker::Insert, self.at("Table"), None, rest));
        }
        let changed = returning(Closed::default().may("Where", self.optional("Logic")).may("AllRows", boolean()));
        let update = changed.clone().must("Sets", self.at("Sets"));
        let update = self.led(Marker::Update, self.at("Table"), Some(("Table", true)), update);
        let delete = self.led(Marker::Delete, self.at("Table"), Some(("Table", true)), changed);
        let action = Closed::default().must("Update", self.at("Sets")).schema();
        let action = any_of(vec![self.word(CONFLICT_ACTIONS), action]);
        let conflict = Closed::default().may("Target", list(self.at("Name"))).must("Action", action).schema();
        self.define("Insert", insert);
        self.define("Update", update);
        self.define("Delete", delete);
        self.define("Conflict", vec![conflict]);
        let sets = list(self.assignment());
        self.define("Sets", vec![sets]);
    }

    /// An object whose one key is the property.
    fn assignment(&self) -> Value {
        json!({
            "type": "object",
            "patternProperties": { format!("^(?:{})$", name_pattern()): self.at("Value") },
            "additionalProperties": false,
            "minProperties": 1,
            "maxProperties": 1,
        })
    }
}
