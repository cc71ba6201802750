//! Functions without a column, and functions of any column.

use chrono::{NaiveDate, NaiveDateTime};
use isogloss_compiler::expr::{ValueTypeExpr, count_all, func};

use super::operand::Exact;
use super::{Aggregate, Beside, Both, Column, Field, NullWith, Operand, Typed, Window};

/// The number of rows: `COUNT(*)`.
#[must_use]
pub fn count() -> Aggregate<(), i64> {
    Aggregate::new(count_all())
}

/// The server's local date and time at the start of the statement.
#[must_use]
pub fn now() -> Typed<(), NaiveDateTime> {
    none("Now")
}

/// The date and time in UTC at the start of the statement.
#[must_use]
pub fn utc_now() -> Typed<(), NaiveDateTime> {
    none("UtcNow")
}

/// The server's local date at the start of the statement.
#[must_use]
pub fn today() -> Typed<(), NaiveDate> {
    none("Today")
}

fn none<T>(name: &'static str) -> Typed<(), T> {
    Typed::new(func(name, [] as [ValueTypeExpr; 0]))
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        impl<E, T: Field> $of<E, T> {
            /// The greater of two values; NULL if one is. In `expr!` it is written `max(other)`.
            #[must_use]
            pub fn greatest<R: Operand<T::Base, Exact>>(self, other: R) -> Typed<Both<E, R::Entity>, NullWith<T, R::Of>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Greatest", [self.into(), other.operand()]))
            }

            /// The lesser of two values; NULL if one is. In `expr!` it is written `min(other)`.
            #[must_use]
            pub fn least<R: Operand<T::Base, Exact>>(self, other: R) -> Typed<Both<E, R::Entity>, NullWith<T, R::Of>>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Least", [self.into(), other.operand()]))
            }

            /// Casts the value to the column type of `U`; NULL remains NULL. In `expr!` it is written `x as i64`.
            #[must_use]
            pub fn cast<U: Field>(self) -> Typed<E, NullWith<U, T>> {
                let node = isogloss_compiler::expr::CastExpr { value: self.into(), to: U::TYPE };
                Typed::new(ValueTypeExpr::from(node))
            }
        }
    )*};
}

methods!(Column Typed Aggregate Window);
