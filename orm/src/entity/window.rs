//! Aggregates, and functions over windows.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{
    FrameBound, FrameUnit, FunctionExpr, OrderByItemExpr, SelectItemExpr, ValueOps, ValueTypeExpr, WindowExpr, func,
};

use super::operand::Exact;
use super::{Beside, Both, Column, Condition, Field, Operand, Predicate, Sorted, Typed};

macro_rules! nodes {
    ($($(#[$doc:meta])* $of:ident: $node:ident;)*) => {$(
        $(#[$doc])*
        pub struct $of<E, T> {
            node: $node,
            of: PhantomData<fn() -> (E, T)>,
        }

        impl<E, T> $of<E, T> {
            pub(super) const fn new(node: $node) -> Self {
                Self { node, of: PhantomData }
            }
        }

        impl<E, T> Clone for $of<E, T> {
            fn clone(&self) -> Self {
                Self::new(self.node.clone())
            }
        }

        impl<E, T> fmt::Debug for $of<E, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.node.fmt(f)
            }
        }
    )*};
}

nodes! {
    /// An aggregate: a value for many rows. It is used as any other value is; beside that it takes a filter, and a window.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
    /// use isogloss::prelude::*;
    /// # fn main() {
    /// let paid = query!(|o: Order| o.group_by(o.user_id).select((
    ///     o.user_id,
    ///     count().filter(o.status == 2),
    ///     o.amount.sum() / 2,
    ///     o.status.count_distinct(),
    /// )));
    /// let running = query!(|o: Order| o.select((o.id, o.amount.sum().over().partition_by(o.user_id).order_by(o.id))));
    /// # let _ = (paid, running);
    /// # }
    /// ```
    Aggregate: FunctionExpr;
    /// A function that has a value only over a window: `row_number().over()`.
    WindowFunction: FunctionExpr;
    /// A function over a window of rows.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/shop.rs"));
    /// use isogloss::expr::FrameBound;
    /// use isogloss::prelude::*;
    /// # fn main() {
    /// let places = query!(|o: Order| o.select((
    ///     o.id,
    ///     row_number().over().partition_by(o.user_id).order_by(o.amount.desc()),
    ///     o.amount.lag(1).over().order_by(o.id),
    ///     o.amount.avg().over().order_by(o.id).rows(FrameBound::Preceding(6), FrameBound::CurrentRow),
    /// )));
    /// # let _ = places;
    /// # }
    /// ```
    Window: WindowExpr;
}

macro_rules! values {
    ($($of:ident)*) => {$(
        impl<E, T> From<$of<E, T>> for ValueTypeExpr {
            fn from(value: $of<E, T>) -> Self {
                value.node.into()
            }
        }

        impl<E, T> From<$of<E, T>> for Typed<E, T> {
            fn from(value: $of<E, T>) -> Self {
                Self::new(value.node)
            }
        }

        impl<E, T> From<$of<E, T>> for SelectItemExpr {
            fn from(value: $of<E, T>) -> Self {
                value.node.into()
            }
        }

        impl<E, T> From<$of<E, T>> for OrderByItemExpr {
            fn from(value: $of<E, T>) -> Self {
                value.node.asc()
            }
        }

        impl<E, T> From<$of<E, T>> for Sorted<E> {
            fn from(value: $of<E, T>) -> Self {
                Typed::from(value).into()
            }
        }
    )*};
}

values!(Aggregate Window);

impl<E, T> Aggregate<E, T> {
    /// Aggregates only the rows that satisfy a condition. Several are combined by AND; `None` filters nothing.
    #[must_use]
    pub fn filter<C: Predicate>(self, condition: C) -> Aggregate<Both<E, C::Entity>, T>
    where
        E: Beside<C::Entity>,
    {
        Aggregate::new(self.node.filter(condition.given()))
    }

    /// Aggregates each of the values once: `SUM(DISTINCT ..)`.
    #[must_use]
    pub fn distinct(self) -> Self {
        Self::new(self.node.distinct())
    }

    /// The aggregate over a window of all rows, whose methods set its partition, order and frame.
    #[must_use]
    pub fn over(self) -> Window<E, T> {
        Window::new(self.node.over())
    }
}

impl<E, T> WindowFunction<E, T> {
    /// The function over a window of all rows, whose methods set its partition, order and frame.
    #[must_use]
    pub fn over(self) -> Window<E, T> {
        Window::new(self.node.over())
    }
}

impl<E, T> Window<E, T> {
    /// Partitions the rows by keys: one, or a tuple of several. A further call adds keys.
    #[must_use]
    pub fn partition_by<K: WindowKeys<ValueTypeExpr>>(self, keys: K) -> Window<Both<E, K::Entity>, T>
    where
        E: Beside<K::Entity>,
    {
        Window::new(self.node.partition_by(keys.keys()))
    }

    /// Orders the rows of a partition by keys: one, or a tuple of several. The keys of a further call have priority over those
    /// of the calls before, as in every `order_by`.
    #[must_use]
    pub fn order_by<K: WindowKeys<OrderByItemExpr>>(self, keys: K) -> Window<Both<E, K::Entity>, T>
    where
        E: Beside<K::Entity>,
    {
        Window::new(self.node.order_by(keys.keys()))
    }

    /// A frame of rows, counted from the row.
    #[must_use]
    pub fn rows(self, start: FrameBound, end: FrameBound) -> Self {
        Self::new(self.node.frame(FrameUnit::Rows, start, end))
    }

