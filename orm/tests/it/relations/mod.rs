//! Rows that rows relate to, on every engine that is at hand.

mod blocking;
mod keys;
mod loads;
mod named;
mod rules;
mod services;

use std::future::Future;

use chrono::NaiveDateTime;
use isogloss::dao::ObjectDao;
use isogloss::entity::{Linked as _, Many, One, Table};
use isogloss::prelude::*;

use crate::support::engines;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_orders", columns = "snake_case")]
pub struct Order {
    #[column(primary_key)]
    pub id: i64,
    #[column(length = 20)]
    pub title: String,
    #[has_many]
    pub items: Many<Item>,
    #[has_one]
    pub invoice: One<Invoice>,
    #[many_to_many(through = OrderTag)]
    pub tags: Many<Tag>,
    /// The items with the names of their products.
    #[has_many]
    pub named: Many<ItemView>,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub struct OrderView {
    pub order: Order,
}

/// Its key is of a smaller type than the order's.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_items", columns = "snake_case")]
pub struct Item {
    #[column(primary_key)]
    pub id: i32,
    #[foreign(Order)]
    pub order_id: Option<i32>,
    #[foreign(Product)]
    pub product_id: Option<i32>,
    pub price: i32,
    #[belongs_to]
    pub order: One<Order>,
    #[belongs_to]
    pub product: One<Product>,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Item)]
pub struct ItemView {
    pub item: Item,
    #[foreign_column(Product, property = name)]
    pub product_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_products", columns = "snake_case")]
pub struct Product {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 20)]
    pub name: String,
    #[foreign(Maker)]
    pub maker_code: Option<String>,
    #[belongs_to]
    pub maker: One<Maker>,
}

