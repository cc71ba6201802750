//! What requests may say and what is answered to them is in the description: parameters, statuses, forms and headers.

use std::collections::BTreeSet;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::Request;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss_web::{EntityController, Host, OpenApiDocument, Problem, ProblemKind, Rules};
use serde_json::Value as Json;
use tower::ServiceExt as _;

use crate::support::{Answer, send_as};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "items")]
struct Item {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 20, unique, writable)]
    name: String,
    #[column(timestamp)]
    version: i32,
}

/// The items, whose requests may take so long.
struct Items(Duration);

impl EntityController for Items {
    type Entity = Item;
    type View = Item;

    fn rules(&self) -> Rules {
        let rules = Rules::new().allow_writes().require_version().anonymous_writes().query_string();
        rules.max_answer(200).max_body(1_000).timeout(self.0)
    }
}

/// The items as an API, with its description.
struct Shop {
    api: Router,
    /// The same with little time for a request.
    hurried: Router,
    document: Json,
    /// Each status that was answered to an operation.
    seen: BTreeSet<String>,
}

impl Shop {
    fn new() -> Self {
        let context = OrmContext::new(Catalog::builder().entity::<Item>().build().unwrap());
        context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
        // What the host of a program may answer to any request.
        let host = Host::new(&context).authenticate(|head, _| {
            let code = head.headers.get("x-code").map(|code| code.to_str().unwrap().to_owned());
            let kind = ProblemKind::ALL.iter().find(|kind| Some(kind.code()) == code.as_deref());
            async move { kind.map_or(Ok(None), |kind| Err(Problem::of(*kind))) }
        });
        let items = Items(Duration::from_secs(600));
        let document = OpenApiDocument::new("Items", "1.0").controller(&items.mounted(&host).unwrap()).document();
        let hurried = Items(Duration::from_millis(1)).router(&host).unwrap();
        Self { api: items.router(&host).unwrap(), hurried, document, seen: BTreeSet::new() }
    }

    fn operation(&self, operation: &str) -> &Json {
        let (method, path) = operation.split_once(' ').unwrap();
        &self.document["paths"][path][method.to_ascii_lowercase()]
    }

    fn takes(&self, operation: &str, place: &str, name: &str) {
        let mut parameters = self.operation(operation)["parameters"].as_array().into_iter().flatten();
        let is = |parameter: &Json| {
            parameter["in"] == place && parameter["name"].as_str().unwrap().eq_ignore_ascii_case(name)
        };
        assert!(parameters.any(is), "{operation} takes no `{name}` in its {place}");
    }

    /// Looks an answer up.
    fn look(&mut self, operation: &str, answer: &Answer) {
        let said = &self.operation(operation)["responses"][answer.status.as_str()];
        assert!(said.is_object(), "{operation} {answer:?}");
        let at = said["$ref"].as_str().map(|at| self.document.pointer(&at[1..]).unwrap());
        let said = at.unwrap_or(said);
        if let Some(form) = answer.header("content-type").split(';').next().filter(|form| !form.is_empty()) {
            assert!(said["content"].get(form).is_some(), "{operation} {answer:?}");
        }
        for name in ["etag", "location", "x-max-rows", "retry-after", "www-authenticate", "allow"] {
            let mut headers = said["headers"].as_object().into_iter().flatten();
            let is_said = headers.any(|(header, _)| header.eq_ignore_ascii_case(name));
            assert!(is_said || !answer.headers.contains_key(name), "{operation} {name} {answer:?}");
        }
        self.seen.insert(format!("{operation} {}", answer.status.as_u16()));
    }

    async fn send(&mut self, operation: &str, request: &str, body: Option<&str>, headers: &[(&str, &str)]) -> Answer {
        let answer = send_as(&self.api, request, body, headers).await;
        self.look(operation, &answer);
        for (name, _) in headers.iter().filter(|(name, _)| name.starts_with("if-")) {
            self.takes(operation, "header", name);
        }
        for pair in request.split_once('?').into_iter().flat_map(|(_, query)| query.split('&')) {
            self.takes(operation, "query", pair.split('=').next().unwrap());
        }
        answer
    }
}

