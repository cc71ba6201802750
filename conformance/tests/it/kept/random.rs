//! Random trees, and every case, with values of all kinds.

use isogloss_cases::{cases, targets};
use isogloss_compiler::chrono::{NaiveDate, NaiveDateTime};
use isogloss_compiler::expr::{
    Decimal, Expr, InsertExpr, InsertSource, LogicExpr, LogicOperator, SelectItemExpr, SqlSegment, Value, ValueOps,
    ValueRef, ValueTypeExpr, constant, from, func, if_else, prop, table, value,
};
use isogloss_compiler::model::{Catalog, sample};
use isogloss_compiler::uuid::Uuid;
use isogloss_compiler::walk::{ExprMut, rewrite};
use isogloss_compiler::{Compiler, ErrorKind, InsertRows, Request, Scope, Target, Verb};
use isogloss_conformance::generate::{self, Choices};
use isogloss_testkit::random::{count, number, seed};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{Side, agree, agree_bound, agree_rows, compiled, sides};

/// Returns with how many other values each tree is compiled.
fn values() -> u64 {
    count(2, 5)
}

/// For how many targets each random tree is compiled.
const SIDES: usize = 6;

/// Each value that may differ between statements of one shape is another one of its kind. The same few come again, so that
/// some are equal.
pub(super) fn other_values(tree: &mut Expr, mut next: impl FnMut(usize) -> usize) {
    rewrite(tree, |node| match node {
        ExprMut::Value(ValueTypeExpr::Value(node)) | ExprMut::Constant(node) if !node.is_const => {
            another(&mut node.value, &mut next);
        }
        ExprMut::Insert(InsertExpr { source: InsertSource::Values(values), .. }) => {
            values.iter_mut().for_each(|value| another(value, &mut next));
        }
        _ => {}
    });
}

fn another(value: &mut Value, next: &mut dyn FnMut(usize) -> usize) {
    if let Value::List(items) = value {
        let mut others: Vec<Value> = items.iter().cloned().collect();
        others.iter_mut().for_each(|value| another(value, next));
        // Some are longer, some are shorter.
        match next(6) {
            0 => others.truncate(1),
            1 => others.extend_from_within(..),
            _ => {}
        }
        *value = Value::List(others.into());
        return;
    }
    let new = match &*value {
        Value::Int(_) => [0, 1, 1, -1, 127, 128, 32_768, 1 << 31, -(1 << 31) - 1, i64::MAX, i64::MIN][next(11)].into(),
        Value::Text(text) if !text.is_empty() => {
            let long = "x".repeat(if next(2) == 0 { 255 } else { 4_001 });
            let texts = ["a", "A", "a ", "B-2", "%", "_\\[", "'", "\0", "0", "2024-02-29", "é", "ß", &long];
            texts[next(texts.len())].into()
        }
        Value::Bool(_) => (next(2) == 0).into(),
        Value::Float(_) => [0.0, -0.0, 1.5, 1e300, f64::MIN_POSITIVE, f64::NAN, f64::INFINITY][next(7)].into(),
        Value::Decimal(_) => {
            let text = ["0", "1", "1.0", "-1.005", "99999999999999999999999999999999999999", "0.000001"][next(6)];
            text.parse::<Decimal>().unwrap().into()
        }
        Value::Uuid(_) => Uuid::from_u128([0, 1, u128::MAX][next(3)]).into(),
        Value::Date(_) => [NaiveDate::MIN, NaiveDate::MAX, NaiveDate::default()][next(3)].into(),
        Value::DateTime(_) => {
            let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
            let time = [0, 1, 120_000_000, 999_999_999][next(4)];
            [day.and_hms_nano_opt(23, 59, 59, time).unwrap(), NaiveDateTime::default()][next(2)].into()
        }
        _ => return,
    };
    *value = new;
}

/// One value in three is a constant of the program.
fn some_constants(tree: &mut Expr, mut next: impl FnMut(usize) -> usize) {
    rewrite(tree, |node| {
        if let ExprMut::Value(ValueTypeExpr::Value(node)) = node {
            node.is_const = next(3) == 0;
        }
    });
}

/// All values are constants of the program, but those that are beside a property.
fn beside_properties(tree: &mut Expr) {
    rewrite(&mut *tree, |node| {
        if let ExprMut::Value(ValueTypeExpr::Value(node)) = node {
            node.is_const = true;
        }
    });
    rewrite(tree, |node| {
        if let ExprMut::Logic(LogicExpr::Binary(node)) = node
            && let (ValueTypeExpr::Property(_), ValueTypeExpr::Value(value)) = (&node.left, &mut node.right)
        {
            value.is_const = false;
        }
    });
}

