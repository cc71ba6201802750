//! What a field of an entity may be.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::FromColumn;
use uuid::Uuid;

/// A type that a column's values have in Rust.
///
/// Implemented for numbers, texts, bytes, dates, UUIDs, [`Json`](super::Json), `Option` of each, and what derives
/// `DbEnum`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a column",
    label = "no column holds this",
    note = "derive `DbEnum` for an enum, write `#[column(json)]` for what serde reads and writes, or name a converter by `#[column(converter = ...)]`"
)]
pub trait Field: FromColumn + 'static {
    /// The type without `Option`: what a value is compared as.
    type Base: Field;

    /// The type of the column, if the attribute gives none.
    const TYPE: DbType;

    /// Whether the column holds NULL, if the attribute says nothing.
    const NULLABLE: bool = false;

    /// The names of an enumeration with their numbers; of anything else there are none.
    const MEMBERS: &'static [(&'static str, i64)] = &[];

    /// What is stored.
    ///
    /// # Errors
    /// The value cannot be stored.
    fn store(&self) -> Result<Value, FieldError>;

    /// The same from what the database gave: after an insert, say.
    ///
    /// # Errors
    /// It is no value of this type.
    fn load(value: &Value) -> Result<Self, FieldError>;
}

/// A field that cannot be stored, or a value that a field cannot take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FieldError {
    message: String,
}

impl FieldError {
    /// An error that says what is wrong.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// There is no such column.
    #[must_use]
    pub fn no_column(entity: &str, column: usize) -> Self {
        Self::new(format!("`{entity}` has no column {column}, counted from 0"))
    }

    /// A value of another kind than the field's.
    pub(super) fn wanted<F: FromColumn>(value: &Value) -> Self {
        Self::new(format!("{} is wanted, it is {}", F::WANTED, value.kind()))
    }
}

/// Makes of a field of another type what a column stores: `#[column(converter = Cents)]`.
pub trait Converter<F> {
    /// What the column stores.
    type Stored: Field;

    /// From the field to the column.
    ///
    /// # Errors
    /// The value cannot be stored.
    fn store(field: &F) -> Result<Self::Stored, FieldError>;

    /// From the column to the field.
    ///
    /// # Errors
    /// The column's value is none of the field's.
    fn load(stored: Self::Stored) -> Result<F, FieldError>;
}

macro_rules! fields {
    ($($ty:ty, $db:ident, |$stored:ident| $store:expr, $pattern:pat => $load:expr;)*) => {$(
        impl Field for $ty {
            type Base = Self;

            const TYPE: DbType = DbType { base: T::$db, array: false };

            fn store(&self) -> Result<Value, FieldError> {
                let $stored = self;
                Ok($store)
            }

            fn load(value: &Value) -> Result<Self, FieldError> {
                let loaded: Option<Self> = match value {
                    $pattern => $load,
                    _ => None,
                };
                loaded.ok_or_else(|| FieldError::wanted::<Self>(value))
            }
        }
    )*};
}

fields! {
    bool, Boolean, |v| (*v).into(), Value::Bool(v) => Some(*v);
    i8, Int16, |v| (*v).into(), Value::Int(v) => (*v).try_into().ok();
    i16, Int16, |v| (*v).into(), Value::Int(v) => (*v).try_into().ok();
    i32, Int32, |v| (*v).into(), Value::Int(v) => (*v).try_into().ok();
    i64, Int64, |v| (*v).into(), Value::Int(v) => Some(*v);
    u8, Byte, |v| (*v).into(), Value::Int(v) => (*v).try_into().ok();
    u16, UInt16, |v| (*v).into(), Value::Int(v) => (*v).try_into().ok();
    u32, UInt32, |v| (*v).into(), Value::Int(v) => (*v).try_into().ok();
    f64, Double, |v| (*v).into(), Value::Float(v) => Some(*v);
    Decimal, Decimal, |v| (*v).into(), Value::Decimal(v) => Some(**v);
    String, String, |v| v.into(), Value::Text(v) => Some(v.as_str().to_owned());
    Box<str>, String, |v| (&**v).into(), Value::Text(v) => Some(v.as_str().into());
    Vec<u8>, Binary, |v| v.as_slice().into(), Value::Bytes(v) => Some(v.to_vec());
    NaiveDate, Date, |v| (*v).into(), Value::Date(v) => Some(*v);
    NaiveTime, Time, |v| (*v).into(), Value::Time(v) => Some(*v);
    NaiveDateTime, DateTime2, |v| (*v).into(), Value::DateTime(v) => Some(*v);
    DateTime<FixedOffset>, DateTimeOffset, |v| (*v).into(), Value::DateTimeOffset(v) => Some(*v);
    DateTime<Utc>, DateTimeOffset, |v| (*v).into(), Value::DateTimeOffset(v) => Some(v.to_utc());
    Uuid, Guid, |v| (*v).into(), Value::Uuid(v) => Some(*v);
}

