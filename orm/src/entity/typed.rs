//! Values of a tree with the type that they have in Rust, and what can be said of them.

use std::fmt;
use std::marker::PhantomData;

use isogloss_compiler::expr::{
    Expr, FunctionExpr, LogicOperator, Name, OrderByItemExpr, SelectItemExpr, ValueOps, ValueTypeExpr,
};

use super::operand::Exact;
use super::{Beside, Both, Column, Condition, Field, Operand, Ordered, Takes};

/// A value of a tree whose type is known: what is computed of columns of the entity `E`, or of none, which is `()`.
pub struct Typed<E, T> {
    node: ValueTypeExpr,
    of: PhantomData<fn() -> (E, T)>,
}

impl<E, T> Typed<E, T> {
    /// A value that is known to be of that type, and of that entity.
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

            /// Neither less than the one nor greater than the other.
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

            /// Is one of these.
            #[must_use]
            pub fn is_in<O: Operand<T::Base>>(
                self,
                items: impl IntoIterator<Item = O>,
            ) -> Condition<Both<E, O::Entity>>
            where
                E: Beside<O::Entity>,
            {
                let items = items.into_iter().map(Operand::operand);
                Condition::new(ValueTypeExpr::from(self).in_list(super::operand::listed(items)))
            }

            /// Is none of these.
            #[must_use]
            pub fn not_in<O: Operand<T::Base>>(
                self,
                items: impl IntoIterator<Item = O>,
            ) -> Condition<Both<E, O::Entity>>
            where
                E: Beside<O::Entity>,
            {
                let items = items.into_iter().map(Operand::operand);
                Condition::new(ValueTypeExpr::from(self).not_in_list(super::operand::listed(items)))
            }

            /// Is NULL.
            #[must_use]
            pub fn is_null(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).is_null())
            }

            /// Is not NULL.
            #[must_use]
            pub fn is_not_null(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).is_not_null())
            }

            /// How many there are that are not NULL.
            #[must_use]
            pub fn count(self) -> Typed<E, i64> {
                Typed::new(ValueTypeExpr::from(self).count(false))
            }

            /// The greatest one; NULL of none.
            #[must_use]
            pub fn max(self) -> Typed<E, Option<T::Base>> {
                Typed::new(ValueTypeExpr::from(self).max())
            }

            /// The least one; NULL of none.
            #[must_use]
            pub fn min(self) -> Typed<E, Option<T::Base>> {
                Typed::new(ValueTypeExpr::from(self).min())
            }

            /// Upwards.
            #[must_use]
            pub fn asc(self) -> Sorted<E> {
                Sorted::new(ValueTypeExpr::from(self).asc())
            }

            /// Downwards.
            #[must_use]
            pub fn desc(self) -> Sorted<E> {
                Sorted::new(ValueTypeExpr::from(self).desc())
            }

            /// Under that name in a select list.
            #[must_use]
            pub fn alias(self, alias: impl Into<Name>) -> Selected<E> {
                Selected::new(ValueTypeExpr::from(self).alias(alias))
            }
        }
    )*};
}

methods!(Column Typed);

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

/// The property of the entity `E` that an assignment is to.
#[derive(Debug)]
pub struct Property<E> {
    name: &'static str,
    of: PhantomData<fn() -> E>,
}

impl<E> From<Property<E>> for Name {
    fn from(property: Property<E>) -> Self {
        Name::from_static(property.name)
    }
}

impl<E, T: Field> Column<E, T> {
    /// The column set to a value or an expression, in an [`update`](super::update). `None` is NULL.
    #[must_use]
    pub fn set<V: Operand<T::Base, Exact>>(self, value: V) -> (Property<E>, ValueTypeExpr)
    where
        E: Takes<V::Entity>,
    {
        (Property { name: self.name(), of: PhantomData }, value.operand())
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
    /// A key of an order by columns of the entity `E`.
    Sorted: OrderByItemExpr;
    /// An item of a select list over columns of the entity `E`, with its name.
    Selected: SelectItemExpr;
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
    /// NULLs before everything else.
    #[must_use]
    pub fn nulls_first(self) -> Self {
        Self::new(self.node.nulls_first())
    }

    /// NULLs after everything else.
    #[must_use]
    pub fn nulls_last(self) -> Self {
        Self::new(self.node.nulls_last())
    }
}
