//! A shop as an API, on a database in memory.

pub(crate) mod clock;
#[path = "../../../../tests/it/support/engines.rs"]
#[allow(dead_code, reason = "the tests of the crate `isogloss` use the rest")]
pub(crate) mod engines;
pub(crate) mod places;
pub(crate) mod statements;

use std::time::Instant;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use isogloss::chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime};
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::expr::Decimal;
use isogloss::prelude::*;
use isogloss::uuid::Uuid;
use isogloss_web::{EntityController, Host, Rules};
use serde_json::Value as Json;
use tower::ServiceExt as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, DbEnum)]
pub(crate) enum Status {
    #[default]
    Open = 1,
    Paid = 2,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers")]
pub(crate) struct Customer {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[column(length = 100, writable)]
    pub(crate) name: String,
    #[column(length = 100, not_filterable)]
    pub(crate) password: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders")]
pub(crate) struct Order {
    #[column(primary_key, identity)]
    pub(crate) id: i64,
    #[column(not_filterable)]
    pub(crate) tenant_id: Option<i32>,
    #[foreign(Customer)]
    #[column(writable)]
    pub(crate) customer_id: i64,
    #[column(length = 50, writable)]
    pub(crate) order_no: String,
    #[column(precision = 18, scale = 2, writable)]
    pub(crate) total: Decimal,
    #[column(writable)]
    pub(crate) status: Status,
    #[column(length = 100, not_filterable)]
    pub(crate) margin_note: String,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub(crate) struct OrderView {
    pub(crate) order: Order,
    #[foreign_column(Customer, property = name)]
    pub(crate) customer_name: Option<String>,
}

/// A key of two columns.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "seats")]
pub(crate) struct Seat {
    #[column(primary_key)]
    pub(crate) row: i32,
    #[column(primary_key, length = 10)]
    pub(crate) code: String,
    pub(crate) free: bool,
}

/// One column of each type.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "kinds")]
pub(crate) struct Kind {
    #[column(primary_key)]
    pub(crate) id: i32,
    pub(crate) truth: Option<bool>,
    pub(crate) big: Option<i64>,
    #[column(precision = 28, scale = 8)]
    pub(crate) exact: Option<Decimal>,
    pub(crate) float: Option<f64>,
    #[column(length = 200)]
    pub(crate) text: Option<String>,
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) date: Option<NaiveDate>,
    pub(crate) time: Option<NaiveTime>,
    pub(crate) at: Option<NaiveDateTime>,
    pub(crate) at_offset: Option<DateTime<FixedOffset>>,
    pub(crate) uuid: Option<Uuid>,
    #[column(json)]
    pub(crate) json: Option<Json>,
    pub(crate) status: Option<Status>,
}

pub(crate) fn context() -> OrmContext {
    context_at(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))
}

/// A value of each type.
pub(crate) fn kind() -> Kind {
    Kind {
        id: 1,
        truth: Some(true),
        big: Some(i64::MAX),
        exact: Some("1234567.12345678".parse().unwrap()),
        float: Some(0.1),
        text: Some("\"Ä\\\n\u{1}</script>".into()),
        bytes: Some(vec![0, 255, 16]),
        date: Some("2024-02-29".parse().unwrap()),
        time: Some("23:59:59.5".parse().unwrap()),
        at: Some("2024-02-29T23:59:59".parse().unwrap()),
        at_offset: Some(isogloss::chrono::DateTime::parse_from_rfc3339("2024-02-29T23:59:59.25+02:00").unwrap()),
        uuid: Some(isogloss::uuid::Uuid::from_u128(7)),
        json: Some(serde_json::json!({"a": [1, null, "x"]})),
        status: Some(Status::Paid),
    }
}

/// A context over a database.
pub(crate) fn context_at(config: DataSourceConfig) -> OrmContext {
    isogloss_testkit::events::install();
    let context = OrmContext::new(catalog());
    context.add_data_source(config).unwrap();
    context
}

pub(crate) fn catalog() -> Catalog {
    Catalog::builder()
        .entity::<Customer>()
        .entity::<Order>()
        .entity::<OrderView>()
        .entity::<Seat>()
        .entity::<Kind>()
        .build()
        .unwrap()
}

/// A context with two customers of tenant 1 and one of tenant 2, and 130 orders of tenant 1 and 5 of tenant 2.
pub(crate) async fn shop() -> OrmContext {
    let context = context();
    fill(&context).await;
    context
}

/// Fills a database with what [`shop`] has.
pub(crate) async fn fill(context: &OrmContext) {
    let session = context.create_session().unwrap();
    let customer = |tenant, name: &str| Customer {
        tenant_id: Some(tenant),
        name: name.into(),
        password: "hunter2".into(),
        ..Customer::default()
    };
    let mut customers = [customer(1, "Ann Lee"), customer(1, "Bob"), customer(2, "Annika")];
    ObjectDao::<Customer>::new(&session).batch_insert(&mut customers).await.unwrap();
    let order = |number: i64, tenant, customer| Order {
        tenant_id: Some(tenant),
        customer_id: customer,
        order_no: format!("A-{number:03}"),
        total: Decimal::from(number),
        status: if number % 2 == 0 { Status::Paid } else { Status::Open },
        margin_note: "secret margin".into(),
        ..Order::default()
    };
    let mut orders: Vec<Order> = (1..=130).map(|number| order(number, 1, 1 + number % 2)).collect();
    orders.extend((131..=135).map(|number| order(number, 2, 3)));
    ObjectDao::<Order>::new(&session).batch_insert(&mut orders).await.unwrap();
}

/// The orders as their view.
pub(crate) struct Orders(pub(crate) Rules);

impl EntityController for Orders {
    type Entity = Order;
    type View = OrderView;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

/// The entity itself.
pub(crate) struct Plain<T> {
    rules: Rules,
    of: std::marker::PhantomData<fn() -> T>,
}

impl<T> Plain<T> {
    /// All writes are allowed.
    pub(crate) fn new() -> Self {
        Self::by(Rules::new().allow_writes())
    }