/// A tree, and others with other values.
fn with_others(tree: &Expr, mut next: impl FnMut(usize) -> usize) -> Vec<Expr> {
    let mut trees = vec![tree.clone(), tree.clone()];
    for _ in 0..values() {
        let mut other = tree.clone();
        other_values(&mut other, &mut next);
        trees.push(other);
    }
    trees
}

/// Compiles trees on both sides, each within the scope of its place, if there are any.
fn all_agree<'s>(sides: impl IntoIterator<Item = &'s Side>, trees: &[Expr], scopes: &[Scope], request: &Request<'_>) {
    for side in sides {
        for (place, tree) in trees.iter().enumerate() {
            let scope = scopes.get(place % scopes.len().max(1)).or(request.scope);
            agree(side, tree, &scope.map_or(*request, |scope| request.scope(scope)));
        }
        agree_bound(side, trees, scopes, request);
        if scopes.is_empty() && request.scope.is_none() {
            agree_rows(side, trees, request);
        }
    }
}

/// What is asked of a target.
struct Drawn {
    tree: Expr,
    root: Option<&'static str>,
    scopes: Vec<Scope>,
}

fn random(catalog: &Catalog, draw: impl Fn(&[u32]) -> Drawn) {
    let sides = sides(catalog, generate::IN_LIST);
    let trees = number("ISOGLOSS_KEPT").unwrap_or(count(200, 2_000));
    let seed = seed();
    println!("{trees} trees; again with ISOGLOSS_SEED={seed}");
    let before = Target::kept();
    for done in 0..trees {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&(seed + done).to_le_bytes());
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
        let list =
            proptest::collection::vec(proptest::num::u32::ANY, 400..=400).new_tree(&mut runner).unwrap().current();
        let (shape, values) = list.split_at(240);
        let Drawn { mut tree, root, scopes } = draw(shape);
        let mut values = Choices::new(values);
        match values.below(4) {
            0 => beside_properties(&mut tree),
            1 => some_constants(&mut tree, |count| values.below(count)),
            _ => {}
        }
        let verb = [Verb::Select, Verb::Select, Verb::Count, Verb::Exists][values.below(4)];
        let request = root.map_or_else(Request::default, Request::of).verb(verb);
        let request = if values.below(2) == 0 { request.columns() } else { request };
        let some: Vec<_> = (0..SIDES).map(|_| &sides[values.below(sides.len())]).collect();
        let trees = with_others(&tree, |count| values.below(count));
        all_agree(some, &trees, &scopes, &request);
    }
    let after = Target::kept();
    let (hits, misses) = (after.hits - before.hits, after.misses - before.misses);
    println!("{hits} kept, {misses} compiled of those that have a shape");
    assert!(hits > trees, "{hits} of {trees} trees");
}

#[test]
fn random_queries() {
    let catalog = generate::catalog::catalog().unwrap();
    random(&catalog, |list| {
        let tree = generate::query(&catalog, &mut Choices::new(list));
        Drawn { tree, root: None, scopes: Vec::new() }
    });
}

#[test]
fn random_filters() {
    let catalog = generate::catalog::catalog().unwrap();
    random(&catalog, |list| {
        let (entity, filter) = generate::predicate(&catalog, &mut Choices::new(list));
        Drawn { tree: filter.into(), root: Some(entity), scopes: Vec::new() }
    });
}

/// Of one row and of several.
#[test]
fn random_inserts() {
    let catalog = generate::catalog::catalog().unwrap();
    random(&catalog, |list| {
        let (_, mut tree) = generate::insert(&catalog, &mut Choices::new(list));
        if let Expr::Insert(insert) = &mut tree
            && list.last().is_some_and(|last| last.is_multiple_of(2))
        {
            let InsertExpr { source, columns, .. } = &mut **insert;
            if let InsertSource::Values(values) = source {
                values.truncate(columns.len());
            }
        }
        Drawn { tree, root: None, scopes: Vec::new() }
    });
}

#[test]
fn random_changes() {
    let catalog = generate::catalog::catalog().unwrap();
    random(&catalog, |list| {
        let (_, _, update, delete) = generate::write(&catalog, &mut Choices::new(list));
        let tree = if list.last().is_some_and(|last| last.is_multiple_of(3)) { delete } else { update };
        Drawn { tree, root: None, scopes: Vec::new() }
    });
}

