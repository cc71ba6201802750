// ANCHOR: imports
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked;
use isogloss::expr::Decimal;
use isogloss::prelude::*;
// ANCHOR_END: imports

// ANCHOR: entities
/// Stored by its numbers; with `#[db_enum(text)]` by its names.
#[derive(Debug, Clone, Copy, PartialEq, Default, DbEnum)]
enum Status {
    #[default]
    Open = 1,
    Paid = 2,
    Sent = 3,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers", columns = "snake_case")]
struct Customer {
    #[column(primary_key, identity)]
    id: i64, // the database gives the number
    #[column(length = 100)]
    name: String,
    #[column(length = 100, unique)]
    mail: Option<String>, // may be NULL
    #[column(length = 60, not_filterable)]
    password: String, // no client may filter by it
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case")]
struct Order {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Customer)]
    customer_id: i64, // the column `customer_id`, the property `CustomerId`
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
    status: Status,
    #[column(constant = false)]
    deleted: bool, // a part of every statement: what is deleted is not there
    #[column(timestamp)]
    version: i32, // an UPDATE must meet it, and raises it
}

/// An order with a column of who bought it.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
struct OrderView {
    order: Order,
    #[foreign_column(Customer, property = name)]
    customer_name: Option<String>,
}
// ANCHOR_END: entities

/// A new order of a customer's.
fn order(customer_id: i64, amount: i64) -> Order {
    Order { customer_id, amount: amount.into(), ..Order::default() }
}

// ANCHOR: context
/// A context over an SQLite in memory, which makes the tables when they are first used.
fn shop() -> OrmResult<OrmContext> {
    let catalog = Catalog::builder().entity::<Customer>().entity::<Order>().entity::<OrderView>().build()?;
    let context = OrmContext::new(catalog);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    Ok(context)
}
// ANCHOR_END: context

/// The same with two customers and three orders.
async fn filled() -> OrmResult<Session> {
    let session = shop()?.create_session()?;
    let mut customers = ["Ann", "Bob"].map(|name| Customer { name: name.into(), ..Customer::default() });
    ObjectDao::new(&session).batch_insert(&mut customers).await?;
    let (ann, bob) = (customers[0].id, customers[1].id);
    ObjectDao::new(&session).batch_insert(&mut [order(ann, 120), order(ann, 30), order(bob, 250)]).await?;
    Ok(session)
}

/// The shop with what a builder says beside: who listens to services, and what stands around their calls.
#[cfg(feature = "services")]
async fn shop_with(builder: isogloss::context::OrmBuilder) -> OrmResult<OrmContext> {
    let context = builder.catalog(shop()?.catalog().clone()).build().await?;
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    Ok(context)
}
