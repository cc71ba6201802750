//! Plain values.

use std::fmt;
use std::hash::{Hash, Hasher};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use compact_str::CompactString;
use uuid::Uuid;

use super::{DbValueType, Decimal, Items};

/// A value that is bound as a parameter or, as a constant of the program, written into the SQL text.
///
/// It has 24 bytes. A text of up to 24 bytes is stored inline; a longer `String` is moved without a copy.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Value {
    /// SQL's NULL.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number above `i64::MAX`.
    UInt(u64),
    /// A double. NaN and infinities are refused for engines that do not support them.
    Float(f64),
    /// An exact decimal number of up to 38 digits.
    Decimal(Box<Decimal>),
    /// Text.
    Text(CompactString),
    /// Bytes.
    Bytes(Box<[u8]>),
    /// A calendar date.
    Date(NaiveDate),
    /// A time of day. A leap second becomes the last microsecond before it, here and in what has a date: `23:59:59.999999`.
    Time(NaiveTime),
    /// A date and time without a zone.
    DateTime(NaiveDateTime),
    /// A date and time with its offset from UTC.
    DateTimeOffset(DateTime<FixedOffset>),
    /// A duration.
    TimeSpan(TimeDelta),
    /// A UUID.
    Uuid(Uuid),
    /// A JSON document, as text.
    Json(Box<str>),
    /// A list of values: the right side of `IN`, or an array.
    List(Items<Value>),
    /// Named values: the argument of a registered SQL fragment. It cannot be bound.
    Map(Items<(CompactString, Value)>),
}

impl Value {
    /// Whether this is NULL.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// Whether it owns nothing on the heap, as far as a look tells.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        match self {
            Value::Text(text) => !text.is_heap_allocated(),
            Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Null => true,
            _ => false,
        }
    }

    /// The name of the kind of value in messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) | Value::UInt(_) => "integer",
            Value::Float(_) => "float",
            Value::Decimal(_) => "decimal",
            Value::Text(_) => "text",
            Value::Bytes(_) => "bytes",
            Value::Date(_) => "date",
            Value::Time(_) => "time",
            Value::DateTime(_) => "datetime",
            Value::DateTimeOffset(_) => "datetime with offset",
            Value::TimeSpan(_) => "timespan",
            Value::Uuid(_) => "uuid",
            Value::Json(_) => "json",
            Value::List(_) => "list",
            Value::Map(_) => "map",
        }
    }

    /// Whether it is a text, or bytes, of no length. Oracle takes either for NULL.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Value::Text(text) => text.is_empty(),
            Value::Bytes(bytes) => bytes.is_empty(),
            _ => false,
        }
    }

    /// The same behind its article.
    pub(crate) fn a_kind(&self) -> String {
        let kind = self.kind();
        format!("{} {kind}", if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" })
    }

    /// What prints a value that has one text on every engine and in every notation, of letters, digits and hyphens: a UUID.
    pub fn word(&self) -> Option<&dyn fmt::Display> {
        match self {
            Value::Uuid(id) => Some(id),
            _ => None,
        }
    }

    /// The database type of the value; `None` for NULL, lists and maps.
    pub fn natural_type(&self) -> Option<DbValueType> {
        Some(match self {
            Value::Null | Value::List(_) | Value::Map(_) => return None,
            Value::Bool(_) => DbValueType::Boolean,
            Value::Int(_) => DbValueType::Int64,
            Value::UInt(_) => DbValueType::UInt64,
            Value::Float(_) => DbValueType::Double,
            Value::Decimal(_) => DbValueType::Decimal,
            Value::Text(_) => DbValueType::String,
            Value::Bytes(_) => DbValueType::Binary,
            Value::Date(_) => DbValueType::Date,
            Value::Time(_) | Value::TimeSpan(_) => DbValueType::Time,
            Value::DateTime(_) => DbValueType::DateTime2,
            Value::DateTimeOffset(_) => DbValueType::DateTimeOffset,
            Value::Uuid(_) => DbValueType::Guid,
            Value::Json(_) => DbValueType::Json,
        })
    }
}

