//! What the server answers to a browser, and to what is none of ours.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where it fails")]

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use isogloss_compiler::Compiler;
use isogloss_driver::Backend as _;
use isogloss_mysql::driver::{MySqlBackend, MySqlOptions};
use isogloss_postgres::driver::{PostgresBackend, PostgresOptions};
use isogloss_testkit::servers;
use isogloss_tpch as tpch;
use playground::engine::{Engine, MOST, Place, Tables};
use playground::page::{CATALOG, Page};
use playground::server::{World, router};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt as _;

/// As little data as there can be, in a schema of this test's own.
fn tables() -> Tables {
    Tables { scale: 0.01, schema: format!("isogloss_playground_{}", std::process::id()) }
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());

/// The server that most tests share, as its tables take a while.
static SERVER: LazyLock<Router> = LazyLock::new(|| RUNTIME.block_on(with_engines(Vec::new())));

async fn with_engines(others: Vec<Place>) -> Router {
    let compiler = Compiler::new(tpch::catalog().unwrap());
    let mut engines = Vec::new();
    for place in [Place::Memory].into_iter().chain(others) {
        engines.push(Engine::open(place, tables(), &compiler).await.unwrap());
    }
    router(Arc::new(World { page: Page::new(None, true).unwrap(), engines }))
}

fn send_to(server: &Router, request: Request<Body>) -> (StatusCode, HeaderMap, String) {
    RUNTIME.block_on(async {
        let response = server.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap();
        (parts.status, parts.headers, String::from_utf8(body.to_vec()).unwrap())
    })
}

fn send(request: Request<Body>) -> (StatusCode, HeaderMap, String) {
    send_to(&SERVER, request)
}

fn get(path: &str) -> Request<Body> {
    Request::get(path).header("host", "127.0.0.1:7117").body(Body::empty()).unwrap()
}

fn post(path: &str, body: impl ToString) -> Request<Body> {
    let request = Request::post(path).header("host", "localhost:7117").header("content-type", "application/json");
    request.body(Body::from(body.to_string())).unwrap()
}

fn rows_from(server: &Router, tree: &Value, root: Option<&str>) -> Value {
    let (status, _, body) = send_to(server, post("/rows", json!({"tree": tree.to_string(), "root": root})));
    assert_eq!(status, StatusCode::OK, "{body}");
    serde_json::from_str(&body).unwrap()
}

fn rows(tree: &Value, root: Option<&str>) -> Value {
    rows_from(&SERVER, tree, root)
}

