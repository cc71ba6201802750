//! Each place where a value may stand, with values of each class: one statement is kept, and filled with each of the others.

use isogloss_cases::calls::calls;
use isogloss_compiler::chrono::NaiveDate;
use isogloss_compiler::expr::{
    DbValueType as T, Decimal, Expr, LogicOperator as O, SelectItemExpr, SqlSegment, Value, ValueOps, ValueTypeExpr,
    case, concat, constant, from, func, if_else, null, prop, row, value,
};
use isogloss_compiler::model::sample;
use isogloss_compiler::uuid::Uuid;
use isogloss_compiler::{Request, Target};
use isogloss_conformance::suite::{Schema, Suite};
use isogloss_testkit::random::count;

use super::random::other_values;
use super::{Side, agree, sides};

/// Values of which each may be a hit for the ones that are beside it.
fn classes() -> Vec<Vec<Value>> {
    let decimals = ["7", "0", "1.50", "-1.005", "99999999999999999999999999999999999999"];
    let day = |day| NaiveDate::from_ymd_opt(2024, 2, day).unwrap();
    vec![
        [7_i64, 1, 0, -1, 128, 1 << 31, 1_000_000_000, i64::MAX, i64::MIN].map(Value::from).into(),
        [1.5, 0.0, -0.0, 2.0, -1.5, 1e300, f64::NAN, f64::INFINITY].map(Value::from).into(),
        decimals.map(|text| text.parse::<Decimal>().unwrap().into()).into(),
        ["b", "a", "", "\0", "%", "_\\[", "2024-02-29", "2024-02-29 10:30", "5", "ab ", "é", "$.a", "{\"a\":1}"]
            .map(Value::from)
            .into(),
        vec!["x".repeat(255).into(), "x".repeat(256).into(), "x".repeat(4_001).into()],
        [true, false].map(Value::from).into(),
        [day(1), day(29), NaiveDate::MAX].map(Value::from).into(),
        [day(1).and_hms_nano_opt(0, 0, 0, 0), day(1).and_hms_nano_opt(1, 2, 3, 999_999_999)]
            .map(|at| at.unwrap().into())
            .into(),
        [Uuid::nil(), Uuid::from_u128(7)].map(Value::from).into(),
        vec![Value::Null],
    ]
}

type Place = fn(ValueTypeExpr) -> Expr;

fn list(items: impl IntoIterator<Item = ValueTypeExpr>) -> Expr {
    let items = items.into_iter().enumerate().map(|(at, item)| item.alias(format!("c{at}")));
    from("Order").select(items.collect::<Vec<SelectItemExpr>>()).into()
}

fn one(item: impl Into<ValueTypeExpr>) -> Expr {
    list([item.into()])
}

fn groups() -> SqlSegment {
    from("Order").group_by([prop("CustomerId")])
}

fn counted(groups: SqlSegment) -> Expr {
    groups.select([prop("Id").count().alias("n")]).into()
}

