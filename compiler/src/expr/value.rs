//! Plain values, and the database types they take.

use std::hash::{Hash, Hasher};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use compact_str::CompactString;
use uuid::Uuid;

use super::{Decimal, Items};

/// A value that is bound to a parameter or, as a constant of the program, written into the text.
///
/// 24 bytes. Text of up to 24 bytes is held in place; a longer `String` is taken over without a copy.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum Value {
    /// SQL's NULL.
    #[default]
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number over `i64::MAX`.
    UInt(u64),
    /// A double. NaN and infinities are refused when they are bound to an engine that lacks them.
    Float(f64),
    /// An exact number of up to 38 digits.
    Decimal(Box<Decimal>),
    /// Text.
    Text(CompactString),
    /// Bytes.
    Bytes(Box<[u8]>),
    /// A calendar date.
    Date(NaiveDate),
    /// A time of day.
    Time(NaiveTime),
    /// A date and time without a zone.
    DateTime(NaiveDateTime),
    /// A date and time with its offset from UTC.
    DateTimeOffset(DateTime<FixedOffset>),
    /// A span of time.
    TimeSpan(TimeDelta),
    /// A UUID.
    Uuid(Uuid),
    /// A JSON document, as its text.
    Json(Box<str>),
    /// A list of values: the right side of `IN`, or an array.
    List(Items<Value>),
    /// Named values: the argument of a registered SQL fragment. It is never bound.
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

    /// What a message calls a value of this kind.
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

    /// The database type that the value has by itself, or `None` for NULL, lists and maps.
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
    /// The exact number, if it is one that has at most 38 digits.
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
            Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Decimal(_) => match self.to_decimal() {
                Some(n) => (2_u8, n).hash(state),
                None => state.write_u8(3),
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

macro_rules! value_from {
    ($($from:ty => $value:ident => $make:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                $make
            }
        }
    )*};
}

