//! Whose scope it is: values, statements that are kept, tasks, streams.

use futures_util::{StreamExt as _, TryStreamExt as _};
use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::expr::{Expr, Value, exists};
use isogloss::prelude::*;
use isogloss::session::{Purpose, SessionError};
use isogloss::{Buffers, Request, Scope};

use super::{A, B, Customer, Order, Region, Two, count, customer, each_two, ids, last, order, tenant};

#[tokio::test]
async fn b2_16_one_text_serves_all_tenants() {
    each_two(async |two| {
        let find = prop("Total").ge(10);
        assert_eq!(ids(&two.a, find.clone()).await, [1, 2, 3, 4]);
        assert_eq!(ids(&two.b, find.clone()).await, [5, 6, 7]);
        assert_eq!(ids(&two.a, find.clone()).await, [1, 2, 3, 4]);
        let views = |session| ObjectViewDao::<Order>::new(session);
        // By key, again and again: the statements are warm.
        for _ in 0..3 {
            for (mine, theirs, session) in [(1, 5, &two.a), (5, 1, &two.b)] {
                assert_eq!(views(session).get(mine).await.unwrap().unwrap().id, mine);
                assert_eq!(views(session).get(theirs).await.unwrap(), None);
            }
        }
        let request = |session: &Session| session.current_scope().cloned().unwrap();
        let lease = two.all.lease(None, Purpose::Read).await.unwrap();
        let query = from("Order").filter(find).select(["Id"]).into_segment();
        let scopes = [request(&two.a), request(&two.b)];
        let [a, b] = scopes.each_ref().map(|scope| {
            lease.target().compile_with(&query, &Request::default().scope(scope), Buffers::default()).unwrap()
        });
        assert_eq!(a.sql, b.sql);
        assert_ne!(a.params, b.params);
    })
    .await;
}

#[tokio::test]
async fn b2_17_tasks_have_the_scope_that_they_are_given() {
    each_two(async |two| {
        let (context, scopes) = (two.all.context().clone(), [tenant(A), tenant(B)]);
        let [a, b] = scopes.each_ref().map(|scope| context.create_session().unwrap().scoped(scope).unwrap());
        let look = async |session: &Session, expected: &[i32]| {
            for _ in 0..20 {
                assert_eq!(ids(session, prop("Id").gt(0)).await, expected);
            }
        };
        tokio::join!(look(&a, &[1, 2, 3, 4]), look(&b, &[5, 6, 7]));

        // The current session goes with its future, and with nothing that is spawned beside it.
        let inside = a.scope(async {
            let current = Session::current().unwrap();
            let spawned = tokio::spawn(async { Session::current().map(drop) }).await.unwrap();
            assert!(matches!(spawned, Err(OrmError::Session(SessionError::NoCurrent))));
            ids(&current, ()).await
        });
        assert_eq!(inside.await, [1, 2, 3, 4]);
        let fresh = context.create_session().unwrap();
        let spawned = tokio::spawn(async move { ObjectViewDao::<Order>::new(&fresh).count(()).await });
        assert!(matches!(spawned.await.unwrap(), Err(OrmError::NoScope { entity, .. }) if &*entity == "Order"));
        let passed = a.clone();
        let spawned = tokio::spawn(async move { ids(&passed, ()).await });
        assert_eq!(spawned.await.unwrap(), [1, 2, 3, 4]);
    })
    .await;
}

