//! A shop of two tenants as an API. Each of them sees its own rows.

use std::sync::Arc;

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss::service::Principal;
use isogloss::walk::QueryPolicy;
use isogloss_web::{EntityController, Host, Problem, ProblemKind, Rules};
use serde_json::Value as Json;

use crate::support::{Answer, send_as};

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "regions")]
pub(crate) struct Region {
    #[column(primary_key)]
    pub id: i64,
    #[column(length = 50, not_filterable)]
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers")]
pub(crate) struct Customer {
    #[column(primary_key, identity)]
    pub id: i64,
    pub tenant_id: i32,
    #[column(length = 100, writable)]
    pub name: String,
    #[foreign(Region)]
    pub region_id: Option<i64>,
    #[column(length = 100, not_filterable)]
    pub password: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders")]
pub(crate) struct Order {
    #[column(primary_key, identity)]
    pub id: i64,
    pub tenant_id: i32,
    #[foreign(Customer)]
    #[column(writable)]
    pub customer_id: i64,
    #[column(length = 100, unique, writable)]
    pub order_no: String,
    #[column(writable)]
    pub points: i64,
    #[column(length = 100, not_filterable)]
    pub secret: String,
    #[column(not_filterable)]
    pub is_deleted: bool,
    #[column(timestamp)]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub(crate) struct OrderView {
    pub order: Order,
    #[foreign_column(Customer, property = name)]
    pub customer_name: Option<String>,
}

/// How many orders of the first tenant there are for its clients.
pub(crate) const ORDERS: usize = 30;

/// The tenant of a token `Bearer 1`.
struct Tenant(String);

impl Principal for Tenant {
    fn id(&self) -> &str {
        &self.0
    }

    fn has_role(&self, _: &str) -> bool {
        false
    }
}

struct Orders(Rules);

impl EntityController for Orders {
    type Entity = Order;
    type View = OrderView;

    fn rules(&self) -> Rules {
        self.0.clone()
    }
}

struct Customers;

impl EntityController for Customers {
    type Entity = Customer;
    type View = Customer;
}

struct Regions;

impl EntityController for Regions {
    type Entity = Region;
    type View = Region;
}

pub(crate) struct App {
    pub context: OrmContext,
    pub api: Router,
}

impl App {
    /// Where orders may be written.
    pub(crate) async fn new() -> Self {
        Self::with(Rules::new().allow_writes()).await
    }

    /// Where clients may go along relations: to customers and regions.
    pub(crate) async fn wide() -> Self {
        Self::with(Self::wide_rules()).await
    }

    pub(crate) fn wide_rules() -> Rules {
        let policy = QueryPolicy::new("OrderView").allow_entity("Customer").allow_entity("Region");
        Rules::new().allow_writes().policy(policy)
    }

    /// With these rules for orders.
    pub(crate) async fn with(rules: Rules) -> Self {
        let context = context();
        fill(&context).await;
        let host = host(&context);
        let routes = Orders(rules.filled(["Secret", "IsDeleted"])).router(&host).unwrap();
        let routes = routes.merge(Customers.router(&host).unwrap()).merge(Regions.router(&host).unwrap());
        Self { context, api: Router::new().nest("/api", routes) }
    }

    /// Sends a request of the first tenant: `POST /api/Order`, with JSON as its body.
    pub(crate) async fn send(&self, request: &str, body: &str) -> Answer {
        self.send_as(1, request, body).await
    }

    pub(crate) async fn send_as(&self, tenant: i32, request: &str, body: &str) -> Answer {
        self.send_with(request, body, &[("authorization", &format!("Bearer {tenant}"))]).await
    }

    pub(crate) async fn send_with(&self, request: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
        let answer = send_as(&self.api, request, (!body.is_empty()).then_some(body), headers).await;
        tells_nothing(&answer, &format!("{request} {body}"));
        answer
    }

    /// The answer of the page endpoint.
    pub(crate) async fn page(&self, tree: &str) -> Answer {
        self.send("POST /api/Order/page", tree).await
    }

    /// How many rows the page endpoint counts.
    pub(crate) async fn total(&self, tree: &str) -> u64 {
        let answer = self.page(tree).await;
        assert_eq!(answer.status, 200, "{tree} {answer:?}");
        answer.at("/total").as_u64().unwrap()
    }

