//! A table with a column of each type, which the tests of the bridges fill and query.

use isogloss_compiler::chrono::{DateTime, NaiveDate, NaiveTime};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_compiler::model::{Catalog, ColumnDef, TableDef};
use isogloss_compiler::uuid::Uuid;

/// Returns a catalog with the entity `Kind` in the table `table`: a nullable column of each type beside the key `Id`.
///
/// # Panics
///
/// Panics if the definition is not valid, which is a bug in this function.
#[must_use]
pub fn catalog(table: &str) -> Catalog {
    let table = TableDef::new("Kind")
        .table(table)
        .column(ColumnDef::new("Id", T::Int32).primary_key())
        .column(ColumnDef::new("Text", T::String).nullable())
        .column(ColumnDef::new("Paid", T::Boolean).nullable())
        .column(ColumnDef::new("Small", T::Int16).nullable())
        .column(ColumnDef::new("Big", T::Int64).nullable())
        .column(ColumnDef::new("Amount", T::Decimal).precision(38, 10).nullable())
        .column(ColumnDef::new("Ratio", T::Double).nullable())
        .column(ColumnDef::new("Day", T::Date).nullable())
        .column(ColumnDef::new("At", T::DateTime2).nullable())
        .column(ColumnDef::new("Instant", T::DateTimeOffset).nullable())
        .column(ColumnDef::new("Clock", T::Time).nullable())
        .column(ColumnDef::new("Token", T::Guid).nullable())
        .column(ColumnDef::new("Hash", T::Binary).length(8).nullable())
        .column(ColumnDef::new("Tags", DbType::array_of(T::String)).nullable());
    Catalog::builder().table(table).build().unwrap()
}

/// Returns a value of each type, with the name of its column in [`catalog`].
///
/// # Panics
///
/// Panics if a value does not parse, which is a bug in this function.
#[must_use]
pub fn values() -> Vec<(&'static str, Value)> {
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    let at = day.and_hms_micro_opt(10, 20, 30, 123_456).unwrap();
    vec![
        ("Text", r#"it's "a" \ ? $1 [b] :x @P1"#.into()),
        ("Paid", true.into()),
        ("Small", (-7).into()),
        ("Big", i64::MAX.into()),
        ("Amount", "1234567890123456789012345678.0123456789".parse::<Decimal>().unwrap().into()),
        ("Ratio", 0.1.into()),
        ("Day", day.into()),
        ("At", at.into()),
        ("Instant", DateTime::parse_from_rfc3339("2024-02-29T10:20:30.5+02:00").unwrap().into()),
        ("Clock", NaiveTime::from_hms_micro_opt(1, 2, 3, 4).unwrap().into()),
        ("Token", Uuid::from_u128(0x1234_5678_9abc_def0_1234_5678_9abc_def0).into()),
        ("Hash", Value::Bytes(vec![0, 39, 92, 255].into())),
    ]
}