/// Its key is a text, which a collation may compare.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_makers", columns = "snake_case")]
pub struct Maker {
    #[column(primary_key, length = 20)]
    pub code: String,
    #[has_many]
    pub products: Many<Product>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_invoices", columns = "snake_case")]
pub struct Invoice {
    #[column(primary_key)]
    pub id: i32,
    #[foreign(Order)]
    pub order_id: i64,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_tags", columns = "snake_case")]
pub struct Tag {
    #[column(primary_key)]
    pub id: i32,
    #[column(soft_delete)]
    pub gone: Option<NaiveDateTime>,
    #[many_to_many(through = OrderTag)]
    pub orders: Many<Order>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_order_tags", columns = "snake_case")]
pub struct OrderTag {
    #[column(primary_key)]
    pub id: i32,
    #[foreign(Order)]
    pub order_id: i64,
    #[foreign(Tag)]
    pub tag_id: i32,
    #[column(constant = true)]
    pub open: bool,
}

/// A tree, and a key of two columns.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_nodes", columns = "snake_case")]
#[table_join(Node, keys(region, up), prime_keys(region, id), alias = "Upper")]
pub struct Node {
    #[column(primary_key)]
    pub region: i32,
    #[column(primary_key)]
    pub id: i32,
    pub up: Option<i32>,
    #[belongs_to(key = "Upper")]
    pub upper: One<Node>,
    #[has_many(key = up)]
    pub lower: Many<Node>,
}

/// What belongs to a tenant.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_notes", columns = "snake_case", scoped)]
pub struct Note {
    #[column(primary_key)]
    pub id: i32,
    pub tenant_id: Option<i32>,
    #[foreign(Desk)]
    pub desk_id: i32,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_desks", columns = "snake_case")]
pub struct Desk {
    #[column(primary_key)]
    pub id: i32,
    #[has_many]
    pub notes: Many<Note>,
}

/// Its key is of a type that no list of one parameter has.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_spots", columns = "snake_case")]
pub struct Spot {
    #[column(primary_key)]
    pub height: f64,
    #[has_many]
    pub readings: Many<Reading>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_readings", columns = "snake_case")]
pub struct Reading {
    #[column(primary_key)]
    pub id: i32,
    #[foreign(Spot)]
    pub height: f64,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_clerks", columns = "snake_case")]
pub struct Clerk {
    #[column(primary_key)]
    pub id: i32,
    #[has_many]
    pub calls: Many<Call>,
    #[many_to_many(through = Call)]
    pub desks: Many<Desk>,
}

/// A table a year.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_calls_{0}", columns = "snake_case")]
pub struct Call {
    #[column(primary_key)]
    pub id: i32,
    #[foreign(Clerk)]
    pub clerk_id: i32,
    #[foreign(Desk)]
    pub desk_id: i32,
}

/// Its texts are compared by code points on every engine.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_badges", columns = "snake_case")]
pub struct Badge {
    #[column(primary_key, length = 20, text = "exact")]
    pub code: String,
    #[column(length = 20)]
    #[foreign(Maker)]
    pub maker_code: String,
    #[belongs_to]
    pub maker: One<Maker>,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "rel_visits", columns = "snake_case")]
pub struct Visit {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 20)]
    #[foreign(Badge)]
    pub badge_code: String,
    #[belongs_to]
    pub badge: One<Badge>,
}

const TABLES: [(&str, &[&str]); 15] = [
    ("Clerk", &[]),
    ("Call", &["2023"]),
    ("Call", &["2024"]),
    ("Order", &[]),
    ("Item", &[]),
    ("Product", &[]),
    ("Maker", &[]),
    ("Invoice", &[]),
    ("Tag", &[]),
    ("OrderTag", &[]),
    ("Node", &[]),
    ("Note", &[]),
    ("Desk", &[]),
    ("Spot", &[]),
    ("Reading", &[]),
];

/// The entities of these tests. Other tests of this program have entities of the same names.
fn catalog() -> Catalog {
    Catalog::builder()
        .entity::<Order>()
        .entity::<OrderView>()
        .entity::<Item>()
        .entity::<ItemView>()
        .entity::<Product>()
        .entity::<Maker>()
        .entity::<Invoice>()
        .entity::<Tag>()
        .entity::<OrderTag>()
        .entity::<Node>()
        .entity::<Note>()
        .entity::<Desk>()
        .entity::<Spot>()
        .entity::<Reading>()
        .entity::<Clerk>()
        .entity::<Call>()
        .entity::<Badge>()
        .entity::<Visit>()
        .build()
        .unwrap()
}

/// Runs a test on every engine, over a shop with three orders.
async fn each<F: Future<Output = ()>>(test: impl Fn(Session) -> F) {
    engines::each(catalog, &TABLES, async |session| {
        let order = |id: i64| Order { id, title: format!("order {id}"), ..Order::default() };
        put(&session, [order(1), order(2), order(3)]).await;
        let product = |id: i32, maker: Option<&str>| Product {
            id,
            name: format!("product {id}"),
            maker_code: maker.map(Into::into),
            ..Product::default()
        };
        put(&session, [product(1, Some("acme")), product(2, None)]).await;
        put(&session, [Maker { code: "acme".into(), ..Maker::default() }]).await;
        put(&session, ITEMS.map(|(id, order, product, price)| item(id, order, product, price))).await;
        put(&session, [Invoice { id: 1, order_id: 2 }]).await;
        put(&session, [1, 2, 3].map(|id| Tag { id, ..Tag::default() })).await;
        let link = |(id, order_id, tag_id): (i32, i64, i32)| OrderTag { id, order_id, tag_id, open: true };
        put(&session, [(1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 1, 1)].map(link)).await;
        session.clear_sql_stack();
        test(session).await;
    })
    .await;
}

const ITEMS: [(i32, Option<i32>, Option<i32>, i32); 5] = [
    (1, Some(1), Some(1), 10),
    (2, Some(1), Some(2), 30),
    (3, Some(1), None, 20),
    (4, Some(3), Some(1), 5),
    (5, None, Some(9), 7),
];

fn item(id: i32, order_id: Option<i32>, product_id: Option<i32>, price: i32) -> Item {
    Item { id, order_id, product_id, price, ..Item::default() }
}

async fn put<T: Table + Clone, const N: usize>(session: &Session, mut rows: [T; N]) {
    ObjectDao::<T>::new(session).batch_insert(&mut rows).await.unwrap();
}

async fn all<T: Entity>(session: &Session) -> Vec<T> {
    let rows = isogloss::dao::ObjectViewDao::<T>::new(session).search(()).all().await.unwrap();
    session.clear_sql_stack();
    rows
}

fn ids(items: &Many<Item>) -> Vec<i32> {
    items.get().unwrap().iter().map(|item| item.id).collect()
}
