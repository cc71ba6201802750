//! Queries inside of queries, and what is counted, added up or put in order.

use isogloss::dao::ObjectViewDao;
use isogloss::expr::{DbValueType, SelectItemExpr, ValueTypeExpr, count_all, cte};
use isogloss::prelude::*;

use super::{Customer, OrderView, each_two, ids, numbers, run};

#[tokio::test]
async fn b2_06_every_subquery_has_the_condition() {
    each_two(async |two| {
        let customers = || from("Customer").select(["Id"]);
        assert_eq!(ids(&two.a, prop("BuyerId").in_list(customers())).await, [1, 2]);
        assert_eq!(ids(&two.a, prop("BuyerId").not_in_list(customers())).await, [4]);
        assert_eq!(ids(&two.all, prop("BuyerId").in_list(customers())).await, [1, 2, 4, 5, 6]);

        // In the select list, and in the order.
        let highest = || ValueTypeExpr::from(from("Order").select([prop("Total").max().alias("Most")]));
        let least = from("Order").order_by(["Id"]).take(1).select([highest().alias("Most")]);
        assert_eq!(numbers(&two.a, least.clone()).await, [Some(40)]);
        assert_eq!(numbers(&two.b, least).await, [Some(70)]);
        let far = || prop("Total") - highest();
        let by_distance = from("Order").order_by([far().desc()]).select(["Id"]);
        assert_eq!(numbers(&two.a, by_distance).await, [4, 3, 2, 1].map(Some));

        let derived = from("Order").select(["Id", "Total"]).into_segment().aliased("d");
        let derived = derived.filter(prop("Total").ge(10)).order_by([prop("Id").asc()]).select(["Id"]);
        assert_eq!(numbers(&two.a, derived).await, [1, 2, 3, 4].map(Some));

        // A common table expression that is used twice.
        let known = || from("Order").select(["Id", "Total"]).with("known");
        let both = known().filter(prop("Total").in_list(cte("known").select(["Total"]))).select(["Id"]);
        let mut found = numbers(&two.a, both).await;
        found.sort_unstable();
        assert_eq!(found, [1, 2, 3, 4].map(Some));

        let branches = from("Order").select(["Id"]).union_all(customers());
        let mut found = numbers(&two.a, branches).await;
        found.sort_unstable();
        assert_eq!(found, [1, 1, 2, 2, 3, 4].map(Some));
    })
    .await;
}

#[tokio::test]
async fn b2_07_only_what_is_visible_is_counted() {
    each_two(async |two| {
        let one = |item: SelectItemExpr| from("Order").select([item]);
        assert_eq!(numbers(&two.a, one(count_all().alias("N"))).await, [Some(4)]);
        assert_eq!(numbers(&two.b, one(count_all().alias("N"))).await, [Some(3)]);
        assert_eq!(numbers(&two.a, one(prop("Total").sum().cast(DbValueType::Int64).alias("N"))).await, [Some(100)]);

        let groups = || from("Order").group_by(["TenantId"]);
        assert_eq!(numbers(&two.a, groups().select([count_all().alias("N")])).await, [Some(4)]);
        // Of both, it would be seven.
        let few = from("Order").group_by(["BuyerId"]).having(count_all().gt(1)).select(["BuyerId"]);
        assert_eq!(numbers(&two.a, few.clone()).await, [] as [Option<i64>; 0]);
        let mut both = numbers(&two.all, few).await;
        both.sort_unstable();
        assert_eq!(both, [None, Some(1), Some(3)]);

        let window = prop("Id").count().over().partition_by(["Total"]);
        let beside = from("Order").order_by(["Id"]).select([window.alias("N")]);
        assert_eq!(numbers(&two.a, beside.clone()).await, [1; 4].map(Some));
        assert_eq!(numbers(&two.all, beside).await, [2, 1, 1, 1, 2, 1, 1].map(Some));
    })
    .await;
}

#[tokio::test]
async fn b2_08_what_is_hidden_has_no_place_in_the_order() {
    each_two(async |two| {
        let views = ObjectViewDao::<OrderView>::new(&two.a);
        let order = async || {
            let query = from("OrderView").order_by(["BuyerName", "Id"]);
            let rows = views.search(query).all().await.unwrap();
            rows.into_iter().map(|row| row.order.id).collect::<Vec<_>>()
        };
        let before = order().await;
        // Rows with no buyer, and with one that is hidden, stand together.
        let hidden: Vec<i32> = before.iter().copied().filter(|id| [3, 4].contains(id)).collect();
        assert!(before.windows(2).any(|pair| pair == hidden), "{before:?}");
        for name in ["Aaa", "Zzz"] {
            let rename = table("Customer").update([("Name", name)]).filter(prop("Id").eq(3));
            assert_eq!(run(&two.all, rename).await.unwrap(), 1);
            assert_eq!(order().await, before, "{name}");
        }
        assert_eq!(ObjectViewDao::<Customer>::new(&two.a).count(prop("Name").eq("Zzz")).await.unwrap(), 0);
    })
    .await;
}
