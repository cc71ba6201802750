//! Scopes of sessions: two tenants in one database, and neither ever sees or changes a row of the other.

mod deleted;
mod inserts;
mod model;
mod nested;
mod off;
mod reads;
mod sessions;
mod writes;

use isogloss::dao::{ObjectDao, ObjectViewDao, SearchOf};
use isogloss::entity::Linked as _;
use isogloss::expr::Expr;
use isogloss::model::Catalog;
use isogloss::prelude::*;
use isogloss::session::Purpose;
use isogloss::{Request, Scope};

use crate::support::engines;

/// The tenants.
pub const A: i32 = 1;
pub const B: i32 = 2;

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "customers", columns = "snake_case", scoped)]
pub struct Customer {
    #[column(primary_key)]
    pub id: i32,
    pub tenant_id: Option<i32>,
    #[column(length = 50)]
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "orders", columns = "snake_case", scoped)]
pub struct Order {
    #[column(primary_key)]
    pub id: i32,
    pub tenant_id: Option<i32>,
    #[foreign(Customer, alias = "Buyer")]
    pub buyer_id: Option<i32>,
    #[foreign(Customer, alias = "Payer")]
    pub payer_id: Option<i32>,
    pub total: i32,
    #[column(length = 20, unique)]
    pub code: String,
}

#[derive(Debug, Clone, PartialEq, Default, View)]
#[view(of = Order)]
pub struct OrderView {
    pub order: Order,
    #[foreign_column("Buyer", property = "Name")]
    pub buyer_name: Option<String>,
    #[foreign_column("Payer", property = "Name")]
    pub payer_name: Option<String>,
}

/// What the database numbers, in versions.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "tickets", columns = "snake_case", scoped)]
pub struct Ticket {
    #[column(primary_key, identity)]
    pub id: i64,
    pub tenant_id: Option<i32>,
    #[column(length = 50)]
    pub title: String,
    #[column(timestamp)]
    pub version: i32,
}

/// A row that always says a tenant: 0 is that of nobody.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "seats", columns = "snake_case", scoped)]
pub struct Seat {
    #[column(primary_key)]
    pub id: i32,
    pub tenant_id: i32,
}

/// What belongs to nobody.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "regions", columns = "snake_case")]
pub struct Region {
    #[column(primary_key)]
    pub id: i32,
    #[column(length = 50)]
    pub name: String,
}

/// A shard for each year, with a fixed filter.
#[derive(Debug, Clone, PartialEq, Default, Entity)]
#[table(name = "logs_{0}", columns = "snake_case", scoped)]
pub struct Log {
    #[column(primary_key)]
    pub id: i32,
    pub tenant_id: Option<i32>,
    #[column(constant = true)]
    pub open: bool,
}

/// The tables, with the arguments of shards.
const TABLES: &[(&str, &[&str])] = &[
    ("Customer", &[]),
    ("Order", &[]),
    ("Ticket", &[]),
    ("Seat", &[]),
    ("Region", &[]),
    ("Log", &["2024"]),
    ("Log", &["2025"]),
    ("Doc", &[]),
    ("Page", &[]),
    ("Flag", &[]),
];

/// The entities of these tests. Other tests of this program have entities of the same names.
fn catalog() -> Catalog {
    Catalog::builder()
        .entity::<Customer>()
        .entity::<Order>()
        .entity::<OrderView>()
        .entity::<Ticket>()
        .entity::<Seat>()
        .entity::<Region>()
        .entity::<Log>()
        .entity::<deleted::Doc>()
        .entity::<deleted::Page>()
        .entity::<deleted::PageView>()
        .entity::<deleted::Flag>()
        .entity::<off::Twin>()
        .build()
        .unwrap()
}

/// The scope of a tenant.
pub fn tenant(id: i32) -> Scope {
    Scope::new().column("TenantId", id).named("tenant")
}

pub fn customer(tenant: i32, id: i32, name: &str) -> Customer {
    Customer { id, tenant_id: Some(tenant), name: name.into() }
}

pub fn order(tenant: i32, id: i32, buyer: Option<i32>, payer: Option<i32>, total: i32) -> Order {
    Order { id, tenant_id: Some(tenant), buyer_id: buyer, payer_id: payer, total, code: format!("C-{id}") }
}

/// Sessions over the same rows: one of each tenant, and one that sees everything.
#[derive(Clone)]
pub struct Two {
    pub a: Session,
    pub b: Session,
    pub all: Session,
}

impl Two {
    /// The customers 1 and 2 are A's, 3 and 4 are B's; the orders 1 to 4 are A's, 5 to 7 are B's. Two of them refer to a
    /// customer of the other tenant: 4 to B's 3, and 6 to A's 1.
    pub async fn new(session: &Session) -> Self {
        let all = session.unscoped("a test looks at all rows");
        let mut customers =
            [customer(A, 1, "Ann"), customer(A, 2, "Bob"), customer(B, 3, "Cid"), customer(B, 4, "Dan")];
        ObjectDao::new(&all).batch_insert(&mut customers).await.unwrap();
        let mut orders = [
            order(A, 1, Some(1), Some(2), 10),
            order(A, 2, Some(2), Some(1), 20),
            order(A, 3, None, None, 30),
            order(A, 4, Some(3), Some(1), 40),
            order(B, 5, Some(3), Some(4), 10),
            order(B, 6, Some(1), Some(3), 60),
            order(B, 7, None, None, 70),
        ];
        ObjectDao::new(&all).batch_insert(&mut orders).await.unwrap();
        let of = |id| session.scoped(&tenant(id)).unwrap();
        Self { a: of(A), b: of(B), all }
    }

    /// Every order with its tenant, whoever sees it.
    pub async fn orders(&self) -> Vec<Order> {
        let orders = ObjectViewDao::<Order>::new(&self.all);
        orders.search(from("Order").order_by(["Id"])).all().await.unwrap()
    }
}

/// Runs a test with two tenants' rows on every engine.
pub async fn each_two<F: Future<Output = ()>>(test: impl Fn(Two) -> F) {
    engines::each(catalog, TABLES, async |session: Session| test(Two::new(&session).await).await).await;
}

/// The keys of the orders that a session finds, in their order.
pub async fn ids(session: &Session, search: impl SearchOf<Order, Row = Order>) -> Vec<i32> {
    let found = ObjectViewDao::<Order>::new(session).search(search).all().await.unwrap();
    let mut ids: Vec<i32> = found.into_iter().map(|order| order.id).collect();
    ids.sort_unstable();
    ids
}

/// The numbers of a query's only column, in the order of its rows.
pub async fn numbers(session: &Session, query: impl SearchOf<Order>) -> Vec<Option<i64>> {
    ObjectViewDao::<Order>::new(session).search_as(query).all().await.unwrap()
}

pub async fn count<E: Entity>(session: &Session) -> u64 {
    ObjectViewDao::<E>::new(session).count(()).await.unwrap()
}

/// The last statement of a session.
pub fn last(session: &Session) -> String {
    session.sql_stack().pop().unwrap()
}

/// The engine that a session is of.
pub async fn engine(session: &Session) -> &'static str {
    session.lease(None, Purpose::Read).await.unwrap().dialect().sheet().name
}

/// Runs a statement that the program has built by itself, within the session's scope.
pub async fn run(session: &Session, statement: impl Into<Expr>) -> Result<u64, OrmError> {
    let statement = statement.into();
    let mut lease = session.lease(None, Purpose::Write).await?;
    let compiled = session.compile(lease.target(), &statement, Request::default())?;
    lease.execute(&compiled).await
}