/// Numbers compare across their types, as the tree's equality asks: `5`, `5.0` and decimal `5.00` are one value.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        use Value::{
            Bool, Bytes, Date, DateTime, DateTimeOffset, Decimal as Dec, Float, Int, Json, List, Map, Null, Text, Time,
            TimeSpan, UInt, Uuid,
        };
        match (self, other) {
            (Null, Null) => true,
            (Bool(a), Bool(b)) => a == b,
            (Text(a), Text(b)) => a == b,
            (Bytes(a), Bytes(b)) => a == b,
            (Date(a), Date(b)) => a == b,
            (Time(a), Time(b)) => a == b,
            (DateTime(a), DateTime(b)) => a == b,
            (DateTimeOffset(a), DateTimeOffset(b)) => a == b,
            (TimeSpan(a), TimeSpan(b)) => a == b,
            (Uuid(a), Uuid(b)) => a == b,
            (Json(a), Json(b)) => a == b,
            (List(a), List(b)) => a == b,
            (Map(a), Map(b)) => a == b,
            (Int(a), Int(b)) => a == b,
            (Float(a), Float(b)) => a.total_cmp(b).is_eq() || a == b,
            (Int(_) | UInt(_) | Float(_) | Dec(_), Int(_) | UInt(_) | Float(_) | Dec(_)) => {
                match (self.to_decimal(), other.to_decimal()) {
                    (Some(a), Some(b)) => a == b,
                    _ => false,
                }
            }
            _ => false,
        }
    }
}

impl Eq for Value {}

impl Value {
    /// The value as an exact decimal, if it is a number of at most 38 digits.
    pub fn to_decimal(&self) -> Option<Decimal> {
        match self {
            Value::Int(n) => Some(Decimal::from(*n)),
            Value::UInt(n) => Decimal::new(i128::from(*n), 0).ok(),
            Value::Float(n) if n.is_finite() => n.to_string().parse().ok(),
            Value::Decimal(n) => Some(**n),
            _ => None,
        }
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Value::Null => state.write_u8(0),
            Value::Bool(b) => (1_u8, b).hash(state),
            Value::Int(n) => (2_u8, n).hash(state),
            // What equals a whole number is hashed as one.
            Value::UInt(_) | Value::Float(_) | Value::Decimal(_) => match (self.to_decimal(), self) {
                (Some(n), _) => match n.to_i64() {
                    Some(n) => (2_u8, n).hash(state),
                    None => (15_u8, n).hash(state),
                },
                (None, Value::Float(n)) => (3_u8, n.to_bits()).hash(state),
                (None, _) => state.write_u8(3),
            },
            Value::Text(t) => (4_u8, t).hash(state),
            Value::Bytes(b) => (5_u8, b).hash(state),
            Value::Date(d) => (6_u8, d).hash(state),
            Value::Time(t) => (7_u8, t).hash(state),
            Value::DateTime(t) => (8_u8, t).hash(state),
            Value::DateTimeOffset(t) => (9_u8, t).hash(state),
            Value::TimeSpan(t) => (10_u8, t).hash(state),
            Value::Uuid(u) => (11_u8, u).hash(state),
            Value::Json(j) => (12_u8, j).hash(state),
            Value::List(l) => (13_u8, l).hash(state),
            Value::Map(m) => (14_u8, m).hash(state),
        }
    }
}

/// A time on the clock that all engines have: a leap second is the last microsecond before it.
///
/// Left as it is, it would be another moment on each: `24:00:00`, a second 60 in a text, the next day's midnight. It is a time
/// of more nanoseconds than a second has.
#[inline]
pub(crate) fn on_clock<T: Timelike + Copy>(time: T) -> T {
    if time.nanosecond() < 1_000_000_000 { time } else { time.with_nanosecond(999_999_000).unwrap_or(time) }
}

impl Value {
    /// What stands for a time that was made [without a conversion](on_clock), where that is another one.
    pub(crate) fn on_clock(&self) -> Option<Value> {
        let found = match self {
            Value::Time(time) => Value::from(*time),
            Value::DateTime(at) => Value::from(*at),
            Value::DateTimeOffset(at) => Value::from(*at),
            _ => return None,
        };
        Some(found).filter(|found| found != self)
    }
}