    pub(crate) fn by(rules: Rules) -> Self {
        Self { rules, of: std::marker::PhantomData }
    }
}

impl<T: isogloss::entity::Table + isogloss::entity::View<Of = T> + Clone + Default> EntityController for Plain<T> {
    type Entity = T;
    type View = T;

    fn rules(&self) -> Rules {
        self.rules.clone()
    }
}

/// The API, below `/api`, with pages as the specification has them.
pub(crate) fn api(context: &OrmContext) -> Router {
    api_of(&Host::new(context), Rules::new().lenient_pages())
}

/// The API with these rules for orders, which may be written.
pub(crate) fn api_of(host: &Host, orders: Rules) -> Router {
    let customers = Rules::new().allow_writes().filled(["Password"]);
    let routes = Orders(orders.allow_writes().filled(["MarginNote"]))
        .router(host)
        .unwrap()
        .merge(Plain::<Customer>::by(customers).router(host).unwrap())
        .merge(Plain::<Seat>::by(Rules::new()).router(host).unwrap())
        .merge(Plain::<Kind>::by(Rules::new()).router(host).unwrap());
    Router::new().nest("/api", routes)
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Json {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The value at a JSON pointer; NULL if there is none.
    pub(crate) fn at(&self, pointer: &str) -> Json {
        self.json().pointer(pointer).cloned().unwrap_or_default()
    }
}

/// Sends a request whose method and path are `POST /api/Order/page`. A body is JSON.
pub(crate) async fn send(api: &Router, request: &str, body: impl Into<Option<&str>>) -> Answer {
    send_as(api, request, body.into(), &[]).await
}

pub(crate) async fn send_as(api: &Router, request: &str, body: Option<&str>, headers: &[(&str, &str)]) -> Answer {
    let (method, path) = request.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    if body.is_some() && !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(body.map_or_else(Body::empty, |body| Body::from(body.to_owned()))).unwrap();
    let response = api.clone().oneshot(request).await.unwrap();
    let (head, body) = response.into_parts();
    let text = String::from_utf8(to_bytes(body, usize::MAX).await.unwrap().to_vec()).unwrap();
    Answer { status: head.status, headers: head.headers, text }
}

/// Waits until a condition holds. Two minutes without it are a hang.
pub(crate) async fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed().as_secs() < 120, "never: {what}");
        tokio::task::yield_now().await;
    }
}
