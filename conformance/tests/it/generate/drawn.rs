//! Random tables in each engine's own words: what is made again from their entities is what was there, or a finding says what is not.

use std::collections::BTreeSet;

use isogloss_driver::introspect::{
    ColumnReport, Filled, IndexKey, IntrospectOptions, PortableType, SchemaReport, TableReport, introspect,
};
use isogloss_generate::{Mapping, Model, Options};
use isogloss_testkit::random::{count, seed};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::generate::place::{Place, engines};
use crate::generate::round_trip;

/// Types with a default of each, and whether a key may have them.
fn types(engine: &str) -> &'static [(&'static str, &'static str, bool)] {
    match engine {
        "sqlite" => &[
            ("INTEGER", "7", true),
            ("BIGINT", "-1", true),
            ("VARCHAR(20)", "'it''s'", true),
            ("TEXT", "'x'", true),
            ("TEXT COLLATE NOCASE", "'x'", true),
            ("NUMERIC", "1.5", true),
            ("DECIMAL(10,2)", "0", true),
            ("REAL", "1e3", false),
            ("BLOB", "x'00ff'", false),
            ("DATETIME", "CURRENT_TIMESTAMP", true),
            ("BOOLEAN", "TRUE", true),
            ("GEOMETRY", "1", true),
        ],
        "postgres" => &[
            ("SMALLINT", "7", true),
            ("INTEGER", "7", true),
            ("BIGINT", "1 + 1", true),
            ("NUMERIC", "1.5", true),
            ("NUMERIC(10,2)", "0", true),
            ("NUMERIC(45,9)", "0", true),
            ("DOUBLE PRECISION", "1e3", false),
            ("VARCHAR(20)", "'it''s'", true),
            ("VARCHAR", "'x'", true),
            ("TEXT", "'a' || 'b'", true),
            ("CHAR(4)", "'ab'", true),
            ("BYTEA", r"'\x00ff'", false),
            ("TIMESTAMP(3)", "now()", true),
            ("TIMESTAMPTZ", "now()", true),
            ("BOOLEAN", "TRUE", false),
            ("UUID", "gen_random_uuid()", true),
            ("JSONB", "'{}'", false),
            ("INTEGER[]", "'{1,2}'", false),
            ("INET", "'::1'", true),
            ("INTERVAL", "'1 day'", true),
            ("mood", "'sad'", true),
            ("small", "3", true),
        ],
        _ => &[
            ("TINYINT", "7", true),
            ("SMALLINT UNSIGNED", "7", true),
            ("INT", "-1", true),
            ("INT UNSIGNED", "1", true),
            ("BIGINT UNSIGNED", "1", true),
            ("DECIMAL(10,2)", "1.5", true),
            ("DECIMAL(60,20)", "0", true),
            ("DOUBLE", "1e3", false),
            ("VARCHAR(20)", "'it''s'", true),
            ("VARCHAR(20) CHARACTER SET latin1", "'x'", true),
            ("CHAR(4)", "'ab'", true),
            ("TEXT", "('x')", false),
            ("VARBINARY(9)", "0x00ff", true),
            ("BINARY(3)", "'ab'", true),
            ("LONGBLOB", "NULL", false),
            ("DATETIME(3)", "CURRENT_TIMESTAMP(3)", true),
            ("TIMESTAMP NULL", "NULL", true),
            ("BIT(8)", "b'101'", true),
            ("ENUM('a','b')", "'a'", true),
            ("JSON", "NULL", false),
        ],
    }
}

/// Numbers that were drawn, one after the other.
struct Dice {
    numbers: Vec<u32>,
    at: usize,
}

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        let number = self.numbers[self.at % self.numbers.len()];
        self.at += 1;
        usize::try_from(number).unwrap() % sides
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.below(sides) == 0
    }
}

