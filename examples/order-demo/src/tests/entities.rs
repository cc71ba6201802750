//! The generic endpoints beside those of orders: who may use them, and what they show.

use axum::http::Method;
use serde_json::{Value, json};

use super::shop::{Client, Shop, each_engine, order};

#[tokio::test]
async fn departments_are_read_by_all_and_written_by_administrators() {
    each_engine(async |shop: Shop| {
        let (ada, sam, bea) = (shop.login("ada").await, shop.login("sam").await, shop.login("bea").await);
        let list = sam.get("/api/Department").await;
        assert_eq!(list.status, 200, "{}", list.body);
        let departments = list.body.as_array().unwrap();
        assert_eq!(departments.len(), 4, "those of the tenant");
        assert!(departments.iter().all(|department| department.get("tenantId").is_none()));
        let id = departments[0]["id"].as_i64().unwrap();

        let new = json!({ "name": "Returns", "state": departments[0]["state"] });
        assert_eq!(sam.post("/api/Department", new.clone()).await.status, 403);
        assert_eq!(sam.put("/api/Department", departments[0].clone()).await.status, 403);
        // Users and orders refer to it: nobody deletes one.
        for client in [&sam, &ada] {
            assert_eq!(client.delete(&format!("/api/Department/{id}")).await.status, 405);
            assert_eq!(client.delete("/api/User/1").await.status, 405);
        }
        let added = ada.post("/api/Department", new).await;
        assert_eq!((added.status.as_u16(), &added.body), (200, &json!(true)));
        let tree = json!({"$": "==", "Left": {"#": "Name"}, "Right": {"@": "Returns"}});
        let page = sam.post("/api/Department/page", tree.clone()).await;
        assert_eq!((page.total(), page.items().len()), (1, 1));
        assert_eq!(bea.post("/api/Department/page", tree).await.total(), 0, "not in the other tenant");
        // Another tenant's is not there.
        assert_eq!(bea.get(&format!("/api/Department/{id}")).await.body, Value::Null);
        assert_eq!(shop.nobody().get("/api/Department").await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn no_password_is_shown_named_or_set() {
    let shop = Shop::new().await;
    let ada = shop.login("ada").await;
    let users = ada.get("/api/User").await;
    assert_eq!(users.status, 200, "{}", users.body);
    assert_eq!(users.body.as_array().unwrap().len(), 5);
    assert!(!users.body.to_string().contains("argon2") && !users.body.to_string().contains("passwordHash"));
    let equals = |property: &str| json!({"$": "startswith", "Left": {"#": property}, "Right": {"@": "$argon2"}});
    for property in ["PasswordHash", "NoSuchThing"] {
        assert_eq!(ada.post("/api/User/page", equals(property)).await.status, 400);
    }
    let mut user = users.body[1].clone();
    let name = user["displayName"].clone();
    for (member, value) in [("passwordHash", json!("x")), ("tenantId", json!(2)), ("noSuchThing", json!(1))] {
        let mut body = user.clone();
        body[member] = value;
        let answer = ada.put("/api/User", body).await;
        assert_eq!((answer.status.as_u16(), &answer.body["field"]), (422, &json!(member)), "{}", answer.body);
    }
    user["displayName"] = json!("Samuel Okoye");
    let changed = ada.put("/api/User", user.clone()).await;
    assert_eq!((changed.status.as_u16(), &changed.body), (200, &json!(true)), "was {name}");
    // The password is what it was.
    assert_eq!(shop.login("sam").await.get("/api/me").await.body["displayName"], "Samuel Okoye");
}

#[tokio::test]
async fn what_is_served_and_what_is_not() {
    let shop = Shop::new().await;
    let ada = shop.login("ada").await;
    for path in ["/api/Order", "/api/Order/1", "/api/AuthSession", "/api/ArchivedOrder", "/api/PlatformOrder"] {
        assert_eq!(ada.get(path).await.status, 404, "{path}");
    }
    let audits = ada.get("/api/Audit").await;
    assert!(!audits.body.as_array().unwrap().is_empty());
    for (method, path) in [(Method::POST, "/api/Audit"), (Method::PUT, "/api/Audit"), (Method::DELETE, "/api/Audit/1")]
    {
        assert_eq!(ada.ask(method, path, Some(json!({ "id": 1 }))).await.status, 405, "{path}");
    }
}

#[tokio::test]
async fn audits_are_those_of_orders_that_one_may_see() {
    each_engine(async |shop: Shop| {
        let (ada, sam, sue) = (shop.login("ada").await, shop.login("sam").await, shop.login("sue").await);
        let placed = sam.post("/api/orders", order()).await;
        let path = format!("/api/orders/{}", placed.body["id"]);
        assert_eq!(ada.put(&path, order()).await.status, 200);
        let of_order = json!({"$": "==", "Left": {"#": "OrderId"}, "Right": {"@": placed.body["id"]}});
        let seen = async |client: &Client<'_>| client.post("/api/Audit/page", of_order.clone()).await.total();
        assert_eq!(sue.get(&path).await.status, 403);
        assert_eq!((seen(&ada).await, seen(&sam).await, seen(&sue).await), (2, 2, 0));
        for audit in sue.get("/api/Audit").await.body.as_array().unwrap() {
            let status = sue.get(&format!("/api/orders/{}", audit["orderId"])).await.status;
            assert_eq!(status, 200, "{audit}");
            assert_eq!(sam.get(&format!("/api/Audit/{}", audit["id"])).await.body, Value::Null);
        }
    })
    .await;
}

#[tokio::test]
async fn a_new_user_gets_a_password_from_an_administrator() {
    each_engine(async |shop: Shop| {
        let (ada, sam, bea) = (shop.login("ada").await, shop.login("sam").await, shop.login("bea").await);
        let department = ada.get("/api/Department").await.body[0]["id"].clone();
        let new = json!({"userName": "ned", "displayName": "Ned", "role": "Sales", "departmentId": department});
        assert_eq!(ada.post("/api/User", new).await.body, json!(true));
        let users = ada.get("/api/User").await;
        let ned = users.body.as_array().unwrap().iter().find(|user| user["userName"] == "ned").unwrap();
        let path = format!("/api/users/{}/password", ned["id"]);
        let try_in = async |password: &str| {
            shop.nobody().post("/api/login", json!({"userName": "ned", "password": password})).await.status
        };
        for password in ["", "isogloss", "nobody"] {
            assert_eq!(try_in(password).await, 401, "{password:?}");
        }
        let new = || json!({"password": "correct horse"});
        assert_eq!(sam.put(&path, new()).await.status, 403);
        assert_eq!(sam.put(&path, json!({})).await.status, 403, "the body is not looked at");
        assert_eq!(bea.put(&path, new()).await.status, 404, "of another tenant");
        assert_eq!(ada.put(&path, json!({"password": "short"})).await.status, 422);
        assert_eq!(try_in("correct horse").await, 401);
        assert_eq!(ada.put(&path, new()).await.status, 204);
        assert_eq!(try_in("correct horse").await, 200);

        // A new password ends the logins with the old one.
        let id = users.body.as_array().unwrap().iter().find(|user| user["userName"] == "sam").unwrap()["id"].clone();
        assert_eq!(ada.put(&format!("/api/users/{id}/password"), new()).await.status, 204);
        assert_eq!(sam.get("/api/me").await.status, 401);
    })
    .await;
}
