//! Scopes beside what the catalog says: relations, fixed filters, shards, constraints.

use isogloss::dao::{ObjectDao, ObjectViewDao};
use isogloss::expr::exists;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{Buffers, Request, Scope, ScopeError};

use super::{A, B, Customer, Log, Order, OrderView, count, each_two, order, tenant};

#[tokio::test]
async fn b2_28_filters_that_lead_back_are_refused() {
    each_two(async |two| {
        let of_customers = LogicExpr::from(exists_related("Customer", prop("Name").ne("")));
        let of_orders = LogicExpr::from(exists_related("Order", prop("Total").gt(0)));
        let circle = Scope::new().filter_of("Order", of_customers.clone()).filter_of("Customer", of_orders);
        match two.a.scoped(&circle).map(drop).unwrap_err() {
            OrmError::Scope(ScopeError::Cycle { entities }) => assert!(entities.len() >= 2, "{entities:?}"),
            error => panic!("{error:?}"),
        }
        // One way is no circle: orders by the tenant of their customers.
        let one_way = Scope::new().filter_of("Order", of_customers).filter_of("Customer", prop("TenantId").eq(A));
        let session = two.all.context().create_session().unwrap().scoped(&one_way).unwrap();
        assert_eq!(super::ids(&session, ()).await, [1, 2, 4, 6]);

        let wrong = |scope: Scope| two.a.scoped(&scope).map(drop).unwrap_err();
        let error = wrong(Scope::new().column("TenentId", A));
        assert!(matches!(error, OrmError::Scope(ScopeError::UnknownProperty { .. })), "{error}");
        let error = wrong(Scope::new().filter_of("Ordre", prop("Id").gt(0)));
        assert!(matches!(error, OrmError::Scope(ScopeError::UnknownEntity { .. })), "{error}");
        let error = wrong(Scope::new().filter_of("Order", prop("Nothing").gt(0)));
        assert!(matches!(error, OrmError::Scope(ScopeError::NotItsColumn { .. })), "{error}");
        let error = wrong(Scope::new().column("TotaI", 1).named("x").column("Id", 1).named("x"));
        assert!(matches!(error, OrmError::Scope(ScopeError::SameName { .. })), "{error}");
        // The session has that name already.
        let error = wrong(Scope::new().column("TenantId", B).named("tenant"));
        assert!(matches!(error, OrmError::Scope(ScopeError::SameName { .. })), "{error}");
    })
    .await;
}

#[tokio::test]
async fn b2_29_shards_and_fixed_filters_have_it_too() {
    each_two(async |two| {
        let log = |tenant, id| Log { id, tenant_id: Some(tenant), open: true };
        let of = |session: &Session, year: &'static str| {
            (ObjectDao::<Log>::new(session).with_args([year]), ObjectViewDao::<Log>::new(session).with_args([year]))
        };
        let (all, _) = of(&two.all, "2024");
        all.batch_insert(&mut [log(A, 1), log(A, 2), log(B, 3)]).await.unwrap();
        of(&two.all, "2025").0.batch_insert(&mut [log(A, 1), log(B, 2)]).await.unwrap();
        let (writes, reads) = of(&two.a, "2024");
        assert_eq!(reads.count(()).await.unwrap(), 2);
        assert_eq!(of(&two.b, "2025").1.count(()).await.unwrap(), 1);
        assert_eq!((reads.get(1).await.unwrap(), reads.get(3).await.unwrap()), (Some(log(A, 1)), None));
        let closed = Log { open: false, ..log(A, 9) };
        assert!(writes.insert(&mut closed.clone()).await.is_err());
        assert!(writes.insert(&mut log(B, 9)).await.unwrap_err().is_out_of_scope());
        let mut mine = Log { tenant_id: None, ..log(A, 4) };
        assert!(writes.insert(&mut mine).await.unwrap());
        assert_eq!((mine.tenant_id, writes.delete_all_rows().await.unwrap()), (Some(A), 3));
        assert_eq!(of(&two.all, "2024").1.count(()).await.unwrap(), 1);

        // A shard that was made before the column was: an error, and never all rows.
        let mut lease = two.all.lease(None, Purpose::Write).await.unwrap();
        let column = if lease.dialect().sheet().name == "postgres" { "boolean DEFAULT TRUE" } else { "int DEFAULT 1" };
        lease.script(&format!("CREATE TABLE logs_2001 (id int PRIMARY KEY, open {column})")).await.unwrap();
        lease.script("INSERT INTO logs_2001 (id) VALUES (1)").await.unwrap();
        drop(lease);
        let (writes, reads) = of(&two.a, "2001");
        assert!(matches!(reads.count(()).await, Err(OrmError::Driver { .. })));
        assert!(matches!(writes.delete_all_rows().await, Err(OrmError::Driver { .. })));
    })
    .await;
}

