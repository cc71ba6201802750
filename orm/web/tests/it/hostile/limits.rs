//! What one client may take of a server, and who may write.

use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use isogloss::prelude::*;
use isogloss_testkit::events;
use isogloss_web::{EntityController, Host, Rules};
use tower::ServiceExt as _;

use crate::hostile::app::{App, Customer, ORDERS, Order, Region, context, problem};
use crate::support::{clock, send_as, until};

struct Regions(Rules);

impl EntityController for Regions {
    type Entity = Region;
    type View = Region;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

/// Regions have no column that clients may set.
#[tokio::test]
async fn what_clients_set_nothing_of_they_do_not_write() {
    let app = App::new().await;
    for (request, body, allow) in [
        ("POST /api/Region", "{}", "GET, HEAD"),
        ("PUT /api/Region", r#"{"id":1}"#, "GET, HEAD"),
        ("DELETE /api/Region/1", "", "GET, HEAD"),
        ("PATCH /api/Region", "", "GET, HEAD"),
        ("POST /api/Region/1", "{}", "GET, HEAD"),
    ] {
        let answer = app.send(request, body).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, allow), "{request} {answer:?}");
        problem(&answer);
    }
    assert_eq!(app.send("GET /api/Region/1", "").await.text, r#"{"id":1}"#);
    let api = Regions(Rules::new().allow_delete()).router(&Host::new(&app.context)).unwrap();
    let deleted = send_as(&api, "DELETE /Region/2", None, &[]).await;
    assert_eq!((deleted.status.as_u16(), &*deleted.text), (200, "false"));
    let insert = send_as(&api, "POST /Region", Some("{}"), &[]).await;
    assert_eq!((insert.status.as_u16(), insert.header("allow")), (405, "GET, HEAD"));
    let api = Regions(Rules::new().allow_delete().read_only()).router(&Host::new(&app.context)).unwrap();
    assert_eq!(send_as(&api, "DELETE /Region/1", None, &[]).await.status, 405);
}

#[tokio::test]
async fn rules_make_any_entity_read_only() {
    let app = App::with(Rules::new().allow_writes().read_only()).await;
    for request in ["POST /api/Order", "PUT /api/Order", "DELETE /api/Order/1"] {
        let body =
            if request.starts_with("DELETE") { "" } else { r#"{"id":1,"customerId":1,"orderNo":"x","points":1}"# };
        let answer = app.send(request, body).await;
        assert_eq!((answer.status.as_u16(), answer.header("allow")), (405, "GET, HEAD"), "{request}");
    }
    assert_eq!(app.everything().await.len(), ORDERS + 6);
}

struct Customers(Rules);

impl EntityController for Customers {
    type Entity = Customer;
    type View = Customer;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

/// D.5 case 20: a pattern of a client's is one of 1,024 bytes at most, or none where the policy says so.
#[tokio::test]
async fn patterns_are_denied_where_the_policy_says_so() {
    use isogloss::expr::LogicOperator::{ILike, Like, NotILike, NotLike};
    let policy = QueryPolicy::new("Customer").deny_operators([Like, NotLike, ILike, NotILike]);
    let api = Customers(Rules::new().policy(policy).query_string()).router(&Host::new(&context())).unwrap();
    for sign in ["like", "notlike", "ilike", "notilike"] {
        let body = format!(r##"{{"$":"{sign}","Left":{{"#":"Name"}},"Right":"%a"}}"##);
        let answer = send_as(&api, "POST /Customer/page", Some(&body), &[]).await;
        assert_eq!((answer.status.as_u16(), answer.at("/code")), (400, "bad-query".into()), "{answer:?}");
        assert_eq!(answer.at("/detail"), format!("the comparison `{sign}` is not allowed"));
    }
    assert_eq!(send_as(&api, "GET /Customer?name=*a", None, &[]).await.status, 400);
    let body = r##"{"$":"contains","Left":{"#":"Name"},"Right":"%a"}"##;
    assert_eq!(send_as(&api, "POST /Customer/page", Some(body), &[]).await.status, 200);
}

#[test]
fn the_log_says_once_that_anybody_may_write() {
    let context = context();
    let warnings = |host: &Host, rules: &[Rules]| {
        let (events, _guard) = events::capture("isogloss::web", tracing::Level::WARN);
        for rules in rules {
            drop(Regions(rules.clone()).router(host).unwrap());
        }
        events.take_messages().iter().filter(|line| line.contains("anybody may write to `/Region`")).count()
    };
    let deletable = || Rules::new().allow_delete();
    assert_eq!(warnings(&Host::new(&context), &[deletable(), deletable()]), 1);
    assert_eq!(warnings(&Host::new(&context), &[Rules::new()]), 0);
    assert_eq!(warnings(&crate::hostile::app::host(&context), &[deletable()]), 0);
}

#[tokio::test]
async fn the_rows_of_an_answer_have_so_many_bytes() {
    let app = App::with(Rules::new().max_answer(1_000)).await;
    let all = app.page(r#"{"$section":null,"Take":30}"#).await;
    assert_eq!((all.status.as_u16(), &problem(&all)["type"]), (422, &"/problems/answer-too-large".into()));
    assert_eq!(app.page(r#"{"$section":null,"Take":2}"#).await.status, 200);
    assert_eq!(app.send("GET /api/Order/1", "").await.status, 200);
    assert_eq!(app.send("GET /api/Order", "").await.status, 200);
    let app = App::with(Rules::new().max_answer(10)).await;
    let one = app.send("GET /api/Order/1", "").await;
    assert_eq!((one.status.as_u16(), &problem(&one)["code"]), (422, &"answer-too-large".into()));
}

#[tokio::test]
async fn a_small_body_does_not_become_a_large_answer() {
    let app = App::new().await;
    let concat = format!(r##"{{"$":"func","Concat":[{}]}}"##, [r##"{"#":"OrderNo"}"##; 64].join(","));
    let items: Vec<String> = (0..10).map(|n| format!(r##"{{"Value":{concat},"Alias":"a{n}"}}"##)).collect();
    app.refuses(&format!(r##"{{"$section":{{"$select":null,"Selects":[{}]}},"Take":100}}"##, items.join(","))).await;
}

#[tokio::test]
async fn patterns_are_short() {
    let app = App::new().await;
    let long = "a".repeat(1_025);
    app.refuses(&format!(r##"{{"$":"contains","Left":{{"#":"OrderNo"}},"Right":"{long}"}}"##)).await;
    let answer = app.send(&format!("GET /api/Customer/count?keyword={long}"), "").await;
    assert_eq!(answer.status, 400, "{answer:?}");
    assert_eq!(problem(&answer)["detail"], "The keyword is too long.");
}

#[tokio::test]
async fn an_error_does_not_repeat_a_long_name() {
    let app = App::new().await;
    for name in ["x".repeat(60_000), "é ".repeat(20_000)] {
        let answer = app.send("POST /api/Order", &format!(r#"{{"{name}":1}}"#)).await;
        assert_eq!(answer.status, 422);
        assert!(answer.text.len() < 4_000, "{}", answer.text.len());
    }
}

#[tokio::test]
async fn rows_are_counted_so_far() {
    let app = App::with(Rules::new().max_count(10)).await;
    for query in ["", "?count=exact", "?count=capped"] {
        let page = app.send(&format!("POST /api/Order/page{query}"), r#"{"$section":null}"#).await;
        assert_eq!((page.at("/total"), page.at("/totalIsCapped")), (10.into(), true.into()), "{query}");
    }
    assert_eq!(app.send("GET /api/Order/count", "").await.text, "10");
    let app = App::with(Rules::new().max_count(1_000)).await;
    let page = app.page(r#"{"$section":null}"#).await;
    assert_eq!((page.at("/total"), page.at("/totalIsCapped")), (ORDERS.into(), false.into()));
    assert_eq!(app.send("GET /api/Order/count", "").await.text, ORDERS.to_string());
}

#[tokio::test]
async fn a_list_that_nobody_reads_gives_its_connection_back() {
    // The request itself has all the time.
    let app = App::with(Rules::new().max_list(None).timeout(Duration::from_secs(365 * 24 * 60 * 60))).await;
    let session = app.context.create_session().unwrap();
    let order =
        |number: i64| Order { tenant_id: 1, customer_id: 1, order_no: format!("B-{number:095}"), ..Order::default() };
    let mut orders: Vec<Order> = (0..2_000).map(order).collect();
    ObjectDao::<Order>::new(&session).batch_insert(&mut orders).await.unwrap();
    drop(session);
    let busy = || {
        let pool = app.context.data_source(None).unwrap().status().pool.unwrap();
        pool.open > pool.idle
    };
    let request = Request::get("/api/Order").header("authorization", "Bearer 1").body(Body::empty()).unwrap();
    let api: Router = app.api.clone();
    let unread = api.oneshot(request).await.unwrap();
    assert!(busy(), "the list is too short for this test");
    let clock = clock::stop();
    tokio::select! {
        () = until("the connection is free", || !busy()) => {}
        never = clock.run() => match never {},
    }
    // It is broken off, and not taken for all.
    assert!(axum::body::to_bytes(unread.into_body(), usize::MAX).await.is_err());
}
