//! The tables of the data access layer, their rows, and what is done with them.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDateTime};

use crate::{Failure, Outcome, Work};

/// How many orders there are to read.
pub const ORDERS: i64 = 100_000;
/// How many customers they are of; a city has ten of them.
pub const CUSTOMERS: i64 = 1_000;
/// How many rows are looked up at a time.
pub const GETS: i64 = 2_000;
/// How many pages are read at a time.
pub const PAGES: i64 = 200;
/// How many rows a page has.
pub const PAGE: i64 = 20;
/// How many rows are written in one call.
pub const WRITES: i64 = 1_000;

/// How many orders are read with their lines at a time.
pub const PARENTS: i64 = 1_000;
/// How many lines an order has. Those of other orders than the first ones have none.
pub const LINES: i64 = 5;
/// How many products there are.
pub const PRODUCTS: i64 = 200;

/// The first of the 20 orders that are read with their lines and the products of those.
pub fn first(page: i64) -> i64 {
    page * 4
}

/// An order.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: i64,
    pub customer_id: i64,
    pub code: String,
    pub quantity: i32,
    pub amount: f64,
    pub paid: bool,
    pub created: NaiveDateTime,
    pub note: Option<String>,
}

/// The order of a number.
pub fn item(id: i64) -> Item {
    Item {
        id,
        customer_id: id % CUSTOMERS,
        code: format!("order number {id}"),
        quantity: (id * 7 % 1_000) as i32,
        amount: id as f64 * 0.25,
        paid: id % 3 == 0,
        created: DateTime::from_timestamp(1_700_000_000 + id, 123_456_000).unwrap_or_default().naive_utc(),
        note: (id % 4 != 0).then(|| format!("a note of some length on number {id}")),
    }
}

/// The order of a number, after a change.
pub fn changed(id: i64) -> Item {
    Item { quantity: 5, note: Some(format!("changed {id}")), ..item(id) }
}

/// The keys of a number of look-ups, spread over the rows.
pub fn keys(count: i64) -> impl Iterator<Item = i64> {
    (0..count).map(|n| n * 7_919 % ORDERS)
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// [`GETS`] orders by their key, one after the other.
    Get,
    /// [`PAGES`] pages of [`PAGE`] orders each with the names of customer and city: two joins, two filters.
    Page,
    /// [`WRITES`] orders into the empty table `dao_fresh`, in one call.
    Insert,
    /// [`WRITES`] orders into the empty table `dao_numbered`, in one call, all or none, which gives the numbers of all that
    /// the database has given them.
    Numbered,
    /// [`WRITES`] orders of `dao_fresh` changed, in one call, all or none.
    Update,
    /// [`WRITES`] orders, every other of which is in `dao_fresh`, in one call, all or none.
    Upsert,
    /// All orders, one at a time.
    Stream,
    /// [`PARENTS`] orders, each with its lines.
    Lines,
    /// [`PAGES`] times [`PAGE`] orders, each with its lines, and each of these with its product.
    Products,
}

impl Work for Workload {
    const ALL: &'static [Self] = &[
        Self::Get,
        Self::Page,
        Self::Insert,
        Self::Numbered,
        Self::Update,
        Self::Upsert,
        Self::Stream,
        Self::Lines,
        Self::Products,
    ];

    fn things(self) -> i64 {
        match self {
            Self::Get => GETS,
            Self::Page | Self::Products => PAGES,
            Self::Lines => PARENTS,
            Self::Insert | Self::Numbered | Self::Update | Self::Upsert => WRITES,
            Self::Stream => ORDERS,
        }
    }

    fn rows(self) -> i64 {
        match self {
            Self::Page => PAGES * PAGE,
            Self::Lines => PARENTS * LINES,
            Self::Products => PAGES * PAGE * LINES,
            other => other.things(),
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Get => "get by id",
            Self::Page => "page of 20, two joins",
            Self::Insert => "insert 1,000, per row",
            Self::Numbered => "insert 1,000 and their numbers, per row",
            Self::Update => "update 1,000, per row",
            Self::Upsert => "upsert 1,000, per row",
            Self::Stream => "stream 100,000, per row",
            Self::Lines => "1,000 orders with their lines, per order",
            Self::Products => "20 orders with lines and products",
        }
    }
}

