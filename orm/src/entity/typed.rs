//! Values of a tree with their Rust type, and methods of any type.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{
    Expr, FunctionExpr, LogicOperator, Name, OrderByItemExpr, SelectItemExpr, ValueOps, ValueTypeExpr,
};

use super::operand::{Exact, Members, NeverNull};
use super::{Aggregate, Beside, Both, Column, Condition, Field, Fits, Operand, Ordered, Takes, Untyped, Window};

/// A value of a tree with a known type: computed from columns of the entity `E`, or from no columns, for which `E` is
/// `()`.
pub struct Typed<E, T> {
    node: ValueTypeExpr,
    of: PhantomData<fn() -> (E, T)>,
}

impl<E, T> Typed<E, T> {
    /// Wraps a node that is known to have this type and this entity.
    pub fn new(node: impl Into<ValueTypeExpr>) -> Self {
        Self { node: node.into(), of: PhantomData }
    }
}

impl<E, T> Clone for Typed<E, T> {
    fn clone(&self) -> Self {
        Self::new(self.node.clone())
    }
}

impl<E, T> fmt::Debug for Typed<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl<E, T> From<Typed<E, T>> for ValueTypeExpr {
    fn from(typed: Typed<E, T>) -> Self {
        typed.node
    }
}

impl<E, T> From<Column<E, T>> for Typed<E, T> {
    fn from(column: Column<E, T>) -> Self {
        Self::new(column)
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $operator:ident $(: $bound:ident)?;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method<R: Operand<T::Base>>(self, right: R) -> Condition<Both<E, R::Entity>>
        where
            E: Beside<R::Entity>,
            $(T::Base: $bound,)?
        {
            Condition::new(ValueTypeExpr::from(self).compare(LogicOperator::$operator, right.operand()))
        }
    )*};
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        #[allow(clippy::should_implement_trait, reason = "`eq` and its like build a node, as everywhere")]
        #[allow(clippy::wrong_self_convention, reason = "`is_null` and its like build a node of `self`")]
        impl<E, T: Field> $of<E, T> {
            comparisons! {
                /// Equal; with `None`, `IS NULL`.
                eq Equal;
                /// Not equal; with `None`, `IS NOT NULL`.
                ne NotEqual;
                /// Greater.
                gt GreaterThan: Ordered;
                /// Less.
                lt LessThan: Ordered;
                /// Greater or equal.
                ge GreaterThanOrEqual: Ordered;
                /// Less or equal.
                le LessThanOrEqual: Ordered;
                /// Differs, where NULL is a value like any other: never unknown.
                is_distinct_from IsDistinctFrom;
                /// Equals, where NULL is a value like any other: never unknown.
                is_not_distinct_from IsNotDistinctFrom;
            }

            /// Whether the value is between `low` and `high`, both included.
            #[must_use]
            pub fn between<L: Operand<T::Base>, H: Operand<T::Base>>(
                self,
                low: L,
                high: H,
            ) -> Condition<Both<Both<E, L::Entity>, H::Entity>>
            where
                T::Base: Ordered,
                E: Beside<L::Entity, Both: Beside<H::Entity>>,
            {
                Condition::new(ValueTypeExpr::from(self).between(low.operand(), high.operand()))
            }

            /// Whether the value is one of the items, or of the rows of a query with one column.
            #[must_use]
            pub fn is_in<M: Members<T::Base>>(self, items: M) -> Condition<Both<E, M::Entity>>
            where
                E: Beside<M::Entity>,
            {
                Condition::new(ValueTypeExpr::from(self).in_list(items.members()))
            }

            /// Whether the value is none of the items, nor of the rows of a query with one column. Values that may be NULL
            /// are refused: one NULL among them, and SQL finds nothing.
            #[must_use]
            pub fn not_in<M: Members<T::Base, Of: NeverNull>>(self, items: M) -> Condition<Both<E, M::Entity>>
            where
                E: Beside<M::Entity>,
            {
                Condition::new(ValueTypeExpr::from(self).not_in_list(items.members()))
            }

            /// Whether the value is NULL.
            #[must_use]
            pub fn is_null(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).is_null())
            }

            /// Whether the value is not NULL.
            #[must_use]
            pub fn is_not_null(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).is_not_null())
            }

            /// The number of values that are not NULL.
            #[must_use]
            pub fn count(self) -> Aggregate<E, i64> {
                Aggregate::new(ValueTypeExpr::from(self).count())
            }

            /// The greatest value; NULL without values.
            #[must_use]
            pub fn max(self) -> Aggregate<E, Option<T::Base>> {
                Aggregate::new(ValueTypeExpr::from(self).max())
            }

            /// The least value; NULL without values.
            #[must_use]
            pub fn min(self) -> Aggregate<E, Option<T::Base>> {
                Aggregate::new(ValueTypeExpr::from(self).min())
            }

            /// An ascending order key.
            #[must_use]
            pub fn asc(self) -> Sorted<E> {
                Sorted::new(ValueTypeExpr::from(self).asc())
            }

            /// A descending order key.
            #[must_use]
            pub fn desc(self) -> Sorted<E> {
                Sorted::new(ValueTypeExpr::from(self).desc())
            }

            /// Names the value in a select list.
            #[must_use]
            pub fn alias(self, alias: impl Into<Name>) -> Selected<E, T> {
                Selected::new(ValueTypeExpr::from(self).alias(alias))
            }

            /// The value as one that may be NULL: that of a table which a join need not find.
            #[must_use]
            pub fn optional(self) -> Typed<E, Option<T::Base>> {
                Typed::new(self)
            }
        }
    )*};
}

