//! Decodes rows into the caller's types.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{Decimal, Value};
use uuid::Uuid;

use crate::{ErrorKind, Result, Row};

/// A type that a column can be read as. `Option<T>` reads NULL as `None`; for any other type NULL is an error that
/// names the column.
pub trait FromColumn: Sized {
    /// What error messages call the type.
    const WANTED: &'static str;

    /// Reads a column; `None` is NULL.
    ///
    /// # Errors
    /// The column holds something else, or a number that is out of range.
    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>>;

    /// Reads a column that must not be NULL.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), and NULL.
    fn required(row: &dyn Row, index: usize) -> Result<Self> {
        Self::read(row, index)?.ok_or_else(|| row.bad(index, Self::WANTED))
    }
}

/// A type that a row can be read as. Tuples of up to twelve [columns](FromColumn) implement it, each type of a column
/// for a row of one column, and structs with `#[derive(FromRow)]`.
#[diagnostic::on_unimplemented(
    message = "no row is read as `{Self}`",
    label = "the type of the rows is none that is read",
    note = "derive `FromRow` for a struct; a query over several tables says by `select(..)` what its rows are, and an item that is only named, such as `\"Name\"`, has no type"
)]
pub trait FromRow: Sized {
    /// Reads a row.
    ///
    /// # Errors
    /// The first column that does not fit.
    fn from_row(row: &dyn Row) -> Result<Self>;

    /// Reads one of several rows of a result. What `layout` has recorded about their columns at the first row is reused
    /// for the others, so that names are looked up once.
    ///
    /// # Errors
    /// Those of [`from_row`](Self::from_row).
    fn from_next_row(row: &dyn Row, _: &mut Layout) -> Result<Self> {
        Self::from_row(row)
    }

    /// The place of a field among all fields, and the name of the column that it is read from: what a query that selects
    /// the struct calls it. `None` if there is no such field, or its column has the field's name.
    #[must_use]
    fn column_of(_field: &str) -> Option<(usize, &'static str)> {
        None
    }
}

/// Reads each row of a result as a value: a [`Layout`], which reads by [`FromRow`], or a closure.
pub trait ReadRow<T>: Send + 'static {
    /// Reads the next row.
    ///
    /// # Errors
    /// The row does not fit.
    fn read(&mut self, row: &dyn Row) -> Result<T>;
}

impl<T: FromRow> ReadRow<T> for Layout {
    fn read(&mut self, row: &dyn Row) -> Result<T> {
        T::from_next_row(row, self)
    }
}

impl<T, F: FnMut(&dyn Row) -> Result<T> + Send + 'static> ReadRow<T> for F {
    fn read(&mut self, row: &dyn Row) -> Result<T> {
        self(row)
    }
}

/// What is known about the columns of a result: whether they come in the order in which they are read by name.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    seen: bool,
    mixed: bool,
}

impl Layout {
    /// The layout of a result whose columns are known to be in order.
    #[must_use]
    pub fn in_order() -> Self {
        Self { seen: true, mixed: false }
    }

    /// Whether the columns are in order.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.seen && !self.mixed
    }

    /// Begins the next row. Returns whether each column is known to follow the one that was read before it.
    pub fn begin(&mut self) -> bool {
        std::mem::replace(&mut self.seen, true) && !self.mixed
    }

    /// Records that a column was not where it was expected.
    pub fn mixed(&mut self) {
        self.mixed = true;
    }
}

/// Reads a row of exactly one column.
///
/// # Errors
/// The row has another number of columns, or the column does not fit.
pub fn scalar<T: FromColumn>(row: &dyn Row) -> Result<T> {
    width(row, 1)?;
    T::required(row, 0)
}

fn width(row: &dyn Row, wanted: usize) -> Result<()> {
    if row.len() == wanted {
        return Ok(());
    }
    let message = format!("the row has {} columns, {wanted} are read", row.len());
    Err(crate::Error::new(ErrorKind::Decode, message))
}

macro_rules! columns {
    ($($ty:ty, $wanted:literal, $method:ident $(, $convert:expr)?;)*) => {$(
        impl FromRow for $ty {
            fn from_row(row: &dyn Row) -> Result<Self> {
                scalar(row)
            }
        }

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
    TimeDelta, "a span of time, as a number of 100 ns ticks", i64, |ticks| Some(span(ticks));
    Uuid, "a UUID", uuid;
}

macro_rules! arrays {
    ($($item:ty, $($pattern:pat => $make:expr),+;)*) => {$(
        impl FromColumn for Vec<$item> {
            const WANTED: &'static str = concat!("an array of ", stringify!($item));

            fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
                let items = match row.own_value(index)? {
                    Value::Null => return Ok(None),
                    Value::List(items) => items,
                    _ => return Err(row.bad(index, Self::WANTED)),
                };
                let item = |item: &Value| match item {
                    $($pattern => $make,)+
                    _ => None,
                };
                let read: Option<Self> = items.iter().map(item).collect();
                let bad = || row.bad(index, concat!("an array of ", stringify!($item), " without NULL in it"));
                read.ok_or_else(bad).map(Some)
            }
        }

        impl FromRow for Vec<$item> {
            fn from_row(row: &dyn Row) -> Result<Self> {
                scalar(row)
            }
        }
    )*};
}

arrays! {
    bool, Value::Bool(v) => Some(*v);
    i16, Value::Int(v) => i16::try_from(*v).ok();
    i32, Value::Int(v) => i32::try_from(*v).ok();
    i64, Value::Int(v) => Some(*v);
    f64, Value::Float(v) => Some(*v);
    Decimal, Value::Decimal(v) => Some(**v), Value::Int(v) => Some((*v).into());
    String, Value::Text(v) => Some(v.as_str().to_owned());
    NaiveDate, Value::Date(v) => Some(*v);
    NaiveDateTime, Value::DateTime(v) => Some(*v);
    Uuid, Value::Uuid(v) => Some(*v);
}

/// A span of time from .NET's ticks, as values of the tree are stored.
fn span(ticks: i64) -> TimeDelta {
    TimeDelta::microseconds(ticks / 10) + TimeDelta::nanoseconds(ticks % 10 * 100)
}

/// A float of 32 bits; infinite only where the number is.
#[allow(clippy::cast_possible_truncation, reason = "the nearest one is meant, and an overflow is looked for")]
pub(crate) fn single(number: f64) -> Option<f32> {
    let single = number as f32;
    (single.is_finite() || !number.is_finite()).then_some(single)
}

impl<T: FromColumn> FromColumn for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn read(row: &dyn Row, index: usize) -> Result<Option<Self>> {
        T::read(row, index).map(Some)
    }
}

impl<T: FromColumn> FromRow for Option<T> {
    fn from_row(row: &dyn Row) -> Result<Self> {
        scalar(row)
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
                width(row, $count)?;
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
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12) 13;
}
