//! An API with its OpenAPI document, on a database in memory: `cargo run -p isogloss-web --features openapi --example described`.
//!
//! It prints where the documents are. The second one is without recursion, for `openapi/fuzz.sh`.

#![allow(clippy::print_stdout, reason = "it says where it listens")]

use std::error::Error;

use axum::Router;
use isogloss::chrono::NaiveDate;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked as _;
use isogloss::prelude::*;
use isogloss_web::{EntityController, Host, OpenApiDocument};
use tokio::net::TcpListener;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
struct Customer {
    #[column(primary_key, identity)]
    id: i32,
    #[column(length = 100, writable)]
    name: String,
    #[column(length = 100, not_filterable)]
    password: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "Orders")]
struct Order {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Customer)]
    #[column(writable)]
    customer_id: i32,
    #[column(length = 50, unique, writable)]
    order_no: String,
    #[column(precision = 18, scale = 2, writable)]
    total: Decimal,
    #[column(writable)]
    due: Option<NaiveDate>,
    #[column(timestamp)]
    version: i32,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
struct OrderView {
    order: Order,
    #[foreign_column(Customer, property = name)]
    customer_name: Option<String>,
}

struct Customers;

impl EntityController for Customers {
    type Entity = Customer;
    type View = Customer;
}

struct Orders;

impl EntityController for Orders {
    type Entity = Order;
    type View = OrderView;
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let catalog = Catalog::builder().entity::<Customer>().entity::<Order>().entity::<OrderView>().build()?;
    let context = OrmContext::new(catalog);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true), true)?;
    fill(&context.create_session()?).await?;

    let host = Host::new(&context);
    let describe = |document: OpenApiDocument| -> Result<OpenApiDocument, isogloss_web::MountError> {
        Ok(document.at("/api").controller(&Customers.mounted(&host)?).controller(&Orders.mounted(&host)?))
    };
    let whole = describe(OpenApiDocument::new("Shop", "1.0"))?;
    let flat = describe(OpenApiDocument::new("Shop", "1.0").unrolled(3))?;
    let api = Router::new().nest("/api", Customers.router(&host)?.merge(Orders.router(&host)?));
    let app = api.merge(whole.routes("/openapi.json")).merge(flat.routes("/openapi-flat.json"));

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    println!("http://{address}/openapi.json");
    println!("http://{address}/openapi-flat.json");
    axum::serve(listener, app).await?;
    Ok(())
}

async fn fill(session: &Session) -> OrmResult<()> {
    let names = ["Ann", "Bob", "Cem"];
    let mut customers = names.map(|name| Customer { name: name.into(), ..Customer::default() });
    ObjectDao::<Customer>::new(session).batch_insert(&mut customers).await?;
    let mut orders: Vec<Order> = (0..60)
        .map(|n| Order {
            customer_id: n % 3 + 1,
            order_no: format!("A-{n:03}"),
            total: Decimal::from(n),
            ..Order::default()
        })
        .collect();
    ObjectDao::<Order>::new(session).batch_insert(&mut orders).await?;
    Ok(())
}