methods!(Column Typed Aggregate Window);

impl<E, T> From<Typed<E, T>> for SelectItemExpr {
    fn from(typed: Typed<E, T>) -> Self {
        typed.node.into()
    }
}

impl<E, T> From<Typed<E, T>> for OrderByItemExpr {
    fn from(typed: Typed<E, T>) -> Self {
        typed.node.asc()
    }
}

impl<E, T> From<Typed<E, T>> for Expr {
    fn from(typed: Typed<E, T>) -> Self {
        typed.node.into()
    }
}

impl<E, T> From<FunctionExpr> for Typed<E, T> {
    fn from(call: FunctionExpr) -> Self {
        Self::new(call)
    }
}

/// The property that an assignment writes.
#[derive(Debug)]
pub struct Property<E> {
    name: Name,
    of: PhantomData<fn() -> E>,
}

impl<E> From<Property<E>> for Name {
    fn from(property: Property<E>) -> Self {
        property.name
    }
}

impl<E, T: Field> Column<E, T> {
    /// An assignment of a value or an expression, for an [`update`](super::update). `None` is NULL. A column that is never
    /// NULL takes nothing that may be: `Order::AMOUNT.set(Order::DISCOUNT.unwrap_or(0))`.
    #[must_use]
    pub fn set<V: Operand<T::Base, Exact, Of: Fits<T>>>(self, value: V) -> (Property<E>, ValueTypeExpr)
    where
        E: Takes<V::Entity>,
    {
        (Property { name: self.node_name(), of: PhantomData }, value.operand())
    }
}

macro_rules! parts {
    ($($(#[$doc:meta])* $part:ident: $node:ident;)*) => {$(
        $(#[$doc])*
        pub struct $part<E> {
            node: $node,
            of: PhantomData<fn() -> E>,
        }

        impl<E> $part<E> {
            const fn new(node: $node) -> Self {
                Self { node, of: PhantomData }
            }
        }

        impl<E> Clone for $part<E> {
            fn clone(&self) -> Self {
                Self::new(self.node.clone())
            }
        }

        impl<E> fmt::Debug for $part<E> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.node.fmt(f)
            }
        }

        impl<E> From<$part<E>> for $node {
            fn from(part: $part<E>) -> Self {
                part.node
            }
        }

        impl<E> From<$part<E>> for Expr {
            fn from(part: $part<E>) -> Self {
                part.node.into()
            }
        }
    )*};
}

parts! {
    /// An order key with columns of the entity `E`.
    Sorted: OrderByItemExpr;
}

/// A named item of a select list with columns of the entity `E`, and values of the type `T`.
pub struct Selected<E, T = Untyped> {
    node: SelectItemExpr,
    of: PhantomData<fn() -> (E, T)>,
}

impl<E, T> Selected<E, T> {
    pub(super) const fn new(node: SelectItemExpr) -> Self {
        Self { node, of: PhantomData }
    }
}

impl<E, T> Clone for Selected<E, T> {
    fn clone(&self) -> Self {
        Self::new(self.node.clone())
    }
}

impl<E, T> fmt::Debug for Selected<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

impl<E, T> From<Selected<E, T>> for SelectItemExpr {
    fn from(item: Selected<E, T>) -> Self {
        item.node
    }
}

impl<E, T> From<Selected<E, T>> for Expr {
    fn from(item: Selected<E, T>) -> Self {
        item.node.into()
    }
}

macro_rules! from_columns {
    ($($of:ident)*) => {$(
        impl<E, T> From<$of<E, T>> for Sorted<E> {
            fn from(value: $of<E, T>) -> Self {
                Self::new(value.into())
            }
        }

        impl<E, T> From<$of<E, T>> for Selected<E> {
            fn from(value: $of<E, T>) -> Self {
                Self::new(value.into())
            }
        }
    )*};
}

from_columns!(Column Typed);

impl<E> Sorted<E> {
    /// Puts NULLs before all other values.
    #[must_use]
    pub fn nulls_first(self) -> Self {
        Self::new(self.node.nulls_first())
    }

    /// Puts NULLs after all other values.
    #[must_use]
    pub fn nulls_last(self) -> Self {
        Self::new(self.node.nulls_last())
    }
}
