//! The schema of a view takes what the policy takes, and nothing else, of the trees that it is for.

use std::collections::HashMap;

use isogloss_compiler::expr::*;
use isogloss_compiler::json::{self, schema};
use isogloss_compiler::model::sample;
use isogloss_compiler::walk::{ExprType, QueryPolicy};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::{Union, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value as Json, json};

use super::validator;

fn policy() -> QueryPolicy {
    QueryPolicy::new("OrderView")
        .deny_properties("Order", ["TenantId"])
        .allow_entity("Customer")
        .allow_entity("Department")
        .deny_operators([LogicOperator::Like, LogicOperator::GreaterThanOrEqual])
        .forbid([ExprType::Case])
        .max_take(50)
}

/// What a property is compared with, and by what.
type Row = (&'static str, &'static [LogicOperator], Value);

const TEXT: &[LogicOperator] =
    &[LogicOperator::Equal, LogicOperator::Like, LogicOperator::Contains, LogicOperator::LessThan];
const NUMBER: &[LogicOperator] =
    &[LogicOperator::NotEqual, LogicOperator::GreaterThan, LogicOperator::GreaterThanOrEqual];
const TRUTH: &[LogicOperator] = &[LogicOperator::Equal, LogicOperator::IsDistinctFrom];

fn orders() -> Vec<Row> {
    let date = "2024-01-31".parse::<chrono::NaiveDate>().unwrap();
    vec![
        ("Note", TEXT, "a%".into()),
        ("customername", TEXT, "b".into()),
        ("CustomerName", TEXT, "b".into()),
        ("Qty", NUMBER, 5.into()),
        ("Amount", NUMBER, "1.50".parse::<Decimal>().unwrap().into()),
        ("Paid", TRUTH, true.into()),
        ("ShipDate", NUMBER, date.into()),
        ("ShipDate", NUMBER, "2024-01-31".into()),
        ("CreatedTime", NUMBER, date.and_hms_opt(1, 2, 3).unwrap().into()),
        ("Status", TRUTH, "Open".into()),
        ("Token", TRUTH, uuid::Uuid::from_u128(7).into()),
        ("Note", TRUTH, Value::Null),
        ("TenantId", NUMBER, 5.into()),
        ("Nope", NUMBER, 5.into()),
    ]
}

fn customers() -> Vec<Row> {
    vec![
        ("City", TEXT, "a".into()),
        ("Tier", NUMBER, 2.into()),
        ("CreditLimit", NUMBER, 2.into()),
        ("Qty1", NUMBER, 5.into()),
    ]
}

fn comparison(rows: Vec<Row>) -> BoxedStrategy<LogicExpr> {
    let mut all = Vec::new();
    for (name, operators, value) in rows {
        all.extend(operators.iter().map(|operator| (name, *operator, value.clone())));
    }
    let direct = select(all).prop_map(|(name, operator, value)| prop(name).compare(operator, value));
    direct.boxed()
}

fn logic(rows: Vec<Row>, inner: Option<BoxedStrategy<LogicExpr>>) -> BoxedStrategy<LogicExpr> {
    let names: Vec<&str> = rows.iter().map(|(name, ..)| *name).collect();
    let call = (select(vec!["Upper", "Length", "Replace", "Mine"]), select(names.clone()))
        .prop_map(|(function, name)| func(function, [prop(name)]).ne(1));
    let member = select(names).prop_map(|name| match name {
        "Qty" | "Tier" => prop(name).in_list([1, 2]),
        name => prop(name).is_null(),
    });
    let mut leaves = vec![(6, comparison(rows.clone())), (1, call.boxed()), (1, member.boxed())];
    if let Some(inner) = inner {
        // Inside of an EXISTS, the schema has the names of its entity only.
        leaves.extend([
            (1, Just(prop("Qty") + 1).prop_map(|sum| sum.gt(prop("Qty"))).boxed()),
            (1, Just(if_else(prop("Qty").gt(1), 1, 2).eq(1)).boxed()),
        ]);
        let over = (select(vec!["Customer", "Department", "Product"]), any::<bool>(), inner).prop_map(
            |(entity, related, inner)| {
                // The conditions inside are about customers.
                let inner = (entity == "Customer").then_some(inner);
                LogicExpr::from(ForeignExpr { auto_related: related, inner, ..exists_related(entity, None) })
            },
        );
        leaves.push((2, over.boxed()));
    }
    let leaf = Union::new_weighted(leaves);
    leaf.prop_recursive(3, 12, 3, |logic| {
        prop_oneof![
            proptest::collection::vec(logic.clone(), 0..3).prop_map(|items| LogicExpr::from(AndExpr { items })),
            proptest::collection::vec(logic.clone(), 0..3).prop_map(|items| LogicExpr::from(OrExpr { items })),
            logic.prop_map(|operand| !operand),
        ]
    })
    .boxed()
}

fn tree() -> BoxedStrategy<Expr> {
    let filter = logic(orders(), Some(logic(customers(), None)));
    let names: Vec<&str> = orders().iter().map(|(name, ..)| *name).collect();
    let page = (select(vec!["OrderView", "OrderView", "Customer"]), filter.clone(), select(names), 0..100_u64)
        .prop_map(|(entity, filter, name, take)| {
            Expr::from(from(entity).filter(filter).order_by([prop(name).desc()]).skip(3).take(take))
        });
    prop_oneof![3 => filter.prop_map(Expr::from), 1 => page].boxed()
}

