//! Databases that Isogloss has not made, as programs over them: what is generated from them compiles without a warning, and
//! reads each row.
//!
//! SQLite is there always, PostgreSQL and MariaDB or MySQL where their URLs are given. The definitions are always read; the
//! Rust code is compiled where `ISOGLOSS_GENERATED` is set, which takes minutes.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by them"
)]

mod absent;
mod chapter;
mod drawn;
mod fits;
mod kept;
mod own_words;
mod place;
mod programs;
mod recorded;
mod round_trip;
mod snapshots;
mod special;

use isogloss_driver::introspect::{IntrospectOptions, SchemaReport, introspect};
use isogloss_generate::{Mapping, Model, Options};

use place::{Engine, Place};

pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// The databases: their statements for all engines, and for one.
const DATABASES: [&str; 3] = ["chinook", "northwind", "odd"];

fn statements(database: &str, engine: &str) -> Vec<&'static str> {
    match (database, engine) {
        ("chinook", _) => vec![include_str!("databases/chinook.sql")],
        ("northwind", _) => vec![include_str!("databases/northwind.sql")],
        (_, "sqlite") => vec![include_str!("databases/odd.sql"), include_str!("databases/odd.sqlite.sql")],
        (_, "postgres") => vec![include_str!("databases/odd.sql"), include_str!("databases/odd.postgres.sql")],
        _ => vec![include_str!("databases/odd.sql"), include_str!("databases/odd.mysql.sql")],
    }
}

/// A database with its rows, and what the engine says of it.
struct Made {
    place: Place,
    report: SchemaReport,
    model: Model,
}

async fn made(engine: &Engine, number: usize, database: &'static str, why: &str) -> Outcome<Made> {
    let place = Place::new(engine, &format!("{why}_{number}_{database}")).await?;
    for text in statements(database, engine.name) {
        place.fill(text).await?;
    }
    let mut options = IntrospectOptions::default();
    if database == "odd" && engine.name == "postgres" {
        options = options.schema("public").schema("other");
    }
    let mut connection = place.backend.connect().await?;
    let report = introspect(&mut *connection, place.backend.ddl(), &options).await?;
    drop(connection);
    let model = Model::new(&report, &Mapping::default(), &Options::default());
    Ok(Made { place, report, model })
}