/// A scope's values are those of the request, too.
#[test]
fn random_scopes() {
    let catalog = generate::catalog::tenants().unwrap();
    random(&catalog, |list| {
        let (scope, tree) = list.split_at(60);
        // The second choice is most often the tenant.
        let scopes = [scope[1], scope[1], 0, 3, 4].map(|second| {
            let mut scope = scope.to_vec();
            scope[1] = second;
            generate::region(&mut Choices::new(&scope)).scope
        });
        let tree = generate::query(&catalog, &mut Choices::new(tree));
        Drawn { tree, root: None, scopes: scopes.into() }
    });
}

#[test]
fn every_case() {
    let sides = sides(&sample::catalog(), generate::IN_LIST);
    let before = Target::kept();
    let mut at = 0;
    for case in cases::all().into_iter().flat_map(|(_, cases)| cases) {
        let trees = with_others(&case.expr, |count| {
            at += 7;
            at % count
        });
        let some =
            sides.iter().filter(|(target, _)| case.targets().iter().any(|of| of.label() == target.dialect().label()));
        all_agree(some, &trees, &[], &case.request());
    }
    let after = Target::kept();
    assert!(after.hits > before.hits + 1_000, "{after:?}");
}

/// What is most of what programs ask, is kept.
#[test]
fn the_usual_is_kept() {
    let compiler = Compiler::new(sample::catalog());
    let request = Request::default();
    for target in targets() {
        let target = compiler.target(&*target.dialect);
        let kept = |filter: fn(i64) -> Expr, request: &Request<'_>| {
            let before = Target::kept().hits;
            (0..4).for_each(|n| drop(compiled(&target, &filter(n), request).unwrap()));
            Target::kept().hits - before
        };
        let orders = Request::of("Order");
        assert_eq!(kept(|n| prop("Id").eq(n).into(), &orders), 2);
        assert_eq!(kept(|n| (prop("Id").gt(n) & prop("OrderNo").eq(format!("A{n}"))).into(), &orders), 2);
        let page = |n: i64| -> Expr {
            let query = from("Order").filter(prop("Id").gt(n) | prop("Paid").eq(true));
            query.order_by([prop("Id").asc()]).section(20, 20).into()
        };
        assert_eq!(kept(page, &orders.columns()), 2);
        assert_eq!(kept(page, &orders.verb(Verb::Count)), 2);
        let search = |n: i64| -> Expr { (prop("OrderNo").starts_with(format!("A{n}")) & prop("Id").gt(n)).into() };
        assert_eq!(kept(search, &orders), 2);
        let with_constant = |n: i64| -> Expr {
            (prop("OrderNo").starts_with(constant("A")) & prop("Paid").eq(constant(true)) & prop("Id").gt(n)).into()
        };
        assert_eq!(kept(with_constant, &orders), 2);
        let listed = |n: i64| -> Expr { prop("Id").in_list([n, n + 1, n + 2]).into() };
        assert_eq!(kept(listed, &orders), 2);
        let order = |n: i64| -> Expr {
            table("Order").insert(["OrderNo", "Paid"], vec![format!("A{n}").into(), true.into()]).into()
        };
        assert_eq!(kept(order, &Request::default()), 2);
        fn rows(n: i64) -> InsertExpr {
            let row = |n: i64| [Value::from(format!("A{n}")), false.into()];
            table("Order").insert(["OrderNo", "Paid"], [row(n), row(n + 1), row(n + 2)].concat())
        }
        assert_eq!(kept(|n| table("Order").insert(["OrderNo"], vec![n.to_string().into()]).into(), &request), 2);
        assert_eq!(kept(|n| rows(n).into(), &request), 2);
        assert_eq!(kept(|n| rows(n).on_conflict_do_nothing(["OrderNo"]).into(), &request), 2);
        let upsert = |n: i64| {
            let row = vec![n.into(), 1.into(), n.into()];
            table("OrderItem")
                .insert(["OrderId", "LineNo", "Qty"], row)
                .on_conflict_update(["OrderId", "LineNo"])
                .into()
        };
        assert_eq!(kept(upsert, &request), 2);
        let paid = |n: i64| -> Expr {
            table("Order").update([("Qty", value(n)), ("Paid", value(true))]).filter(prop("Id").eq(n)).into()
        };
        assert_eq!(kept(paid, &request), 2);
        assert_eq!(kept(|n| table("Order").delete().filter(prop("Id").eq(n)).into(), &request), 2);
    }
}

