//! The rows of the root that are not the query's own, by other names than the root's.

use crate::expr::DbValueType::Int32;
use crate::expr::{Expr, LogicExpr, SqlSegment, TableJoinType, ValueOps, exists, exists_related, from, prop, prop_of};
use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use crate::walk::{ExprType, PolicyRule, QueryPolicy};

/// Lines of orders of customers. Views of each, and of lines those that show columns of orders and what lies behind them.
fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    let to = |name: &'static str, entity: &'static str, alias: &'static str| {
        ColumnDef::new(name, Int32).foreign(ForeignType::new(entity).alias(alias).auto_expand())
    };
    let customer = TableDef::new("Customer").column(id()).column(ColumnDef::new("Mail", Int32));
    let order = TableDef::new("Order").column(id()).column(ColumnDef::new("Note", Int32));
    let order = order.column(to("CustomerId", "Customer", "Customer"));
    let line = TableDef::new("Line").column(id()).column(to("OrderId", "Order", "Order"));
    let line = line.column(to("BuyerId", "Customer", "Buyer"));
    Catalog::builder()
        .table(customer)
        .table(order)
        .table(line)
        .view(ViewDef::new("OrderView", "Order").foreign_column("Mail", "Customer", "Mail"))
        .view(ViewDef::new("OtherView", "Order"))
        .view(ViewDef::new("LineView", "Line").foreign_column("OrderNote", "Order", "Note"))
        .view(ViewDef::new("FarView", "Line").foreign_column("FarMail", "Customer", "Mail"))
        .view(ViewDef::new("BuyerView", "Line").foreign_column("BuyerMail", "Buyer", "Mail"))
        .build()
        .unwrap()
}

fn check(policy: &QueryPolicy, tree: impl Into<Expr>) -> Option<(PolicyRule, String)> {
    policy.check(&tree.into(), &catalog()).err().map(|refusal| (refusal.rule, refusal.message))
}

fn allowing(root: &'static str, others: &[&'static str]) -> QueryPolicy {
    let policy = QueryPolicy::new(root).allow([ExprType::CommonTable]).max_joins(3);
    others.iter().fold(policy, |policy, other| policy.allow_entity(*other))
}

/// The trees that ask for the column in another place than the outermost source.
fn asking(entity: &'static str, name: &'static str) -> Vec<Expr> {
    let rows = || from(entity).filter(prop(name).gt(1));
    let listed = || from(entity).select([prop(name).alias("v")]);
    vec![
        LogicExpr::from(exists(entity, prop(name).gt(1))).into(),
        LogicExpr::from(exists(entity, prop_of(entity, name).gt(1))).into(),
        LogicExpr::from(exists(entity, prop_of("T1", name).gt(1))).into(),
        prop("Id").in_list(rows().select(["Id"])).into(),
        prop("Id").in_list(listed()).into(),
        prop("Id").in_list(from(entity).order_by([prop(name)]).take(1).select(["Id"])).into(),
        prop("Id").in_list(SqlSegment::from(listed().with("c")).select(["v"])).into(),
        prop("Id").in_list(from(entity)).into(),
        from("Order").join(TableJoinType::Cross, rows().select(["Id"]), None).select([prop_of("Order", "Id")]).into(),
        from("Order").join(TableJoinType::Left, from(entity), None).select([prop(name)]).into(),
    ]
}

/// A filter that the program puts in front of the stranger's holds for the rows of the query, not for those that a view
/// joins.
#[test]
fn a_view_does_not_lead_back_to_the_root() {
    let absent = (PolicyRule::HiddenProperty, "`OrderNote` is not available on `LineView`".to_owned());
    let policy = allowing("Order", &["LineView"]);
    for tree in asking("LineView", "OrderNote") {
        let found = check(&policy, tree.clone()).map(|(rule, _)| rule);
        assert!(matches!(found, Some(PolicyRule::HiddenProperty | PolicyRule::SelectAll)), "{found:?}: {tree:?}");
        assert_eq!(check(&policy.clone().allow_entity("Order"), tree.clone()), None, "{tree:?}");
        // As for the names behind the join's alias.
        assert_eq!(check(&policy.clone().allow_relation("LineView", "Order"), tree), None);
    }
    let along = || LogicExpr::from(exists_related("LineView", prop("OrderNote").gt(1)));
    assert_eq!(check(&policy, along()), Some(absent));
    assert_eq!(check(&policy.clone().allow_entity("Order"), along()), None);
    // A list of the view's columns is not what says it.
    let listed = policy.clone().only_properties("LineView", ["Id", "OrderId", "OrderNote"]);
    assert_eq!(check(&listed, along()).map(|(rule, _)| rule), Some(PolicyRule::HiddenProperty));
    // Its own columns stay open.
    assert_eq!(check(&policy, exists_related("LineView", prop("Id").gt(1))), None);
}

