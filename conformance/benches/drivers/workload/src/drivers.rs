//! The workloads of the drivers.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, NaiveDateTime};

use crate::{Failure, Outcome, Work};

/// How many rows there are to read.
pub const ROWS: i64 = 10_000;
/// How many look-ups are measured at a time.
pub const LOOKUPS: i64 = 2_000;
/// How many rows are inserted one by one.
pub const INSERTS: i64 = 10_000;
/// How many rows are inserted in bulk.
pub const BULK: i64 = 100_000;
/// How many tasks look a row up at the same time.
pub const TASKS: i64 = 1_000;
/// How many connections they share.
pub const POOL: usize = 16;

/// A row of eight columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub id: i64,
    pub name: String,
    pub email: String,
    pub quantity: i32,
    pub price: f64,
    pub active: bool,
    pub created: NaiveDateTime,
    pub note: Option<String>,
}

pub const COLUMNS: [&str; 8] = ["id", "name", "email", "quantity", "price", "active", "created", "note"];

/// The row of a number.
pub fn item(id: i64) -> Item {
    Item {
        id,
        name: format!("Item number {id}"),
        email: format!("someone.{id}@example.com"),
        quantity: (id * 7 % 1_000) as i32,
        price: id as f64 * 0.25,
        active: id % 3 == 0,
        created: DateTime::from_timestamp(1_700_000_000 + id, 123_456_000).unwrap_or_default().naive_utc(),
        note: (id % 4 != 0).then(|| format!("a note of some length on number {id}")),
    }
}

/// The keys of a number of look-ups, spread over the rows.
pub fn keys(count: i64) -> impl Iterator<Item = i64> {
    (0..count).map(|n| n * 7_919 % ROWS)
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    /// All rows of the table `items` into a list of structs.
    Rows,
    /// [`LOOKUPS`] rows by their key, one after the other, on one connection.
    Key,
    /// [`INSERTS`] rows into the empty table `fresh`, a statement each, in one transaction.
    Insert,
    /// [`BULK`] rows into the empty table `fresh` by the fastest way that there is.
    Bulk,
    /// [`TASKS`] tasks at the same time, a row by its key each, through a pool of [`POOL`].
    Concurrent,
}

impl Work for Workload {
    const ALL: &'static [Self] = &[Self::Rows, Self::Key, Self::Insert, Self::Bulk, Self::Concurrent];

    fn things(self) -> i64 {
        match self {
            Self::Rows => ROWS,
            Self::Key => LOOKUPS,
            Self::Insert => INSERTS,
            Self::Bulk => BULK,
            Self::Concurrent => TASKS,
        }
    }

    fn about(self) -> &'static str {
        match self {
            Self::Rows => "10,000 rows into structs, per row",
            Self::Key => "a row by its key",
            Self::Insert => "10,000 inserts in a transaction, per row",
            Self::Bulk => "100,000 rows in bulk, per row",
            Self::Concurrent => "1,000 look-ups at once, pool of 16, per look-up",
        }
    }
}

impl Workload {
    /// Whether it needs the table `fresh` to be empty.
    pub fn writes(self) -> bool {
        matches!(self, Self::Insert | Self::Bulk)
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

/// Makes the tables, fills `items`. The texts are SQLite's, PostgreSQL's and MariaDB's, by the name of the engine.
pub fn tables(engine: &str) -> Vec<String> {
    let (double, boolean, timestamp, tail) = match engine {
        "sqlite" => ("REAL", "INTEGER", "TEXT", ""),
        "postgres" => ("double precision", "boolean", "timestamp", ""),
        _ => ("double", "tinyint(1)", "datetime(6)", " CHARACTER SET utf8mb4"),
    };
    let columns = format!(
        "id {} PRIMARY KEY, name varchar(100) NOT NULL, email varchar(100) NOT NULL, quantity integer NOT NULL, \
         price {double} NOT NULL, active {boolean} NOT NULL, created {timestamp} NOT NULL, note varchar(200)",
        if engine == "sqlite" { "INTEGER" } else { "bigint" },
    );
    ["items", "fresh"]
        .into_iter()
        .flat_map(|name| [format!("DROP TABLE IF EXISTS {name}"), format!("CREATE TABLE {name} ({columns}){tail}")])
        .collect()
}

/// INSERT statements that fill `items`, 500 rows each. The texts hold nothing that would need an escape.
pub fn fill(engine: &str) -> Vec<String> {
    let ids: Vec<i64> = (0..ROWS).collect();
    ids.chunks(500)
        .map(|ids| {
            let rows: Vec<String> = ids
                .iter()
                .map(|id| {
                    let Item { id, name, email, quantity, price, active, created, note } = item(*id);
                    let active = if engine == "postgres" { active.to_string() } else { i32::from(active).to_string() };
                    let note = note.map_or("NULL".into(), |note| format!("'{note}'"));
                    let created = created.format("%Y-%m-%d %H:%M:%S%.6f");
                    format!("({id}, '{name}', '{email}', {quantity}, {price}, {active}, '{created}', {note})")
                })
                .collect();
            format!("INSERT INTO items VALUES {}", rows.join(", "))
        })
        .collect()
}
