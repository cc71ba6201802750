//! Arguments of the holes in `sql!`.

use std::borrow::Cow;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{Decimal, LogicExpr, OrderByItemExpr, SelectItemExpr, UpdateExpr, Value, ValueTypeExpr};
use isogloss_compiler::{Hole, list};
use uuid::Uuid;

use super::{Aggregate, Column, Condition, Query, Selected, Sorted, Typed, Update, Window};

impl<E, T> From<Column<E, T>> for Hole {
    fn from(column: Column<E, T>) -> Self {
        column.prop().into()
    }
}

macro_rules! values {
    ($($of:ident)*) => {$(
        impl<E, T> From<$of<E, T>> for Hole {
            fn from(value: $of<E, T>) -> Self {
                ValueTypeExpr::from(value).into()
            }
        }
    )*};
}

values!(Typed Aggregate Window);

macro_rules! parts {
    ($($part:ident: $node:ident;)*) => {$(
        impl<E> From<$part<E>> for Hole {
            fn from(part: $part<E>) -> Self {
                $node::from(part).into()
            }
        }
    )*};
}

parts! {
    Condition: LogicExpr;
    Sorted: OrderByItemExpr;
    Update: UpdateExpr;
}

impl<E, T> From<Selected<E, T>> for Hole {
    fn from(item: Selected<E, T>) -> Self {
        SelectItemExpr::from(item).into()
    }
}

impl<E, R> From<Query<E, R>> for Hole {
    fn from(query: Query<E, R>) -> Self {
        super::captured::subquery(query.into_segment()).into()
    }
}

/// Wraps an argument of `sql!`. Method resolution finds the kind of the argument by the number of references that it
/// takes.
#[derive(Debug)]
pub struct ToHole<'a, T: ?Sized>(pub &'a T);

/// A value, an expression, or `RawSql`.
pub trait HoleOfValue {
    /// The content of the hole.
    fn hole(&self) -> Hole;
}

impl<T: Clone + Into<Hole>> HoleOfValue for ToHole<'_, T> {
    fn hole(&self) -> Hole {
        self.0.clone().into()
    }
}

/// A list, or anything that iterates over references to values.
pub trait HoleOfItems {
    /// The content of the hole.
    fn hole(&self) -> Hole;
}

impl<'a, T> HoleOfItems for &ToHole<'a, T>
where
    &'a T: IntoIterator,
    <&'a T as IntoIterator>::Item: HoleItem,
{
    fn hole(&self) -> Hole {
        list(self.0.into_iter().map(HoleItem::item))
    }
}

/// A slice behind a reference, or an optional predicate, which is true if it is absent.
pub trait HoleOfSlice {
    /// The content of the hole.
    fn hole(&self) -> Hole;
}

macro_rules! slices {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        impl<T: Clone + Into<Value>, $($generic)*> HoleOfSlice for &&ToHole<'_, $of> {
            fn hole(&self) -> Hole {
                list(self.0.iter().cloned())
            }
        }
    )*};
}

slices! {
    [] &[T];
    [] &Vec<T>;
    [const N: usize] &[T; N];
}

impl HoleOfSlice for &&ToHole<'_, Option<LogicExpr>> {
    fn hole(&self) -> Hole {
        self.0.clone().unwrap_or_default().into()
    }
}

impl<E> HoleOfSlice for &&ToHole<'_, Option<Condition<E>>> {
    fn hole(&self) -> Hole {
        self.0.clone().unwrap_or_default().into()
    }
}

/// A plain value that may be absent, which is NULL: no list of none or one.
impl<V: Plain> HoleOfSlice for &&ToHole<'_, Option<V>> {
    fn hole(&self) -> Hole {
        Value::from(self.0.clone()).into()
    }
}

/// Bytes, which are one value. Behind IN they are a list of numbers, and the macro does not use this trait there.
pub trait HoleOfBytes {
    /// The content of the hole.
    fn hole(&self) -> Hole;
}

macro_rules! bytes {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        impl<$($generic)*> HoleOfBytes for &&&ToHole<'_, $of> {
            fn hole(&self) -> Hole {
                Value::from(&self.0[..]).into()
            }
        }
    )*};
}

bytes! {
    [] Vec<u8>;
    [] &Vec<u8>;
    [] [u8];
    [] &[u8];
    [] Box<[u8]>;
    [] Cow<'_, [u8]>;
    [const N: usize] [u8; N];
    [const N: usize] &[u8; N];
}

impl HoleOfBytes for &&&ToHole<'_, Option<&[u8]>> {
    fn hole(&self) -> Hole {
        self.0.map_or(Value::Null, Value::from).into()
    }
}

/// A type of plain values.
pub trait Plain: Clone + Into<Value> {}

macro_rules! plain {
    ($($ty:ty),*) => {$(
        impl Plain for $ty {}
    )*};
}

plain!(bool, i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, Decimal, char, &str, String, Vec<u8>, Value);
plain!(NaiveDate, NaiveTime, NaiveDateTime, DateTime<FixedOffset>, DateTime<Utc>, TimeDelta, Uuid);

macro_rules! lists {
    ($($of:ty: $node:ident, [$($generic:ident)*];)*) => {$(
        impl<$($generic),*> HoleOfSlice for &&ToHole<'_, Vec<$of>> {
            fn hole(&self) -> Hole {
                self.0.iter().cloned().map($node::from).collect::<Vec<_>>().into()
            }
        }

        impl<$($generic,)* const N: usize> HoleOfSlice for &&ToHole<'_, [$of; N]> {
            fn hole(&self) -> Hole {
                self.0.iter().cloned().map($node::from).collect::<Vec<_>>().into()
            }
        }
    )*};
}

lists! {
    Column<E, T>: SelectItemExpr, [E T];
    Selected<E>: SelectItemExpr, [E];
    Sorted<E>: OrderByItemExpr, [E];
}

/// An item of a list.
pub trait HoleItem {
    /// The value of the item.
    fn item(self) -> Value;
}

impl<V: Clone + Into<Value>> HoleItem for &V {
    fn item(self) -> Value {
        self.clone().into()
    }
}
