//! Statements and window functions of a stranger, against an SQLite: a stranger's tree is a query, and looks at no rows but
//! those behind the program's filter.

use isogloss::OrmError;
use isogloss::expr::{Expr, SqlSegment, ValueTypeExpr, WindowExpr, exists_query};
use isogloss::json::{self, ReadLimits};
use isogloss::prelude::*;
use isogloss::walk::{PolicyRule, QueryPolicy};
use isogloss_attacks::shop::{Guard, ROOTS, Shop, TENANT, policy};

/// What a stranger would like to run.
fn statements() -> Vec<Expr> {
    let others = || prop("Tenant").ne(TENANT);
    let row = |id: i64| vec![id.into(), 1.into(), "mine".into()];
    let columns = ["Id", "Tenant", "Title"];
    let mut all = Vec::new();
    for entity in ["Document", "Shop.Document", "Brief", "Department", "Audit"] {
        let table = || table(entity);
        all.extend([
            table().update([("Title", "mine")]).filter(others()).into(),
            table().update([("Title", "mine")]).all_rows().into(),
            table().update([("Title", prop("Secret"))]).filter(prop("Id").eq(1)).into(),
            table().delete().filter(others()).into(),
            table().delete().all_rows().into(),
            table().insert(columns, row(900)).into(),
            table().insert(columns, row(31)).on_conflict_update(["Id"]).into(),
            table().insert_query(columns, from("Audit").select(columns)).into(),
            table().delete().filter(prop("Id").eq(1)).returning(["Secret"]).into(),
        ]);
    }
    all
}

/// A statement is refused as what it is, however generous the policy is otherwise, and at no place inside of a query is
/// there room for one.
#[test]
fn a_statement_is_no_query() {
    let catalog = isogloss_attacks::shop::catalog().unwrap();
    let query = from("Department").select(["Id"]);
    let query = SqlSegment::from(query);
    let query_text = json::to_string(&query);
    let around: [LogicExpr; 3] =
        [exists_query(query.clone()), prop("Id").in_list(query.clone()), prop("Id").gt(ValueTypeExpr::from(query))];
    for statement in statements() {
        let text = json::to_string(&statement);
        let theirs: Expr = json::read(&text, &ReadLimits::DEFAULT).unwrap();
        for root in ROOTS {
            let open = policy(root).allow_entity("Document").allow_entity("Brief").allow_entity("Audit");
            assert_eq!(open.check(&theirs, &catalog).unwrap_err().rule, PolicyRule::Kind, "{text}");
        }
        assert!(json::read::<LogicExpr>(&text, &ReadLimits::DEFAULT).is_err(), "{text}");
        assert!(json::read::<SqlSegment>(&text, &ReadLimits::DEFAULT).is_err(), "{text}");
        for whole in &around {
            let whole = json::to_string(whole);
            assert!(whole.contains(&query_text), "{whole}");
            let hostile = whole.replace(&query_text, &text);
            assert!(json::read::<LogicExpr>(&hostile, &ReadLimits::DEFAULT).is_err(), "{hostile}");
        }
    }
}

/// Over all rows that it sees, a window tells no more than the tenant's own.
#[tokio::test]
async fn a_window_sees_the_rows_behind_the_filter() {
    let shops = [Shop::make("sqlite", "", false).await.unwrap(), Shop::make("sqlite", "", true).await.unwrap()];
    let over = |window: WindowExpr| ValueTypeExpr::from(window.order_by([prop("Id").asc()]));
    let visible = || -> Vec<ValueTypeExpr> {
        vec![
            func("Count", [prop("Id")]).over().into(),
            prop("Id").max().over().into(),
            prop("Title").max().over().partition_by(["DepartmentId"]).into(),
            over(func("Lead", [prop("Title")]).over()),
            over(func("LastValue", [prop_of("T0", "Title")]).over()),
        ]
    };
    let hidden: Vec<ValueTypeExpr> = vec![
        prop("Secret").max().over().into(),
        over(func("Lag", [prop("Price")]).over()),
        func("RowNumber", args![]).over().order_by([prop("Secret").asc()]).into(),
        func("RowNumber", args![]).over().partition_by(["Worth"]).into(),
    ];
    let read =
        |value: &ValueTypeExpr| json::read::<ValueTypeExpr>(&json::to_string(value), &ReadLimits::DEFAULT).unwrap();
    for root in ROOTS {
        let policy: QueryPolicy = policy(root);
        let catalog = shops[0].session.context().catalog();
        for window in &hidden {
            let refusal = policy.check(&read(window), catalog).unwrap_err();
            assert_eq!(refusal.rule, PolicyRule::HiddenProperty, "{window:?}");
        }
        for window in visible() {
            let window = read(&window);
            policy.check(&window, catalog).unwrap();
            let own = || from(root).filter(prop("Tenant").eq(TENANT)).order_by(["Id"]);
            let item = window.clone().alias("w");
            let shown = Expr::from(SqlSegment::from(own().select([prop("Id").into(), item])));
            let answers = [
                shops[0].ask(&shown, Guard::Filter).await.unwrap(),
                shops[1].ask(&shown, Guard::Filter).await.unwrap(),
            ];
            assert_eq!(answers[0], answers[1], "{window:?}");
            assert!(!answers[0].is_empty(), "{window:?}");
            // In a filter it would be reckoned of rows that are not filtered yet, so that no filter takes one.
            let filter = window.clone().is_not_null();
            policy.check(&filter, catalog).unwrap();
            let filtered = Expr::from(SqlSegment::from(own().filter(filter).select(["Id"])));
            for shop in &shops {
                let answer = shop.ask(&filtered, Guard::Filter).await;
                assert!(matches!(answer, Err(OrmError::Compile(_))), "{window:?}: {answer:?}");
            }
        }
    }
    // What would differ, did the filter not come first; a scope comes first by itself.
    let all = Expr::from(SqlSegment::from(from("Document").select([prop("Id").max().over()])));
    let answers = async |guard| [shops[0].ask(&all, guard).await.unwrap(), shops[1].ask(&all, guard).await.unwrap()];
    let [one, other] = answers(Guard::Filter).await;
    assert_ne!(one, other);
    let [one, other] = answers(Guard::Scope).await;
    assert_eq!(one, other);
}
