//! Predicates, values, and what stands at a root.

use serde_json::{Value, json};

use super::closed::{Closed, any_of, boolean, list, nullable, one_of, text};
use super::plain::name_pattern;
use super::{Grammar, words};
use crate::json::words::{KEYS, Marker, UNARY_OPERATORS, VALUE_JOINS, VALUE_OPERATORS};

/// The key of a node's first part in the long form, and whether it must be there.
type Long = Option<(&'static str, bool)>;

impl Grammar {
    /// A node whose marker is a key that holds its first part, and its long form if it has one.
    pub(super) fn led(&self, marker: Marker, lead: Value, long: Long, rest: Closed) -> Vec<Value> {
        let key = KEYS.iter().find(|(_, of)| *of == marker).map_or("", |(key, _)| key);
        let mut forms = vec![rest.clone().must(key, lead.clone()).schema()];
        if let Some((key, needed)) = long.filter(|_| self.reads()) {
            let rest = rest.must("$", self.kind(marker));
            forms.push(if needed { rest.must(key, lead) } else { rest.may(key, lead) }.schema());
        }
        forms
    }

    fn sides(&self) -> Closed {
        Closed::default().must("Left", self.at("Value")).must("Right", self.at("Value"))
    }

    pub(super) fn define_logic(&mut self) {
        let logics = list(self.at("Logic"));
        self.define("And", self.led(Marker::And, logics.clone(), Some(("Items", true)), Closed::default()));
        self.define("Or", self.led(Marker::Or, logics, Some(("Items", true)), Closed::default()));
        self.define("Not", self.led(Marker::Not, self.at("Logic"), Some(("Operand", true)), Closed::default()));
        self.define_comparison();
        let foreign = Closed::default()
            .may("Alias", self.optional("Name"))
            .may("AutoRelated", boolean())
            .may("InnerExpr", self.optional("Logic"))
            .may("TableArgs", self.at("TableArgs"));
        self.define("Foreign", self.led(Marker::Foreign, self.at("Entity"), Some(("Foreign", true)), foreign));
        self.define("Exists", self.led(Marker::Exists, self.at("Segment"), None, Closed::default()));
        self.define("IsTrue", self.led(Marker::IsTrue, self.at("Value"), None, Closed::default()));
        let kinds = ["Comparison", "And", "Or", "Not", "Foreign", "Exists", "IsTrue", "Fragment"];
        self.define("Logic", self.each(&kinds));
    }

    /// What a key holds that may be `null`, which is as if it were not there; it is not written.
    pub(super) fn optional(&self, name: &str) -> Value {
        if self.reads() { nullable(self.at(name)) } else { self.at(name) }
    }

    fn define_comparison(&mut self) {
        let mut forms = vec![self.sides().must("$", self.comparisons()).schema()];
        if self.reads() {
            let logic = self.sides().must("Operator", self.comparison_by_name());
            forms.push(logic.must("$", self.kind(Marker::Logic)).schema());
            let binary = self.sides().must("Operator", self.comparison_of_two());
            forms.push(binary.must("$", self.kind(Marker::Binary)).schema());
        }
        self.define("Comparison", forms);
    }

    pub(super) fn define_values(&mut self) {
        let name = name_pattern();
        let mut property = self.led(Marker::Property, text(&format!(r"{name}(?:\.{name})?")), None, Closed::default());
        let param = any_of(self.led(Marker::Param, self.at("Plain"), None, Closed::default()));
        self.define_constant(param);
        let mut arithmetic = vec![self.sides().must("$", self.computations()).schema()];
        if self.reads() {
            let long = Closed::default().must("$", self.kind(Marker::Property));
            property.push(long.must("PropertyName", self.at("Name")).may("TableAlias", self.optional("Name")).schema());
            let binary = self.sides().must("$", self.kind(Marker::Binary));
            arithmetic.push(binary.must("Operator", self.word(VALUE_OPERATORS)).schema());
        }
        self.define("Property", property);
        self.define("Arithmetic", arithmetic);
        self.define_unary();
        self.define_set();
        let fragment = Closed::default().must("$", self.kind(Marker::Sql)).must("Key", self.at("Name"));
        self.define("Fragment", vec![fragment.may("Arg", self.at("Plain")).schema()]);
        self.define("Truth", self.led(Marker::Truth, self.at("Logic"), None, Closed::default()));
        let kinds = ["Property", "Constant", "Arithmetic", "Unary", "Function", "Case", "Cast", "Window"];
        let mut single = self.each(&kinds);
        single.extend(self.each(&["Truth", "Segment", if self.reads() { "Logic" } else { "Fragment" }]));
        if self.reads() {
            single.push(self.at("CharIndex"));
            single.extend(self.wrapped());
        }
        self.define("Single", single);
        self.define("Value", self.each(&["Single", "Set"]));
    }

    /// A value under `value` may be any, one under `const` or with `"IsConst":true` a plain one only.
    fn wrapped(&self) -> Vec<Value> {
        let value = Closed::default().must("$", self.kind(Marker::Value { is_const: false }));
        let constant = Closed::default().must("$", self.kind(Marker::Value { is_const: true }));
        vec![
            value.must("Value", self.at("Value")).may("IsConst", json!({ "const": false })).schema(),
            constant.must("Value", self.at("Value")).must("IsConst", json!({ "const": false })).schema(),
        ]
    }

    /// A value that holds no node, where no other may stand.
    fn define_constant(&mut self, param: Value) {
        let mut forms = vec![self.at("Literal"), param];
        if self.reads() {
            forms.extend([false, true].map(|is_const| {
                let wrapped = Closed::default().must("$", self.kind(Marker::Value { is_const }));
                wrapped.must("Value", self.at("Constant")).may("IsConst", boolean()).schema()
            }));
        }
        self.define("Constant", forms);
    }

    fn define_unary(&mut self) {
        let unary = Closed::default().must("$", self.kind(Marker::Unary));
        let mut forms = Vec::new();
        for key in words::spellings(self.spelling, UNARY_OPERATORS) {
            forms.push(unary.clone().must(key, self.at("Value")).schema());
        }
        if self.reads() {
            let long = unary.must("Operator", self.word(UNARY_OPERATORS));
            forms.push(long.must("Operand", self.at("Value")).schema());
        }
        self.define("Unary", forms);
    }

    fn define_set(&mut self) {
        let set = Closed::default().must("$", self.kind(Marker::Set));
        let mut forms = Vec::new();
        for key in words::spellings(self.spelling, VALUE_JOINS) {
            forms.push(set.clone().must(key, list(self.at("Value"))).schema());
        }
        if self.reads() {
            let long = set.may("JoinType", self.word(VALUE_JOINS));
            forms.push(long.must("Items", list(self.at("Value"))).schema());
        }
        self.define("Set", forms);
    }

    /// What stands at a root. A value that would read as something else there is wrapped.
    pub(super) fn define_root(&mut self) {
        let item = |grammar: &Self, marker| Closed::default().must("$", grammar.kind(marker));
        let select_item = self.select_item(item(self, Marker::SelectItem)).schema();
        let order_item = self.order_item(item(self, Marker::OrderByItem)).schema();
        let mut forms = self.each(&["Value", "Logic"]);
        if !self.reads() {
            let wrapped = any_of(self.each(&["Segment", "Fragment"]));
            forms.push(Closed::default().must("$", one_of(["value"])).must("Value", wrapped).schema());
        }
        forms.extend([select_item, order_item]);
        forms.extend(self.each(&["Join", "Insert", "Update", "Delete"]));
        self.define("Expr", forms);
    }
}
