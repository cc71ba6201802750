//! Whose orders are whose: A3, A7, A8, A9, A10.

use axum::http::{Method, StatusCode};
use isogloss::entity::Arged;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use serde_json::{Value, json};

use super::shop::{Shop, each_engine, order};
use crate::domain::{ArchivedOrder, Department, Order, PlatformOrder};

#[tokio::test]
async fn a3_each_object_is_checked() {
    each_engine(async |shop: Shop| {
        let (ada, sam, sue, tom) =
            (shop.login("ada").await, shop.login("sam").await, shop.login("sue").await, shop.login("tom").await);
        let placed = sam.post("/api/orders", order()).await;
        let path = format!("/api/orders/{}", placed.body["id"]);
        assert_eq!(sam.get(&path).await.body, placed.body);

        // Somebody else's is forbidden, which is not missing; that of another tenant is not there at all.
        for (client, status) in [(&sue, StatusCode::FORBIDDEN), (&tom, StatusCode::NOT_FOUND)] {
            for answer in [
                client.get(&path).await,
                client.put(&path, order()).await,
                client.put(&path, json!({})).await,
                client.delete(&path).await,
            ] {
                assert_eq!(answer.status, status, "{}", answer.body);
                assert_eq!(answer.header("content-type"), "application/problem+json");
                assert!(!answer.body.to_string().contains("Fjord"), "{}", answer.body);
            }
        }
        assert_eq!(sam.get(&path).await.body, placed.body, "nothing was written");
        assert_eq!(sam.get("/api/orders/987654321").await.status, 404);
        assert_eq!(sam.get("/api/orders/first").await.status, 400);

        // An administrator may, of their tenant.
        assert_eq!(ada.put(&path, order()).await.status, 200);
        assert_eq!(shop.login("bea").await.get(&path).await.status, 404);
        assert_eq!(ada.delete(&path).await.status, 204);
        assert_eq!(sam.get(&path).await.status, 404, "it is deleted");
        assert_eq!(sam.delete(&path).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a3_nobody_writes_over_what_they_have_not_seen() {
    each_engine(async |shop: Shop| {
        let (ada, sam) = (shop.login("ada").await, shop.login("sam").await);
        let placed = sam.post("/api/orders", order()).await;
        let path = format!("/api/orders/{}", placed.body["id"]);
        let version = placed.header("etag").to_owned();
        assert!(version.starts_with('"'), "{version}");
        let mut body = order();
        body["quantity"] = json!(5);
        let changed = ada.ask_of(Method::PUT, &path, Some(body), Some(&version)).await;
        assert_eq!(changed.status, 200, "{}", changed.body);
        assert_ne!(changed.header("etag"), version);

        for version in [&*version, "\"of another server\""] {
            assert_eq!(sam.ask_of(Method::PUT, &path, Some(order()), Some(version)).await.status, 412);
            assert_eq!(sam.ask_of(Method::DELETE, &path, None, Some(version)).await.status, 412);
        }
        let read = sam.get(&path).await;
        assert_eq!(read.body["quantity"], 5);
        assert_eq!(sam.ask_of(Method::PUT, &path, Some(order()), Some(read.header("etag"))).await.status, 200);
        assert_eq!(sam.ask_of(Method::DELETE, &path, None, Some("*")).await.status, 204);
    })
    .await;
}

#[tokio::test]
async fn a7_roles() {
    let shop = Shop::new().await;
    let all = shop.login("ada").await.get("/api/orders/query").await.total();
    for (name, role) in [("ada", "Admin"), ("sam", "Sales"), ("oli", "Operations"), ("mia", "AccountManager")] {
        let client = shop.login(name).await;
        assert_eq!(client.get("/api/me").await.body["role"], role);
        let seen = client.get("/api/orders/query").await.total();
        assert_eq!(seen == all, role == "Admin", "{role} sees {seen} of {all}");
        assert_eq!(client.post("/api/orders", order()).await.status, 201);
        // What only administrators may.
        let archived = client.ask(Method::POST, "/api/archive/2020-01", None).await;
        assert_eq!(archived.status == 200, role == "Admin", "{role} {}", archived.body);
    }
}

#[tokio::test]
async fn a8_records() {
    let shop = Shop::new().await;
    let catalog = shop.app.context.catalog();
    for (entity, properties) in [
        (Order::NAME, &["Id", "IsDeleted", "CreatedByUserId", "CreatedTime", "TenantId", "Status"][..]),
        (<Department as Entity>::NAME, &["Id", "State"]),
        (PlatformOrder::NAME, &["Id", "TenantKind"]),
        (ArchivedOrder::NAME, &["Id"]),
    ] {
        let (_, found) = catalog.entity(entity).unwrap();
        for property in properties {
            assert!(found.columns.iter().any(|column| column.name == **property), "{entity}.{property}");
        }
    }
    assert_eq!(Arged::table_args(&ArchivedOrder::default()), ["197001"]);
}

#[tokio::test]
async fn a9_tenants() {
    each_engine(async |shop: Shop| {
        let (ada, bea) = (shop.login("ada").await, shop.login("bea").await);
        // A shared table: a condition on the tenant, of each table of the statement. A client is not told its column.
        let list = ada.get("/api/orders/query?departmentName=Sales").await;
        assert!(list.sql().matches("hidden").count() >= 2 && !list.sql().contains("tenant_id"), "{}", list.sql());
        let (one, two) = (ada.get("/api/orders/query").await.total(), bea.get("/api/orders/query").await.total());
        assert_eq!((one, two), (150, 50));
        let names = |answer: &super::shop::Answer| {
            let name = |order: &Value| order["createdByLoginName"].as_str().unwrap().to_owned();
            answer.items().iter().map(name).collect::<std::collections::BTreeSet<_>>()
        };
        let (of_ada, of_bea) = (
            names(&ada.get("/api/orders/query?pageSize=100").await),
            names(&bea.get("/api/orders/query?pageSize=100").await),
        );
        assert!(of_ada.is_disjoint(&of_bea), "{of_ada:?} {of_bea:?}");

        // A table of its own for each month: what stands for `{0}`.
        let oldest = ada.get("/api/orders/query?status=Completed&sortBy=createdTime&desc=false&pageSize=1").await;
        let month = oldest.items()[0]["createdTime"].as_str().unwrap()[..7].to_owned();
        let moved = ada.ask(Method::POST, &format!("/api/archive/{month}"), None).await;
        let count = moved.body["archived"].as_u64().unwrap_or_else(|| panic!("{}", moved.body));
        assert!(count > 0);
        let archived = ada.get(&format!("/api/archive/{month}")).await;
        assert_eq!(archived.total(), count);
        assert!(archived.sql().contains(&format!("orders_{}", month.replace('-', ""))), "{}", archived.sql());
        assert_eq!(bea.get(&format!("/api/archive/{month}")).await.total(), 0, "that of the tenant");
        assert_eq!(ada.get("/api/orders/query").await.total(), one - count, "and no more where it was");

        // A kind that the model fixes: a constant of every statement.
        let session = shop.app.context.create_session().unwrap();
        assert_eq!(ObjectViewDao::<PlatformOrder>::new(&session).count(()).await.unwrap(), 1);
        assert!(session.sql_stack()[0].contains("= 1"), "{:?}", session.sql_stack());
    })
    .await;
}

#[tokio::test]
async fn a10_the_server_decides() {
    let shop = Shop::new().await;
    let sam = shop.login("sam").await;
    // A client does not say whose an order is, its tenant, its number, its total or its version.
    for name in ["createdByUserId", "tenantId", "orderNo", "totalAmount", "version", "isDeleted", "id"] {
        let mut body = order();
        body[name] = json!(1);
        let answer = sam.post("/api/orders", body).await;
        assert!(answer.status == 400 || answer.status == 422, "{name} {}", answer.body);
    }
    assert_eq!(sam.get("/api/orders/query?onlyMine=false&createdByUserName=sue").await.total(), 0);
    // A statement that forgets whose orders are meant is refused.
    let session = shop.app.context.create_session().unwrap();
    assert!(matches!(ObjectViewDao::<Order>::new(&session).count(()).await, Err(OrmError::NoScope { .. })));
}

/// What is refused has made nothing: no table of a month, either.
#[tokio::test]
async fn the_permission_is_asked_before_anything_is_done() {
    each_engine(async |shop: Shop| {
        let (ada, sam) = (shop.login("ada").await, shop.login("sam").await);
        let session = shop.app.context.create_session().unwrap().unscoped("a test looks");
        let is_there = async || {
            let mut lease = session.lease(None, Purpose::Write).await.unwrap();
            lease.script("SELECT id FROM orders_185001").await.is_ok()
        };
        assert_eq!(sam.ask(Method::POST, "/api/archive/1850-01", None).await.status, 403);
        assert_eq!(sam.get("/api/archive/1850-01").await.status, 403);
        assert!(!is_there().await);
        assert_eq!(ada.ask(Method::POST, "/api/archive/1850-01", None).await.body["archived"], 0);
        assert!(is_there().await);
    })
    .await;
}

#[tokio::test]
async fn what_is_archived_is_audited() {
    each_engine(async |shop: Shop| {
        let ada = shop.login("ada").await;
        let oldest = ada.get("/api/orders/query?status=Completed&sortBy=createdTime&desc=false&pageSize=1").await;
        let (id, time) = (&oldest.items()[0]["id"], oldest.items()[0]["createdTime"].as_str().unwrap());
        let path = format!("/api/archive/{}", &time[..7]);
        let deleted = json!({"$": "==", "Left": {"#": "Action"}, "Right": {"@": "Deleted"}});
        assert_eq!(ada.post("/api/Audit/page", deleted.clone()).await.total(), 0);
        let moved = ada.ask(Method::POST, &path, None).await.body["archived"].as_u64().unwrap();
        let audits =
            ada.post("/api/Audit/page", json!({"$section": {"$where": null, "Where": deleted}, "Take": 100})).await;
        assert!(moved > 0 && audits.total() == moved, "{moved} {}", audits.body);
        assert!(
            audits.items().iter().any(|audit| audit["orderId"] == *id && audit["userName"] == "ada"),
            "{}",
            audits.body
        );
    })
    .await;
}
