//! Queries: their clauses, and the items of their lists.

use serde_json::{Value, json};

use super::Grammar;
use super::closed::{Closed, any_of, boolean, list, nullable};
use crate::json::words::{LOCK_MODES, LOCK_WAITS, Marker, NULLS, SET_TYPES, TABLE_JOINS};

impl Grammar {
    pub(super) fn define_queries(&mut self) {
        let table = Closed::default().may("TableArgs", self.at("TableArgs")).may("Alias", self.optional("Name"));
        self.define("Table", self.led(Marker::Table, self.at("Entity"), Some(("Type", true)), table));
        let from = Closed::default().may("Joins", list(self.at("Join")));
        self.define("From", self.led(Marker::From, self.at("Segment"), Some(("Source", true)), from));
        let join = Closed::default()
            .may("On", self.optional("Logic"))
            .may("JoinType", self.word(TABLE_JOINS))
            .may("Lateral", boolean());
        self.define("Join", self.led(Marker::Join, self.at("Segment"), Some(("Source", true)), join));

        let filter = Closed::default().must("Where", self.at("Logic"));
        self.define("Where", self.clause(Marker::Where, filter));
        let group = Closed::default().must("GroupBys", list(self.at("Value")));
        self.define("GroupBy", self.clause(Marker::GroupBy, group));
        let having = Closed::default().must("Having", self.at("Logic"));
        self.define("Having", self.clause(Marker::Having, having));
        let order = Closed::default().must("OrderBys", list(self.at("OrderItem")));
        self.define("OrderBy", self.clause(Marker::OrderBy, order));
        let section = Closed::default()
            .may("Skip", self.rows())
            .may("Take", self.rows())
            .may("NoRows", boolean())
            .may("After", list(self.at("Constant")));
        self.define("Section", self.clause(Marker::Section, section));
        let lock = Closed::default().may("Mode", self.word(LOCK_MODES)).may("Wait", self.word(LOCK_WAITS));
        self.define("Lock", self.clause(Marker::Lock, lock));
        self.define_selects();
        let clauses = ["Table", "From", "Where", "GroupBy", "Having", "OrderBy", "Section", "Lock", "Select"];
        let mut segments = self.each(&clauses);
        segments.push(self.at("CommonTable"));
        self.define("Segment", segments);
    }

    /// A clause over a source, which is `null` for the root entity.
    pub(super) fn clause(&self, marker: Marker, rest: Closed) -> Vec<Value> {
        self.led(marker, nullable(self.at("Segment")), Some(("Source", false)), rest)
    }

    /// A number of rows. A negative one is read as none, and is not written.
    fn rows(&self) -> Value {
        let least = if self.reads() { i64::MIN } else { 0 };
        json!({ "type": "integer", "minimum": least, "maximum": u64::MAX })
    }

    fn define_selects(&mut self) {
        let select = || {
            Closed::default()
                .may("Selects", list(self.at("SelectItem")))
                .may("Distinct", any_of(vec![boolean(), list(self.at("Value"))]))
                .may("Next", list(self.at("Next")))
                .may("As", self.optional("Name"))
        };
        let next = self.clause(Marker::Select, select().may("SetType", self.word(SET_TYPES)));
        let select = self.clause(Marker::Select, select());
        let mut table = self.led(
            Marker::CommonTable,
            self.at("Select"),
            Some(("Source", true)),
            Closed::default().must("Alias", self.at("Name")),
        );
        table.extend(self.led(Marker::CommonTable, self.at("Name"), None, Closed::default()));
        if self.reads() {
            let reference = Closed::default().must("$", self.kind(Marker::CommonTable)).must("Alias", self.at("Name"));
            table.push(reference.may("Source", json!({ "type": "null" })).schema());
        }
        self.define("Select", select);
        self.define("Next", next);
        self.define("CommonTable", table);

        let mut select_items = vec![self.select_item(Closed::default()).schema()];
        let mut order_items = vec![self.order_item(Closed::default()).schema()];
        if self.reads() {
            let marked = |marker| Closed::default().must("$", self.kind(marker));
            select_items.extend([self.select_item(marked(Marker::SelectItem)).schema(), self.at("Value")]);
            order_items.extend([self.order_item(marked(Marker::OrderByItem)).schema(), self.at("Value")]);
        }
        self.define("SelectItem", select_items);
        self.define("OrderItem", order_items);
    }

    pub(super) fn select_item(&self, item: Closed) -> Closed {
        item.may("Alias", self.optional("Name")).must("Value", self.at("Value"))
    }

    pub(super) fn order_item(&self, item: Closed) -> Closed {
        self.order_item_of(item, self.at("Value"))
    }

    pub(super) fn order_item_of(&self, item: Closed, field: Value) -> Closed {
        item.must("Field", field).may("Asc", boolean()).may("Nulls", self.word(NULLS))
    }
}
