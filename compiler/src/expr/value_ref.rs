//! Values that are borrowed.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta};
use compact_str::CompactString;
use uuid::Uuid;

use super::value::from_copied;
use super::{Decimal, Value};

/// A value that is copied rather than owned: texts and bytes are borrowed. Rows of them cost no allocation a value.
///
/// It has 24 bytes. Each variant is that of [`Value`] with this name.
///
/// ```
/// use isogloss_compiler::expr::{Value, ValueRef};
/// let (name, age) = (String::from("Ann"), Some(31));
/// let row: [ValueRef<'_>; 3] = [name.as_str().into(), age.into(), ValueRef::Null];
/// assert_eq!(row.map(Value::from), ["Ann".into(), 31.into(), Value::Null]);
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
#[allow(missing_docs, reason = "they are those of `Value`")]
pub enum ValueRef<'v> {
    #[default]
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Decimal(&'v Decimal),
    Text(&'v str),
    Bytes(&'v [u8]),
    Date(NaiveDate),
    Time(NaiveTime),
    DateTime(NaiveDateTime),
    DateTimeOffset(DateTime<FixedOffset>),
    TimeSpan(TimeDelta),
    Uuid(Uuid),
    Json(&'v str),
    /// A value of another kind: a list.
    Other(&'v Value),
}

impl<'v> From<&'v Value> for ValueRef<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(v) => Self::Bool(*v),
            Value::Int(v) => Self::Int(*v),
            Value::UInt(v) => Self::UInt(*v),
            Value::Float(v) => Self::Float(*v),
            Value::Decimal(v) => Self::Decimal(v),
            Value::Text(v) => Self::Text(v),
            Value::Bytes(v) => Self::Bytes(v),
            Value::Date(v) => Self::Date(*v),
            Value::Time(v) => (*v).into(),
            Value::DateTime(v) => (*v).into(),
            Value::DateTimeOffset(v) => (*v).into(),
            Value::TimeSpan(v) => Self::TimeSpan(*v),
            Value::Uuid(v) => Self::Uuid(*v),
            Value::Json(v) => Self::Json(v),
            Value::List(_) | Value::Map(_) => Self::Other(value),
        }
    }
}

impl From<ValueRef<'_>> for Value {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Bool(v) => Self::Bool(v),
            ValueRef::Int(v) => Self::Int(v),
            ValueRef::UInt(v) => Self::UInt(v),
            ValueRef::Float(v) => Self::Float(v),
            ValueRef::Decimal(v) => (*v).into(),
            ValueRef::Text(v) => Self::Text(CompactString::new(v)),
            ValueRef::Bytes(v) => Self::Bytes(v.into()),
            ValueRef::Date(v) => Self::Date(v),
            ValueRef::Time(v) => v.into(),
            ValueRef::DateTime(v) => v.into(),
            ValueRef::DateTimeOffset(v) => v.into(),
            ValueRef::TimeSpan(v) => Self::TimeSpan(v),
            ValueRef::Uuid(v) => Self::Uuid(v),
            ValueRef::Json(v) => Self::Json(v.into()),
            ValueRef::Other(v) => v.clone(),
        }
    }
}

from_copied!(ValueRef<'_>);

macro_rules! from_borrowed {
    ($($from:ty => $variant:ident;)*) => {$(
        impl<'v> From<&'v $from> for ValueRef<'v> {
            #[inline]
            fn from(value: &'v $from) -> Self {
                Self::$variant(value)
            }
        }
    )*};
}

from_borrowed! {
    Decimal => Decimal;
    str => Text;
    String => Text;
    [u8] => Bytes;
    Vec<u8> => Bytes;
}

impl<'v, T: Into<ValueRef<'v>>> From<Option<T>> for ValueRef<'v> {
    #[inline]
    fn from(value: Option<T>) -> Self {
        value.map_or(ValueRef::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_small() {
        assert_eq!(size_of::<ValueRef<'_>>(), 24);
    }
}
