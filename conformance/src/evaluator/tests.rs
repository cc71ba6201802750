//! What the evaluator says of small things, checked by hand.

use isogloss_compiler::args;
use isogloss_compiler::expr::*;
use isogloss_compiler::{Request, Verb};

use super::{Error, evaluate, execute};
use crate::data::{Answer, Data, TableData};
use crate::generate::catalog::catalog;

fn decimal(text: &str) -> Value {
    text.parse::<Decimal>().unwrap().into()
}

fn rows(entity: &str, columns: &[&str], rows: &[&[Value]]) -> TableData {
    TableData {
        entity: entity.into(),
        columns: columns.iter().map(|name| (*name).to_owned()).collect(),
        rows: rows.iter().map(|row| row.to_vec()).collect(),
    }
}

/// Two teams, one of which the fixed filter hides; three persons.
fn data() -> Data {
    let null = || Value::Null;
    let team = rows(
        "Team",
        &["Id", "Title", "State"],
        &[&[1.into(), "Red".into(), 1.into()], &[2.into(), "Blue".into(), 0.into()]],
    );
    let person = rows(
        "Person",
        &["Id", "TeamId", "BossId", "Name", "Age"],
        &[
            &[1.into(), 1.into(), null(), "Ann".into(), 30.into()],
            &[2.into(), 2.into(), 1.into(), "b%".into(), null()],
            &[3.into(), 1.into(), 1.into(), null(), 40.into()],
        ],
    );
    let task = rows("Task", &["Id", "PersonId", "Label", "Hours"], &[&[1.into(), 1.into(), "x".into(), 7.into()]]);
    [team, person, task].into_iter().collect()
}

fn answer(expr: impl Into<Expr>) -> Answer {
    evaluate(&catalog().unwrap(), &data(), &expr.into(), &Request::default()).unwrap()
}

/// The ids of the persons for which a predicate holds.
fn ids(filter: impl Into<Option<LogicExpr>>) -> Vec<Value> {
    answer(from("Person").filter(filter).select(["Id"])).rows.into_iter().flatten().collect()
}

fn numbers(ids: &[i64]) -> Vec<Value> {
    ids.iter().map(|id| Value::from(*id)).collect()
}

/// The value of an expression without a table.
fn one(value: impl Into<ValueTypeExpr>) -> Value {
    let select =
        SelectExpr { selects: vec![SelectItemExpr { value: value.into(), alias: None }], ..SelectExpr::default() };
    answer(select).rows.remove(0).remove(0)
}

#[test]
fn unknown_is_neither_true_nor_false() {
    let young = || prop("Age").lt(35);
    assert_eq!(ids(young()), numbers(&[1]));
    assert_eq!(ids(!young()), numbers(&[3]));
    assert_eq!(ids(ValueTypeExpr::from(young()).is_null()), numbers(&[2]));
    assert_eq!(ids(young() | prop("Id").eq(2)), numbers(&[1, 2]));
    assert_eq!(ids(prop("Age").is_distinct_from(30)), numbers(&[2, 3]));
    assert_eq!(ids(prop("Age").eq(null())), numbers(&[2]));
}

#[test]
fn null_in_a_list_makes_the_rest_unknown() {
    let list = || value(vec![Value::from(30), Value::Null]);
    assert_eq!(ids(prop("Age").compare(LogicOperator::In, list())), numbers(&[1]));
    assert_eq!(ids(prop("Age").compare(LogicOperator::NotIn, list())), []);
    assert_eq!(ids(prop("Age").not_in_list(Vec::<i64>::new())), numbers(&[1, 2, 3]));
    let ages = from("Person").select([prop("Age")]);
    assert_eq!(ids(prop("Id").compare(LogicOperator::NotIn, ValueTypeExpr::from(ages))), []);
}

#[test]
fn numbers_are_exact() {
    assert_eq!(one(ValueTypeExpr::from(-7) / 2), (-3).into());
    assert_eq!(one(ValueTypeExpr::from(-7) % 2), (-1).into());
    assert_eq!(one(ValueTypeExpr::from(7) / 0), Value::Null);
    assert_eq!(one(ValueTypeExpr::from(decimal("0.1")) + decimal("0.2")), decimal("0.3"));
    assert_eq!(one(func("Round", args![decimal("-2.5")])), decimal("-3"));
    // The branches have one kind: 1 is a decimal here.
    let one_or_half = if_else(ValueTypeExpr::from(true).is_true(), 1, decimal("0.5"));
    assert_eq!(one(ValueTypeExpr::from(one_or_half) / 2), decimal("0.5"));
    let most = one_error(ValueTypeExpr::from(i64::MAX) * 4);
    assert!(matches!(most, Error::Fault(_)), "{most}");
}

fn one_error(value: impl Into<ValueTypeExpr>) -> Error {
    let select =
        SelectExpr { selects: vec![SelectItemExpr { value: value.into(), alias: None }], ..SelectExpr::default() };
    evaluate(&catalog().unwrap(), &data(), &select.into(), &Request::default()).unwrap_err()
}

#[test]
fn wildcards_mean_themselves_but_in_a_pattern() {
    assert_eq!(ids(prop("Name").contains("%")), numbers(&[2]));
    assert_eq!(ids(prop("Name").like("_%")), numbers(&[1, 2]));
    assert_eq!(ids(prop("Name").like("b\\%")), numbers(&[2]));
    assert_eq!(ids(prop("Name").istarts_with("B")), numbers(&[2]));
    assert_eq!(one(func("Substring", args!["héllo", 1, 3])), "éll".into());
    assert_eq!(one(func("IndexOf", args!["hello", "l", 3])), 3.into());
    assert_eq!(one(func("PadLeft", args!["7", 3, "0"])), "007".into());
}

