//! Arithmetic, and what can be said of numbers.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};

use isogloss_compiler::expr::{
    Decimal, UnaryExpr, UnaryOperator, ValueBinaryExpr, ValueOperator, ValueOps, ValueTypeExpr, func,
};

use super::{Column, Difference, Field, Operand, Typed};

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
    /// What `-` gives of columns of the type.
    type Output<T: Field>;

    /// The one without the other.
    fn minus<T: Field>(left: ValueTypeExpr, right: ValueTypeExpr) -> Self::Output<T>;
}

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
            type Output<T: Field> = Typed<T>;

            fn minus<T: Field>(left: ValueTypeExpr, right: ValueTypeExpr) -> Typed<T> {
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

impl Plus for String {
    const OPERATOR: ValueOperator = ValueOperator::Concat;
}

pub(super) fn binary<T>(left: ValueTypeExpr, operator: ValueOperator, right: ValueTypeExpr) -> Typed<T> {
    Typed::new(ValueTypeExpr::from(ValueBinaryExpr { left, operator, right }))
}

macro_rules! operators {
    ($of:ident: $($trait:ident $method:ident $operator:ident),*) => {$(
        impl<T: Field, R: Operand<T::Base>> $trait<R> for $of<T>
        where
            T::Base: Number,
        {
            type Output = Typed<T>;

            fn $method(self, right: R) -> Typed<T> {
                binary(self.into(), ValueOperator::$operator, right.operand())
            }
        }
    )*};
}

macro_rules! methods {
    ($($of:ident)*) => {$(
        impl<T: Field, R: Operand<T::Base>> Add<R> for $of<T>
        where
            T::Base: Plus,
        {
            type Output = Typed<T>;

            fn add(self, right: R) -> Typed<T> {
                binary(self.into(), T::Base::OPERATOR, right.operand())
            }
        }

        impl<T: Field, R: Operand<T::Base>> Sub<R> for $of<T>
        where
            T::Base: Minus,
        {
            type Output = <T::Base as Minus>::Output<T>;

            fn sub(self, right: R) -> Self::Output {
                T::Base::minus(self.into(), right.operand())
            }
        }

        operators!($of: Mul mul Multiply, Div div Divide, Rem rem Modulo);

        impl<T: Field> Neg for $of<T>
        where
            T::Base: Number,
        {
            type Output = Typed<T>;

            fn neg(self) -> Typed<T> {
                let node = UnaryExpr { operator: UnaryOperator::Negative, operand: self.into() };
                Typed::new(ValueTypeExpr::from(node))
            }
        }

        impl<T: Field> $of<T>
        where
            T::Base: Number,
        {
            /// Without its sign.
            #[must_use]
            pub fn abs(self) -> Typed<T> {
                Typed::new(func("Abs", [ValueTypeExpr::from(self)]))
            }

            /// -1, 0 or 1.
            #[must_use]
            pub fn signum(self) -> Typed<i32> {
                Typed::new(func("Sign", [ValueTypeExpr::from(self)]))
            }

            /// The least whole number that is not less.
            #[must_use]
            pub fn ceil(self) -> Typed<T> {
                Typed::new(func("Ceiling", [ValueTypeExpr::from(self)]))
            }

            /// The greatest whole number that is not greater.
            #[must_use]
            pub fn floor(self) -> Typed<T> {
                Typed::new(func("Floor", [ValueTypeExpr::from(self)]))
            }

            /// The nearest whole number, halves away from zero.
            #[must_use]
            pub fn round(self) -> Typed<T> {
                Typed::new(func("Round", [ValueTypeExpr::from(self)]))
            }

            /// Rounded to so many digits after the point, halves away from zero.
            #[must_use]
            pub fn round_to(self, digits: impl Operand<i32>) -> Typed<T> {
                Typed::new(func("Round", [self.into(), digits.operand()]))
            }

            /// Cut to a whole number, toward zero.
            #[must_use]
            pub fn trunc(self) -> Typed<T> {
                Typed::new(func("Truncate", [ValueTypeExpr::from(self)]))
            }

            /// The square root; NULL of a negative number.
            #[must_use]
            pub fn sqrt(self) -> Typed<f64> {
                Typed::new(func("Sqrt", [ValueTypeExpr::from(self)]))
            }

            /// To that power; NULL where that is no real number.
            #[must_use]
            pub fn pow(self, exponent: impl Operand<f64>) -> Typed<f64> {
                Typed::new(func("Power", [self.into(), exponent.operand()]))
            }

            /// The sum; NULL of none.
            #[must_use]
            pub fn sum(self) -> Typed<Option<<T::Base as Number>::Sum>> {
                Typed::new(ValueTypeExpr::from(self).sum())
            }

            /// The average; NULL of none.
            #[must_use]
            pub fn avg(self) -> Typed<Option<<T::Base as Number>::Average>> {
                Typed::new(ValueTypeExpr::from(self).avg())
            }
        }
    )*};
}

methods!(Column Typed);

macro_rules! dates {
    ($($of:ty),*) => {$(
        impl Minus for $of {
            type Output<T: Field> = Difference;

            fn minus<T: Field>(left: ValueTypeExpr, right: ValueTypeExpr) -> Difference {
                Difference::new(left, right)
            }
        }
    )*};
}

dates!(chrono::NaiveDate, chrono::NaiveDateTime, chrono::DateTime<chrono::Utc>, chrono::DateTime<chrono::FixedOffset>);
