//! Types of an entity's fields.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{DbType, DbValueType as T, Decimal, Value};
use isogloss_driver::FromColumn;
use uuid::Uuid;

/// A type that a field of an entity can have.
///
/// It is implemented for numbers, texts, bytes, dates, UUIDs, [`Json`](super::Json), `Option` of each, and for enums
/// that derive `DbEnum`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no type of a column",
    label = "no column holds this",
    note = "derive `DbEnum` for an enum, write `#[column(json)]` for what serde reads and writes, or name a converter by `#[column(converter = ...)]`"
)]
pub trait Field: FromColumn + 'static {
    /// The type without `Option`, which values are compared as.
    type Base: Field;

    /// The type `O`, as an `Option` if this type is one: what is computed of NULL is NULL.
    type Like<O: Field>: Field;

    /// The type of the column, unless the attribute gives one.
    const TYPE: DbType;

    /// Whether the column may be NULL, unless the attribute says so.
    const NULLABLE: bool = false;

    /// The variants of an enumeration with their numbers; empty for any other type.
    const MEMBERS: &'static [(&'static str, i64)] = &[];

    /// The largest whole number of the type, limited to `i64`. A version column continues with 1 after it.
    const LAST: i64 = i64::MAX;

    /// The value to store in the column.
    ///
    /// # Errors
    /// The value cannot be stored.
    fn store(&self) -> Result<Value, FieldError>;

    /// Converts a value that was read from the database.
    ///
    /// # Errors
    /// The value is not one of this type.
    fn load(value: &Value) -> Result<Self, FieldError>;
}

/// A type whose order in SQL is that of Rust, so that `<` means the same in both.
///
/// An enum that is stored as text does not implement it: its column is ordered by names, and its Rust type by the order
/// of variants.
#[diagnostic::on_unimplemented(
    message = "SQL does not order values of `{Self}` as Rust does",
    label = "`<` would compare what is stored",
    note = "a text enum is stored by its names: ask `.is_in([..])`, or store it by its numbers, without `#[db_enum(text)]`"
)]
pub trait Ordered: Field {}

macro_rules! ordered {
    ($($ty:ty),*) => {$(
        impl Ordered for $ty {}
    )*};
}

ordered!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Decimal, String, Box<str>, Vec<u8>, Uuid);
ordered!(NaiveDate, NaiveTime, NaiveDateTime, DateTime<FixedOffset>, DateTime<Utc>, TimeDelta);

/// The type `T` of a result that is NULL as well where a value of `U` is: an `Option` if one of both is.
pub type NullWith<T, U> = <U as Field>::Like<T>;

/// A field that cannot be stored, or a value that does not fit a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FieldError {
    message: String,
}

impl FieldError {
    /// Creates an error with a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// The error for a column that does not exist.
    #[must_use]
    pub fn no_column(entity: &str, column: usize) -> Self {
        Self::new(format!("`{entity}` has no column {column}, counted from 0"))
    }

    /// A value of another kind than the field's.
    pub(super) fn wanted<F: FromColumn>(value: &Value) -> Self {
        Self::new(format!("{} is wanted, it is {}", F::WANTED, value.kind()))
    }
}

/// Converts between the type of a field and that of its column: `#[column(converter = Cents)]`.
pub trait Converter<F> {
    /// The type that is stored in the column.
    type Stored: Field;

    /// Converts the field's value to the column's.
    ///
    /// # Errors
    /// The value cannot be stored.
    fn store(field: &F) -> Result<Self::Stored, FieldError>;

    /// Converts the column's value to the field's.
    ///
    /// # Errors
    /// The column's value is not valid for the field.
    fn load(stored: Self::Stored) -> Result<F, FieldError>;
}

macro_rules! fields {
    ($($ty:ty, $db:ident $(to $last:expr)?, |$stored:ident| $store:expr, $pattern:pat => $load:expr;)*) => {$(
        impl Field for $ty {
            type Base = Self;
            type Like<O: Field> = O;

            const TYPE: DbType = DbType { base: T::$db, array: false };
            $(const LAST: i64 = $last as i64;)?

            fn store(&self) -> Result<Value, FieldError> {
                let $stored = self;
                Ok($store)
            }

            fn load(value: &Value) -> Result<Self, FieldError> {
                let load = |value: &Value| -> Option<Self> {
                    #[allow(unreachable_patterns, reason = "some take every value, and look for themselves")]
                    match value {
                        $pattern => $load,
                        _ => None,
                    }
                };
                load(value).ok_or_else(|| FieldError::wanted::<Self>(value))
            }
        }
    )*};
}

