//! What a policy asks a schema, and how often.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::expr::DbValueType::Int32;
use crate::expr::{Expr, LogicExpr, Name, ValueOps, from, prop};
use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use crate::walk::{PropertyInfo, QueryPolicy, RelationInfo, Schema};

/// A catalog that counts what it is asked, and that takes its own names alone.
pub(super) struct Watched {
    catalog: Catalog,
    asked: RefCell<BTreeMap<&'static str, usize>>,
}

impl Watched {
    pub(super) fn new(catalog: Catalog) -> Self {
        Self { catalog, asked: RefCell::default() }
    }

    fn asked(&self, what: &'static str) -> &Catalog {
        *self.asked.borrow_mut().entry(what).or_default() += 1;
        &self.catalog
    }

    fn asked_of(&self, what: &'static str, entities: &[&Name]) -> &Catalog {
        for entity in entities {
            let own = self.catalog.entities().any(|(_, known)| known.name.as_str() == entity.as_str());
            assert!(own, "`{entity}` is not the schema's own name");
        }
        self.asked(what)
    }
}

impl Schema for Watched {
    fn entity(&self, name: &Name) -> Option<&Name> {
        Schema::entity(self.asked("entity"), name)
    }

    fn table(&self, entity: &Name) -> Option<&Name> {
        self.asked_of("table", &[entity]).table(entity)
    }

    fn base(&self, view: &Name) -> Option<&Name> {
        self.asked_of("base", &[view]).base(view)
    }

    fn property(&self, entity: &Name, property: &Name) -> Option<PropertyInfo> {
        self.asked_of("property", &[entity]).property(entity, property)
    }

    fn has(&self, entity: &Name, property: &Name) -> bool {
        self.asked_of("has", &[entity]).has(entity, property)
    }

    fn properties(&self, entity: &Name) -> Option<Vec<Name>> {
        self.asked_of("properties", &[entity]).properties(entity)
    }

    fn joined(&self, entity: &Name, alias: &Name) -> Option<Vec<RelationInfo>> {
        self.asked_of("joined", &[entity]).joined(entity, alias)
    }

    fn relations(&self, from: &Name, to: &Name) -> Option<Vec<RelationInfo>> {
        Schema::relations(self.asked_of("relations", &[from, to]), from, to)
    }
}

const COLUMNS: usize = 100;

fn watched() -> Watched {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    let wide = |name: &'static str| {
        names().fold(TableDef::new(name).column(id()), |table, name| table.column(ColumnDef::new(name, Int32)))
    };
    let to = ColumnDef::new("CustomerId", Int32).foreign(ForeignType::new("Customer").alias("Customer"));
    let catalog = Catalog::builder().table(wide("Customer")).table(wide("Order").column(to));
    Watched::new(catalog.view(ViewDef::new("OrderView", "Order")).build().unwrap())
}

fn names() -> impl Iterator<Item = String> {
    (0..COLUMNS).map(|n| format!("Column{n}"))
}

/// What a check of the tree asks.
fn asked(policy: &QueryPolicy, tree: impl Into<Expr>) -> BTreeMap<&'static str, usize> {
    let schema = watched();
    policy.check(&tree.into(), &schema).unwrap();
    schema.asked.take()
}

/// Each name of a policy is looked up once, and no more of it is asked than whether it is there.
#[test]
fn the_names_of_a_policy_are_only_looked_up() {
    let policy = QueryPolicy::new("Order").deny_properties("Customer", names()).only_properties("Order", names());
    let found = asked(&policy, prop("Column1").gt(1));
    assert_eq!((found["has"], found["property"], found["entity"]), (2 * COLUMNS, 1, 3), "{found:?}");
}

/// A select without a list asks for each property of its entity, once for all of them.
#[test]
fn what_a_select_without_a_list_gives_is_asked_once() {
    let policy = QueryPolicy::new("OrderView").allow_entity("Customer");
    let many = |count: usize| (0..count).map(|_| prop("Id").in_list(from("Customer").select_all())).collect();
    let (one, ten) = (asked(&policy, LogicExpr::Or(many(2))), asked(&policy, LogicExpr::Or(many(20))));
    assert_eq!((one["properties"], ten["properties"]), (1, 1), "{ten:?}");
    // Of each member only its own `Id` is asked besides.
    assert_eq!(ten["property"] - one["property"], 18, "{ten:?}");
}