value_from! {
    bool => v => Value::Bool(v);
    i8 => v => Value::Int(v.into());
    i16 => v => Value::Int(v.into());
    i32 => v => Value::Int(v.into());
    i64 => v => Value::Int(v);
    u8 => v => Value::Int(v.into());
    u16 => v => Value::Int(v.into());
    u32 => v => Value::Int(v.into());
    u64 => v => i64::try_from(v).map_or(Value::UInt(v), Value::Int);
    f32 => v => Value::Float(v.into());
    f64 => v => Value::Float(v);
    Decimal => v => Value::Decimal(Box::new(v));
    char => v => Value::Text(compact_str::ToCompactString::to_compact_string(&v));
    &str => v => Value::Text(CompactString::new(v));
    String => v => Value::Text(CompactString::from(v));
    &String => v => Value::Text(CompactString::new(v));
    CompactString => v => Value::Text(v);
    Vec<u8> => v => Value::Bytes(v.into_boxed_slice());
    &[u8] => v => Value::Bytes(v.into());
    NaiveDate => v => Value::Date(v);
    NaiveTime => v => Value::Time(v);
    NaiveDateTime => v => Value::DateTime(v);
    DateTime<FixedOffset> => v => Value::DateTimeOffset(v);
    DateTime<chrono::Utc> => v => Value::DateTimeOffset(v.fixed_offset());
    TimeDelta => v => Value::TimeSpan(v);
    Uuid => v => Value::Uuid(v);
    Vec<Value> => v => Value::List(v.into());
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// The database types of the specification, with its numbers.
///
/// The specification's `Array` flag (128) is [`DbType::array`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the names are the specification's and say it all")]
pub enum DbValueType {
    AnsiString = 0,
    Binary = 1,
    Byte = 2,
    Boolean = 3,
    Currency = 4,
    Date = 5,
    DateTime = 6,
    Decimal = 7,
    Double = 8,
    Guid = 9,
    Int16 = 10,
    Int32 = 11,
    Int64 = 12,
    Object = 13,
    SByte = 14,
    Single = 15,
    #[default]
    String = 16,
    Time = 17,
    UInt16 = 18,
    UInt32 = 19,
    UInt64 = 20,
    VarNumeric = 21,
    AnsiStringFixedLength = 22,
    StringFixedLength = 23,
    Xml = 25,
    DateTime2 = 26,
    DateTimeOffset = 27,
    Json = 28,
    Jsonb = 29,
}

impl DbValueType {
    /// Every type, in the order of its number.
    pub const ALL: [DbValueType; 29] = {
        use DbValueType as T;
        [
            T::AnsiString,
            T::Binary,
            T::Byte,
            T::Boolean,
            T::Currency,
            T::Date,
            T::DateTime,
            T::Decimal,
            T::Double,
            T::Guid,
            T::Int16,
            T::Int32,
            T::Int64,
            T::Object,
            T::SByte,
            T::Single,
            T::String,
            T::Time,
            T::UInt16,
            T::UInt32,
            T::UInt64,
            T::VarNumeric,
            T::AnsiStringFixedLength,
            T::StringFixedLength,
            T::Xml,
            T::DateTime2,
            T::DateTimeOffset,
            T::Json,
            T::Jsonb,
        ]
    };

    /// The specification's name.
    pub fn name(self) -> &'static str {
        use DbValueType as T;
        match self {
            T::AnsiString => "AnsiString",
            T::Binary => "Binary",
            T::Byte => "Byte",
            T::Boolean => "Boolean",
            T::Currency => "Currency",
            T::Date => "Date",
            T::DateTime => "DateTime",
            T::Decimal => "Decimal",
            T::Double => "Double",
            T::Guid => "Guid",
            T::Int16 => "Int16",
            T::Int32 => "Int32",
            T::Int64 => "Int64",
            T::Object => "Object",
            T::SByte => "SByte",
            T::Single => "Single",
            T::String => "String",
            T::Time => "Time",
            T::UInt16 => "UInt16",
            T::UInt32 => "UInt32",
            T::UInt64 => "UInt64",
            T::VarNumeric => "VarNumeric",
            T::AnsiStringFixedLength => "AnsiStringFixedLength",
            T::StringFixedLength => "StringFixedLength",
            T::Xml => "Xml",
            T::DateTime2 => "DateTime2",
            T::DateTimeOffset => "DateTimeOffset",
            T::Json => "Json",
            T::Jsonb => "Jsonb",
        }
    }

    /// The type of that name, ignoring case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.name().eq_ignore_ascii_case(name))
    }

    /// The type of that number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|t| *t as u8 == number)
    }

    /// Whether it is a whole number type.
    pub fn is_integer(self) -> bool {
        use DbValueType as T;
        matches!(self, T::Byte | T::SByte | T::Int16 | T::Int32 | T::Int64 | T::UInt16 | T::UInt32 | T::UInt64)
    }

    /// Whether it is an exact number with digits after the point.
    pub fn is_decimal(self) -> bool {
        matches!(self, DbValueType::Decimal | DbValueType::Currency | DbValueType::VarNumeric)
    }

    /// Whether it is a binary floating-point number.
    pub fn is_float(self) -> bool {
        matches!(self, DbValueType::Double | DbValueType::Single)
    }

    /// Whether it is a number of any kind.
    pub fn is_number(self) -> bool {
        self.is_integer() || self.is_decimal() || self.is_float()
    }

    /// Whether it is text.
    pub fn is_text(self) -> bool {
        use DbValueType as T;
        matches!(self, T::String | T::AnsiString | T::AnsiStringFixedLength | T::StringFixedLength | T::Xml)
    }

    /// Whether it is text of one code page.
    pub fn is_ansi(self) -> bool {
        matches!(self, DbValueType::AnsiString | DbValueType::AnsiStringFixedLength)
    }

    /// Whether it has a calendar date.
    pub fn is_date(self) -> bool {
        use DbValueType as T;
        matches!(self, T::Date | T::DateTime | T::DateTime2 | T::DateTimeOffset)
    }

    /// Whether it has seconds: a time of day, and a date with one.
    pub fn has_seconds(self) -> bool {
        self == DbValueType::Time || self.is_date() && self != DbValueType::Date
    }
}

/// A database type: the scalar, and whether it is an array of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DbType {
    /// The scalar or element type.
    pub base: DbValueType,
    /// Whether it is an array of them.
    pub array: bool,
}

impl DbType {
    /// An array of `base`.
    pub const fn array_of(base: DbValueType) -> Self {
        Self { base, array: true }
    }

    /// The specification's number: the scalar's, with 128 added for an array.
    pub fn number(self) -> u8 {
        self.base as u8 | if self.array { 128 } else { 0 }
    }
}

impl From<DbValueType> for DbType {
    fn from(base: DbValueType) -> Self {
        Self { base, array: false }
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
    fn numbers_compare_across_types() {
        assert_eq!(Value::from(5), Value::from(5.0));
        assert_eq!(Value::from(5), Value::from("5.00".parse::<Decimal>().unwrap()));
        assert_ne!(Value::from(5), Value::from("5"));
        assert_ne!(Value::from(i64::MAX), Value::from(u64::MAX));
    }

    #[test]
    fn types_are_found_by_name_and_number() {
        for ty in DbValueType::ALL {
            assert_eq!(DbValueType::from_name(&ty.name().to_lowercase()), Some(ty));
            assert_eq!(DbValueType::from_number(ty as u8), Some(ty));
        }
    }
}
