//! Values of every type.

#![allow(dead_code, clippy::panic, clippy::unwrap_used, reason = "each test takes what it needs")]

use std::ops::RangeInclusive;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{DbValueType as T, Decimal, Value};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use uuid::Uuid;

/// What an engine holds.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    /// Of days, by their number since the year 1.
    pub(crate) days: RangeInclusive<i32>,
    /// The least part of a second, in nanoseconds.
    pub(crate) nanos: u32,
    /// The greatest whole number.
    pub(crate) whole: u64,
    /// The digits of a decimal, and of those behind its point.
    pub(crate) decimal: (u32, u8),
    /// Floats that are no number, or endless.
    pub(crate) odd_floats: bool,
    /// Whether a text may have a zero byte.
    pub(crate) zero: bool,
    /// Whether the empty text is NULL.
    pub(crate) empty_is_null: bool,
}

impl Limits {
    pub(crate) const USUAL: Self = Self {
        days: 1..=3_652_059,
        nanos: 1_000,
        whole: u64::MAX,
        decimal: (38, 10),
        odd_floats: false,
        zero: true,
        empty_is_null: false,
    };
}

/// The types that a column may have everywhere.
pub(crate) const TYPES: [T; 22] = [
    T::Boolean,
    T::Byte,
    T::SByte,
    T::Int16,
    T::UInt16,
    T::Int32,
    T::UInt32,
    T::Int64,
    T::UInt64,
    T::Single,
    T::Double,
    T::Decimal,
    T::Currency,
    T::String,
    T::AnsiString,
    T::Binary,
    T::Date,
    T::Time,
    T::DateTime2,
    T::DateTimeOffset,
    T::Guid,
    T::Json,
];

/// Values of a type.
pub(crate) fn values(ty: T, limits: &Limits) -> BoxedStrategy<Value> {
    let (least, most) = (*limits.days.start(), *limits.days.end());
    let date = (least..=most).prop_filter_map("a day", NaiveDate::from_num_days_from_ce_opt);
    // A day from either end, so that an offset leads not beyond it.
    let inner = (least + 1..=most - 1).prop_filter_map("a day", NaiveDate::from_num_days_from_ce_opt);
    let nanos = limits.nanos;
    let time = (0..86_400_u32, 0..1_000_000_000 / nanos)
        .prop_filter_map("a time", move |(s, n)| NaiveTime::from_num_seconds_from_midnight_opt(s, n * nanos));
    let (digits, scale) = limits.decimal;
    let most = 10_i128.pow(digits);
    let decimal = (1 - most..most, 0..digits)
        .prop_filter_map("a decimal", move |(number, cut)| Decimal::new(number / 10_i128.pow(cut), scale).ok());
    let odd = limits.odd_floats;
    let text =
        prop_oneof!["[ -~]{1,40}", "\\PC{1,40}", Just("\0\\'\"`%_\n\r\t\u{1a}🦀é\\N".to_owned()), Just(String::new())];
    let (zero, empty) = (limits.zero, !limits.empty_is_null);
    let text = text.prop_filter("an empty text", move |text| empty || !text.is_empty());
    match ty {
        T::Boolean => any::<bool>().prop_map_into().boxed(),
        T::Byte => any::<u8>().prop_map_into().boxed(),
        T::SByte => any::<i8>().prop_map_into().boxed(),
        T::Int16 => any::<i16>().prop_map_into().boxed(),
        T::UInt16 => any::<u16>().prop_map_into().boxed(),
        T::Int32 => any::<i32>().prop_map_into().boxed(),
        T::UInt32 => any::<u32>().prop_map_into().boxed(),
        T::Int64 => any::<i64>().prop_map_into().boxed(),
        T::UInt64 => (0..=limits.whole).prop_map_into().boxed(),
        T::Single => any::<f32>().prop_filter("a number", move |n| odd || n.is_finite()).prop_map_into().boxed(),
        T::Double => any::<f64>().prop_filter("a number", move |n| odd || n.is_finite()).prop_map_into().boxed(),
        T::Decimal => decimal.prop_map_into().boxed(),
        // It has four digits behind its point.
        T::Currency => (1 - 10_i64.pow(digits.min(18))..10_i64.pow(digits.min(18)))
            .prop_filter_map("a sum", |n| Some(Value::from(Decimal::new(n.into(), 4).ok()?)))
            .boxed(),
        T::AnsiString => "[ -~]{1,100}".prop_map_into().boxed(),
        T::String => {
            text.prop_map(move |text| if zero { text } else { text.replace('\0', "") }).prop_map_into().boxed()
        }
        T::Binary => prop::collection::vec(any::<u8>(), 1..9_000).prop_map_into().boxed(),
        T::Date => date.prop_map_into().boxed(),
        T::Time => time.prop_map_into().boxed(),
        T::DateTime2 => (date, time).prop_map(|(date, time)| date.and_time(time).into()).boxed(),
        T::DateTimeOffset => (inner, time, -840..=840_i32)
            .prop_filter_map("a moment", |(date, time, minutes)| {
                let utc = DateTime::<Utc>::from_naive_utc_and_offset(date.and_time(time), Utc);
                Some(Value::from(utc.with_timezone(&FixedOffset::east_opt(minutes * 60)?)))
            })
            .boxed(),
        T::Guid => any::<[u8; 16]>().prop_map(|bytes| Uuid::from_bytes(bytes).into()).boxed(),
        T::Json | T::Jsonb => {
            "[a-zä ]{0,9}".prop_map(|text| Value::Json(format!(r#"{{"k": "{text}"}}"#).into())).boxed()
        }
        other => panic!("{other:?} is no type of a column everywhere"),
    }
}

/// So many rows of values, with NULLs among them.
pub(crate) fn sample(types: &[T], limits: &Limits, rows: usize) -> Vec<Vec<Value>> {
    let (mut runner, strategies) = (TestRunner::default(), types.iter().map(|ty| values(*ty, limits)));
    let strategies: Vec<_> = strategies.collect();
    let mut value = |row: usize, (place, values): (usize, &BoxedStrategy<Value>)| {
        let null = row == 0 || (row + place).is_multiple_of(10);
        if null { Value::Null } else { values.new_tree(&mut runner).unwrap().current() }
    };
    (0..rows).map(|row| strategies.iter().enumerate().map(|column| value(row, column)).collect()).collect()
}

/// Whether it is the same value, or the same moment.
pub(crate) fn same(sent: &Value, got: &Value) -> bool {
    let span = |value: &Value| match value {
        Value::Time(time) => Some(*time - NaiveTime::MIN),
        Value::TimeSpan(span) => Some(*span),
        _ => None::<TimeDelta>,
    };
    match (sent, got) {
        (Value::Decimal(sent), Value::Decimal(got)) => sent.normalize() == got.normalize(),
        (Value::DateTimeOffset(sent), Value::DateTimeOffset(got)) => sent == got,
        (Value::TimeSpan(_) | Value::Time(_), _) => span(sent) == span(got),
        _ => sent == got,
    }
}
