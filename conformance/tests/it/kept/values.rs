//! What depends on the values of a tree, so that nothing may be kept of its shape, and what a thread keeps at most.

use std::sync::atomic::{AtomicUsize, Ordering};

use isogloss_cases::targets;
use isogloss_compiler::expr::{
    DbValueType as T, Decimal, Distinct, Expr, LogicExpr, LogicOperator, OrderByItemExpr, SqlSegment, Value, ValueOps,
    ValueTypeExpr, case, concat, constant, exists, exists_query, from, prop, prop_of, sql, table, value,
};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef, sample};
use isogloss_compiler::walk::{ExprRef, ExprType, Guard, QueryPolicy};
use isogloss_compiler::{CompileLimits, Compiler, Registry, Request, Target};

use super::{agree, agree_bound, compiled, sides};

fn flag(condition: impl Into<LogicExpr>) -> ValueTypeExpr {
    case([(condition.into(), constant(1).into())], Some(constant(0).into())).into()
}

fn by(values: impl IntoIterator<Item = ValueTypeExpr>) -> Vec<OrderByItemExpr> {
    values.into_iter().map(|field| OrderByItemExpr { field, ascending: true, nulls: Default::default() }).collect()
}

/// Two conditions are one where their values are equal: the statement with equal values is another one.
#[test]
fn values_that_are_compared_with_each_other() {
    fn users(age: i64) -> ValueTypeExpr {
        let users = from("User").aliased("u").filter(prop_of("u", "Age").gt(age));
        SqlSegment::from(users.select([prop_of("u", "Id").max().alias("m")])).into()
    }
    fn any(age: i64) -> ValueTypeExpr {
        let users = from("User").aliased("u").filter(prop_of("u", "Age").eq(age));
        flag(exists_query(users.select([prop_of("u", "Id").alias("x")])))
    }
    fn distinct(query: SqlSegment, items: Vec<isogloss_compiler::expr::SelectItemExpr>) -> Expr {
        let mut query = query.select(items);
        query.distinct = Distinct::Rows;
        query.into()
    }
    let above = |n: i64| flag(prop("Id").gt(n + 10));
    type Made = Box<dyn Fn(i64, i64) -> Expr>;
    let trees: [(&str, Made); 9] = [
        ("scalar queries", Box::new(|a, b| from("Order").order_by(by([users(a), users(b)])).into())),
        ("queries with rows", Box::new(|a, b| from("Order").order_by(by([any(a), any(b)])).into())),
        (
            "EXISTS",
            Box::new(|a, b| {
                let ex = |age: i64| flag(exists("User", prop("Age").eq(age)));
                from("Order").order_by(by([ex(a), ex(b)])).into()
            }),
        ),
        (
            "IN",
            Box::new(|a, b| {
                let ids = |age: i64| {
                    from("User")
                        .aliased("u")
                        .filter(prop_of("u", "Age").eq(age))
                        .select([prop_of("u", "Id").alias("x")])
                };
                let is = |age| flag(prop("Qty").in_list(ids(age)));
                from("Order").order_by(by([is(a), is(b)])).into()
            }),
        ),
        (
            "many keys",
            Box::new(move |a, b| {
                let last = [flag(prop("Id").eq(a)), flag(prop("Id").eq(b))];
                from("Order").order_by(by((0..18).map(above).chain(last))).into()
            }),
        ),
        (
            "one label",
            Box::new(|a, b| {
                let items = [users(a).alias("k"), users(b).alias("k"), prop("Id").alias("Id")];
                from("Order").select(items).into_segment().order_by([prop("k").asc()]).into()
            }),
        ),
        (
            "a group",
            Box::new(|a, b| {
                from("Order").group_by([users(a)]).select([users(b).alias("k"), prop("Id").count().alias("n")]).into()
            }),
        ),
        (
            "a plain group",
            Box::new(|a, b| {
                let is = |n: i64| flag(prop("Qty").gt(n));
                from("Order").group_by([is(a)]).select([is(b).alias("k"), prop("Id").count().alias("n")]).into()
            }),
        ),
        (
            "many distinct items",
            Box::new(move |a, b| {
                let items = (0..18).map(|n| above(n).alias(format!("c{n}"))).chain([flag(prop("Id").eq(a)).alias("z")]);
                distinct(from("Order").order_by(by([flag(prop("Id").eq(b))])), items.collect())
            }),
        ),
    ];
    let request = Request::default();
    let sides = sides(&sample::catalog(), 64);
    for (what, tree) in trees {
        println!("{what}");
        for [first, other] in [[(1, 1), (1, 2)], [(1, 2), (1, 1)]] {
            let [first, other] = [first, other].map(|(a, b)| tree(a, b));
            for side in &sides {
                [&first, &first, &first, &other].into_iter().for_each(|tree| agree(side, tree, &request));
            }
        }
    }
}