/// A reference to another tenant's row is not looked at when it is written: it shows nothing of that row when it is read.
#[tokio::test]
async fn b2_30_a_reference_to_a_foreign_row_shows_nothing_of_it() {
    each_two(async |two| {
        let orders = ObjectDao::<Order>::new(&two.a);
        assert!(orders.insert(&mut order(A, 20, Some(3), None, 1)).await.unwrap());
        let view = ObjectViewDao::<OrderView>::new(&two.a).get(20).await.unwrap().unwrap();
        assert_eq!((view.order.buyer_id, view.buyer_name), (Some(3), None));
        assert_eq!(ObjectViewDao::<Customer>::new(&two.a).get(3).await.unwrap(), None);
        // Who wants it refused asks first.
        let known = ObjectViewDao::<Customer>::new(&two.a).exists_key(3).await.unwrap();
        assert!(!known);
        assert_eq!(count::<Customer>(&two.b).await, 2);
    })
    .await;
}

/// That a value is taken cannot be hidden where the database keeps it unique for all; whose it is, and what else that row
/// holds, is not told.
#[tokio::test]
async fn b2_31_a_violation_by_a_foreign_row_shows_no_values() {
    each_two(async |two| {
        let before = two.orders().await;
        let orders = ObjectDao::<Order>::new(&two.a);
        let same_key = orders.insert(&mut order(A, 6, None, None, 1)).await.unwrap_err();
        let mut taken = order(A, 20, None, None, 1);
        taken.code = "C-6".into();
        let same_code = orders.insert(&mut taken).await.unwrap_err();
        for error in [same_key, same_code] {
            assert!(error.is_unique_violation(), "{error:?}");
            for text in [format!("{error}"), format!("{error:?}")] {
                assert!(!text.contains("C-6") && !text.contains("60"), "{text}");
            }
        }
        assert_eq!(two.orders().await, before);
    })
    .await;
}

#[tokio::test]
async fn b2_32_each_condition_is_told_of() {
    each_two(async |two| {
        let scope = tenant(A).filter::<Order>(expr!(|o: Order| o.total > 0)).named("priced");
        let catalog = two.all.context().catalog();
        let mut report: Vec<String> = scope
            .report(catalog)
            .into_iter()
            .filter(|(entity, _)| {
                ["Customer", "Doc", "Order", "OrderView", "Region", "Ticket"].contains(&entity.as_str())
            })
            .map(|(entity, filters)| format!("{entity}: {}", filters.join("; ")))
            .collect();
        report.sort_unstable();
        assert_eq!(report, REPORT);

        let lease = two.a.lease(None, Purpose::Read).await.unwrap();
        let buyers = LogicExpr::from(exists("Customer", prop("Name").eq("Ann")));
        let query = from("Order").filter(buyers).select(["Id"]).into_segment();
        let compiled =
            lease.target().compile_with(&query, &Request::default().scope(&scope), Buffers::default()).unwrap();
        let told: Vec<String> = compiled
            .filters
            .iter()
            .map(|filter| format!("{} {} {}", filter.entity, filter.alias, filter.filter))
            .collect();
        assert_eq!(told, ["Order T0 tenant", "Order T0 priced", "Customer T1 tenant"]);
    })
    .await;
}

/// Where one of these is gone, something is seen that was not.
const REPORT: [&str; 5] = [
    "Customer: tenant: TenantId = ?",
    "Doc: tenant: TenantId = ?; soft_delete",
    "Order: tenant: TenantId = ?; priced: Total > ?",
    "OrderView: tenant: TenantId = ?; priced: Total > ?",
    "Ticket: tenant: TenantId = ?",
];
