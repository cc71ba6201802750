//! A router over a small shop, and requests to it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use futures_util::future::{join, join_all};
use isogloss::config::DataSourceConfig;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss_testkit::servers;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::app::{App, Place};
use crate::auth::Limit;
use crate::seed;

/// How many orders there are, three of four of the first tenant.
pub(super) const ORDERS: usize = 200;

pub(super) struct Shop {
    pub(super) app: App,
    router: Router,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Value,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The items of a list.
    pub(super) fn items(&self) -> &[Value] {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["items"].as_array().unwrap()
    }

    pub(super) fn total(&self) -> u64 {
        assert_eq!(self.status, 200, "{}", self.body);
        self.body["total"].as_u64().unwrap()
    }

    /// The statements, one behind the other.
    pub(super) fn sql(&self) -> String {
        let all: Vec<&str> = self.body["sql"].as_array().unwrap().iter().map(|sql| sql.as_str().unwrap()).collect();
        all.join("\n")
    }
}

impl Shop {
    pub(super) async fn at(place: &Place) -> Self {
        let app = App::open(place).await.unwrap();
        assert_eq!(seed::seed(&app.context, ORDERS).await.unwrap(), ORDERS);
        Self::over(app, Limit { at_once: 1_000, then_every: Duration::from_secs(1) })
    }

    pub(super) fn over(app: App, limit: Limit) -> Self {
        let router = app.router(limit).unwrap();
        Self { app, router }
    }

    /// One in memory.
    pub(super) async fn new() -> Self {
        Self::at(&Place { provider: "sqlite", url: ":memory:".into(), replica: None }).await
    }

    pub(super) async fn send(&self, request: Request<Body>) -> Answer {
        let mut request = request;
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 40_000))));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Answer { status: head.status, headers: head.headers, body }
    }

    pub(super) async fn login(&self, name: &str) -> Client<'_> {
        let body = json!({ "userName": name, "password": seed::PASSWORD });
        let answer = Client { shop: self, token: String::new() }.ask(Method::POST, "/api/login", Some(body)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        Client { shop: self, token: answer.body["token"].as_str().unwrap().to_owned() }
    }

    /// Somebody who has no token.
    pub(super) fn nobody(&self) -> Client<'_> {
        Client { shop: self, token: String::new() }
    }
}

/// Somebody with a token.
pub(super) struct Client<'s> {
    shop: &'s Shop,
    pub(super) token: String,
}

impl Client<'_> {
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        self.ask_of(method, path, body, None).await
    }

    /// With a version in `If-Match`.
    pub(super) async fn ask_of(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        version: Option<&str>,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if !self.token.is_empty() {
            request = request.header("authorization", format!("Bearer {}", self.token));
        }
        if let Some(version) = version {
            request = request.header("if-match", version);
        }
        let body = match body {
            Some(body) => {
                request = request.header("content-type", "application/json");
                Body::from(body.to_string())
            }
            None => Body::empty(),
        };
        self.shop.send(request.body(body).unwrap()).await
    }

    pub(super) async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, None).await
    }

    pub(super) async fn post(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::POST, path, Some(body)).await
    }

    pub(super) async fn put(&self, path: &str, body: Value) -> Answer {
        self.ask(Method::PUT, path, Some(body)).await
    }

    pub(super) async fn delete(&self, path: &str) -> Answer {
        self.ask(Method::DELETE, path, None).await
    }

    /// The id of an order that is listed.
    pub(super) async fn first_order(&self) -> i64 {
        self.get("/api/orders/query?pageSize=1&onlyMine=true").await.items()[0]["id"].as_i64().unwrap()
    }
}

/// A body of an order.
pub(super) fn order() -> Value {
    json!({
        "customerName": "Fjord Travel", "productName": "Desk lamp", "quantity": 3, "unitPrice": 39.9,
        "status": "Paid", "note": "By noon."
    })
}

/// Runs a test on all engines at the same time, each with a database of its own.
pub(super) async fn each_engine<F: Future<Output = ()>>(test: impl Fn(Shop) -> F) {
    let mut databases = Vec::new();
    for (provider, urls) in [("postgres", servers::postgres()), ("mysql", servers::mysql())] {
        for url in urls {
            databases.push(Database::create(provider, url).await);
        }
    }
    let servers = databases.iter().map(async |database| {
        let shop = Shop::at(&database.place()).await;
        let app = shop.app.clone();
        test(shop).await;
        app.context.close();
    });
    join(async { test(Shop::new().await).await }, join_all(servers)).await;
}

/// A database on a server, which is dropped with the value.
struct Database {
    provider: &'static str,
    server: String,
    name: String,
}

impl Database {
    async fn create(provider: &'static str, server: String) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("isogloss_demo_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let options = if provider == "mysql" { " CHARACTER SET utf8mb4" } else { "" };
        // A process of the same id may have been killed before.
        script(provider, &server, &format!("DROP DATABASE IF EXISTS {name}")).await;
        script(provider, &server, &format!("CREATE DATABASE {name}{options}")).await;
        Self { provider, server, name }
    }

    fn place(&self) -> Place {
        let (base, query) = self.server.split_once('?').unwrap_or((&self.server, ""));
        let base = base.rsplit_once('/').unwrap().0;
        Place { provider: self.provider, url: format!("{base}/{}?{query}", self.name), replica: None }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let force = if self.provider == "postgres" { " WITH (FORCE)" } else { "" };
        let sql = format!("DROP DATABASE {}{force}", self.name);
        // The thread of a test is inside of its runtime.
        let dropped = thread::scope(|scope| scope.spawn(|| run_script(self.provider, &self.server, &sql)).join());
        if !thread::panicking() {
            dropped.unwrap();
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn run_script(provider: &str, url: &str, sql: &str) {
    script(provider, url, sql).await;
}

async fn script(provider: &str, url: &str, sql: &str) {
    let context = OrmContext::new(Catalog::builder().build().unwrap());
    context.add_data_source(DataSourceConfig::new("server", provider, url)).unwrap();
    let session = context.create_session().unwrap();
    session.lease(None, Purpose::Write).await.unwrap().script(sql).await.unwrap();
    context.close();
}
