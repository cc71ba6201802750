//! What is written as a function: calls, CASE, CAST, and windows.

use serde_json::{Map, Value, json};

use super::Grammar;
use super::closed::{Closed, any_case, any_of, boolean, list, nullable, one_of, text, tuple};
use super::plain::name_pattern;
use crate::json::read_value::{NOT_CALLS, OVER};
use crate::json::words::{FRAME_BOUNDS, FRAME_EXCLUDES, FRAME_UNITS, FUNCTION_KEYS, Marker, VALUE_JOINS};

impl Grammar {
    pub(super) fn define_calls(&mut self) {
        self.define_functions();
        let condition = || any_of(self.each(&["Logic", "Truth"]));
        let case = json!({
            "type": "array",
            "prefixItems": [condition(), self.at("Value")],
            "items": if self.reads() { self.at("Value") } else { any_of(self.each(&["Value", "Logic"])) },
            "minItems": 2,
        });
        let mut cases = self.special("CASE", &case);
        let cast = self.special("CAST", &tuple(vec![self.at("Value"), self.type_of_cast()], 2));
        if self.reads() {
            cases.extend(self.special("IF", &tuple(vec![condition(), self.at("Value"), self.at("Value")], 3)));
            let found = tuple(vec![self.at("Value"), self.at("Value"), self.at("Value")], 2);
            self.define("CharIndex", self.special("CHARINDEX", &found));
        }
        self.define("Case", cases);
        self.define("Cast", cast);
        self.define_windows();
    }

    fn type_of_cast(&self) -> Value {
        let name = self.type_name();
        if !self.reads() {
            return name;
        }
        let param = Closed::default().must("@", name.clone()).schema();
        any_of(vec![name, param])
    }

    /// The functions: every name that is no node's, since a program has functions of its own.
    fn define_functions(&mut self) {
        let args = list(self.at("Value"));
        let (nodes, keys) = (any_case(NOT_CALLS.iter().copied()), FUNCTION_KEYS.join("|"));
        let name = |others: &str| format!("(?!(?:{others})$){}", name_pattern());
        let options = || -> Map<String, Value> {
            [
                ("IsAggregate".to_owned(), boolean()),
                ("Filter".to_owned(), self.optional("Logic")),
                ("OrderBy".to_owned(), list(self.at("OrderItem"))),
            ]
            .into_iter()
            .collect()
        };
        let mut properties = options();
        properties.insert("$".into(), self.kind(Marker::Function));
        let call = json!({
            "type": "object",
            "properties": properties,
            "patternProperties": { format!("^(?:{})$", name(&format!("{nodes}|{keys}"))): args },
            "required": ["$"],
            "additionalProperties": false,
            "oneOf": one_name(&["IsAggregate", "Filter", "OrderBy"]),
        });
        let called = if self.reads() { text(&name(&nodes)) } else { one_of(FUNCTION_KEYS.iter().copied()) };
        let mut long = Closed::default().must("$", self.kind(Marker::Function)).must("FunctionName", called);
        for (key, held) in options() {
            long = long.may(&key, held);
        }
        self.define("Function", vec![call, long.must("Args", args).schema()]);
    }

    /// A node that is written as a function of that name, which takes no more than arguments.
    fn special(&self, name: &str, args: &Value) -> Vec<Value> {
        let function = Closed::default().must("$", self.kind(Marker::Function));
        if !self.reads() {
            return vec![function.must(name, args.clone()).schema()];
        }
        let (name, function) = (any_case([name]), nothing_more(function));
        let mut short = function.clone().schema();
        if let Some(schema) = short.as_object_mut() {
            schema.insert("patternProperties".into(), json!({ format!("^(?:{name})$"): args }));
            schema.insert("oneOf".into(), one_name(&["IsAggregate", "Filter", "OrderBy"]));
        }
        vec![short, function.must("FunctionName", text(&name)).must("Args", args.clone()).schema()]
    }

    fn define_windows(&mut self) {
        let window = Closed::default()
            .must("$", self.kind(Marker::Over))
            .must("Func", self.at("Function"))
            .may("PartitionBy", list(self.at("Value")))
            .may("OrderBy", list(self.at("OrderItem")))
            .may("Frame", self.optional("Frame"));
        let mut windows = vec![window.schema()];
        if self.reads() {
            let keys = any_of(vec![self.at("Value"), self.marked_order_item()]);
            let args = tuple(
                vec![
                    self.at("Function"),
                    self.set_of(self.at("Value"), self.at("Single")),
                    self.set_of(self.at("OrderItem"), keys),
                    nullable(self.at("FrameCall")),
                ],
                1,
            );
            windows.extend(self.special(OVER, &args));
            self.define_frame_call();
        }
        self.define("Window", windows);

        let rows = || json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX });
        let bound = vec![
            self.word(FRAME_BOUNDS),
            Closed::default().must("Preceding", rows()).schema(),
            Closed::default().must("Following", rows()).schema(),
        ];
        self.define("Bound", bound);
        let frame = Closed::default()
            .must("Unit", self.word(FRAME_UNITS))
            .must("Start", self.at("Bound"))
            .must("End", self.at("Bound"))
            .may("Exclude", self.word(FRAME_EXCLUDES));
        self.define("Frame", vec![frame.schema()]);
    }

    fn marked_order_item(&self) -> Value {
        self.order_item(Closed::default().must("$", self.kind(Marker::OrderByItem))).schema()
    }

    /// A list, a set, one item alone, or `null` for none.
    fn set_of(&self, item: Value, alone: Value) -> Value {
        let set = Closed::default().must("$", self.kind(Marker::Set)).may("JoinType", self.word(VALUE_JOINS));
        let keys = ["Items", "List"].map(|key| set.clone().must(key, list(item.clone())).schema());
        let mut forms = vec![json!({ "type": "null" }), list(item), alone];
        forms.extend(keys);
        any_of(forms)
    }

    /// `RowsBetween(start, end)` or `RangeBetween`.
    fn define_frame_call(&mut self) {
        let rows = json!({ "type": ["integer", "null"], "minimum": -i64::from(u32::MAX), "maximum": u32::MAX });
        let bound = any_of(vec![rows.clone(), Closed::default().must("@", rows).schema()]);
        let bounds = tuple(vec![bound.clone(), bound], 1);
        let forms = ["RowsBetween", "RangeBetween"].map(|name| self.special(name, &bounds)).concat();
        self.define("FrameCall", forms);
    }
}

/// The keys of a function that takes none of them, as they may be there nevertheless.
fn nothing_more(function: Closed) -> Closed {
    function
        .may("IsAggregate", json!({ "const": false }))
        .may("Filter", json!({ "type": "null" }))
        .may("OrderBy", json!({ "type": "array", "maxItems": 0 }))
}

/// One more key than these and the marker, whichever of these are there.
fn one_name(options: &[&str]) -> Value {
    let choices = (0..1_usize << options.len()).map(|chosen| {
        let is_chosen = |at: usize| chosen & (1 << at) != 0;
        let (there, absent): (Vec<_>, Vec<_>) = options.iter().enumerate().partition(|(at, _)| is_chosen(*at));
        let required: Vec<&str> = there.iter().map(|(_, key)| **key).collect();
        let absent: Map<String, Value> = absent.iter().map(|(_, key)| ((**key).to_owned(), false.into())).collect();
        let count = required.len() + 2;
        json!({ "required": required, "properties": absent, "minProperties": count, "maxProperties": count })
    });
    choices.collect()
}