/// The statements of two tables, of which the second one may refer to the first.
fn statements(engine: &str, dice: &mut Dice) -> Vec<String> {
    let mut all = Vec::new();
    let mut referred: Option<(String, String)> = None;
    for table in ["firsts", "seconds"] {
        let mut lines = Vec::new();
        let mut keyed = Vec::new();
        for at in 0..=dice.below(6) {
            let (ty, default, may_be_key) = types(engine)[dice.below(types(engine).len())];
            let null = if dice.one_in(2) && !ty.ends_with("NULL") { " NOT NULL" } else { "" };
            let default = if dice.one_in(3) && (default != "NULL" || null.is_empty()) {
                format!(" DEFAULT {default}")
            } else {
                String::new()
            };
            // SQLite takes what stands behind a type for a part of it.
            lines.push(format!("c{at} {ty}{default}{null}"));
            if may_be_key {
                keyed.push((format!("c{at}"), ty));
            }
        }
        lines.push("n INTEGER".to_owned());
        if dice.one_in(3) {
            lines.push("twice INTEGER GENERATED ALWAYS AS (n * 2) STORED".to_owned());
        }
        let some = |dice: &mut Dice| -> Vec<String> {
            let all = keyed.iter().map(|(name, _)| name.clone());
            all.filter(|_| dice.one_in(2)).take(3).collect()
        };
        let mut key = some(dice);
        if key.is_empty() && dice.one_in(2) {
            lines.insert(0, "id INTEGER NOT NULL".to_owned());
            key = vec!["id".to_owned()];
        }
        if !key.is_empty() {
            // A key is NOT NULL on every engine but SQLite.
            for line in &mut lines {
                if key.iter().any(|name| line.starts_with(&format!("{name} "))) && !line.ends_with("NOT NULL") {
                    *line = format!("{} NOT NULL", line.trim_end_matches(" DEFAULT NULL").trim_end_matches(" NULL"));
                }
            }
            lines.push(format!("PRIMARY KEY ({})", key.join(", ")));
        }
        let unique = some(dice);
        if !unique.is_empty() && unique != key {
            lines.push(format!("CONSTRAINT one_{table} UNIQUE ({})", unique.join(", ")));
        }
        if dice.one_in(2) {
            lines.push(format!("CONSTRAINT ck_{table} CHECK (n > 0)"));
        }
        if let (Some((first, ty)), true) = (&referred, dice.one_in(2)) {
            lines.insert(0, format!("up {ty}"));
            let action = ["", " ON DELETE CASCADE", " ON DELETE SET NULL"][dice.below(3)];
            lines.push(format!("CONSTRAINT has_up FOREIGN KEY (up) REFERENCES firsts ({first}){action}"));
        }
        if let ([one], "firsts") = (key.as_slice(), table) {
            let ty = keyed.iter().find(|(name, _)| name == one).map_or("INTEGER", |(_, ty)| *ty);
            referred = Some((one.clone(), ty.to_owned()));
        }
        all.push(format!("CREATE TABLE {table} ({})", lines.join(", ")));
        let index = some(dice);
        if !index.is_empty() {
            let (unique, columns) = (if dice.one_in(3) { "UNIQUE " } else { "" }, index.join(", "));
            let filter = if engine != "mysql" && dice.one_in(3) { " WHERE n > 5" } else { "" };
            all.push(format!("CREATE {unique}INDEX by_{table} ON {table} ({columns}){filter}"));
        }
    }
    if engine == "postgres" {
        all.insert(0, "CREATE DOMAIN small AS INTEGER CHECK (VALUE < 9)".to_owned());
        all.insert(0, "CREATE TYPE mood AS ENUM ('sad', 'ok')".to_owned());
    }
    all
}

/// What is told of a table or a part of it.
pub(super) struct Told(BTreeSet<(String, Option<String>)>);

impl Told {
    pub(super) fn of(model: &Model) -> Self {
        let all = model
            .findings()
            .iter()
            .map(|one| (one.table.rsplit('.').next().unwrap_or_default().to_owned(), one.part.clone()));
        Self(all.collect())
    }

    pub(super) fn has(&self, table: &str, part: Option<&str>) -> bool {
        self.0.contains(&(table.to_owned(), part.map(str::to_owned)))
    }
}

fn table<'r>(report: &'r SchemaReport, name: &str) -> Option<&'r TableReport> {
    report.tables.iter().find(|table| table.name == name)
}

/// Columns, keys and foreign keys, in words.
fn constraints(table: &TableReport) -> Vec<(String, String)> {
    let index = |name: &str, columns: &[String], unique: bool, condition: bool| {
        (name.to_owned(), format!("index of {columns:?}, unique {unique}, over some rows {condition}"))
    };
    let indexes = table.indexes.iter().filter(|own| !own.of_foreign_key).filter_map(|own| {
        let columns = own.keys.iter().map(|key| match key {
            IndexKey::Column(name) => Some(name.clone()),
            _ => None,
        });
        Some(index(&own.name, &columns.collect::<Option<Vec<_>>>()?, own.unique, own.condition.is_some()))
    });
    let keys = table.unique_keys.iter().map(|key| index(&key.name, &key.columns, true, false));
    let foreign = table.foreign_keys.iter().map(|key| {
        let action = if key.on_delete == "RESTRICT" { "NO ACTION" } else { &key.on_delete };
        (key.name.clone(), format!("{:?} refers to {} {:?}, {action}", key.columns, key.table, key.referred))
    });
    let checks = table.checks.iter().filter(|check| !check.condition.starts_with("json_valid"));
    let checks = checks.map(|check| (check.name.clone(), "a check".to_owned()));
    indexes.chain(keys).chain(foreign).chain(checks).collect()
}