/// Names in the schema are spelled as the view has them; `customername` is one by another case.
fn is_spelled(text: &str) -> bool {
    !text.contains("customername")
}

#[test]
fn the_policy_and_the_schema_agree() {
    let (catalog, policy) = (sample::catalog(), policy());
    let whole = schema::of_view(&catalog, &policy).unwrap();
    let flat = validator(&schema::unrolled(&whole, 8));
    let whole = validator(&whole);
    let (trees, mut runner) = (tree(), TestRunner::deterministic());
    let (mut allowed, mut refused) = (0, 0);
    for _ in 0..3_000 {
        let tree = trees.new_tree(&mut runner).unwrap().current();
        let text = json::to_string(&tree);
        let document: Json = serde_json::from_str(&text).unwrap();
        let checked = policy.check(&tree, &catalog);
        let (is_allowed, is_valid) = (checked.is_ok(), whole.is_valid(&document));
        if is_spelled(&text) {
            assert_eq!(is_allowed, is_valid, "{text}\n{checked:?}");
            assert_eq!(is_valid, flat.is_valid(&document), "unrolled: {text}");
        } else {
            assert!(!is_valid, "{text}");
        }
        *if is_allowed { &mut allowed } else { &mut refused } += 1;
    }
    assert!(allowed > 500 && refused > 500, "{allowed} {refused}");
}

#[test]
fn a_literal_is_of_its_propertys_type() {
    let schema = validator(&schema::of_view(&sample::catalog(), &policy()).unwrap());
    let compare = |name: &str, sign: &str, right: Json| {
        schema.is_valid(&json!({ "$": sign, "Left": { "#": name }, "Right": right }))
    };
    assert!(
        compare("Qty", "<", json!(5)) && compare("Qty", "<", json!({ "@": 5 })) && compare("Qty", "==", Json::Null)
    );
    assert!(compare("Qty", "in", json!([1, 2])) && compare("Qty", "in", json!({ "@": [1, 2] })));
    assert!(!compare("Qty", "<", json!("five")) && !compare("Qty", "<", json!(5_000_000_000_i64)));
    assert!(!compare("Qty", "contains", json!("5")) && !compare("Qty", "in", json!(["a"])));
    assert!(compare("Status", "==", json!("Open")) && !compare("Status", "==", json!("Opened")));
    assert!(
        compare("ShipDate", "<", json!("2024-01-31")) && compare("ShipDate", "<", json!({ "$date": "2024-01-31" }))
    );
    assert!(!compare("ShipDate", "<", json!("soon")) && !compare("Paid", "<", json!(true)));
    assert!(compare("Note", "contains", json!("a")) && !compare("Note", "contains", json!(5)));
    // No aggregate, though the policy has it: nothing here is grouped.
    let upper = |name: &str| json!({ "$": "==", "Left": { "$": "func", name: [{ "#": "Note" }] }, "Right": "A" });
    assert!(schema.is_valid(&upper("Upper")) && !schema.is_valid(&upper("Max")) && !schema.is_valid(&upper("Replace")));
    // No comparison of constants, no row of its own, nothing beyond the longest list.
    assert!(!schema.is_valid(&json!({ "$": "==", "Left": 1, "Right": 1 })));
    assert!(!compare("Qty", "in", Json::Array(vec![json!(1); 1_001])));
    assert!(
        !schema.is_valid(&json!({ "$section": null, "Take": 51 }))
            && schema.is_valid(&json!({ "$section": null, "Take": 50 }))
    );
    assert!(
        !schema.is_valid(&json!({ "$section": null }))
            && !schema.is_valid(&json!({ "$delete": { "$table": "Order" } }))
    );
}

/// The definitions that a schema refers to.
fn references(schema: &Json, found: &mut Vec<String>) {
    match schema {
        Json::Object(keys) => {
            found.extend(keys.get("$ref").and_then(Json::as_str).map(|at| at["#/$defs/".len()..].to_owned()));
            keys.values().for_each(|held| references(held, found));
        }
        Json::Array(items) => items.iter().for_each(|item| references(item, found)),
        _ => {}
    }
}

#[test]
fn an_unrolled_schema_has_an_end() {
    for schema in [schema::of_view(&sample::catalog(), &policy()).unwrap(), schema::canonical(), schema::notation()] {
        let flat = schema::unrolled(&schema, 3);
        validator(&flat);
        let mut open: HashMap<&str, Vec<String>> = HashMap::new();
        for (name, definition) in flat["$defs"].as_object().unwrap() {
            let mut targets = Vec::new();
            references(definition, &mut targets);
            open.insert(name, targets);
        }
        // Those that lead to none that is left come away, until nothing is left.
        while !open.is_empty() {
            let ends: Vec<&str> = open
                .iter()
                .filter(|(_, to)| !to.iter().any(|to| open.contains_key(&**to)))
                .map(|(name, _)| *name)
                .collect();
            assert!(!ends.is_empty(), "{:?}", open.keys());
            ends.iter().for_each(|name| drop(open.remove(name)));
        }
        let mut targets = Vec::new();
        references(&flat, &mut targets);
        assert!(targets.iter().all(|name| flat["$defs"].get(name).is_some()));
    }
}
