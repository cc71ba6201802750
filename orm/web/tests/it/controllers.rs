//! Controllers of all entities. A test's name begins with the number of the requirement that it is of.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use isogloss::Scope;
use isogloss::config::DataSourceConfig;
use isogloss::context::OrmBuilder;
use isogloss::entity::Linked as _;
use isogloss::model::{Catalog, CatalogBuilder};
use isogloss::prelude::*;
use isogloss::service::{DynamicService, EntityEvents, EventContext, async_trait};
use isogloss::walk::QueryPolicy;
use isogloss_testkit::events;
use isogloss_web::{Call, Controllers, EntityController, Host, MountError, MountedControllers, Rules, WebResult};
use serde_json::{Value as Json, json};
use tower::ServiceExt as _;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers")]
pub struct Customer {
    #[column(primary_key, identity)]
    pub id: i64,
    #[column(length = 100, writable)]
    pub name: String,
}

/// No row of it can be made.
#[derive(Debug, Clone, Entity)]
#[table(name = "fixtures")]
pub struct Fixture {
    #[column(primary_key)]
    pub id: i32,
}

/// Clients see nothing of it.
#[derive(Debug, Clone, Default, Entity)]
#[table(name = "secrets")]
pub struct Secret {
    #[column(primary_key, not_filterable)]
    pub id: i32,
}

const DEFINITIONS: &str = r#"
    [[entity]]
    name = "Ticket"
    table = "tickets"
    columns = [
      { name = "Id", type = "Int64", primary_key = true, identity = true },
      { name = "TenantId", type = "Int32", nullable = true, filterable = false },
      { name = "Title", type = "String(50)", writable = true },
      { name = "Price", type = "Decimal(10,2)", nullable = true, writable = true },
      { name = "CustomerId", type = "Int64", nullable = true, writable = true, foreign = { entity = "Customer" } },
      { name = "Version", type = "Int32", timestamp = true },
    ]

    [[view]]
    name = "TicketView"
    of = "Ticket"
    foreign_columns = [{ name = "CustomerName", foreign = "Customer", property = "Name" }]

    [[entity]]
    name = "Seat"
    table = "seats"
    columns = [
      { name = "Row", type = "Int32", primary_key = true, writable = true },
      { name = "Code", type = "String(10)", primary_key = true, writable = true },
      { name = "Free", type = "Boolean", writable = true },
    ]

    [[entity]]
    name = "PriceList"
    columns = [{ name = "Id", type = "Int32", primary_key = true }]

    # It is called as a view of `PriceList` would be, and is one of another entity.
    [[view]]
    name = "PriceListView"
    of = "Seat"

    [[entity]]
    name = "Line"
    columns = [{ name = "Text", type = "String(50)" }]

    [[entity]]
    name = "OrderView"
    columns = [{ name = "Id", type = "Int32", primary_key = true }]

    [[entity]]
    name = "Sale"
    table = "sales_{0}"
    columns = [{ name = "Id", type = "Int32", primary_key = true }]
"#;

fn catalog() -> Catalog {
    let structs = CatalogBuilder::default().entity::<Customer>().entity::<Fixture>().entity::<Secret>();
    structs.add_toml(DEFINITIONS).unwrap().build().unwrap()
}

async fn built(builder: OrmBuilder) -> OrmContext {
    events::install();
    let context = builder.catalog(catalog()).build().await.unwrap();
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true)).unwrap();
    context
}

async fn context() -> OrmContext {
    built(OrmContext::builder()).await
}

/// A context with a row for each of these names.
async fn with_rows(rows: &[(&str, &str, &[&str])]) -> OrmContext {
    let context = context().await;
    let session = context.create_session().unwrap();
    for (entity, property, values) in rows {
        let service = DynamicService::new(&session, entity, entity).unwrap();
        for value in *values {
            let mut row = service.object();
            row.set(property, *value).unwrap();
            assert!(service.insert(&mut row).await.unwrap());
        }
    }
    context
}

fn names(mounted: &MountedControllers) -> Vec<&str> {
    mounted.mounted().map(|mounted| mounted.name()).collect()
}

