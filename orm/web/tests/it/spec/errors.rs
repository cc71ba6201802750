//! B15 and B17: what is wrong with a request, and what fails behind it.

use std::time::Duration;

use axum::http::StatusCode;
use bytes::Bytes;
use isogloss::expr::LogicOperator;
use isogloss::prelude::*;
use isogloss::walk::QueryPolicy;
use isogloss_web::{Call, EntityController, Host, Problem, ProblemKind, Rules, WebResult};
use serde_json::json;

use crate::support::{Customer, Kind, Order, api, context, kind, send, send_as, shop};

#[tokio::test]
async fn b15_bodies_are_json() {
    let api = api(&shop().await);
    let body = Some(r#"{"$section":null,"Take":1}"#);
    for (header, value, status) in [
        ("content-type", "application/json", 200),
        ("content-type", "application/json; charset=utf-8", 200),
        ("content-type", "application/vnd.expr+json", 200),
        ("content-type", "text/plain", 415),
        ("content-type", "application/x-www-form-urlencoded", 415),
        ("content-type", "multipart/form-data; boundary=x", 415),
        ("content-type", "application/json; charset=utf-16", 415),
        ("content-encoding", "gzip", 415),
        ("content-encoding", "identity", 200),
        ("x-http-method-override", "DELETE", 200),
        ("x-tenant", "2", 200),
    ] {
        let answer = send_as(&api, "POST /api/Order/page", body, &[(header, value)]).await;
        assert_eq!(answer.status, status, "{header}: {value}");
        if status == 415 {
            assert_eq!(answer.at("/type"), json!("/problems/unsupported-media-type"));
        }
    }
    let none = send(&api, "POST /api/Order/page", None).await;
    assert_eq!(none.status, 415);
}

#[tokio::test]
async fn b17_what_the_engine_refuses_is_not_told_in_its_words() {
    let context = context();
    let session = context.create_session().unwrap();
    let mut lowest = Kind { id: 1, big: Some(i64::MIN), ..Kind::default() };
    ObjectDao::new(&session).insert(&mut lowest).await.unwrap();
    let api = api(&context);
    let overflow = r##"{"$":">","Left":{"$":"func","ABS":[{"#":"Big"}]},"Right":1}"##;
    let answer = send(&api, "POST /api/Kind/page", overflow).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (422, json!("bad-value")), "{}", answer.text);
    for engine in ["overflow", "ABS", "abs", "kinds", "main"] {
        assert!(!answer.text.contains(engine), "{}", answer.text);
    }
}

#[tokio::test]
async fn b17_what_a_clients_own_list_overflows_is_a_422() {
    let context = context();
    ObjectDao::new(&context.create_session().unwrap()).insert(&mut kind()).await.unwrap();
    let api = api(&context);
    let body = r##"{"$section":{"$select":null,"Selects":[{"Alias":"v","Value":{"$":"*","Left":{"#":"Big"},"Right":9223372036854775807}}]}}"##;
    let answer = send(&api, "POST /api/Kind/page", body).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (422, json!("bad-value")), "{}", answer.text);
}

/// Each kind of column, by query strings.
struct Kinds(Rules);

impl EntityController for Kinds {
    type Entity = Kind;
    type View = Kind;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

#[tokio::test]
async fn a12_what_does_not_compile_of_a_query_string_is_a_400() {
    let context = context();
    ObjectDao::new(&context.create_session().unwrap()).insert(&mut kind()).await.unwrap();
    let policy = QueryPolicy::new("Kind").allow_operators([LogicOperator::RegexpLike]);
    let api = Kinds(Rules::new().query_string().policy(policy)).router(&Host::new(&context)).unwrap();
    for query in ["json=5", "json=%3E5", "json=1,2", "orderby=json", "text=%24a", "text=%24(", "json=5&page=1"] {
        let answer = send(&api, &format!("GET /Kind?{query}"), None).await;
        assert_eq!((answer.status.as_u16(), answer.at("/code")), (400, json!("bad-query")), "{query}: {}", answer.text);
        assert_eq!(
            (answer.at("/path"), answer.text.contains("kinds")),
            (json!(null), false),
            "{query}: {}",
            answer.text
        );
    }
    assert_eq!(send(&api, "GET /Kind?big=%3E5&orderby=at", None).await.at("/0/id"), json!(1));
}

#[tokio::test]
async fn b17_what_is_wrong_with_a_keyword_is_told_of_the_keyword() {
    let answer = send(&api(&shop().await), "GET /api/Customer/count?keyword=%00", None).await;
    assert_eq!((answer.status.as_u16(), answer.at("/field")), (400, json!("keyword")), "{}", answer.text);
    assert_eq!(answer.at("/path"), json!(null));
}

/// Endpoints that do not go well.
struct Bad(Rules);

impl EntityController for Bad {
    type Entity = Order;
    type View = Order;