/// Two lists are one parameter of a key where they are equal.
#[test]
fn lists_that_are_compared_with_each_other() {
    let tree = |a: [i64; 3], b: [i64; 3]| -> Expr {
        let is = |list: [i64; 3]| prop("Id").in_list(list.to_vec());
        let first = case([(is(a), constant(1).into())], Some(constant(0).into()));
        let null = (prop("Qty").is_null(), constant(2).into());
        let second = case([(is(b), constant(1).into()), null], Some(constant(0).into()));
        let mut query = from("Order").select([prop("Id").alias("Id")]);
        query.distinct = Distinct::On(vec![first.into(), second.into()]);
        query.into()
    };
    let (same, other) = (tree([1, 2, 3], [1, 2, 3]), tree([1, 2, 3], [7, 8, 9]));
    for side in sides(&sample::catalog(), 2) {
        [&same, &same, &same, &other].into_iter().for_each(|tree| agree(&side, tree, &Request::default()));
    }
}

/// Texts that are searched for, and lists: those that are alike, and those that are written in another way.
#[test]
fn texts_and_lists_of_all_kinds() {
    use LogicOperator as O;
    let sides = sides(&sample::catalog(), 64);
    let request = Request::of("Order");
    let before = Target::kept().hits;
    let long = "x".repeat(256);
    let texts = ["ab", "ab", "cd", "a%", "_", "a[b", "*", "\\", "", "É", "x", &long, "a b", "7"];
    let searches =
        [O::StartsWith, O::NotEndsWith, O::Contains, O::Like, O::NotLike, O::IContains, O::IStartsWith, O::ILike];
    for operator in searches {
        for column in ["OrderNo", "Qty"] {
            for side in &sides {
                for text in texts {
                    let tree: Expr = (prop(column).compare(operator, text) & prop("Id").gt(text.len() as i64)).into();
                    agree(side, &tree, &request);
                }
            }
        }
    }
    let numbers: [&[i64]; 8] = [&[1, 2], &[1, 2], &[3, 3], &[i64::MAX, 0], &[4], &[], &[5, 6, 7], &[1 << 40, -1]];
    let words: [&[&str]; 7] = [&["a", "b"], &["a", "b"], &["c", "c"], &["", "d"], &["e"], &[&long, "f"], &["g ", "É"]];
    for negated in [false, true] {
        for side in &sides {
            let numbers =
                numbers.iter().flat_map(|list| ["Id", "Qty"].map(|column| prop(column).in_list(list.to_vec())));
            let words = words.iter().map(|list| prop("OrderNo").in_list(list.to_vec()));
            for filter in numbers.chain(words) {
                let tree: Expr = if negated { (!filter).into() } else { filter.into() };
                agree(side, &tree, &request);
            }
        }
    }
    assert!(Target::kept().hits > before + 1_000);
}

