//! What can stand beside a column of a type.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{Decimal, LogicExpr, Value, ValueExpr, ValueSet, ValueTypeExpr, row, value};
use uuid::Uuid;

use super::{Column, Condition, Field, JsonText, Typed};

/// A value or an expression that can stand beside a column of the type `T`.
#[diagnostic::on_unimplemented(
    message = "a column of `{T}` cannot be compared with `{Self}`",
    label = "this is no value of a column of `{T}`",
    note = "compare it with a `{T}`, an `Option` of one, or another column of that type"
)]
pub trait Operand<T, Place = Comparison> {
    /// The entity whose columns it names; `()` of a value.
    type Entity;

    /// The type that it has there: of a plain value the column's, of an expression its own.
    type Of: Field;

    /// It as a node of the tree.
    fn operand(self) -> ValueTypeExpr;
}

/// Where an operand stands: it is compared with a column.
#[derive(Debug, Clone, Copy)]
pub enum Comparison {}

/// Where an operand stands: it is reckoned with a column.
#[derive(Debug, Clone, Copy)]
pub enum Arithmetic {}

/// Where an operand stands: it becomes what a column holds, or an argument of a function.
#[derive(Debug, Clone, Copy)]
pub enum Exact {}

/// A place where an expression of the type `U` stands for one of `T`.
pub trait Admits<U, T> {}

impl<T> Admits<T, T> for Exact {}

impl<T: Field> Admits<T, T> for Comparison {}

impl Admits<String, Box<str>> for Comparison {}

impl Admits<Box<str>, String> for Comparison {}

// What is reckoned with what is told by `Mixed`.
impl<U, T> Admits<U, T> for Arithmetic {}

// A message that does not list the implementations says what is wrong in fewer lines.
macro_rules! operands {
    ($($of:ty: $($with:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl<P> Operand<$of, P> for $with {
            type Entity = ();
            type Of = $of;

            fn operand(self) -> ValueTypeExpr {
                value(self).into()
            }
        }
    )+)*};
}

// A whole number fits any column of numbers; whether its range does, the compiler says.
operands! {
    bool: bool;
    i8: i8, i16, i32, i64, u8, u16, u32, u64;
    i16: i8, i16, i32, i64, u8, u16, u32, u64;
    i32: i8, i16, i32, i64, u8, u16, u32, u64;
    i64: i8, i16, i32, i64, u8, u16, u32, u64;
    u8: i8, i16, i32, i64, u8, u16, u32, u64;
    u16: i8, i16, i32, i64, u8, u16, u32, u64;
    u32: i8, i16, i32, i64, u8, u16, u32, u64;
    u64: i8, i16, i32, i64, u8, u16, u32, u64;
    f32: f32, f64, i8, i16, i32, u8, u16;
    f64: f32, f64, i8, i16, i32, u8, u16, u32;
    Decimal: Decimal, i8, i16, i32, i64, u8, u16, u32, u64;
    String: String, &str, char;
    Box<str>: String, &str, char;
    Vec<u8>: Vec<u8>, &[u8];
    NaiveDate: NaiveDate;
    NaiveTime: NaiveTime;
    NaiveDateTime: NaiveDateTime;
    DateTime<FixedOffset>: DateTime<FixedOffset>, DateTime<Utc>;
    DateTime<Utc>: DateTime<Utc>, DateTime<FixedOffset>;
    TimeDelta: TimeDelta;
    Uuid: Uuid;
}

// What lists and texts of the program are counted in.
macro_rules! counts {
    ($($of:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<P> Operand<$of, P> for usize {
            type Entity = ();
            type Of = $of;

            fn operand(self) -> ValueTypeExpr {
                // No machine counts further.
                value(u64::try_from(self).unwrap_or(u64::MAX)).into()
            }
        }
    )*};
}

counts!(i8, i16, i32, i64, u8, u16, u32, u64, Decimal);

// Beside a whole number, one with digits after the point keeps its own kind.
macro_rules! fractions {
    ($($with:ty: $($of:ty),*;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl Operand<$of, Arithmetic> for $with {
            type Entity = ();
            type Of = $with;

            fn operand(self) -> ValueTypeExpr {
                value(self).into()
            }
        }
    )*)*};
}