#[tokio::test]
async fn b2_18_without_a_scope_it_is_refused() {
    each_two(async |two| {
        let session = two.all.context().create_session().unwrap();
        let refused = |error: OrmError| match error {
            OrmError::NoScope { entity, .. } => assert_eq!(&*entity, "Order"),
            error => panic!("{error:?}"),
        };
        let (orders, views) = (ObjectDao::<Order>::new(&session), ObjectViewDao::<Order>::new(&session));
        refused(views.get(1).await.unwrap_err());
        refused(views.count(()).await.unwrap_err());
        refused(views.search(()).all().await.unwrap_err());
        refused(views.search(()).stream().try_collect::<Vec<_>>().await.unwrap_err());
        refused(orders.insert(&mut order(A, 9, None, None, 1)).await.unwrap_err());
        refused(orders.update(&mut order(A, 1, None, None, 1)).await.unwrap_err());
        refused(orders.update_or_insert(&mut order(A, 1, None, None, 1)).await.unwrap_err());
        refused(orders.delete_by_keys(1).await.unwrap_err());
        refused(orders.delete_all_rows().await.unwrap_err());
        let mut many: Vec<Order> = (0..40).map(|n| order(A, 100 + n, None, None, 1)).collect();
        refused(orders.batch_insert(&mut many).await.unwrap_err());
        refused(orders.batch_update(&mut many).await.unwrap_err());
        refused(orders.batch_update_or_insert(&mut many).await.unwrap_err());
        refused(orders.batch_delete(&many).await.unwrap_err());
        // Also where it stands inside.
        let inside = LogicExpr::from(exists("Order", prop("Total").gt(0)));
        refused(ObjectViewDao::<Region>::new(&session).count(inside).await.unwrap_err());
        // A scope that has nothing about it is none.
        let other = session.scoped(&Scope::new().filter::<Customer>(expr!(|c: Customer| c.id > 0))).unwrap();
        refused(ObjectViewDao::<Order>::new(&other).count(()).await.unwrap_err());
        assert_eq!(count::<Customer>(&other).await, 4);

        assert_eq!(count::<Region>(&session).await, 0);
        assert_eq!(count::<Order>(&session.unscoped("a report of all")).await, 7);
        assert_eq!(two.orders().await.len(), 7);
    })
    .await;
}

#[tokio::test]
async fn b2_19_of_no_tenant_there_are_no_rows() {
    each_two(async |two| {
        let before = two.orders().await;
        let session = two.all.context().create_session().unwrap();
        let none = session.scoped(&Scope::new().column_in("TenantId", [0; 0])).unwrap();
        let null = session.scoped(&Scope::new().column("TenantId", Value::Null)).unwrap();
        // There is a row without a tenant, which is nobody's.
        let mut nobodys = customer(A, 9, "Eve");
        nobodys.tenant_id = None;
        ObjectDao::new(&two.all).insert(&mut nobodys).await.unwrap();
        // A condition of the request that is not there.
        let user: Option<i32> = None;
        let absent = Scope::new()
            .filter::<Order>(user.map(|user| expr!(|o: Order| o.buyer_id == user)))
            .filter::<Customer>(user.map(|user| expr!(|c: Customer| c.id == user)));
        let absent = session.scoped(&absent).unwrap();
        for nobody in [none, null, absent] {
            let (orders, views) = (ObjectDao::<Order>::new(&nobody), ObjectViewDao::<Order>::new(&nobody));
            assert_eq!((views.count(()).await.unwrap(), count::<Customer>(&nobody).await), (0, 0));
            assert_eq!(views.get(1).await.unwrap(), None);
            assert_eq!(orders.delete_all_rows().await.unwrap(), 0);
            assert!(orders.insert(&mut order(A, 20, None, None, 1)).await.unwrap_err().is_out_of_scope());
            let mut without = Order { tenant_id: None, ..order(A, 20, None, None, 1) };
            assert!(orders.insert(&mut without).await.unwrap_err().is_out_of_scope());
        }
        assert_eq!(two.orders().await, before);

        // What a session compiles has its scope, and no other.
        let lease = two.a.lease(None, isogloss::session::Purpose::Read).await.unwrap();
        let (theirs, all) = (super::tenant(B), Expr::from(from("Order")));
        assert!(two.a.compile(lease.target(), &all, Request::default().scope(&theirs)).is_err());
        drop(lease);

        let both = session.scoped(&Scope::new().column_in("TenantId", [A, B])).unwrap();
        assert_eq!((count::<Order>(&both).await, count::<Customer>(&both).await), (7, 4));
        let orders = ObjectDao::<Order>::new(&both);
        assert!(orders.insert(&mut order(B, 20, None, None, 1)).await.unwrap());
        assert!(orders.insert(&mut order(3, 21, None, None, 1)).await.unwrap_err().is_out_of_scope());
        let mut many: Vec<Order> = (0..40).map(|n| order(A, 100 + n, None, None, 1)).collect();
        orders.batch_insert(&mut many).await.unwrap();
        many[20].tenant_id = Some(3);
        assert!(orders.batch_update(&mut many).await.unwrap_err().is_out_of_scope());
        many[20].tenant_id = Some(B);
        assert_eq!(orders.batch_update(&mut many).await.unwrap(), 40);
        assert_eq!((count::<Order>(&two.a).await, count::<Order>(&two.b).await), (43, 5));
    })
    .await;
}

