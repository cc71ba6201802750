//! Names of a policy and of a tree, in each spelling that the catalog takes.

use crate::expr::DbValueType::Int32;
use crate::expr::{Expr, LogicExpr, ValueOps, exists, exists_related, from, prop, prop_of};
use crate::model::{Catalog, ColumnDef, ForeignType, TableDef, ViewDef};
use crate::walk::{PolicyRule, QueryPolicy};

use super::asked::Watched;

/// What `Sales.Order` goes by.
const ORDER: [&str; 4] = ["Sales.Order", "sales.ORDER", "Order", "order"];

fn catalog() -> Catalog {
    let id = || ColumnDef::new("Id", Int32).primary_key();
    let to = |name: &'static str, entity: &'static str, alias: &'static str| {
        ColumnDef::new(name, Int32).foreign(ForeignType::new(entity).alias(alias).auto_expand())
    };
    let region = TableDef::new("Sales.Region").column(id()).column(ColumnDef::new("Name", Int32));
    let order = TableDef::new("Sales.Order").column(id()).column(ColumnDef::new("Amount", Int32));
    let order = order.column(ColumnDef::new("Margin", Int32)).column(to("RegionId", "Sales.Region", "Home"));
    let line = TableDef::new("Sales.Line").column(id()).column(to("OrderId", "Sales.Order", "Head"));
    let view = ViewDef::new("Sales.LineView", "Sales.Line").foreign_column("OrderMargin", "Head", "Margin");
    Catalog::builder().table(region).table(order).table(line).view(view).build().unwrap()
}

fn rule(policy: &QueryPolicy, tree: impl Into<Expr>) -> Option<PolicyRule> {
    policy.check(&tree.into(), &catalog()).err().map(|refusal| refusal.rule)
}

/// The trees that ask for the property of an order by each way, where lines are the root.
fn of_order(order: &'static str, property: &'static str) -> Vec<LogicExpr> {
    vec![
        exists_related(order, prop(property).gt(1)).into(),
        exists(order, prop_of("Sales.Order", property).gt(1)).into(),
        prop_of("Head", property).gt(1),
        prop("Id").in_list(from(order).select([prop(property)])),
    ]
}

#[test]
fn the_root_is_meant_by_each_of_its_names() {
    for named in ORDER {
        let policy = QueryPolicy::new(named);
        for spelled in ORDER {
            let rows = || from(spelled).filter(prop("Amount").gt(1));
            assert_eq!(rule(&policy, rows()), None, "{named} {spelled}");
            assert_eq!(rule(&policy, rows().select([prop("Id")])), None, "{named} {spelled}");
            // Once more only where that is said, by whatever name.
            let again = || LogicExpr::from(exists(spelled, prop("Amount").gt(1)));
            assert_eq!(rule(&policy, again()), Some(PolicyRule::Entity), "{named} {spelled}");
            for allowed in ORDER {
                let policy = policy.clone().allow_entity(allowed);
                assert_eq!(rule(&policy, again()), None, "{named} {spelled} {allowed}");
            }
        }
        let lines = from("Line").select([prop("Id")]);
        assert_eq!(rule(&policy.clone().allow_entity("LINE"), lines), Some(PolicyRule::Root), "{named}");
        // A qualifier is the catalog's own name.
        assert_eq!(rule(&policy, prop_of("Sales.Order", "Amount").gt(1)), None, "{named}");
    }
}

#[test]
fn what_is_denied_by_one_name_is_denied_by_all() {
    let hidden = Some(PolicyRule::HiddenProperty);
    for named in ORDER {
        for property in ["Margin", "MARGIN"] {
            for root in ["Sales.Line", "line", "LineView", "sales.lineview"] {
                let policy = || QueryPolicy::new(root).allow_entity("order").allow_entity("Region");
                let (denied, only) =
                    (policy().deny_properties(named, [property]), policy().only_properties(named, ["Amount", "Id"]));
                for policy in [denied, only] {
                    for spelled in ORDER {
                        for tree in of_order(spelled, "Amount") {
                            assert_eq!(rule(&policy, tree.clone()), None, "{named} {root} {tree:?}");
                        }
                        for tree in of_order(spelled, "Margin") {
                            assert_eq!(rule(&policy, tree.clone()), hidden, "{named} {root} {tree:?}");
                        }
                    }
                    if root.to_lowercase().ends_with("view") {
                        assert_eq!(rule(&policy, prop("OrderMargin").gt(1)), hidden, "{named} {root}");
                    }
                }
            }
            let root = QueryPolicy::new("Sales.Order").deny_properties(named, [property]);
            assert_eq!(rule(&root, prop("Margin").gt(1)), hidden, "{named}");
            for spelled in ORDER {
                assert_eq!(rule(&root, from(spelled).order_by([prop("margin")])), hidden, "{named} {spelled}");
            }
        }
    }
}

#[test]
fn a_relation_is_allowed_by_each_name_of_its_entity() {
    let along = |entity: &'static str| LogicExpr::from(exists_related(entity, prop("Name").gt(1)));
    for root in ORDER {
        let closed = QueryPolicy::new(root).allow_entity("region").deny_properties("Order", ["RegionId"]);
        for spelled in ["Region", "Sales.Region"] {
            assert_eq!(rule(&closed, along(spelled)), Some(PolicyRule::Relation), "{root}");
            assert_eq!(rule(&closed, prop_of("Home", "Name").gt(1)), Some(PolicyRule::UnknownAlias), "{root}");
            for named in ORDER {
                let open = closed.clone().allow_relation(named, "HOME");
                assert_eq!(rule(&open, along(spelled)), None, "{root} {named}");
                assert_eq!(rule(&open, prop_of("home", "Name").gt(1)), None, "{root} {named}");
            }
        }
    }
}