fields! {
    bool, Boolean, |v| (*v).into(), v => truth(v);
    i8, Int16 to i8::MAX, |v| (*v).into(), v => whole(v)?.try_into().ok();
    i16, Int16 to i16::MAX, |v| (*v).into(), v => whole(v)?.try_into().ok();
    i32, Int32 to i32::MAX, |v| (*v).into(), v => whole(v)?.try_into().ok();
    i64, Int64, |v| (*v).into(), v => whole(v)?.try_into().ok();
    u8, Byte to u8::MAX, |v| (*v).into(), v => whole(v)?.try_into().ok();
    u16, UInt16 to u16::MAX, |v| (*v).into(), v => whole(v)?.try_into().ok();
    u32, UInt32 to u32::MAX, |v| (*v).into(), v => whole(v)?.try_into().ok();
    u64, UInt64, |v| (*v).into(), v => whole(v)?.try_into().ok();
    f32, Single, |v| (*v).into(), v => single(float(v)?);
    f64, Double, |v| (*v).into(), v => float(v);
    Decimal, Decimal, |v| (*v).into(), v => decimal(v);
    String, String, |v| v.into(), Value::Text(v) => Some(v.as_str().to_owned());
    Box<str>, String, |v| (&**v).into(), Value::Text(v) => Some(v.as_str().into());
    Vec<u8>, Binary, |v| v.as_slice().into(), Value::Bytes(v) => Some(v.to_vec());
    NaiveDate, Date, |v| (*v).into(), Value::Date(v) => Some(*v);
    NaiveTime, Time, |v| (*v).into(), Value::Time(v) => Some(*v);
    NaiveDateTime, DateTime2, |v| (*v).into(), Value::DateTime(v) => Some(*v);
    DateTime<FixedOffset>, DateTimeOffset, |v| (*v).into(), Value::DateTimeOffset(v) => Some(*v);
    DateTime<Utc>, DateTimeOffset, |v| (*v).into(), Value::DateTimeOffset(v) => Some(v.to_utc());
    Uuid, Guid, |v| (*v).into(), v => uuid(v);
}

macro_rules! arrays {
    ($($item:ty)*) => {$(
        impl Ordered for Vec<$item> {}

        impl Field for Vec<$item> {
            type Base = Self;
            type Like<O: Field> = O;

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
    type Like<O: Field> = O;

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

// A column whose type the attribute gives, `#[column(type = "Decimal")] id: i64`, gives back a value of its own kind.

/// A whole number, whatever its kind.
fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some((*number).into()),
        Value::UInt(number) => Some((*number).into()),
        Value::Decimal(number) => {
            let text = number.to_string();
            let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
            if fraction.bytes().all(|digit| digit == b'0') { whole.parse().ok() } else { None }
        }
        _ => None,
    }
}

fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Decimal(number) => Some(**number),
        Value::Int(number) => Some((*number).into()),
        Value::UInt(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

#[allow(clippy::cast_precision_loss, reason = "the nearest one is meant")]
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Decimal(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// The nearest one; of a finite number that is too great there is none.
#[allow(clippy::cast_possible_truncation, reason = "it is looked at")]
fn single(number: f64) -> Option<f32> {
    let single = number as f32;
    (single.is_finite() || !number.is_finite()).then_some(single)
}

fn uuid(value: &Value) -> Option<Uuid> {
    match value {
        Value::Uuid(uuid) => Some(*uuid),
        Value::Text(text) => text.as_str().parse().ok(),
        Value::Bytes(bytes) => Uuid::from_slice(bytes).ok(),
        _ => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Int(0) => Some(false),
        Value::Int(1) => Some(true),
        _ => None,
    }
}

impl<F: Field> Field for Option<F> {
    type Base = F::Base;
    type Like<O: Field> = Option<O::Base>;

    const TYPE: DbType = F::TYPE;
    const NULLABLE: bool = true;
    const MEMBERS: &'static [(&'static str, i64)] = F::MEMBERS;
    const LAST: i64 = F::LAST;

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
