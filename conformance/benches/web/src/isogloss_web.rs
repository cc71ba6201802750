//! Isogloss: controllers that override nothing.

use axum::Router;
use chrono::NaiveDateTime;
use isogloss::OrmContext;
use isogloss::config::DataSourceConfig;
use isogloss::entity::linked;
use isogloss::prelude::*;
use isogloss_web::{EntityController, Host, Rules};
use served::{Outcome, POOL, data};

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "web_cities", columns = "snake_case")]
struct City {
    #[column(primary_key)]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "web_customers", columns = "snake_case")]
struct Customer {
    #[column(primary_key)]
    id: i64,
    name: String,
    #[foreign(City, auto_expand)]
    city_id: i64,
}

#[derive(Debug, Clone, Default, Entity)]
#[table(name = "web_orders", columns = "snake_case")]
struct Order {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Customer, auto_expand)]
    #[column(writable)]
    customer_id: i64,
    #[column(writable, length = 100)]
    code: String,
    #[column(writable)]
    quantity: i32,
    #[column(writable)]
    amount: f64,
    #[column(writable)]
    paid: bool,
    #[column(writable)]
    created: NaiveDateTime,
    #[column(writable, length = 200)]
    note: Option<String>,
}

#[derive(Debug, Clone, Default, View)]
#[view(of = Order)]
struct OrderView {
    order: Order,
    #[foreign_column(Customer, property = name)]
    customer_name: Option<String>,
    #[foreign_column(City, property = name)]
    city_name: Option<String>,
}

struct Orders;

impl EntityController for Orders {
    type Entity = Order;
    type View = Order;

    fn rules(&self) -> Rules {
        Rules::new().allow_writes().max_list(data::LISTED.unsigned_abs())
    }
}

struct OrderViews;

impl EntityController for OrderViews {
    type Entity = Order;
    type View = OrderView;

    fn rules(&self) -> Rules {
        Rules::new().name("OrderView")
    }
}

pub fn router(engine: &str, url: &str) -> Outcome<Router> {
    let context = OrmContext::new(linked().build()?);
    let pool = u32::try_from(POOL)?;
    context.add_data_source(DataSourceConfig::new("main", engine, url).pool_size(pool).max_pool_size(pool))?;
    let host = Host::new(&context);
    Ok(Router::new().nest("/api", Orders.router(&host)?.merge(OrderViews.router(&host)?)))
}
