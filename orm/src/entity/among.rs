//! Lists, ranges, texts and queries that a column is looked for in.

use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;
use std::ops::{Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use std::sync::{Arc, LazyLock};

use isogloss_compiler::expr::{LogicExpr, ValueOps, ValueTypeExpr};

use super::operand::{Admits, Comparison, Members, NeverNull, listed};
use super::ops::{BaseOf, Expression};
use super::{Condition, Field, Operand, Ordered, Query, Takes};

/// A type whose `contains` can be called with a column: lists and ranges.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not contain columns of `{T}`",
    label = "no list, range or text of `{T}`",
    note = "give a reference to a list, or a range, whose items are compared with a column of `{T}`"
)]
pub trait Collection<T> {
    /// The entity of its columns; `()` for values.
    type Entity;

    /// The type of its items: an `Option` where one may be NULL.
    type Of;

    /// Whether it contains the value.
    fn holds(&self, value: ValueTypeExpr) -> LogicExpr;
}

fn in_list<T, O: Operand<T>>(value: ValueTypeExpr, items: impl Iterator<Item = O>) -> LogicExpr {
    value.in_list(listed(items.map(Operand::operand)))
}

macro_rules! collections {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        impl<T, O: Clone + Operand<T>, $($generic)*> Collection<T> for $of {
            type Entity = O::Entity;
            type Of = O::Of;

            fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
                in_list(value, self.iter().cloned())
            }
        }
    )*};
}

collections! {
    [] Vec<O>;
    [] [O];
    [const N: usize] [O; N];
    [S] HashSet<O, S>;
    [] BTreeSet<O>;
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeInclusive<O> {
    type Entity = O::Entity;
    type Of = T;

    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.between(self.start().clone().operand(), self.end().clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for Range<O> {
    type Entity = O::Entity;
    type Of = T;

    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.clone().ge(self.start.clone().operand()) & value.lt(self.end.clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeFrom<O> {
    type Entity = O::Entity;
    type Of = T;

    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.ge(self.start.clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeTo<O> {
    type Entity = O::Entity;
    type Of = T;

    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.lt(self.end.clone().operand())
    }
}

impl<O: Clone + Operand<T>, T: Ordered> Collection<T> for RangeToInclusive<O> {
    type Entity = O::Entity;
    type Of = T;

    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.le(self.end.clone().operand())
    }
}

impl Collection<String> for String {
    type Entity = ();
    type Of = String;

    fn holds(&self, part: ValueTypeExpr) -> LogicExpr {
        ValueTypeExpr::from(self).contains(part)
    }
}

impl Collection<String> for str {
    type Entity = ();
    type Of = String;

    fn holds(&self, part: ValueTypeExpr) -> LogicExpr {
        ValueTypeExpr::from(self).contains(part)
    }
}

/// `customer_id.is_in(query)`, of a query that the program keeps.
#[diagnostic::do_not_recommend]
impl<T, Q, U: Field> Collection<T> for Query<Q, U>
where
    Comparison: Admits<U::Base, T>,
{
    type Entity = ();
    type Of = U;

    fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
        value.in_list(ValueTypeExpr::from(self.clone()))
    }
}

macro_rules! pointers {
    ($([$($generic:tt)*] $of:ty;)*) => {$(
        impl<T, $($generic)*> Collection<T> for $of {
            type Entity = C::Entity;
            type Of = C::Of;

            fn holds(&self, value: ValueTypeExpr) -> LogicExpr {
                (**self).holds(value)
            }
        }
    )*};
}

pointers! {
    [C: Collection<T> + ?Sized] &C;
    [C: Collection<T> + ?Sized] Box<C>;
    [C: Collection<T> + ?Sized] Arc<C>;
    [C: Collection<T>, F: FnOnce() -> C] LazyLock<C, F>;
}

/// `collection.contains(&column)`
pub fn contains<S, C: Collection<BaseOf<E>> + ?Sized, E: Expression>(collection: &C, column: E) -> Condition<S>
where
    S: Takes<C::Entity> + Takes<E::Entity>,
{
    Condition::new(collection.holds(column.node()))
}

/// `!collection.contains(&column)`, without its `!`: with a NULL in the collection it would be true of nothing.
pub fn contains_never_null<S, C: Collection<BaseOf<E>, Of: NeverNull> + ?Sized, E: Expression>(
    collection: &C,
    column: E,
) -> Condition<S>
where
    S: Takes<C::Entity> + Takes<E::Entity>,
{
    contains::<S, C, E>(collection, column)
}

/// `!column.is_in(items)`, without its `!`.
pub fn is_one_of<S, E: Expression, M: Members<BaseOf<E>, Of: NeverNull>>(column: E, items: M) -> Condition<S>
where
    S: Takes<M::Entity> + Takes<E::Entity>,
{
    Condition::new(column.node().in_list(items.members()))
}

/// A list whose items are written in the program: `[1, 2, o.other].contains(&o.status)`.
#[derive(Debug)]
pub struct Among<S, E> {
    value: E,
    items: Vec<ValueTypeExpr>,
    of: PhantomData<fn() -> S>,
}

/// Begins a list.
pub fn among<S: Takes<E::Entity>, E: Expression>(value: E) -> Among<S, E> {
    Among { value, items: Vec::new(), of: PhantomData }
}

impl<S, E: Expression> Among<S, E> {
    /// Adds an item.
    #[must_use]
    pub fn item<O: Operand<BaseOf<E>>>(mut self, item: O) -> Self
    where
        S: Takes<O::Entity>,
    {
        self.items.push(item.operand());
        self
    }

    /// Adds an item behind a `!`, where a NULL in the list would make it true of nothing.
    #[must_use]
    pub fn never_null<O: Operand<BaseOf<E>, Of: NeverNull>>(self, item: O) -> Self
    where
        S: Takes<O::Entity>,
    {
        self.item(item)
    }

    /// Ends the list.
    #[must_use]
    pub fn done(self) -> Condition<S> {
        Condition::new(self.value.node().in_list(listed(self.items.into_iter())))
    }
}