#[test]
fn files_come_with_their_types_and_the_policy() {
    for (path, kind, part) in [
        ("/", "text/html; charset=utf-8", "<html lang=\"en\" data-rows>"),
        ("/style.css", "text/css; charset=utf-8", "light-dark("),
        ("/app/main.js", "text/javascript; charset=utf-8", "import"),
        ("/catalog.json", "application/json", "LineItemView"),
        ("/examples.json", "application/json", "Q22: Global sales opportunity"),
        ("/schema.json", "application/json", "notdistinct"),
        ("/icon.svg", "image/svg+xml", "<svg"),
    ] {
        let (status, headers, body) = send(get(path));
        assert_eq!((status, headers["content-type"].to_str().unwrap()), (StatusCode::OK, kind));
        assert!(body.contains(part), "{path}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }
    for path in ["/nothing", "/app/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/isogloss/isogloss.js"] {
        assert_eq!(send(get(path)).0, StatusCode::NOT_FOUND, "{path}");
    }
}

/// Every file that the page names is there, and none of its text is run from within.
#[test]
fn the_page_is_whole() {
    let (_, _, page) = send(get("/"));
    let named: Vec<&str> = page
        .split(['"', '\''])
        .filter(|word| word.ends_with(".js") || word.ends_with(".css") || word.ends_with(".json"))
        .collect();
    assert!(named.len() > 10, "{named:?}");
    for path in named {
        assert_eq!(send(get(&format!("/{path}"))).0, StatusCode::OK, "{path}");
    }
    assert!(!page.contains("style=") && !page.contains("onclick") && !page.contains("<script>"));
    assert!(!page.contains("before the program"), "what is loaded early is not in its place");
}

#[test]
fn with_the_compiler_in_the_browser_the_policy_lets_it_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(Page::new(Some(folder), true).is_err(), "there is no compiler in it");
    for name in ["isogloss.js", "isogloss_bg.wasm"] {
        std::fs::write(folder.join(name), name).unwrap();
    }
    let page = Page::new(Some(folder), false).unwrap();
    assert!(page.policy.contains("script-src 'self' 'wasm-unsafe-eval'"));
    assert_eq!(page.file("/isogloss/isogloss_bg.wasm").unwrap().mime, "application/wasm");

    let site = folder.join("site");
    page.export(&site).unwrap();
    let index = std::fs::read_to_string(site.join("index.html")).unwrap();
    assert!(
        index.contains("data-wasm>") && index.contains("wasm-unsafe-eval") && !index.contains("frame-ancestors"),
        "{index}"
    );
    assert!(site.join("isogloss/isogloss.js").is_file() && site.join("app/main.js").is_file());
}

#[test]
fn the_server_compiles_as_the_browser_does() {
    let (tree, options) = (r##"{"$":">","Left":{"#":"AcctBal"},"Right":1}"##, r#"{"root":"Customer"}"#);
    let asked = json!({"catalog": CATALOG, "tree": tree, "options": options});
    let (status, headers, body) = send(post("/compile", asked));
    assert_eq!((status, headers["content-type"].to_str().unwrap()), (StatusCode::OK, "application/json"));
    assert_eq!(body, isogloss_wasm::compile(CATALOG, tree, options));
    assert_eq!(send(get("/types")).2, isogloss_wasm::types());
    assert_eq!(send(post("/describe", json!({"catalog": CATALOG}))).2, isogloss_wasm::catalog(CATALOG));
}

#[test]
fn rows_are_those_of_the_query() {
    let tree = json!({"$select": {"$orderby": {"$table": "Region"}, "OrderBys": [{"Field": {"#": "RegionKey"}}]},
        "Selects": [{"Value": {"#": "RegionKey"}}, {"Value": {"#": "Name"}}, {"Alias": "None", "Value": {"$": "func", "NullIf": [{"#": "Name"}, {"#": "Name"}]}}]});
    let answer = rows(&tree, None);
    let engine = &answer["engines"][0];
    assert_eq!(engine["columns"], json!(["RegionKey", "Name", "None"]));
    assert_eq!(engine["rows"][0], json!(["0", "AFRICA", null]));
    assert_eq!((&engine["count"], &engine["more"]), (&json!(5), &json!(false)));
    assert!(engine["label"].as_str().unwrap().starts_with("sqlite 3."));
    assert!(engine["milliseconds"].as_f64().unwrap() > 0.0);

    // A filter alone, and what it is asked for.
    let filter = json!({"$": ">=", "Left": {"#": "RegionKey"}, "Right": 3});
    assert_eq!(rows(&filter, Some("Region"))["engines"][0]["count"], 2);
    let count = json!({"tree": filter.to_string(), "root": "Region", "verb": "count", "text": "exact"});
    let (_, _, body) = send(post("/rows", count));
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["engines"][0]["rows"], json!([["2"]]));
}

#[test]
fn answers_are_cut_and_queries_end() {
    let all = rows(&json!({"$table": "LineItem"}), None);
    let engine = &all["engines"][0];
    assert_eq!((&engine["count"], &engine["more"]), (&json!(MOST), &json!(true)));

    // Each line beside each other one, four times: it would take hours.
    let joins: Vec<Value> = (0..3)
        .map(|at| json!({"$join": {"$table": "LineItem", "Alias": format!("L{at}")}, "JoinType": "Cross"}))
        .collect();
    let endless = json!({"$select": {"$from": {"$table": "LineItem", "Alias": "L"}, "Joins": joins},
        "Selects": [{"Alias": "N", "Value": {"$": "func", "Count": [], "IsAggregate": true}}]});
    let answer = rows(&endless, None);
    assert!(answer["engines"][0]["error"].is_string(), "{answer}");
    // The next one is answered as if nothing had been.
    assert_eq!(rows(&json!({"$table": "Region"}), None)["engines"][0]["count"], 5);
}

#[test]
fn a_question_that_is_given_up_is_in_nobodys_way() {
    let (server, slow) = (SERVER.clone(), json!({"$table": "LineItemView"}).to_string());
    for wait in [0, 1, 5, 20] {
        RUNTIME.block_on(async {
            let answer = server.clone().oneshot(post("/rows", json!({"tree": slow})));
            let _ = tokio::time::timeout(Duration::from_millis(wait), answer).await;
        });
        let next = rows(&json!({"$table": "Region"}), None);
        assert_eq!(next["engines"][0]["count"], 5, "{next}");
    }
}

#[test]
fn nothing_is_written() {
    for tree in [
        json!({"$delete": {"$table": "Region"}, "AllRows": true}),
        json!({"$update": {"$table": "Region"}, "Sets": [{"Name": "x"}], "AllRows": true}),
        json!({"$insert": {"$table": "Region"}, "Columns": ["RegionKey", "Name", "Comment"], "Values": [[9, "x", "y"]]}),
    ] {
        let answer = rows(&tree, None);
        assert!(answer["engines"][0]["error"].as_str().unwrap().contains("only queries"), "{answer}");
    }
    let kept = rows(&json!({"$table": "Region"}), None);
    assert_eq!((&kept["engines"][0]["count"], &kept["engines"][0]["rows"][0][1]), (&json!(5), &json!("AFRICA")));
}

#[test]
fn what_is_wrong_has_a_status_and_a_reason() {
    let wrong = [
        (post("/compile", "{"), StatusCode::BAD_REQUEST, "bad request"),
        (post("/compile", json!({"tree": "{}"})), StatusCode::BAD_REQUEST, "missing field `catalog`"),
        (post("/rows", json!({"tree": "{\"$and\":5}"})), StatusCode::UNPROCESSABLE_ENTITY, "$.$and"),
        (post("/rows", json!({"tree": "{}", "verb": "drop"})), StatusCode::BAD_REQUEST, "unknown variant"),
        (post("/compile", format!("\"{}\"", "x".repeat(2 << 20))), StatusCode::PAYLOAD_TOO_LARGE, ""),
        (
            Request::put("/rows").header("host", "localhost").body(Body::empty()).unwrap(),
            StatusCode::METHOD_NOT_ALLOWED,
            "",
        ),
    ];
    for (request, expected, reason) in wrong {
        let (status, _, body) = send(request);
        assert_eq!(status, expected, "{body}");
        assert!(body.contains(reason), "{body}");
    }
    let unknown = rows(&json!({"$table": "Nowhere"}), None);
    assert!(unknown["engines"][0]["error"].as_str().unwrap().contains("unknown entity `Nowhere`"), "{unknown}");
}

/// A page of somebody else's, whose name leads to this machine, gets nothing, nor can its forms post.
#[test]
fn only_pages_of_this_machine_are_answered() {
    for host in ["evil.example", "127.0.0.1.evil.example:7117", "[::1]:7117", ""] {
        let request = Request::get("/").header("host", host).body(Body::empty()).unwrap();
        assert_eq!(send(request).0, StatusCode::FORBIDDEN, "{host}");
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let request = Request::post("/rows").header("host", "localhost").header("content-type", kind);
        let (status, headers, _) = send(request.body(Body::from("{}")).unwrap());
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert!(!headers.contains_key("access-control-allow-origin"));
    }
}

/// The schemas that the engines of these servers have made, which are dropped with the value.
struct Schemas {
    postgres: Vec<String>,
    mysql: Vec<String>,
}

impl Drop for Schemas {
    fn drop(&mut self) {
        let schema = tables().schema;
        RUNTIME.block_on(async {
            for url in &self.postgres {
                let server = PostgresBackend::connect(PostgresOptions::url(url).unwrap()).await.unwrap();
                let drop = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
                server.connect().await.unwrap().script(&drop).await.unwrap();
            }
            for url in &self.mysql {
                let server = MySqlBackend::connect(MySqlOptions::url(url).unwrap()).await.unwrap();
                let drop = format!("DROP DATABASE IF EXISTS {schema}");
                server.connect().await.unwrap().script(&drop).await.unwrap();
            }
        });
    }
}

/// The engines at hand give the same rows. Without a URL there is nothing beside SQLite, and it says so.
#[test]
fn other_engines_agree() {
    let schemas = Schemas { postgres: servers::postgres(), mysql: servers::mysql() };
    let mut others: Vec<Place> = schemas.postgres.iter().cloned().map(Place::Postgres).collect();
    others.extend(schemas.mysql.iter().cloned().map(Place::MySql));
    if others.is_empty() {
        return;
    }
    let count = others.len() + 1;
    let server = RUNTIME.block_on(with_engines(others));
    let (_, _, examples) = send_to(&server, get("/examples.json"));
    let topics: Vec<Value> = serde_json::from_str(&examples).unwrap();
    let mut wrong = Vec::new();
    for example in topics
        .iter()
        .filter(|topic| topic["topic"] != "Writing")
        .flat_map(|topic| topic["examples"].as_array().unwrap())
    {
        let answer = rows_from(&server, &example["tree"], example["root"].as_str());
        let engines = answer["engines"].as_array().unwrap();
        assert_eq!(engines.len(), count);
        for engine in engines {
            let refused = engine["error"].as_str().is_some_and(|error| error.contains("is refused by"));
            let agrees = engine["error"].is_null() && engine["differs"].is_null();
            if !(refused || agrees) {
                wrong.push(format!("{}: {engine}", example["id"]));
            }
        }
    }

    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
