//! Values of every type.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, TimeDelta, Timelike};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::{Flow, Result, Row, RowSink};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use uuid::Uuid;

/// Each type with its column, and values of it.
pub fn columns() -> Vec<(T, &'static str, BoxedStrategy<Value>)> {
    let micros = |time: NaiveTime| time.with_nanosecond(time.nanosecond() / 1000 * 1000).unwrap();
    let time = (0_u32..86_400, 0_u32..1_000_000)
        .prop_map(move |(s, us)| micros(NaiveTime::from_num_seconds_from_midnight_opt(s, us * 1000).unwrap()));
    let date = (1_i32..=9999, 1_u32..=366).prop_filter_map("a day", |(y, d)| NaiveDate::from_yo_opt(y, d));
    let at = (date.clone(), time.clone()).prop_map(|(date, time)| date.and_time(time));
    let offset = (at.clone(), -840_i32..=840).prop_filter_map("in range", |(at, minutes)| {
        let offset = FixedOffset::east_opt(minutes * 60)?;
        let there: DateTime<FixedOffset> = at.and_utc().with_timezone(&offset);
        Some(Value::DateTimeOffset(there))
    });
    let decimal = (any::<i128>(), 0_u8..=30).prop_filter_map("of 38 digits", |(mantissa, scale)| {
        // A column of DECIMAL(65, 30) has 35 digits before the point.
        Decimal::new(mantissa % 10_i128.pow(35), scale).ok()
    });
    let span = (-3_020_399_i64..=3_020_399).prop_map(|s| Value::TimeSpan(TimeDelta::seconds(s)));
    let text = prop_oneof!["[ -~]{0,40}", "\\PC{0,20}", Just("\0\\'\"`%_\n\r\x1a🦀é".to_owned())];
    let float = prop_oneof![any::<f64>(), Just(0.0), Just(-0.0), Just(f64::MAX), Just(f64::MIN_POSITIVE)];
    let single = any::<f32>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| Value::Float(n.into()));
    vec![
        (T::Boolean, "TINYINT(1)", any::<bool>().prop_map(Value::from).boxed()),
        (T::Int16, "SMALLINT", any::<i16>().prop_map(|n| i64::from(n).into()).boxed()),
        (T::Int32, "INT", any::<i32>().prop_map(|n| i64::from(n).into()).boxed()),
        (T::Int64, "BIGINT", any::<i64>().prop_map(Value::from).boxed()),
        (T::UInt64, "BIGINT UNSIGNED", any::<u64>().prop_map(Value::from).boxed()),
        (T::Double, "DOUBLE", float.prop_filter("finite", |n| n.is_finite()).prop_map(Value::Float).boxed()),
        (T::Single, "FLOAT", single.boxed()),
        (T::Decimal, "DECIMAL(65, 30)", decimal.prop_map(Value::from).boxed()),
        (T::String, "VARCHAR(200)", text.prop_map(Value::from).boxed()),
        (T::Binary, "VARBINARY(200)", prop::collection::vec(any::<u8>(), 0..100).prop_map(Value::from).boxed()),
        (T::Date, "DATE", date.prop_map(Value::Date).boxed()),
        (T::Time, "TIME(6)", prop_oneof![time.prop_map(Value::Time), span].boxed()),
        (T::DateTime2, "DATETIME(6)", at.prop_map(Value::DateTime).boxed()),
        (T::DateTimeOffset, "DATETIME(6)", offset.boxed()),
        (T::Guid, "CHAR(36)", any::<[u8; 16]>().prop_map(|b| Value::Uuid(Uuid::from_bytes(b))).boxed()),
        (T::Json, "JSON", "[a-z]{0,9}".prop_map(|text| Value::Json(format!(r#"{{"k": "{text}"}}"#).into())).boxed()),
    ]
}

/// Rows as values of known types.
pub struct Typed(pub Vec<DbType>, pub Vec<Vec<Value>>);

impl RowSink for Typed {
    fn row(&mut self, row: &dyn Row) -> Result<Flow> {
        self.1.push(self.0.iter().enumerate().map(|(index, ty)| row.value(index, Some(*ty))).collect::<Result<_>>()?);
        Ok(Flow::More)
    }
}

/// The same value, or the same moment.
pub fn same(sent: &Value, got: &Value) -> bool {
    match (sent, got) {
        (Value::Float(sent), Value::Float(got)) => sent == got,
        (Value::Decimal(sent), Value::Decimal(got)) => sent.normalize() == got.normalize(),
        (Value::DateTimeOffset(sent), Value::DateTimeOffset(got)) => sent == got,
        (Value::TimeSpan(_) | Value::Time(_), _) => sent == got || span(sent) == span(got),
        _ => sent == got,
    }
}

fn span(value: &Value) -> Option<TimeDelta> {
    match value {
        Value::Time(time) => Some(*time - NaiveTime::MIN),
        Value::TimeSpan(span) => Some(*span),
        _ => None,
    }
}

/// So many rows of such values, with NULLs among them.
pub fn sample(rows: usize) -> Vec<Vec<Value>> {
    let (columns, mut runner) = (columns(), TestRunner::new(Config::default()));
    let mut value = |row: usize, (place, (.., values)): (usize, &(T, &str, BoxedStrategy<Value>))| {
        let null = (row + place).is_multiple_of(10);
        if null { Value::Null } else { values.new_tree(&mut runner).unwrap().current() }
    };
    (0..rows).map(|row| columns.iter().enumerate().map(|column| value(row, column)).collect()).collect()
}

/// Every value came back as it went.
pub fn all_same(sent: &[Vec<Value>], got: &[Vec<Value>]) {
    assert_eq!(sent.len(), got.len());
    for (sent, got) in sent.iter().zip(got) {
        for ((sent, got), (ty, ..)) in sent.iter().zip(got).zip(&columns()) {
            assert!(same(sent, got), "{ty:?}: {sent:?} came back as {got:?}");
        }
    }
}
