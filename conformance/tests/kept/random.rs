//! Random trees, and every case, with values of all kinds.

use std::env;
use std::time::{SystemTime, UNIX_EPOCH};

use isogloss_compiler::chrono::{NaiveDate, NaiveDateTime};
use isogloss_compiler::expr::{
    Decimal, Expr, InsertExpr, InsertSource, LogicExpr, Value, ValueOps, ValueTypeExpr, constant, from, prop, table,
};
use isogloss_compiler::model::{Catalog, sample};
use isogloss_compiler::uuid::Uuid;
use isogloss_compiler::walk::{ExprMut, rewrite};
use isogloss_compiler::{Compiler, Request, Scope, Target, Verb};
use isogloss_conformance::generate::{self, Choices};
use isogloss_conformance::{cases, targets};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::{Side, agree, compiled, sides};

/// With how many other values each tree is compiled.
const VALUES: usize = 5;

/// For how many targets each random tree is compiled.
const SIDES: usize = 6;

fn number(name: &str) -> Option<u64> {
    env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Each value that may differ between statements of one shape is another one of its kind. The same few come again, so that
/// some are equal.
fn other_values(tree: &mut Expr, mut next: impl FnMut(usize) -> usize) {
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

/// All values are constants of the program, but those that are beside a property.
fn with_constants(tree: &mut Expr) {
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
    for _ in 0..VALUES {
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
            agree(side, tree, &Request { scope, ..*request });
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
    let trees = number("ISOGLOSS_KEPT").unwrap_or(2_000);
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let seed = number("ISOGLOSS_SEED").unwrap_or_else(clock);
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
        if values.below(4) > 0 {
            with_constants(&mut tree);
        }
        let verb = [Verb::Select, Verb::Select, Verb::Count, Verb::Exists][values.below(4)];
        let request = Request { verb, root, columns: values.below(2) == 0, ..Request::default() };
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

/// Rows are inserted one at a time, most often.
#[test]
fn random_inserts() {
    let catalog = generate::catalog::catalog().unwrap();
    random(&catalog, |list| {
        let (_, mut tree) = generate::insert(&catalog, &mut Choices::new(list));
        if let Expr::Insert(insert) = &mut tree {
            let InsertExpr { source, columns, .. } = &mut **insert;
            if let InsertSource::Values(values) = source {
                values.truncate(columns.len());
            }
        }
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
    }
}
