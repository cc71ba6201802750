//! What is changed and deleted.

use isogloss::dao::{DataDao, ObjectDao};
use isogloss::expr::{DbValueType, ValueTypeExpr, null};
use isogloss::prelude::*;

use super::{A, B, Customer, Order, count, each_two, ids, order, run};

#[tokio::test]
async fn b2_09_no_condition_is_refused_before_the_scope_adds_one() {
    each_two(async |two| {
        let before = two.orders().await;
        let orders = ObjectDao::<Order>::new(&two.a);
        let refused = |error: OrmError| assert!(matches!(error, OrmError::Compile(_)), "{error}");
        refused(orders.delete_by(table("Order").delete()).await.unwrap_err());
        refused(orders.update_where(table("Order").update([("Total", 0)])).await.unwrap_err());
        refused(orders.delete_where(None::<LogicExpr>).await.unwrap_err());
        refused(DataDao::<Order>::new(&two.a).update_all_values([("Total", 0)], None::<LogicExpr>).await.unwrap_err());
        assert_eq!(two.orders().await, before);
        // Every row that is meant is one of the scope's.
        assert_eq!(orders.update_where(table("Order").update([("Total", 0)]).all_rows()).await.unwrap(), 4);
        assert_eq!(orders.delete_all_rows().await.unwrap(), 4);
        assert_eq!(two.orders().await, before[4..]);
    })
    .await;
}

#[tokio::test]
async fn b2_10_set_writes_hit_rows_of_the_scope() {
    each_two(async |two| {
        let before = two.orders().await;
        let orders = ObjectDao::<Order>::new(&two.a);
        let set = |filter: LogicExpr| table("Order").update([("Total", prop("Total") + 1)]).filter(filter);
        let named = |name: &str| LogicExpr::from(exists_related("Customer", prop("Name").eq(name)));
        assert_eq!(orders.update_where(set(named("Cid"))).await.unwrap(), 0);
        assert_eq!(orders.update_where(set(prop("Id").ge(5))).await.unwrap(), 0);
        assert_eq!(orders.delete_where(named("Dan")).await.unwrap(), 0);
        assert_eq!(orders.delete_where(prop("Total").gt(50) | prop("Id").eq(6)).await.unwrap(), 0);
        assert_eq!(two.orders().await, before);

        // The statement's own table, in a subquery: MySQL wants it rewritten.
        let most = || from("Order").select([prop("Total").max().alias("Most")]);
        assert_eq!(orders.update_where(set(prop("Total").in_list(most()))).await.unwrap(), 1);
        assert_eq!(orders.delete_where(prop("Total").in_list(most())).await.unwrap(), 1);
        assert_eq!(orders.delete_where(named("Bob")).await.unwrap(), 2);
        assert_eq!(ids(&two.all, ()).await, [3, 5, 6, 7]);
        assert_eq!(two.orders().await[1..], before[4..]);
        let values = DataDao::<Order>::new(&two.a);
        assert_eq!(values.update_all_values([("Total", 5)], prop("Id").gt(0)).await.unwrap(), 1);
        assert!(!values.update_values([("Total", 5)], 6).await.unwrap());
        assert_eq!(two.orders().await[1..], before[4..]);
    })
    .await;
}

#[tokio::test]
async fn b2_11_no_update_moves_a_row_out() {
    each_two(async |two| {
        let before = two.orders().await;
        let orders = ObjectDao::<Order>::new(&two.a);
        let out = |error: OrmError| assert!(error.is_out_of_scope(), "{error:?}");
        let set = |value: ValueTypeExpr| table("Order").update([("TenantId", value)]).filter(prop("Id").eq(1));
        out(orders.update_where(set(B.into())).await.unwrap_err());
        out(orders.update_where(set(null().into())).await.unwrap_err());
        out(orders.update_where(set(prop("TenantId") + 1)).await.unwrap_err());
        out(run(&two.a, set(B.into())).await.unwrap_err());
        out(DataDao::<Order>::new(&two.a).update_values([("TenantId", B)], 1).await.unwrap_err());
        out(orders.update(&mut Order { tenant_id: Some(B), ..before[0].clone() }).await.unwrap_err());
        out(orders.update_or_insert(&mut Order { tenant_id: Some(B), ..before[0].clone() }).await.unwrap_err());
        // The last row of many: none is changed.
        for many in [4, 40] {
            let mut rows: Vec<Order> = (0..many).map(|n| Order { total: 99, ..before[n % 4].clone() }).collect();
            rows.last_mut().unwrap().tenant_id = Some(B);
            let error = orders.batch_update(&mut rows).await.unwrap_err();
            assert!(matches!(error, OrmError::Row { row, .. } if row == many), "{error:?}");
            out(error);
            let mut rows: Vec<Order> =
                (0..many).map(|n| order(A, 100 + i32::try_from(n).unwrap(), None, None, 1)).collect();
            rows[0] = Order { total: 99, ..before[0].clone() };
            rows.last_mut().unwrap().tenant_id = Some(B);
            out(orders.batch_update_or_insert(&mut rows).await.unwrap_err());
        }
        assert_eq!(two.orders().await, before);

        // Its own value, and none, which is filled in, change nothing.
        assert!(orders.update(&mut before[0].clone()).await.unwrap());
        let mut without = Order { tenant_id: None, ..before[1].clone() };
        assert!(orders.update(&mut without).await.unwrap());
        assert_eq!(without, before[1]);
        assert_eq!(orders.update_where(set(A.into())).await.unwrap(), 1);
        // Rows of others are not there.
        assert!(!orders.update(&mut order(A, 5, None, None, 1)).await.unwrap());
        let mut theirs: Vec<Order> = (0..40).map(|n| order(A, 5 + n % 3, None, None, 1)).collect();
        assert_eq!(orders.batch_update(&mut theirs).await.unwrap(), 0);
        assert_eq!(two.orders().await, before);
        assert_eq!((count::<Customer>(&two.a).await, count::<Customer>(&two.b).await), (2, 2));
    })
    .await;
}

#[tokio::test]
async fn b2_11_a_batch_writes_the_rows_of_its_scope() {
    each_two(async |two| {
        let theirs = two.orders().await[4..].to_vec();
        let orders = ObjectDao::<Order>::new(&two.a);
        let mut many: Vec<Order> = (0..300).map(|n| order(A, 1000 + n, None, None, n)).collect();
        orders.batch_insert(&mut many).await.unwrap();
        for order in &mut many {
            (order.total, order.tenant_id) = (order.total + 7, None);
        }
        // Keys of B's are among them.
        let mut mixed = many.clone();
        mixed.extend([5, 6, 7].map(|id| order(A, id, None, None, 0)));
        assert_eq!(orders.batch_update(&mut mixed).await.unwrap(), 300);
        assert!(mixed.iter().all(|order| order.tenant_id == Some(A)));
        let sum =
            from("Order").filter(prop("Id").ge(1000)).select([prop("Total").sum().cast(DbValueType::Int64).alias("N")]);
        let total: i64 = (0..300).map(|n| n + 7).sum();
        assert_eq!(super::numbers(&two.a, sum).await, [Some(total)]);
        assert_eq!(orders.batch_delete(&mixed).await.unwrap(), 300);
        assert_eq!(two.orders().await[4..], theirs);
    })
    .await;
}