/// Each endpoint, with a request that it takes.
const ALL: [(&str, &str, Option<&str>); 8] = [
    ("GET /Item/{id}", "GET /Item/1", None),
    ("GET /Item", "GET /Item", None),
    ("POST /Item", "POST /Item", Some(r#"{"name":"a"}"#)),
    ("PUT /Item", "PUT /Item", Some(r#"{"id":1,"name":"b","version":1}"#)),
    ("DELETE /Item/{id}", "DELETE /Item/1", None),
    ("POST /Item/page", "POST /Item/page", Some(r##"{"$":"contains","Left":{"#":"Name"},"Right":"a"}"##)),
    ("GET /Item/count", "GET /Item/count", None),
    ("GET /Item/exists/{id}", "GET /Item/exists/1", None),
];

#[tokio::test]
async fn each_answer_is_described() {
    let mut shop = Shop::new();
    // What a host may answer to whatever is asked.
    for (operation, request, body) in ALL {
        for code in
            ["unauthenticated", "forbidden", "not-found", "too-many-requests", "internal", "unavailable", "timeout"]
        {
            let answer = shop.send(operation, request, body, &[("x-code", code)]).await;
            assert_eq!(answer.at("/code"), code, "{request}");
        }
    }
    let tag = ("if-match", "\"1\"");
    for (operation, request, body, headers, status) in [
        ("POST /Item", "POST /Item", Some(r#"{"name":"a"}"#), &[][..], 200),
        ("POST /Item", "POST /Item", Some(r#"{"name":"a"}"#), &[], 409),
        ("POST /Item", "POST /Item", Some(r#"{"name":1}"#), &[], 422),
        ("POST /Item", "POST /Item", Some("{"), &[], 400),
        ("POST /Item", "POST /Item", Some("{}"), &[("content-type", "text/plain")], 415),
        ("POST /Item", "POST /Item", Some(&"x".repeat(1_001)), &[], 413),
        ("GET /Item/{id}", "GET /Item/1", None, &[], 200),
        ("GET /Item/{id}", "GET /Item/x", None, &[], 400),
        ("GET /Item/{id}", "GET /Item/1", None, &[("if-none-match", "\"1\"")], 304),
        ("GET /Item/exists/{id}", "GET /Item/exists/1", None, &[], 200),
        ("GET /Item/exists/{id}", "GET /Item/exists/x", None, &[], 400),
        ("GET /Item/count", "GET /Item/count?keyword=a", None, &[], 200),
        ("GET /Item/count", "GET /Item/count?keyword=%00", None, &[], 400),
        ("GET /Item", "GET /Item", None, &[], 200),
        ("GET /Item", "GET /Item?name=a&orderby=id&page=1", None, &[], 200),
        ("GET /Item", "GET /Item?page=x", None, &[], 400),
        ("GET /Item", "GET /Item", None, &[("accept", "application/x-ndjson")], 200),
        ("GET /Item", "GET /Item", None, &[("accept", "text/csv")], 200),
        ("GET /Item", "GET /Item", None, &[("accept", "text/html")], 406),
        ("PUT /Item", "PUT /Item", Some(r#"{"id":1,"name":"b"}"#), &[], 428),
        ("PUT /Item", "PUT /Item", Some(r#"{"id":1,"name":"b"}"#), &[tag], 200),
        ("PUT /Item", "PUT /Item", Some(r#"{"id":1,"name":"b"}"#), &[tag], 412),
        ("PUT /Item", "PUT /Item", Some(r#"{"id":1,"name":"b","version":2}"#), &[("if-none-match", "*")], 412),
        ("PUT /Item", "PUT /Item", Some(r#"{"id":1,"name":"c"}"#), &[("if-match", "x")], 400),
        ("PUT /Item", "PUT /Item", Some(r#"{"id":1}"#), &[tag], 422),
        ("PUT /Item", "PUT /Item", Some("{}"), &[("content-type", "text/plain")], 415),
        ("PUT /Item", "PUT /Item", Some(&"x".repeat(1_001)), &[], 413),
        ("POST /Item/page", "POST /Item/page?count=capped&cursor=true", Some(r#"{"$section":null}"#), &[], 200),
        ("POST /Item/page", "POST /Item/page?after=x", Some(r#"{"$section":null}"#), &[], 400),
        ("POST /Item/page", "POST /Item/page", Some("{"), &[], 400),
        ("POST /Item/page", "POST /Item/page", Some("{}"), &[("content-type", "text/plain")], 415),
        ("POST /Item/page", "POST /Item/page", Some(&"x".repeat(1_001)), &[], 413),
        ("DELETE /Item/{id}", "DELETE /Item/1", None, &[], 428),
        ("DELETE /Item/{id}", "DELETE /Item/1", None, &[tag], 412),
        ("DELETE /Item/{id}", "DELETE /Item/x", None, &[tag], 400),
        ("DELETE /Item/{id}", "DELETE /Item/1", None, &[("if-none-match", "\"2\""), ("if-match", "*")], 412),
        ("DELETE /Item/{id}", "DELETE /Item/1", None, &[("if-match", "\"2\"")], 200),
    ] {
        let answer = shop.send(operation, request, body, headers).await;
        assert_eq!(answer.status, status, "{request} {body:?} {headers:?} {answer:?}");
    }
    for name in ["x", "y", "z", "v", "w", "u", "t"] {
        let body = format!(r#"{{"name":"{}"}}"#, name.repeat(20));
        assert_eq!(shop.send("POST /Item", "POST /Item", Some(&body), &[]).await.status, 200);
    }
    let answer = shop.send("POST /Item/page", "POST /Item/page", Some(r#"{"$section":null}"#), &[]).await;
    assert_eq!((answer.status.as_u16(), answer.at("/code")), (422, "answer-too-large".into()));
    // Columns as Arrow has them, which are no text; and bodies that do not come.
    let arrow = Request::get("/Item").header("accept", "application/vnd.apache.arrow.stream").body(Body::empty());
    let mut others = vec![("GET /Item", shop.api.clone(), arrow.unwrap(), 200)];
    for operation in ["POST /Item", "PUT /Item", "POST /Item/page"] {
        let slow = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let (method, path) = operation.split_once(' ').unwrap();
        let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
        others.push((operation, shop.hurried.clone(), request.body(slow).unwrap(), 408));
    }
    for (operation, api, request, status) in others {
        let (head, _) = api.oneshot(request).await.unwrap().into_parts();
        let answer = Answer { status: head.status, headers: head.headers, text: String::new() };
        assert_eq!(answer.status, status, "{operation}");
        shop.look(operation, &answer);
    }

    // What is described and was not answered: the engine refuses a value, a row is referred to.
    let mut rest = BTreeSet::new();
    for (operation, _, _) in ALL {
        let statuses = shop.operation(operation)["responses"].as_object().unwrap().keys();
        rest.extend(statuses.map(|status| format!("{operation} {status}")).filter(|one| !shop.seen.contains(one)));
    }
    let expected = [
        "DELETE /Item/{id} 409",
        "DELETE /Item/{id} 422",
        "GET /Item 422",
        "GET /Item/count 422",
        "GET /Item/exists/{id} 422",
        "GET /Item/{id} 422",
        "PUT /Item 409",
    ];
    assert_eq!(rest.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

/// A column that is `orderby` or `page` cannot be asked for by a query string, and a list that takes none has no parameters.
#[tokio::test]
async fn only_a_list_that_takes_a_query_string_has_parameters() {
    let context = crate::support::context();
    let host = Host::new(&context);
    let parameters = |rules: Rules| {
        let mounted = crate::support::Orders(rules).mounted(&host).unwrap();
        let document = OpenApiDocument::new("Shop", "1.0").controller(&mounted).document();
        let all = document["paths"]["/Order"]["get"]["parameters"].as_array().cloned().unwrap_or_default();
        all.iter().map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(parameters(Rules::new()).is_empty());
    assert_eq!(
        parameters(Rules::new().query_string()),
        ["id", "customerId", "orderNo", "total", "status", "customerName", "orderby", "page"]
    );
}
