use isogloss::chrono::NaiveDate;
use isogloss::config::DataSourceConfig;
use isogloss::entity::Linked;
use isogloss::expr::Decimal;
use isogloss::prelude::*;

// ANCHOR: entities
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
    id: i64,
    #[column(length = 100)]
    name: String,
    #[column(length = 60)]
    city: Option<String>,
    #[column(length = 60, not_filterable)]
    password: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case")]
struct Order {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Customer)]
    customer_id: i64,
    day: NaiveDate,
    #[column(precision = 18, scale = 2)]
    amount: Decimal,
    status: Status,
    #[column(length = 200)]
    note: Option<String>,
}

/// An order with a column of who bought it.
#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
struct OrderView {
    order: Order,
    #[foreign_column(Customer, property = name)]
    customer_name: Option<String>,
}

/// What an order is marked with.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tags", columns = "snake_case")]
struct Tag {
    #[column(primary_key)]
    #[foreign(Order)]
    order_id: i64,
    #[column(primary_key, length = 20)]
    name: String,
}
// ANCHOR_END: entities

// ANCHOR: rows
fn shop() -> OrmResult<OrmContext> {
    let catalog = Catalog::builder().entity::<Customer>().entity::<Order>().entity::<OrderView>().entity::<Tag>();
    let context = OrmContext::new(catalog.build()?);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    Ok(context)
}

const ROWS: &str = "
    INSERT INTO customers (id, name, city, password) VALUES (1, 'Ann', 'Rome', ''), (2, 'Bob', 'Bonn', ''), (3, 'Cem', NULL, '');
    INSERT INTO orders (id, customer_id, day, amount, status, note) VALUES
        (1, 1, '2024-01-10', 120, 1, 'for a Birthday'),
        (2, 1, '2024-01-20', 30, 2, NULL),
        (3, 2, '2024-01-25', 250, 3, '100% silk'),
        (4, 1, '2024-02-05', 80, 1, NULL);
    INSERT INTO tags (order_id, name) VALUES (1, 'gift'), (1, 'express'), (3, 'gift');
";

async fn filled() -> OrmResult<Session> {
    let context = shop()?;
    context.sync_all().await?;
    let session = context.create_session()?;
    session.lease(None, isogloss::session::Purpose::Write).await?.script(ROWS).await?;
    Ok(session)
}
// ANCHOR_END: rows
