//! Orders on a database in memory, as an HTTP API with its description by OpenAPI. It says where they are, and ends with its
//! standard input.
//!
//! ```sh
//! cargo run -p isogloss-web --features openapi --example orders
//! ```
//!
//! The second description is without recursion, for `openapi/fuzz.sh`.

use std::io::{self, Write as _};

use axum::Router;
use isogloss::config::DataSourceConfig;
use isogloss::entity::{Linked as _, Many, One};
use isogloss::expr::Decimal;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss_web::{EntityController, Host, MountError, OpenApiDocument, Rules, Server};
use tokio::net::TcpListener;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers")]
struct Customer {
    #[column(primary_key, identity)]
    id: i64,
    #[column(length = 100, writable)]
    name: String,
    #[has_many]
    orders: Many<Order>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders")]
struct Order {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Customer)]
    #[column(writable)]
    customer_id: i64,
    #[column(length = 50, unique, writable)]
    number: String,
    #[column(precision = 18, scale = 2, writable)]
    amount: Decimal,
    #[column(length = 200, writable)]
    note: Option<String>,
    #[column(timestamp)]
    version: i32,
    #[belongs_to]
    customer: One<Customer>,
}

/// An order with the name of its customer.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
struct OrderView {
    order: Order,
    #[foreign_column(Customer, property = name)]
    customer_name: Option<String>,
}

struct Orders;

impl EntityController for Orders {
    type Entity = Order;
    type View = OrderView;

    /// An order may have its customer in it, and that one all orders.
    fn rules(&self) -> Rules {
        Rules::new().allow_writes().include(["customer.orders"])
    }
}

struct Customers;

impl EntityController for Customers {
    type Entity = Customer;
    type View = Customer;

    /// Orders refer to customers: nobody deletes one.
    fn rules(&self) -> Rules {
        Rules::new().allow_insert().allow_update()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let catalog = Catalog::builder().entity::<Customer>().entity::<Order>().entity::<OrderView>().build()?;
    let context = OrmContext::new(catalog);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    fill(&context.create_session()?).await?;

    let host = Host::new(&context);
    let described = OpenApiDocument::new("Orders", "1.0").at("/api");
    let all = |document: OpenApiDocument| -> Result<OpenApiDocument, MountError> {
        Ok(document.controller(&Orders.mounted(&host)?).controller(&Customers.mounted(&host)?))
    };
    let (flat, described) = (all(described.clone().unrolled(3))?, all(described)?);
    let api = Router::new()
        .nest("/api", Orders.router(&host)?.merge(Customers.router(&host)?))
        .merge(described.routes("/openapi.json"))
        .merge(flat.routes("/openapi-flat.json"));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    writeln!(
        io::stdout(),
        "http://{address}/api/Order\nhttp://{address}/openapi.json\nhttp://{address}/openapi-flat.json"
    )?;
    // Whoever has started it has gone.
    let ended = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin().lock(), &mut io::sink()));
    Server::new().serve(listener, api, async { drop(ended.await) }).await;
    Ok(())
}

async fn fill(session: &Session) -> OrmResult<()> {
    let mut customers = ["Ann", "Bob"].map(|name| Customer { name: name.into(), ..Customer::default() });
    ObjectDao::<Customer>::new(session).batch_insert(&mut customers).await?;
    let order = |number: i64| Order {
        customer_id: 1 + number % 2,
        number: format!("A-{number:03}"),
        amount: Decimal::from(number * 10),
        ..Order::default()
    };
    let mut orders: Vec<Order> = (1..=50).map(order).collect();
    ObjectDao::<Order>::new(session).batch_insert(&mut orders).await?;
    Ok(())
}