fn api(controllers: Controllers) -> Router {
    Router::new().nest("/api", controllers.router().unwrap())
}

/// Asks an API, and gives the status and the body.
async fn ask(api: &Router, method: &str, path: &str, body: Option<Json>) -> (StatusCode, Json) {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let response = api.clone().oneshot(request.body(body).unwrap()).await.unwrap();
    let status = response.status();
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, serde_json::from_slice(&bytes).unwrap_or(Json::Null))
}

async fn answer(api: &Router, method: &str, path: &str, body: Option<Json>) -> Json {
    let (status, body) = ask(api, method, path, body).await;
    assert_eq!(status, StatusCode::OK, "{method} {path}: {body}");
    body
}

async fn read(api: &Router, path: &str) -> Json {
    answer(api, "GET", path, None).await
}

#[tokio::test]
async fn c1_each_entity_that_qualifies_is_served_and_the_others_say_why_not() {
    let all = Controllers::from(&context().await).mount().unwrap();
    assert_eq!(
        all.to_string(),
        "\
/Customer   Customer              generated
/Ticket     Ticket as TicketView  generated
/Seat       Seat                  generated
/PriceList  PriceList             generated
-           Fixture               left out: its struct is not both `Clone` and `Default`: no row of it can be made
-           Secret                left out: clients may see no property of it
-           Line                  left out: it has no primary key
-           OrderView             left out: its name ends with `View`
-           Sale                  left out: its table is sharded, and a request does not say which shard is meant"
    );
    let left: Vec<&str> = all.left_out().iter().map(|left| left.entity.as_str()).collect();
    assert_eq!(left, ["Fixture", "Secret", "Line", "OrderView", "Sale"]);
    let api = Router::new().nest("/api", all.router());
    for path in ["Fixture", "Secret", "Line", "OrderView", "Sale", "TicketView", "Nobody", "Nobody/1"] {
        let (status, problem) = ask(&api, "GET", &format!("/api/{path}"), None).await;
        assert_eq!((status, &problem["status"]), (StatusCode::NOT_FOUND, &json!(404)), "{path}: {problem}");
    }
}

#[tokio::test]
async fn c1_what_is_mounted_is_logged_as_a_table() {
    let context = context().await;
    let (events, _guard) = events::capture("isogloss::web", tracing::Level::INFO);
    let controllers = Controllers::from(&context).only(["Seat"]).mount().unwrap();
    assert_eq!(events.take_messages(), [format!("controllers:\n{controllers}")]);
    assert!(controllers.to_string().starts_with("/Seat  Seat"), "{controllers}");
}