/// A list that is one parameter where a target can is that, or each of its values is, whatever its length and type.
#[test]
fn long_lists() {
    let sides = sides(&sample::catalog(), 4);
    let request = Request::default();
    let lists = |from: usize| {
        let numbers = move |n: usize| (from..from + n).map(|n| Value::from(n as i64)).collect::<Vec<_>>();
        let doubles = move |n: usize| (from..from + n).map(|n| Value::from(n as f64 + 0.5)).collect::<Vec<_>>();
        let texts = move |n: usize| (from..from + n).map(|n| Value::from(format!("a{n}"))).collect::<Vec<_>>();
        [5, 5, 4, 20, 8, 70].into_iter().flat_map(move |n| {
            [
                ("Order", "Id", numbers(n)),
                ("Order", "Qty", numbers(n)),
                ("Order", "Amount", doubles(n)),
                ("Order", "OrderNo", texts(n)),
                ("Order", "Note", texts(n)),
                ("Product", "Weight", doubles(n)),
            ]
        })
    };
    let query = |(entity, column, list): (&'static str, &str, Vec<Value>), negated: bool| -> Expr {
        let filter = prop(column).in_list(list);
        from(entity).filter(if negated { !filter } else { filter }).select(["Id"]).into()
    };
    let before = Target::kept().hits;
    for side in &sides {
        for negated in [false, true] {
            for list in lists(1).chain(lists(100)) {
                let tree = query(list, negated);
                [&tree, &tree].into_iter().for_each(|tree| agree(side, tree, &request));
            }
            // Lists of another length are beside each other.
            for (first, other) in lists(1).zip(lists(7).skip(12)) {
                agree_bound(side, &[query(first, negated), query(other, negated)], &[], &request);
            }
        }
    }
    assert!(Target::kept().hits > before + 1_000);
}

/// What a write refuses because of a value, whatever it was of the one that is kept.
#[test]
fn what_a_write_looks_at() {
    let lines = |keys: [i64; 2]| {
        let values = keys.into_iter().flat_map(|key| [7, key, 1].map(Value::from)).collect::<Vec<_>>();
        table("OrderItem").insert(["OrderId", "LineNo", "Qty"], values).on_conflict_update(["OrderId", "LineNo"])
    };
    let active = |state: i64| table("Department").insert(["Name", "State"], vec!["a".into(), state.into()]);
    let moved = |state: i64| table("Department").update([("State", value(state))]).filter(prop("Id").eq(1));
    let all = |n: i64| table("Order").update([("Qty", value(5))]).filter(prop("Id").eq(1) | value(n).eq(value(1)));
    let pairs: [(&str, Expr, Expr); 4] = [
        ("two rows of one key", lines([1, 2]).into(), lines([3, 3]).into()),
        ("a fixed column", active(1).into(), active(0).into()),
        ("a fixed column that is set", moved(1).into(), moved(0).into()),
        ("all rows", all(2).into(), all(1).into()),
    ];
    for side in sides(&sample::catalog(), 64) {
        for (what, first, other) in &pairs {
            println!("{what}");
            [first, first, first, other].into_iter().for_each(|tree| agree(&side, tree, &Request::default()));
        }
    }
}

/// A guard says what the policy says.
fn guarded<'e>(policy: &QueryPolicy, first: impl Into<ExprRef<'e>>, other: impl Into<ExprRef<'e>>) {
    let (first, other) = (first.into(), other.into());
    let catalog = sample::catalog();
    let guard = Guard::new(policy.clone(), catalog.clone()).unwrap();
    for tree in [first, first, first, other] {
        assert_eq!(guard.check(tree), policy.check(tree, &catalog));
    }
    assert_ne!(policy.check(first, &catalog), policy.check(other, &catalog), "they differ");
}