/// Returns whether a column holds what another one holds. SQLite has few types, and limits none.
fn same_column(a: &ColumnReport, b: &ColumnReport, engine: &str) -> bool {
    let holds = |(old, new): (PortableType, PortableType)| {
        let (old, new) = (old.nearest(), new.nearest());
        let is_longer = new.length.is_none_or(|length| old.length.is_some_and(|old| old <= length));
        let is_wider = new.precision.is_none_or(|digits| old.precision.is_none_or(|old| old <= digits));
        old.ty.base.family() == new.ty.base.family() && old.ty.array == new.ty.array && is_longer && is_wider
    };
    let is_held = engine == "sqlite" || a.portable.zip(b.portable).is_some_and(holds);
    let is_filled = |column: &ColumnReport| match &column.filled {
        Filled::Default(text) => !text.eq_ignore_ascii_case("NULL") && !text.starts_with("NULL::"),
        // Each whole number that is a key is numbered there.
        Filled::Identity { .. } => engine != "sqlite",
        other => *other != Filled::Not,
    };
    is_held && a.nullable == b.nullable && is_filled(a) == is_filled(b)
}

/// What is otherwise there and not told.
fn silent(before: &SchemaReport, after: &SchemaReport, told: &Told, engine: &str) -> Vec<String> {
    let mut lost = Vec::new();
    for old in &before.tables {
        let Some(new) = table(after, &old.name) else {
            if !told.has(&old.name, None) {
                lost.push(format!("{}: the table", old.name));
            }
            continue;
        };
        for column in &old.columns {
            let is_there = new.column(&column.name).is_some_and(|other| same_column(column, other, engine));
            if !is_there && !told.has(&old.name, Some(&column.name)) {
                lost.push(format!("{}.{}: {column:?} became {:?}", old.name, column.name, new.column(&column.name)));
            }
        }
        let sorted = |key: &[String]| key.iter().cloned().collect::<BTreeSet<_>>();
        if sorted(&old.primary_key) != sorted(&new.primary_key) && !told.has(&old.name, None) {
            lost.push(format!("{}: the key {:?} became {:?}", old.name, old.primary_key, new.primary_key));
        }
        let mut there = constraints(new);
        // What a key of one column has as well is no index of its own.
        there.push((String::new(), format!("index of {:?}, unique true, over some rows false", new.primary_key)));
        for (name, text) in constraints(old) {
            let alike = text.replace("unique false", "unique true");
            let is_there = there.iter().any(|(_, other)| *other == text || *other == alike);
            if !is_there && !told.has(&old.name, Some(&name)) {
                lost.push(format!("{}.{name}: {text}", old.name));
            }
        }
    }
    lost
}

#[tokio::test]
async fn nothing_of_a_random_table_is_lost_silently() {
    let (tables, seed) = (count(12, 200), seed());
    println!("{tables} pairs of tables for each engine; again with ISOGLOSS_SEED={seed}");
    let mut lost = Vec::new();
    for engine in engines() {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        for _ in 0..tables {
            let numbers = prop::collection::vec(any::<u32>(), 200).new_tree(&mut runner).unwrap().current();
            let statements = statements(engine.name, &mut Dice { numbers, at: 0 });
            let (there, again) =
                (Place::new(&engine, "drawn").await.unwrap(), Place::new(&engine, "redrawn").await.unwrap());
            let mut connection = there.backend.connect().await.unwrap();
            let mut is_made = true;
            for sql in &statements {
                // The engine knows best which keys and defaults go together.
                is_made &= connection.script(sql).await.is_ok();
            }
            if !is_made {
                continue;
            }
            let options = IntrospectOptions::default();
            let before = introspect(&mut *connection, there.backend.ddl(), &options).await.unwrap();
            let model = Model::new(&before, &Mapping::default(), &Options::default());
            model.to_rust().unwrap();
            let catalog = model.catalog().unwrap_or_else(|error| panic!("{}: {error}: {statements:#?}", engine.name));
            let mut connection = again.backend.connect().await.unwrap();
            for sql in round_trip::statements(again.backend.ddl(), &catalog).concat() {
                let made = connection.script(&sql).await;
                made.unwrap_or_else(|error| panic!("{}: {error}: {sql}\n{statements:#?}", engine.name));
            }
            let after = introspect(&mut *connection, again.backend.ddl(), &options).await.unwrap();
            let own = silent(&before, &after, &Told::of(&model), engine.name);
            lost.extend(own.into_iter().map(|one| format!("{}: {one}\n{statements:#?}", engine.name)));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