/// What lies behind the root tells of which row of it leads there.
#[test]
fn a_view_does_not_lead_through_the_root() {
    let policy = || allowing("Order", &["FarView", "BuyerView"]);
    let of_far = |name: &'static str| exists("FarView", prop(name).gt(1));
    assert_eq!(check(&policy(), of_far("FarMail")).map(|(rule, _)| rule), Some(PolicyRule::HiddenProperty));
    assert_eq!(check(&policy().allow_entity("Order"), of_far("FarMail")), None);
    // By another way the same column is there: what a view shows of entities that the policy does not name is the program's
    // to say.
    assert_eq!(check(&policy(), exists("BuyerView", prop("BuyerMail").gt(1))), None);
    let denied = policy().deny_properties("Customer", ["Mail"]);
    assert!(check(&denied, exists("BuyerView", prop("BuyerMail").gt(1))).is_some());
}

/// A name behind an alias takes two permissions: that the join is followed, and that its end is open.
#[test]
fn a_name_behind_a_join_takes_the_entity_at_its_end() {
    let far = || exists("Line", prop_of("Customer", "Mail").gt(1));
    let policy = || allowing("Order", &["Line"]);
    let with_entity = || policy().allow_entity("Customer");
    let along = |policy: QueryPolicy| policy.allow_relation("Line", "Order");
    let closed = Some(PolicyRule::UnknownAlias);
    for (policy, rule) in [
        (policy(), closed),
        (with_entity(), closed),
        (policy().allow_entity("Order"), closed),
        (along(policy()), closed),
        (along(with_entity()), None),
        // Leading on is not what leads back.
        (with_entity().allow_relation("Line", "Customer"), closed),
        (with_entity().allow_entity("Order"), None),
    ] {
        assert_eq!(check(&policy, far()).map(|(rule, _)| rule), rule, "{policy:?}");
    }
}

/// A view of the root's table takes its own permission besides the root's.
#[test]
fn a_view_of_the_root_takes_its_own_name_and_the_roots() {
    let asked = || exists("OtherView", None);
    for (others, open) in
        [(vec![], false), (vec!["Order"], false), (vec!["OtherView"], false), (vec!["Order", "OtherView"], true)]
    {
        assert_eq!(check(&allowing("Order", &others), asked()).is_none(), open, "{others:?}");
    }
}

#[test]
fn a_view_of_the_root_is_the_root() {
    let only = |entity: &str| {
        Some((PolicyRule::Entity, format!("the entity `{entity}` is available as the outermost source only")))
    };
    let counted = |entity: &'static str| {
        prop("Id")
            .gt(crate::expr::ValueTypeExpr::from(from(entity).select([prop("Id").count().alias("n")]).into_segment()))
    };
    for root in ["Order", "OrderView"] {
        let policy = allowing(root, &["OtherView"]);
        for tree in [counted("OtherView"), exists("OtherView", None).into()] {
            assert_eq!(check(&policy, tree.clone()), only("OtherView"), "{root} {tree:?}");
            assert_eq!(check(&policy.clone().allow_entity(root), tree.clone()), None, "{root} {tree:?}");
        }
    }
    // Where a view is the root, its table is allowed by its own name, and so are the views that show it.
    let policy = allowing("OrderView", &["LineView", "OtherView"]);
    let note = || LogicExpr::from(exists("LineView", prop("OrderNote").gt(1)));
    assert!(check(&policy, note()).is_some());
    for named in ["Order", "OrderView"] {
        let policy = policy.clone().allow_entity(named);
        assert_eq!(check(&policy, note()), None, "{named}");
        assert_eq!(check(&policy, counted("OtherView")), None, "{named}");
    }
    // What the outermost view shows is the program's to say.
    assert_eq!(check(&policy, prop("Note").gt(1) & prop("Mail").gt(1)), None);
}