#[test]
fn a_guard_looks_where_values_count() {
    let defined = |a: i64, b: i64| -> Expr {
        let of = |n: i64| from("Order").filter(prop("Id").gt(n)).select([prop("Id").alias("Id")]).with("c");
        let inner: SqlSegment = of(b).into();
        SqlSegment::from(of(a)).filter(prop("Id").in_list(inner.select([prop("Id").alias("x")]))).into()
    };
    let tables = QueryPolicy::new("Order").allow([ExprType::CommonTable]).allow_entity("Order");
    guarded(&tables, &defined(1, 1), &defined(1, 2));

    let pattern = |text: &str| -> LogicExpr {
        let cases = (0..6).map(|_| (prop("OrderNo").eq(text), ValueTypeExpr::from(prop("OrderNo"))));
        prop("OrderNo").compare(LogicOperator::Like, case(cases, Some(prop("OrderNo").into())))
    };
    guarded(&QueryPolicy::new("Order"), &pattern("a"), &pattern(&"x".repeat(255)));

    let search = |text: &str| prop("OrderNo").starts_with(text);
    guarded(&QueryPolicy::new("Order").max_pattern_bytes(10), &search("a"), &search(&"x".repeat(11)));

    let put_together = |text: &str| prop("OrderNo").compare(LogicOperator::Like, concat("a", text));
    guarded(&QueryPolicy::new("Order").max_pattern_bytes(10), &put_together("a"), &put_together(&"x".repeat(11)));

    let texts = |text: &str| LogicExpr::any((0..40).map(|_| prop("OrderNo").eq(text)));
    guarded(&QueryPolicy::new("Order").max_text_bytes(2_000), &texts("a"), &texts(&"x".repeat(100)));

    let query: SqlSegment = from("User");
    guarded(&QueryPolicy::new("Order").allow_entity("User"), &table("User"), &query);
}

#[test]
fn a_guard_knows_what_it_has_allowed() {
    let guard = Guard::new(QueryPolicy::new("Order"), sample::catalog()).unwrap();
    let before = Target::kept().hits;
    (0..10).for_each(|n| guard.check(&prop("Id").gt(n)).unwrap());
    assert_eq!(Target::kept().hits - before, 8);
    (0..10).for_each(|n| drop(guard.check(&prop("None").gt(n)).unwrap_err()));
    assert_eq!(Target::kept().hits - before, 8);
}

/// A fragment of the program's may be another one each time.
#[test]
fn a_filter_that_the_program_makes_is_made_each_time() {
    static TEXT: AtomicUsize = AtomicUsize::new(0);
    let made = |kept| {
        let mut registry = Registry::default();
        registry.fragment("now", |cx, _| {
            cx.text(&format!("1 < {}", TEXT.load(Ordering::Relaxed)));
            Ok(())
        });
        let note = TableDef::new("Note").column(ColumnDef::new("Id", T::Int32).primary_key());
        let catalog = Catalog::builder().table(note.fixed_filter(sql("now", 1))).build().unwrap();
        Compiler::with_registry(catalog, registry).with_limits(CompileLimits::default().kept(kept))
    };
    let dialect = targets().remove(0).dialect;
    let side = (made(1 << 16).target(&*dialect), made(0).target(&*dialect));
    let tree: Expr = from("Note").aliased("n").filter(prop_of("n", "Id").gt(1)).into();
    for _ in 0..5 {
        TEXT.fetch_add(1, Ordering::Relaxed);
        agree(&side, &tree, &Request::default());
    }
}

/// One whose value is rounded says nothing of the others.
#[test]
fn a_shape_is_looked_at_again() {
    let (keeps, _) = sides(&sample::catalog(), 64).remove(0);
    let request = Request::of("Product");
    let ask = |text: &str| {
        let tree: Expr = prop("Price").eq(text.parse::<Decimal>().unwrap()).into();
        drop(compiled(&keeps, &tree, &request).unwrap());
    };
    ask("1.005");
    ask("1.005");
    let before = Target::kept().hits;
    (0..1_000).for_each(|n| ask(&n.to_string()));
    assert!(Target::kept().hits - before > 900, "{}", Target::kept().hits - before);
}

/// What a stranger sends that is long leaves nothing behind.
#[test]
fn long_names_take_no_room() {
    let guard = Guard::new(QueryPolicy::new("Order"), sample::catalog()).unwrap();
    let pages = || {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default()
    };
    let _ = guard.check(&prop("Id").gt(1));
    let before = pages();
    let long = prop("n".repeat(64 << 20)).gt(1);
    assert!(guard.check(&long).is_err());
    drop(long);
    assert!(pages().saturating_sub(before) < (16 << 20) / 4096, "{before} and {} pages", pages());
}