fn places() -> Vec<(&'static str, Place)> {
    vec![
        ("an item", |v| one(v)),
        ("two items", |v| list([v.clone(), v])),
        ("WHEN", |v| one(if_else(prop("Id").gt(1), v, prop("Qty")))),
        ("WHEN of a text", |v| one(if_else(prop("Id").gt(1), v, prop("OrderNo")))),
        ("WHEN of a decimal", |v| one(if_else(prop("Id").gt(1), prop("Amount"), v))),
        ("values alone", |v| one(if_else(prop("Id").gt(1), v, null()))),
        ("values of one kind", |v| one(if_else(prop("Id").gt(1), v.clone(), v))),
        ("beside a constant", |v| one(if_else(prop("Id").gt(1), v, constant(1)))),
        ("an aggregate of a CASE", |v| one(if_else(prop("Paid").eq(true), prop("Qty"), v).sum())),
        ("the least of a CASE", |v| one(if_else(prop("Paid").eq(true), v, null()).min())),
        ("HAVING", |v| counted(groups().having(prop("Qty").sum().gt(v)))),
        ("HAVING of decimals", |v| counted(groups().having(prop("Amount").sum().le(v)))),
        ("HAVING of averages", |v| counted(groups().having(prop("Qty").avg().eq(v)))),
        ("a group", |v| {
            let key = if_else(prop("Qty").gt(value(1)), v.clone(), null());
            from("Order").group_by([key.clone()]).select([key.alias("k"), prop("Id").count().alias("n")]).into()
        }),
        ("a group of another", |v| {
            let key = |v| if_else(prop("Qty").gt(1), v, null());
            from("Order").group_by([key(v)]).select([key(value(1).into()).alias("k")]).into()
        }),
        ("plus", |v| list([prop("Qty") + v.clone(), v - prop("Amount")])),
        ("times", |v| list([prop("Qty") * v.clone(), prop("Amount") * v])),
        ("divided", |v| list([prop("Qty") / v.clone(), prop("Amount") / v])),
        ("a dividend", |v| list([v.clone() / prop("Qty"), v / prop("Amount")])),
        ("beside a double", |v| list([prop("Qty").cast(T::Double) / v.clone(), prop("Qty").cast(T::Double) + v])),
        ("a moved date", |v| one(func("AddDays", [ValueTypeExpr::from(prop("ShipDate")), v]))),
        ("a part of a date", |v| one(func("Year", [v]))),
        ("a length", |v| one(func("Left", [ValueTypeExpr::from(prop("OrderNo")), v]))),
        ("a remainder", |v| list([prop("Qty") % v.clone(), v % prop("Id")])),
        ("a sign", |v| one(-v)),
        ("texts", |v| list([concat(prop("OrderNo"), v.clone()).into(), concat(v, prop("Note")).into()])),
        ("a cast", |v| list([v.clone().cast(T::String).into(), v.cast(T::Int32).into()])),
        ("beside a sum", |v| (prop("Qty") + 1).eq(v).into()),
        ("beside a quotient", |v| (prop("Amount") / 3).gt(v).into()),
        ("beside a function", |v| func("Lower", [prop("OrderNo")]).ne(v).into()),
        ("beside dates", |v| func("AddDays", [ValueTypeExpr::from(prop("ShipDate")), value(1).into()]).lt(v).into()),
        ("beside a year", |v| func("Year", [prop("CreatedTime")]).ne(v).into()),
        ("hours before a time", |v| {
            func("AddHours", [ValueTypeExpr::from(prop("CreatedTime")), v]).gt("2024-02-29T23:00:00").into()
        }),
        ("on the left", |v| v.le(prop("Qty")).into()),
        ("a text on the left", |v| v.eq(prop("Note")).into()),
        ("distinct", |v| (prop("Qty") + 1).compare(O::IsDistinctFrom, v).into()),
        ("a column that may be NULL", |v| prop("Note").compare(O::IsNotDistinctFrom, v).into()),
        ("beside an enumeration", |v| prop("Status").eq(v).into()),
        ("beside a date", |v| prop("ShipDate").ge(v).into()),
        ("beside a time", |v| prop("CreatedTime").eq(v).into()),
        ("beside a UUID", |v| prop("Token").lt(v).into()),
        ("beside a case of texts", |v| {
            case([(prop("Id").gt(1), prop("OrderNo").into())], Some(value("b").into())).eq(v).into()
        }),
        ("a truth value", |v| v.is_true().into()),
        ("a row", |v| row([prop("Qty"), prop("Id")]).gt(row([v, value(1).into()])).into()),
        ("a list of rows", |v| {
            row([prop("Qty"), prop("CustomerId")])
                .in_list(row([row([v.clone(), value(1).into()]), row([v, value(2).into()])]))
                .into()
        }),
        ("a set", |v| prop("Qty").in_list(row([v, value(3).into()])).into()),
        ("a set of texts", |v| func("Lower", [prop("OrderNo")]).in_list(row([v, value("c").into()])).into()),
        ("a search", |v| func("Lower", [prop("OrderNo")]).compare(O::Contains, v).into()),
        ("a pattern", |v| func("Lower", [prop("OrderNo")]).compare(O::Like, v).into()),
        ("what is searched", |v| v.compare(O::StartsWith, prop("Note")).into()),
        ("a union", |v| {
            let one = |item: ValueTypeExpr| from("Order").select([item.alias("k")]);
            one(prop("Qty").into()).union(one(v)).into()
        }),
        ("a union of texts", |v| {
            let one = |item: ValueTypeExpr| from("Order").select([item.alias("k")]);
            one(v).union_all(one(prop("Note").into())).into()
        }),
        ("a window", |v| {
            one(func("Lag", [prop("Qty").into(), value(1).into(), v]).over().order_by([prop("Id").asc()]))
        }),
        ("a derived table", |v| {
            let inner = from("Order").select([prop("Id").alias("Id"), v.alias("k")]);
            SqlSegment::from(inner)
                .filter(prop("k").eq(value(7)) & prop("Id").gt(1))
                .select([prop("k").alias("k")])
                .into()
        }),
        ("a common table", |v| {
            let inner = from("Order").select([prop("Id").alias("Id"), (prop("Qty") + v).alias("k")]).with("c");
            SqlSegment::from(inner).filter(prop("k").gt(3)).select([prop("k").alias("k")]).into()
        }),
        ("an order", |v| {
            let key = if_else(prop("Qty").gt(1), v, null());
            from("Order").order_by([key.desc(), prop("Id").asc()]).section(0, 3).into()
        }),
    ]
}