    fn rules(&self) -> Rules {
        self.0.clone()
    }

    async fn get(&self, call: &Call, id: &str) -> WebResult {
        assert_ne!(id, "13", "an unlucky number");
        call.get(id).await
    }

    async fn list(&self, _: &Call) -> WebResult {
        std::future::pending().await
    }

    async fn insert(&self, _: &Call, body: Bytes) -> WebResult {
        Err(Problem::new(ProblemKind::Forbidden, format!("{} bytes too many", body.len())))
    }
}

#[tokio::test]
async fn b17_a_panic_is_a_problem_and_the_server_goes_on() {
    let api = Bad(Rules::new()).router(&Host::new(&shop().await)).unwrap();
    let answer = send(&api, "GET /Order/13", None).await;
    assert_eq!((answer.status, answer.at("/code")), (StatusCode::INTERNAL_SERVER_ERROR, json!("internal")));
    assert!(!answer.text.contains("unlucky"));
    assert_eq!(send(&api, "GET /Order/14", None).await.at("/id"), json!(14));
}

#[tokio::test]
async fn b17_a_request_ends_in_time() {
    let api = Bad(Rules::new().timeout(Duration::from_millis(50))).router(&Host::new(&shop().await)).unwrap();
    let answer = send(&api, "GET /Order", None).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (504, json!("timeout")));
    let answer = send(&api, "POST /Order", "{}").await;
    assert_eq!((answer.status.as_u16(), answer.at("/detail")), (403, json!("2 bytes too many")));
}

/// A body that never ends.
#[tokio::test]
async fn b17_a_slow_body_is_given_up() {
    use axum::body::Body;
    use axum::http::Request;
    use tower::ServiceExt as _;
    let api = Bad(Rules::new().timeout(Duration::from_millis(50))).router(&Host::new(&shop().await)).unwrap();
    let slow = futures_util::stream::pending::<Result<Bytes, std::io::Error>>();
    let request = Request::post("/Order").header("content-type", "application/json").body(Body::from_stream(slow));
    assert_eq!(api.oneshot(request.unwrap()).await.unwrap().status(), 408);
}

#[tokio::test]
async fn b17_a_database_that_is_gone_is_a_503() {
    let context = shop().await;
    let api = api(&context);
    context.close();
    for request in ["GET /api/Order", "GET /api/Order/7", "GET /api/Order/count", "DELETE /api/Order/7"] {
        let answer = send(&api, request, None).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after")), (503, "1"), "{request}");
    }
}

#[test]
fn b1_what_does_not_fit_is_found_at_the_start() {
    let context = context();
    let host = Host::new(&context);
    let error = |rules: Rules| crate::support::Orders(rules).router(&host).unwrap_err().to_string();
    for (rules, message) in [
        (
            Rules::new().name("a/b"),
            "`a/b` is no part of a path: give the controller another by `Rules::name`, of ASCII letters, digits, `-`, `_`",
        ),
        (
            Rules::new().name("{id}"),
            "`{id}` is no part of a path: give the controller another by `Rules::name`, of ASCII letters, digits, `-`, `_`",
        ),
        (
            Rules::new().show(["Margn"]),
            "`Rules::show` names `Margn`, and `OrderView` has no property of that name that can be read",
        ),
        (
            Rules::new().page_sizes(200, 100),
            "the rules of the controller for `Order`: `Rules::page_sizes`: the usual size is above the largest one",
        ),
        (
            Rules::new().page_sizes(0, 100),
            "the rules of the controller for `Order`: `Rules::page_sizes`: give a usual size of at least 1",
        ),
        (
            Rules::new().max_list(0),
            "the rules of the controller for `Order`: `Rules::max_list`: give at least 1, or `None` for no bound",
        ),
        (
            Rules::new().timeout(Duration::ZERO),
            "the rules of the controller for `Order`: `Rules::timeout`: give more than no time",
        ),
        (
            Rules::new().policy(QueryPolicy::new("OrderView").deny_properties("Order", ["Totl"])),
            "the policy of the controller for `Order`: `QueryPolicy::deny_properties` names `Totl`, and `Order` has no property of that name: mend the name, or say it of the entity that has it",
        ),
        (
            Rules::new().policy(QueryPolicy::new("OrderView").only_properties("OrderView", [""; 0])),
            "clients may see no property of `OrderView`: let it have one that is filterable, or show one by `Rules::show`",
        ),
    ] {
        assert_eq!(error(rules), message);
    }
    let empty = OrmContext::new(isogloss::model::Catalog::builder().build().unwrap());
    let error = crate::support::Plain::<Customer>::new().router(&Host::new(&empty)).unwrap_err();
    assert_eq!(error.to_string(), "`Customer` is not in the catalog: add it before the controller is mounted");
}