#[tokio::test]
async fn c1_rules_hold_for_their_entity_and_the_others_have_the_defaults() {
    let three: &[&str] = &["a", "b", "c"];
    let context = with_rows(&[("Customer", "Name", three), ("Ticket", "Title", three)]).await;
    let controllers = Controllers::from(&context).defaults(Rules::new().max_list(2));
    let app = api(controllers.rules("Ticket", Rules::new().max_list(1)));
    assert_eq!(read(&app, "/api/Customer").await.as_array().unwrap().len(), 2);
    assert_eq!(read(&app, "/api/Ticket").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn c1_what_does_not_fit_together_is_told_at_start() {
    let context = context().await;
    let controllers = || Controllers::from(&context);
    for (controllers, expected) in [
        (controllers().except(["Tickets"]), "`Tickets` is not in the catalog: add it before the controller is mounted"),
        (controllers().only(["Nobody"]), "`Nobody` is not in the catalog: add it before the controller is mounted"),
        (
            controllers().rules("Nobody", Rules::new()),
            "`Nobody` is not in the catalog: add it before the controller is mounted",
        ),
        (
            controllers().rules("Seat", Rules::new()).except(["Seat"]),
            "the rules for `Seat` hold for nothing, as it is left out: `only` or `except` leaves it out",
        ),
        (
            controllers().rules("Seat", Rules::new().name("ticket")),
            "`/ticket` would be of `Ticket` and of `Seat`: give one of them another name by `Rules::name`, or leave it out",
        ),
        (
            controllers().with(Customers).with(Customers),
            "`/Customer` would be of `Customer` and of `Customer`: give one of them another name by `Rules::name`, or leave \
             it out",
        ),
        (
            controllers().defaults(Rules::new().page_sizes(9, 1)),
            "the rules of the controller for `Customer`: `Rules::page_sizes`: the usual size is above the largest one",
        ),
        (
            // What it hides is told by the names of another entity.
            controllers().defaults(Rules::new().policy(QueryPolicy::new("Customer"))),
            "the policy of the controller for `Secret` is about `Customer`, and its rows are read as `Secret`: make it by \
             `QueryPolicy::new(\"Secret\")`, and give it to this entity alone",
        ),
        (
            controllers().rules("Ticket", Rules::new().policy(QueryPolicy::new("Ticket"))),
            "the policy of the controller for `Ticket` is about `Ticket`, and its rows are read as `TicketView`: make it \
             by `QueryPolicy::new(\"TicketView\")`, and give it to this entity alone",
        ),
        (controllers().only(["Line"]), "`Line` is named by `only`, and is not served: it has no primary key"),
        (
            controllers().only(["OrderView"]),
            "`OrderView` is named by `only`, and is not served: its name ends with `View`",
        ),
        (
            controllers().only(["TicketView"]),
            "`TicketView` is a view, and has no controller of its own: name the entity that it is of",
        ),
        (
            controllers().except(["TicketView"]),
            "`TicketView` is a view, and has no controller of its own: name the entity that it is of",
        ),
        (
            controllers().rules("TicketView", Rules::new()),
            "`TicketView` is a view, and has no controller of its own: name the entity that it is of",
        ),
    ] {
        assert_eq!(controllers.mount().unwrap_err().to_string(), expected);
    }
    assert!(matches!(controllers().only(["x"]).mount(), Err(MountError::UnknownEntity { .. })));
}

#[tokio::test]
async fn c2_rows_are_read_as_the_view_of_that_name_if_it_is_one() {
    let context = with_rows(&[("Customer", "Name", &["Ann"]), ("PriceList", "Id", &["7"])]).await;
    let tickets = DynamicService::new(&context.create_session().unwrap(), "Ticket", "Ticket").unwrap();
    let mut saw = tickets.object();
    saw.set("Title", "saw").unwrap();
    saw.set("CustomerId", 1).unwrap();
    assert!(tickets.insert(&mut saw).await.unwrap());
    let app = api(Controllers::of(Host::new(&context)));
    let ticket = json!({
        "id": 1, "title": "saw", "price": null, "customerId": 1, "version": 1, "customerName": "Ann",
    });
    assert_eq!(read(&app, "/api/Ticket/1").await, ticket);
    assert_eq!(read(&app, "/api/Customer").await, json!([{"id": 1, "name": "Ann"}]));
    assert_eq!(read(&app, "/api/PriceList/7").await, json!({"id": 7}));
}

/// Counts by hand, and inherits the rest.
struct Customers;

impl EntityController for Customers {
    type Entity = Customer;
    type View = Customer;

    async fn count(&self, _: &Call, _: Option<&str>) -> WebResult<Response> {
        Ok("42".into_response())
    }
}

/// One with the name of another entity.
struct CustomersAsTickets;

impl EntityController for CustomersAsTickets {
    type Entity = Customer;
    type View = Customer;

    fn rules(&self) -> Rules {
        Rules::new().name("Ticket")
    }
}

#[tokio::test]
async fn c3_a_controller_by_hand_wins_and_both_kinds_live_side_by_side() {
    let context = context().await;
    let all = Controllers::from(&context).with(Customers).mount().unwrap();
    assert_eq!(names(&all), ["Customer", "Ticket", "Seat", "PriceList"]);
    assert!(all.to_string().starts_with("/Customer   Customer              by hand\n"), "{all}");
    assert_eq!(all.left_out()[0].why.to_string(), "the program has a controller of its own");
    let app = Router::new().nest("/api", all.router());
    assert_eq!(read(&app, "/api/Customer/count").await, json!(42));
    assert_eq!(read(&app, "/api/Ticket/count").await, json!(0));
    assert_eq!(read(&app, "/api/Customer").await, json!([]));

    // By its entity and by its name: both are left out.
    let all = Controllers::from(&context).with(CustomersAsTickets).mount().unwrap();
    assert_eq!(names(&all), ["Ticket", "Seat", "PriceList"]);
    assert_eq!(all.mounted().next().unwrap().entity().name, *"Customer");
    // Names of the program's own controllers are made as the others are.
    let all = Controllers::from(&context).with(Customers).kebab().plural().only(["PriceList"]).mount().unwrap();
    assert_eq!(names(&all), ["customers", "price-lists"]);
}

/// Writes down who is inserted, and changes the name.
struct Greets(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl EntityEvents<Customer> for Greets {
    async fn on_inserting(&self, customer: &mut Customer, _: &EventContext) -> OrmResult<bool> {
        self.0.lock().unwrap().push(customer.name.clone());
        customer.name.push('!');
        Ok(customer.name != "nobody!")
    }
}

#[tokio::test]
async fn c3_who_listens_to_a_struct_hears_of_what_a_generated_controller_writes() {
    let told = Arc::<Mutex<Vec<String>>>::default();
    let heard = Arc::clone(&told);
    let builder = OrmContext::builder().entity_events::<Customer, _>(move |_| Ok(Greets(Arc::clone(&heard))));
    let app = api(Controllers::from(&built(builder).await).defaults(Rules::new().allow_insert()));
    for (name, inserted) in [("Ann", true), ("nobody", false)] {
        let body = Some(json!({"name": name}));
        assert_eq!(answer(&app, "POST", "/api/Customer", body).await, json!(inserted));
    }
    assert_eq!(*told.lock().unwrap(), ["Ann", "nobody"]);
    assert_eq!(read(&app, "/api/Customer").await, json!([{"id": 1, "name": "Ann!"}]));
}

#[tokio::test]
async fn c4_they_are_made_anew_each_time() {
    let context = context().await;
    let first = Controllers::from(&context).mount().unwrap();
    let second = Controllers::from(&context).kebab().plural().except(["Seat"]).mount().unwrap();
    assert_eq!(names(&first), ["Customer", "Ticket", "Seat", "PriceList"]);
    assert_eq!(names(&second), ["customers", "tickets", "price-lists"]);
    assert_eq!(names(&Controllers::from(&context).only(["seat"]).mount().unwrap()), ["Seat"]);
    let both = Router::new().nest("/v1", first.router()).nest("/v2", second.router());
    for (path, status) in [
        ("/v1/PriceList", StatusCode::OK),
        ("/v2/price-lists", StatusCode::OK),
        ("/v1/price-lists", StatusCode::NOT_FOUND),
        ("/v2/PriceList", StatusCode::NOT_FOUND),
        ("/v2/seats", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(ask(&both, "GET", path, None).await.0, status, "{path}");
    }
}

#[tokio::test]
async fn c5_their_routes_are_added_to_those_of_the_program() {
    let app = api(Controllers::from(&context().await)).route("/health", get(async || "up"));
    assert_eq!(ask(&app, "GET", "/health", None).await.0, StatusCode::OK);
    assert_eq!(ask(&app, "GET", "/api/Seat", None).await.0, StatusCode::OK);
    let (status, problem) = ask(&app, "GET", "/api/Nobody", None).await;
    assert_eq!((status, &problem["status"]), (StatusCode::NOT_FOUND, &json!(404)), "{problem}");
    assert_eq!(ask(&app, "PATCH", "/api/Seat", None).await.0, StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn c6_what_is_mounted_can_be_asked() {
    let controllers = Controllers::from(&context().await);
    let all = controllers.rules("ticket", Rules::new().name("issues")).mount().unwrap();
    let ticket = all.mounted().find(|mounted| mounted.name() == "issues").unwrap();
    assert_eq!((ticket.entity().name.as_str(), ticket.view().name.as_str()), ("Ticket", "TicketView"));
    let seen: Vec<&str> = ticket.visible().map(|name| name.as_str()).collect();
    assert_eq!(seen, ["Id", "Title", "Price", "CustomerId", "Version", "CustomerName"]);
}

/// Prices as numbers, however many digits they are written with.
fn numbers(mut body: Json) -> Json {
    match &mut body {
        Json::Array(items) => *items = items.drain(..).map(numbers).collect(),
        Json::Object(members) => {
            for (name, member) in members.iter_mut() {
                *member = if name == "price" { json!(member.as_f64()) } else { numbers(member.take()) };
            }
        }
        _ => {}
    }
    body
}

#[tokio::test]
async fn c1_an_entity_of_a_file_has_all_eight_endpoints() {
    let context = context().await;
    let of_tenant = |tenant: i32| {
        let host = Host::new(&context).scope(move |_, _| Ok(Scope::new().column("TenantId", tenant)));
        api(Controllers::of(host).defaults(Rules::new().allow_writes()))
    };
    let (ours, theirs) = (of_tenant(1), of_tenant(2));
    assert_eq!(answer(&ours, "POST", "/api/Customer", Some(json!({"name": "Ann"}))).await, json!(true));
    for title in ["saw", "axe"] {
        let body = json!({"title": title, "price": 1.5, "customerId": 1});
        assert_eq!(answer(&ours, "POST", "/api/Ticket", Some(body)).await, json!(true));
    }
    let row = |id: i64, title: &str| json!({"id": id, "title": title, "price": 1.5, "customerId": 1, "version": 1, "customerName": "Ann"});
    assert_eq!(numbers(read(&ours, "/api/Ticket/1").await), row(1, "saw"));
    assert_eq!(numbers(read(&ours, "/api/Ticket").await), json!([row(1, "saw"), row(2, "axe")]));
    let filter = json!({"$": "==", "Left": {"#": "Title"}, "Right": {"@": "axe"}});
    let page = numbers(answer(&ours, "POST", "/api/Ticket/page", Some(filter)).await);
    assert_eq!(page, json!({"skip": 0, "take": 20, "total": 1, "items": [row(2, "axe")]}));
    let change = json!({"id": 2, "title": "hoe", "version": 1});
    assert_eq!(answer(&ours, "PUT", "/api/Ticket", Some(change)).await, json!(true));
    assert_eq!(read(&ours, "/api/Ticket/2").await["title"], json!("hoe"));
    assert_eq!(read(&ours, "/api/Ticket/count").await, json!(2));
    assert_eq!(read(&ours, "/api/Ticket/exists/2").await, json!(true));

    // Another tenant has none of it.
    assert_eq!(read(&theirs, "/api/Ticket/count").await, json!(0));
    assert_eq!(read(&theirs, "/api/Ticket/exists/2").await, json!(false));
    assert_eq!(read(&theirs, "/api/Ticket/2").await, Json::Null);
    assert_eq!(answer(&theirs, "DELETE", "/api/Ticket/2", None).await, json!(false));
    let theft = json!({"id": 2, "title": "mine"});
    assert_eq!(answer(&theirs, "PUT", "/api/Ticket", Some(theft)).await, json!(false));

    assert_eq!(answer(&ours, "DELETE", "/api/Ticket/2", None).await, json!(true));
    assert_eq!(read(&ours, "/api/Ticket/exists/2").await, json!(false));

    // A key of two columns.
    let seat = |free: bool| json!({"row": 1, "code": "a,b", "free": free});
    assert_eq!(answer(&ours, "POST", "/api/Seat", Some(seat(true))).await, json!(true));
    assert_eq!(read(&ours, "/api/Seat/1,a%2Cb").await, seat(true));
    assert_eq!(answer(&ours, "PUT", "/api/Seat", Some(seat(false))).await, json!(true));
    assert_eq!(read(&ours, "/api/Seat/1,a%2Cb").await, seat(false));
    assert_eq!(answer(&ours, "DELETE", "/api/Seat/1,a%2Cb", None).await, json!(true));
}
