use isogloss::expr::Decimal;
use isogloss::prelude::*;

#[derive(Entity)]
struct Identity {
    #[column(primary_key, identity)]
    id: String,
    #[column(identity, computed = "{Id} + 1")]
    second: i64,
}

#[derive(Entity)]
struct Two {
    #[column(primary_key, identity)]
    id: i64,
    #[column(identity(1, 1), timestamp)]
    no: i64,
    #[column(timestamp)]
    version: String,
}

#[derive(Entity)]
struct Key {
    #[column(primary_key)]
    id: Option<i64>,
    #[column(constant = 1, computed = "1")]
    one: i32,
    #[column(constant = "abc")]
    number: i32,
}

#[derive(Entity)]
struct Sizes {
    #[column(length = 5)]
    id: i64,
    #[column(lenght = 5)]
    name: String,
    #[column(precision = 4, scale = 6)]
    price: Decimal,
    #[column(scale = 6)]
    cost: Decimal,
    #[column(precision = 7)]
    sent: NaiveDateTime,
    #[column(precision = 3, scale = 1)]
    due: NaiveTime,
    #[column(precision = 3)]
    on: bool,
    #[column(type = "DateTime3")]
    at: String,
    #[column(json, converter = Conv)]
    doc: String,
    #[column(nullable, not_null)]
    note: Option<String>,
    #[column(mode = "reed")]
    mode: String,
    #[column(skip, index)]
    skipped: String,
    #[column(unique, unique)]
    unique: String,
}

#[derive(Entity)]
struct Twice {
    some_name: i64,
    #[column(property = "SomeName")]
    other: i64,
}

fn main() {}
