//! Logins and what stands around all answers: A11.

use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use isogloss::chrono::{NaiveDateTime, TimeDelta};
use isogloss::prelude::*;
use serde_json::json;

use super::shop::{Shop, each_engine, order};
use crate::auth::{Limit, now};
use crate::domain::{AuthSession, User};

#[tokio::test]
async fn a11_logging_in_and_out() {
    each_engine(async |shop: Shop| {
        let answer = shop.nobody().post("/api/login", json!({ "userName": "sam", "password": "isogloss" })).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("cache-control"), "no-store");
        let user = &answer.body["user"];
        assert_eq!(
            (&user["userName"], &user["displayName"], &user["role"], &user["departmentName"]),
            (&json!("sam"), &json!("Sam Okoye"), &json!("Sales"), &json!("Sales"))
        );
        let expires: NaiveDateTime = answer.body["expiresAt"].as_str().unwrap().trim_end_matches('Z').parse().unwrap();
        assert!((expires - now() - TimeDelta::hours(12)).abs() < TimeDelta::minutes(1), "{expires}");
        let token = answer.body["token"].as_str().unwrap();
        assert_eq!(token.len(), 64, "32 bytes");

        // The database has neither the token nor the password.
        let session = shop.app.context.create_session().unwrap().unscoped("a test looks");
        let sessions = ObjectViewDao::<AuthSession>::new(&session).search(()).all().await.unwrap();
        assert!(sessions.len() == 1 && sessions.iter().all(|session| session.token_hash != token));
        let users = ObjectViewDao::<User>::new(&session).search(()).all().await.unwrap();
        assert!(users.iter().all(|user| user.password_hash.starts_with("$argon2id$")));

        // It ends by a logout, and that of another login does not.
        let (first, second) = (shop.login("sam").await, shop.login("sam").await);
        assert_eq!(first.ask(Method::POST, "/api/logout", None).await.status, 204);
        assert_eq!(first.get("/api/me").await.status, 401);
        assert_eq!(second.get("/api/me").await.status, 200);

        // Or by its time.
        let update = isogloss::entity::update::<AuthSession>([AuthSession::EXPIRES_TIME.set(now())]).all_rows();
        ObjectDao::<AuthSession>::new(&session).update_where(update).await.unwrap();
        assert_eq!(second.get("/api/me").await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn a11_without_a_token_there_is_nothing() {
    let shop = Shop::new().await;
    let mut nobody = shop.nobody();
    for token in ["", "0", &"0".repeat(64), "' OR 1=1 --"] {
        nobody.token = token.to_owned();
        for (method, path) in [
            (Method::GET, "/api/orders/query"),
            (Method::GET, "/api/orders/stats"),
            (Method::GET, "/api/orders/stats/months"),
            (Method::POST, "/api/orders/query/expr"),
            (Method::GET, "/api/orders/1"),
            (Method::PUT, "/api/orders/1"),
            (Method::DELETE, "/api/orders/1"),
            (Method::POST, "/api/orders"),
            (Method::POST, "/api/archive/2024-01"),
            (Method::GET, "/api/me"),
            (Method::POST, "/api/logout"),
        ] {
            let answer = nobody.ask(method.clone(), path, Some(order())).await;
            assert_eq!(answer.status, 401, "{method} {path}");
            assert_eq!(answer.header("content-type"), "application/problem+json");
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{answer:?}");
        }
    }
}

#[tokio::test]
async fn a11_a_wrong_name_is_told_as_a_wrong_password_is() {
    let shop = Shop::new().await;
    let of = async |name: &str, password: &str| {
        shop.nobody().post("/api/login", json!({ "userName": name, "password": password })).await
    };
    let (wrong, unknown) = (of("sam", "guess").await, of("nobody", "guess").await);
    assert_eq!((wrong.status, &wrong.body), (StatusCode::UNAUTHORIZED, &unknown.body));
    assert_eq!(of("nobody", "nobody").await.status, 401);
    assert_eq!(of("", "").await.status, 401);
    assert_eq!(shop.nobody().post("/api/login", json!({ "userName": "sam" })).await.status, 400);
    let plain = Request::post("/api/login").body(Body::from("userName=sam")).unwrap();
    assert_eq!(shop.send(plain).await.status, 415);
    let long = json!({ "userName": "sam", "password": "x".repeat(100_000) });
    assert_eq!(shop.nobody().post("/api/login", long).await.status, 413);
}

#[tokio::test]
async fn a11_passwords_are_not_tried_out() {
    let shop = Shop::new().await;
    let shop = Shop::over(shop.app.clone(), Limit { at_once: 3, then_every: Duration::from_secs(600) });
    let guess = async || shop.nobody().post("/api/login", json!({ "userName": "sam", "password": "guess" })).await;
    for _ in 0..3 {
        assert_eq!(guess().await.status, 401);
    }
    let refused = guess().await;
    assert_eq!(
        (refused.status, &refused.body["type"]),
        (StatusCode::TOO_MANY_REQUESTS, &json!("/problems/too-many-requests"))
    );
    assert!(refused.header("retry-after").parse::<u64>().unwrap() > 0);
}

#[tokio::test]
async fn every_answer_is_guarded() {
    let shop = Shop::new().await;
    for path in ["/", "/app.js", "/style.css", "/api/me", "/api/nothing", "/nothing"] {
        let answer = shop.nobody().get(path).await;
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'self'") && !policy.contains("unsafe"), "{path} {policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
    }
    assert_eq!(shop.nobody().get("/api/nothing").await.header("content-type"), "application/problem+json");
    let refused = shop.nobody().delete("/api/orders/query").await;
    assert_eq!((refused.status.as_u16(), refused.header("content-type")), (405, "application/problem+json"));
    assert!(refused.header("allow").contains("GET"), "{refused:?}");
    // Nothing is inline.
    let page = include_str!("../../page/index.html");
    assert!(!page.contains("<style") && !page.contains(" style=") && page.matches("<script").count() == 1);
}
