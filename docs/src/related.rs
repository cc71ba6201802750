use isogloss::config::DataSourceConfig;
use isogloss::entity::{Linked, Many, NotLoaded, One};
use isogloss::prelude::*;

// ANCHOR: entities
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case")]
struct Order {
    #[column(primary_key)]
    id: i64,
    #[has_many]
    items: Many<Item>, // the items whose foreign key refers to the order
    #[many_to_many(through = OrderTag)]
    tags: Many<Tag>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "items", columns = "snake_case")]
struct Item {
    #[column(primary_key, identity)]
    id: i64,
    #[foreign(Order)]
    order_id: i64, // this is the foreign key that both relations go by
    #[foreign(Product)]
    product_id: Option<i64>,
    price: i32,
    #[belongs_to]
    order: One<Order>,
    #[belongs_to]
    product: One<Product>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "products", columns = "snake_case")]
struct Product {
    #[column(primary_key)]
    id: i64,
    #[column(length = 50)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tags", columns = "snake_case")]
struct Tag {
    #[column(primary_key, length = 20)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "order_tags", columns = "snake_case")]
struct OrderTag {
    #[column(primary_key)]
    #[foreign(Order)]
    order_id: i64,
    #[column(primary_key, length = 20)]
    #[foreign(Tag)]
    tag: String,
}
// ANCHOR_END: entities

/// Three orders: one with three items and two tags, one with an item, and one with nothing.
async fn filled() -> OrmResult<Session> {
    let catalog = Catalog::builder().entity::<Order>().entity::<Item>().entity::<Product>();
    let context = OrmContext::new(catalog.entity::<Tag>().entity::<OrderTag>().build()?);
    context.add_data_source(DataSourceConfig::new("main", "sqlite", ":memory:").sync_table(true))?;
    let session = context.create_session()?;
    let product = |(id, name): (i64, &str)| Product { id, name: name.into() };
    ObjectDao::new(&session).batch_insert(&mut [(1, "tea"), (2, "cup")].map(product)).await?;
    ObjectDao::new(&session).batch_insert(&mut [1, 2, 3].map(|id| Order { id, ..Order::default() })).await?;
    let items = [(1, Some(1), 10), (1, Some(2), 30), (1, None, 20), (2, Some(1), 5)];
    let item = |(order_id, product_id, price)| Item { order_id, product_id, price, ..Item::default() };
    ObjectDao::new(&session).batch_insert(&mut items.map(item)).await?;
    ObjectDao::new(&session).batch_insert(&mut ["new", "paid"].map(|name| Tag { name: name.into() })).await?;
    let link = |tag: &str| OrderTag { order_id: 1, tag: tag.into() };
    ObjectDao::new(&session).batch_insert(&mut ["new", "paid"].map(link)).await?;
    session.clear_sql_stack();
    Ok(session)
}
