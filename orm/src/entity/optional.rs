//! What can be said of columns that may be NULL.

use isogloss_compiler::expr::{LogicExpr, ValueOps, ValueTypeExpr, func};

use super::{Column, Field, Operand, Typed};

macro_rules! methods {
    ($($of:ident)*) => {$(
        #[allow(clippy::wrong_self_convention, reason = "`is_none` and its like build a node of `self`")]
        impl<T: Field> $of<Option<T>> {
            /// Is NULL.
            #[must_use]
            pub fn is_none(self) -> LogicExpr {
                ValueTypeExpr::from(self).is_null()
            }

            /// Is not NULL.
            #[must_use]
            pub fn is_some(self) -> LogicExpr {
                ValueTypeExpr::from(self).is_not_null()
            }

            /// The value, or another where it is NULL.
            #[must_use]
            pub fn unwrap_or(self, other: impl Operand<T::Base>) -> Typed<T> {
                Typed::new(func("Coalesce", [self.into(), other.operand()]))
            }

            /// The value, or another that may be NULL as well.
            #[must_use]
            pub fn or(self, other: impl Operand<T::Base>) -> Typed<Option<T>> {
                Typed::new(func("Coalesce", [self.into(), other.operand()]))
            }
        }
    )*};
}

methods!(Column Typed);