macro_rules! arrays {
    ($($item:ty)*) => {$(
        impl Field for Vec<$item> {
            type Base = Self;

            const TYPE: DbType = DbType { base: <$item as Field>::TYPE.base, array: true };

            fn store(&self) -> Result<Value, FieldError> {
                let items = self.iter().map(Field::store).collect::<Result<Vec<Value>, FieldError>>()?;
                Ok(items.into())
            }

            fn load(value: &Value) -> Result<Self, FieldError> {
                match value {
                    Value::List(items) => items.iter().map(<$item as Field>::load).collect(),
                    _ => Err(FieldError::wanted::<Self>(value)),
                }
            }
        }
    )*};
}

// Columns of arrays, which PostgreSQL has. A list that any engine stores is `#[column(json)]`.
arrays! { bool i16 i32 i64 f64 Decimal String NaiveDate NaiveDateTime Uuid }

/// A span of time is stored as a number of 100 ns ticks.
impl Field for TimeDelta {
    type Base = Self;

    const TYPE: DbType = DbType { base: T::Int64, array: false };

    fn store(&self) -> Result<Value, FieldError> {
        Ok((*self).into())
    }

    fn load(value: &Value) -> Result<Self, FieldError> {
        match value {
            Value::TimeSpan(span) => Ok(*span),
            Value::Int(ticks) => Ok(Self::microseconds(ticks / 10) + Self::nanoseconds(ticks % 10 * 100)),
            _ => Err(FieldError::wanted::<Self>(value)),
        }
    }
}

impl Field for u64 {
    type Base = Self;

    const TYPE: DbType = DbType { base: T::UInt64, array: false };

    fn store(&self) -> Result<Value, FieldError> {
        Ok((*self).into())
    }

    fn load(value: &Value) -> Result<Self, FieldError> {
        let loaded = match value {
            Value::Int(v) => (*v).try_into().ok(),
            Value::UInt(v) => Some(*v),
            _ => None,
        };
        loaded.ok_or_else(|| FieldError::wanted::<Self>(value))
    }
}

impl Field for f32 {
    type Base = Self;

    const TYPE: DbType = DbType { base: T::Single, array: false };

    fn store(&self) -> Result<Value, FieldError> {
        Ok((*self).into())
    }

    #[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant")]
    fn load(value: &Value) -> Result<Self, FieldError> {
        match value {
            Value::Float(v) => Ok(*v as f32),
            _ => Err(FieldError::wanted::<Self>(value)),
        }
    }
}

impl<F: Field> Field for Option<F> {
    type Base = F::Base;

    const TYPE: DbType = F::TYPE;
    const NULLABLE: bool = true;
    const MEMBERS: &'static [(&'static str, i64)] = F::MEMBERS;

    fn store(&self) -> Result<Value, FieldError> {
        self.as_ref().map_or(Ok(Value::Null), Field::store)
    }

    fn load(value: &Value) -> Result<Self, FieldError> {
        match value {
            Value::Null => Ok(None),
            value => F::load(value).map(Some),
        }
    }
}