/// Each value of a class is the one of which the statement is kept, and each of the others is filled in.
fn each_class(sides: &[Side], place: Place, request: &Request<'_>) {
    for class in classes() {
        for (at, first) in class.iter().enumerate() {
            // What is kept is of that value.
            let name = format!("n{at}");
            let tree = |value: &Value| -> Expr {
                match place(isogloss_compiler::expr::value(value.clone()).into()) {
                    Expr::Logic(logic) => from("Order").filter(logic).select([prop("Id").alias(name.as_str())]).into(),
                    Expr::Segment(SqlSegment::Select(mut select)) => {
                        select.alias = Some(name.as_str().into());
                        SqlSegment::Select(select).into()
                    }
                    other => other,
                }
            };
            let first = tree(first);
            let others: Vec<Expr> = class.iter().map(&tree).collect();
            for side in sides {
                [&first, &first].into_iter().chain(&others).for_each(|tree| agree(side, tree, request));
            }
        }
    }
}

#[test]
fn values_wherever_they_stand() {
    let sides = sides(&sample::catalog(), 64);
    // Each place is tried with some of the versions and modes of texts, the next place with the next ones.
    let step = usize::try_from(count(9, 3)).unwrap();
    let request = Request::default().columns();
    for (at, (what, place)) in places().into_iter().enumerate() {
        println!("{what}");
        let some: Vec<Side> = sides.iter().skip(at % step).step_by(step).cloned().collect();
        each_class(&some, place, &request);
    }
}

/// The calls of each function, with other values in the place of each that they are given.
#[test]
fn arguments_of_functions() {
    let schema = Schema::load(&Suite::folder().join("schemas"), "calls").unwrap();
    let sides = sides(schema.compiler.catalog(), 64);
    let before = Target::kept().hits;
    let mut at = 0_usize;
    for (place, call) in calls().into_iter().enumerate() {
        let mut trees = vec![call.query.clone(), call.query.clone()];
        for _ in 0..3 {
            let mut other = call.query.clone();
            other_values(&mut other, |count| {
                at += 7;
                at % count
            });
            trees.extend([other.clone(), other]);
        }
        for side in sides.iter().skip(place % 7).step_by(7) {
            trees.iter().for_each(|tree| agree(side, tree, &Request::default()));
        }
    }
    assert!(Target::kept().hits > before + 1_000, "{}", Target::kept().hits - before);
}
