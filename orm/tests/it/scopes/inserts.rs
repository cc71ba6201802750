//! What is inserted, one by one and by the fast path, and what an upsert meets.

use isogloss::Request;
use isogloss::dao::{ObjectDao, ObjectViewDao, UpdateOrInsertResult};
use isogloss::expr::value;
use isogloss::prelude::*;

use super::{A, B, Customer, Order, Seat, Ticket, count, customer, each_two, engine, ids, order, run};

#[tokio::test]
async fn b2_12_an_insert_is_filled_in_or_refused() {
    each_two(async |two| {
        let orders = ObjectDao::<Order>::new(&two.a);
        let out = |error: OrmError| {
            assert!(error.is_out_of_scope(), "{error:?}");
            assert!(error.to_string().contains("Order") && error.to_string().contains("tenant"), "{error}");
        };
        let mut without = Order { tenant_id: None, ..order(A, 20, None, None, 1) };
        assert!(orders.insert(&mut without).await.unwrap());
        assert_eq!(without.tenant_id, Some(A));
        assert!(orders.insert(&mut order(A, 21, None, None, 1)).await.unwrap());
        out(orders.insert(&mut order(B, 22, None, None, 1)).await.unwrap_err());
        assert_eq!(ids(&two.all, prop("Id").ge(20)).await, [20, 21]);
        assert_eq!(ids(&two.a, prop("Id").ge(20)).await, [20, 21]);

        // Where a row cannot say NULL, the default of the field says nothing.
        let seats = ObjectDao::<Seat>::new(&two.a);
        let mut seat = Seat { id: 1, ..Seat::default() };
        assert!(seats.insert(&mut seat).await.unwrap());
        assert_eq!(seat.tenant_id, A);
        assert!(seats.insert(&mut Seat { id: 2, tenant_id: B }).await.unwrap_err().is_out_of_scope());
        assert_eq!(count::<Seat>(&two.all).await, 1);

        // A tree of the program's that leaves the column out.
        let built = table("Order").insert(["Id", "Total", "Code"], vec![23.into(), 1.into(), "C-23".into()]);
        assert_eq!(run(&two.b, built).await.unwrap(), 1);
        assert_eq!(ids(&two.b, prop("Id").ge(20)).await, [23]);
        let built = table("Order")
            .insert(["Id", "TenantId", "Total", "Code"], vec![24.into(), B.into(), 1.into(), "C-24".into()]);
        out(run(&two.a, built).await.unwrap_err());

        // What the database numbers.
        let tickets = ObjectDao::<Ticket>::new(&two.a);
        let mut ticket = Ticket { title: "One".into(), ..Ticket::default() };
        assert!(tickets.insert(&mut ticket).await.unwrap());
        assert_eq!((ticket.tenant_id, ticket.version), (Some(A), 1));
        assert!(
            tickets
                .insert(&mut Ticket { tenant_id: Some(B), ..Ticket::default() })
                .await
                .unwrap_err()
                .is_out_of_scope()
        );
        let mut many = vec![Ticket::default(); 3];
        tickets.batch_insert(&mut many).await.unwrap();
        assert!(many.iter().all(|ticket| ticket.tenant_id == Some(A) && ticket.id > 0));
        assert_eq!((count::<Ticket>(&two.a).await, count::<Ticket>(&two.all).await), (4, 4));
    })
    .await;
}

#[tokio::test]
async fn b2_12_one_bad_row_of_a_thousand_writes_none() {
    each_two(async |two| {
        let orders = ObjectDao::<Order>::new(&two.a);
        let mut rows: Vec<Order> =
            (0..1000).map(|n| Order { tenant_id: None, ..order(A, 1000 + n, None, None, n) }).collect();
        rows[713].tenant_id = Some(B);
        let error = orders.batch_insert(&mut rows).await.unwrap_err();
        assert!(matches!(&error, OrmError::Row { row: 714, .. }) && error.is_out_of_scope(), "{error:?}");
        assert_eq!((count::<Order>(&two.all).await, count::<Order>(&two.a).await), (7, 4));
        rows[713].tenant_id = None;
        orders.batch_insert(&mut rows).await.unwrap();
        assert!(rows.iter().all(|row| row.tenant_id == Some(A)));
        assert_eq!((count::<Order>(&two.all).await, count::<Order>(&two.a).await), (1007, 1004));
    })
    .await;
}

