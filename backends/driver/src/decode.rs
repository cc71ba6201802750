//! From a row to the caller's types.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use isogloss_compiler::expr::{Decimal, Value};
use uuid::Uuid;

use crate::{ErrorKind, Result, Row};

/// A type that a column is read as. `Option` of it takes NULL; without, NULL is an error that names the column.
pub trait FromColumn: Sized {
    /// What a message calls it.
    const WANTED: &'static str;

    /// Reads a column; `None` is NULL.
    ///
    /// # Errors
    /// The column holds something else, or a number out of range.
    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>>;

    /// Reads a column that is never NULL.
    ///
    /// # Errors
    /// As [`read`](Self::read), and for NULL.
    fn required(row: &dyn Row, index: usize) -> Result<Self> {
        Self::read(row, index)?.ok_or_else(|| row.bad(index, Self::WANTED))
    }
}

/// A type that a row is read as: tuples of up to twelve columns, and what derives it.
pub trait FromRow: Sized {
    /// Reads a row.
    ///
    /// # Errors
    /// The first column that does not fit.
    fn from_row(row: &dyn Row) -> Result<Self>;
}

macro_rules! columns {
    ($($ty:ty, $wanted:literal, $method:ident $(, $convert:expr)?;)*) => {$(
        impl FromColumn for $ty {
            const WANTED: &'static str = $wanted;

            #[inline]
            fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
                let value = row.$method(index)?;
                $(let value = match value {
                    None => None,
                    Some(value) => Some($convert(value).ok_or_else(|| row.bad(index, $wanted))?),
                };)?
                Ok(value)
            }
        }
    )*};
}

columns! {
    bool, "a truth value", bool;
    i64, "a whole number", i64;
    i32, "a whole number of 32 bits", i64, |n| i32::try_from(n).ok();
    i16, "a whole number of 16 bits", i64, |n| i16::try_from(n).ok();
    i8, "a whole number of 8 bits", i64, |n| i8::try_from(n).ok();
    u64, "a whole number that is not negative", u64;
    u32, "a whole number of 32 bits that is not negative", u64, |n| u32::try_from(n).ok();
    u16, "a whole number of 16 bits that is not negative", u64, |n| u16::try_from(n).ok();
    u8, "a whole number of 8 bits that is not negative", u64, |n| u8::try_from(n).ok();
    f64, "a number", f64;
    f32, "a number", f64, single;
    Decimal, "a decimal", decimal;
    String, "text", text, |text: &str| Some(text.to_owned());
    Box<str>, "text", text, |text: &str| Some(text.into());
    Vec<u8>, "bytes", bytes, |bytes: &[u8]| Some(bytes.to_vec());
    NaiveDate, "a date", date;
    NaiveTime, "a time", time;
    NaiveDateTime, "a date and time", datetime;
    DateTime<FixedOffset>, "a date and time with an offset", datetime_offset;
    DateTime<Utc>, "a date and time with an offset", datetime_offset, |at: DateTime<FixedOffset>| Some(at.to_utc());
    Uuid, "a UUID", uuid;
}

/// A float of 32 bits; infinite only where the number is.
#[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant, and an overflow is looked for")]
fn single(number: f64) -> Option<f32> {
    let single = number as f32;
    (single.is_finite() || !number.is_finite()).then_some(single)
}

impl<T: FromColumn> FromColumn for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
        T::read(row, index).map(Some)
    }
}

impl FromColumn for Value {
    const WANTED: &'static str = "a value";

    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
        row.own_value(index).map(Some)
    }
}

impl FromRow for Vec<Value> {
    fn from_row(row: &dyn Row) -> Result<Self> {
        (0..row.len()).map(|index| row.own_value(index)).collect()
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:literal),+) $count:literal;)*) => {$(
        impl<$($name: FromColumn),+> FromRow for ($($name,)+) {
            fn from_row(row: &dyn Row) -> Result<Self> {
                if row.len() != $count {
                    let message = format!("the row has {} columns, {} are read", row.len(), $count);
                    return Err(crate::Error::new(ErrorKind::Decode, message));
                }
                Ok(($($name::required(row, $index)?,)+))
            }
        }
    )*};
}

tuples! {
    (A 0) 1;
    (A 0, B 1) 2;
    (A 0, B 1, C 2) 3;
    (A 0, B 1, C 2, D 3) 4;
    (A 0, B 1, C 2, D 3, E 4) 5;
    (A 0, B 1, C 2, D 3, E 4, F 5) 6;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6) 7;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7) 8;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8) 9;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9) 10;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10) 11;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11) 12;
}