fractions! {
    Decimal: i8, i16, i32, i64, u8, u16, u32, u64;
    f64: i8, i16, i32, u8, u16, u32;
}

/// A predicate beside a column of truth values.
#[diagnostic::do_not_recommend]
impl<P> Operand<bool, P> for LogicExpr {
    type Entity = ();
    type Of = bool;

    fn operand(self) -> ValueTypeExpr {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<P, E> Operand<bool, P> for Condition<E> {
    type Entity = E;
    type Of = bool;

    fn operand(self) -> ValueTypeExpr {
        self.into()
    }
}

macro_rules! arrays {
    ($($item:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<P> Operand<Vec<$item>, P> for Vec<$item> {
            type Entity = ();
            type Of = Self;

            fn operand(self) -> ValueTypeExpr {
                value(self.into_iter().map(Value::from).collect::<Vec<Value>>()).into()
            }
        }
    )*};
}

arrays! { bool i16 i32 i64 f64 Decimal String NaiveDate NaiveDateTime Uuid }

// What is a text, or bytes, by another owner.
macro_rules! owners {
    ($($of:ty: $([$($generic:tt)*] $with:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl<P, $($generic)*> Operand<$of, P> for $with {
            type Entity = ();
            type Of = $of;

            fn operand(self) -> ValueTypeExpr {
                value(&self[..]).into()
            }
        }
    )+)*};
}

owners! {
    String: [] Box<str>, [] Arc<str>, [] Cow<'_, str>;
    Box<str>: [] Box<str>, [] Arc<str>, [] Cow<'_, str>;
    Vec<u8>: [] Box<[u8]>, [] Cow<'_, [u8]>, [const N: usize] [u8; N];
}

/// A day beside a column of dates and times is its midnight.
#[diagnostic::do_not_recommend]
impl<P> Operand<NaiveDateTime, P> for NaiveDate {
    type Entity = ();
    type Of = NaiveDateTime;

    fn operand(self) -> ValueTypeExpr {
        value(self.and_time(NaiveTime::MIN)).into()
    }
}

/// A document, as it is stored: `Order::TAGS.set(JsonText(..))`.
#[diagnostic::do_not_recommend]
impl<P> Operand<JsonText, P> for JsonText {
    type Entity = ();
    type Of = Self;

    fn operand(self) -> ValueTypeExpr {
        value(Value::Json(self.0)).into()
    }
}

/// `None` is NULL.
#[diagnostic::do_not_recommend]
impl<T, P, O: Operand<T, P>> Operand<T, P> for Option<O> {
    type Entity = O::Entity;
    type Of = Option<O::Of>;

    fn operand(self) -> ValueTypeExpr {
        self.map_or_else(|| ValueTypeExpr::from(value(Value::Null)), Operand::operand)
    }
}

/// What is borrowed is cloned: for lists that the program keeps, `Order::ID.is_in(&ids)`.
#[diagnostic::do_not_recommend]
impl<T, P, O: Operand<T, P> + Clone> Operand<T, P> for &O {
    type Entity = O::Entity;
    type Of = O::Of;

    fn operand(self) -> ValueTypeExpr {
        self.clone().operand()
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: Admits<U::Base, T>, E, U: Field> Operand<T, P> for Column<E, U> {
    type Entity = E;
    type Of = U;

    fn operand(self) -> ValueTypeExpr {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T, P: Admits<U::Base, T>, E, U: Field> Operand<T, P> for Typed<E, U> {
    type Entity = E;
    type Of = U;

    fn operand(self) -> ValueTypeExpr {
        self.into()
    }
}

/// The right side of IN: one list of plain values, which can be bound as one, or a row of expressions.
pub(super) fn listed(items: impl Iterator<Item = ValueTypeExpr>) -> ValueTypeExpr {
    let items: Vec<ValueTypeExpr> = items.collect();
    let plain = |item: &ValueTypeExpr| matches!(item, ValueTypeExpr::Value(ValueExpr { is_const: false, .. }));
    if !items.iter().all(plain) {
        let set: ValueSet = row(items);
        return set.into();
    }
    let values = items.into_iter().filter_map(|item| match item {
        ValueTypeExpr::Value(item) => Some(item.value),
        _ => None,
    });
    value(values.collect::<Vec<Value>>()).into()
}