#[tokio::test]
async fn b2_13_an_upsert_takes_over_no_foreign_row() {
    each_two(async |two| {
        let before = two.orders().await;
        let orders = ObjectDao::<Order>::new(&two.a);
        let mine = |id, total| Order { tenant_id: None, ..order(A, id, None, None, total) };
        use UpdateOrInsertResult::{Failed, Inserted, Updated};
        assert_eq!(orders.update_or_insert(&mut mine(5, 99)).await.unwrap(), Failed);
        assert_eq!(two.orders().await, before);
        assert_eq!(orders.update_or_insert(&mut mine(1, 99)).await.unwrap(), Updated);
        assert_eq!(orders.update_or_insert(&mut mine(8, 99)).await.unwrap(), Inserted);
        assert_eq!(ids(&two.a, prop("Total").eq(99)).await, [1, 8]);

        let now = two.orders().await;
        for many in [3, 40] {
            let mut rows: Vec<Order> = (0..many).map(|n| mine(100 + n, 5)).collect();
            rows[1] = mine(6, 99);
            let error = orders.batch_update_or_insert(&mut rows).await.unwrap_err();
            assert!(matches!(&error, OrmError::Row { row: 2, .. }), "{error:?}");
            assert!(!error.to_string().contains("60"), "{error}");
            assert_eq!(two.orders().await, now);
        }
        let mut rows: Vec<Order> = (0..40).map(|n| mine(if n < 2 { n + 1 } else { 100 + n }, 5)).collect();
        orders.batch_update_or_insert(&mut rows).await.unwrap();
        assert_eq!(ids(&two.a, prop("Total").eq(5)).await.len(), 40);
        assert_eq!(two.orders().await.iter().filter(|order| order.tenant_id == Some(B)).count(), 3);

        // What the database numbers, in versions.
        let mut theirs = Ticket { title: "Theirs".into(), ..Ticket::default() };
        ObjectDao::<Ticket>::new(&two.b).insert(&mut theirs).await.unwrap();
        let mut stolen = Ticket { tenant_id: None, title: "Mine".into(), ..theirs.clone() };
        assert_eq!(ObjectDao::<Ticket>::new(&two.a).update_or_insert(&mut stolen).await.unwrap(), Failed);
        let kept = ObjectViewDao::<Ticket>::new(&two.b).get(theirs.id).await.unwrap();
        assert_eq!(kept, Some(theirs));
    })
    .await;
}

#[tokio::test]
async fn b2_13_a_statement_of_the_programs_that_upserts_is_bound() {
    each_two(async |two| {
        let upsert = |id: i32, name: &str| {
            table("Customer").insert(["Id", "Name"], vec![id.into(), name.into()]).on_conflict_update(["Id"])
        };
        let hits = [run(&two.a, upsert(1, "Eve")).await.unwrap(), run(&two.a, upsert(3, "Eve")).await.unwrap()];
        // MySQL has no condition there: it gives the row the values that it has, and counts it.
        let counted = if matches!(engine(&two.a).await, "mariadb" | "mysql") { 1 } else { 0 };
        assert_eq!(hits, [1, counted]);
        let customers = ObjectViewDao::<Customer>::new(&two.all);
        assert_eq!(customers.get(3).await.unwrap(), Some(customer(B, 3, "Cid")));
        assert_eq!(customers.get(1).await.unwrap(), Some(customer(A, 1, "Eve")));
    })
    .await;
}

/// There is no merge that deletes what it is not given. What there is leaves all other rows alone.
#[tokio::test]
async fn b2_14_no_write_deletes_what_it_is_not_given() {
    each_two(async |two| {
        let before = two.orders().await;
        let mut rows = [Order { total: 11, ..before[0].clone() }, order(A, 9, None, None, 1)];
        ObjectDao::<Order>::new(&two.a).batch_update_or_insert(&mut rows).await.unwrap();
        assert_eq!(ids(&two.all, ()).await, [1, 2, 3, 4, 5, 6, 7, 9]);
        assert_eq!(two.orders().await[1..7], before[1..]);
    })
    .await;
}

#[tokio::test]
async fn b2_15_a_query_inserts_rows_of_the_scope_into_it() {
    each_two(async |two| {
        let copies = from("Order").select([(prop("Id") + 100).alias("Id"), prop("Code").alias("Name")]);
        let insert = table("Customer").insert_query(["Id", "Name"], copies);
        assert_eq!(run(&two.a, insert).await.unwrap(), 4);
        let customers = ObjectViewDao::<Customer>::new(&two.a);
        assert_eq!(customers.count(prop("Id").gt(100)).await.unwrap(), 4);
        assert_eq!(ObjectViewDao::<Customer>::new(&two.all).count(prop("Id").gt(100)).await.unwrap(), 4);

        // A query that says a tenant itself may say another one.
        let theirs = from("Order").select([
            (prop("Id") + 200).alias("Id"),
            value(B).alias("TenantId"),
            prop("Code").alias("Name"),
        ]);
        let error = run(&two.a, table("Customer").insert_query(["Id", "TenantId", "Name"], theirs)).await.unwrap_err();
        assert!(error.is_out_of_scope(), "{error:?}");

        // What is given back are rows of the scope.
        let mut lease = two.a.lease(None, isogloss::session::Purpose::Write).await.unwrap();
        let renamed = table("Customer").update([("Name", "New")]).filter(prop("Id").gt(0)).returning(["Id"]);
        let engine = lease.dialect().sheet().name;
        let compiled = two.a.compile(lease.target(), &renamed, Request::default());
        assert_eq!(compiled.is_ok(), !matches!(engine, "mariadb" | "mysql"), "{compiled:?}");
        if let Ok(compiled) = compiled {
            let ids: Vec<i32> = lease.fetch::<(i32,)>(&compiled).await.unwrap().into_iter().map(|(id,)| id).collect();
            assert_eq!((ids.len(), ids.contains(&3)), (6, false), "{ids:?}");
        }
        drop(lease);
        assert_eq!(ObjectViewDao::<Customer>::new(&two.b).count(prop("Name").eq("New")).await.unwrap(), 0);
    })
    .await;
}
