//! Random rows: NULL everywhere, numbers at their limits, texts that something may stumble over.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use isogloss_compiler::expr::{Decimal, Value};
use isogloss_compiler::model::Catalog;
use uuid::Uuid;

use super::{Choices, catalog};
use crate::data::{Data, TableData};
use crate::evaluator::Kind;

/// Texts that differ in case, in blanks at an end, in characters that mean something to LIKE, GLOB, JSON or SQL.
const TEXTS: [&str; 44] = [
    "a",
    "",
    " ",
    "A",
    "ab",
    "aB",
    "a ",
    " a",
    "b",
    "%",
    "a%b",
    "_",
    "a_b",
    "\\",
    "a\\%",
    "it's",
    "\"",
    "日本",
    "a日",
    "😀b",
    "[a]",
    "*",
    "a?c",
    "10",
    "null",
    "a\tb",
    "'; DROP TABLE x; --",
    "''",
    "/*a*/",
    "-- a",
    ":a",
    "?",
    "$1",
    "@p0",
    "{0}",
    "`a`",
    "a\nb",
    "\\'",
    "a\\",
    "\\n",
    "e\u{301}",
    "👩\u{200d}🚀",
    "%%",
    "$$a$$",
];

/// More letters than a plain text of Oracle or SQL Server has room for.
pub(crate) const LONG_TEXT: &str = match std::str::from_utf8(&[b'a'; 5_000]) {
    Ok(text) => text,
    Err(_) => "",
};

/// The rows of every table.
pub fn rows(catalog: &Catalog, choices: &mut Choices<'_>) -> Data {
    catalog::TABLES.iter().filter_map(|name| table(catalog, name, choices)).collect()
}

fn table(catalog: &Catalog, name: &str, choices: &mut Choices<'_>) -> Option<TableData> {
    let (_, entity) = catalog.entity(name)?;
    let columns = entity.columns.iter().map(|column| column.name.as_str().to_owned()).collect();
    let count = choices.between(0, 9);
    let row = |id: i64, choices: &mut Choices<'_>| {
        let cell = |column: &isogloss_compiler::model::Column| match (column.name.as_str(), Kind::of_type(column.ty)) {
            ("Id", _) => id.into(),
            // Of a Person's boss, one that is there already.
            ("BossId", _) if id == 1 || choices.chance(30) => Value::Null,
            ("BossId", _) => choices.between(1, id - 1).into(),
            ("State", _) => i64::from(!choices.chance(25)).into(),
            ("Tenant", _) if choices.chance(8) => Value::Null,
            ("Tenant", _) => choices.pick(&[1, 1, 1, 2, 2, 3]).into(),
            ("Gone", _) => choices.chance(25).into(),
            _ if column.nullable && choices.chance(25) => Value::Null,
            ("TeamId" | "PersonId", _) => choices.between(1, 9).into(),
            ("Big", _) => {
                choices.pick(&[7, i64::MAX, i64::MIN, 0, -1, i64::from(i32::MAX) + 1, 9_007_199_254_740_993]).into()
            }
            (_, Some(kind)) => value(choices, kind),
            _ => Value::Null,
        };
        entity.columns.iter().map(cell).collect()
    };
    let rows = (1..=count).map(|id| row(id, choices)).collect();
    Some(TableData { entity: name.to_owned(), columns, rows })
}

/// A value of a kind.
pub(crate) fn value(choices: &mut Choices<'_>, kind: Kind) -> Value {
    match kind {
        Kind::Int => small(choices).into(),
        Kind::Decimal => quarters(choices).map_or(Value::Null, Value::from),
        Kind::Float => quarters(choices).map_or(Value::Null, |number| number.to_f64().into()),
        Kind::Bool => choices.chance(50).into(),
        Kind::Date => date(choices).into(),
        Kind::DateTime => datetime(choices).into(),
        Kind::Guid => Uuid::from_u128(u128::from(choices.below(4).to_le_bytes()[0]) << 64 | 0xa1).into(),
        _ => text(choices).into(),
    }
}

/// A whole number of at most 10 bits.
pub(crate) fn small(choices: &mut Choices<'_>) -> i64 {
    match choices.below(3) {
        0 => choices.between(0, 5),
        1 => choices.pick(&[-1, -2, 10, 100, -100, 999, -7]),
        _ => choices.between(-20, 40),
    }
}

/// A multiple of a quarter, of at most 12 bits.
pub(crate) fn quarters(choices: &mut Choices<'_>) -> Option<Decimal> {
    let number = small(choices);
    Decimal::new(i128::from(number * 100 + choices.pick(&[0, 50, 25, 75]) * number.signum()), 2).ok()
}

pub(crate) fn text(choices: &mut Choices<'_>) -> &'static str {
    choices.pick(&TEXTS)
}

pub(crate) fn date(choices: &mut Choices<'_>) -> NaiveDate {
    let days = [
        (2024, 2, 29),
        (2024, 1, 31),
        (2023, 12, 31),
        (2024, 1, 1),
        (2000, 1, 1),
        (1999, 12, 31),
        (1970, 1, 1),
        (1969, 12, 31),
        (2038, 1, 19),
        (1901, 3, 1),
        (2100, 2, 28),
        (2024, 6, 30),
    ];
    let (year, month, day) = choices.pick(&days);
    NaiveDate::from_ymd_opt(year, month, day).unwrap_or_default()
}

pub(crate) fn datetime(choices: &mut Choices<'_>) -> NaiveDateTime {
    let micros = choices.pick(&[0, 86_399_999_999, 1, 43_200_000_000, 3_599_500_000, 36_610_123_456, 1_000_000]);
    date(choices).and_time(NaiveTime::MIN) + TimeDelta::microseconds(micros)
}
