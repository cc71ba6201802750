//! Arithmetic, and what can be said of numbers.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, Utc};
use isogloss_compiler::expr::{
    Decimal, UnaryExpr, UnaryOperator, ValueBinaryExpr, ValueOperator, ValueOps, ValueTypeExpr, func,
};

use super::operand::{Admits, Arithmetic, Comparison, Exact};
use super::{Beside, Both, Column, Computed, Difference, Field, Operand, Typed};

/// A type of numbers.
#[diagnostic::on_unimplemented(message = "`{Self}` is no number", label = "this is said of numbers only")]
pub trait Number: Field {
    /// What their sum is.
    type Sum: Field;

    /// What their average is.
    type Average: Field;
}

/// A type whose values `+` joins: numbers, and texts, which are put one after the other.
#[diagnostic::on_unimplemented(
    message = "`+` adds no values of `{Self}`",
    label = "numbers are added, texts are joined",
    note = "for a date there are `add_days(n)`, `add_months(n)` and their like"
)]
pub trait Plus: Field {
    /// What `+` is.
    const OPERATOR: ValueOperator;
}

/// A type whose values `-` takes from each other: numbers, and dates, whose [`Difference`] is counted in whole units.
#[diagnostic::on_unimplemented(
    message = "`-` subtracts no values of `{Self}`",
    label = "numbers are subtracted, and dates",
    note = "for fewer days there is `add_days(-n)`"
)]
pub trait Minus: Field {
    /// What `-` gives of columns of the entity `E`, whose values are of the type `T` if they are numbers.
    type Output<E, T>;

    /// The one without the other.
    fn minus<E, T>(left: ValueTypeExpr, right: ValueTypeExpr) -> Self::Output<E, T>;
}

/// A type that is reckoned with values of the type `B`: a number with another number.
///
/// Whole numbers and decimals are exact. Floats are reckoned with floats, and with whole numbers that they hold exactly;
/// beside a decimal or a number of 64 bits one of both is cast: `o.weight as Decimal`.
#[diagnostic::on_unimplemented(
    message = "a column of `{Self}` and one of `{B}` are not reckoned with each other",
    label = "no arithmetic between `{Self}` and `{B}`",
    note = "numbers are reckoned with numbers, texts are joined with texts; where a float stands beside a decimal or a number of 64 bits, cast one of both: `o.weight as Decimal`"
)]
pub trait Mixed<B>: Field {
    /// What comes out: the wider type of both.
    type Output: Field;
}

/// What arithmetic on a column of `T` and one of `U` gives; NULL where either is.
pub type Mix<T, U> =
    <T as Computed>::Like<<U as Computed>::Like<<<T as Field>::Base as Mixed<<U as Field>::Base>>::Output>>;

macro_rules! numbers {
    ($($of:ty: $sum:ty, $average:ty;)*) => {$(
        impl Number for $of {
            type Sum = $sum;
            type Average = $average;
        }

        impl Plus for $of {
            const OPERATOR: ValueOperator = ValueOperator::Add;
        }

        impl Minus for $of {
            type Output<E, T> = Typed<E, T>;

            fn minus<E, T>(left: ValueTypeExpr, right: ValueTypeExpr) -> Typed<E, T> {
                binary(left, ValueOperator::Subtract, right)
            }
        }
    )*};
}

numbers! {
    i8: i64, Decimal;
    i16: i64, Decimal;
    i32: i64, Decimal;
    i64: Decimal, Decimal;
    u8: i64, Decimal;
    u16: i64, Decimal;
    u32: i64, Decimal;
    u64: Decimal, Decimal;
    f32: f64, f64;
    f64: f64, f64;
    Decimal: Decimal, Decimal;
}

// Each type with those that are narrower, and with the one of its width that has another sign: of those the left one's.
macro_rules! mixed {
    ($($of:ty: [$($narrow:ty)*] [$($peer:ty)*];)*) => {$(
        mixed!(one $of, $of);
        $(mixed!(both $of, $narrow);)*
        $(mixed!(one $of, $peer);)*
        $(mixed!(compared $of, $peer);)*
    )*};
    (both $wide:ty, $narrow:ty) => {
        mixed!(one $wide, $narrow);
        mixed!(compared $wide, $narrow);
        mixed!(compared $narrow, $wide);

        impl Mixed<$wide> for $narrow {
            type Output = $wide;
        }
    };
    (one $of:ty, $with:ty) => {
        impl Mixed<$with> for $of {
            type Output = $of;
        }
    };
    (compared $of:ty, $with:ty) => {
        impl Admits<$with, $of> for Comparison {}
    };
}

// As the compiler has it: the wider type of both.
mixed! {
    i8: [] [u8];
    u8: [] [i8];
    i16: [i8 u8] [u16];
    u16: [i8 u8] [i16];
    i32: [i8 u8 i16 u16] [u32];
    u32: [i8 u8 i16 u16] [i32];
    i64: [i8 u8 i16 u16 i32 u32] [];
    u64: [i8 u8 i16 u16 i32 u32 i64] [];
    Decimal: [i8 u8 i16 u16 i32 u32 i64 u64] [];
    f32: [i8 u8 i16 u16] [];
    f64: [i8 u8 i16 u16 i32 u32 f32] [];
    String: [] [];
    NaiveDateTime: [NaiveDate] [];
    NaiveDate: [] [];
    DateTime<FixedOffset>: [] [DateTime<Utc>];
    DateTime<Utc>: [] [DateTime<FixedOffset>];
}