/// A slip in a policy, which might deny nothing, or allow it to nobody, lets no tree pass.
#[test]
fn a_name_that_the_catalog_does_not_have_is_an_error() {
    let policy = || QueryPolicy::new("Line");
    let slips: [(QueryPolicy, &str); 11] = [
        (
            QueryPolicy::new("Lin"),
            "`QueryPolicy::new` names `Lin`, and there is no entity or view of that name: mend the name",
        ),
        (policy().allow_entity("Ordr"), "`QueryPolicy::allow_entity` names `Ordr`, and there is no entity"),
        (
            policy().allow_entity("Other.Order"),
            "`QueryPolicy::allow_entity` names `Other.Order`, and there is no entity",
        ),
        (
            policy().deny_properties("Ordr", ["Id"]),
            "`QueryPolicy::deny_properties` names `Ordr`, and there is no entity",
        ),
        (
            policy().deny_properties("Order", ["Id", "Margn"]),
            "`QueryPolicy::deny_properties` names `Margn`, and `Sales.Order` has no property of that name: mend the name, or say it of the entity that has it",
        ),
        // Only the view has it.
        (
            policy().deny_properties("Line", ["OrderMargin"]),
            "`QueryPolicy::deny_properties` names `OrderMargin`, and `Sales.Line` has no property",
        ),
        (
            policy().only_properties("Lines", ["Id"]),
            "`QueryPolicy::only_properties` names `Lines`, and there is no entity",
        ),
        (
            policy().only_properties("Lines", [""; 0]),
            "`QueryPolicy::only_properties` names `Lines`, and there is no entity",
        ),
        (
            policy().only_properties("LINE", ["Ident"]),
            "`QueryPolicy::only_properties` names `Ident`, and `Sales.Line` has no property",
        ),
        (
            policy().allow_relation("Lines", "Head"),
            "`QueryPolicy::allow_relation` names `Lines`, and there is no entity",
        ),
        (
            policy().allow_relation("line", "Order"),
            "`QueryPolicy::allow_relation` names `Order`, and `Sales.Line` declares no join of that alias: mend the name, or say it of the entity that declares it",
        ),
    ];
    for (policy, message) in slips {
        let unknown = policy.validate(&catalog()).unwrap_err();
        assert!(unknown.to_string().starts_with(message), "{unknown}");
        for tree in [Expr::from(prop("Id").gt(1)), from("Line").into(), prop("Nope").gt(1).into()] {
            let refusal = policy.check(&tree, &catalog()).unwrap_err();
            // The stranger learns nothing of the policy, the program everything.
            let told = "the policy for this query does not fit the catalog, so that nothing is allowed at $";
            assert_eq!((refusal.rule, refusal.to_string().as_str()), (PolicyRule::Policy, told));
            let source = std::error::Error::source(&refusal).map(ToString::to_string);
            assert_eq!((source, refusal.source.as_deref()), (Some(unknown.to_string()), Some(&unknown)));
        }
    }
    let fits = policy().deny_properties("ORDER", ["margin"]).allow_relation("LineView", "head").allow_entity("region");
    assert_eq!(fits.validate(&catalog()), Ok(()));
}

/// What an entity may be called depends on the others: a name that two of them could mean is neither's.
#[test]
fn a_short_name_of_two_entities_is_none() {
    let table = |name: &'static str| TableDef::new(name).column(ColumnDef::new("Id", Int32).primary_key());
    let of = |names: &[&'static str]| {
        names.iter().fold(Catalog::builder(), |catalog, name| catalog.table(table(name))).build().unwrap()
    };
    let policy = QueryPolicy::new("A.Order").deny_properties("Order", ["Id"]);
    let hidden = |catalog| policy.check(&Expr::from(prop("Id").gt(1)), &catalog).map_err(|refusal| refusal.rule);
    assert_eq!(hidden(of(&["A.Order"])), Err(PolicyRule::HiddenProperty));
    assert_eq!(hidden(of(&["A.Order", "B.Order"])), Err(PolicyRule::Policy));
    // It is the other one that has the name.
    assert_eq!(hidden(of(&["A.Order", "Order"])), Ok(()));
}

#[test]
fn a_schema_is_asked_by_its_own_names() {
    let schema = Watched::new(catalog());
    for named in ORDER {
        let policy =
            QueryPolicy::new("LINE").only_properties(named, ["amount", "id"]).allow_relation("lineview", "head");
        let policy = policy.deny_properties("lineview", ["ordermargin"]).allow_entity("order").allow_entity("region");
        policy.validate(&schema).unwrap();
        for spelled in ORDER {
            for tree in of_order(spelled, "Amount") {
                assert_eq!(policy.check(&Expr::from(tree.clone()), &schema), Ok(()), "{tree:?}");
            }
            let everything = prop("Id").in_list(from(spelled).select_all());
            assert_eq!(
                policy.check(&Expr::from(everything), &schema).map_err(|it| it.rule),
                Err(PolicyRule::SelectAll)
            );
        }
        let rows = from("line").filter(exists_related(named, None)).select(["id"]);
        assert_eq!(policy.check(&Expr::from(rows), &schema), Ok(()));
    }
}