/// What is prepared is compiled again for values of another kind, and then kept, but for those of which no kind tells the text.
#[test]
fn values_of_other_kinds_are_bound() {
    let compiler = Compiler::new(sample::catalog());
    for target in targets() {
        let target = compiler.target(&*target.dialect);
        let query = |text: Value, ids: Value| -> Expr {
            let ids = prop("Id").compare(LogicOperator::In, value(ids));
            from("Order").filter(prop("Note").eq(value(text)) & ids).select(["Id"]).into()
        };
        let ids = |ids: &[i64]| Value::from(ids.iter().copied().map(Value::from).collect::<Vec<_>>());
        let prepared = target.prepare(query("a".into(), ids(&[1, 2]))).unwrap();
        assert_eq!(prepared.len(), 2);
        let long = "x".repeat(4_001);
        for text in ["b".into(), Value::Null, "".into(), long.as_str().into()] {
            for ids in [ids(&[3, 4]), ids(&[5]), ids(&[]), Value::Null] {
                let tree = query(text.clone(), ids.clone());
                let full = compiled(&target, &tree, &Request::default());
                let bound = [text.clone(), ids];
                for _ in 0..2 {
                    let bound = prepared.bind(&bound).map_err(|error| error.to_string());
                    assert_eq!(bound, full, "{}", target.dialect().label());
                }
            }
        }
        let error = prepared.bind(&[1.into()]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::ValueCount { expected: 2, given: 1 }), "{error}");
        assert!(error.to_string().contains("the number of values is 1, and the prepared statement takes 2"), "{error}");
    }
}

/// Rows of any number, of which a text is kept for eight.
#[test]
fn rows_of_many_numbers_are_bound() {
    let compiler = Compiler::new(sample::catalog());
    for target in targets() {
        let target = compiler.target(&*target.dialect);
        let insert = target.prepare_insert("Order", &["Qty", "Note"], &[]).unwrap();
        for rows in (0..12_i64).chain([3, 11, 0, 9]) {
            let values: Vec<Value> = (0..rows).flat_map(|n| [n.into(), Value::from(format!("note {n}"))]).collect();
            let tree: Expr = table("Order").insert(["Qty", "Note"], values.clone()).into();
            let borrowed: Vec<ValueRef<'_>> = values.iter().map(Into::into).collect();
            let bound = insert.bind(&borrowed).map(InsertRows::into_compiled).map_err(|error| error.to_string());
            assert_eq!(bound, compiled(&target, &tree, &Request::default()), "{}", target.dialect().label());
        }
        let part = insert.bind(&[1.into(), "a".into(), 2.into()]).unwrap_err();
        assert!(part.to_string().contains("3 values do not make rows of 2 columns"), "{part}");
        for (columns, error) in [(&["Qty", "Nope"][..], "Nope"), (&["Qty", "qty"], "twice"), (&[], "no columns")] {
            let found = target.prepare_insert("Order", columns, &[]).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}

/// So is a report, whose values stand in CASE, HAVING and arithmetic, and beside what is computed.
#[test]
fn a_report_is_kept() {
    let compiler = Compiler::new(sample::catalog());
    let report = |n: i64| -> Expr {
        let paid = if_else(prop("Paid").eq(true), prop("Qty"), n).sum();
        let groups = from("Order").filter(prop("OrderNo").ge(format!("A{n}"))).group_by([prop("CustomerId")]);
        let size = if_else(prop("Id").count().gt(n + 1), format!("large {n}"), "small");
        let items: [SelectItemExpr; 4] =
            [prop("CustomerId").into(), paid.alias("Paid"), (prop("Qty").sum() + n).alias("Sum"), size.alias("Size")];
        let listed = SqlSegment::from(groups.having(prop("Qty").sum().gt(n + 3)).select(items));
        listed
            .filter(prop("Sum").le(n + 1_000) & func("Lower", [prop("Size")]).ne(format!("x{n}")))
            .select(["Sum"])
            .into()
    };
    for target in targets() {
        let target = compiler.target(&*target.dialect);
        let before = Target::kept().hits;
        (0..4).for_each(|n| drop(compiled(&target, &report(n), &Request::default()).unwrap()));
        assert_eq!(Target::kept().hits - before, 2, "{}", target.dialect().label());
    }
}
