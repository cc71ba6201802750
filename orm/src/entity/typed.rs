//! Values of a tree with the type that they have in Rust, and what can be said of them.

use std::marker::PhantomData;

use isogloss_compiler::expr::{
    Expr, FunctionExpr, LogicExpr, LogicOperator, Name, OrderByItemExpr, SelectItemExpr, ValueOps, ValueTypeExpr,
};

use super::{Column, Field, Operand, Ordered};

/// A value of a tree whose type is known: what is computed of columns.
#[derive(Debug, Clone)]
pub struct Typed<T> {
    node: ValueTypeExpr,
    of: PhantomData<fn() -> T>,
}

impl<T> Typed<T> {
    /// A value that is known to be of that type.
    pub fn new(node: impl Into<ValueTypeExpr>) -> Self {
        Self { node: node.into(), of: PhantomData }
    }
}

impl<T> From<Typed<T>> for ValueTypeExpr {
    fn from(typed: Typed<T>) -> Self {
        typed.node
    }
}

impl<T> From<Column<T>> for Typed<T> {
    fn from(column: Column<T>) -> Self {
        Self::new(column)
    }
}

macro_rules! comparisons {
    ($($(#[$doc:meta])* $method:ident $operator:ident $(: $bound:ident)?;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $method(self, right: impl Operand<T::Base>) -> LogicExpr
        $(where
            T::Base: $bound,)?
        {
            ValueTypeExpr::from(self).compare(LogicOperator::$operator, right.operand())
        }
    )*};
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        #[allow(clippy::should_implement_trait, reason = "`eq` and its like build a node, as everywhere")]
        #[allow(clippy::wrong_self_convention, reason = "`is_null` and its like build a node of `self`")]
        impl<T: Field> $of<T> {
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
            pub fn between(self, low: impl Operand<T::Base>, high: impl Operand<T::Base>) -> LogicExpr
            where
                T::Base: Ordered,
            {
                ValueTypeExpr::from(self).between(low.operand(), high.operand())
            }

            /// Is one of these.
            #[must_use]
            pub fn is_in<O: Operand<T::Base>>(self, items: impl IntoIterator<Item = O>) -> LogicExpr {
                let items = items.into_iter().map(Operand::operand);
                ValueTypeExpr::from(self).in_list(super::operand::listed(items))
            }

            /// Is none of these.
            #[must_use]
            pub fn not_in<O: Operand<T::Base>>(self, items: impl IntoIterator<Item = O>) -> LogicExpr {
                let items = items.into_iter().map(Operand::operand);
                ValueTypeExpr::from(self).not_in_list(super::operand::listed(items))
            }

            /// Is NULL.
            #[must_use]
            pub fn is_null(self) -> LogicExpr {
                ValueTypeExpr::from(self).is_null()
            }

            /// Is not NULL.
            #[must_use]
            pub fn is_not_null(self) -> LogicExpr {
                ValueTypeExpr::from(self).is_not_null()
            }

            /// How many there are that are not NULL.
            #[must_use]
            pub fn count(self) -> Typed<i64> {
                Typed::new(ValueTypeExpr::from(self).count(false))
            }

            /// The greatest one; NULL of none.
            #[must_use]
            pub fn max(self) -> Typed<Option<T::Base>> {
                Typed::new(ValueTypeExpr::from(self).max())
            }

            /// The least one; NULL of none.
            #[must_use]
            pub fn min(self) -> Typed<Option<T::Base>> {
                Typed::new(ValueTypeExpr::from(self).min())
            }

            /// Upwards.
            #[must_use]
            pub fn asc(self) -> OrderByItemExpr {
                ValueTypeExpr::from(self).asc()
            }

            /// Downwards.
            #[must_use]
            pub fn desc(self) -> OrderByItemExpr {
                ValueTypeExpr::from(self).desc()
            }

            /// Under that name in a select list.
            #[must_use]
            pub fn alias(self, alias: impl Into<isogloss_compiler::expr::Name>) -> SelectItemExpr {
                ValueTypeExpr::from(self).alias(alias)
            }
        }
    )*};
}

methods!(Column Typed);

impl<T> From<Typed<T>> for SelectItemExpr {
    fn from(typed: Typed<T>) -> Self {
        typed.node.into()
    }
}

impl<T> From<Typed<T>> for OrderByItemExpr {
    fn from(typed: Typed<T>) -> Self {
        typed.node.asc()
    }
}

impl<T> From<Typed<T>> for Expr {
    fn from(typed: Typed<T>) -> Self {
        typed.node.into()
    }
}

impl<T> From<Column<T>> for Expr {
    fn from(column: Column<T>) -> Self {
        column.prop().into()
    }
}

impl<T> From<FunctionExpr> for Typed<T> {
    fn from(call: FunctionExpr) -> Self {
        Self::new(call)
    }
}

impl<T: Field> Column<T> {
    /// The column set to a value or an expression, in an [`update`](super::update). `None` is NULL.
    #[must_use]
    pub fn set(self, value: impl Operand<T::Base>) -> (Name, ValueTypeExpr) {
        (Name::from_static(self.name()), value.operand())
    }
}

macro_rules! truths {
    ($($of:ident)*) => {$(
        impl<T: Field<Base = bool>> From<$of<T>> for LogicExpr {
            fn from(value: $of<T>) -> Self {
                super::ops::logic(value)
            }
        }

        impl<T: Field<Base = bool>> From<$of<T>> for Option<LogicExpr> {
            fn from(value: $of<T>) -> Self {
                Some(value.into())
            }
        }
    )*};
}

truths!(Column Typed);
