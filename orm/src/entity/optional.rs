//! Methods of columns that may be NULL.

use isogloss_compiler::expr::{ValueOps, ValueTypeExpr, func};

use super::operand::Exact;
use super::{Aggregate, Beside, Both, Column, Condition, Field, NullWith, Operand, Typed, Window};

macro_rules! methods {
    ($($of:ident)*) => {$(
        #[allow(clippy::wrong_self_convention, reason = "`is_none` and its like build a node of `self`")]
        impl<E, T: Field> $of<E, Option<T>> {
            /// Whether the value is NULL.
            #[must_use]
            pub fn is_none(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).is_null())
            }

            /// Whether the value is not NULL.
            #[must_use]
            pub fn is_some(self) -> Condition<E> {
                Condition::new(ValueTypeExpr::from(self).is_not_null())
            }

            /// The value, or `other` if it is NULL; NULL if both are.
            #[must_use]
            pub fn unwrap_or<R: Operand<T::Base, Exact>>(self, other: R) -> Typed<Both<E, R::Entity>, NullWith<T, R::Of>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Coalesce", [self.into(), other.operand()]))
            }

            /// The value, or `other`, which may be NULL as well, if it is NULL.
            #[must_use]
            pub fn or<R: Operand<T::Base, Exact>>(self, other: R) -> Typed<Both<E, R::Entity>, Option<T>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Coalesce", [self.into(), other.operand()]))
            }
        }
    )*};
}

methods!(Column Typed Aggregate Window);