    /// A frame of rows whose order key is near to that of the row.
    #[must_use]
    pub fn range(self, start: FrameBound, end: FrameBound) -> Self {
        Self::new(self.node.frame(FrameUnit::Range, start, end))
    }
}

/// The keys of a window, or of an aggregate with an order: one, or a tuple of up to four.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key of a window",
    label = "rows are neither divided nor ordered by this",
    note = "give one column or expression, or a tuple of them: `(o.city, o.name.desc())`"
)]
pub trait WindowKeys<I> {
    /// The entity of their columns.
    type Entity;

    /// Converts them into a list.
    fn keys(self) -> Vec<I>;
}

macro_rules! keys {
    ($([$($generic:ident),*] $of:ty;)*) => {$(
        impl<I, E $(, $generic)*> WindowKeys<I> for $of
        where
            Self: Into<I>,
        {
            type Entity = E;

            fn keys(self) -> Vec<I> {
                vec![self.into()]
            }
        }
    )*};
}

keys! {
    [T] Column<E, T>;
    [T] Typed<E, T>;
    [T] Aggregate<E, T>;
    [T] Window<E, T>;
    [] Condition<E>;
    [] Sorted<E>;
}

macro_rules! tuples {
    ($($($key:ident)*: $both:ty $(, $first:ty, $with:ident)*;)*) => {$(
        impl<I, $($key: WindowKeys<I>),*> WindowKeys<I> for ($($key,)*)
        where
            $($first: Beside<$with::Entity>,)*
        {
            type Entity = $both;

            fn keys(self) -> Vec<I> {
                #[allow(non_snake_case, reason = "a value of each type, named as the type")]
                let ($($key,)*) = self;
                let mut all = Vec::new();
                $(all.extend($key.keys());)*
                all
            }
        }
    )*};
}

/// The entity of two keys, and of three.
type Two<I, A, B> = Both<<A as WindowKeys<I>>::Entity, <B as WindowKeys<I>>::Entity>;
type Three<I, A, B, C> = Both<Two<I, A, B>, <C as WindowKeys<I>>::Entity>;

tuples! {
    A: A::Entity;
    A B: Two<I, A, B>, A::Entity, B;
    A B C: Three<I, A, B, C>, A::Entity, B, Two<I, A, B>, C;
    A B C D: Both<Three<I, A, B, C>, D::Entity>, A::Entity, B, Two<I, A, B>, C, Three<I, A, B, C>, D;
}

fn ranking<T>(name: &'static str) -> WindowFunction<(), T> {
    WindowFunction::new(func(name, [] as [ValueTypeExpr; 0]))
}

/// The row's number in its partition, from 1.
#[must_use]
pub fn row_number() -> WindowFunction<(), i64> {
    ranking("RowNumber")
}

/// The row's rank in its partition, with gaps behind equal ones.
#[must_use]
pub fn rank() -> WindowFunction<(), i64> {
    ranking("Rank")
}

/// The row's rank in its partition, without gaps.
#[must_use]
pub fn dense_rank() -> WindowFunction<(), i64> {
    ranking("DenseRank")
}

/// The rank as a part of the whole: (rank - 1) / (rows - 1).
#[must_use]
pub fn percent_rank() -> WindowFunction<(), f64> {
    ranking("PercentRank")
}

/// The part of the rows that are not after the row.
#[must_use]
pub fn cume_dist() -> WindowFunction<(), f64> {
    ranking("CumeDist")
}

/// The number of the row's bucket, if the rows are distributed over so many.
#[must_use]
pub fn ntile(buckets: u32) -> WindowFunction<(), i64> {
    WindowFunction::new(func("NTile", [ValueTypeExpr::from(buckets)]))
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        impl<E, T: Field> $of<E, T> {
            /// The number of different values that are not NULL.
            #[must_use]
            pub fn count_distinct(self) -> Aggregate<E, i64> {
                Aggregate::new(ValueTypeExpr::from(self).count_distinct())
            }

            /// The value of the row that is so many rows before, in the order of the window; NULL if there is none.
            #[must_use]
            pub fn lag(self, rows: u32) -> WindowFunction<E, Option<T::Base>> {
                WindowFunction::new(func("Lag", [self.into(), ValueTypeExpr::from(rows)]))
            }

            /// The value of the row that is so many rows after, in the order of the window; NULL if there is none.
            #[must_use]
            pub fn lead(self, rows: u32) -> WindowFunction<E, Option<T::Base>> {
                WindowFunction::new(func("Lead", [self.into(), ValueTypeExpr::from(rows)]))
            }

            /// The value of the frame's first row.
            #[must_use]
            pub fn first_value(self) -> WindowFunction<E, Option<T::Base>> {
                WindowFunction::new(func("FirstValue", [ValueTypeExpr::from(self)]))
            }

            /// The value of the frame's last row.
            #[must_use]
            pub fn last_value(self) -> WindowFunction<E, Option<T::Base>> {
                WindowFunction::new(func("LastValue", [ValueTypeExpr::from(self)]))
            }
        }

        impl<E, T: Field<Base = String>> $of<E, T> {
            /// The texts that are not NULL, with a separator between them, in the order of the keys: one, or a tuple.
            #[must_use]
            pub fn string_agg<P, K>(self, separator: P, keys: K) -> Aggregate<Both<E, K::Entity>, Option<String>>
            where
                P: Operand<String, Exact, Entity = ()>,
                K: WindowKeys<OrderByItemExpr>,
                E: Beside<K::Entity>,
            {
                let node = func("StringAgg", [self.into(), separator.operand()]);
                Aggregate::new(node.order_by(keys.keys()))
            }
        }
    )*};
}

methods!(Column Typed);
