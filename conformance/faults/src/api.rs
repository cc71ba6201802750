//! An HTTP API over a pool, which a child process serves.

use std::io;

use axum::Router;
use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::dao::ObjectDao;
use isogloss::entity::Linked as _;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss_web::{EntityController, Host, Rules, Server};
use tokio::net::TcpListener;

use crate::{HANG, Outcome};

/// How many connections the pool has to the database.
pub const POOL: u32 = 16;

/// How many orders are there from the start, with ids from 1 on. Their numbers are negative.
pub const ORDERS: i64 = 200;

/// Who orders.
pub const CUSTOMERS: [&str; 3] = ["Ann", "Bob", "Eve"];

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "fault_customers", columns = "snake_case")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    #[column(length = 100)]
    name: String,
}

/// The number is not unique: a row that is inserted twice is there twice.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "fault_orders", columns = "snake_case")]
struct Order {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Customer)]
    #[column(writable)]
    customer_id: i64,
    #[column(writable)]
    number: i64,
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

    fn rules(&self) -> Rules {
        Rules::new().allow_writes()
    }
}

/// Makes the tables and serves them, says where, and ends with its standard input.
///
/// # Errors
/// Those of the database before it serves, and what is still open when it has ended.
pub async fn serve(provider: &str, url: &str) -> Outcome<()> {
    let catalog = Catalog::builder().entity::<Customer>().entity::<Order>().entity::<OrderView>().build()?;
    let context = OrmContext::new(catalog);
    let source = DataSourceConfig::new("main", provider, url).pool_size(POOL).max_pool_size(POOL);
    context.add_data_source(source.sync_table(true))?;
    fill(&context.create_session()?).await?;

    let host = Host::new(&context);
    let api = Router::new().merge(Customers.router(&host)?).merge(Orders.router(&host)?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    let ended = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin().lock(), &mut io::sink()));
    Server::new().serve(listener, api, async { drop(ended.await) }).await;
    context.close_and_wait(HANG).await?;
    Ok(())
}

async fn fill(session: &Session) -> OrmResult<()> {
    let named = |(id, name): (i64, &str)| Customer { id, name: name.into() };
    let mut customers: Vec<Customer> = (1..).zip(CUSTOMERS).map(named).collect();
    ObjectDao::<Customer>::new(session).batch_insert(&mut customers).await?;
    let mut orders: Vec<Order> =
        (1..=ORDERS).map(|number| Order { id: 0, customer_id: 1 + number % 3, number: -number }).collect();
    ObjectDao::<Order>::new(session).batch_insert(&mut orders).await
}