/// A list narrows, and opens nothing: not the root's own, and not that of the table that a view as root shows.
#[test]
fn a_list_does_not_open_the_root() {
    for root in ["Order", "OrderView"] {
        for listed in ["Order", "OrderView", "OtherView"] {
            let policy = allowing(root, &["LineView", "FarView"]).only_properties(listed, ["Id", "Note"]);
            let closed = [
                LogicExpr::from(exists(listed, prop("Note").gt(1))),
                prop("Id").in_list(from(listed).select(["Note"])),
                exists("LineView", prop("OrderNote").gt(1)).into(),
                exists("FarView", prop("FarMail").gt(1)).into(),
            ];
            for tree in closed {
                let found = check(&policy, tree.clone()).map(|(rule, _)| rule);
                assert!(
                    matches!(found, Some(PolicyRule::Entity | PolicyRule::HiddenProperty)),
                    "{root} {listed} {found:?} {tree:?}"
                );
                // What opens it is its name, or that of its table, whatever the order.
                for named in [root, "Order"] {
                    assert_eq!(
                        check(&policy.clone().allow_entity(named), tree.clone()),
                        None,
                        "{root} {listed} {tree:?}"
                    );
                }
            }
            assert_eq!(check(&policy, prop("Note").gt(1)), None, "{root} {listed}");
        }
    }
    // Another view of the table does not open what it shows.
    let policy = allowing("OrderView", &["OtherView"]);
    assert!(check(&policy, exists("OtherView", None)).is_some());
}

/// Entities over one table are the root by other names, as views of it are, whichever of them is defined first. Only the
/// root opens it, or the entity that the root is a view of: another one may have fewer columns.
#[test]
fn an_entity_over_the_table_of_the_root_is_the_root() {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    let order = |name: &'static str, table: &'static str| {
        TableDef::new(name).table(table).column(id()).column(ColumnDef::new("Note", Int32))
    };
    let full = || order("Order", "sales.orders").column(ColumnDef::new("Price", Int32));
    let brief = || order("Brief", "Sales.Orders").data_source("main");
    for same_table in [[full(), brief()], [brief(), full()]] {
        let first = same_table[0].clone();
        let to_brief = ColumnDef::new("OrderId", Int32).foreign(ForeignType::new("Brief").alias("Brief"));
        let catalog = same_table
            .into_iter()
            .fold(Catalog::builder(), |all, one| all.table(one))
            .table(order("Archived", "archive.orders"))
            .table(TableDef::new("Line").column(id()).column(to_brief))
            .view(ViewDef::new("OrderView", "Order"))
            .view(ViewDef::new("BriefView", "Brief"))
            .view(ViewDef::new("BriefCopy", "BriefView"))
            .view(ViewDef::new("LineView", "Line").foreign_column("OrderNote", "Brief", "Note"))
            .build()
            .unwrap();
        let check = |policy: &QueryPolicy, tree: LogicExpr| {
            policy.check(&Expr::from(tree), &catalog).err().map(|refusal| refusal.rule)
        };
        let over = [("Order", "Order"), ("OrderView", "Order"), ("Brief", "Brief"), ("BriefView", "Brief")];
        for (root, base) in over.into_iter().chain([("BriefCopy", "Brief")]) {
            let policy = allowing(root, &["Line", "LineView", "Archived"]);
            let shown = || LogicExpr::from(exists("LineView", prop("OrderNote").gt(1)));
            for (other, _) in over {
                let context = format!("{root} {other} {first:?}");
                let opens = other == root || other == base;
                let policy = policy.clone().allow_entity(other);
                for rows in [exists(other, prop("Note").gt(1)), exists(root, prop("Id").gt(1))] {
                    let rows = LogicExpr::from(rows);
                    assert_eq!(check(&policy, rows.clone()), (!opens).then_some(PolicyRule::Entity), "{context}");
                    assert_eq!(check(&policy.clone().allow_entity(root), rows.clone()), None, "{context}");
                    assert_eq!(check(&policy.clone().allow_entity(base), rows), None, "{context}");
                }
                assert_eq!(check(&policy, shown()), (!opens).then_some(PolicyRule::HiddenProperty), "{context}");
            }
            assert_eq!(check(&policy, shown()), Some(PolicyRule::HiddenProperty), "{root} {first:?}");
            assert_eq!(check(&policy, exists("Archived", prop("Note").gt(1)).into()), None, "{root} {first:?}");
        }
    }
}