impl Plus for String {
    const OPERATOR: ValueOperator = ValueOperator::Concat;
}

pub(super) fn binary<E, T>(left: ValueTypeExpr, operator: ValueOperator, right: ValueTypeExpr) -> Typed<E, T> {
    Typed::new(ValueTypeExpr::from(ValueBinaryExpr { left, operator, right }))
}

macro_rules! operators {
    ($of:ident: $($trait:ident $method:ident $bound:ident $output:ty, |$left:ident, $right:ident| $make:expr;)*) => {$(
        impl<E, T: Computed, R: Operand<T::Base, Arithmetic, Of: Computed>> $trait<R> for $of<E, T>
        where
            E: Beside<R::Entity>,
            T::Base: $bound + Mixed<<R::Of as Field>::Base>,
        {
            type Output = $output;

            fn $method(self, right: R) -> Self::Output {
                let ($left, $right) = (self.into(), right.operand());
                $make
            }
        }
    )*};
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        operators! { $of:
            Add add Plus Typed<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| binary(left, <T::Base as Plus>::OPERATOR, right);
            Sub sub Minus <T::Base as Minus>::Output<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| <T::Base as Minus>::minus(left, right);
            Mul mul Number Typed<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| binary(left, ValueOperator::Multiply, right);
            Div div Number Typed<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| binary(left, ValueOperator::Divide, right);
            Rem rem Number Typed<Both<E, R::Entity>, Mix<T, R::Of>>,
                |left, right| binary(left, ValueOperator::Modulo, right);
        }

        impl<E, T: Field> Neg for $of<E, T>
        where
            T::Base: Number,
        {
            type Output = Typed<E, T>;

            fn neg(self) -> Typed<E, T> {
                let node = UnaryExpr { operator: UnaryOperator::Negative, operand: self.into() };
                Typed::new(ValueTypeExpr::from(node))
            }
        }

        impl<E, T: Field> $of<E, T>
        where
            T::Base: Number,
        {
            /// Without its sign.
            #[must_use]
            pub fn abs(self) -> Typed<E, T> {
                Typed::new(func("Abs", [ValueTypeExpr::from(self)]))
            }

            /// -1, 0 or 1.
            #[must_use]
            pub fn signum(self) -> Typed<E, i32> {
                Typed::new(func("Sign", [ValueTypeExpr::from(self)]))
            }

            /// The least whole number that is not less.
            #[must_use]
            pub fn ceil(self) -> Typed<E, T> {
                Typed::new(func("Ceiling", [ValueTypeExpr::from(self)]))
            }

            /// The greatest whole number that is not greater.
            #[must_use]
            pub fn floor(self) -> Typed<E, T> {
                Typed::new(func("Floor", [ValueTypeExpr::from(self)]))
            }

            /// The nearest whole number, halves away from zero.
            #[must_use]
            pub fn round(self) -> Typed<E, T> {
                Typed::new(func("Round", [ValueTypeExpr::from(self)]))
            }

            /// Rounded to so many digits after the point, halves away from zero.
            #[must_use]
            pub fn round_to<R: Operand<i32, Exact>>(self, digits: R) -> Typed<Both<E, R::Entity>, T>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Round", [self.into(), digits.operand()]))
            }

            /// Cut to a whole number, toward zero.
            #[must_use]
            pub fn trunc(self) -> Typed<E, T> {
                Typed::new(func("Truncate", [ValueTypeExpr::from(self)]))
            }

            /// The square root; NULL of a negative number.
            #[must_use]
            pub fn sqrt(self) -> Typed<E, f64> {
                Typed::new(func("Sqrt", [ValueTypeExpr::from(self)]))
            }

            /// To that power; NULL where that is no real number.
            #[must_use]
            pub fn pow<R: Operand<f64, Exact>>(self, exponent: R) -> Typed<Both<E, R::Entity>, f64>
            where
                E: Beside<R::Entity>,
            {
                Typed::new(func("Power", [self.into(), exponent.operand()]))
            }

            /// The sum; NULL of none.
            #[must_use]
            pub fn sum(self) -> Typed<E, Option<<T::Base as Number>::Sum>> {
                Typed::new(ValueTypeExpr::from(self).sum())
            }

            /// The average; NULL of none.
            #[must_use]
            pub fn avg(self) -> Typed<E, Option<<T::Base as Number>::Average>> {
                Typed::new(ValueTypeExpr::from(self).avg())
            }
        }
    )*};
}

methods!(Column Typed);

macro_rules! dates {
    ($($of:ty),*) => {$(
        impl Minus for $of {
            type Output<E, T> = Difference<E>;

            fn minus<E, T>(left: ValueTypeExpr, right: ValueTypeExpr) -> Difference<E> {
                Difference::new(left, right)
            }
        }
    )*};
}

dates!(NaiveDate, NaiveDateTime, DateTime<Utc>, DateTime<FixedOffset>);