impl Workload {
    /// Which orders are in `dao_fresh` before.
    pub fn before(self) -> Option<&'static str> {
        match self {
            Self::Insert | Self::Numbered => Some("id < 0"),
            Self::Update => Some("id < 1000"),
            Self::Upsert => Some("id < 1000 AND id % 2 = 0"),
            _ => None,
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl FromStr for Workload {
    type Err = Failure;

    fn from_str(text: &str) -> Outcome<Self> {
        let found = Self::ALL.iter().find(|w| format!("{w:?}").eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| format!("there is no workload {text}").into())
    }
}

/// Makes the tables. The texts are those of the engine with that name.
pub fn tables(engine: &str) -> Vec<String> {
    let (double, boolean, timestamp, id, number) = match engine {
        "sqlite" => ("REAL", "INTEGER", "TEXT", "INTEGER", "INTEGER"),
        "mysql" => ("double", "boolean", "datetime(6)", "bigint", "bigint AUTO_INCREMENT"),
        _ => ("double precision", "boolean", "timestamp", "bigint", "bigint GENERATED BY DEFAULT AS IDENTITY"),
    };
    let orders = |id: &str| {
        format!(
            "id {id} PRIMARY KEY, customer_id bigint NOT NULL, code varchar(100) NOT NULL, quantity integer NOT NULL, \
             amount {double} NOT NULL, paid {boolean} NOT NULL, created {timestamp} NOT NULL, note varchar(200)"
        )
    };
    let mut all = drops();
    all.extend([
        format!("CREATE TABLE dao_cities (id {id} PRIMARY KEY, name varchar(100) NOT NULL)"),
        format!(
            "CREATE TABLE dao_customers (id {id} PRIMARY KEY, name varchar(100) NOT NULL, city_id bigint NOT NULL)"
        ),
        format!("CREATE TABLE dao_orders ({})", orders(id)),
        format!("CREATE TABLE dao_fresh ({})", orders(id)),
        format!("CREATE TABLE dao_numbered ({})", orders(number)),
        format!(
            "CREATE TABLE dao_lines (id {id} PRIMARY KEY, order_id bigint NOT NULL, product_id bigint NOT NULL, \
             quantity integer NOT NULL)"
        ),
        "CREATE INDEX dao_lines_order ON dao_lines (order_id)".into(),
        format!("CREATE TABLE dao_products (id {id} PRIMARY KEY, name varchar(100) NOT NULL)"),
        "CREATE INDEX dao_orders_quantity ON dao_orders (quantity, id)".into(),
    ]);
    all
}

pub fn drops() -> Vec<String> {
    ["orders", "fresh", "numbered", "customers", "cities", "lines", "products"]
        .map(|name| format!("DROP TABLE IF EXISTS dao_{name}"))
        .to_vec()
}

/// INSERT statements that fill the tables. The texts hold nothing that would need an escape.
pub fn fill(engine: &str) -> Vec<String> {
    let ids: Vec<i64> = (0..ORDERS).collect();
    let orders = ids.chunks(1_000).map(|ids| {
        let rows: Vec<String> = ids
            .iter()
            .map(|id| {
                let Item { id, customer_id, code, quantity, amount, paid, created, note } = item(*id);
                let paid = if engine == "postgres" { paid.to_string() } else { i32::from(paid).to_string() };
                let note = note.map_or("NULL".into(), |note| format!("'{note}'"));
                let created = created.format("%Y-%m-%d %H:%M:%S%.6f");
                format!("({id}, {customer_id}, '{code}', {quantity}, {amount}, {paid}, '{created}', {note})")
            })
            .collect();
        format!("INSERT INTO dao_orders VALUES {}", rows.join(", "))
    });
    let cities: Vec<String> = (0..CUSTOMERS / 10).map(|id| format!("({id}, 'city {id}')")).collect();
    let customers: Vec<String> = (0..CUSTOMERS).map(|id| format!("({id}, 'customer {id}', {})", id / 10)).collect();
    let mut all = vec![
        format!("INSERT INTO dao_cities VALUES {}", cities.join(", ")),
        format!("INSERT INTO dao_customers VALUES {}", customers.join(", ")),
    ];
    all.extend(orders);
    let line = |id: i64| format!("({id}, {}, {}, {})", id / LINES, id * 7 % PRODUCTS, id % 9);
    let lines: Vec<String> = (0..PARENTS * LINES).map(line).collect();
    all.push(format!("INSERT INTO dao_lines VALUES {}", lines.join(", ")));
    let products: Vec<String> = (0..PRODUCTS).map(|id| format!("({id}, 'product {id}')")).collect();
    all.push(format!("INSERT INTO dao_products VALUES {}", products.join(", ")));
    if engine == "sqlite" {
        all = vec![format!("BEGIN; {}; COMMIT", all.join("; "))];
    }
    match engine {
        "mysql" => all.push("ANALYZE TABLE dao_orders, dao_customers, dao_cities, dao_lines, dao_products".into()),
        _ => all.push("ANALYZE".into()),
    }
    all
}