/// Conversions of whichever value is copied, into a kind of value that has the variants of [`Value`].
macro_rules! from_copied {
    ($of:ty) => {
        from_copied! { $of:
            bool => v => Self::Bool(v);
            i8 => v => Self::Int(v.into());
            i16 => v => Self::Int(v.into());
            i32 => v => Self::Int(v.into());
            i64 => v => Self::Int(v);
            u8 => v => Self::Int(v.into());
            u16 => v => Self::Int(v.into());
            u32 => v => Self::Int(v.into());
            u64 => v => i64::try_from(v).map_or(Self::UInt(v), Self::Int);
            f32 => v => Self::Float(v.into());
            f64 => v => Self::Float(v);
            chrono::NaiveDate => v => Self::Date(v);
            chrono::NaiveTime => v => Self::Time(crate::expr::on_clock(v));
            chrono::NaiveDateTime => v => Self::DateTime(crate::expr::on_clock(v));
            chrono::DateTime<chrono::FixedOffset> => v => Self::DateTimeOffset(crate::expr::on_clock(v));
            chrono::DateTime<chrono::Utc> => v => Self::DateTimeOffset(crate::expr::on_clock(v).fixed_offset());
            chrono::TimeDelta => v => Self::TimeSpan(v);
            uuid::Uuid => v => Self::Uuid(v);
        }
    };
    ($of:ty: $($from:ty => $value:ident => $make:expr;)*) => {$(
        impl From<$from> for $of {
            #[inline]
            fn from($value: $from) -> Self {
                $make
            }
        }
    )*};
}
pub(super) use from_copied;

from_copied!(Value);

from_copied! { Value:
    Decimal => v => Value::Decimal(Box::new(v));
    char => v => Value::Text(CompactString::new(v.encode_utf8(&mut [0; 4])));
    &str => v => Value::Text(CompactString::new(v));
    String => v => Value::Text(CompactString::from(v));
    &String => v => Value::Text(CompactString::new(v));
    CompactString => v => Value::Text(v);
    Vec<u8> => v => Value::Bytes(v.into_boxed_slice());
    &[u8] => v => Value::Bytes(v.into());
    Vec<Value> => v => Value::List(v.into());
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_small() {
        assert_eq!(size_of::<Value>(), 24);
    }

    #[test]
    fn a_leap_second_is_the_last_microsecond_before_it() {
        let last = NaiveTime::from_hms_micro_opt(23, 59, 59, 999_999).unwrap();
        let day = NaiveDate::from_ymd_opt(2016, 12, 31).unwrap();
        for nanos in [1_000_000_000, 1_500_000_000, 1_999_999_999] {
            let leap = last.with_nanosecond(nanos).unwrap();
            let (at, there) = (day.and_time(leap), FixedOffset::east_opt(3_600).unwrap());
            assert!(matches!(Value::from(leap), Value::Time(time) if time == last));
            assert!(matches!(Value::from(at), Value::DateTime(time) if time == day.and_time(last)));
            let instant = day.and_time(last).and_utc();
            assert_eq!(Value::from(at.and_utc()), Value::DateTimeOffset(instant.fixed_offset()));
            let at = at.and_utc().with_timezone(&there);
            assert!(
                matches!(Value::from(at), Value::DateTimeOffset(time) if time == instant && *time.offset() == there)
            );
            assert!(matches!(super::super::ValueRef::from(leap), super::super::ValueRef::Time(time) if time == last));
            assert_eq!(Value::Time(leap).on_clock(), Some(last.into()));
        }
        // As close to one as there is.
        let nearly = last.with_nanosecond(999_999_999).unwrap();
        assert!(matches!(Value::from(nearly), Value::Time(time) if time == nearly));
        assert_eq!(Value::Time(nearly).on_clock(), None);
    }

    #[test]
    fn numbers_compare_across_types() {
        assert_eq!(Value::from(5), Value::from(5.0));
        assert_eq!(Value::from(5), Value::from("5.00".parse::<Decimal>().unwrap()));
        assert_ne!(Value::from(5), Value::from("5"));
        assert_ne!(Value::from(i64::MAX), Value::from(u64::MAX));
    }
}