#[test]
fn dates_count_whole_units() {
    let day = |y, m, d| chrono::NaiveDate::from_ymd_opt(y, m, d).unwrap();
    assert_eq!(one(func("AddMonths", args![day(2024, 1, 31), 1])), day(2024, 2, 29).into());
    assert_eq!(one(func("DateDiffMonths", args![day(2024, 2, 29), day(2024, 1, 31)])), 0.into());
    assert_eq!(one(func("DateDiffDays", args![day(2024, 1, 1), day(2024, 3, 1)])), (-60).into());
    assert_eq!(one(func("TruncWeek", args![day(2024, 2, 29)])), day(2024, 2, 26).into());
}

#[test]
fn a_fixed_filter_hides_rows_everywhere() {
    assert_eq!(answer(from("Team").select(["Id"])).rows, [numbers(&[1])]);
    let names = answer(from("PersonView").select(["Id", "TeamName"]));
    assert_eq!(
        names.rows.iter().map(|row| row[1].clone()).collect::<Vec<_>>(),
        ["Red".into(), Value::Null, "Red".into()]
    );
    assert_eq!(ids(LogicExpr::from(exists_related("Team", None))), numbers(&[1, 3]));
    assert_eq!(ids(LogicExpr::from(exists_related("Task", prop("Hours").gt(5)))), numbers(&[1]));
}

#[test]
fn groups_and_totals() {
    let counted = from("Person").group_by(["TeamId"]).having(count_all().gt(1)).select([
        SelectItemExpr::from("TeamId"),
        prop("Age").avg().alias("Age"),
        prop("Name").count().alias("Names"),
    ]);
    assert_eq!(answer(counted).rows, [[1.into(), 35.0.into(), 1.into()]]);
    let nothing = from("Person").filter(prop("Id").gt(9)).select([count_all(), prop("Age").sum()]);
    assert_eq!(answer(nothing).rows, [[0.into(), Value::Null]]);
}

#[test]
fn a_page_is_cut_where_the_order_tells() {
    let page = from("Person").order_by([prop("Age").desc().nulls_last()]).section(1, 1).select(["Id"]);
    let found = answer(page);
    assert_eq!((found.rows, found.ordered), (vec![numbers(&[1])], true));
    assert_eq!(answer(from("Person").take(2).select(["Id"])).rows, [numbers(&[1]), numbers(&[2])]);
    let open = Expr::from(SqlSegment::from(from("Person").order_by(["TeamId"]).take(1).select(["Id"])));
    let error = evaluate(&catalog().unwrap(), &data(), &open, &Request::default()).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error}");
    assert!(!answer(from("Person").order_by(["TeamId"]).select(["Id"])).ordered);
    let count = Request::default().verb(Verb::Count);
    assert_eq!(evaluate(&catalog().unwrap(), &data(), &open, &count).unwrap().rows, [numbers(&[3])]);
}

#[test]
fn sets_windows_and_recursion() {
    let teams = || from("Person").select(["TeamId"]);
    let both = teams().union(from("Team").select(["Id"]));
    assert_eq!(answer(both).rows, [numbers(&[1]), numbers(&[2])]);
    assert_eq!(answer(teams().except(from("Team").select(["Id"]))).rows, [numbers(&[2])]);
    let before = func("Lag", [prop("Id")]).over().partition_by(["TeamId"]).order_by(["Id"]);
    assert_eq!(answer(from("Person").select([before])).rows, [[Value::Null], [Value::Null], [1.into()]]);
    let top = from("Person").filter(prop("BossId").is_null()).select(["Id"]);
    let below = from("Person")
        .aliased("p")
        .join(TableJoinType::Inner, cte("tree"), prop_of("p", "BossId").eq(prop_of("tree", "Id")))
        .select([prop_of("p", "Id")]);
    let tree = SqlSegment::from(top.union_all(below).with("tree")).select([count_all()]);
    assert_eq!(answer(tree).rows, [numbers(&[3])]);
}

#[test]
fn writes_mean_the_rows_that_a_query_finds() {
    let catalog = catalog().unwrap();
    let mut after = data();
    let grown = table("Person").update([("Age", prop("Age") + 1)]).filter(prop("TeamId").eq(1));
    assert_eq!(execute(&catalog, &mut after, &grown.into()).unwrap().rows, 2);
    assert_eq!(after.table("person").unwrap().rows[2][4], 41.into());
    let hidden = table("Team").delete().filter(prop("Id").gt(0));
    assert_eq!(execute(&catalog, &mut after, &hidden.into()).unwrap().rows, 1);
    assert_eq!(after.table("Team").unwrap().rows.len(), 1);
    let new = table("Team").insert_rows(["Id", "Title"], [(1, "Green"), (3, "Grey")]).on_conflict_update(["Id"]);
    assert_eq!(execute(&catalog, &mut after, &new.into()).unwrap().rows, 2);
    assert_eq!(after.table("Team").unwrap().rows.last().unwrap()[2], 1.into());
    let twice = table("Team").insert_rows(["Id", "Title"], [(3, "Grey")]);
    assert!(matches!(execute(&catalog, &mut after, &twice.into()), Err(Error::Fault(_))));
}
