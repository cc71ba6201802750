//! Values and expressions that can be used beside a column of a type.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};
use isogloss_compiler::expr::{Decimal, LogicExpr, Value, ValueExpr, ValueSet, ValueTypeExpr, row, value};
use uuid::Uuid;

use super::{Aggregate, Column, Condition, Field, Fits, JsonText, Query, Typed, Window};

/// A value or an expression that can be used beside a column of type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no value for a column of `{T}`",
    label = "this does not fit a column of `{T}`",
    note = "give a `{T}`, an `Option` of one, or another column of that type"
)]
pub trait Operand<T, Place = Comparison> {
    /// The entity of its columns; `()` for a value.
    type Entity;

    /// The type that it has there: for a plain value the column's, for an expression its own.
    type Of: Field;

    /// Converts it into a node of the tree.
    fn operand(self) -> ValueTypeExpr;
}

/// The place of an operand that is compared with a column.
#[derive(Debug, Clone, Copy)]
pub enum Comparison {}

/// The place of an operand that arithmetic is done with.
#[derive(Debug, Clone, Copy)]
pub enum Arithmetic {}

/// The place of an operand that is assigned to a column, or is an argument of a function.
#[derive(Debug, Clone, Copy)]
pub enum Exact {}

/// A place where an expression of type `U` is accepted for one of type `T`.
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

macro_rules! expressions {
    ($($of:ident)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<T, P: Admits<U::Base, T>, E, U: Field> Operand<T, P> for $of<E, U> {
            type Entity = E;
            type Of = U;

            fn operand(self) -> ValueTypeExpr {
                self.into()
            }
        }
    )*};
}

expressions!(Column Typed Aggregate Window);

/// A scalar subquery, a query of one column and at most one row: NULL without a row.
#[diagnostic::do_not_recommend]
impl<T, P: Admits<U::Base, T>, Q, U: Field> Operand<T, P> for Query<Q, U> {
    type Entity = ();
    type Of = Option<U::Base>;

    fn operand(self) -> ValueTypeExpr {
        self.into()
    }
}

/// What a value of type `T` may be one of: a list, or a query of one column.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no list and no query of values of `{T}`",
    label = "a value of `{T}` is none of these",
    note = "give a list, or a query that selects one column: `query!(|c: Customer| c.select(c.id))`"
)]
pub trait Members<T> {
    /// The entity of its columns; `()` for values and queries.
    type Entity;

    /// The type of one of them: an `Option` where it may be NULL.
    type Of;

    /// Converts it into the right side of IN.
    fn members(self) -> ValueTypeExpr;
}

#[diagnostic::do_not_recommend]
impl<T, I: IntoIterator<Item: Operand<T>>> Members<T> for I {
    type Entity = <I::Item as Operand<T>>::Entity;
    type Of = <I::Item as Operand<T>>::Of;

    fn members(self) -> ValueTypeExpr {
        listed(self.into_iter().map(Operand::operand))
    }
}

#[diagnostic::do_not_recommend]
impl<T, Q, U: Field> Members<T> for Query<Q, U>
where
    Comparison: Admits<U::Base, T>,
{
    type Entity = ();
    type Of = U;

    fn members(self) -> ValueTypeExpr {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<T, Q, U: Field> Members<T> for &Query<Q, U>
where
    Comparison: Admits<U::Base, T>,
{
    type Entity = ();
    type Of = U;

    fn members(self) -> ValueTypeExpr {
        self.clone().into()
    }
}

/// The type of values that `NOT IN` is asked of: they are never NULL.
#[diagnostic::on_unimplemented(
    message = "one of these values may be NULL, as `{Self}` says, and then `NOT IN` finds nothing",
    label = "values that may be NULL",
    note = "of a query, select `.unwrap_or(..)` or ask `!exists::<..>(|x| ..)`; of a list, leave `None` out and ask `.is_some()` beside"
)]
pub trait NeverNull {}

#[diagnostic::do_not_recommend]
impl<T: Field + Fits<T::Base>> NeverNull for T {}

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
