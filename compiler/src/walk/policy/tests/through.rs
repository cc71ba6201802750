//! Columns that a view takes through other views: what is said of any of these holds.

use crate::expr::DbValueType::Int32;
use crate::expr::{Expr, LogicExpr, ValueOps, exists, exists_related, from, prop, prop_of};
use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, TableJoinDef, ViewDef};
use crate::walk::{PolicyRule, QueryPolicy};

/// Lines lead to a view of customers, which shows a column of regions and has one that it computes itself. There are views of
/// lines, views of such views, and one that takes from these in turn.
fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    let number = |name: &'static str| ColumnDef::new(name, Int32);
    let to = |name: &'static str, entity: &'static str, alias: &'static str| {
        number(name).foreign(ForeignType::new(entity).alias(alias))
    };
    Catalog::builder()
        .table(TableDef::new("Region").column(id()).column(number("Title")))
        .table(TableDef::new("Customer").column(id()).column(number("Name")).column(to("RegionId", "Region", "Region")))
        .view(
            ViewDef::new("CustomerView", "Customer")
                .foreign_column("RegionTitle", "Region", "Title")
                .column(number("Twice").nullable().computed_expr(prop("Name") * 2)),
        )
        .view(ViewDef::new("CustomerMore", "CustomerView"))
        .table(TableDef::new("Line").column(id()).column(to("CustomerId", "CustomerMore", "Cust")))
        .view(
            ViewDef::new("LineView", "Line")
                .foreign_column("CName", "Cust", "Name")
                .foreign_column("CTwice", "Cust", "Twice")
                .foreign_column("CRegion", "Cust", "RegionTitle"),
        )
        .view(ViewDef::new("LineMore", "LineView"))
        .table(TableDef::new("Note").column(id()).column(to("LineId", "LineMore", "Line")))
        .view(
            ViewDef::new("NoteView", "Note")
                .foreign_column("NName", "Line", "CName")
                .foreign_column("NTwice", "Line", "CTwice")
                .foreign_column("NRegion", "Line", "CRegion"),
        )
        .build()
        .unwrap()
}

fn rule(policy: &QueryPolicy, tree: impl Into<Expr>) -> Option<PolicyRule> {
    policy.check(&tree.into(), &catalog()).err().map(|refusal| refusal.rule)
}

/// What a column is called in the entities and views that it is taken through.
const WAYS: [&[(&str, &str)]; 3] = [
    &[
        ("Customer", "Name"),
        ("CustomerView", "Name"),
        ("CustomerMore", "Name"),
        ("LineView", "CName"),
        ("LineMore", "CName"),
        ("NoteView", "NName"),
    ],
    &[
        ("CustomerView", "Twice"),
        ("CustomerMore", "Twice"),
        ("LineView", "CTwice"),
        ("LineMore", "CTwice"),
        ("NoteView", "NTwice"),
    ],
    &[
        ("Region", "Title"),
        ("CustomerView", "RegionTitle"),
        ("CustomerMore", "RegionTitle"),
        ("LineView", "CRegion"),
        ("LineMore", "CRegion"),
        ("NoteView", "NRegion"),
    ],
];

#[test]
fn a_list_holds_for_what_is_taken_through_its_view() {
    for way in WAYS {
        for (place, (root, property)) in way.iter().enumerate() {
            let tree = || prop(*property).gt(1);
            assert_eq!(rule(&QueryPolicy::new(*root), tree()), None, "{root}");
            for (at, (entity, name)) in way.iter().enumerate() {
                let wanted = (at <= place).then_some(PolicyRule::HiddenProperty);
                let denied = QueryPolicy::new(*root).deny_properties(*entity, [*name]);
                assert_eq!(rule(&denied, tree()), wanted, "{root}.{property}, denied {entity}.{name}");
                let others = QueryPolicy::new(*root).only_properties(*entity, ["Id"]);
                assert_eq!(rule(&others, tree()), wanted, "{root}.{property}, not listed {entity}.{name}");
                let listed = QueryPolicy::new(*root).only_properties(*entity, [*name]);
                assert_eq!(rule(&listed, tree()), None, "{root}.{property}, listed {entity}.{name}");
            }
        }
    }
}

/// By the view that shows it and by the join behind it, a column is open or closed alike.
#[test]
fn a_column_and_its_way_by_name_agree() {
    let open = || QueryPolicy::new("LineView").allow_entity("CustomerMore");
    let both = |policy: &QueryPolicy| [rule(policy, prop("CName").gt(1)), rule(policy, prop_of("Cust", "Name").gt(1))];
    assert_eq!(both(&open()), [None; 2]);
    for entity in ["Customer", "CustomerView", "CustomerMore"] {
        let hidden = [Some(PolicyRule::HiddenProperty); 2];
        assert_eq!(both(&open().deny_properties(entity, ["Name"])), hidden, "{entity}");
        assert_eq!(both(&open().only_properties(entity, ["Id"])), hidden, "{entity}");
    }
}

/// A computed column of a view, behind another, tells of what it is computed from.
#[test]
fn what_is_computed_in_a_view_tells_of_its_columns() {
    for entity in ["Customer", "CustomerView", "CustomerMore"] {
        let denied = QueryPolicy::new("NoteView").deny_properties(entity, ["Name"]);
        assert_eq!(rule(&denied, prop("NTwice").gt(1)), Some(PolicyRule::HiddenProperty), "{entity}");
    }
}

/// Where a join back to the root is allowed, so is what its view computes from the root's columns.
#[test]
fn what_is_computed_stands_in_the_row_that_is_allowed() {
    let customers = QueryPolicy::new("Customer").allow_entity("LineView");
    let asked = |name| LogicExpr::from(exists("LineView", prop(name).gt(1)));
    for name in ["CName", "CTwice"] {
        assert_eq!(rule(&customers, asked(name)), Some(PolicyRule::HiddenProperty), "{name}");
        assert_eq!(rule(&customers.clone().allow_relation("LineView", "Cust"), asked(name)), None, "{name}");
    }
}

/// A relation goes by columns of the view that is asked for, not only by those of its table.
#[test]
fn a_relation_tells_of_the_columns_of_a_view() {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    let code = || ColumnDef::new("Code", Int32);
    let catalog = Catalog::builder()
        .table(TableDef::new("Customer").column(id()).column(code()))
        .view(ViewDef::new("CustomerView", "Customer"))
        .table(
            TableDef::new("Order")
                .column(id())
                .column(code())
                .table_join(TableJoinDef::new("Customer", ["Code"]).prime_keys(["Code"])),
        )
        .view(ViewDef::new("OrderView", "Order"))
        .build()
        .unwrap();
    for (root, other) in [("Order", "CustomerView"), ("OrderView", "CustomerView"), ("CustomerView", "OrderView")] {
        let along = || Expr::from(LogicExpr::from(exists_related(other, prop("Id").gt(1))));
        let policy = || QueryPolicy::new(root).allow_entity(other);
        assert_eq!(policy().check(&along(), &catalog), Ok(()), "{root} {other}");
        for entity in [root, other, "Customer", "Order"] {
            let refusal = policy().deny_properties(entity, ["Code"]).check(&along(), &catalog).unwrap_err();
            assert_eq!(refusal.rule, PolicyRule::Relation, "{root} {other} {entity}");
        }
    }
    let rows = Expr::from(from("Order").select(["Code"]));
    assert_eq!(QueryPolicy::new("Order").deny_properties("OrderView", ["Code"]).check(&rows, &catalog), Ok(()));
}