    /// The page endpoint refuses a tree of the client's, and says where it is wrong.
    pub(crate) async fn refuses(&self, tree: &str) -> Answer {
        let answer = self.page(tree).await;
        assert_eq!(answer.status, 400, "{tree} {answer:?}");
        let json = answer.json();
        let is_read = json.get("error").is_none_or(|error| error != "Request body must be a valid Expr JSON.");
        assert!(!is_read || json["path"].as_str().is_some_and(|path| path.starts_with('$')), "{tree} {answer:?}");
        answer
    }

    /// All that there is, whosever it is.
    pub(crate) async fn everything(&self) -> Vec<Order> {
        let session = self.context.create_session().unwrap();
        ObjectViewDao::<Order>::new(&session).search(from("Order").order_by(["Id"])).all().await.unwrap()
    }
}

/// What no answer has, unless the request has it: the engine's words, SQL, and what is hidden or another's.
fn tells_nothing(answer: &Answer, request: &str) {
    let (text, request) = (answer.text.to_lowercase(), request.to_lowercase());
    for word in ["select ", "sqlite", "hunter2", "top secret", "no such ", "constraint failed", "annika", "panicked"] {
        assert!(!text.contains(word) || request.contains(word), "`{word}` in {answer:?}");
    }
    for (name, value) in &answer.headers {
        assert!(!value.as_bytes().iter().any(|byte| *byte < b' '), "{name}: {value:?}");
        assert!(!name.as_str().starts_with("access-control-") && name != "set-cookie" && name != "server", "{name}");
    }
}

/// The problem that a client is told.
pub(crate) fn problem(answer: &Answer) -> Json {
    assert_eq!(answer.header("content-type"), "application/problem+json", "{answer:?}");
    let json = answer.json();
    assert_eq!(json["status"], answer.status.as_u16(), "{answer:?}");
    assert!(json["type"].as_str().unwrap().starts_with("/problems/"), "{answer:?}");
    json
}

pub(crate) fn context() -> OrmContext {
    isogloss_testkit::events::install();
    let catalog = isogloss::model::Catalog::builder()
        .entity::<Region>()
        .entity::<Customer>()
        .entity::<Order>()
        .entity::<OrderView>()
        .build()
        .unwrap();
    let context = OrmContext::new(catalog);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    context
}

/// Whoever has a token sees the rows of its tenant that are not deleted.
pub(crate) fn host(context: &OrmContext) -> Host {
    Host::new(context)
        .authenticate(|head, _| {
            let token =
                head.headers.get("authorization").and_then(|token| token.to_str().ok()?.strip_prefix("Bearer "));
            let tenant = token.map(|token| Arc::new(Tenant(token.to_owned())) as Arc<dyn Principal>);
            async move { Ok(tenant) }
        })
        .scope(|_, caller| {
            let nobody = || Problem::of(ProblemKind::Unauthenticated);
            let tenant: i32 = caller.ok_or_else(nobody)?.id().parse().map_err(|_| nobody())?;
            Ok(Scope::new().column("TenantId", tenant).column("IsDeleted", false))
        })
}

/// 30 orders and one that is deleted of the first tenant, 5 of the second.
async fn fill(context: &OrmContext) {
    let session = context.create_session().unwrap();
    let mut region = Region { id: 1, name: "north".into() };
    ObjectDao::<Region>::new(&session).insert(&mut region).await.unwrap();
    let customer = |tenant_id, name: &str| Customer {
        tenant_id,
        name: name.into(),
        region_id: Some(1),
        password: "hunter2".into(),
        ..Customer::default()
    };
    let mut customers = [customer(1, "Ann"), customer(1, "Bob"), customer(2, "Annika")];
    ObjectDao::<Customer>::new(&session).batch_insert(&mut customers).await.unwrap();
    let order = |number: i64, tenant_id, customer_id| Order {
        tenant_id,
        customer_id,
        order_no: format!("A-{number:03}"),
        points: number,
        secret: "top secret".into(),
        ..Order::default()
    };
    let mut orders: Vec<Order> = (1..=30).map(|number| order(number, 1, 1 + number % 2)).collect();
    orders[6].order_no = "50% _[off]\\".into();
    orders[7].points = 9_007_199_254_740_993;
    orders.push(Order { is_deleted: true, ..order(31, 1, 1) });
    orders.extend((32..=36).map(|number| order(number, 2, 3)));
    orders[35].points = i64::MIN;
    ObjectDao::<Order>::new(&session).batch_insert(&mut orders).await.unwrap();
}