/// There is no cache of counts. What is kept is the text of a row by its key, which is not mixed up.
#[tokio::test]
async fn b2_20_nothing_that_is_kept_goes_from_one_scope_to_another() {
    each_two(async |two| {
        let views = |session: &Session| ObjectViewDao::<Order>::new(session);
        let warm = async || views(&two.all).get(5).await.unwrap().map(|order| order.id);
        assert_eq!((warm().await, warm().await), (Some(5), Some(5)));
        assert_eq!(views(&two.a).get(5).await.unwrap(), None);
        assert_eq!(views(&two.a).count(()).await.unwrap(), 4);
        assert_eq!((views(&two.b).get(5).await.unwrap().map(|order| order.id), warm().await), (Some(5), Some(5)));
        // What needs no scope is kept while it is not told of one.
        let regions = async |session: &Session| ObjectViewDao::<Region>::new(session).get(1).await.unwrap();
        let plain = two.all.context().create_session().unwrap();
        let only = plain.scoped(&Scope::new().filter::<Region>(expr!(|r: Region| r.name == "North"))).unwrap();
        ObjectDao::new(&plain).insert(&mut Region { id: 1, name: "South".into() }).await.unwrap();
        for _ in 0..2 {
            assert!(regions(&plain).await.is_some());
            assert_eq!(regions(&only).await, None);
            assert!(regions(&two.a).await.is_some());
        }
        ObjectDao::new(&two.a).delete(&two.orders().await[0]).await.unwrap();
        assert_eq!((count::<Order>(&two.a).await, count::<Order>(&two.b).await), (3, 3));
    })
    .await;
}

#[tokio::test]
async fn b2_21_a_stream_keeps_its_scope() {
    each_two(async |two| {
        let Two { a, all, .. } = &two;
        let mut many: Vec<Order> =
            (0..3000).map(|n| order(if n % 2 == 0 { A } else { B }, 100 + n, None, None, 1)).collect();
        ObjectDao::new(all).batch_insert(&mut many).await.unwrap();
        let mut rows = Box::pin(ObjectViewDao::<Order>::new(a).search(()).stream());
        let first = rows.next().await.unwrap().unwrap();
        assert_eq!(first.tenant_id, Some(A));
        // Another scope, of the same session and of another one.
        let b = all.context().create_session().unwrap().scoped(&tenant(B)).unwrap();
        assert_eq!(count::<Order>(&b).await, 1503);
        let rest: Vec<Order> = rows.try_collect().await.unwrap();
        assert_eq!(rest.len(), 1503);
        assert!(rest.iter().all(|order| order.tenant_id == Some(A)));
        // It is asked for only when it is polled: the scope is that of the session it was made of.
        let later = ObjectViewDao::<Order>::new(a).search(()).stream();
        let wider = a.unscoped("a test");
        assert_eq!(count::<Order>(&wider).await, 3007);
        assert_eq!(later.count().await, 1504);
        assert!(last(a).contains("tenant_id"));
    })
    .await;
}
